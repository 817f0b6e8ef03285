# SPDX-License-Identifier: MIT
"""What people read and tools check: help, units, types, headers."""

import importlib.util
import inspect
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import brittle
from brittle import _call

HERE = Path(__file__).resolve().parent.parent


def test_help_is_enough_to_begin():
    text = brittle.__doc__
    for name in ("Mesh", "World", "Recording", "shatter", "add_breakable", "Units"):
        assert name in text
    begin = text[text.index("    import brittle") : text.index("What there is")]
    code = inspect.cleandoc("\n" + begin).replace('"pieces.glb"', "os.devnull + '.glb'")
    assert "recording.save" in code


def test_the_first_lines_run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = brittle.__doc__
    exec(inspect.cleandoc("\n" + text[text.index("    import brittle") : text.index("What there is")]), {})
    assert (tmp_path / "pieces.glb").exists() and (tmp_path / "vase.glb").exists()


def test_everything_has_words():
    for name in brittle.__all__:
        thing = getattr(brittle, name)
        assert inspect.getdoc(thing), name
        for member, value in vars(thing).items() if inspect.isclass(thing) and thing.__module__ != "brittle._records" else ():
            if not member.startswith("_") and (callable(value) or isinstance(value, (property, classmethod))):
                assert inspect.getdoc(getattr(thing, member)) or member == "title", f"{name}.{member}"


def test_options_come_from_the_headers():
    assert "roughness: Cut faces become rough" in brittle.Mesh.shatter.__doc__
    assert "[J]" in brittle.Mesh.crack.__doc__ and "[Pa]" in brittle.CrackStats.__doc__
    assert "substeps" in _call.members("brWorldDef") and "stamp" not in _call.members("brWorldDef")


def test_structs_are_those_of_the_compiler():
    for struct in ("brBreakEvent", "brContactEvent", "brCrackFrontPoint", "brRecordedBody", "brElasticElement", "brBodyState", "brPiece"):
        assert _call.dtype_of(struct).itemsize == _call.ffi.sizeof(struct)


@pytest.mark.skipif(not shutil.which("mypy"), reason="mypy is not here")
def test_types():
    done = subprocess.run(["mypy", "-p", "brittle"], cwd=HERE, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout
    user = (
        "import brittle, numpy as np\n"
        "masses: 'np.typing.NDArray[np.float64]' = brittle.Mesh.model('vase').shatter(5).masses\n"
        "world: brittle.World = brittle.World().step()\n"
        "volume: float = brittle.Mesh.load('x').check().volume\n"
        "wrong: int = brittle.Mesh.load('x').volume\n"
    )
    done = subprocess.run(["mypy", "-c", user], cwd=HERE, capture_output=True, text=True)
    assert "<string>:5" in done.stdout and "Found 1 error" in done.stdout, done.stdout


def test_headers_are_read_whole():
    spec = importlib.util.spec_from_file_location("headers", HERE / "headers.py")
    headers = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(headers)
    include = HERE.parent / "include"
    if not include.exists():
        pytest.skip("the headers are not here")
    text = headers.declarations(include)
    import re

    public = set()
    for path in (include / "brittle").glob("*.h"):
        public |= set(re.findall(r"^(?:BR_EXPERIMENTAL )?BR_API [^;(]*?\b(br[A-Za-z0-9_]+)\(", path.read_text(), re.M))
    missing = {name for name in public if not hasattr(_call.lib, name)}
    assert len(public) > 250 and not missing and "brWorld_Step" in text
    assert sys.version_info >= (3, 9)

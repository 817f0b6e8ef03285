# SPDX-License-Identifier: MIT
"""Reads the public headers: what cffi needs of them, and the words that stand beside each member.

The build runs this each time, and the C compiler then checks every declaration against the same headers. So the
package cannot say something else than the library: a member that is new, gone or renamed is so here too.
"""

from __future__ import annotations

import re
from pathlib import Path

# Outputs that become classes with typed attributes; what is not here is read as arrays, or is an input.
RECORDS = [
    "brMassProperties", "brSurfaceMaterial", "brMaterial", "brMeshCheck", "brRepairCounts", "brMendInfo", "brTetMeshStats",
    "brTetInfo", "brCutStats", "brCrackStats", "brImpact", "brStepStats", "brBreakStats", "brWorldEnergy", "brElasticStats",
    "brPairStages", "brStrike", "brRayHit", "brShapeHit", "brNearestBody", "brModelParameter", "brMeshFrame",
]  # fmt: skip


def _order(include: Path) -> list[Path]:
    """The headers, each behind those that it includes."""
    done: list[Path] = []

    def visit(path: Path) -> None:
        if path in done:
            return
        for name in re.findall(r'#include "brittle/([a-z_]+\.h)"', path.read_text()):
            visit(include / "brittle" / name)
        done.append(path)

    visit(include / "brittle" / "brittle.h")
    return done


def _constants(text: str) -> list[str]:
    """`#define BR_NAME 12`, as cffi takes it; the compiler compares the value."""
    found = re.findall(r"^#define (BR_[A-Z0-9_]+) +([0-9][0-9a-fA-FxXu]*|0x1p-[0-9]+|[0-9.]+)$", text, re.M)
    return [f"static const double {name};" if "p-" in value or "." in value else f"#define {name} {value.rstrip('u')}" for name, value in found]


def _without_bodies(text: str) -> str:
    """Inline functions go, with their bodies: braces are counted."""
    while (begin := text.find("static inline")) >= 0:
        end, depth = text.index("{", begin), 0
        while True:
            depth += {"{": 1, "}": -1}.get(text[end], 0)
            end += 1
            if depth == 0:
                break
        text = text[:begin] + text[end:]
    return text


def declarations(include: Path) -> str:
    """All public types, constants and functions, without comments, macros and bodies."""
    parts = []
    for path in _order(include):
        text = path.read_text()
        if path.name == "api.h":  # macros alone
            continue
        code = re.sub(r"/\*.*?\*/|//[^\n]*", "", text, flags=re.S)
        code = _without_bodies(re.sub(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*$", "", code, flags=re.M))
        code = re.sub(r"\bBR_(API|EXPERIMENTAL)\b", "", code)
        code = re.sub(r"\bBR_PRINTF_LIKE\([^)]*\)", "", code)
        code = re.sub(r"\bconst (\w+ \(\*\w+\)\[)", r"\1", code)  # cffi cannot write a pointer to an array of constants
        parts += _constants(text) + [code]
    return re.sub(r"\n\s*\n+", "\n", "\n".join(parts))


def snake(name: str) -> str:
    """isClosed -> is_closed"""
    return re.sub(r"(?<=[a-z0-9])([A-Z])", lambda match: "_" + match[1].lower(), name)


def members(include: Path) -> dict[str, list[tuple[str, str, str]]]:
    """(name, type, words) of each member of each public struct; the words say unit, range and effect."""
    structs = {}
    for path in _order(include):
        for name, body in re.findall(r"typedef struct (br\w+)\n\{\n(.*?)\n\} \1;", path.read_text(), re.S):
            structs[name] = list(_members_of(body))
    return structs


def _members_of(body: str):
    before: list[str] = []
    last = None
    for line in body.split("\n") + [";"]:
        line = line.strip()
        note = re.match(r"///(?!<) ?(.*)", line)
        more = re.match(r"///< ?(.*)", line)
        if note or more:
            if more and last is not None:
                last[2] += " " + more[1]
            elif note:
                before.append(note[1])
            continue
        code, _, words = line.partition("///<")
        found = re.match(r"(.*?)([\w\[\], *()]+);", code.strip())
        if found is None:
            before = before if line else []
            continue
        if last is not None:
            yield from _split(*last)
        last = [code.strip().rstrip("; "), None, " ".join(before + [words.strip()]).strip()] if code.strip() != ";" else None
        before = []
    if last is not None:
        yield from _split(*last)


def _split(code: str, _, words: str):
    """`double kinetic, potential` is two members; `char name[64]` one."""
    function = re.match(r"(.*)\(\*(\w+)\)", code)
    if function:
        yield function[2], "function" if "(" in code[function.end():] else function[1].strip() + "*", words
        return
    kind, _, first = code.partition(" ") if not code.startswith("const ") else code[6:].partition(" ")
    for name in first.split(","):
        name = name.strip()
        base = re.match(r"(\**(?:const\*)?)\s*(?:const\s*\*?\s*)?(\w+)((?:\[[^\]]*\])*)", name)
        if base:
            yield base[2], kind + base[1] + base[3], words


# Types of members as Python sees them.
_PLAIN = {
    "double": "float", "float": "float", "bool": "bool", "int32_t": "int", "int64_t": "int", "uint32_t": "int", "uint64_t": "int",
    "brDVec3": "Array", "brVec3": "Array", "brVec4": "Array", "brMat3": "Array", "brDBox3": "Array", "brBodyId": "int",
    "brStress": "Array", "char*": "str",
}  # fmt: skip


def _python_type(kind: str, records: set[str], enums: set[str]) -> str | None:
    if kind in _PLAIN:
        return _PLAIN[kind]
    if kind.startswith("char["):
        return "str"
    if kind in records:
        return kind[2:]
    if kind in enums:
        return "str"
    if "[" in kind and kind.split("[")[0] in _PLAIN:
        return "Array"
    return None


def records_module(include: Path) -> str:
    """Source of `brittle/_records.py`: a class for each struct of RECORDS, and the words of every member."""
    structs = members(include)
    text = "\n".join(path.read_text() for path in _order(include))
    enums = set(re.findall(r"typedef enum (br\w+)", text))
    briefs = {name: _brief(text, name) for name in structs}
    out = [
        "# Made from the headers by python/headers.py when the package is built.",
        '"""What calls answer, member by member, and the words of the headers for every option."""',
        "from __future__ import annotations",
        "import dataclasses",
        "from typing import Any, Dict",
        "import numpy as np",
        "import numpy.typing as npt",
        "Array = npt.NDArray[np.float64]",
        "",
    ]
    for name in RECORDS:
        fields = [(m, t, w) for m, t, w in structs[name] if m not in ("stamp", "allocator")]
        fields = [(m, _python_type(t, set(RECORDS), enums), w) for m, t, w in fields]
        out += ["@dataclasses.dataclass(frozen=True, eq=False)", f"class {name[2:]}:"]
        lines = [briefs[name], "", "Attributes:"]
        lines += [f"    {snake(m)}: {w}" for m, t, w in fields if t]
        out += ['    """' + "\n    ".join(lines).replace("\\", "\\\\") + '\n    """']
        out += [f"    {snake(m)}: {t}" for m, t, w in fields if t]
        out += [""]
    words = {name: {snake(m): w for m, t, w in fields} for name, fields in structs.items()}
    out += ["WORDS: Dict[str, Dict[str, str]] = {"]
    out += [f"    {name!r}: {fields!r}," for name, fields in words.items()]
    out += ["}", ""]
    return "\n".join(out)


def _brief(text: str, struct: str) -> str:
    """The comment before a struct."""
    found = re.search(r"((?:^///[^\n]*\n)+)typedef struct " + struct + r"\b", text, re.M)
    return " ".join(line[3:].strip() for line in found[1].splitlines()) if found else f"{struct} of the C library."


if __name__ == "__main__":
    import sys

    place = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parent.parent / "include")
    print(declarations(place))

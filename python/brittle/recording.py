# SPDX-License-Identifier: MIT
"""Scenes, their runs, and recordings of what happened."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, Dict, Iterator, List, Mapping, Optional, Sequence, Tuple, Union

import numpy as np

from . import _call
from ._call import Array, Call, InputError, Progress, StaleError, ffi, lib
from .mesh import Floats, Mesh
from .world import World

if TYPE_CHECKING:
    from .pictures import Picture

PathLike = Union[str, Path]


class Recording:
    """What happened, frame by frame: which bodies there were, what they look like, where they went.

    >>> recording = brittle.Recording(frame_rate=60)
    >>> for _ in range(120):
    ...     world.step(1 / 60)
    ...     recording.capture(world)
    >>> recording.save("vase.glb")                  # or .usda, .brec
    """

    def __init__(self, frame_rate: float = 60.0) -> None:
        rate = _call.number(frame_rate, "frame_rate")
        if not 0.0 < rate < np.inf:
            raise InputError(f"the frame rate is above 0 and finite, not {rate}")
        pointer = lib.brCreateRecording(ffi.NULL, rate)
        if not pointer:
            raise _call.OutOfMemoryError("there is no memory for a recording")
        self._take(ffi.gc(pointer, lib.brDestroyRecording), None)

    def _take(self, pointer: Any, owner: Any) -> "Recording":
        self._pointer, self._owner = pointer, owner
        self._seen: Dict[int, int] = {}
        self._meshes: Dict[int, int] = {}
        self._kept: List[Mesh] = []
        return self

    @classmethod
    def load(cls, path: PathLike) -> "Recording":
        """Reads a .brec file."""
        name, out = _call.path_bytes(path), ffi.new("brRecording**")
        with Call() as call:
            call.check(lib.brLoadRecording(call.context, name, out, call.report))
        return cls.__new__(cls)._take(ffi.gc(out[0], lib.brDestroyRecording), None)

    # Filling one

    def capture(self, world: World, names: Optional[Mapping[int, str]] = None) -> None:
        """Adds the next frame: all bodies of a world that have a mesh, where they are now.

        Args:
            world: Always the same one.
            names: Names of bodies by id, for the file.
        """
        if self._owner is not None:
            raise InputError("this recording is that of a run, which fills it")
        with world._lock:
            states = world.states
            energy, stats = world.energy, world.stats
            frame = ffi.new("brRecordedFrame*", {
                "bodies": stats.bodies, "awake": stats.awake, "contacts": stats.contacts,
                "kinetic": energy.kinetic, "potential": energy.potential})  # fmt: skip
            self._must(lib.brRecording_BeginFrame(self._pointer, frame))
            # Poses about the center of mass, as those of runs: players then move it along its path.
            here = {int(row["id"]): np.concatenate([row["center"], row["pose"][3:]]) for row in states}
            spins = {int(row["id"]): tuple(row["spin"].tolist()) for row in states}
            for key, body in sorted(self._seen.items(), key=lambda item: item[1]):
                if key not in here:
                    lib.brRecording_EndBody(self._pointer, body)
                    del self._seen[key]
                elif body >= 0:
                    self._must(lib.brRecording_MoveBody(self._pointer, body, _transform(here[key]), spins[key]))
            for key, pose in here.items():
                if key not in self._seen:
                    self._add(world, key, pose, names or {})
            for event in world.breaks:
                self._add_break(event)

    def _add(self, world: World, key: int, pose: Floats, names: Mapping[int, str]) -> None:
        from .world import Body

        body = Body(world, key)
        mesh = body.mesh
        if mesh is None:
            self._seen[key] = -1  # nothing to show
            return
        look = world._looks.get(key)
        shared = self._meshes.get(id(look)) if look is not None else None
        if shared is None:
            copy = mesh._copy()
            mass = lib.brMesh_ComputeMass(copy, 1.0)  # must stay: the center lies in it
            center = mass.center
            axes = {"cx": (1.0, 0.0, 0.0), "cy": (0.0, 1.0, 0.0), "cz": (0.0, 0.0, 1.0)}
            move = ffi.new("brAffine*", {"m": axes, "p": (-center.x, -center.y, -center.z)})
            lib.brMesh_Transform(copy, move)
            shared = lib.brRecording_AddMesh(self._pointer, copy)
            if shared < 0:
                lib.brDestroyMesh(copy)
            if look is not None:
                self._meshes[id(look)] = shared
                self._kept.append(look)  # as long as its id stands for it
        parent = self._parents().get(body.parent, -1)
        kind = lib.br_recordedPiece if body.generation > 0 else lib.br_recordedBody
        name = names.get(key) or (f"piece_{self._pointer.bodyCount}" if body.generation else f"body_{self._pointer.bodyCount}")
        place = _transform(pose)
        index = lib.brRecording_AddBody(self._pointer, _call.name_bytes(name, "names"), shared, parent, kind, place)
        self._must(index >= 0)
        self._seen[key] = index
        self._parents()[key] = index

    def _add_break(self, event: Any) -> None:
        body = self._parents().get(int(event["parent"]))
        if body is not None:
            what = ffi.new("brRecordedBreak*", {
                "frame": len(self) - 1, "body": body, "pieces": int(event["piece_count"]), "point": event["point"].tolist(),
                "energy": float(event["energy"]), "stress": float(event["stress"])})  # fmt: skip
            self._must(lib.brRecording_AddBreak(self._pointer, what))

    def _parents(self) -> Dict[int, int]:
        """Every body that ever was, by id."""
        found: Dict[int, int] = self.__dict__.setdefault("_ever", {})
        return found

    def _must(self, is_done: Any) -> None:
        if not is_done:
            raise _call.OutOfMemoryError("there is no memory for another frame")

    # Reading one

    def __len__(self) -> int:
        """Number of frames."""
        return int(self._pointer.frameCount)

    @property
    def frame_rate(self) -> float:
        """[1/s]"""
        return float(self._pointer.frameRate)

    @property
    def duration(self) -> float:
        """[s]"""
        return max(len(self) - 1, 0) / self.frame_rate

    def _table(self, member: str, count: str, struct: str) -> Array:
        return _call.copied(getattr(self._pointer, member), getattr(self._pointer, count), _call.dtype_of(struct))

    @property
    def bodies(self) -> Array:
        """All bodies that ever were: name, mesh, parent, born_frame, gone_frame, kind (0 body, 1 piece, 2 ground)."""
        return self._table("bodies", "bodyCount", "brRecordedBody")

    @property
    def frames(self) -> Array:
        """Each frame: first_key, bodies, awake, contacts, kinetic [J], potential [J]."""
        return self._table("frames", "frameCount", "brRecordedFrame")

    @property
    def breaks(self) -> Array:
        """Bodies that broke: frame, body, pieces, point [m], energy [J], stress [Pa]."""
        return self._table("breaks", "breakCount", "brRecordedBreak")

    def mesh(self, index: int) -> Mesh:
        """The mesh of that number; `bodies["mesh"]` says which body has which."""
        whole = _call.integer(index, "the number of a mesh")
        if not 0 <= whole < self._pointer.meshCount:
            raise IndexError(f"there is no mesh {whole}; there are {self._pointer.meshCount}")
        return Mesh._of(self._pointer.meshes[whole], (self._pointer, self._owner))

    def poses(self, frame: int) -> Floats:
        """(bodies, 7) position [m] and quaternion of each body in a frame; NaN where it is not there."""
        whole = _call.integer(frame, "frame")
        if not -len(self) <= whole < len(self):
            raise IndexError(f"there is no frame {whole}; there are {len(self)}")
        whole %= len(self)
        frames, bodies, keys = self.frames, self.bodies, self._table("keys", "keyCount", "brRecordedKey")
        keys = keys[: int(frames["first_key"][whole + 1]) if whole + 1 < len(self) else len(keys)]
        out = np.full((len(bodies), 7), np.nan)
        last = np.full(len(bodies), -1)
        np.maximum.at(last, keys["body"], np.arange(len(keys)))
        there = (last >= 0) & (bodies["born_frame"] <= whole) & (bodies["gone_frame"] > whole)
        pose = keys["pose"][last[there]]
        out[there, :3] = pose["position"] * float(lib.BR_RECORDING_UNIT)
        turn = pose["rotation"].astype(float)
        out[there, 3:] = turn / np.linalg.norm(turn, axis=1, keepdims=True)
        return out

    def save(self, path: PathLike, **options: Any) -> None:
        """Writes .brec, or a moving .glb or .usda that Blender and others open; y is up in these, as they want it."""
        name = _call.path_bytes(path)
        if Path(path).suffix.lower() == ".brec":
            with Call() as call:
                call.check_saved(lib.brSaveRecording(call.context, self._pointer, name, call.report))
            return
        definition = _call.definition("brSaveDef", {"y_up": True, "triangulate": True, **options}, "save")
        with Call() as call:
            assembly = self._assembly(call, True, lib.BR_RECORDING_NEAR)
            call.check_saved(lib.brSaveAssembly(call.context, assembly, name, definition, call.report))

    def _assembly(self, call: Call, with_ground: bool, key_tolerance: float = 0.0) -> Any:
        view = ffi.new("brRecordingView*", lib.brDefaultRecordingView())
        view.ground = with_ground
        view.keyTolerance = key_tolerance
        out, rounded = ffi.new("brAssembly**"), ffi.new("brRecording**")
        call.check(lib.brRoundRecording(call.context, self._pointer, rounded, call.report))  # as the program's files
        whole = ffi.gc(rounded[0], lib.brDestroyRecording)
        call.check(lib.brRecording_MakeAssembly(whole, call.context, view, out, call.report))
        return ffi.gc(out[0], lib.brDestroyAssembly)

    def picture(self, time: float = 0.0, width: int = 640, height: int = 480, *, progress: Progress = None, **options: Any) -> "Picture":
        """What is there at a time [s]; further options as of `brittle.picture`."""
        from .pictures import render

        with Call(progress) as call:
            return render(self._assembly(call, False), call, {"time": time, "width": width, "height": height, **options})

    def __reduce__(self) -> Tuple[Any, ...]:
        """As a .brec file holds it. The copy can be read and written; it takes no further frames of the world."""
        import tempfile

        with tempfile.TemporaryDirectory() as folder:
            self.save(Path(folder) / "recording.brec")
            return _recording_of, ((Path(folder) / "recording.brec").read_bytes(),)

    def _repr_html_(self) -> str:
        import base64

        title = repr(self)[1:-1]
        try:
            shots = [self.picture(share * self.duration, 240, 180, samples=8) for share in (0.1, 0.5, 1.0)]
        except _call.Error:
            return f"<div>{title}</div>"
        images = "".join(f'<img src="data:image/png;base64,{base64.b64encode(shot._repr_png_()).decode()}"/>' for shot in shots)
        return f"<div>{images}<div>{title}</div></div>"

    def __repr__(self) -> str:
        return f"<brittle.Recording: {len(self)} frames, {self._pointer.bodyCount} bodies, {self._pointer.breakCount} breaks>"


def _recording_of(data: bytes) -> Recording:
    out = ffi.new("brRecording**")
    with Call() as call:
        call.check(lib.brReadRecording(call.context, data, len(data), b"recording", out, call.report))
    return Recording.__new__(Recording)._take(ffi.gc(out[0], lib.brDestroyRecording), None)


def _transform(pose: Floats) -> Tuple[Tuple[float, ...], Tuple[float, ...]]:
    numbers = pose.tolist()
    return tuple(numbers[:3]), tuple(numbers[3:])


class Scene(_call.Unpicklable):
    """What is there, how it moves, what happens when. From a YAML or glTF file, a string of YAML, or a dict.

    >>> scene = brittle.Scene.load("scenes/wine_glass.yaml", duration=1)
    >>> scene = brittle.Scene({"models": {...}, "bodies": [...]})          # docs/scene.md has all keys
    >>> run = scene.run()
    >>> run.recording.save("glass.glb")

    Args:
        source: A dict, or YAML as a string.
        folder: Where mesh files and includes are looked for; the current one by default.
        changes: "models.glass.res=48" each, as of `brittle run --set`.
    """

    def __init__(self, source: Union[Mapping[str, Any], str], *, folder: PathLike = ".", changes: Sequence[str] = ()) -> None:
        if isinstance(source, Path) or (isinstance(source, str) and "\n" not in source and source.endswith((".yaml", ".yml", ".glb", ".gltf"))):
            raise InputError(f"{source} names a file: Scene.load reads it")
        if isinstance(source, str):
            text = source
        elif isinstance(source, Mapping):
            text = _as_yaml(source)
        else:
            raise TypeError(f"a scene is a dict or a string of YAML, not {_call.shown(source)}")
        data = text.encode("utf-8")
        name = _call.path_bytes(Path(folder) / "scene.yaml", "folder")
        out, (edits, kept) = ffi.new("brScene**"), _changes(changes)
        with Call() as call:
            call.check(lib.brReadScene(call.context, data, len(data), name, edits, out, call.report))
        self._pointer, self._kept = ffi.gc(out[0], lib.brDestroyScene), kept

    @classmethod
    def load(cls, path: PathLike, *changes: str, **values: Any) -> "Scene":
        """Reads a .yaml, .glb or .gltf file. Changes are "path=value", or `duration=2` for keys at the top."""
        name, out = _call.path_bytes(path), ffi.new("brScene**")
        edits, kept = _changes([*changes, *(f"{key}={json.dumps(value)}" for key, value in values.items())])
        with Call() as call:
            call.check(lib.brLoadScene(call.context, name, edits, out, call.report))
        scene = cls.__new__(cls)
        scene._pointer, scene._kept = ffi.gc(out[0], lib.brDestroyScene), kept
        return scene

    @property
    def title(self) -> str:
        return _call.text_of(self._pointer.title)

    @property
    def duration(self) -> float:
        """[s]"""
        return float(self._pointer.duration)

    @property
    def frame_rate(self) -> float:
        """[1/s]"""
        return float(self._pointer.frameRate)

    @property
    def names(self) -> List[str]:
        """Names of the bodies."""
        return [_call.text_of(self._pointer.bodies[i].name) for i in range(self._pointer.bodyCount)]

    def start(self, *, workers: Optional[int] = None) -> "Run":
        """A run that has not begun: play its frames one by one."""
        return Run(self, workers=workers)

    def run(self, *, progress: Progress = None, workers: Optional[int] = None) -> "Run":
        """Plays it to the end."""
        return Run(self, workers=workers).play(progress=progress)

    def __repr__(self) -> str:
        return f"<brittle.Scene: {self._pointer.bodyCount} bodies for {self.duration:g} s>"


class Run(_call.Unpicklable):
    """A scene as it is played.

    >>> run = scene.start()
    >>> for frame in run:
    ...     print(frame, len(run.world), run.world.energy.kinetic)
    """

    def __init__(self, scene: Scene, *, workers: Optional[int] = None, checkpoint: Optional[PathLike] = None) -> None:
        if not isinstance(scene, Scene):
            raise TypeError(f"scene is a brittle.Scene, not {_call.shown(scene)}")
        self._scene, self._team = scene, _call.team(workers)
        out = ffi.new("brRun**")
        with Call(workers=self._team) as call:
            if checkpoint is None:
                call.check(lib.brCreateRun(call.context, scene._pointer, out, call.report))
            else:
                name = _call.path_bytes(checkpoint)
                call.check(lib.brRestoreRun(call.context, scene._pointer, name, out, call.report))
        self._pointer = ffi.gc(out[0], lib.brDestroyRun)
        self._world = World.__new__(World)._take(lib.brRun_GetWorld(self._pointer), self._team, self)

    def _live(self) -> Any:
        if self._pointer is None:
            raise StaleError("this run is closed")
        return self._pointer

    def close(self) -> None:
        """Frees it now, with its world and its recording."""
        with self._world._lock:
            self._world._pointer = None
            if self._pointer is not None and not self.__dict__.get("_is_lent"):
                ffi.release(self._pointer)
            self._pointer = None

    def __enter__(self) -> "Run":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def frame(self) -> int:
        """Plays one frame and returns its number."""
        report = ffi.new("brReport*")
        with self._world._lock:
            pointer = self._live()
            result = lib.brRun_PlayFrame(pointer, report)
            if result < 0:
                raise _call.failure(result, report)
            return int(lib.brRun_GetFrameCount(pointer))

    def play(self, *, progress: Progress = None) -> "Run":
        """Plays what is left. Ctrl-C stops between frames; what was played stays."""
        bar = _call.progress_function(progress)
        total = max(int(lib.brRun_GetFrameTotal(self._live())), 1)
        try:
            for frame in self:
                if bar is not None and bar(frame / total) is True:
                    raise _call.CanceledError("the progress function said stop")
        finally:
            if bar is not None:
                bar(np.inf)
        return self

    def __iter__(self) -> Iterator[int]:
        while not self.is_done:
            yield self.frame()

    def __len__(self) -> int:
        """Frames played so far, not counting the first pose."""
        return int(lib.brRun_GetFrameCount(self._live()))

    @property
    def is_done(self) -> bool:
        """The duration of the scene has been played."""
        return bool(lib.brRun_IsDone(self._live()))

    @property
    def world(self) -> World:
        """To look at between frames; the run's."""
        self._live()
        return self._world

    @property
    def recording(self) -> Recording:
        """The frames so far; it keeps the run."""
        self._is_lent = True
        return Recording.__new__(Recording)._take(lib.brRun_GetRecording(self._live()), (self, self._pointer))

    @property
    def steps(self) -> Array:
        """One row for each step: time, bodies, breaks, kinetic, potential, energy_in and where it went, mass..."""
        with self._world._lock:
            count = ffi.new("int32_t*")
            memory = lib.brRun_GetSteps(self._live(), count)
            return _call.copied(memory, count[0], _call.dtype_of("brRunStep"))

    @property
    def break_count(self) -> int:
        """Bodies that broke so far."""
        return int(lib.brRun_GetBreakCount(self._live()))

    @property
    def piece_count(self) -> int:
        """Pieces made so far."""
        return int(lib.brRun_GetPieceCount(self._live()))

    def save_checkpoint(self, path: PathLike) -> None:
        """Everything needed to go on later: `Run(scene, checkpoint=path)`."""
        name = _call.path_bytes(path)
        with self._world._lock, Call() as call:
            call.check(lib.brRun_SaveCheckpoint(self._live(), call.context, name, call.report))

    def __repr__(self) -> str:
        return f"<brittle.Run: {len(self)} frames, {self.break_count} breaks, {self.piece_count} pieces>"


def _as_yaml(source: Mapping[str, Any]) -> str:
    """JSON is YAML. Arrays of numpy become lists."""

    def plain(value: Any) -> Any:
        if isinstance(value, (np.ndarray, np.generic)):
            return value.tolist()
        if isinstance(value, Path):
            return str(value)
        if isinstance(value, Mapping):
            return dict(value)
        raise TypeError(f"a scene cannot hold {_call.shown(value)}")

    try:
        return json.dumps(dict(source), default=plain, allow_nan=False)
    except ValueError:
        raise InputError("a scene holds a number that is not finite") from None


def _changes(items: Sequence[str]) -> Tuple[Any, Any]:
    for item in items:
        if not isinstance(item, str) or "=" not in item:
            raise InputError(f"a change is 'path=value', not {_call.shown(item)}")
    array, kept = _call.strings(items)
    edits = ffi.new("brSceneChanges*", {"count": len(items), "items": array})
    return edits, (edits, array, kept)

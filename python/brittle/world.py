# SPDX-License-Identifier: MIT
"""Rigid bodies in contact, some of which break."""

from __future__ import annotations

import os
import threading
from typing import Any, Dict, Iterator, List, Optional, Sequence, Tuple

import numpy as np
import numpy.typing as npt

from . import _call, _records
from ._call import Array, Call, InputError, StaleError, Vector, ffi, lib
from .material import AnyMaterial, Material
from .mesh import Floats, Mesh, as_mesh

Ids = npt.NDArray[np.uint64]


class Shape:
    """What a body collides with; constant, for any number of bodies and worlds.

    >>> ball = brittle.Shape.sphere(0.1)
    >>> brick = brittle.Shape.box((0.12, 0.06, 0.03))        # half the edges [m]
    >>> rock = brittle.Shape.mesh(brittle.Mesh.load("rock.ply"))
    """

    def __init__(self, kind: str, look: Optional[Mesh] = None, points: Any = None, mesh: Optional[Mesh] = None, **sizes: Any) -> None:
        number = _call.choice(kind, "brShapeKind", "kind")
        definition = _call.definition("brShapeDef", sizes, "a shape", number)
        if points is not None:
            cloud = _call.array_of(points, "f8", 3, "points")
            definition.points, definition.pointCount = _call.pointer(cloud, "brDVec3*"), len(cloud)
        if mesh is not None:
            definition.mesh = mesh._pointer
        out = ffi.new("brShape**")
        with Call() as call:
            call.check(lib.brCreateShape(call.context, definition, out, call.report))
        self._pointer = ffi.gc(out[0], lib.brDestroyShape)
        self._made = (kind, look, points, mesh, sizes)
        self.look = look  # a mesh for recordings and pictures, or None

    def __reduce__(self) -> Tuple[Any, ...]:
        return _shape_of, self._made

    @classmethod
    def sphere(cls, radius: float) -> "Shape":
        """A ball around the origin. [m]"""
        size = _call.number(radius, "radius")
        return cls("sphere", radius=size, look=_ball(size))

    @classmethod
    def box(cls, half_extents: Vector) -> "Shape":
        """A box around the origin; half its edges. [m]"""
        half = _call.vec3(half_extents, "half_extents")
        corners = np.array([[x, y, z] for z in (-1, 1) for y in (-1, 1) for x in (-1, 1)]) * half
        faces = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]]
        return cls("box", half_extents=half, look=Mesh(corners, faces))

    @classmethod
    def capsule(cls, radius: float, half_length: float) -> "Shape":
        """A segment along z with a radius. [m]"""
        size, half = _call.number(radius, "radius"), _call.number(half_length, "half_length")
        ball = _ball(size)
        if ball is not None and np.isfinite(half):
            places = np.array(ball.positions)
            places[:, 2] += np.where(places[:, 2] > 0.0, half, -half)
            ball = Mesh(places, ball.corners, starts=ball.starts)
        return cls("capsule", radius=size, half_length=half, look=ball)

    @classmethod
    def hull(cls, points: Any) -> "Shape":
        """The smallest convex solid around points, (n, 3). [m]"""
        return cls("hull", points=points)

    @classmethod
    def mesh(cls, mesh: Any, *, keep_mesh: bool = False) -> "Shape":
        """The solid within a closed mesh. One that is nearly convex becomes a hull unless `keep_mesh`."""
        solid = as_mesh(mesh)
        return cls("mesh", mesh=solid, look=solid, keep_mesh=keep_mesh)

    @classmethod
    def surface(cls, mesh: Any) -> "Shape":
        """The front of a mesh that may be open. For static bodies only."""
        sheet = as_mesh(mesh)
        return cls("surface", mesh=sheet, look=sheet)

    @classmethod
    def half_space(cls, normal: Vector = (0.0, 0.0, 1.0), offset: float = 0.0) -> "Shape":
        """Everything behind a plane; its normal points out of the solid. For static bodies only. [m]"""
        return cls("half_space", normal=normal, offset=offset)

    @property
    def kind(self) -> str:
        """What it has become: a mesh that is convex enough is a "hull"."""
        return _call.enum_names("brShapeKind")[int(lib.brShape_GetKind(self._pointer))]

    def mass(self, density: float) -> _records.MassProperties:
        """Mass, center and inertia for a density. [kg/m^3]"""
        return _call.record(_records.MassProperties, lib.brShape_ComputeMass(self._pointer, _call.number(density, "density")))

    def __repr__(self) -> str:
        return f"<brittle.Shape: {self.kind}>"


def _shape_of(kind: str, look: Optional[Mesh], points: Any, mesh: Optional[Mesh], sizes: Dict[str, Any]) -> Shape:
    return Shape(kind, look, points, mesh, **sizes)


def _ball(radius: float) -> Optional[Mesh]:
    """How a sphere looks; None if the size will be refused anyway."""
    if not 1e-4 <= radius <= 1e6:
        return None
    ball = Mesh.model("icosphere")
    lower, upper = ball.bounds
    return ball.transform(translate=-0.5 * (lower + upper)).transform(scale=2.0 * radius / float(upper[2] - lower[2]))


class Body:
    """A body of a world, by its id. It becomes stale when the body is removed or breaks; see `is_alive`."""

    __slots__ = ("world", "_id", "id")

    def __init__(self, world: "World", key: int) -> None:
        self.world = world
        self.id = _call.integer(key, "the id of a body", 0, 2**64 - 1)
        slot = self.id & 0xFFFFFFFF
        self._id = (slot if slot < 2**31 else 0, self.id >> 32)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Body) and other.id == self.id and other.world is self.world

    def __hash__(self) -> int:
        return hash(self.id)

    def __repr__(self) -> str:
        return f"<brittle.Body {self._id[0] - 1}{'' if self.is_alive else ': gone'}>"

    def _get(self, function: Any) -> Any:
        world = self.world
        with world._lock:
            pointer = world._live()
            if not lib.brWorld_IsBody(pointer, self._id):
                raise StaleError(f"body {self._id[0] - 1} is gone: it was removed, or it broke")
            return function(pointer, self._id)

    def _set(self, function: Any, *values: Any) -> None:
        with self.world._lock:
            pointer = self.world._live()
            if not function(pointer, self._id, *values):
                self._get(lib.brWorld_IsBody)
                raise InputError("the world refused this: a value is out of range, or not for this kind of body")

    @property
    def is_alive(self) -> bool:
        """The body still exists."""
        with self.world._lock:
            pointer = self.world._pointer
            return bool(pointer and lib.brWorld_IsBody(pointer, self._id))

    @property
    def position(self) -> Floats:
        """Origin of the axes in which its shape or mesh was made. [m]"""
        pose = self._get(lib.brWorld_GetPose)
        p = pose.p  # lies in the pose, which must stay
        return np.array((p.x, p.y, p.z))

    @position.setter
    def position(self, value: Vector) -> None:
        self.pose = np.array([*_call.vec3(value, "position"), *self.rotation])

    @property
    def rotation(self) -> Floats:
        """Quaternion x, y, z, w."""
        pose = self._get(lib.brWorld_GetPose)
        q = pose.q
        return np.array((q.x, q.y, q.z, q.w))

    @rotation.setter
    def rotation(self, value: Vector) -> None:
        self.pose = np.array([*self.position, *_call.quaternion(value, "rotation")])

    @property
    def pose(self) -> Floats:
        """(7,) position and quaternion."""
        pose = self._get(lib.brWorld_GetPose)
        p, q = pose.p, pose.q
        return np.array((p.x, p.y, p.z, q.x, q.y, q.z, q.w))

    @pose.setter
    def pose(self, value: Vector) -> None:
        numbers = _call.numbers(value, 7, "pose")
        self._set(lib.brWorld_SetPose, (numbers[:3], _call.quaternion(numbers[3:], "pose[3:]")))

    @property
    def matrix(self) -> Floats:
        """(4, 4) from the axes of its mesh to the world."""
        from .mesh import _affine

        out = np.eye(4)
        out[:3, :3], out[:3, 3] = _affine(None, self.position, self.rotation, None)
        return out

    @property
    def center(self) -> Floats:
        """Center of mass. [m]"""
        return _call.vector(self._get(lib.brWorld_GetCenter))

    @property
    def velocity(self) -> Floats:
        """Of the center of mass. [m/s]"""
        return _call.vector(self._get(lib.brWorld_GetVelocity))

    @velocity.setter
    def velocity(self, value: Vector) -> None:
        self._set(lib.brWorld_SetVelocity, _call.vec3(value, "velocity"), tuple(self.spin))

    @property
    def spin(self) -> Floats:
        """Angular velocity. [rad/s]"""
        return _call.vector(self._get(lib.brWorld_GetSpin))

    @spin.setter
    def spin(self, value: Vector) -> None:
        self._set(lib.brWorld_SetVelocity, tuple(self.velocity), _call.vec3(value, "spin"))

    @property
    def mass(self) -> float:
        """[kg]"""
        return float(self._get(lib.brWorld_GetMass))

    @mass.setter
    def mass(self, value: float) -> None:
        self._set(lib.brWorld_SetMass, _call.number(value, "mass"))

    @property
    def kind(self) -> str:
        """ "static", "kinematic" or "dynamic"."""
        return _call.enum_names("brBodyKind")[int(self._get(lib.brWorld_GetKind))]

    @property
    def is_awake(self) -> bool:
        """It moves, or may move in the next step."""
        return bool(self._get(lib.brWorld_IsAwake))

    @property
    def bounds(self) -> Floats:
        """(2, 3) box around it in the world. [m]"""
        box = self._get(lib.brWorld_GetBounds)
        return np.array((_call.vector(box.lower), _call.vector(box.upper)))

    @property
    def mesh(self) -> Optional[Mesh]:
        """Its mesh in the axes of its pose: a copy for what breaks, the look of its shape for others, or None."""
        with self.world._lock:
            found = self._get(lib.brWorld_GetMesh)
            if not found:
                return self.world._looks.get(self.id)
            out = ffi.new("brMesh**")
            with Call() as call:
                call.check(lib.brCopyMesh(call.context, found, out, call.report))
            return Mesh._of(out[0])

    @property
    def material(self) -> Optional[Material]:
        """Of what breaks; else None."""
        with self.world._lock:
            found = self._get(lib.brWorld_GetMaterial)
            return _call.record(Material, found) if found else None

    @property
    def parent(self) -> int:
        """Id of the body that this is a piece of; 0 for bodies of your own."""
        return _call.body_key(self._get(lib.brWorld_GetParent))

    @property
    def generation(self) -> int:
        """0 for bodies of your own, 1 for their pieces, and so on."""
        return int(self._get(lib.brWorld_GetGeneration))

    @property
    def strength(self) -> float:
        """Tension at which it breaks; infinite if it never does. [Pa]"""
        return float(self._get(lib.brWorld_GetStrength))

    @property
    def utilization(self) -> float:
        """How near the hardest blow so far came to breaking it: 0.5 is half the load."""
        return float(self._get(lib.brWorld_GetUtilization))

    @property
    def cluster_pieces(self) -> int:
        """Pieces of its cluster that still hold together; 0 for other bodies."""
        return int(self._get(lib.brWorld_GetClusterPieceCount))

    @property
    def cluster_bonds(self) -> int:
        """Bonds of its cluster that still hold; 0 for other bodies."""
        return int(self._get(lib.brWorld_GetClusterBondCount))

    @property
    def user_data(self) -> int:
        """A number of your own; pieces get that of the body that they broke from."""
        return int(self._get(lib.brWorld_GetUserData))

    @user_data.setter
    def user_data(self, value: int) -> None:
        self._set(lib.brWorld_SetUserData, _call.integer(value, "user_data", 0, 2**64 - 1))

    def push(self, impulse: Vector, point: Optional[Vector] = None) -> None:
        """An impulse [N s] at a point of the world [m]; at the center of mass by default."""
        place = tuple(self.center) if point is None else _call.vec3(point, "point")
        self._set(lib.brWorld_ApplyImpulse, _call.vec3(impulse, "impulse"), place)

    def twist(self, impulse: Vector) -> None:
        """An angular impulse about the center of mass. [N m s]"""
        self._set(lib.brWorld_ApplyAngularImpulse, _call.vec3(impulse, "impulse"))

    def shatter(self, point: Vector, direction: Vector, energy: float) -> None:
        """Breaks it in the next step as if it were hit there [m] along `direction`; cracks may cost `energy` [J]."""
        place, way = _call.vec3(point, "point"), _call.vec3(direction, "direction")
        self._set(lib.brWorld_BreakBody, place, way, _call.number(energy, "energy"))

    def remove(self) -> None:
        """Takes it out of the world, with its joints."""
        self._set(lib.brWorld_DestroyBody)


class Joint:
    """A joint of a world; stale when it is removed or breaks."""

    __slots__ = ("world", "_id", "id")

    def __init__(self, world: "World", key: int) -> None:
        self.world, self.id = world, key
        self._id = (key & 0xFFFFFFFF, key >> 32)

    @property
    def is_alive(self) -> bool:
        """It still holds."""
        with self.world._lock:
            return bool(lib.brWorld_IsJoint(self.world._live(), self._id))

    def remove(self) -> None:
        """Lets go."""
        with self.world._lock:
            if not lib.brWorld_DestroyJoint(self.world._live(), self._id):
                raise StaleError("this joint is gone: it was removed, or it broke")


class World:
    """Rigid bodies in contact; those added with `add_breakable` break where they are hit.

    >>> world = brittle.World()
    >>> world.add_ground()
    >>> vase = world.add_breakable(brittle.Mesh.model("vase"), "porcelain", position=(0, 0, 1.5))
    >>> while not len(world.breaks):
    ...     world.step()
    >>> pieces = [brittle.Body(world, key) for key in world.break_pieces]

    The same calls give the same bits for any number of workers. Threads may share a world: calls wait for a step of
    another thread. Pickling or copying a world saves its whole state. `with brittle.World() as world:` frees it at
    the end.

    Args:
        gravity: [m/s^2]
        workers: Threads of its own for a step; None: the team of all calls. 1 is best for many worlds in threads.
    """

    def __init__(self, *, gravity: Vector = (0.0, 0.0, -9.81), workers: Optional[int] = None, **options: Any) -> None:
        definition = _call.definition("brWorldDef", {"gravity": gravity, **options}, "World")
        team = _call.team(workers)
        out = ffi.new("brWorld**")
        with Call(workers=team) as call:
            call.check(lib.brCreateWorld(call.context, definition, out, call.report))
        self._take(ffi.gc(out[0], lib.brDestroyWorld), team)

    def _take(self, pointer: Any, team: Any, owner: Any = None) -> "World":
        self._pointer, self._team, self._owner = pointer, team, owner
        self._pid = os.getpid()
        self._lock = threading.RLock()
        self._looks: Dict[int, Mesh] = {}
        self._report = ffi.new("brReport*")
        return self

    def _live(self) -> Any:
        pointer = self._pointer
        if pointer is None:
            raise StaleError("this world is closed")
        return pointer

    def close(self) -> None:
        """Frees it now. Every later use raises StaleError."""
        with self._lock:
            if self._pointer is not None and self._owner is None:
                ffi.release(self._pointer)
            self._pointer = None

    def __enter__(self) -> "World":
        self._live()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # Bodies in

    @_call.with_options("brBodyDef")
    def add(self, shape: Shape, *, position: Vector = (0.0, 0.0, 0.0), rotation: Vector = (0.0, 0.0, 0.0, 1.0),
            kind: str = "dynamic", mesh: Optional[Mesh] = None, **options: Any) -> Body:  # fmt: skip
        """Adds a body that does not break.

        Args:
            shape: What it collides with.
            position: [m]
            rotation: Quaternion x, y, z, w.
            kind: "dynamic", "static" or "kinematic".
            mesh: How it looks in recordings; by default as its shape.
        """
        if not isinstance(shape, Shape):
            raise TypeError(f"shape is a brittle.Shape, not {_call.shown(shape)}")
        definition = _body(position, rotation, {"kind": kind, **options})
        definition.shape = shape._pointer
        with self._lock:
            key = self._key(lib.brWorld_CreateBody(self._live(), definition, self._report))
            look = shape.look if mesh is None else as_mesh(mesh)
            if look is not None:
                self._looks[key] = look
        return Body(self, key)

    def add_ground(self, height: float = 0.0, *, friction: float = 0.5, restitution: float = 0.0) -> Body:
        """Static ground without end, z up. [m]"""
        plane = Shape.half_space((0.0, 0.0, 1.0), height)
        return self.add(plane, kind="static", friction=friction, restitution=restitution)

    @_call.with_options("brBreakDef", "material")
    def add_breakable(self, mesh: Any, material: AnyMaterial = "glass", *, position: Vector = (0.0, 0.0, 0.0),
                      rotation: Vector = (0.0, 0.0, 0.0, 1.0), velocity: Vector = (0.0, 0.0, 0.0),
                      spin: Vector = (0.0, 0.0, 0.0), kind: str = "dynamic", shape: Optional[Shape] = None,
                      body: Optional[Dict[str, Any]] = None, **options: Any) -> Body:  # fmt: skip
        """Adds a body that breaks where it is hit hard enough.

        Args:
            mesh: A closed mesh in the axes of its pose. [m]
            material: What it is made of.
            position: [m]
            rotation: Quaternion x, y, z, w.
            velocity: [m/s]
            spin: [rad/s]
            kind: "dynamic", "static" or "kinematic".
            shape: What it collides with; by default made from the mesh.
            body: Further options of `add`, such as {"rolling": 0.01}.
        """
        solid = as_mesh(mesh)
        definition = _body(position, rotation, {"velocity": velocity, "spin": spin, "kind": kind, **(body or {})})
        definition.shape = shape._pointer if shape is not None else ffi.NULL
        breaking = _call.definition("brBreakDef", {"material": material, **options}, "add_breakable")
        breaking.mesh = solid._pointer
        with self._lock:
            return Body(self, self._key(lib.brWorld_CreateBreakable(self._live(), definition, breaking, self._report)))

    def add_cluster(self, mesh: Any, material: AnyMaterial = "concrete", *, position: Vector = (0.0, 0.0, 0.0),
                    rotation: Vector = (0.0, 0.0, 0.0, 1.0), sites: Any = None, anchors: Sequence[Any] = (),
                    bond_strength: float = 1.0, body: Optional[Dict[str, Any]] = None, **options: Any) -> Body:  # fmt: skip
        """Adds an object that is cut beforehand and moves as one as long as the bonds between its pieces hold.

        Args:
            mesh: A closed mesh. [m]
            material: What it is made of.
            position: [m]
            rotation: Quaternion x, y, z, w.
            sites: (k, 3) one for each piece, in the axes of the mesh; by default by `pattern` and `pieces`. [m]
            anchors: Boxes (lower, upper): pieces with their center in one do not move. [m]
            bond_strength: Factor on the tensile strength for bonds; below 1 for mortar.
            body: Further options of `add`.
            options: As of `add_breakable`.
        """
        solid = as_mesh(mesh)
        definition = _body(position, rotation, body or {})
        cluster = _call.definition("brClusterDef", {"bond_strength": bond_strength}, "add_cluster")
        breaking = _call.definition("brBreakDef", {"material": material, **options}, "add_cluster")
        breaking.mesh = solid._pointer
        cluster.breaking = breaking[0]
        points = None if sites is None else _call.array_of(sites, "f8", 3, "sites")
        boxes = ffi.new("brDBox3[]", [_call.box_of(box, "anchors") for box in anchors])
        if points is not None:
            cluster.sites, cluster.siteCount = _call.pointer(points, "brDVec3*"), len(points)
        cluster.anchors, cluster.anchorCount = boxes if len(boxes) else ffi.NULL, len(boxes)
        with self._lock:
            return Body(self, self._key(lib.brWorld_CreateCluster(self._live(), definition, cluster, self._report)))

    def _key(self, struct: Any) -> int:
        if struct.index1 == 0:
            raise _call.failure(self._report.code or lib.br_errorMisuse, self._report)
        return _call.body_key(struct)

    @_call.with_options("brJointDef")
    def join(self, a: Body, b: Body, kind: str = "ball", *, anchor: Vector, **options: Any) -> Joint:
        """Joins two bodies at a point of the world [m].

        Args:
            a: A body; one of the two may be static.
            b: Another.
            kind: "ball", "hinge" or "fixed".
            anchor: The point that is held. [m]
        """
        definition = _call.definition("brJointDef", {"kind": kind, "anchor": anchor, **options}, "join")
        definition.bodyA, definition.bodyB = self._own(a), self._own(b)
        with self._lock:
            return Joint(self, self._key(lib.brWorld_CreateJoint(self._live(), definition, self._report)))

    def _own(self, body: Body) -> Tuple[int, int]:
        if not isinstance(body, Body):
            raise TypeError(f"a body is a brittle.Body, not {_call.shown(body)}")
        if body.world is not self:
            raise InputError("this body is of another world")
        return body._id

    # Steps

    def step(self, dt: float = 1.0 / 60.0, steps: int = 1) -> "World":
        """Advances by `dt` [s], `steps` times. Events are those of the last step. Ctrl-C stops between steps."""
        length = _call.number(dt, "dt")
        for _ in range(_call.integer(steps, "steps", 0)):
            with self._lock:
                pointer = self._live()
                if self._pid != os.getpid() and self._team.pointer:
                    raise InputError("this world has worker threads that a forked process does not have: "
                                     "make it with workers=1, or send it by pickle")  # fmt: skip
                result = lib.brWorld_Step(pointer, length, self._report)
                if result < 0:
                    raise _call.failure(result, self._report)
        return self

    # All bodies at once, in the order of `ids`

    @property
    def ids(self) -> Ids:
        """(n,) of all bodies. `brittle.Body(world, key)` is the body."""
        with self._lock:
            pointer = self._live()
            out = np.empty(lib.brWorld_GetBodyCount(pointer), np.uint64)
            lib.brWorld_GetBodies(pointer, _call.pointer(out, "brBodyId*"), len(out))
        return out

    @property
    def bodies(self) -> List[Body]:
        """All bodies."""
        return [Body(self, key) for key in self.ids.tolist()]

    def __len__(self) -> int:
        """Number of bodies."""
        with self._lock:
            return int(lib.brWorld_GetBodyCount(self._live()))

    def __bool__(self) -> bool:
        return True

    def __iter__(self) -> Iterator[Body]:
        return iter(self.bodies)

    @property
    def poses(self) -> Floats:
        """(n, 7) position [m] and quaternion x, y, z, w of all bodies."""
        return self.poses_into(None)

    def poses_into(self, out: Optional[Floats]) -> Floats:
        """As `poses`, into an array of yours that has room; the part that was filled comes back."""
        with self._lock:
            pointer = self._live()
            if out is None:
                out = np.empty((lib.brWorld_GetBodyCount(pointer), 7))
            elif not isinstance(out, np.ndarray):
                raise TypeError(f"out is an array, not {_call.shown(out)}")
            elif out.dtype != np.float64 or out.ndim != 2 or out.shape[1] != 7 or not out.flags.c_contiguous:
                raise InputError("out is a C-ordered array of float64 with 7 columns")
            elif not out.flags.writeable:
                raise InputError("out is read-only")
            count = lib.brWorld_GetPoses(pointer, _call.pointer(out, "brTransform*"), len(out))
        if count > len(out):
            raise InputError(f"out has room for {len(out)} bodies; there are {count}")
        return out if count == len(out) else out[:count]

    @property
    def states(self) -> Array:
        """(n,) of all bodies: id, kind, is_awake, pose, center, velocity, spin, mass."""
        with self._lock:
            pointer = self._live()
            out: Array = np.empty(lib.brWorld_GetBodyCount(pointer), _call.dtype_of("brBodyState"))
            lib.brWorld_GetStates(pointer, _call.pointer(out, "brBodyState*"), len(out))
        return out

    # Events of the last step

    def _events(self, function: Any, struct: str) -> Array:
        with self._lock:
            count = ffi.new("int32_t*")
            memory = function(self._live(), count)
            return _call.copied(memory, count[0], _call.dtype_of(struct))

    @property
    def breaks(self) -> Array:
        """Bodies that broke in the last step: parent, other, point, speed, ratio, force, energy, area, piece_count..."""
        return self._events(lib.brWorld_GetBreakEvents, "brBreakEvent")

    @property
    def break_pieces(self) -> Ids:
        """Ids of the pieces made in the last step; `first_piece` and `piece_count` of `breaks` say whose."""
        return self._events(lib.brWorld_GetBreakPieces, "brBodyId")

    @property
    def contact_events(self) -> Array:
        """Pairs that began or ceased to touch, or hit hard (`event_impulse`): body_a, body_b, point, impulse..."""
        return self._events(lib.brWorld_GetContactEvents, "brContactEvent")

    @property
    def body_events(self) -> Array:
        """Bodies that were made, removed, fell asleep...: kind (see `body_event_kinds`), id, joint."""
        return self._events(lib.brWorld_GetBodyEvents, "brBodyEvent")

    body_event_kinds: Dict[int, str] = dict(sorted(_call.enum_names("brBodyEventKind").items()))

    @property
    def contacts(self) -> Array:
        """All contact points as the last step left them: body_a, body_b, point, normal, separation, impulse."""
        with self._lock:
            pointer = self._live()
            count = lib.brWorld_GetContactPlaces(pointer, (0, 0), ffi.NULL, 0)
            out: Array = np.empty(count, _call.dtype_of("brContactPlace"))
            lib.brWorld_GetContactPlaces(pointer, (0, 0), _call.pointer(out, "brContactPlace*"), count)
        return out

    # Questions

    def cast_ray(self, origin: Vector, direction: Vector, reach: float = np.inf) -> Optional[_records.RayHit]:
        """The first body that a ray meets within `reach` [m], or None; `hit.body` is an id."""
        hit = ffi.new("brRayHit*")
        start, way, far = _call.vec3(origin, "origin"), _call.vec3(direction, "direction"), _call.number(reach, "reach")
        if not any(way) or not far > 0.0:
            raise InputError("a ray has a direction that is not zero, and a reach above 0")
        with self._lock:
            found = lib.brWorld_CastRay(self._live(), start, way, far, ffi.NULL, hit)
        return _call.record(_records.RayHit, hit) if found else None

    def cast_rays(self, origins: Any, directions: Any, reach: Any = np.inf) -> Array:
        """Many rays at once: fields body (0: nothing was hit), point, normal, distance [m]."""
        starts, ways = _call.array_of(origins, "f8", 3, "origins"), _call.array_of(directions, "f8", 3, "directions")
        if len(starts) != len(ways):
            raise InputError(f"there are {len(starts)} origins and {len(ways)} directions")
        rays: Array = np.empty(len(starts), _call.dtype_of("brRay"))
        rays["origin"], rays["direction"] = starts, ways
        rays["reach"] = np.broadcast_to(np.asarray(reach, "f8"), len(starts))
        out: Array = np.zeros(len(starts), _call.dtype_of("brRayHit"))
        with self._lock:
            memory = _call.pointer(out, "brRayHit*")
            lib.brWorld_CastRays(self._live(), _call.pointer(rays, "brRay*"), len(rays), ffi.NULL, memory)
        return out

    def cast_shape(self, shape: Shape, position: Vector, way: Vector, rotation: Vector = (0, 0, 0, 1)) -> Optional[_records.ShapeHit]:
        """The first body that a shape meets when it moves from `position` along `way` [m], or None."""
        pose = (_call.vec3(position, "position"), _call.quaternion(rotation, "rotation"))
        hit = ffi.new("brShapeHit*")
        with self._lock:
            found = lib.brWorld_CastShape(self._live(), shape._pointer, pose, _call.vec3(way, "way"), ffi.NULL, hit)
        return _call.record(_records.ShapeHit, hit) if found else None

    def overlaps(self, shape: Shape, position: Vector, rotation: Vector = (0, 0, 0, 1)) -> Ids:
        """Ids of the bodies that a shape would overlap at a place [m]."""
        pose = (_call.vec3(position, "position"), _call.quaternion(rotation, "rotation"))
        with self._lock:
            pointer = self._live()
            out = np.empty(lib.brWorld_GetBodyCount(pointer), np.uint64)
            count = lib.brWorld_FindOverlaps(pointer, shape._pointer, pose, ffi.NULL, _call.pointer(out, "brBodyId*"), len(out))
        return out[:count].copy()

    def nearest(self, point: Vector, reach: float = 1e9) -> Optional[_records.NearestBody]:
        """The body nearest to a point, no farther than `reach` [m], or None. Its distance is negative inside."""
        found = ffi.new("brNearestBody*")
        place, far = _call.vec3(point, "point"), _call.number(reach, "reach")
        with self._lock:
            is_found = lib.brWorld_FindNearest(self._live(), place, far, ffi.NULL, found)
        return _call.record(_records.NearestBody, found) if is_found else None

    # State

    @property
    def energy(self) -> _records.WorldEnergy:
        """Kinetic and potential energy [J], momentum and angular momentum of all dynamic bodies."""
        with self._lock:
            return _call.record(_records.WorldEnergy, lib.brWorld_ComputeEnergy(self._live()))

    @property
    def stats(self) -> _records.StepStats:
        """Counts and times of the last step."""
        with self._lock:
            return _call.record(_records.StepStats, lib.brWorld_GetStats(self._live()))

    @property
    def break_stats(self) -> _records.BreakStats:
        """Counts of breaking in the last step, and sums over all."""
        with self._lock:
            return _call.record(_records.BreakStats, lib.brWorld_GetBreakStats(self._live()))

    def set_gravity(self, gravity: Vector) -> None:
        """From the next step on; wakes all bodies. [m/s^2]"""
        with self._lock:
            lib.brWorld_SetGravity(self._live(), _call.vec3(gravity, "gravity"))

    @_call.with_options("brBreakBudget")
    def set_break_budget(self, **options: Any) -> None:
        """Limits on breaking, so that a step stays short."""
        budget = _call.definition("brBreakBudget", options, "set_break_budget")
        with self._lock:
            result = lib.brWorld_SetBreakBudget(self._live(), budget, self._report)
            if result < 0:
                raise _call.failure(result, self._report)

    @property
    def hash(self) -> int:
        """Of everything that decides what happens next: equal hashes, equal futures."""
        with self._lock:
            return int(lib.brWorld_ComputeHash(self._live()))

    def save(self) -> bytes:
        """The whole state, for the same build of the library. `World.restore` goes on exactly from there."""
        with self._lock:
            pointer = self._live()
            size = lib.brWorld_Save(pointer, ffi.NULL, 0)
            out = ffi.new("uint8_t[]", size)
            lib.brWorld_Save(pointer, out, size)
        return bytes(ffi.buffer(out))

    @classmethod
    def restore(cls, state: bytes, *, workers: Optional[int] = None) -> "World":
        """Makes a world that goes on exactly as the saved one would have. A damaged state is refused."""
        if not isinstance(state, (bytes, bytearray, memoryview)):
            raise TypeError(f"a saved state is bytes, not {_call.shown(state)}")
        team = _call.team(workers)
        out = ffi.new("brWorld**")
        data = ffi.from_buffer(state)
        with Call(workers=team) as call:
            call.check(lib.brRestoreWorld(call.context, data, len(data), out, call.report))
        return cls.__new__(cls)._take(ffi.gc(out[0], lib.brDestroyWorld), team)

    def copy(self) -> "World":
        """Another world in the same state."""
        return _restore(self.save(), dict(self._looks))

    __copy__ = copy

    def __deepcopy__(self, _: Any) -> "World":
        return self.copy()

    def __reduce__(self) -> Tuple[Any, ...]:
        return _restore, (self.save(), self._looks)

    def __repr__(self) -> str:
        return "<brittle.World: closed>" if self._pointer is None else f"<brittle.World: {len(self)} bodies>"

    def _placed(self) -> List[Tuple[Mesh, Any]]:
        """Every body that has a mesh, where it is."""
        out = []
        for body in self.bodies:
            mesh = body.mesh
            if mesh is not None:
                out.append((mesh.transform(body.matrix), (0.0, 0.0, 0.0)))
        return out

    def picture(self, width: int = 640, height: int = 480, **options: Any) -> Any:
        """A picture of all bodies as they are; see `brittle.picture`."""
        from .pictures import picture

        return picture(self._placed(), width, height, **options)

    def _repr_html_(self) -> str:
        from .pictures import show_html

        return show_html(self._placed(), repr(self)[1:-1]) if len(self) else repr(self)[1:-1]


def _restore(state: bytes, looks: Dict[int, Mesh]) -> World:
    world = World.restore(state)
    world._looks.update(looks)
    return world


def _body(position: Vector, rotation: Vector, options: Dict[str, Any]) -> Any:
    definition = _call.definition("brBodyDef", options, "a body")
    definition.pose = (_call.vec3(position, "position"), _call.quaternion(rotation, "rotation"))
    return definition



# SPDX-License-Identifier: MIT
"""A hundred ways to call wrongly. Each gives an exception with a sentence, and the process lives."""

import copy
import datetime
import pickle

import numpy as np
import pytest
from conftest import tetrahedron

import brittle
from brittle import Body, ElasticBody, ImpactModel, Material, Mesh, Picture, Recording, Run, Scene, Shape, TetMesh, World

P, F = tetrahedron()
NAN, INF = float("nan"), float("inf")


def solid():
    return Mesh(P, F)


def hollow():
    return Mesh(P, F[:3])


def world():
    w = World(workers=1)
    w.add_ground()
    return w


def body():
    return world().add(Shape.sphere(0.1), position=(0, 0, 1))


def tets():
    return TetMesh(P, [[0, 1, 2, 3]])


def elastic():
    return ElasticBody(tets())


class Unmade(Mesh):
    """A subclass that forgets to call __init__."""

    def __init__(self):
        pass


class Grown(Mesh):
    """A subclass that is fine."""


def masked():
    return np.ma.masked_array(P, mask=[[True, False, False]] + [[False] * 3] * 3)


def removed():
    b = body()
    b.remove()
    return b


def other_worlds():
    a = body()
    return a.world.join(a, body(), anchor=(0, 0, 0))


CASES = [
    # Arrays of a mesh: types, shapes, values
    ("positions as text", lambda: Mesh("abc", F), TypeError, "positions is an array of numbers"),
    ("positions as objects", lambda: Mesh([[None, 0, 0]], F), TypeError, "positions is an array of numbers"),
    ("positions complex", lambda: Mesh(P * 1j, F), TypeError, "positions is an array of numbers"),
    ("positions as dates", lambda: Mesh(np.zeros((4, 3), "M8[s]"), F), TypeError, "positions is an array of numbers"),
    ("positions as strings", lambda: Mesh(np.full((4, 3), "1"), F), TypeError, "positions is an array of numbers"),
    ("positions as records", lambda: Mesh(np.zeros(4, [("x", "f8")]), F), TypeError, "positions is an array of numbers"),
    ("positions ragged", lambda: Mesh([[0, 0, 0], [1, 0]], F), TypeError, "positions is an array of numbers"),
    ("positions None", lambda: Mesh(None, F), TypeError, "positions is an array of numbers"),
    ("positions flat", lambda: Mesh(P.ravel(), F), ValueError, r"shape \(n, 3\)"),
    ("positions in two columns", lambda: Mesh(P[:, :2], F), ValueError, r"shape \(n, 3\)"),
    ("positions transposed", lambda: Mesh(P.T, F), ValueError, r"shape \(n, 3\)"),
    ("positions in three dimensions", lambda: Mesh(P[None], F), ValueError, r"shape \(n, 3\)"),
    ("positions a number", lambda: Mesh(3.0, F), ValueError, r"shape \(n, 3\)"),
    ("positions masked", lambda: Mesh(masked(), F), ValueError, "masked"),
    ("positions NaN", lambda: Mesh(np.where(P == 1, NAN, P), F), ValueError, "finite"),
    ("positions infinite", lambda: Mesh(np.where(P == 1, INF, P), F), ValueError, "finite"),
    ("positions too large for double", lambda: Mesh(np.full((4, 3), 10**400, object), F), TypeError, "numbers"),
    ("no vertices", lambda: Mesh(np.empty((0, 3)), F), ValueError, "vert"),
    ("faces as floats", lambda: Mesh(P, F.astype(float)), TypeError, "faces is an array of whole numbers"),
    ("faces as bools", lambda: Mesh(P, F > 0), TypeError, "faces is an array of whole numbers"),
    ("faces as text", lambda: Mesh(P, "faces"), TypeError, "faces is an array of numbers"),
    ("faces of two corners", lambda: Mesh(P, F[:, :2]), ValueError, "three corners or more"),
    ("faces of none and three", lambda: Mesh(P, [[0, 1, 2], []]), ValueError, "."),
    ("faces out of range", lambda: Mesh(P, F + 1), ValueError, "4"),
    ("faces negative", lambda: Mesh(P, F - 1), ValueError, "-1"),
    ("faces beyond 32 bits", lambda: Mesh(P, F + 2**40), ValueError, "outside"),
    ("starts wrong", lambda: Mesh(P, F.ravel(), starts=[0, 3]), ValueError, "starts begins with 0"),
    ("starts falling", lambda: Mesh(P, F.ravel(), starts=[0, 6, 3, 12]), ValueError, "."),
    ("uvs too few", lambda: Mesh(P, F, uvs=np.zeros((3, 2))), ValueError, "uvs has 3 rows where 12"),
    ("colors of three", lambda: Mesh(P, F, colors=np.zeros((4, 3))), ValueError, r"shape \(n, 4\)"),
    ("face materials without materials", lambda: Mesh(P, F, face_materials=[0, 0, 0, 9]), ValueError, "material"),
    ("materials of nothing", lambda: Mesh(P, F, materials=[5]), TypeError, "SurfaceMaterial or a dict"),
    ("materials with a wrong name", lambda: Mesh(P, F, materials=[{"colour": 1}]), TypeError, "no option 'colour'"),
    ("groups as numbers", lambda: Mesh(P, F, groups=[1]), TypeError, "string"),
    # Meshes
    ("no mesh", lambda: Mesh.of(5), TypeError, "vertices and faces"),
    ("half a mesh", lambda: Mesh.of(type("Half", (), {"vertices": P, "faces": None})()), TypeError, "vertices and faces"),
    ("unmade subclass", lambda: solid().cut(Unmade()), ValueError, "never made"),
    ("unknown model", lambda: Mesh.model("teapot_of_doom"), ValueError, "vase"),
    ("model by number", lambda: Mesh.model(3), TypeError, "name"),
    ("unknown parameter", lambda: Mesh.model("vase", wheels=4), ValueError, "has no 'wheels'"),
    ("parameter out of range", lambda: Mesh.model("vase", height=-1), ValueError, "goes from"),
    ("parameter NaN", lambda: Mesh.model("vase", height=NAN), ValueError, "goes from"),
    ("resolution as text", lambda: Mesh.model("vase", "fine"), TypeError, "whole number"),
    ("file that is not there", lambda: Mesh.load("/nowhere/x.obj"), OSError, "nowhere"),
    ("file of no format", lambda: Mesh.load("/etc/passwd"), brittle.Error, "passwd"),
    ("path as number", lambda: Mesh.load(3), TypeError, "Path"),
    ("path with zero", lambda: Mesh.load("a\0b.obj"), ValueError, "zero character"),
    ("save to no folder", lambda: solid().save("/nowhere/x.obj"), OSError, "nowhere"),
    ("save with a wrong option", lambda: solid().save("x.obj", compress=True), TypeError, "no option 'compress'"),
    ("density of zero", lambda: solid().mass(0.0), ValueError, "above 0"),
    ("density NaN", lambda: solid().mass(NAN), ValueError, "above 0"),
    ("unknown material", lambda: solid().mass("unobtainium"), ValueError, "there is no material"),
    ("matrix of five", lambda: solid().transform(np.eye(5)), ValueError, "3 x 3"),
    ("matrix NaN", lambda: solid().transform(np.full((3, 3), NAN)), ValueError, "finite"),
    ("matrix and shift", lambda: solid().transform(np.eye(3), translate=(0, 0, 0)), ValueError, "not both"),
    ("quaternion of zero", lambda: solid().transform(rotate=(0, 0, 0, 0)), ValueError, "quaternion"),
    ("points in two columns", lambda: solid().contains([[0, 0]]), ValueError, r"shape \(n, 3\)"),
    ("mend with a wrong effort", lambda: solid().mend(effort="heroic"), ValueError, "'gentle'"),
    # Cutting and breaking
    ("cut an open mesh", lambda: hollow().cut_plane((0, 0, 0.2), (0, 0, 1)), ValueError, "edge|open"),
    ("plane without normal", lambda: solid().cut_plane((0, 0, 0), (0, 0, 0)), ValueError, "normal"),
    ("plane NaN", lambda: solid().cut_plane((0, NAN, 0), (0, 0, 1)), ValueError, "finite"),
    ("cut by a wrong op", lambda: solid().cut(solid(), "xor"), ValueError, "'union'"),
    ("boolean with a number", lambda: solid() | 5, TypeError, "unsupported operand"),
    ("union with an open mesh", lambda: solid() | hollow(), ValueError, "open|border|edge"),
    ("shatter an open mesh", lambda: hollow().shatter(3), ValueError, "open|closed|edge"),
    ("shatter into none", lambda: solid().shatter(0), ValueError, "from 1"),
    ("shatter into a half", lambda: solid().shatter(2.5), TypeError, "whole number"),
    ("shatter into True", lambda: solid().shatter(True), TypeError, "whole number"),
    ("shatter by a wrong pattern", lambda: solid().shatter(3, "stars"), ValueError, "'uniform'"),
    ("shatter with seed -1", lambda: solid().shatter(3, seed=-1), ValueError, "from 0"),
    ("sites of two columns", lambda: solid().shatter(sites=P[:, :2]), ValueError, r"shape \(n, 3\)"),
    ("sites NaN", lambda: solid().shatter(sites=P * NAN), ValueError, "finite"),
    ("no sites", lambda: solid().shatter(sites=np.empty((0, 3))), ValueError, "site"),
    ("groups too few", lambda: solid().shatter(sites=P, groups=[1]), ValueError, "groups has 1 rows where 4"),
    ("wrong option of shatter", lambda: solid().shatter(3, roughnes=0.1), TypeError, "roughness"),
    ("flag as number", lambda: solid().shatter(3, make_hulls=1), TypeError, "True or False"),
    ("stretch of two", lambda: solid().shatter(3, stretch=(1, 2)), ValueError, "3 numbers, not 2"),
    ("density function that fails", lambda: solid().sites(9, density=lambda p: 1 / 0), ZeroDivisionError, "."),
    ("density no function", lambda: solid().sites(9, density=0.5), TypeError, "function of a point"),
    ("blow without direction", lambda: solid().blow(direction=(0, 0, 0)), ValueError, "direction"),
    ("blow of text", lambda: solid().blow(energy="much"), TypeError, "number"),
    ("crack without a load", lambda: solid().crack("glass"), ValueError, "."),
    ("crack by a support of nothing", lambda: solid().crack("glass", supports=[5]), TypeError, "a support is a box"),
    ("crack by axes of w", lambda: solid().crack("glass", supports=[((P[0], P[1]), "w")]), ValueError, "letters of xyz"),
    ("material with a negative modulus", lambda: Material.preset("glass").replace(youngs_modulus=-1.0), ValueError, "."),
    ("material with a new number", lambda: Material.preset("glass").replace(colour=1), TypeError, "has no 'colour'"),
    ("impact on an open mesh", lambda: ImpactModel(hollow(), "glass"), ValueError, "."),
    ("drop nowhere", lambda: ImpactModel(solid(), "glass").drop((0, 0, 0)), ValueError, "direction"),
    # Tets and elastic bodies
    ("tets of three", lambda: TetMesh(P, [[0, 1, 2]]), ValueError, r"shape \(n, 4\)"),
    ("tets out of range", lambda: TetMesh(P, [[0, 1, 2, 9]]), ValueError, "9"),
    ("tets too many", lambda: solid().tet(10**12), ValueError, "from"),
    ("elastic of a surface", lambda: ElasticBody(solid()), TypeError, "TetMesh"),
    ("elastic of turned tets", lambda: ElasticBody(TetMesh(P, [[0, 2, 1, 3]])), ValueError, "tet"),
    ("stiffnesses too few", lambda: ElasticBody(tets(), stiffnesses=[1.0, 1.0]), ValueError, "stiffnesses has 2 rows"),
    ("support of a node that is not there", lambda: elastic().set_supports([7]), ValueError, "7"),
    ("forces without nodes", lambda: elastic().solve(forces=5), TypeError, "pair"),
    ("forces NaN", lambda: elastic().solve(forces=([0], [[NAN, 0, 0]])), ValueError, "finite"),
    ("fronts of no crack", lambda: elastic().fronts(0), IndexError, "there is no crack 0"),
    ("a wrong solver", lambda: elastic().solve(solver="magic"), ValueError, "'iterative'"),
    # Worlds
    ("gravity of two", lambda: World(gravity=(0, 0)), ValueError, "3 numbers"),
    ("gravity NaN", lambda: World(gravity=(0, 0, NAN)), ValueError, "finite"),
    ("wrong option of a world", lambda: World(gravityy=3), TypeError, "no option 'gravityy'"),
    ("substeps of a thousand", lambda: World(substeps=1000), ValueError, "substep|64|1 to"),
    ("workers of -1", lambda: World(workers=-1), ValueError, "from 0"),
    ("sphere of no size", lambda: Shape.sphere(0.0), ValueError, "."),
    ("sphere of text", lambda: Shape.sphere("big"), TypeError, "number"),
    ("flat hull", lambda: Shape.hull(P[:3]), ValueError, "."),
    ("shape of an open mesh", lambda: Shape.mesh(hollow()), ValueError, "."),
    ("body without a shape", lambda: world().add("box"), TypeError, "brittle.Shape"),
    ("body of negative density", lambda: world().add(Shape.sphere(1), density=-1.0), ValueError, "."),
    ("body of a wrong kind", lambda: world().add(Shape.sphere(1), kind="ghost"), ValueError, "'static'"),
    ("body turned by zero", lambda: world().add(Shape.sphere(1), rotation=(0, 0, 0, 0)), ValueError, "quaternion"),
    ("half-space that moves", lambda: world().add(Shape.half_space()), ValueError, "static|half"),
    ("breakable open mesh", lambda: world().add_breakable(hollow()), ValueError, "."),
    ("breakable of a wrong material", lambda: world().add_breakable(solid(), 5), TypeError, "Material"),
    ("step of zero", lambda: world().step(0.0), ValueError, "."),
    ("step of NaN", lambda: world().step(NAN), ValueError, "."),
    ("step of a date", lambda: world().step(datetime.date.today()), TypeError, "number"),
    ("step of text", lambda: world().step("0.1"), TypeError, "number"),
    ("pose of three", lambda: setattr(body(), "pose", (1, 2, 3)), ValueError, "7 numbers"),
    ("mass of zero", lambda: setattr(body(), "mass", 0.0), ValueError, "refused"),
    ("removed body", lambda: removed().position, LookupError, "gone"),
    ("removed twice", lambda: removed().remove(), LookupError, "gone"),
    ("joint across worlds", other_worlds, ValueError, "another world"),
    ("ray without direction", lambda: world().cast_ray((0, 0, 1), (0, 0, 0)), ValueError, "direction"),
    ("rays of two lengths", lambda: world().cast_rays(P, P[:2]), ValueError, "4 origins and 2 directions"),
    ("poses into floats", lambda: world().poses_into(np.empty((9, 7), "f4")), ValueError, "float64"),
    ("poses into little", lambda: world().poses_into(np.empty((0, 7))), ValueError, "room"),
    ("state of text", lambda: World.restore("state"), TypeError, "bytes"),
    ("state of rubbish", lambda: World.restore(b"rubbish" * 100), brittle.Error, "."),
    ("id of nothing", lambda: Body(world(), 12345).position, LookupError, "gone"),
    # Scenes, recordings, pictures, pairs
    ("scene of a list", lambda: Scene([1]), TypeError, "dict or a string"),
    ("scene with NaN", lambda: Scene({"duration": NAN}), ValueError, "finite"),
    ("scene with an object", lambda: Scene({"duration": object()}), TypeError, "cannot hold"),
    ("scene of broken YAML", lambda: Scene("bodies: ["), brittle.Error, "."),
    ("change without value", lambda: Scene({}, changes=["duration"]), ValueError, "path=value"),
    ("run of a dict", lambda: Run({}), TypeError, "brittle.Scene"),
    ("frame rate of zero", lambda: Recording(0), ValueError, "above 0"),
    ("frame that is not there", lambda: Recording().poses(3), IndexError, "there is no frame"),
    ("mesh that is not there", lambda: Recording().mesh(0), IndexError, "there is no mesh"),
    ("recording of rubbish", lambda: Recording.load("/etc/passwd"), brittle.Error, "passwd"),
    ("picture of no pixels", lambda: solid().picture(0, 0), ValueError, "16 to 16384"),
    ("progress of a number", lambda: solid().shatter(3, progress=3), TypeError, "progress is True"),
    ("piece that is not there", lambda: solid().shatter(3)[99], IndexError, "there is no piece"),
    ("piece by name", lambda: solid().shatter(3)["first"], TypeError, "whole number"),
    ("collide tets and meshes", lambda: brittle.collide(tets(), solid()), TypeError, "not both"),
    ("boxes inside out", lambda: brittle.collide_boxes(P + 1, P), ValueError, "."),
    ("boxes of two lengths", lambda: brittle.collide_boxes(P, P[:2]), ValueError, "rows"),
    ("ends too few", lambda: brittle.ccd(solid(), P[:2]), ValueError, "ends has 2 rows"),
    ("tolerance of zero", lambda: brittle.ccd(solid(), P, tolerance=0.0), ValueError, "toleranc"),
    ("unknown moving scene", lambda: brittle.moving_scene("opera", 1), ValueError, "cloth"),
    ("workers as text", lambda: brittle.set_workers("all"), TypeError, "whole number"),
    ("out as a list", lambda: world().poses_into([[0.0] * 7]), TypeError, "out is an array"),
    ("id as text", lambda: Body(world(), "a"), TypeError, "whole number"),
    ("negative id", lambda: Body(world(), -1), ValueError, "id of a body"),
    ("id of no slot", lambda: Body(world(), 0xFFFFFFFF).position, LookupError, "gone"),
    ("pickled pieces", lambda: pickle.dumps(solid().shatter(3)), TypeError, "its meshes can"),
    ("pickled piece", lambda: pickle.dumps(solid().shatter(3)[0]), TypeError, "its mesh can"),
    ("copied elastic body", lambda: copy.deepcopy(elastic()), TypeError, "neither pickled nor copied"),
    ("path as a scene", lambda: Scene("scenes/plates.yaml"), ValueError, "Scene.load"),
    ("picture to a folder", lambda: Picture(np.zeros((16, 16, 4), np.uint8)).save("/nowhere/p.png"), OSError, "nowhere"),
]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("call, kind, words", [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_wrong_input(call, kind, words):
    with pytest.raises(kind, match=words) as caught:
        call()
    assert len(str(caught.value)) > 8  # a sentence, not a code


def test_there_are_a_hundred():
    assert len(CASES) >= 100 and len({case[0] for case in CASES}) == len(CASES)


def test_subclasses_work():
    grown = Grown(P, F)
    assert isinstance(grown, Grown) and len(grown.shatter(3)) >= 1 and isinstance(Grown.model("box"), Grown)


def test_errors_carry_what_the_library_knows(tmp_path):
    path = tmp_path / "bad.obj"
    path.write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 9\n")
    with pytest.raises(brittle.FormatError) as caught:
        Mesh.load(path)
    assert caught.value.line == 4 and caught.value.code == "br_errorFormat" and "bad.obj:4" in str(caught.value)

# SPDX-License-Identifier: MIT
import copy
import gc
import pickle

import numpy as np
import pytest
from conftest import tetrahedron

import brittle


def test_arrays_in_and_out():
    positions, faces = tetrahedron()
    mesh = brittle.Mesh(positions, faces)
    assert mesh.volume == pytest.approx(1 / 6)
    assert (mesh.positions == positions).all() and (mesh.faces == faces).all() and (mesh.triangles == faces).all()
    assert mesh.positions.flags.c_contiguous and not mesh.positions.flags.writeable
    assert mesh.positions.base is not None  # a view, no copy
    with pytest.raises(ValueError):
        mesh.positions[0, 0] = 5


@pytest.mark.parametrize("dtype", ["f4", "f8", "i4", ">f8", "f2"])
@pytest.mark.parametrize("index", ["i4", "i8", "u2", "u8", ">i4"])
def test_any_number_type(dtype, index):
    positions, faces = tetrahedron()
    assert brittle.Mesh(positions.astype(dtype), faces.astype(index)).volume == pytest.approx(1 / 6)


def test_layouts_and_lists():
    positions, faces = tetrahedron()
    wide = np.zeros((4, 6))
    wide[:, ::2] = positions
    for points in (wide[:, ::2], np.asfortranarray(positions), positions.tolist(), positions[::-1][::-1]):
        assert brittle.Mesh(points, faces.tolist()).volume == pytest.approx(1 / 6)
    read_only = positions.copy()
    read_only.flags.writeable = False
    assert brittle.Mesh(read_only, faces).volume == pytest.approx(1 / 6)
    with pytest.warns(PendingDeprecationWarning):
        matrix = np.matrix(positions)
    assert brittle.Mesh(matrix, faces).volume == pytest.approx(1 / 6)


def test_polygons(box):
    assert box.faces.shape[1] == 4 and len(box.triangles) == 2 * len(box)
    mixed = brittle.Mesh([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0], [0.5, 0.5, 1]], [[3, 2, 1, 0], [0, 1, 4], [1, 2, 4], [2, 3, 4], [3, 0, 4]])
    assert mixed.is_solid and mixed.starts.tolist() == [0, 4, 7, 10, 13, 16]
    with pytest.raises(brittle.InputError, match="different numbers of corners"):
        mixed.faces
    assert mixed.triangle_faces.tolist() == [0, 0, 1, 2, 3, 4]


def test_attributes_survive_pickle_and_copy(vase):
    for twin in (pickle.loads(pickle.dumps(vase)), copy.deepcopy(vase)):
        assert (twin.positions == vase.positions).all() and (twin.corners == vase.corners).all()
        assert (twin.uvs == vase.uvs).all() and (twin.normals == vase.normals).all()
        assert [m.name for m in twin.materials] == [m.name for m in vase.materials]


def test_objects_with_vertices_and_faces():
    class Trimesh:
        vertices, faces = tetrahedron()

    assert brittle.Mesh.of(Trimesh()).volume == pytest.approx(1 / 6)
    assert len(brittle.collide(Trimesh(), brittle.Mesh.of(Trimesh()).transform(translate=(0.1, 0.1, 0.1)))) > 0


def test_arrays_outlive_their_mesh():
    def arrays():
        mesh = brittle.Mesh.model("vase", 24)
        pieces = mesh.shatter(20)
        return [mesh.positions, mesh.triangles, pieces[3].mesh.positions, pieces.bonds, mesh.cut_plane((0, 0, 0.1), (0, 0, 1))[0].face_parents]

    kept = arrays()
    before = [array.copy() for array in kept]
    gc.collect()
    rubbish = [brittle.Mesh.model("vase", 24).shatter(20) for _ in range(5)]
    assert all((a == b).all() for a, b in zip(kept, before))
    del rubbish


def test_files(tmp_path, vase):
    for ending in ("obj", "ply", "stl", "off", "glb"):
        vase.save(tmp_path / f"v.{ending}")
        assert brittle.Mesh.load(tmp_path / f"v.{ending}").volume == pytest.approx(vase.volume, rel=1e-4)
    brittle.save(tmp_path / "two.obj", {"a": vase, "b": vase.transform(translate=(1, 0, 0))})
    both = brittle.Mesh.load(str(tmp_path / "two.obj"))
    assert both.groups == ["a", "b"] and both.volume == pytest.approx(2 * vase.volume, rel=1e-6)


def test_check_mend_repair():
    positions, faces = tetrahedron()
    open_mesh = brittle.Mesh(positions, faces[:3])
    check = open_mesh.check()
    assert not check.is_solid and check.boundary_edges == 3 and "open" in check.verdict
    solid, info = open_mesh.mend()
    assert solid.is_solid and info.filled_holes == 1 and info.summary
    doubled = brittle.Mesh(np.concatenate([positions, positions]), np.concatenate([faces[:2], faces[2:] + 4]))
    repaired, counts = doubled.repair()
    assert counts.welded_vertices == 4 and repaired.is_solid


def test_booleans_and_cuts(box):
    other = box.transform(translate=(0.5, 0, 0))
    assert (box | other).volume == pytest.approx(1.5) and (box & other).volume == pytest.approx(0.5)
    assert (box - other).volume == pytest.approx(0.5)
    halves = box.cut_plane((0, 0, 0.25), (0, 0, 1))
    assert sorted((p.side, round(p.volume, 12)) for p in halves) == [(-1, 0.25), (1, 0.75)]
    assert set(halves[0].face_kinds.tolist()) <= {0, 1, 2} and halves.stats.volume_out == pytest.approx(1.0)
    assert len(box.cut([box.transform(scale=0.1, translate=(0.5, 0, 0.5)), other])) == 3
    assert len(brittle.Mesh.merge([box, box.transform(translate=(3, 0, 0))]).separate()) == 2


def test_transform(box):
    turn = box.transform(rotate=(0, 0, 1, 1), scale=2, translate=(1, 2, 3))
    matrix = np.array([[0, -2, 0, 1], [2, 0, 0, 2], [0, 0, 2, 3], [0, 0, 0, 1.0]])
    assert turn.positions == pytest.approx(box.transform(matrix).positions) and turn.volume == pytest.approx(8)


def test_mass(box):
    mass = box.mass(2.0)
    assert mass.mass == pytest.approx(2) and mass.inertia == pytest.approx(np.eye(3) / 3) and mass.center == pytest.approx([0, 0, 0.5])
    assert box.mass("glass").mass == pytest.approx(brittle.Material.preset("glass").density)


def test_points(box):
    points = np.array([[0, 0, 0.5], [2, 0, 0.5], [0.499, 0.499, 0.999]])
    assert box.contains(points).tolist() == [True, False, True]
    assert box.winding(points) == pytest.approx([1, 0, 1], abs=0.05)
    near = box.closest(points)
    assert near["distance"] == pytest.approx([0.5, 1.5, 0.001]) and near["point"][1] == pytest.approx([0.5, 0, 0.5])


def test_tets(box, tmp_path):
    tets = box.tet(3000)
    assert tets.volume == pytest.approx(1.0, rel=1e-3) and tets.info.edge > 0
    assert tets.surface().is_solid
    faces = tets.nodes[tets.boundary]
    assert np.einsum("ij,ij->", faces[:, 0], np.cross(faces[:, 1], faces[:, 2])) / 6 == pytest.approx(tets.volume)
    found = tets.locate([[0, 0, 0.5], [9, 9, 9]])
    assert found["tet"][0] >= 0 and found["tet"][1] == -1 and found["weights"][0].sum() == pytest.approx(1)
    tets.save(tmp_path / "t.msh")
    assert (brittle.TetMesh.load(tmp_path / "t.msh").tets == tets.tets).all()
    assert (pickle.loads(pickle.dumps(tets)).nodes == tets.nodes).all()


def test_shatter(vase):
    pieces = vase.shatter(30, seed=5, cluster_size=4, make_hulls=True)
    assert len(pieces) >= 30 and pieces.volumes.sum() == pytest.approx(vase.volume)
    assert all(piece.mesh.check(find_self_intersections=False).is_closed for piece in pieces[:5])
    assert pieces.masses == pytest.approx(1000 * pieces.volumes) and pieces.centers.shape == (len(pieces), 3)
    assert (pieces.bonds["pieces"][:, 0] < pieces.bonds["pieces"][:, 1]).all() and pieces.bonds["area"].min() > 0
    assert len(pieces.levels) > 0 and pieces.levels[0][0].shape == (len(pieces),) and pieces[0].hull.volume >= pieces[0].mesh.volume
    assert pieces[-1].site == pieces.sites[-1]
    same = vase.shatter(sites=vase.sites(30, seed=5))
    assert (same[4].mesh.positions == pieces[4].mesh.positions).all()


def test_sites_by_function_and_image(box):
    upper = box.sites(50, density=lambda p: 1.0 if p[2] > 0.5 else 0.0)
    assert (upper[:, 2] > 0.5).all()
    left = box.sites(50, image=np.array([[1.0, 0.0]] * 2), axis=(0, 1, 0))
    assert left[:, 0].mean() < 0


def test_blow_and_crack():
    pane = brittle.Mesh.model("pane", width=0.3, height=0.3, thickness=0.004)
    middle = pane.bounds.mean(axis=0)
    few, many = (len(pane.blow("glass", at=middle, direction=(0, -1, 0), energy=e)) for e in (0.01, 0.3))
    assert 1 <= few < many
    bar = brittle.Mesh.model("box", width=0.3, depth=0.03, height=0.03)
    cracks = bar.crack("plaster", forces=[((0, 0, 0.03), (0, 0, -2000.0))], tets=3000, keep_fronts=True,
                       supports=[((-0.2, -1, -0.01), (-0.13, 1, 0.004)), (((0.13, -1, -0.01), (0.2, 1, 0.004)), "yz")])  # fmt: skip
    assert len(cracks) >= 2 and cracks.volumes.sum() == pytest.approx(bar.volume)
    assert len(cracks.surfaces) == len(cracks.cracks) > 0 and len(cracks.fronts) > 0 and cracks.stats.peak_stress > 0
    weak = bar.crack("plaster", forces=[((0, 0, 0.03), (0, 0, -1e-3))], tets=3000, supports=[((-0.2, -1, -0.01), (-0.13, 1, 0.004))])
    assert len(weak) == 1 and weak.reason


def test_material():
    glass = brittle.Material.preset("glass")
    assert glass in {glass} and glass == brittle.Material.preset("glass") and "glass" in brittle.materials()
    weak = glass.replace(tensile_strength=1e7)
    assert weak != glass and weak.fracture_energy == glass.fracture_energy > 0
    strengths = glass.sample_strength(np.arange(4000))
    assert strengths.mean() == pytest.approx(glass.tensile_strength, rel=0.02) and strengths.std() > 0


def test_impact_model():
    model = brittle.ImpactModel(brittle.Mesh.model("plate"), "porcelain")
    strike = model.drop((1, 0, 0))
    limit = model.threshold_energy(strike)
    assert model.strike(strike.replace(energy=0.9 * limit)).ratio < 1 < model.strike(strike.replace(energy=1.1 * limit)).ratio
    assert model.drop_height((1, 0, 0)) == pytest.approx(limit / (strike.mass * 9.81))


def test_models_and_info():
    names = [info["name"] for info in brittle.models()]
    assert "vase" in names and brittle.models()[0]["parameters"][0].unit
    assert brittle.__version__ in brittle.info()


def test_notebooks(vase):
    pytest.importorskip("brittle")
    html = vase._repr_html_()
    assert "brittle.Mesh" in html
    if "data:image/png" in html:
        picture = vase.picture(64, 48, samples=1)
        assert np.asarray(picture).shape == (48, 64, 4) and picture._repr_png_()[:4] == b"\x89PNG"
        assert 20 < np.asarray(picture)[:, :, :3].mean() < 235
    assert "pieces" in vase.shatter(5)._repr_html_()

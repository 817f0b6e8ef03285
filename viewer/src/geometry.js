// Polygon meshes of a recording as triangles that WebGL draws: concave polygons cut into triangles, sharp edges kept sharp.

import * as THREE from "three";

const CREASE = Math.cos((35 * Math.PI) / 180);

// Newell's normal of one face, not normalized: its length is twice the area.
function faceNormal(mesh, face) {
	const { positions: p, corners, faceStarts } = mesh;
	const normal = new THREE.Vector3();
	const begin = faceStarts[face], end = faceStarts[face + 1];
	for (let c = begin; c < end; ++c) {
		const a = 3 * corners[c], b = 3 * corners[c + 1 < end ? c + 1 : begin];
		normal.x += (p[a + 1] - p[b + 1]) * (p[a + 2] + p[b + 2]);
		normal.y += (p[a + 2] - p[b + 2]) * (p[a] + p[b]);
		normal.z += (p[a] - p[b]) * (p[a + 1] + p[b + 1]);
	}
	return normal;
}

// Corner normals: of the faces around a vertex those that bend away by less than the crease.
function cornerNormals(mesh) {
	const faceCount = mesh.faceStarts.length - 1;
	const faces = Array.from({ length: faceCount }, (_, f) => faceNormal(mesh, f));
	const units = faces.map((n) => n.clone().normalize());
	const around = new Map();
	for (let f = 0; f < faceCount; ++f)
		for (let c = mesh.faceStarts[f]; c < mesh.faceStarts[f + 1]; ++c) {
			const v = mesh.corners[c];
			around.has(v) ? around.get(v).push(f) : around.set(v, [f]);
		}
	const normals = new Float32Array(3 * mesh.corners.length);
	const sum = new THREE.Vector3();
	for (let f = 0; f < faceCount; ++f)
		for (let c = mesh.faceStarts[f]; c < mesh.faceStarts[f + 1]; ++c) {
			sum.set(0, 0, 0);
			for (const g of around.get(mesh.corners[c])) if (units[f].dot(units[g]) > CREASE) sum.add(faces[g]);
			sum.normalize().toArray(normals, 3 * c);
		}
	return normals;
}

// Triangles of one face as corner numbers.
function triangulate(mesh, face) {
	const begin = mesh.faceStarts[face], size = mesh.faceStarts[face + 1] - begin;
	if (size === 3) return [[begin, begin + 1, begin + 2]];
	const normal = faceNormal(mesh, face);
	const ax = Math.abs(normal.x), ay = Math.abs(normal.y), az = Math.abs(normal.z);
	// Drop the axis along which the face is flattest, keeping its sense of rotation.
	const [u, v, sign] = az >= ax && az >= ay ? [0, 1, normal.z] : ax >= ay ? [1, 2, normal.x] : [2, 0, normal.y];
	const contour = Array.from({ length: size }, (_, i) => {
		const at = 3 * mesh.corners[begin + i];
		return new THREE.Vector2(mesh.positions[at + u], sign < 0 ? -mesh.positions[at + v] : mesh.positions[at + v]);
	});
	const triangles = THREE.ShapeUtils.triangulateShape(contour, []);
	return triangles.map((t) => t.map((i) => begin + i));
}

// One BufferGeometry with a group for each material.
export function makeGeometry(mesh) {
	const faceCount = mesh.faceStarts.length - 1;
	const normals = mesh.normals ?? cornerNormals(mesh);
	const byMaterial = new Map();
	for (let f = 0; f < faceCount; ++f) {
		const material = mesh.faceMaterials ? Math.max(mesh.faceMaterials[f], 0) : 0;
		if (!byMaterial.has(material)) byMaterial.set(material, []);
		const list = byMaterial.get(material);
		for (const triangle of triangulate(mesh, f)) list.push(...triangle);
	}
	const order = [...byMaterial.keys()].sort((a, b) => a - b);
	const total = order.reduce((n, m) => n + byMaterial.get(m).length, 0);
	const position = new Float32Array(3 * total), normal = new Float32Array(3 * total);
	const color = mesh.colors ? new Float32Array(3 * total) : null;
	const geometry = new THREE.BufferGeometry();
	let at = 0;
	for (const material of order) {
		const list = byMaterial.get(material);
		geometry.addGroup(at, list.length, order.indexOf(material));
		for (const c of list) {
			const v = mesh.corners[c];
			for (let k = 0; k < 3; ++k) {
				position[3 * at + k] = mesh.positions[3 * v + k];
				normal[3 * at + k] = normals[3 * c + k];
				if (color) color[3 * at + k] = mesh.colors[4 * v + k];
			}
			at += 1;
		}
	}
	geometry.setAttribute("position", new THREE.BufferAttribute(position, 3));
	geometry.setAttribute("normal", new THREE.BufferAttribute(normal, 3));
	if (color) geometry.setAttribute("color", new THREE.BufferAttribute(color, 3));
	geometry.computeBoundingSphere();
	return { geometry, materials: order.map((m) => mesh.materials[m] ?? null) };
}

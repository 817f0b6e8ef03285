// A peer for the benchmark of shattering: npm's manifold-3d, cell by cell.
//
//     node manifold_shatter.mjs MODEL.off CELLS.txt
//
// CELLS.txt has a line a Voronoi cell: the coordinates of its corners. Each cell becomes a solid by its hull and is intersected with the
// model. Prints seconds (median of three, making the model from arrays and reading all pieces included) and the sum of volumes.
// Cells are given, so the peer is spared the Voronoi diagram, and it makes no UVs, materials or bonds.

import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const roots = [join(here, '/'), join(here, '../../test/node/'), process.env.BRITTLE_NODE_ROOT ?? here];
const path = roots.map(root => join(root, 'node_modules/manifold-3d/manifold.js')).find(existsSync);
if (path === undefined) {
	console.error('manifold-3d is not installed: npm install in bench/peers');
	process.exit(1);
}
const Module = (await import(pathToFileURL(path))).default;
const wasm = await Module();
wasm.setup();

function readOff(file) {
	const words = readFileSync(file, 'utf8').split(/\s+/);
	const vertexCount = Number(words[1]), faceCount = Number(words[2]);
	const vertProperties = new Float32Array(3 * vertexCount), triVerts = new Uint32Array(3 * faceCount);
	let at = 4;
	for (let i = 0; i < 3 * vertexCount; ++i) vertProperties[i] = Number(words[at++]);
	for (let f = 0; f < faceCount; ++f) {
		at += 1;
		for (let k = 0; k < 3; ++k) triVerts[3 * f + k] = Number(words[at++]);
	}
	return { numProp: 3, vertProperties, triVerts };
}

const [modelFile, cellsFile] = process.argv.slice(2);
const mesh = readOff(modelFile);
const cells = readFileSync(cellsFile, 'utf8').trim().split('\n').map(line => {
	const v = line.split(' ').map(Number);
	return Array.from({ length: v.length / 3 }, (_, i) => [v[3 * i], v[3 * i + 1], v[3 * i + 2]]);
});
const times = [];
let volume = 0;
for (let run = 0; run < 3; ++run) {
	const start = performance.now();
	const model = new wasm.Manifold(new wasm.Mesh(mesh));
	volume = 0;
	let triangles = 0;
	for (const points of cells) {
		const cell = wasm.Manifold.hull(points);
		const piece = model.intersect(cell);
		volume += piece.volume();
		triangles += piece.getMesh().triVerts.length;
		cell.delete();
		piece.delete();
	}
	model.delete();
	times.push(performance.now() - start);
}
times.sort((x, y) => x - y);
console.log((times[1] / 1000).toFixed(6), volume.toPrecision(15));

// A peer for the benchmark of shattering: npm's manifold-3d, cell by cell.
//
//     node manifold_shatter.mjs MODEL.off CELLS.txt
//
// CELLS.txt has a line a Voronoi cell: the coordinates of its corners. Each cell becomes a solid by its hull and is intersected with the
// model. Prints seconds (median of three, making the model from arrays and reading all pieces included) and the sum of volumes.
// Cells are given, so the peer is spared the Voronoi diagram, and it makes no UVs, materials or bonds.

import { readFileSync } from 'node:fs';
import { readOff, wasm } from './manifold.mjs';

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

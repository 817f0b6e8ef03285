// A peer for the cutter's benchmark and oracle for its tests: npm's manifold-3d.
//
//     node manifold_cut.mjs union|intersection|difference|plane A.off B.off
//
// Prints seconds (median of five, making the solids from arrays and reading the result included) and the volume. The package is
// beside this file: bench/peers/install.

import { readOff, wasm } from './manifold.mjs';

const [op, fileA, fileB] = process.argv.slice(2);
const a = readOff(fileA), b = op === 'plane' ? null : readOff(fileB);
const times = [];
let volume = 0;
for (let run = 0; run < 6; ++run) {
	const start = performance.now();
	const A = new wasm.Manifold(new wasm.Mesh(a));
	let results;
	let B = null;
	if (op === 'plane') {
		const n = [0.3, 0.2, 1.0], l = Math.hypot(...n), p = [0.001, 0.002, 0.1];
		results = A.splitByPlane(n.map(x => x / l), (n[0] * p[0] + n[1] * p[1] + n[2] * p[2]) / l);
	} else {
		B = new wasm.Manifold(new wasm.Mesh(b));
		results = [op === 'union' ? A.add(B) : op === 'difference' ? A.subtract(B) : A.intersect(B)];
	}
	volume = 0;
	let triangles = 0;
	for (const r of results) {
		volume += r.volume();
		triangles += r.getMesh().triVerts.length;
	}
	if (run > 0) times.push(performance.now() - start);
	for (const r of results) r.delete();
	A.delete();
	if (B) B.delete();
}
times.sort((x, y) => x - y);
console.log((times[2] / 1000).toFixed(6), volume.toPrecision(15));

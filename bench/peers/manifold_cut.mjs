// A peer for the cutter's benchmark and oracle for its tests: npm's manifold-3d.
//
//     node manifold_cut.mjs union|intersection|difference|plane A.off B.off
//
// Prints seconds (median of five, making the solids from arrays and reading the result included) and the volume. The package is
// beside this file: bench/peers/install.

import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const path = join(here, 'node_modules/manifold-3d/manifold.js');
if (!existsSync(path)) {
	console.error('manifold-3d is not installed: bench/peers/install');
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

// npm's manifold-3d, which bench/peers/install puts beside this file, and what its peers read.

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
export const wasm = await Module();
wasm.setup();

export function readOff(file) {
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

// SPDX-License-Identifier: MIT

// Reads a USD text file with TinyUSDZ, composes its inherits, and compares what is under /root with what was expected.
//
//     node check_usda.mjs FILE [parts=8] [triangles=64] [samples=20]
//
// `parts` are Mesh prims, `triangles` what their polygons amount to, `samples` time samples of all attributes. Exit 1 if the file does not read or a number differs.

import fs from 'node:fs';

const [file, ...wanted] = process.argv.slice(2);
if (file === undefined) {
	console.error('usage: node check_usda.mjs FILE [parts=N] [triangles=N] [samples=N]');
	process.exit(2);
}

// The package is built for browsers and looks for `process` to refuse Node: it gets the wasm from here and a window instead.
const url = new URL('./node_modules/tinyusdz/', import.meta.url);
const wasmBinary = fs.readFileSync(new URL('tinyusdz.wasm', url));
const nodeProcess = globalThis.process;
globalThis.window = globalThis;
Object.defineProperty(globalThis, 'process', { value: undefined, configurable: true, writable: true });
let usd;
try {
	// Older Nodes go by the ending: a module that is called .js and does not say so is not one to them.
	const copy = new URL(`tinyusdz-${nodeProcess.pid}.mjs`, url);
	fs.copyFileSync(new URL('tinyusdz.js', url), copy);
	const init = (await import(copy.href)).default;
	fs.unlinkSync(copy);
	usd = await init({ wasmBinary });
} finally {
	globalThis.process = nodeProcess;
}

function fail(text) {
	console.log(`${file}: ${text}`);
	process.exit(1);
}

const loader = new usd.TinyUSDZLoaderNative();
if (!loader.loadAsLayerFromBinary(new Uint8Array(fs.readFileSync(file)), file)) {
	fail(`does not read: ${loader.error()}`);
}
const found = { parts: 0, triangles: 0, samples: 0 };
for (const block of loader.layerToString().matchAll(/\.timeSamples = \{([^}]*)\}/g)) {
	found.samples += block[1].split('\n').filter((line) => line.trim() !== '').length;
}
if (loader.hasInherits() && !loader.composeInherits()) {
	fail(`its inherits do not compose: ${loader.error()}`);
}
// Faces as they stand in the composed text: the reader's own triangulation passes over some polygons.
const path = [];
for (const line of loader.layerToString().split('\n')) {
	const prim = line.match(/^(\s*)(def|class|over) (\w+) "(\w+)"/);
	if (prim !== null) {
		path.length = prim[1].length / 4;
		path.push(prim[4]);
		found.parts += prim[3] === 'Mesh' && path[0] === 'root';
	}
	const counts = line.match(/int\[\] faceVertexCounts = \[(.*)\]/);
	if (counts !== null && path[0] === 'root') {
		found.triangles += counts[1].split(',').reduce((sum, size) => sum + Number(size) - 2, 0);
	}
}
if (!loader.layerToRenderScene()) {
	fail(`makes no scene: ${loader.error()}`);
}
for (const pair of wanted) {
	const [key, value] = pair.split('=');
	if (found[key] !== Number(value)) {
		fail(`${found[key]} ${key}, expected ${value}`);
	}
}
console.log(`${file}: ${found.parts} parts, ${found.triangles} triangles, ${found.samples} time samples`);

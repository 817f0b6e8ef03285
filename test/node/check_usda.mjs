// SPDX-License-Identifier: MIT

// Reads a USD text file with TinyUSDZ, composes its inherits, and compares what is under /root with what was expected.
//
//     node check_usda.mjs FILE [parts=8] [triangles=64] [samples=20] [joints=1]
//
// `parts` are Mesh prims, `triangles` what their polygons amount to, `samples` time samples of all attributes, `joints` those of
// UsdPhysics, whose bodies must be rigid bodies of the file that the joint's two frames put at one place in the world as it starts. Exit 1 if the file does not read or a number differs.

import fs from 'node:fs';

const [file, ...wanted] = process.argv.slice(2);
if (file === undefined) {
	console.error('usage: node check_usda.mjs FILE [parts=N] [triangles=N] [samples=N] [joints=N]');
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
const found = { parts: 0, triangles: 0, samples: 0, joints: 0 };
for (const block of loader.layerToString().matchAll(/\.timeSamples = \{([^}]*)\}/g)) {
	found.samples += block[1].split('\n').filter((line) => line.trim() !== '').length;
}
// What the file is laid over lies beside it.
const others = loader.extractSublayerAssetPaths();
for (let i = 0; i < others.length; i++) {
	loader.setAsset(others[i], new Uint8Array(fs.readFileSync(`${file.replace(/[^/]*$/, '')}${others[i]}`)));
}
if (others.length > 0 && !loader.composeSublayers()) {
	fail(`its sublayers do not compose: ${loader.error()}`);
}
if (loader.hasInherits() && !loader.composeInherits()) {
	fail(`its inherits do not compose: ${loader.error()}`);
}
// Faces as they stand in the composed text: the reader's own triangulation passes over some polygons.
const path = [];
const prims = new Map(); // by path: the lines of its own
for (const line of loader.layerToString().split('\n')) {
	const prim = line.match(/^(\s*)(def|class|over) (\w+) "(\w+)"/);
	if (prim !== null) {
		path.length = prim[1].length / 4;
		path.push(prim[4]);
		prims.set(`/${path.join('/')}`, { type: prim[3], lines: [] });
		found.parts += prim[3] === 'Mesh' && path[0] === 'root';
	}
	prims.get(`/${path.join('/')}`)?.lines.push(line);
	const counts = line.match(/int\[\] faceVertexCounts = \[(.*)\]/);
	if (counts !== null && path[0] === 'root') {
		found.triangles += counts[1].split(',').reduce((sum, size) => sum + Number(size) - 2, 0);
	}
}
for (const prim of prims.values()) {
	prim.numbers = (name) => {
		const at = prim.lines.findIndex((line) => line.includes(`${name} = (`) || line.includes(`${name}.timeSamples`));
		const line = at >= 0 && prim.lines[at].includes('timeSamples') ? prim.lines[at + 1].replace(/^.*:/, '') : prim.lines[at];
		return line === undefined ? null : line.match(/\(([^)]*)\)/)[1].split(',').map(Number);
	};
}
// v turned by q, which is w, x, y, z.
function turn([w, x, y, z], v) {
	const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
	const u = [x, y, z];
	const inner = cross(u, v).map((c, i) => c + w * v[i]);
	return cross(u, inner).map((c, i) => v[i] + 2 * c);
}
for (const [name, prim] of prims) {
	if (!/^Physics\w*Joint$/.test(prim.type)) {
		continue;
	}
	found.joints += 1;
	const ends = [0, 1].map((k) => {
		const line = prim.lines.find((text) => text.includes(`rel physics:body${k} = `));
		let place = prim.numbers(`physics:localPos${k}`);
		let axis = turn(prim.numbers(`physics:localRot${k}`), [1, 0, 0]);
		if (line !== undefined) {
			const body = prims.get(line.match(/<([^>]*)>/)[1]) ?? fail(`${name} holds what is not there: ${line.trim()}`);
			const orient = body.numbers('xformOp:orient') ?? [1, 0, 0, 0];
			const origin = body.numbers('xformOp:translate') ?? [0, 0, 0];
			place = turn(orient, place).map((c, i) => c + origin[i]);
			axis = turn(orient, axis);
		}
		return { place, axis };
	});
	const apart = Math.hypot(...ends[0].place.map((c, i) => c - ends[1].place[i]));
	const bent = Math.hypot(...ends[0].axis.map((c, i) => c - ends[1].axis[i]));
	if (!(apart < 1e-4 && bent < 1e-3)) {
		fail(`${name}: its two ends are ${apart} m apart and its axes differ by ${bent}`);
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

// What a frame of many moving pieces costs the page's processor: node viewer/speed.mjs [PIECES]
//
// Pieces of a hundred triangles each, all of which move in every frame, shown as a live world's are. Calls of the graphics card are
// counted and left out: the rest is what the page itself does for a frame, on one thread.

import { build } from "esbuild";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { browser } from "./testing.mjs";

const count = Number(process.argv[2] ?? 3000);
const src = join(dirname(fileURLToPath(import.meta.url)), "src");
const page = `
import { LiveShow } from "${src}/live.js";
import { Stage } from "${src}/stage.js";

let calls = 0;
for (const name of ["drawElements", "drawArrays", "drawElementsInstanced", "drawArraysInstanced"]) WebGL2RenderingContext.prototype[name] = () => (calls += 1);
const extension = WebGL2RenderingContext.prototype.getExtension;
WebGL2RenderingContext.prototype.getExtension = function (name) {
	const found = extension.call(this, name);
	if (name === "WEBGL_multi_draw" && found) found.multiDrawArraysWEBGL = found.multiDrawElementsWEBGL = () => (calls += 1);
	return found;
};

// A ball of 5 by 10 quads.
function makeShape() {
	const positions = [], corners = [], faceStarts = [0];
	for (let i = 0; i <= 5; ++i) for (let k = 0; k < 10; ++k) {
		const a = (Math.PI * (i + 0.2)) / 5.4, b = (2 * Math.PI * k) / 10;
		positions.push(0.01 * Math.sin(a) * Math.cos(b), 0.01 * Math.sin(a) * Math.sin(b), 0.01 * Math.cos(a));
	}
	for (let i = 0; i < 5; ++i) for (let k = 0; k < 10; ++k) {
		const next = (k + 1) % 10;
		corners.push(10 * i + k, 10 * i + 10 + k, 10 * i + 10 + next, 10 * i + next);
		faceStarts.push(corners.length);
	}
	const materials = [{ name: "marble", texture: "", color: [0.8, 0.8, 0.8, 1], metallic: 0, roughness: 0.5, emission: [0, 0, 0] }];
	return { positions: Float64Array.from(positions), corners: Uint32Array.from(corners), faceStarts: Uint32Array.from(faceStarts), colors: null, faceMaterials: null, normals: null, uvs: null, materials };
}

const stage = new Stage(document.querySelector("canvas"));
stage.pace.isFixed = true; // ambient occlusion stays
const show = new LiveShow({ dt: 1 / 60, unit: 1e-4, lower: [-1, -1, 0], upper: [1, 1, 2] });
stage.scene.add(show.object);
stage.frame(show.bounds, show.up);
let time = 0;
const frame = (born, moved) => ({ forget: false, time: (time += 1 / 60), bodies: ${count}, awake: ${count}, contacts: 0, pieces: ${count}, breaks: 1, stepSeconds: 0, detect: 0, solve: 0, break: 0, rate: 1, gone: [], born, moved });
const pose = (i) => Int32Array.from([(i % 50) * 300 - 7500, (Math.floor(i / 50) % 20) * 300, Math.floor(i / 1000) * 400, 0, 0, 0, 30000]);
const start = performance.now();
show.take(frame(Array.from({ length: ${count} }, (_, i) => ({ number: i + 1, kind: 1, id: [i + 1, 1], parent: 0, stress: 1, mesh: i + 1, shape: makeShape(), pose: pose(i), change: new Int32Array(7) })), []));
const bornIn = performance.now() - start;
const steps = Array.from({ length: ${count} }, (_, i) => ({ number: i + 1, steps: Int32Array.from([i % 3, 1, -(i % 2), i % 5, 0, 1, 0]) }));
const times = [];
for (let i = 0; i < 120; ++i) {
	calls = 0;
	const at = performance.now();
	show.take(frame([], steps));
	show.setTime();
	stage.draw();
	times.push(performance.now() - at);
}
times.sort((a, b) => a - b);
window.found = { bornIn, best: times[0], median: times[60], calls };
`;
const { outputFiles } = await build({ stdin: { contents: page, resolveDir: src }, bundle: true, write: false, target: "es2022", format: "iife" });
const tab = await browser.newPage();
await tab.setViewport({ width: 480, height: 300 });
await tab.setContent("<canvas style='width:480px;height:300px'></canvas>");
await tab.addScriptTag({ content: outputFiles[0].text });
const { bornIn, best, median, calls } = await tab.evaluate(() => window.found);
console.log(`${count} moving pieces: ${median.toFixed(1)} ms of the page a frame (best ${best.toFixed(1)}), ${calls} draw calls; all born in one frame: ${bornIn.toFixed(0)} ms`);
await browser.close();

// What a user gets: npm pack, installed in an empty folder, and the examples of its README run there in Node.
//
//     node web/test/install.mjs build-wasm/brittle [NODE...]
//
// By this Node.js and by each that is named. Without three.js (viewer/node_modules/three, which npm ci brings) the third example is left out.

import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { check, finish } from "./checks.mjs";

const folder = resolve(process.argv[2]), three = resolve("viewer/node_modules/three");
const place = mkdtempSync(join(tmpdir(), "brittle-install-"));
const npm = (...words) => execFileSync("npm", [...words, "--no-audit", "--no-fund", "--offline", "--loglevel=error"], { cwd: place, encoding: "utf8" });
const examples = [...readFileSync(join(folder, "README.md"), "utf8").matchAll(/```js\n(.*?)```/gs)].map(([, code]) => code);
check(`three examples (${examples.length})`, examples.length === 3);

function run(node, name, code) {
	writeFileSync(join(place, name), code);
	try {
		return execFileSync(node, [name], { cwd: place, encoding: "utf8" });
	} catch (error) {
		check(`${name} runs by ${node}: ${error.stderr}`, false);
		return "";
	}
}

writeFileSync(join(place, "package.json"), '{ "type": "module", "private": true }\n');
const [{ filename, files }] = JSON.parse(npm("pack", folder, "--json"));
npm("install", `./${filename}`);
check(`types, modules, license and README are in it (${files.map(({ path }) => path)})`,
	["brittle.d.ts", "three.d.ts", "brittle.wasm", "brittle-threads.wasm", "LICENSE", "README.md"].every((name) => files.some(({ path }) => path === name)));

function tryExamples(node) {
	rmSync(join(place, "vase.glb"), { force: true });
	run(node, "first.js", examples[0]);
	const bytes = existsSync(join(place, "vase.glb")) ? readFileSync(join(place, "vase.glb")) : Buffer.alloc(0);
	check(`the first writes a .glb (${bytes.length} bytes)`, bytes.length > 10000 && bytes.toString("latin1", 0, 4) === "glTF");

	// What the second and third expect around them: the module, a file of the visitor's, a scene and what draws it.
	const around = `import { loadBrittle } from "brittle";
import { File } from "node:buffer";
const brittle = await loadBrittle();
const whole = brittle.make("vase"), file = new File([brittle.write([whole], "stl")], "vase.stl");
`;
	const told = run(node, "second.js", `${around}{\n${examples[1]}}`);
	check(`the second tells of pieces (${told.trim()})`, /^[1-9]\d* pieces, [\d.]+ J/m.test(told));
	const threads = run(node, "threads.js", `import { loadBrittle } from "brittle";
const hashes = [];
for (const threads of [1, 3]) {
	const brittle = await loadBrittle(undefined, { threads }), vase = brittle.make("vase", { resolution: 16 }), world = brittle.world();
	world.add(vase, { position: [0, 0, 0.5], velocity: [0, 0, -8] });
	for (let i = 0; i < 30; ++i) world.step();
	hashes.push(brittle.threads, world.hash);
	brittle.close();
}
console.log(hashes.join(" "));
`).trim().split(" ");
	check(`three threads give the bits of one (${threads})`, threads[0] === "1" && threads[2] === "3" && threads[1] === threads[3]);

	if (!existsSync(three)) return console.log(`skipped the third example: there is no ${three}`);
	cpSync(three, join(place, "node_modules", "three"), { recursive: true });
	const drawing = `import * as THREE from "three";
const scene = new THREE.Scene(), camera = new THREE.PerspectiveCamera();
const renderer = { frames: 0, render() { this.frames += 1; }, setAnimationLoop(draw) { for (let i = 0; i < 60; ++i) draw(); } };
`;
	const shown = run(node, "third.js", `${drawing}${around}${examples[1].replaceAll("< 120", "< 20")}${examples[2]}console.log(group.children.length, renderer.frames);\n`);
	const [children, frames] = (shown.trim().split("\n").at(-1) ?? "").split(" ").map(Number);
	check(`the third follows pieces (${children} children, ${frames} frames)`, children > 1 && frames === 60);
}

for (const node of [process.execPath, ...process.argv.slice(3).map((path) => resolve(path))]) {
	console.log(`Node.js ${execFileSync(node, ["--version"], { encoding: "utf8" }).trim()}`);
	tryExamples(node);
}
rmSync(place, { recursive: true });
finish();

// Processor seconds of the module over those of the native library, one thread, warm, the best of five:
//     node web/test/speed.mjs build-wasm/brittle build-wasm/speed        (speed.c says how the second is made)

import { execFileSync } from "node:child_process";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { sceneOf } from "../scenes.mjs";

const [folder, native] = process.argv.slice(2);
const { loadBrittle } = await import(pathToFileURL(resolve(folder, "brittle.js")));
const brittle = await loadBrittle();
const freeAll = (list) => list.forEach((thing) => thing.free());
const jobs = {
	shatter: () => {
		const statue = brittle.make("statue", { resolution: 40 });
		freeAll([...statue.shatter({ pieces: 200, seed: 1 }), statue]);
	},
	crack: () => {
		const plate = brittle.make("plate", { resolution: 24 });
		freeAll([...plate.crack({ material: "porcelain", hit: [0, 0, plate.measures.upper[2]], impulse: [0, 0, -3], tets: 3000 }), plate]);
	},
	steps: () => {
		const scene = brittle.scene(sceneOf("plates")), run = scene.run();
		for (let i = 0; i < 120; ++i) run.playFrame();
		freeAll([run, scene]);
	},
};
const times = Object.fromEntries(execFileSync(native, { encoding: "utf8" }).trim().split("\n").map((line) => line.split(" ")));
for (const [name, job] of Object.entries(jobs)) {
	let best = Infinity;
	for (let i = 0; i < 5; ++i) {
		const start = process.cpuUsage();
		job();
		const used = process.cpuUsage(start);
		best = Math.min(best, (used.user + used.system) / 1e6);
	}
	console.log(`${name}: ${best.toFixed(3)} s, natively ${Number(times[name]).toFixed(3)} s: ${(best / times[name]).toFixed(2)} times`);
}

// The same bits as native: scenes that break, 300 steps each, played by the module in Node and by the program.
//
//     node web/test/hashes.mjs build-wasm/brittle build/brittle [SCENE...]
//
// Each by one thread and by three, on both sides. THREADS=1 leaves three of the module out.

import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { check, finish } from "./checks.mjs";
import { sceneOf } from "../scenes.mjs";

const [folder, program, ...wanted] = process.argv.slice(2);
const { loadBrittle } = await import(pathToFileURL(resolve(folder, "brittle.js")));
const scenes = wanted.length > 0 ? wanted : ["wine_glass", "plates", "pane", "piggy_bank", "bricks"];
const STEPS = 300;
const scratch = mkdtempSync(join(tmpdir(), "brittle-hashes-"));

const modules = [await loadBrittle()];
if (process.env.THREADS !== "1") modules.push(await loadBrittle(undefined, { threads: 3 }));
check(`three threads if they are asked for (${modules.at(-1).threads})`, modules.length === 1 || modules[1].threads === 3);

// 300 steps: the hash, breaks, and processor seconds.
function play(brittle, name) {
	const scene = brittle.scene(sceneOf(name)), run = scene.run();
	const { frameRate, stepsPerFrame } = scene.measures;
	const frames = Math.ceil(STEPS / stepsPerFrame), start = process.cpuUsage();
	for (let i = 0; i < frames; ++i) run.playFrame();
	const used = process.cpuUsage(start);
	const answer = { hash: run.hash, ...run.measures, duration: frames / frameRate, seconds: (used.user + used.system) / 1e6 };
	run.free(), scene.free();
	return answer;
}

for (const name of scenes) {
	const played = modules.map((brittle) => play(brittle, name)), { duration } = played[0];
	const words = ["run", `scenes/${name}.yaml`, "--time", String(duration), "--no-pictures", "--json", "-o", scratch, "--workers"];
	const [answer, byThree] = ["1", "3"].map((count) => JSON.parse(execFileSync(program, [...words, count], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] })));
	check(`${name} by 3 workers is the same natively (${byThree.hash})`, byThree.hash === answer.hash);
	played.forEach(({ hash, breaks, pieces, seconds }, i) => {
		const { threads } = modules[i];
		console.log(`${name}, ${threads} threads: ${hash} in Node, ${answer.hash} natively, ${breaks} breaks, ${pieces} pieces, ${seconds.toFixed(2)} s`);
		check(`${name} by ${threads} threads is the same as native`, hash === answer.hash);
		check(`${name} breaks`, breaks > 0 && breaks === answer.breaks);
	});
}
for (const brittle of modules) check(`nothing is left over (${brittle.thingCount})`, brittle.thingCount === 0);
modules.forEach((brittle) => brittle.close());
rmSync(scratch, { recursive: true });
finish();

// The same bits as native: scenes that break, 300 steps each, played by the module in Node and by the program.
//
//     node web/test/hashes.mjs build-wasm/brittle build/brittle [SCENE...]

import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
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

const brittle = await loadBrittle();
let native = 0, web = 0;
for (const name of scenes) {
	const scene = brittle.scene(sceneOf(name));
	const { frameRate, stepsPerFrame } = scene.measures;
	const frames = Math.ceil(STEPS / stepsPerFrame);
	let start = process.cpuUsage();
	const run = scene.run();
	for (let i = 0; i < frames; ++i) run.playFrame();
	const used = process.cpuUsage(start), seconds = (used.user + used.system) / 1e6;
	const { breaks, pieces } = run.measures;
	const words = ["run", `scenes/${name}.yaml`, "--time", String(frames / frameRate), "--workers", "1", "--no-pictures", "--json", "-o", scratch];
	start = process.resourceUsage();
	const answer = JSON.parse(execFileSync(program, words, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }));
	console.log(`${name}: ${run.hash} in Node, ${answer.hash} natively, ${breaks} breaks, ${pieces} pieces, ${seconds.toFixed(2)} s`, answer.seconds ?? "");
	check(`${name} is the same as native`, run.hash === answer.hash);
	check(`${name} breaks`, breaks > 0 && breaks === answer.breaks);
	run.free();
	scene.free();
	web += seconds;
}
check(`nothing is left over (${brittle.thingCount})`, brittle.thingCount === 0);
rmSync(scratch, { recursive: true });
finish();

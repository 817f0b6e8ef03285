// The playground in a real browser: node test_playground.mjs FOLDER PROGRAM
//
// FOLDER is what `make playground` made, PROGRAM the native brittle that reads what is saved.

import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { gzipSync } from "node:zlib";
import { sceneOf } from "../web/scenes.mjs";
import { serveFolder } from "../web/serve.mjs";
import { browser, check, checkForEverybody, comesTrue, finish, open, pixels, state } from "./testing.mjs";

const [folder, program] = process.argv.slice(2).map((path) => resolve(path));
const server = await serveFolder(folder);
const scratch = mkdtempSync(join(tmpdir(), "brittle-playground-"));
const pause = (ms) => new Promise((done) => setTimeout(done, ms));
const live = async (tab) => (await state(tab)).live;
const bodies = (tab) => tab.evaluate(() => window.brittle.bodies);
const until = async (tab, holds, ...given) => {
	if (!(await comesTrue(tab, holds, ...given))) throw new Error(`${holds} does not come true`);
};
const ready = (tab) => until(tab, () => window.brittle.state.live?.world?.bodies > 0 && window.brittle.state.live.status);
// What breaks: stands and posts are of another material.
const thingOf = async (tab) => {
	const stuff = await tab.$eval("#stuff", (e) => e.value);
	return (await bodies(tab)).filter(({ kind, material }) => kind === 0 && material.startsWith(stuff)).sort((a, b) => b.at[2] - a.at[2])[0];
};
const strike = async (tab) => {
	await until(tab, () => window.brittle.bodies.some(({ kind, material }) => kind === 0 && material.startsWith(document.getElementById("stuff").value)));
	const { x, y } = await thingOf(tab);
	await tab.mouse.click(Math.round(x), Math.round(y));
};
const size = [480, 300];

// What a visitor downloads, packed.
{
	const pack = (name) => gzipSync(readFileSync(join(folder, name)), { level: 9 }).length;
	const page = ["index.html", "worker.js", "helper.js"].reduce((sum, name) => sum + pack(name), 0);
	for (const name of ["brittle.wasm.gz", "brittle-threads.wasm.gz"]) {
		const bytes = page + statSync(join(folder, name)).size;
		check(`the page with ${name} is below 700 kB (${bytes})`, bytes < 700000);
	}
}

// With drawing left out (soon.mjs tells how soon).
{
	const tab = await open(server.address, 480, 300, "always");
	await ready(tab);
	check("threads, where the server lets pages share memory", (await live(tab)).threads > 1 || (await tab.evaluate(() => navigator.hardwareConcurrency)) === 1);
	await tab.close();
}

// A visitor breaks something at once.
let shared;
{
	const start = performance.now();
	const tab = await open(server.address, ...size);
	await ready(tab);
	const loaded = performance.now();
	check("a wine glass stands there, whole", (await live(tab)).world.pieces === 0 && (await live(tab)).role === "driving");
	check("a hint says what to do", await tab.$eval("#hint", (e) => e.checkVisibility() && /Click.*drag/.test(e.textContent)));
	const seen = await pixels(tab);
	check(`draws something (${JSON.stringify(seen)})`, seen.colors > 20 && seen.drawn > 0.1);
	await strike(tab);
	check("a click breaks it", await comesTrue(tab, () => window.brittle.state.live.world.pieces > 1));
	console.log(`there after ${(loaded - start).toFixed(0)} ms, broken after ${(performance.now() - start).toFixed(0)} ms, drawing in software`);
	check("the hint is gone", await tab.$eval("#hint", (e) => !e.checkVisibility()));
	check("it is heard", (await live(tab)).heard > 0);

	// A key after a click on a control; Escape closes the panel.
	await tab.click("#panel-toggle");
	await tab.keyboard.press("x");
	check("keys work after a button was clicked", (await tab.$eval("#explode", (e) => Number(e.value))) > 0);
	check("the panel ends above the bar", await tab.evaluate(() => document.getElementById("panel").getBoundingClientRect().bottom <= document.getElementById("livebar").getBoundingClientRect().top));
	await checkForEverybody(tab, "the playground");
	await tab.keyboard.press("x");
	await tab.keyboard.press("Escape");
	check("Escape closes the panel", await tab.$eval("#panel", (e) => e.hidden));

	// The link has the throw; what is saved is a file that the program reads.
	shared = (await live(tab)).link;
	check("the link has thing, material and the throw", /thing=wine_glass/.test(shared) && /material=glass/.test(shared) && /do=\d+\./.test(shared));
	const bytes = Buffer.from(await tab.evaluate(async () => Array.from(await window.brittle.write("glb"))));
	writeFileSync(join(scratch, "saved.glb"), bytes);
	const pieces = (await live(tab)).world.pieces, inFile = componentsOf(join(scratch, "saved.glb"));
	check(`the program finds the pieces in what is saved (${pieces}, ${inFile})`, pieces > 1 && inFile > 1);

	// Undo takes the last throw back.
	await tab.click("#undo");
	check("undo makes it whole", await comesTrue(tab, () => window.brittle.state.live.world.pieces === 0));
	check("undo takes the throw out of the link", !/do=/.test((await live(tab)).link));
	check(`no errors (${tab.errors})`, tab.errors.length === 0);
	await tab.close();
}

// Solids that the program finds in a file; it exits 1 for meshes that touch.
function componentsOf(path) {
	let told;
	try {
		told = execFileSync(program, ["check", path, "--json"], { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
	} catch (error) {
		told = error.stdout;
	}
	return JSON.parse(told).components;
}

// A link gives the same break to everybody, and a scene the same as natively, to the bit.
{
	const hashes = [];
	const at = Number(/do=(\d+)\./.exec(shared)[1]) + 120;
	for (let i = 0; i < 2; ++i) {
		const tab = await open(shared, ...size);
		await ready(tab);
		await tab.evaluate(() => document.getElementById("live-pause").click());
		hashes.push(await tab.evaluate((steps) => window.brittle.hash(steps), at));
		if (i === 0) {
			const { hash, breaks } = await tab.evaluate((scene) => window.brittle.run(scene, 60), sceneOf("wine_glass"));
			const words = ["run", "scenes/wine_glass.yaml", "--time", "1", "--no-pictures", "--json", "-o", scratch];
			const native = JSON.parse(execFileSync(program, words, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }));
			check(`a scene gives the hash of the program (${hash}, ${native.hash})`, hash === native.hash && breaks > 0);
		}
		await tab.close();
	}
	const [a, b] = hashes;
	check(`a link gives the same bits (${a.hash} at ${a.step}, ${b.hash} at ${b.step})`, a.step >= at && (a.step !== b.step || a.hash === b.hash));
	check(`at the same step (${a.step}, ${b.step})`, a.step === b.step);
}

// Other things and materials; drop; own files.
{
	const tab = await open(`${server.address}#thing=vase`, ...size);
	await ready(tab);
	await tab.select("#stuff", "porcelain");
	await until(tab, () => /material=porcelain/.test(window.brittle.state.live.link));
	await tab.click("#drop-it");
	check("what is dropped breaks", await comesTrue(tab, () => window.brittle.state.live.world.breaks > 0 && window.brittle.state.live.world.pieces > 1));
	for (const thing of ["plates", "pane", "bricks"]) {
		await tab.select("#thing", thing);
		await until(tab, (name) => new RegExp(`thing=${name}`).test(window.brittle.state.live.link) && window.brittle.state.live.world.pieces === 0 && window.brittle.state.live.world.time < 20, thing);
		await pause(1000);
		await tab.select("#live-click", thing === "bricks" ? "wreck" : thing === "pane" ? "shoot" : "throw");
		await strike(tab);
		const kind = thing === "bricks" ? 4 : 3;
		check(`a ball comes to ${thing}`, await comesTrue(tab, (wanted) => window.brittle.bodies.some(({ kind }) => kind === wanted), kind));
	}
	const cube = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nv 1 0 1\nv 1 1 1\nv 0 1 1\nf 1 4 3 2\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n";
	const drop = (bytes, name) => tab.evaluate((text, file) => {
		const data = new DataTransfer();
		data.items.add(new File([Uint8Array.from(atob(text), (c) => c.charCodeAt(0))], file));
		dispatchEvent(new DragEvent("drop", { dataTransfer: data, cancelable: true }));
	}, bytes, name);
	await drop(btoa("this is no mesh"), "bad.obj");
	check("a bad file gets a sentence", await comesTrue(tab, () => document.getElementById("status").classList.contains("bad") && window.brittle.state.status.length > 10));
	writeFileSync(join(scratch, "cube.obj"), cube);
	await tab.select("#live-click", "shoot");
	for (const ending of ["obj", "stl", "glb"]) {
		if (ending !== "obj") execFileSync(program, ["convert", join(scratch, "cube.obj"), join(scratch, `cube.${ending}`)], { stdio: "ignore" });
		await drop(readFileSync(join(scratch, `cube.${ending}`)).toString("base64"), `my_${ending}.${ending}`);
		await until(tab, (name) => window.brittle.state.name === name && window.brittle.state.live.world.pieces === 0, `my_${ending}`);
		await strike(tab);
		check(`a file of one's own breaks (.${ending})`, await comesTrue(tab, () => window.brittle.state.live.world.pieces > 1));
		writeFileSync(join(scratch, "own.glb"), Buffer.from(await tab.evaluate(async () => Array.from(await window.brittle.write("glb")))));
		const { pieces } = (await live(tab)).world, inFile = componentsOf(join(scratch, "own.glb"));
		check(`its pieces are in the .glb that is saved (${pieces}, ${inFile})`, inFile >= Math.min(pieces, 2));
	}
	check(`no errors (${tab.errors})`, tab.errors.length === 0);
	await tab.close();
}

// Slow motion, a hand; a picture and a video of it.
{
	const tab = await open(`${server.address}#thing=piggy_bank`, ...size);
	await ready(tab);
	await tab.evaluate(() => {
		const make = URL.createObjectURL;
		window.saved = [];
		URL.createObjectURL = (blob) => (window.saved.push({ kind: blob.type, bytes: blob.size }), make.call(URL, blob));
	});
	const saved = (kind) => comesTrue(tab, (name) => window.saved.some(({ kind, bytes }) => kind === name && bytes > 500), kind);
	await tab.click("#panel-toggle");
	await tab.click("#record");
	await tab.keyboard.press("Escape");
	await tab.keyboard.press("[");
	check("a key makes it slower", await comesTrue(tab, () => window.brittle.state.live.world.speed === 0.5));
	await tab.keyboard.press("]");
	check("and another faster", await comesTrue(tab, () => window.brittle.state.live.world.speed === 1));

	const before = await thingOf(tab), [x, y] = [Math.round(before.x), Math.round(before.y)];
	await tab.mouse.move(x, y);
	await tab.mouse.down();
	await tab.mouse.move(x + 20, y - 30, { steps: 4 });
	await until(tab, () => window.brittle.state.live.held > 0);
	await tab.mouse.move(x + 60, y - 60, { steps: 10 });
	check("a hand lifts it", await comesTrue(tab, (number, z) => (window.brittle.bodies.find((body) => body.number === number)?.at[2] ?? Infinity) > z, before.number, before.at[2] + 0.02));
	await tab.mouse.up();
	check("and lets go", await comesTrue(tab, () => window.brittle.state.live.held === 0));
	check("the hint is gone after a drag", await tab.$eval("#hint", (e) => !e.checkVisibility()));

	await tab.click("#panel-toggle");
	await tab.click("#picture");
	check("a picture is saved", await saved("image/png"));
	await tab.click("#record");
	check("a video is saved", await saved("video/webm"));
	check(`no errors (${tab.errors})`, tab.errors.length === 0);
	await tab.close();
}

// The wrecking ball hangs on a rope, breaks what it swings into, is in links and is taken back.
{
	const tab = await open(`${server.address}#thing=piggy_bank`, ...size);
	await ready(tab);
	await tab.keyboard.press("4");
	check("a key chooses the wrecking ball", await tab.$eval("#live-click", (e) => e.value === "wreck"));
	await strike(tab);
	check("it breaks what it hits", await comesTrue(tab, () => window.brittle.state.live.world.pieces > 1));
	const hung = () => window.brittle.bodies.find(({ kind }) => kind === 4);
	const first = await tab.evaluate(hung);
	check(`its rope is drawn (${first?.rope})`, first?.rope > 0.1);
	const { link } = await live(tab), at = Number(/do=(\d+)\./.exec(link)[1]) + 90, hashes = [];
	for (let i = 0; i < 2; ++i) {
		const again = await open(link, ...size);
		await ready(again);
		await again.evaluate(() => document.getElementById("live-pause").click());
		hashes.push(await again.evaluate((steps) => window.brittle.hash(steps), at));
		if (i === 1) check("a link has it", await comesTrue(again, () => window.brittle.bodies.some(({ kind }) => kind === 4)));
		await again.close();
	}
	check(`a link swings it again to the bit (${JSON.stringify(hashes)})`, hashes[0].hash === hashes[1].hash && hashes[0].step === hashes[1].step && hashes[0].step >= at);
	// It hangs still in the end; a hand pulls it aside and lets it swing.
	await tab.bringToFront();
	check("it hangs still after a while", await comesTrue(tab, () => {
		const ball = window.brittle.bodies.find(({ kind }) => kind === 4), { time } = window.brittle.state.live.world, from = window.from ?? { at: [9, 9, 9] };
		if (Math.hypot(...ball.at.map((x, i) => x - from.at[i])) > 0.01) window.from = { at: ball.at, time };
		return time - window.from.time > 1 && window.brittle.aim(Math.round(ball.x), Math.round(ball.y)) === ball.number;
	}));
	const rest = await tab.evaluate(hung);
	await tab.mouse.move(Math.round(rest.x), Math.round(rest.y));
	await tab.mouse.down();
	await tab.mouse.move(rest.x - 120, rest.y, { steps: 8 });
	check("a hand takes it", await comesTrue(tab, (number) => window.brittle.state.live.held === number, rest.number));
	check("and pulls it aside", await comesTrue(tab, (x) => window.brittle.bodies.find(({ kind }) => kind === 4).x < x - 60, rest.x));
	await tab.mouse.up();
	check("from where it swings to the other side", await comesTrue(tab, (x) => window.brittle.bodies.find(({ kind }) => kind === 4).x > x + 5, rest.x));
	await tab.click("#undo");
	check("undo takes it back", await comesTrue(tab, () => window.brittle.state.live.world.pieces === 0 && !window.brittle.bodies.some(({ kind }) => kind === 4)));
	check(`no errors (${tab.errors})`, tab.errors.length === 0);
	await tab.close();
}

// On a phone.
{
	const tab = await open(`${server.address}#thing=vase`, 390, 780);
	await ready(tab);
	check("a phone has no bar across the thing", await tab.evaluate(() => {
		const [head, foot] = ["header", "#livebar"].map((name) => document.querySelector(name).getBoundingClientRect());
		return window.brittle.bodies.filter(({ kind }) => kind === 0).every(({ x, y }) => x > 0 && x < innerWidth && y > head.bottom && y < foot.top);
	}));
	check("its bars and panel leave half of it free", await tab.evaluate(() => {
		const [head, foot] = ["header", "#livebar"].map((name) => document.querySelector(name).getBoundingClientRect());
		return foot.top - head.bottom > innerHeight / 2;
	}));
	const finger = await thingOf(tab);
	await tab.touchscreen.tap(Math.round(finger.x), Math.round(finger.y));
	check("a finger breaks it", await comesTrue(tab, () => window.brittle.state.live.world.pieces > 1));
	await tab.click("#panel-toggle");
	await checkForEverybody(tab, "the playground on a phone");
	check(`no errors (${tab.errors})`, tab.errors.length === 0);
	await tab.close();
}

await browser.close();
server.close();
rmSync(scratch, { recursive: true });
finish();

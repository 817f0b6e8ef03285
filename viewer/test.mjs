// The page in a real browser: node test.mjs PAGE.html RECORDING.brec SAME.glb [PICTURES]
//
// PAGE.html is what `brittle view` made of the recording. Prints "N passed, N failed" and exits 1 if any failed. With a folder for
// pictures it leaves the screenshots of docs/viewer.md there.

import { readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { browser, check, checkForEverybody, finish, open, pixels, state } from "./testing.mjs";

const [page, recording, glb, pictures] = process.argv.slice(2).map((path) => resolve(path));
const empty = pathToFileURL(process.env.EMPTY_PAGE ?? join(dirname(fileURLToPath(import.meta.url)), "dist", "viewer.html")).href;
const filled = pathToFileURL(page).href;
const ready = (tab) => tab.waitForFunction(() => window.brittle.state.duration > 0);

// A page with a recording inside plays by itself, and stops when told to.
{
	const tab = await open(filled);
	await ready(tab);
	check("plays by itself", (await state(tab)).playing);
	await tab.waitForFunction(() => window.brittle.state.time > 0.05);
	await tab.click("#play");
	check("pauses", !(await state(tab)).playing);
	const begin = await tab.evaluate(() => (window.brittle.setTime(0), window.brittle.state));
	check("nothing is broken at the start", begin.pieces === 0 && begin.visible > 0);
	await tab.focus("#stage");
	await tab.keyboard.press("End");
	const end = await state(tab);
	check("there are pieces at the end", end.pieces > 5 && end.visible > begin.visible && Math.abs(end.time - end.duration) < 1e-6);
	await tab.keyboard.press("ArrowLeft");
	check("steps back a frame", (await state(tab)).frame === end.frame - 1);
	await tab.keyboard.press("Home");
	await tab.keyboard.press("b");
	const before = await state(tab);
	await tab.keyboard.press("ArrowRight");
	await tab.keyboard.press("ArrowRight");
	check("finds the break", before.pieces === 0 && (await state(tab)).pieces > 5);
	await tab.evaluate(() => {
		const timeline = document.getElementById("timeline");
		timeline.value = Number(timeline.max) / 2;
		timeline.dispatchEvent(new Event("input"));
	});
	const half = await state(tab);
	check("scrubs", Math.abs(half.time - half.duration / 2) < 0.02);
	const seen = await pixels(tab);
	check(`draws something (${JSON.stringify(seen)})`, seen.colors > 20 && seen.drawn > 0.1);
	for (const key of ["c", "c", "c", "c", "e", "x"]) await tab.keyboard.press(key);
	const changed = await pixels(tab);
	check("looks different with edges and apart", changed.colors !== seen.colors || changed.drawn !== seen.drawn);
	await tab.keyboard.press("?");
	check("helps", await tab.evaluate(() => document.getElementById("help").open));
	await tab.keyboard.press("Escape");
	await tab.click("#panel-toggle");
	await checkForEverybody(tab, "a recording");
	await tab.click("#panel-toggle");
	await tab.focus("#stage");
	// Colors by stress: what broke shows it, and the scale has its numbers.
	const stress = await tab.evaluate(() => {
		document.getElementById("color").value = "stress";
		document.getElementById("color").dispatchEvent(new Event("input"));
		window.brittle.setTime(window.brittle.state.duration);
		return document.getElementById("legend").hidden ? "" : document.getElementById("legend").textContent;
	});
	check(`stress has a scale (${stress.trim()})`, /[1-9]\d* MPa.*MPa/s.test(stress));
	await tab.select("#color", "material");
	check(`no errors (${tab.errors})`, tab.errors.length === 0);
	if (pictures) {
		await tab.keyboard.press("e");
		await tab.keyboard.press("x");
		await tab.setViewport({ width: 1280, height: 720 });
		await tab.evaluate(() => (dispatchEvent(new Event("resize")), window.brittle.setTime(window.brittle.state.duration * 0.55)));
		await tab.evaluate(() => document.activeElement.blur());
		await tab.evaluate(() => window.brittle.draw());
		await tab.screenshot({ path: join(pictures, "viewer.png") });
	}
	await tab.close();
}

// A link says what to look at.
{
	const tab = await open(`${filled}#t=0.3&color=body&edges=1&camera=1,-2,1,0,0,0.2`);
	await ready(tab);
	const now = await state(tab);
	check("a link sets the time", Math.abs(now.time - 0.3) < 1e-3 && !now.playing);
	check("a link sets the colors", await tab.evaluate(() => document.getElementById("color").value === "body"));
	await tab.close();
}

// An empty page takes files, and says what is wrong with those it cannot take.
{
	const tab = await open(empty, 390, 780);
	check("invites", await tab.evaluate(() => !document.getElementById("welcome").hidden));
	const send = (path, name) => {
		const bytes = readFileSync(path).toString("base64");
		return tab.evaluate(async (text, n) => {
			await window.brittle.open(Uint8Array.from(atob(text), (c) => c.charCodeAt(0)).buffer, n);
			return window.brittle.state;
		}, bytes, name);
	};
	const fromGlb = await send(glb, "scene.glb");
	check("plays a .glb", fromGlb.duration > 0.2 && fromGlb.visible > 0);
	const fromBrec = await send(recording, "scene.brec");
	check("plays a .brec", fromBrec.duration > 0.2);
	check("the two are equally long", Math.abs(fromGlb.duration - fromBrec.duration) < 0.1);
	const bad = await send(fileURLToPath(import.meta.url), "not.brec");
	check(`refuses what is none (${bad.status})`, /not a .brec/.test(bad.status));
	const cut = await tab.evaluate(async (text) => {
		const whole = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
		await window.brittle.open(whole.slice(0, whole.length / 3).buffer, "cut.brec");
		return window.brittle.state.status;
	}, readFileSync(recording).toString("base64"));
	check(`refuses half a file (${cut})`, /ends in the middle|too large/.test(cut));
	await checkForEverybody(tab, "a phone");
	check(`no errors (${tab.errors})`, tab.errors.length === 0);
	if (pictures) {
		await tab.evaluate(() => (window.brittle.setTime(window.brittle.state.duration * 0.55), document.activeElement.blur()));
		await tab.evaluate(() => window.brittle.draw());
		await tab.screenshot({ path: join(pictures, "viewer_phone.png") });
	}
	await tab.close();
}

await browser.close();
finish();

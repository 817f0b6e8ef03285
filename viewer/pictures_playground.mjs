// The pictures of docs/web.md: node viewer/pictures_playground.mjs FOLDER OUT [NAME...], eight states of the playground in FOLDER, at the sizes
// of a desktop and of a phone.

import { join, resolve } from "node:path";
import { serveFolder } from "../web/serve.mjs";
import { browser, open, state } from "./testing.mjs";

const [folder, out] = process.argv.slice(2, 4).map((path) => resolve(path)), only = process.argv.slice(4);
const server = await serveFolder(folder);
const pause = (ms) => new Promise((done) => setTimeout(done, ms));

// What stands there, what strikes it, and how long after it is struck. [s]
const STATES = {
	glass: { thing: "wine_glass" },
	glass_thrown: { thing: "wine_glass", click: "throw", after: 0.12 },
	pane_shot: { thing: "pane", click: "shoot", after: 0.15 },
	plates_thrown: { thing: "plates", click: "throw", after: 0.25 },
	piggy_shot: { thing: "piggy_bank", click: "shoot", after: 0.1 },
	statue_wreck: { thing: "statue", click: "wreck", after: 0.02 },
	vase_fallen: { thing: "vase", lift: 1.5, after: 1.2 },
	panel: { thing: "bricks", click: "throw", after: 0.3, panel: true, theme: "light" },
};

async function take(name, size, { thing, click, after = 0.3, lift = 0, panel = false, theme = "dark" }) {
	// The world goes on while nothing is drawn: drawing in software would keep it waiting.
	const tab = await open(`${server.address}#thing=${thing}&lift=${lift}`, ...size, "until seen", theme);
	await tab.waitForFunction(() => window.brittle?.state.live?.world?.bodies > 0 && window.brittle.state.live.status, { polling: 50 });
	await pause(600); // the camera has been put
	let from = 0;
	if (click) {
		await tab.select("#live-click", click);
		await tab.select("#live-speed", "0.1"); // not to miss it
		const stuff = await tab.$eval("#stuff", (e) => e.value);
		const [{ x, y }] = (await tab.evaluate(() => window.brittle.bodies)).filter(({ kind, material }) => kind === 0 && material.startsWith(stuff)).sort((a, b) => b.at[2] - a.at[2]);
		await tab.mouse.click(Math.round(x), Math.round(y));
		await tab.waitForFunction(() => window.brittle.state.live.world.pieces > 0, { polling: 10 });
		await tab.select("#live-speed", "0.02");
		from = await tab.evaluate(() => window.brittle.state.live.world.time);
	}
	await tab.waitForFunction((until) => window.brittle.state.live.world.time >= until, { polling: 10 }, from + after);
	await tab.evaluate(() => document.getElementById("live-pause").click());
	if (panel) await tab.click("#panel-toggle");
	if (lift > 0) await tab.click("#reset-camera").catch(() => tab.keyboard.press("f"));
	await pause(900); // it stands still, where it is drawn
	await tab.evaluate(() => {
		window.requestAnimationFrame = () => 0; // once is enough
		window.isSeen = true;
		window.brittle.drawFine();
		window.brittle.draw();
	});
	const { world } = (await state(tab)).live;
	console.log(`${name}: ${world.pieces} pieces, ${world.breaks} breaks${tab.errors.length > 0 ? `, ${tab.errors}` : ""}`);
	await tab.screenshot({ path: join(out, `${name}.webp`), type: "webp", quality: 78 });
	await tab.close();
}

for (const [name, what] of Object.entries(STATES)) {
	if (only.length > 0 && !only.includes(name)) continue;
	await take(`web_${name}`, [960, 540], what);
	await take(`web_${name}_phone`, [390, 780], what);
}
await browser.close();
server.close();

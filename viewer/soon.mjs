// How soon something breaks: node viewer/soon.mjs FOLDER, the playground in FOLDER by a browser that was just started, then twice by the same.
//
// Drawing is left out, and the hand is in the page: it clicks as soon as there is something to click on. Times are since the page was asked for.

import { resolve } from "node:path";
import { serveFolder } from "../web/serve.mjs";
import { browser, open } from "./testing.mjs";

const server = await serveFolder(resolve(process.argv[2]));

// Looks every few milliseconds, as no test by protocol could.
function clickAtOnce() {
	const times = (window.times = {});
	const note = (name) => (times[name] ??= Math.round(performance.now()));
	const timer = setInterval(() => {
		if (!window.brittle) return;
		note("page");
		const { live } = window.brittle.state, stuff = document.getElementById("stuff").value;
		if (live?.threads) note("module");
		const thing = live?.status && window.brittle.bodies.find(({ kind, material }) => kind === 0 && material.startsWith(stuff));
		if (thing && !times.there) {
			note("there");
			const stage = document.getElementById("stage"), at = { clientX: thing.x, clientY: thing.y, isPrimary: true, bubbles: true, pointerId: 1 };
			for (const kind of ["pointerdown", "pointerup"]) stage.dispatchEvent(new PointerEvent(kind, at));
		}
		if (window.brittle.bodies.some(({ kind }) => kind === 3)) note("thrown");
		if (live?.world?.pieces > 1) {
			note("broken");
			times.load = Math.round(performance.timing.loadEventEnd - performance.timing.navigationStart);
			clearInterval(timer);
		}
	}, 4);
}

for (let i = 0; i < 3; ++i) {
	const tab = await open(server.address, 480, 300, "always", "light", clickAtOnce);
	await tab.waitForFunction(() => window.times?.load, { polling: 20 });
	const times = await tab.evaluate(() => window.times);
	console.log(`${i === 0 ? "fresh" : "warm"}: broken ${times.broken - times.load} ms after load: ${Object.entries(times).map(([name, ms]) => `${name} ${ms}`).join(", ")}`);
	await tab.close();
}
await browser.close();
server.close();

// What the tests in a browser share: a browser, tabs, checks that are counted, and what any page must have for everybody to use it.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import puppeteer from "puppeteer-core";

let passed = 0;
let failed = 0;

export function check(what, holds) {
	holds ? (passed += 1) : ((failed += 1), console.log(`FAILED  ${what}`));
}

// Whether it comes true in the page within a minute; what was wrong then is told.
export async function comesTrue(tab, holds, ...given) {
	const isTrue = await tab.waitForFunction(holds, { polling: 50, timeout: 60000 }, ...given).then(() => true, () => false);
	if (!isTrue) console.log(`${holds} does not come true: ${JSON.stringify((await state(tab)).live)}`);
	return isTrue;
}

export function finish() {
	console.log(`${passed} passed, ${failed} failed, 0 skipped`);
	process.exit(failed > 0 ? 1 : 0);
}

export const browser = await puppeteer.launch({
	executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
	args: ["--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--disable-background-timer-throttling", "--disable-backgrounding-occluded-windows", "--disable-renderer-backgrounding"],
	protocolTimeout: 400000,
});

// `blind`: "always": nothing is drawn, for times without a graphics card; "until seen": from when the page is there until window.isSeen.
// `theme` is what the visitor's system prefers; `act` runs in the page before anything of its own.
export async function open(url, width = 480, height = 300, blind = "never", theme = "light", act = null) {
	const tab = await browser.newPage();
	if (act) await tab.evaluateOnNewDocument(act);
	if (blind !== "never") await tab.evaluateOnNewDocument((isAlways) => {
		const dim = (of, names) => {
			for (const name of names) {
				const own = of[name];
				of[name] = function (...words) {
					if (!isAlways && (window.isSeen || !window.brittle)) own.apply(this, words);
				};
			}
		};
		dim(WebGL2RenderingContext.prototype, ["drawElements", "drawArrays", "drawElementsInstanced", "drawArraysInstanced"]);
		WebGL2RenderingContext.prototype.getExtension = ((own) => function (name) {
			const found = own.call(this, name);
			if (name === "WEBGL_multi_draw" && found && !found.isDim) dim(found, ["multiDrawArraysWEBGL", "multiDrawElementsWEBGL"]), (found.isDim = true);
			return found;
		})(WebGL2RenderingContext.prototype.getExtension);
	}, blind === "always");
	await tab.emulateMediaFeatures([{ name: "prefers-color-scheme", value: theme }]);
	tab.errors = [];
	tab.on("pageerror", (error) => tab.errors.push(error.message));
	tab.setDefaultTimeout(90000);
	await tab.setViewport({ width, height });
	await tab.goto(url, { waitUntil: "domcontentloaded" });
	await tab.waitForFunction(() => window.brittle !== undefined);
	return tab;
}

export const state = (tab) => tab.evaluate(() => window.brittle.state);

// How much of the picture differs from its most frequent color, and how many colors it has.
export async function pixels(tab) {
	return tab.evaluate(() => {
		window.brittle.draw();
		const stage = document.getElementById("stage");
		const copy = document.createElement("canvas");
		copy.width = 200;
		copy.height = 125;
		const context = copy.getContext("2d");
		context.drawImage(stage, 0, 0, copy.width, copy.height);
		const { data } = context.getImageData(0, 0, copy.width, copy.height);
		const counts = new Map();
		for (let i = 0; i < data.length; i += 4) {
			const key = (data[i] >> 3) | ((data[i + 1] >> 3) << 5) | ((data[i + 2] >> 3) << 10);
			counts.set(key, (counts.get(key) ?? 0) + 1);
		}
		return { colors: counts.size, drawn: 1 - Math.max(...counts.values()) / (copy.width * copy.height) };
	});
}

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

// What can be counted of a page for everybody: names, contrast (WCAG AA), a visible focus on everything that Tab reaches, sizes for fingers,
// a language, nothing that sticks out.
export async function checkForEverybody(tab, name) {
	const found = await tab.evaluate(() => {
		const shown = (e) => e.checkVisibility?.({ checkOpacity: true, checkVisibilityCSS: true }) ?? e.offsetHeight > 0;
		const named = (e) => e.getAttribute("aria-label") || e.textContent.trim() || e.labels?.length || e.title;
		const controls = [...document.querySelectorAll("button, input:not([hidden]), select, canvas, output")].filter(shown);
		const linear = (v) => (v / 255 <= 0.04045 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4);
		const light = ([r, g, b]) => 0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b);
		const rgba = (text) => {
			const n = text.match(/[\d.]+/g).map(Number);
			return [n[0], n[1], n[2], n[3] ?? 1];
		};
		const over = (top, below) => [0, 1, 2].map((i) => top[i] * top[3] + below[i] * (1 - top[3]));
		// Panels lie on the picture; the brightest that it may be behind one is assumed.
		const behind = (e) => {
			const layers = [];
			for (let at = e; at; at = at.parentElement) layers.push(rgba(getComputedStyle(at).backgroundColor));
			const isOnPicture = e.closest("header, footer, #panel, #statistics, #legend, #banner") !== null;
			if (isOnPicture) layers.pop();
			return layers.reverse().reduce((below, layer) => over(layer, below), isOnPicture ? [150, 150, 150] : [21, 24, 29]);
		};
		const faint = [];
		for (const e of document.querySelectorAll("body *")) {
			const own = [...e.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim() !== "");
			if (!own || !shown(e) || e.disabled || e.closest("script, style, option, dialog:not([open])")) continue;
			const below = behind(e), ink = over(rgba(getComputedStyle(e).color), below);
			const [a, b] = [light(ink), light(below)].sort((x, y) => y - x);
			const ratio = (a + 0.05) / (b + 0.05);
			if (ratio < 4.5) faint.push(`${e.tagName}#${e.id} ${ratio.toFixed(1)}`);
		}
		return {
			unnamed: controls.filter((e) => !named(e) && e.tagName !== "OUTPUT").map((e) => e.id),
			faint,
			small: [...document.querySelectorAll("button, select")].filter((e) => shown(e) && e.offsetHeight < 30).map((e) => e.id),
			wide: document.documentElement.scrollWidth > innerWidth,
			outside: controls.filter((e) => e.tagName !== "CANVAS" && (e.getBoundingClientRect().right > innerWidth + 1 || e.getBoundingClientRect().left < -1)).map((e) => e.id),
			language: document.documentElement.lang,
			title: document.title,
			zoomable: !/maximum-scale|user-scalable=no/.test(document.querySelector("meta[name=viewport]").content),
		};
	});
	await tab.evaluate(axe);
	const wrong = await tab.evaluate(async () => (await window.axe.run(document, { resultTypes: ["violations"] })).violations.map(({ id, nodes }) => `${id} ${nodes.map(({ target }) => target)}`));
	check(`${name}: axe finds nothing (${wrong.join("; ")})`, wrong.length === 0);
	check(`${name}: everything has a name (${found.unnamed})`, found.unnamed.length === 0);
	check(`${name}: text can be read (${found.faint})`, found.faint.length === 0);
	check(`${name}: a finger can hit it (${found.small})`, found.small.length === 0);
	check(`${name}: nothing sticks out (${found.outside})`, !found.wide && found.outside.length === 0);
	check(`${name}: it has a language, a title, and zoom`, found.language === "en" && found.title.length > 3 && found.zoomable);
	await tab.evaluate(() => document.activeElement?.blur?.());
	const unseen = [], reached = new Set();
	for (let i = 0; i < 40; ++i) {
		await tab.keyboard.press("Tab");
		const at = await tab.evaluate(() => {
			const e = document.activeElement, style = getComputedStyle(e);
			return { id: e.id || e.tagName, seen: style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2 };
		});
		if (at.id === "BODY") continue; // from the last control to the first
		if (reached.has(at.id)) break;
		reached.add(at.id);
		if (!at.seen) unseen.push(at.id);
	}
	check(`${name}: Tab reaches the controls (${[...reached].length}) and shows where it is (${unseen})`, reached.size >= 3 && unseen.length === 0);
}

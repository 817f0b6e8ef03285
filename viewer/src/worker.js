// The worker of the playground: a live world of the WebAssembly module behind the messages that a server would send.
//
// In:  { open, files, log, until }   a scene; commands to repeat at their steps; steps to make before anybody watches
//      { send }                      one command, as to a socket
//      { undo }                      everything again up to the last throw, without it
//      { write, answer }             the bodies as a file
//      { hash, answer }              the hash of the world once it has made so many steps
//      { run, frames, answer }       another scene, played beside this one: its hash
// Out: { message }                   as from a socket
//      { state, text }               "ready" once, "opened", "refused" with a sentence
//      { log, step }                 after each command that changes the world: what a link must hold
//      { bytes, answer } or { text, answer }

import { loadBrittle } from "../../web/brittle/brittle.js";
import { canShare } from "../../web/brittle/module.js";

const BEGIN = 8, SPEED = 6, STEP = 9, THROW = 1, SWING = 10;
const BUDGET = 14; // ms of steps in a turn
const MOST_THREADS = 4; // one is left to drawing on most machines
const BEHIND = 0.25; // s that may be caught up

let brittle = null, opensFiles = false, live = null, client = 0, given = null;
let log = [], queue = [];
let step = 0, dt = 1 / 60, due = 0, speed = 1, last = performance.now();

function flush() {
	for (const message of live.messages(client)) postMessage({ message: message.buffer }, [message.buffer]);
}

function apply(bytes) {
	try {
		live.apply(bytes);
	} catch (error) {
		return false; // a body that is gone is not grabbed
	}
	return true;
}

// Carries a command out now, before the next step, and keeps it.
function carryOut(bytes) {
	if (apply(bytes)) log.push([step, bytes]);
}

function makeStep() {
	while (queue.length > 0 && queue[0][0] <= step) carryOut(queue.shift()[1]);
	live.step();
	step += 1;
}

async function open(what) {
	if (what.files && !opensFiles) await loadForFiles();
	const scene = brittle.scene(what.open, { files: what.files ?? {} });
	const { frameRate, stepsPerFrame } = scene.measures;
	const next = scene.live();
	scene.free();
	live?.free();
	live = next;
	given = { open: what.open, files: what.files };
	dt = 1 / (frameRate * stepsPerFrame);
	log = [];
	queue = (what.log ?? []).map(([at, bytes]) => [at, new Uint8Array(bytes)]);
	step = due = 0;
	while (step < (what.until ?? 0)) makeStep();
	client = live.join();
	speed = 1;
	last = performance.now();
	flush();
	postMessage({ state: "opened" });
	tellLog();
}

function tellLog() {
	postMessage({ log: log.map(([at, bytes]) => [at, bytes.slice().buffer]), step });
}

function send(buffer) {
	const bytes = new Uint8Array(buffer);
	if (bytes[0] === BEGIN) return open(given);
	if (bytes[0] === SPEED) {
		speed = Math.min(Math.max(new DataView(buffer).getFloat32(1, true), 0), 4);
		apply(bytes); // of time, not of the world: no part of the log
	} else if (bytes[0] === STEP) makeStep();
	else {
		carryOut(bytes);
		tellLog();
	}
	flush();
}

function undo() {
	const at = log.findLastIndex(([, bytes]) => bytes[0] === THROW || bytes[0] === SWING);
	if (at < 0) return open(given);
	return open({ ...given, log: log.slice(0, at).map(([when, bytes]) => [when, bytes]), until: log[at][0] });
}

function tick() {
	const now = performance.now();
	due = Math.min(due + ((now - last) / 1e3) * speed, BEHIND);
	last = now;
	try {
		while (live && due >= dt && performance.now() - now < BUDGET) {
			makeStep();
			due -= dt;
		}
		if (live) flush();
	} catch (error) {
		postMessage({ state: "refused", text: error.message });
		live = null;
	}
	setTimeout(tick, Math.max(1, 8 - (performance.now() - now)));
}

const acts = {
	open,
	send: ({ send: bytes }) => live && send(bytes),
	undo: () => live && undo(),
	write: ({ write: ending, answer }) => {
		const bytes = live.write(ending);
		postMessage({ bytes, answer }, [bytes.buffer]);
	},
	hash: ({ hash: until, answer }) => {
		while (step < until) makeStep();
		postMessage({ hash: live.hash, step, answer });
	},
	run: ({ run: description, frames, answer }) => {
		const scene = brittle.scene(description), other = scene.live();
		for (let i = 0; i < frames * scene.measures.stepsPerFrame; ++i) other.step();
		postMessage({ hash: other.hash, ...other.measures, answer });
		other.free(), scene.free();
	},
};

async function act(data) {
	const [name] = Object.keys(acts).filter((key) => key in data);
	try {
		await acts[name]?.(data);
	} catch (error) {
		postMessage(data.answer ? { text: error.message, answer: data.answer } : { state: "refused", text: error.message });
	}
}

// One after the other, once the module is there, also where one waits for a download.
let turn = load("brittle").then((loaded) => {
	brittle = loaded;
	postMessage({ state: "ready", materials: brittle.materials, threads: brittle.threads });
});
self.onmessage = ({ data }) => (turn = turn.then(() => act(data)));

// A packed module that compiles while it comes. Servers that know what .gz is have the browser unpack it.
async function load(name) {
	const threads = canShare ? Math.min(navigator.hardwareConcurrency ?? 1, MOST_THREADS) : 1;
	const answer = await fetch(new URL(`./${name}${threads > 1 ? "-threads" : ""}.wasm.gz`, self.location.href));
	if (!answer.ok) throw new Error(`${answer.url} cannot be had: ${answer.status}`);
	const bytes = answer.headers.get("content-encoding") ? answer.body : answer.body.pipeThrough(new DecompressionStream("gzip"));
	return loadBrittle(new Response(bytes, { headers: { "content-type": "application/wasm" } }), { threads });
}

// What opens and mends files is a module of its own: few visitors drop one.
async function loadForFiles() {
	const next = await load("brittle-files");
	live?.free();
	live = null;
	brittle.close();
	brittle = next;
	opensFiles = true;
}

await turn;
tick();

// The page: opens files and plays them, or shows a live world that a server or a worker of its own runs; listens to keys and buttons. State
// that can be shared lives in the link's #part.

import { drawChart } from "./chart.js";
import { BALL, HUNG_BALL } from "./bodies.js";
import { Hand } from "./hand.js";
import { LiveLink, LiveShow } from "./live.js";
import { Playground } from "./playground.js";
import { readRecording } from "./recording.js";
import { GltfShow, RecordingShow } from "./show.js";
import { Stage } from "./stage.js";
import { TetPage } from "./tets.js";
import { commands } from "./wire.js";

const $ = (id) => document.getElementById(id);
let show = null;
let playing = false;
let speed = 1;
let live = null; // of a page with a live world: { link, hand, world, state, playground... }

// The world of a playground is made in the meantime.
const handlers = { onState: setLiveState, onMessage: takeMessage };
const playground = $("playground") ? new Playground({ say, draw: () => stage.draw(), canvas: $("stage") }, handlers) : undefined;
const stage = new Stage($("stage"));

function say(text, isBad = false) {
	$("status").textContent = text;
	$("status").classList.toggle("bad", isBad);
}

// Files

async function openBuffer(buffer, name) {
	try {
		if (!IS_PLAYGROUND) {
			// of build.mjs
			const isGltf = /\.(glb|gltf)$/i.test(name);
			const next = isGltf ? await GltfShow.load(buffer) : new RecordingShow(readRecording(buffer));
			present(next, name);
		}
	} catch (error) {
		say(`${name}: ${error.message}`, true);
	}
}

function present(next, name) {
	if (show) stage.scene.remove(show.object);
	show = next;
	stage.scene.add(show.object);
	$("welcome").hidden = true;
	$("bar").hidden = false;
	$("statistics").hidden = !$("overlay").checked || !show.recording;
	$("title").textContent = name.replace(/\.[^.]*$/, "");
	document.title = `${$("title").textContent} – Brittle`;
	$("timeline").max = show.duration;
	look();
	applyView();
	applyLink();
	const broken = show.recording ? `, ${show.recording.breaks.length} breaks, ${show.recording.bodies.length} bodies` : "";
	say(`${show.duration.toFixed(2)} s${broken}`);
}

async function openFile(file) {
	if (live?.playground) return live.playground.openFile(file);
	say(`opening ${file.name}…`);
	await openBuffer(await file.arrayBuffer(), file.name);
}

$("open").addEventListener("click", () => $("file").click());
$("file").addEventListener("change", () => $("file").files[0] && openFile($("file").files[0]));
addEventListener("dragover", (event) => {
	event.preventDefault();
	document.body.classList.add("dropping");
});
addEventListener("dragleave", () => document.body.classList.remove("dropping"));
addEventListener("drop", (event) => {
	event.preventDefault();
	document.body.classList.remove("dropping");
	if (event.dataTransfer.files[0]) openFile(event.dataTransfer.files[0]);
});

// Time

function setTime(time) {
	if (!show) return;
	show.setTime(time);
	$("timeline").value = show.time;
	$("clock").textContent = `${show.time.toFixed(2)} s`;
	if (show.recording) {
		const frame = show.recording.frames[show.frame];
		$("stat-bodies").textContent = show.visibleCount;
		$("stat-pieces").textContent = show.pieceCount;
		$("stat-awake").textContent = frame?.awake ?? 0;
		$("stat-contacts").textContent = frame?.contacts ?? 0;
		$("stat-step").textContent = "—"; // of a live world alone: a recording has no times by the clock
		if (!$("statistics").hidden) drawChart($("chart"), series(show), show.frame);
	}
}

// What the graph shows of a recording; made once.
function series(of) {
	const { frames, breaks } = of.recording;
	of.series ??= {
		bodies: frames.map((f) => f.bodies),
		stages: frames.map(() => [0, 0, 0]),
		steps: frames.map((f) => f.kinetic),
		breaks: breaks.map((b) => b.frame),
	};
	return of.series;
}

function setPlaying(on) {
	playing = on && show !== null;
	if (playing && show.time >= show.duration) setTime(0);
	$("play").textContent = playing ? "❚❚" : "▶";
	$("play").setAttribute("aria-label", playing ? "Pause" : "Play");
}

function step(frames) {
	setPlaying(false);
	setTime((Math.round(show.time * show.frameRate) + frames) / show.frameRate);
}

function nextBreak() {
	const next = show?.recording?.breaks.find((b) => b.frame > show.frame + 1) ?? show?.recording?.breaks[0];
	if (next) setTime(Math.max(next.frame - 1, 0) / show.frameRate);
}

$("play").addEventListener("click", () => setPlaying(!playing));
$("back").addEventListener("click", () => show && step(-1));
$("forward").addEventListener("click", () => show && step(1));
$("timeline").addEventListener("input", () => {
	setPlaying(false);
	setTime(Number($("timeline").value));
});
$("speed").addEventListener("change", () => (speed = Number($("speed").value)));

// View

function applyView() {
	if (!show) return;
	show.explode = Number($("explode").value);
	show.showGround = $("ground").checked;
	show.setColoring($("color").value);
	show.setEdges($("edges").checked);
	$("statistics").hidden = !$("overlay").checked || !(show.recording || live);
	if (!live) setTime(show.time);
	stage.setGround(show.groundHeight);
	showLegend();
}

// The whole scene: tight on what a live world shows now, on where things go in a recording.
function look() {
	const footer = $(live ? "livebar" : "bar").getBoundingClientRect();
	stage.cover(document.querySelector("header").getBoundingClientRect().bottom, innerHeight - footer.top);
	document.documentElement.style.setProperty("--foot", `${innerHeight - footer.top}px`);
	const box = live ? show.tightBox : null;
	if (box && show.groundHeight !== null) box.min.z = Math.min(box.min.z, show.groundHeight); // what falls is seen to the end
	stage.frame(box?.getBoundingSphere(show.bounds.clone()) ?? show.bounds, show.up, box ? null : show.front, box);
	stage.setGround(show.groundHeight);
}

function showLegend() {
	const legend = show?.legend;
	$("legend").hidden = !legend;
	if (!legend) return;
	["what", "low", "high"].forEach((name, i) => $(`legend-${name}`).textContent !== legend[i] && ($(`legend-${name}`).textContent = legend[i]));
}
for (const id of ["color", "explode", "edges", "ground", "overlay"]) $(id).addEventListener("input", applyView);
function showPanel(on) {
	$("panel").hidden = !on;
	$("panel-toggle").setAttribute("aria-expanded", String(on));
}
$("panel-toggle").addEventListener("click", () => showPanel($("panel").hidden));
$("reset-camera").addEventListener("click", () => show && look());
$("help-toggle").addEventListener("click", () => $("help").showModal());

// Links: everything after the # says how to look.

function link() {
	const { position: p } = stage.camera, { target: t } = stage.controls;
	const numbers = [p.x, p.y, p.z, t.x, t.y, t.z].map((x) => Number(x.toPrecision(5)));
	const parts = new URLSearchParams({
		t: (show?.time ?? 0).toFixed(3),
		speed,
		color: $("color").value,
		explode: $("explode").value,
		edges: $("edges").checked ? 1 : 0,
		camera: numbers.join(","),
	});
	return `${location.href.split("#")[0]}#${parts}`;
}

// How to look, without when: what a live world can take of a link.
function applyLook() {
	const parts = new URLSearchParams(location.hash.slice(1));
	const set = (id, key) => parts.has(key) && ($(id).value = parts.get(key));
	set("color", "color");
	set("explode", "explode");
	if (parts.has("edges")) $("edges").checked = parts.get("edges") === "1";
	if (Number(parts.get("speed")) > 0) {
		speed = Number(parts.get("speed"));
		$("speed").value = String(speed);
	}
	const camera = (parts.get("camera") ?? "").split(",").map(Number);
	if (camera.length === 6 && camera.every(Number.isFinite)) {
		stage.camera.position.set(...camera.slice(0, 3));
		stage.controls.target.set(...camera.slice(3));
	}
	applyView();
	return parts;
}

function applyLink() {
	const parts = applyLook();
	setTime(Number(parts.get("t")) || 0);
	setPlaying(parts.get("play") !== "0" && !parts.has("t") && show.duration > 0);
}

$("share").addEventListener("click", async () => {
	const text = link();
	history.replaceState(null, "", text);
	try {
		await navigator.clipboard.writeText(text);
		say("link copied");
	} catch {
		say("the address bar holds the link");
	}
});

// Keys

function cycle(select, by) {
	select.selectedIndex = Math.min(Math.max(select.selectedIndex + by, 0), select.options.length - 1);
	select.dispatchEvent(new Event("input"));
	select.dispatchEvent(new Event("change"));
}

// What a control does with a key itself, it keeps.
function isControls(event) {
	const { tagName, type } = event.target;
	if (tagName === "BUTTON") return event.key === " " || event.key === "Enter";
	if (tagName === "SELECT") return /^(.|Arrow.*|Home|End|Enter)$/.test(event.key) && event.key !== "?";
	if (tagName !== "INPUT") return false;
	return type === "range" ? /^(Arrow.*|Home|End|Page.*)$/.test(event.key) : event.key === " ";
}

// A choice is made: keys are the page's again.
addEventListener("change", ({ target }) => target.tagName === "SELECT" && target.matches(":not(:focus-visible)") && target.blur());

addEventListener("keydown", (event) => {
	if (event.ctrlKey || event.metaKey || event.altKey || $("help").open) return;
	if (event.key === "?") return $("help").showModal();
	if (event.key === "Escape" && !$("panel").hidden) return showPanel(false), $("panel-toggle").focus();
	if (!show || isControls(event)) return;
	const keys = live ? liveKeys() : {
		" ": () => setPlaying(!playing),
		ArrowLeft: () => step(event.shiftKey ? -Math.round(show.frameRate / 4) : -1),
		ArrowRight: () => step(event.shiftKey ? Math.round(show.frameRate / 4) : 1),
		Home: () => setTime(0),
		End: () => setTime(show.duration),
		"[": () => cycle($("speed"), 1),
		"]": () => cycle($("speed"), -1),
		b: nextBreak,
	};
	Object.assign(keys, {
		c: () => {
			$("color").selectedIndex = ($("color").selectedIndex + 1) % $("color").options.length;
			applyView();
		},
		e: () => ($("edges").checked = !$("edges").checked, applyView()),
		x: () => ($("explode").value = Number($("explode").value) > 0 ? 0 : 0.6, applyView()),
		f: look,
	});
	const action = keys[event.key] ?? keys[event.key.toLowerCase()];
	if (action) {
		event.preventDefault();
		action();
	}
});

// The loop

let last = performance.now();
function tick(now) {
	const passed = Math.min((now - last) / 1e3, 0.1);
	last = now;
	if (live) tickLive();
	else if (playing && show) {
		setTime(show.time + passed * speed);
		if (show.time >= show.duration) setPlaying(false);
	}
	stage.draw();
	requestAnimationFrame(tick);
}
requestAnimationFrame(tick);

// A live world: of a server (brittle serve), or of a worker (playground).

// Ways to strike: factors on the radius and speed of a ball.
const STRIKES = { throw: [1, 1], drop: [1, 1], shoot: [0.35, 7], wreck: [3, 1.4] };

function beginLive() {
	const world = { show: null, driving: false, mode: "throw", radius: 0.05, speed: 5, gravity: [0, 0, -9.81] };
	live = { world, state: "connecting", clients: 0, frames: 0, latency: 0, wasSpeed: 1, status: null, chartAt: 0 };
	if (playground) {
		live.playground = playground;
		live.link = playground.link;
	} else {
		const path = location.pathname.replace(/[^/]*$/, "live");
		live.link = new LiveLink(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}${path}`, handlers);
	}
	live.hand = new Hand(stage, live.link, world, () => ($("hint").hidden = true));
	for (const id of ["livebar", "world", "live-keys"]) $(id).hidden = false;
	for (const id of ["rate-name", "stat-rate"]) $(id).hidden = live.playground !== undefined;
	for (const id of ["welcome", "play-keys", "share"]) $(id).hidden = true;
	$("open").hidden = !live.playground;
	showRole();
	const on = (id, act) => $(id).addEventListener(id.endsWith("speed") || $(id).tagName === "SELECT" ? "change" : "input", act);
	$("live-pause").addEventListener("click", pauseLive);
	$("live-step").addEventListener("click", () => live.link.send(commands.step()));
	$("live-begin").addEventListener("click", () => live.link.send(commands.begin()));
	on("live-speed", () => live.link.send(commands.speed(Number($("live-speed").value))));
	on("live-click", setBall);
	on("live-material", () => live.link.send(commands.material($("live-material").selectedIndex)));
	on("live-gravity", () => live.link.send(commands.gravity([0, 0, -Number($("live-gravity").value)])));
	on("live-radius", setBall);
	on("live-force", setBall);
}

function setLiveState(state, text) {
	live.state = state;
	const words = {
		lost: "The connection is lost. Trying again…",
		elsewhere: "The server was started again under another address. Open the one that it prints.",
		broken: `The world could not be loaded${text ? `: ${text}` : ""}. A browser with WebAssembly and module workers is needed.`,
		bad: `The server said something that is not understood: ${text}.`,
	};
	$("banner").textContent = words[state] ?? "";
	$("banner").hidden = !(state in words);
	if (state !== "open") {
		live.hand?.let();
		live.world.driving = false;
	}
	showRole();
}

function showRole() {
	const { world, state, clients } = live;
	const role = state !== "open" ? "offline" : world.driving ? "driving" : "watching";
	$("live-role").className = role;
	$("live-role").textContent = role === "offline" ? state === "connecting" ? "connecting…" : "not connected" : `${role}${clients > 1 ? `, ${clients} here` : ""}`;
	for (const control of document.querySelectorAll("#livebar button, #livebar select, #world select, #world input")) control.disabled = role !== "driving";
}

function setBall() {
	const { hello, world } = live;
	const [radius, speed] = STRIKES[$("live-click").value];
	world.mode = $("live-click").value;
	if (!hello) return;
	world.radius = hello.ballRadius * Number($("live-radius").value) * radius;
	world.speed = Math.min(hello.throwSpeed * Number($("live-force").value) * speed, 150);
}

function pauseLive() {
	const isPaused = live.status?.speed === 0;
	live.link.send(commands.speed(isPaused ? live.wasSpeed : 0));
}

function takeHello(hello) {
	live.hello = hello;
	$("live-material").replaceChildren(...["scene's own", ...hello.materials].map((name) => new Option(name)));
	setBall();
	if (show) {
		show.begin(hello);
		return showTitle(hello);
	}
	const next = new LiveShow(hello);
	live.world.show = next;
	show = next;
	stage.scene.add(show.object);
	$("statistics").hidden = !$("overlay").checked;
	$("hint").hidden = false;
	showTitle(hello);
}

// A scene is another one, or begins again: the camera goes there only if it was elsewhere.
function showTitle(hello) {
	const title = hello.title || "Live";
	if (live.title === title) return;
	live.title = title;
	if (!live.playground) $("title").textContent = title; // there a list says it
	document.title = `${title} – Brittle`;
	live.isToLook = true; // as soon as there is something to see
}

function takeStatus(status) {
	live.status = status;
	live.clients = status.clients;
	live.world.driving = status.driving;
	live.world.gravity = status.gravity;
	show.speed = status.speed;
	if (status.speed > 0) live.wasSpeed = status.speed;
	const pick = (select, value) => {
		const options = [...select.options].map((o) => Math.abs(Number(o.value) - value));
		select.selectedIndex = options.indexOf(Math.min(...options));
	};
	pick($("live-speed"), live.wasSpeed);
	pick($("live-gravity"), -status.gravity[2]);
	$("live-material").selectedIndex = status.material;
	$("live-pause").textContent = status.speed === 0 ? "▶" : "❚❚";
	$("live-pause").setAttribute("aria-label", status.speed === 0 ? "Go on" : "Pause");
	if (!status.driving) live.hand.let();
	showRole();
}

function takeMessage(message) {
	if (message.kind === "hello") takeHello(message);
	if (message.kind === "status") takeStatus(message);
	if (message.kind !== "frame") return;
	const born = show.take(message);
	live.frames += 1;
	if (live.isToLook && born.length > 0) {
		live.isToLook = false;
		look();
		applyLook();
	}
	if (!message.forget) live.playground?.hear(born);
	if (live.hand.sentAt > 0 && born.some(({ kind }) => kind === BALL || kind === HUNG_BALL)) {
		live.latency = performance.now() - live.hand.sentAt;
		live.hand.sentAt = 0;
	}
	if (live.hand.held && !show.items.has(live.hand.held.item.index)) live.hand.let(); // it broke
}

function tickLive() {
	if (!show) return;
	live.hand.tick();
	show.setTime();
	const now = performance.now();
	if (now - live.chartAt < 100) return;
	live.chartAt = now;
	const { numbers } = show;
	const texts = {
		bodies: numbers.bodies, awake: numbers.awake, contacts: numbers.contacts, pieces: numbers.pieces,
		step: `${(1e3 * numbers.stepSeconds).toFixed(1)} ms`, rate: `${Math.round(100 * numbers.rate)}%`,
	};
	for (const [name, text] of Object.entries(texts)) $(`stat-${name}`).textContent = text;
	if (!$("statistics").hidden) drawChart($("chart"), show.series);
	showLegend();
}

function liveKeys() {
	const { driving } = live.world;
	const choose = (value) => (($("live-click").value = value), setBall());
	return {
		" ": () => driving && pauseLive(),
		ArrowRight: () => driving && live.link.send(commands.step()),
		t: () => driving && live.hand.strike(innerWidth / 2, innerHeight / 2),
		r: () => driving && live.link.send(commands.begin()),
		1: () => driving && choose("throw"),
		2: () => driving && choose("drop"),
		3: () => driving && choose("shoot"),
		4: () => driving && choose("wreck"),
		z: () => live.playground?.link.undo(),
		"[": () => driving && cycle($("live-speed"), 1),
		"]": () => driving && cycle($("live-speed"), -1),
	};
}

// A recording inside the page (brittle view), or one beside it when served (?file=...).

let tetPage = null;

async function begin() {
	if (!IS_PLAYGROUND && $("live-tets")) return void (tetPage = new TetPage(stage, say));
	if ($("live") || playground) return beginLive();
	const inside = $("recording");
	const beside = new URLSearchParams(location.search).get("file");
	if (inside) {
		const bytes = Uint8Array.from(atob(inside.textContent.trim()), (c) => c.charCodeAt(0));
		await openBuffer(bytes.buffer, inside.dataset.name);
	} else if (beside) {
		const answer = await fetch(beside).catch(() => null);
		if (!answer?.ok) return say(`${beside} cannot be had`, true);
		await openBuffer(await answer.arrayBuffer(), beside.split("/").pop());
	}
}
begin();

// For tests and the curious.
window.brittle = {
	get state() {
		return {
			name: live?.title ?? $("title").textContent,
			time: show?.time ?? 0,
			frame: show?.frame ?? 0,
			duration: show?.duration ?? 0,
			playing,
			visible: show?.visibleCount ?? 0,
			pieces: show?.pieceCount ?? 0,
			status: $("status").textContent,
			tets: tetPage?.state,
			live: live && {
				state: live.state,
				role: $("live-role").className,
				banner: $("banner").hidden ? "" : $("banner").textContent,
				clients: live.clients,
				frames: live.frames,
				bytes: live.link.bytes,
				latency: live.latency,
				held: live.hand.held?.item.index ?? 0,
				heard: live.playground?.sound.played ?? 0,
				link: live.playground?.address,
				threads: live.link.threads,
				world: live.world.show && { time: show.now, speed: show.speed, stress: show.stressRange[1], ...show.numbers, gone: undefined, born: undefined, moved: undefined },
				status: live.status,
			},
		};
	},
	// Bodies of a live world and where they are in the picture.
	get bodies() {
		const { width, height } = stage.canvas.getBoundingClientRect();
		stage.camera.updateMatrixWorld();
		return [...(live?.world.show?.items.values() ?? [])].map((item) => {
			const at = item.mesh.localToWorld(item.center.clone());
			const place = at.clone().project(stage.camera);
			const off = item.mesh.position.distanceTo(item.to.position); // drawn from where it is said to be
			const end = item.rope?.position.clone().multiplyScalar(2);
			return { number: item.index, kind: item.kind, material: item.look.surfaces[0]?.name ?? "", off, at: at.toArray(), rope: end?.length(), hook: end && item.mesh.localToWorld(end).toArray(), x: ((place.x + 1) / 2) * width, y: ((1 - place.y) / 2) * height };
		});
	},
	get camera() {
		return [...stage.camera.position.toArray(), ...stage.controls.target.toArray()].map((x) => x.toFixed(4)).join();
	},
	hash: (steps) => live?.playground?.link.hash(steps),
	run: (scene, frames) => live?.playground?.link.run(scene, frames),
	write: (ending) => live?.playground?.link.write(ending),
	aim: (x, y) => live?.hand.aim(x, y)?.object.userData.item.index ?? 0,
	setTime,
	open: openBuffer,
	draw: () => stage.draw(),
	// All that is drawn, however slow: for pictures.
	drawFine: () => (stage.pace.isFixed = stage.isFine = true),
};

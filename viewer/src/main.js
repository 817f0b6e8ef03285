// The page: opens files, plays them, listens to keys and buttons. State that can be shared lives in the link's #part.

import { drawChart } from "./chart.js";
import { readRecording } from "./recording.js";
import { GltfShow, RecordingShow } from "./show.js";
import { Stage } from "./stage.js";

const $ = (id) => document.getElementById(id);
const stage = new Stage($("stage"));
let show = null;
let playing = false;
let speed = 1;

function say(text, isBad = false) {
	$("status").textContent = text;
	$("status").classList.toggle("bad", isBad);
}

// Files

async function openBuffer(buffer, name) {
	try {
		const isGltf = /\.(glb|gltf)$/i.test(name);
		const next = isGltf ? await GltfShow.load(buffer) : new RecordingShow(readRecording(buffer));
		present(next, name);
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
	stage.frame(show.bounds, show.up);
	applyView();
	applyLink();
	const broken = show.recording ? `, ${show.recording.breaks.length} breaks, ${show.recording.bodies.length} bodies` : "";
	say(`${show.duration.toFixed(2)} s${broken}`);
}

async function openFile(file) {
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
		$("stat-step").textContent = `${(1e3 * (frame?.stepSeconds ?? 0)).toFixed(1)} ms`;
		if (!$("statistics").hidden) drawChart($("chart"), show.recording, show.frame);
	}
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
	show.setColouring($("colour").value);
	show.setEdges($("edges").checked);
	$("statistics").hidden = !$("overlay").checked || !show.recording;
	setTime(show.time);
}
for (const id of ["colour", "explode", "edges", "ground", "overlay"]) $(id).addEventListener("input", applyView);
$("panel-toggle").addEventListener("click", () => {
	$("panel").hidden = !$("panel").hidden;
	$("panel-toggle").setAttribute("aria-expanded", String(!$("panel").hidden));
});
$("reset-camera").addEventListener("click", () => show && stage.frame(show.bounds, show.up));
$("help-toggle").addEventListener("click", () => $("help").showModal());

// Links: everything after the # says how to look.

function link() {
	const { position: p } = stage.camera, { target: t } = stage.controls;
	const numbers = [p.x, p.y, p.z, t.x, t.y, t.z].map((x) => Number(x.toPrecision(5)));
	const parts = new URLSearchParams({
		t: (show?.time ?? 0).toFixed(3),
		speed,
		colour: $("colour").value,
		explode: $("explode").value,
		edges: $("edges").checked ? 1 : 0,
		camera: numbers.join(","),
	});
	return `${location.href.split("#")[0]}#${parts}`;
}

function applyLink() {
	const parts = new URLSearchParams(location.hash.slice(1));
	const set = (id, key) => parts.has(key) && ($(id).value = parts.get(key));
	set("colour", "colour");
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

addEventListener("keydown", (event) => {
	if (event.ctrlKey || event.metaKey || event.altKey || $("help").open) return;
	if (event.key === "?") return $("help").showModal();
	if (!show || /^(SELECT|INPUT|BUTTON)$/.test(event.target.tagName) && event.key !== "?") return;
	const keys = {
		" ": () => setPlaying(!playing),
		ArrowLeft: () => step(event.shiftKey ? -Math.round(show.frameRate / 4) : -1),
		ArrowRight: () => step(event.shiftKey ? Math.round(show.frameRate / 4) : 1),
		Home: () => setTime(0),
		End: () => setTime(show.duration),
		"[": () => cycle($("speed"), 1),
		"]": () => cycle($("speed"), -1),
		b: nextBreak,
		c: () => {
			$("colour").selectedIndex = ($("colour").selectedIndex + 1) % $("colour").options.length;
			applyView();
		},
		e: () => ($("edges").checked = !$("edges").checked, applyView()),
		x: () => ($("explode").value = Number($("explode").value) > 0 ? 0 : 0.6, applyView()),
		f: () => stage.frame(show.bounds, show.up),
	};
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
	if (playing && show) {
		setTime(show.time + passed * speed);
		if (show.time >= show.duration) setPlaying(false);
	}
	stage.draw();
	requestAnimationFrame(tick);
}
requestAnimationFrame(tick);

// A recording inside the page (brittle view), or one beside it when served (?file=...).

async function begin() {
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
			name: $("title").textContent,
			time: show?.time ?? 0,
			frame: show?.frame ?? 0,
			duration: show?.duration ?? 0,
			playing,
			visible: show?.visibleCount ?? 0,
			pieces: show?.pieceCount ?? 0,
			status: $("status").textContent,
		};
	},
	setTime,
	open: openBuffer,
	draw: () => stage.draw(),
};

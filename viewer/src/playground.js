// The playground: a live world in a worker of this page. Chooses things, opens files of the visitor's, shares, records, and is heard.

import { PIECE } from "./bodies.js";
import { Sound } from "./sound.js";
import { makeScene, MATERIALS, ownThing, THINGS } from "./things.js";
import { WorkerLink } from "./worker_link.js";

const $ = (id) => document.getElementById(id);
const LINK_LIMIT = 6000; // characters that a link may have

function encode(bytes) {
	return btoa(String.fromCharCode(...new Uint8Array(bytes))).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

function decode(text) {
	return Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (c) => c.charCodeAt(0));
}

function save(blob, name) {
	const link = document.createElement("a");
	link.href = URL.createObjectURL(blob);
	link.download = name;
	link.click();
	setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

export class Playground {
	// `page` has say(text, isBad), draw() and canvas; `handlers` are those of a LiveLink.
	constructor(page, handlers) {
		this.page = page;
		this.sound = new Sound();
		this.own = null; // { thing, files } of a file of the visitor's
		this.log = [];
		this.step = 0;
		this.choice = { thing: "wine_glass", material: "", strength: 1, seed: 1, lift: 0 };
		this.link = new WorkerLink(window.world, { // of build.mjs
			...handlers,
			onOpened: () => page.say(""),
			onRefused: (text) => this.refuse(text),
			onLog: (log, step) => ((this.log = log), (this.step = step)),
		});
		this.fillIn();
		this.listen();
		this.openLink();
	}

	fillIn() {
		$("thing").replaceChildren(...Object.entries(THINGS).map(([name, { label }]) => new Option(label, name)));
		$("stuff").replaceChildren(...MATERIALS.map((name) => new Option(name.replaceAll("_", " "), name)));
		for (const id of ["choose", "play-tools", "undo", "drop-it"]) $(id).hidden = false;
		for (const id of ["live-role", "live-material-row"]) $(id).hidden = true;
		$("live-force").value = $("live-radius").value = "2"; // a first throw should smash, not chip
		$("file").accept = ".glb,.gltf,.obj,.stl,.ply,.off";
	}

	listen() {
		$("thing").addEventListener("change", () => this.choose({ thing: $("thing").value, material: "", lift: 0 }));
		$("stuff").addEventListener("change", () => this.choose({ material: $("stuff").value }));
		$("strength").addEventListener("change", () => this.choose({ strength: 10 ** Number($("strength").value) }));
		$("undo").addEventListener("click", () => this.link.undo());
		$("drop-it").addEventListener("click", () => this.choose({ lift: 1.5 }));
		$("share-play").addEventListener("click", () => this.share());
		$("save-glb").addEventListener("click", () => this.saveGlb());
		$("picture").addEventListener("click", () => this.takePicture());
		$("record").addEventListener("click", () => this.record());
		$("sound").addEventListener("change", () => (this.sound.isOn = $("sound").checked));
		addEventListener("pointerdown", () => this.sound.wake(), true);
		addEventListener("keydown", () => this.sound.wake(), true);
	}

	get thing() {
		return this.choice.thing === "own" ? this.own.thing : THINGS[this.choice.thing];
	}

	get material() {
		return this.choice.material || this.thing.material;
	}

	choose(changes, past) {
		Object.assign(this.choice, changes);
		$("thing").value = this.choice.thing;
		$("stuff").value = this.material;
		$("strength").value = String(Math.log10(this.choice.strength));
		const { strength, seed, lift } = this.choice;
		this.link.open(makeScene(this.thing, { material: this.material, strength, seed, lift }), { files: this.choice.thing === "own" ? this.own.files : undefined, log: past });
	}

	refuse(text) {
		this.page.say(text, true);
		if (this.choice.thing !== "own") return;
		this.own = null;
		[...$("thing").options].find((option) => option.value === "own")?.remove();
		this.choice.thing = "vase";
		$("thing").value = "vase";
	}

	// A file of the visitor's takes the place of the thing.
	async openFile(file) {
		const ending = /\.(glb|gltf|obj|stl|ply|off)$/i.exec(file.name)?.[1];
		if (!ending) return this.page.say(`${file.name}: a .glb, .obj, .stl, .ply or .off file can be broken`, true);
		const name = `own.${ending.toLowerCase()}`;
		this.own = { thing: { ...ownThing(name), label: file.name.replace(/\.[^.]*$/, "") }, files: { [name]: new Uint8Array(await file.arrayBuffer()) } };
		[...$("thing").options].find((option) => option.value === "own")?.remove();
		$("thing").append(new Option(this.own.thing.label, "own"));
		this.choose({ thing: "own", material: "", lift: 0 });
	}

	// Links: what was chosen, and every command with the number of its step. The same bits for everybody.

	get address() {
		const { thing, strength, seed, lift } = this.choice;
		const parts = new URLSearchParams({ thing, material: this.material, strength: strength.toPrecision(3), seed, lift });
		if (this.log.length > 0) parts.set("do", this.log.map(([at, bytes]) => `${at}.${encode(bytes)}`).join("~"));
		return `${location.href.split("#")[0]}#${parts}`;
	}

	openLink() {
		const parts = new URLSearchParams(location.hash.slice(1));
		const number = (key, fallback, low, high) => (parts.has(key) && Number.isFinite(Number(parts.get(key))) ? Math.min(Math.max(Number(parts.get(key)), low), high) : fallback);
		const changes = { strength: number("strength", 1, 0.01, 100), seed: Math.floor(number("seed", 1, 0, 2 ** 31)), lift: number("lift", 0, 0, 3) };
		if (parts.get("thing") in THINGS) changes.thing = parts.get("thing");
		if (MATERIALS.includes(parts.get("material"))) changes.material = parts.get("material");
		let past = [];
		try {
			past = (parts.get("do") ?? "").split("~").filter(Boolean).map((entry) => [Number(entry.split(".")[0]) || 0, decode(entry.split(".")[1]).buffer]);
		} catch {
			this.page.say("the link is damaged: what was thrown is not repeated", true);
		}
		this.choose(changes, past);
	}

	async share() {
		if (this.choice.thing === "own") return this.page.say("a file of your own cannot be in a link; save the .glb instead", true);
		const text = this.address;
		if (text.length > LINK_LIMIT) return this.page.say("too much was dragged about for a link: begin again and throw", true);
		history.replaceState(null, "", text);
		try {
			await navigator.clipboard.writeText(text);
			this.page.say("link copied: the same break for everyone");
		} catch {
			this.page.say("the address bar holds the link");
		}
	}

	async saveGlb() {
		try {
			const bytes = await this.link.write("glb");
			save(new Blob([bytes], { type: "model/gltf-binary" }), `${this.choice.thing}.glb`);
			this.page.say(`${(bytes.length / 1024).toFixed(0)} kB saved`);
		} catch (error) {
			this.page.say(error.message, true);
		}
	}

	takePicture() {
		this.page.draw();
		this.page.canvas.toBlob((blob) => blob && save(blob, `${this.choice.thing}.png`), "image/png");
	}

	record() {
		if (this.recorder) return this.recorder.stop();
		if (typeof MediaRecorder === "undefined") return this.page.say("this browser records no video", true);
		const kind = ["video/webm;codecs=vp9", "video/webm"].find((type) => MediaRecorder.isTypeSupported(type));
		const parts = [];
		this.recorder = new MediaRecorder(this.page.canvas.captureStream(60), { mimeType: kind, videoBitsPerSecond: 12e6 });
		this.recorder.ondataavailable = ({ data }) => parts.push(data);
		this.recorder.onstop = () => {
			this.recorder = null;
			$("record").setAttribute("aria-pressed", "false");
			$("record").textContent = "Record";
			this.video = new Blob(parts, { type: "video/webm" });
			save(this.video, `${this.choice.thing}.webm`);
		};
		this.recorder.start();
		$("record").setAttribute("aria-pressed", "true");
		$("record").textContent = "Stop";
	}

	// Bodies that came with a frame: pieces are heard, those of each break together.
	hear(born) {
		const breaks = new Map();
		for (const { kind, root, look } of born) {
			if (kind !== PIECE) continue;
			breaks.has(root) ? breaks.get(root).push(look.geometry.boundingSphere.radius) : breaks.set(root, [look.geometry.boundingSphere.radius]);
		}
		for (const sizes of breaks.values()) this.sound.break(this.material, sizes);
	}
}

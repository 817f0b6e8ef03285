// Tet meshes that pass through each other, of `brittle serve A.msh B.msh`: surfaces, the tets that meet, what is chosen, and how long frames take.

import * as THREE from "three";
import { drawChart } from "./chart.js";
import { LiveLink } from "./live.js";
import { commands } from "./wire.js";

const WINDOW = 240; // frames in the graph
const SURFACES = [0x5b82b5, 0x9c9c72], MEETING = [0xc0140a, 0xe8a010]; // of the first mesh, of those that move
const FACES = [0, 2, 1, 0, 1, 3, 1, 2, 3, 2, 0, 3]; // of a tet, by its nodes

const $ = (id) => document.getElementById(id);

function soup(positions, material) {
	const geometry = new THREE.BufferGeometry();
	geometry.setAttribute("position", new THREE.BufferAttribute(positions, 3));
	geometry.computeBoundingBox();
	return new THREE.Mesh(geometry, material);
}

// Nodes of tets, four points each, as triangles.
function facesOf(nodes) {
	const positions = new Float32Array((nodes.length / 12) * 36);
	for (let tet = 0, at = 0; tet < nodes.length; tet += 12)
		for (const node of FACES) for (let k = 0; k < 3; ++k) positions[at++] = nodes[tet + 3 * node + k];
	return positions;
}

export class TetPage {
	constructor(stage, say) {
		this.stage = stage;
		this.say = say;
		this.group = new THREE.Group();
		stage.scene.add(this.group);
		this.meeting = MEETING.map((color) => new THREE.MeshStandardMaterial({ color, flatShading: true, side: THREE.DoubleSide, roughness: 0.6 }));
		this.series = { bodies: [], stages: [], steps: [], breaks: [] };
		this.news = null;
		for (const id of ["welcome", "open", "share"]) $(id).hidden = true;
		for (const control of $("panel").querySelectorAll(":scope > label")) control.hidden = true;
		$("reset-camera").addEventListener("click", () => this.look());
		$("chart-key").innerHTML = '<i class="bodies"></i>tets <i class="detect"></i>build <i class="solve"></i>search <i class="break"></i>test';
		$("statistics").hidden = $("panel").hidden = false;
		this.numbers = this.addNumbers(["frame", "pairs", "tets that meet", "tets", "k-free"]);
		const path = location.pathname.replace(/[^/]*$/, "live");
		this.link = new LiveLink(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}${path}`, {
			onState: (state, text) => say(state === "open" ? "" : state === "bad" ? text : "the connection is lost; trying again…", state !== "open"),
			onMessage: (message) => (message.choices ? this.greet(message) : this.hear(message)),
		});
	}

	// Frames come faster than slow pages draw: every one is in the chart, the last one before a picture is in it.
	hear(news) {
		const { bodies, stages, steps } = this.series;
		bodies.push(news.meeting[0] + news.meeting[1]), stages.push(news.stages), steps.push(news.seconds);
		if (bodies.length > WINDOW) for (const list of [bodies, stages, steps]) list.shift();
		if (!this.next) requestAnimationFrame(() => this.take(this.next));
		this.next = news;
	}

	addNumbers(names) {
		const list = document.querySelector("#statistics dl");
		list.replaceChildren();
		return names.map((name) => {
			const value = Object.assign(document.createElement("dd"), { id: `tets-${name.replaceAll(" ", "-")}` });
			list.append(Object.assign(document.createElement("dt"), { textContent: name }), value);
			return value;
		});
	}

	// The surfaces, and a list for everything that can be chosen.
	greet({ title, tets, k, ends, choices, surfaces, floats }) {
		this.ends = ends;
		$("title").textContent = document.title = title;
		this.numbers[3].textContent = tets;
		this.numbers[4].textContent = `k = ${k}`;
		this.group.clear();
		let at = 0;
		this.surfaces = surfaces.map((count, i) => {
			const positions = floats.slice(at, (at += 9 * count)), color = SURFACES[i > 0 ? 1 : 0];
			const material = new THREE.MeshStandardMaterial({ color, flatShading: true, transparent: true, opacity: 0.25, depthWrite: false });
			const mesh = soup(positions, material);
			this.group.add(mesh);
			return mesh;
		});
		this.marks = this.meeting.map((material) => {
			const mesh = soup(new Float32Array(0), material);
			mesh.frustumCulled = false;
			this.group.add(mesh);
			return mesh;
		});
		$("world").hidden = false;
		$("world").replaceChildren(Object.assign(document.createElement("legend"), { textContent: "Search" }));
		this.selects = choices.map(({ name, options }, which) => {
			const select = Object.assign(document.createElement("select"), { id: `tets-${name}` });
			select.append(...options.map((option) => new Option(option)));
			select.addEventListener("change", () => this.link.send(commands.choose(which, select.selectedIndex)));
			$("world").append(Object.assign(document.createElement("label"), { textContent: `${name} ` }));
			$("world").lastChild.append(select);
			return select;
		});
		this.pause = Object.assign(document.createElement("button"), { type: "button", id: "tets-pause" });
		this.pause.addEventListener("click", () => this.link.send(commands.speed(this.news?.speed > 0 ? 0 : 1)));
		$("world").append(this.pause);
		this.isToLook = true;
	}

	take(news) {
		this.news = news;
		this.next = null;
		this.surfaces.slice(1).forEach((mesh) => mesh.position.set(...news.offset));
		const split = 12 * news.meeting[0];
		[news.floats.subarray(0, split), news.floats.subarray(split)].forEach((nodes, i) => {
			this.marks[i].geometry.dispose();
			this.marks[i].geometry = soup(facesOf(nodes), null).geometry;
		});
		this.selects.forEach((select, i) => document.activeElement !== select && (select.selectedIndex = news.chosen[i]));
		this.pause.textContent = news.speed > 0 ? "Pause" : "Go on";
		this.say(news.said, news.said !== "");
		drawChart($("chart"), this.series);
		const texts = [`${(1e3 * news.seconds).toFixed(2)} ms`, news.pairs, news.meeting[0] + news.meeting[1]];
		texts.forEach((text, i) => (this.numbers[i].textContent = text));
		if (this.isToLook) this.look();
	}

	// All of what stands, and of what moves from end to end of its way.
	look() {
		this.isToLook = false;
		const box = this.surfaces[0].geometry.boundingBox.clone();
		for (const { geometry } of this.surfaces.slice(1))
			for (const end of this.ends) box.union(geometry.boundingBox.clone().translate(new THREE.Vector3(...end)));
		const sphere = box.getBoundingSphere(new THREE.Sphere());
		this.stage.frame(sphere, new THREE.Vector3(0, 0, 1), null, box);
		this.stage.setGround(null);
	}

	get state() {
		const { floats, ...news } = this.news ?? { floats: null };
		return { ...news, points: this.marks?.map(({ geometry }) => geometry.attributes.position.count), chart: this.series.steps.length };
	}
}

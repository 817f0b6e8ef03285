// A live world: the connection that comes back by itself, and the show of what it tells.

import * as THREE from "three";
import { BodyShow, GROUND, makeLook } from "./bodies.js";
import { readMessage } from "./wire.js";

const WINDOW = 600; // frames in the graph
const RETRY = [300, 600, 1200, 2500]; // ms

// Calls back with "open", "lost" and every message; tries again for ever.
export class LiveLink {
	constructor(address, { onState, onMessage }) {
		this.address = address;
		this.onState = onState;
		this.onMessage = onMessage;
		this.tries = 0;
		this.bytes = 0;
		this.connect();
	}

	connect() {
		this.socket = new WebSocket(this.address);
		this.socket.binaryType = "arraybuffer";
		this.socket.onmessage = ({ data }) => {
			this.bytes += data.byteLength;
			try {
				const message = readMessage(data);
				if (message.kind === "hello" || message.choices) {
					this.tries = 0;
					this.onState("open");
				}
				this.onMessage(message);
			} catch (error) {
				this.onState("bad", error.message);
				this.socket.close();
			}
		};
		this.socket.onclose = async () => {
			this.onState((await this.isElsewhere()) ? "elsewhere" : "lost");
			setTimeout(() => this.connect(), RETRY[Math.min(this.tries++, RETRY.length - 1)]);
		};
	}

	// A server that answers but does not know this address has been started anew under another one.
	async isElsewhere() {
		try {
			const answer = await fetch(location.pathname, { cache: "no-store" });
			answer.body?.cancel();
			return answer.status === 404;
		} catch {
			return false;
		}
	}

	get isOpen() {
		return this.socket.readyState === WebSocket.OPEN;
	}

	send(buffer) {
		if (this.isOpen) this.socket.send(buffer);
	}
}

export class LiveShow extends BodyShow {
	constructor(hello) {
		super();
		this.items = new Map();
		this.looks = new Map();
		this.roots = new Map();
		this.frameRate = 1 / hello.dt;
		this.duration = 0;
		this.time = 0;
		this.speed = 1;
		this.showGround = true;
		this.begin(hello);
	}

	begin(hello) {
		this.hello = hello;
		const box = new THREE.Box3(new THREE.Vector3(...hello.lower), new THREE.Vector3(...hello.upper));
		this.bounds = box.getBoundingSphere(new THREE.Sphere());
		this.forget();
	}

	forget() {
		for (const item of this.items.values()) this.dropItem(item);
		for (const { geometry } of this.looks.values()) geometry.dispose();
		this.items.clear();
		this.looks.clear();
		this.roots.clear();
		this.stressRange = [Infinity, 0];
		this.series = { bodies: [], stages: [], steps: [], breaks: [] };
		this.numbers = { bodies: 0, awake: 0, contacts: 0, pieces: 0, breaks: 0, stepSeconds: 0, rate: 1 };
		this.balls = 0;
		this.now = 0;
		this.interval = this.hello.dt;
		this.arrived = performance.now();
	}

	get list() {
		return this.items.values();
	}

	// The pose in steps as a place and a turn.
	decode(pose, position, quaternion) {
		const { unit } = this.hello;
		position.set(pose[0] * unit, pose[1] * unit, pose[2] * unit);
		quaternion.set(pose[3], pose[4], pose[5], pose[6]).normalize();
	}

	add(body) {
		if (body.shape) this.looks.set(body.mesh, { ...makeLook(body.shape, body.kind), isShared: body.kind === 0 || body.kind === GROUND });
		const look = this.looks.get(body.mesh);
		if (!look) throw new Error("a body has no mesh");
		const item = this.makeItem(body.number, body.kind, look, body.stress);
		item.id = body.id;
		if (body.rope) this.hang(item, body.rope);
		item.meshNumber = body.mesh;
		item.pose = body.pose;
		item.change = body.change;
		item.birth = this.now;
		item.isMoving = false;
		item.isDue = true;
		item.from = { position: new THREE.Vector3(), quaternion: new THREE.Quaternion() };
		item.to = { position: new THREE.Vector3(), quaternion: new THREE.Quaternion() };
		this.decode(item.pose, item.to.position, item.to.quaternion);
		item.from.position.copy(item.to.position);
		item.from.quaternion.copy(item.to.quaternion);
		item.mesh.position.copy(item.to.position);
		item.mesh.quaternion.copy(item.to.quaternion);
		item.mesh.userData.item = item;
		item.root = this.roots.get(body.parent) ?? (body.parent || body.number);
		item.mesh.visible = body.kind !== GROUND || this.showGround;
		this.roots.set(body.number, item.root);
		this.items.set(body.number, item);
		this.paintItem(item);
		this.edgeItem(item);
		return item;
	}

	remove(number) {
		const item = this.items.get(number);
		if (!item) return;
		this.dropItem(item);
		this.items.delete(number);
		if (!item.look.isShared) {
			item.look.geometry.dispose();
			this.looks.delete(item.meshNumber);
		}
	}

	// Takes a frame in. Returns the bodies that are new.
	take(frame) {
		if (frame.forget) this.forget();
		const passed = frame.time - this.now;
		this.interval = passed > 0 ? passed : this.hello.dt;
		this.now = frame.time;
		this.arrived = performance.now();
		frame.gone.forEach((number) => this.remove(number));
		for (const item of this.items.values()) {
			item.from.position.copy(item.to.position);
			item.from.quaternion.copy(item.to.quaternion);
			item.isMoving = false;
		}
		for (const { number, steps } of frame.moved) {
			const item = this.items.get(number);
			if (!item) throw new Error("a body moves that is not there");
			for (let k = 0; k < 7; ++k) item.pose[k] += item.change[k] += steps[k];
			item.isMoving = item.isDue = true;
			this.decode(item.pose, item.to.position, item.to.quaternion);
		}
		for (const item of this.items.values()) if (!item.isMoving) item.change.fill(0);
		const born = frame.born.map((body) => this.add(body));
		this.note(frame);
		return born;
	}

	note(frame) {
		const { bodies, stages, steps, breaks } = this.series;
		if (frame.breaks > this.numbers.breaks) breaks.push(bodies.length);
		this.numbers = frame;
		bodies.push(frame.bodies);
		stages.push([frame.detect, frame.solve, frame.break]);
		steps.push(frame.stepSeconds);
		if (bodies.length > WINDOW) {
			for (const list of [bodies, stages, steps]) list.shift();
			this.series.breaks = breaks.map((at) => at - 1).filter((at) => at >= 0);
		}
	}

	set explode(share) {
		this.share = share;
		for (const item of this.items?.values() ?? []) item.isDue = true;
	}

	get explode() {
		return this.share;
	}

	// Places everything for this moment: from the last frame but one to the last, as time goes on.
	setTime() {
		const passed = ((performance.now() - this.arrived) / 1e3) * this.speed;
		const part = this.speed > 0 ? Math.min(passed / this.interval, 1) : 1;
		const moved = [];
		for (const item of this.items.values()) {
			item.mesh.visible = item.kind !== GROUND || this.showGround;
			// What rests is placed once more; several frames may have come since the last picture.
			if (!item.isDue) continue;
			item.isDue = item.isMoving || this.explode > 0;
			moved.push(item);
			item.mesh.position.lerpVectors(item.from.position, item.to.position, part);
			item.mesh.quaternion.slerpQuaternions(item.from.quaternion, item.to.quaternion, part);
		}
		this.spread();
		for (const item of moved) this.batches.follow(item);
		if (this.coloring === "speed" || this.coloring === "birth" || this.coloring === "stress") this.paint();
		this.time = this.now;
	}

	birthOf(item) {
		return this.now > 0 ? item.birth / this.now : 0;
	}

	speedOf(item) {
		return item.from.position.distanceTo(item.to.position) / this.interval;
	}
}

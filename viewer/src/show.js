// What can be shown over time. A show has: object, duration, frameRate, bounds, up, setTime(t), and for recordings more.

import * as THREE from "three";
import { GLTFLoader } from "three/addons/loaders/GLTFLoader.js";
import { BodyShow, GROUND, makeLook } from "./bodies.js";

// Part of the way by a turn about a fixed axis, which may be more than a whole one; what it misses of `next` is made up for evenly.
// The twin in C is brRecording_Between.
function turnTo(rotation, next, [x, y, z], part) {
	const angle = Math.hypot(x, y, z), axis = new THREE.Vector3(x / angle, y / angle, z / angle);
	const whole = new THREE.Quaternion().setFromAxisAngle(axis, angle).multiply(rotation);
	const missed = next.clone().multiply(whole.invert());
	rotation.premultiply(new THREE.Quaternion().setFromAxisAngle(axis, part * angle));
	rotation.premultiply(new THREE.Quaternion().slerp(missed, part));
}

export class RecordingShow extends BodyShow {
	constructor(recording) {
		super();
		this.recording = recording;
		this.frameRate = recording.frameRate;
		this.duration = Math.max(recording.frames.length - 1, 0) / recording.frameRate;
		this.time = 0;
		const looks = new Map();
		const stresses = new Map(recording.breaks.map(({ body, stress }) => [body, stress]));
		this.items = recording.bodies.map((body, index) => {
			if (!looks.has(body.mesh)) looks.set(body.mesh, makeLook(recording.meshes[body.mesh], body.kind));
			const stress = body.parent >= 0 ? stresses.get(body.parent) ?? 0 : 0;
			const item = this.makeItem(index, body.kind, looks.get(body.mesh), stress);
			item.body = body;
			item.mesh.name = body.name;
			item.mesh.visible = false;
			item.root = this.rootOf(index);
			return item;
		});
		this.bounds = this.measure();
		this.setTime(0);
	}

	get list() {
		return this.items;
	}

	// Where the scene's camera stands, as a direction; null if the recording has none.
	get front() {
		const camera = this.recording.camera;
		if (!camera) return null;
		const level = Math.cos(camera.elevation);
		return new THREE.Vector3(level * Math.cos(camera.azimuth), level * Math.sin(camera.azimuth), Math.sin(camera.elevation));
	}

	rootOf(index) {
		let root = index;
		for (let n = 0; this.recording.bodies[root].parent >= 0 && n < 64; ++n) root = this.recording.bodies[root].parent;
		return root;
	}

	// A ball around where things mostly are: what is not ground at the start, and nine tenths of where pieces go. A few shards fly far.
	measure() {
		const box = new THREE.Box3(), frame = this.recording.camera?.frame;
		if (frame) return box.setFromArray(frame).getBoundingSphere(new THREE.Sphere());
		const point = new THREE.Vector3(), turn = new THREE.Quaternion();
		const places = [[], [], []];
		for (const { body, center, look } of this.items) {
			if (body.kind === GROUND) continue;
			const { radius } = look.geometry.boundingSphere;
			const { poses } = body.track;
			const keys = poses.length / 7, stride = Math.max(1, Math.floor(keys / 8));
			for (let k = 0; k < keys; k += stride) {
				turn.set(poses[7 * k + 3], poses[7 * k + 4], poses[7 * k + 5], poses[7 * k + 6]).normalize();
				point.copy(center).applyQuaternion(turn);
				point.x += poses[7 * k], point.y += poses[7 * k + 1], point.z += poses[7 * k + 2];
				point.toArray().forEach((x, axis) => places[axis].push(x));
				if (k === 0 && body.born === 0)
					box.expandByPoint(point.clone().addScalar(radius)).expandByPoint(point.clone().addScalar(-radius));
			}
		}
		if (places[0].length > 0) {
			const share = (q) => new THREE.Vector3(...places.map((list) => list[Math.floor(q * (list.length - 1))]));
			places.forEach((list) => list.sort((a, b) => a - b));
			box.expandByPoint(share(0.05)).expandByPoint(share(0.95));
		}
		return box.isEmpty() ? new THREE.Sphere(new THREE.Vector3(), 1) : box.getBoundingSphere(new THREE.Sphere());
	}

	// Last key at or before a frame.
	keyAt(track, frame) {
		let low = 0, high = track.frames.length - 1;
		while (low < high) {
			const middle = (low + high + 1) >> 1;
			track.frames[middle] <= frame ? (low = middle) : (high = middle - 1);
		}
		return low;
	}

	poseAt(track, frame, part, position, rotation) {
		const key = this.keyAt(track, frame), p = track.poses, a = 7 * key;
		position.set(p[a], p[a + 1], p[a + 2]);
		rotation.set(p[a + 3], p[a + 4], p[a + 5], p[a + 6]).normalize();
		if (part > 0 && track.frames[key + 1] === frame + 1) {
			const b = a + 7;
			position.lerp(RecordingShow.point.set(p[b], p[b + 1], p[b + 2]), part);
			const next = RecordingShow.turn.set(p[b + 3], p[b + 4], p[b + 5], p[b + 6]).normalize();
			const turn = track.turns.get(key + 1);
			turn ? turnTo(rotation, next, turn, part) : rotation.slerp(next, part);
		}
	}

	setTime(time) {
		this.time = Math.min(Math.max(time, 0), this.duration);
		const exact = this.time * this.frameRate;
		const frame = Math.min(Math.floor(exact + 1e-6), Math.max(this.recording.frames.length - 1, 0));
		const part = Math.max(0, exact - frame);
		this.frame = frame;
		for (const { body, mesh } of this.items) {
			mesh.visible = frame >= body.born && frame < body.gone && (body.kind !== GROUND || this.showGround !== false);
			if (mesh.visible) this.poseAt(body.track, frame, part, mesh.position, mesh.quaternion);
		}
		this.spread();
		for (const item of this.items) this.batches.follow(item);
		if (this.coloring === "speed") this.paint();
	}

	birthOf({ body }) {
		return body.born / Math.max(this.recording.frames.length - 1, 1);
	}

	speedOf({ body }) {
		const key = this.keyAt(body.track, this.frame), p = body.track.poses;
		if (key === 0 || body.track.frames[key] !== this.frame || body.track.frames[key - 1] !== this.frame - 1) return 0;
		const a = 7 * key, b = a - 7;
		return Math.hypot(p[a] - p[b], p[a + 1] - p[b + 1], p[a + 2] - p[b + 2]) * this.frameRate;
	}
}
RecordingShow.point = new THREE.Vector3();
RecordingShow.turn = new THREE.Quaternion();

function isGround(node) {
	return /ground/i.test(node.name + (node.parent?.name ?? ""));
}

// A .glb as any tool plays it.
export class GltfShow {
	static async load(buffer) {
		const gltf = await new GLTFLoader().parseAsync(buffer, "");
		return new GltfShow(gltf);
	}

	constructor(gltf) {
		this.object = gltf.scene;
		this.up = new THREE.Vector3(0, 1, 0);
		this.frameRate = 60;
		this.duration = gltf.animations.reduce((longest, clip) => Math.max(longest, clip.duration), 0);
		this.mixer = new THREE.AnimationMixer(gltf.scene);
		for (const clip of gltf.animations) {
			const action = this.mixer.clipAction(clip);
			action.setLoop(THREE.LoopOnce);
			action.clampWhenFinished = true;
			action.play();
		}
		this.object.traverse((node) => {
			if (!node.isMesh) return;
			node.castShadow = node.receiveShadow = true;
			if (isGround(node)) node.material.visible = false;
		});
		this.setTime(0);
		const box = new THREE.Box3();
		this.object.traverse((node) => {
			// The ground would push everything else into a corner of the picture.
			if (node.isMesh && !isGround(node)) box.expandByObject(node);
		});
		this.bounds = box.isEmpty() ? new THREE.Sphere(new THREE.Vector3(), 1) : box.getBoundingSphere(new THREE.Sphere());
		this.groundHeight = box.isEmpty() ? 0 : this.heightOfGround() ?? box.min.y;
	}

	heightOfGround() {
		let height = null;
		this.object.traverse((node) => {
			if (node.isMesh && isGround(node)) height = new THREE.Box3().expandByObject(node).max.y;
		});
		return height;
	}

	setTime(time) {
		this.time = Math.min(Math.max(time, 0), this.duration);
		this.frame = Math.round(this.time * this.frameRate);
		this.mixer.setTime(Math.min(this.time, this.duration - 1e-6));
		this.object.updateMatrixWorld(true);
	}
	setColoring() {}
	setEdges() {}
	get legend() {
		return null;
	}
	get visibleCount() {
		let count = 0;
		this.object.traverseVisible((node) => (count += node.isMesh && node.getWorldScale(GltfShow.size).length() > 1e-6 ? 1 : 0));
		return count;
	}
	get pieceCount() {
		return 0;
	}
}
GltfShow.size = new THREE.Vector3();

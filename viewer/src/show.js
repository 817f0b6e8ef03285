// What can be shown over time. A show has: object, duration, frameRate, bounds, up, setTime(t), and for recordings more.

import * as THREE from "three";
import { GLTFLoader } from "three/addons/loaders/GLTFLoader.js";
import { makeGeometry } from "./geometry.js";

const GROUND = 2; // kind of a recorded body, as in recording.h
const PIECE = 1;

function surface(material) {
	const [r, g, b, a] = material?.color ?? [0.8, 0.8, 0.8, 1];
	const made = new THREE.MeshStandardMaterial({
		color: new THREE.Color().setRGB(r, g, b),
		metalness: material?.metallic ?? 0,
		roughness: material?.roughness ?? 0.7,
		side: THREE.DoubleSide,
	});
	if (material?.emission) made.emissive.setRGB(...material.emission);
	if (a < 1) {
		made.transparent = true;
		made.opacity = Math.max(a, 0.6);
	}
	return made;
}

// A colour that stays with a body, well apart from those of its neighbours in number.
function bodyColor(index) {
	return new THREE.Color().setHSL((index * 0.618034) % 1, 0.55, 0.58);
}

export class RecordingShow {
	constructor(recording) {
		this.recording = recording;
		this.frameRate = recording.frameRate;
		this.duration = Math.max(recording.frames.length - 1, 0) / recording.frameRate;
		this.up = new THREE.Vector3(0, 0, 1);
		this.object = new THREE.Group();
		this.colouring = "material";
		this.explode = 0;
		this.time = 0;
		this.geometries = recording.meshes.map(makeGeometry);
		this.surfaces = this.geometries.map(({ materials }) => materials.map(surface));
		this.items = recording.bodies.map((body, index) => this.makeItem(body, index));
		for (const item of this.items) item.root = this.rootOf(item.index);
		this.bounds = this.measure();
		this.setTime(0);
	}

	makeItem(body, index) {
		const { geometry } = this.geometries[body.mesh];
		if (body.kind === GROUND) for (const ground of this.surfaces[body.mesh]) ground.color.set(0x5b626b);
		const mesh = new THREE.Mesh(geometry, this.surfaces[body.mesh]);
		mesh.name = body.name;
		mesh.castShadow = body.kind !== GROUND;
		mesh.receiveShadow = true;
		mesh.visible = false;
		this.object.add(mesh);
		return { index, body, mesh, edges: null, center: geometry.boundingSphere.center, own: null };
	}

	rootOf(index) {
		let root = index;
		for (let n = 0; this.recording.bodies[root].parent >= 0 && n < 64; ++n) root = this.recording.bodies[root].parent;
		return root;
	}

	// A ball around where things mostly are: what is not ground at the start, and nine tenths of where pieces go. A few shards fly far.
	measure() {
		const box = new THREE.Box3();
		const point = new THREE.Vector3(), turn = new THREE.Quaternion();
		const places = [[], [], []];
		for (const { body, center } of this.items) {
			if (body.kind === GROUND) continue;
			const radius = this.geometries[body.mesh].geometry.boundingSphere.radius;
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
			rotation.slerp(RecordingShow.turn.set(p[b + 3], p[b + 4], p[b + 5], p[b + 6]).normalize(), part);
		}
	}

	setTime(time) {
		this.time = Math.min(Math.max(time, 0), this.duration);
		const exact = this.time * this.frameRate;
		const frame = Math.min(Math.floor(exact + 1e-6), Math.max(this.recording.frames.length - 1, 0));
		const part = Math.max(0, exact - frame);
		this.frame = frame;
		const centers = this.explode > 0 ? this.rootCenters(frame) : null;
		for (const item of this.items) {
			const { body, mesh } = item;
			mesh.visible = frame >= body.born && frame < body.gone && (body.kind !== GROUND || this.showGround !== false);
			if (!mesh.visible) continue;
			this.poseAt(body.track, frame, part, mesh.position, mesh.quaternion);
			if (centers && body.kind === PIECE) {
				const middle = item.center.clone().applyQuaternion(mesh.quaternion).add(mesh.position);
				mesh.position.addScaledVector(middle.sub(centers.get(item.root)), this.explode);
			}
		}
		if (this.colouring === "speed" || this.colouring === "birth") this.paint();
	}

	// Mean place of the pieces of each object that broke.
	rootCenters(frame) {
		const sums = new Map();
		for (const item of this.items) {
			const { body, mesh } = item;
			if (body.kind !== PIECE || frame < body.born || frame >= body.gone) continue;
			this.poseAt(body.track, frame, 0, mesh.position, mesh.quaternion);
			const sum = sums.get(item.root) ?? sums.set(item.root, { at: new THREE.Vector3(), n: 0 }).get(item.root);
			sum.at.add(item.center.clone().applyQuaternion(mesh.quaternion).add(mesh.position));
			sum.n += 1;
		}
		return new Map([...sums].map(([root, { at, n }]) => [root, at.divideScalar(n)]));
	}

	setColouring(name) {
		this.colouring = name;
		this.paint();
	}

	paint() {
		for (const item of this.items) {
			if (this.colouring === "material" || item.body.kind === GROUND) {
				item.mesh.material = this.surfaces[item.body.mesh];
				continue;
			}
			item.own ??= new THREE.MeshStandardMaterial({ roughness: 0.75, side: THREE.DoubleSide });
			item.own.color.copy(this.colourOf(item));
			item.mesh.material = item.own;
		}
	}

	colourOf(item) {
		if (this.colouring === "body") return bodyColor(item.index);
		const heat = (x) => new THREE.Color().setHSL(0.66 * (1 - Math.min(Math.max(x, 0), 1)), 0.7, 0.55);
		if (this.colouring === "birth") return heat(item.body.born / Math.max(this.recording.frames.length - 1, 1));
		return heat(this.speedOf(item) / 5); // red from 5 m/s
	}

	speedOf({ body }) {
		const key = this.keyAt(body.track, this.frame), p = body.track.poses;
		if (key === 0 || body.track.frames[key] !== this.frame || body.track.frames[key - 1] !== this.frame - 1) return 0;
		const a = 7 * key, b = a - 7;
		return Math.hypot(p[a] - p[b], p[a + 1] - p[b + 1], p[a + 2] - p[b + 2]) * this.frameRate;
	}

	setEdges(on) {
		for (const item of this.items) {
			if (on && !item.edges && item.body.kind === PIECE) {
				const lines = new THREE.EdgesGeometry(item.mesh.geometry, 30);
				item.edges = new THREE.LineSegments(lines, new THREE.LineBasicMaterial({ color: 0x14171b }));
				item.mesh.add(item.edges);
			}
			if (item.edges) item.edges.visible = on;
		}
	}

	get visibleCount() {
		return this.items.filter(({ mesh, body }) => mesh.visible && body.kind !== GROUND).length;
	}

	get pieceCount() {
		return this.items.filter(({ mesh, body }) => mesh.visible && body.kind === PIECE).length;
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
			if (isGround(node)) node.material.color?.set(0x5b626b);
		});
		this.setTime(0);
		const box = new THREE.Box3();
		this.object.traverse((node) => {
			// The ground would push everything else into a corner of the picture.
			if (node.isMesh && !isGround(node)) box.expandByObject(node);
		});
		this.bounds = box.isEmpty() ? new THREE.Sphere(new THREE.Vector3(), 1) : box.getBoundingSphere(new THREE.Sphere());
	}

	setTime(time) {
		this.time = Math.min(Math.max(time, 0), this.duration);
		this.frame = Math.round(this.time * this.frameRate);
		this.mixer.setTime(Math.min(this.time, this.duration - 1e-6));
		this.object.updateMatrixWorld(true);
	}
	setColouring() {}
	setEdges() {}
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

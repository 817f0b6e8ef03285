// The mouse or a finger in a live world: a click throws or drops a ball, a drag that begins on a body moves it, all else is the camera's.

import * as THREE from "three";
import { UNSEEN } from "./batches.js";
import { GROUND } from "./bodies.js";
import { commands } from "./wire.js";

const SLACK = 6; // px that a click may move
const ROPE = 20; // of a wrecking ball, in radii of the scene: so long that a fast one does not go around its hook
const PULLED_BACK = 0.2; // angle at which it is let go [rad]

export class Hand {
	// `onUse` is called when it first throws or takes something.
	constructor(stage, link, world, onUse = () => {}) {
		this.onUse = onUse;
		this.stage = stage;
		this.link = link;
		this.world = world; // { show, driving, mode, radius, speed, gravity }
		this.ray = new THREE.Raycaster();
		this.ray.layers.enable(UNSEEN);
		this.pressed = null;
		this.held = null;
		this.plane = new THREE.Plane();
		this.target = new THREE.Vector3();
		this.sentAt = 0; // of the last throw [ms]
		const canvas = stage.canvas;
		// Before the camera's listeners: they must know whether they are meant.
		window.addEventListener("pointerdown", (event) => event.target === canvas && this.press(event), true);
		window.addEventListener("pointermove", (event) => this.move(event), true);
		window.addEventListener("pointerup", (event) => this.release(event), true);
		window.addEventListener("pointercancel", (event) => this.release(event), true);
	}

	aim(x, y) {
		const { left, top, width, height } = this.stage.canvas.getBoundingClientRect();
		const at = new THREE.Vector2(((x - left) / width) * 2 - 1, 1 - ((y - top) / height) * 2);
		this.stage.camera.updateMatrixWorld();
		this.ray.setFromCamera(at, this.stage.camera);
		const hits = this.ray.intersectObject(this.world.show.object, true);
		return hits.find(({ object }) => object.visible && object.userData.item) ?? null;
	}

	press(event) {
		if (!this.world.driving || event.button !== 0 || !event.isPrimary) return this.let();
		const hit = this.aim(event.clientX, event.clientY);
		const item = hit?.object.userData.item;
		const isBody = item !== undefined && item.kind !== GROUND;
		this.pressed = { x: event.clientX, y: event.clientY, id: event.pointerId, item: isBody ? item : null, hit };
		this.stage.controls.enabled = !isBody;
	}

	move(event) {
		const { pressed } = this;
		if (!pressed || event.pointerId !== pressed.id) return;
		const far = Math.hypot(event.clientX - pressed.x, event.clientY - pressed.y) > SLACK;
		if (far && !this.held && pressed.item) this.take();
		if (far) pressed.isDrag = true;
		if (this.held) {
			this.aim(event.clientX, event.clientY);
			if (this.ray.ray.intersectPlane(this.plane, this.target)) this.held.isDue = true;
		}
	}

	take() {
		const { item, hit } = this.pressed;
		const normal = this.stage.camera.getWorldDirection(new THREE.Vector3()).negate();
		this.plane.setFromNormalAndCoplanarPoint(normal, hit.point);
		const point = item.mesh.worldToLocal(hit.point.clone());
		this.target.copy(hit.point);
		this.held = { item, isDue: false };
		this.onUse();
		this.link.send(commands.grab(item.id, point.toArray(), this.target.toArray()));
	}

	// Once a drawn frame, so that a fast mouse does not flood the server.
	tick() {
		if (!this.held?.isDue) return;
		this.held.isDue = false;
		this.link.send(commands.pull(this.target.toArray()));
	}

	release(event) {
		const { pressed } = this;
		if (!pressed || event.pointerId !== pressed.id) return;
		if (!pressed.isDrag && event.type === "pointerup") this.strike(pressed.x, pressed.y);
		this.let();
	}

	let() {
		if (this.held) this.link.send(commands.release());
		this.pressed = this.held = null;
		this.stage.controls.enabled = true;
	}

	// A ball that will be where the picture was clicked: thrown from the camera's side, dropped from above, or swung on a rope.
	strike(x, y) {
		const { world } = this;
		const hit = this.aim(x, y);
		const { bounds, up } = world.show;
		const { origin, direction } = this.ray.ray;
		const goal = hit?.point ?? origin.clone().addScaledVector(direction, origin.distanceTo(bounds.center));
		const gravity = new THREE.Vector3(...world.gravity);
		this.sentAt = performance.now();
		this.onUse();
		if (world.mode === "wreck") return this.swing(goal);
		let start, velocity;
		if (world.mode === "drop") {
			start = goal.clone().addScaledVector(up, 1.6 * bounds.radius);
			velocity = new THREE.Vector3();
		} else {
			const distance = Math.min(goal.distanceTo(origin), 1.3 * bounds.radius);
			const time = Math.max(distance / world.speed, 1e-3);
			start = goal.clone().addScaledVector(direction, -distance);
			velocity = goal.sub(start).divideScalar(time).addScaledVector(gravity, -0.5 * time);
		}
		this.link.send(commands.throw(start.toArray(), velocity.toArray(), world.radius));
	}

	// A wrecking ball that is lowest, and as fast as a throw, where it was clicked. It comes from the front and the left, so that its way
	// is seen, and goes through what is behind the surface, not along it.
	swing(surface) {
		const { show, radius, speed, gravity } = this.world, { up, bounds, groundHeight } = show;
		const goal = surface.clone().addScaledVector(this.ray.ray.direction, radius);
		const low = groundHeight === null ? 0 : Math.max(groundHeight + 1.1 * radius - goal.dot(up), 0); // above the ground
		const length = ROPE * bounds.radius, hook = goal.clone().addScaledVector(up, low + length);
		const ahead = this.stage.camera.getWorldDirection(new THREE.Vector3());
		const right = new THREE.Vector3().crossVectors(ahead, up).normalize();
		const along = new THREE.Vector3().crossVectors(up, right).add(right).normalize(); // level
		const pull = new THREE.Vector3(...gravity).dot(up), height = length * (1 - Math.cos(PULLED_BACK));
		const most = -3.5 * pull * length; // at 4 it would go around
		const fast = pull < 0 ? Math.min(speed * speed, most) : speed * speed;
		const push = Math.sqrt(Math.max(fast + 2 * pull * height, 0)); // gravity does the rest
		const center = hook.clone().addScaledVector(up, -length * Math.cos(PULLED_BACK)).addScaledVector(along, -length * Math.sin(PULLED_BACK));
		const velocity = along.multiplyScalar(Math.cos(PULLED_BACK)).addScaledVector(up, -Math.sin(PULLED_BACK)).multiplyScalar(push);
		this.link.send(commands.swing(hook.toArray(), center.toArray(), velocity.toArray(), radius));
	}
}

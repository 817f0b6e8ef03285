// Many bodies in few draw calls: all parts that have the same surface are one BatchedMesh.
//
// The mesh of a body stays what rays hit and what is moved; it is on a layer that no camera sees, and its parts follow it.

import * as THREE from "three";
import { CLEAR } from "./ambient.js";

export const UNSEEN = 1; // the layer

// A part of a look: the triangles of one surface.
export function makeParts(geometry, surfaces) {
	return geometry.groups.map(({ start, count, materialIndex }) => {
		const part = new THREE.BufferGeometry();
		for (const [name, { array }] of Object.entries(geometry.attributes)) part.setAttribute(name, new THREE.BufferAttribute(array.subarray(3 * start, 3 * (start + count)), 3));
		return { geometry: part, surface: surfaces[materialIndex], number: -1, users: 0 };
	});
}

// What light goes through shades by as many points as it keeps light.
const FAINT = new THREE.MeshDepthMaterial({ opacity: 0.3, alphaHash: true, side: THREE.DoubleSide });

class Batch {
	constructor(surface) {
		this.mesh = new THREE.BatchedMesh(64, 8192, 0, surface);
		this.mesh.castShadow = this.mesh.receiveShadow = true;
		this.mesh.frustumCulled = this.mesh.perObjectFrustumCulled = this.mesh.sortObjects = false;
		this.mesh.raycast = () => {};
		if (surface.transmission > 0) {
			this.mesh.layers.set(CLEAR);
			this.mesh.customDepthMaterial = FAINT;
		}
		this.room = 8192; // vertices
		this.used = 0;
		this.alive = 0;
	}

	add(part) {
		const { mesh } = this, { count } = part.geometry.attributes.position;
		if (part.users === 0) {
			if (this.used + count > this.room && this.alive < this.used / 2) {
				mesh.optimize();
				this.used = this.alive;
			}
			if (this.used + count > this.room) mesh.setGeometrySize((this.room = 2 * (this.used + count)), 0);
			part.number = mesh.addGeometry(part.geometry);
			this.used += count;
			this.alive += count;
		}
		part.users += 1;
		if (mesh.instanceCount >= mesh.maxInstanceCount) mesh.setInstanceCount(2 * mesh.maxInstanceCount);
		return mesh.addInstance(part.number);
	}

	remove(part, instance) {
		this.mesh.deleteInstance(instance);
		part.users -= 1;
		if (part.users > 0) return;
		this.mesh.deleteGeometry(part.number);
		this.alive -= part.geometry.attributes.position.count;
	}
}

export class Batches {
	constructor(object) {
		this.object = object;
		this.batches = new Map(); // by surface
	}

	of({ surface, geometry }) {
		const key = geometry.attributes.color ? `${surface.uuid} colored` : surface.uuid;
		if (!this.batches.has(key)) {
			this.batches.set(key, new Batch(surface));
			this.object.add(this.batches.get(key).mesh);
		}
		return this.batches.get(key);
	}

	add(item) {
		item.mesh.layers.set(UNSEEN);
		item.parts = item.look.parts.map((part) => ({ part, batch: this.of(part), instance: this.of(part).add(part) }));
	}

	remove(item) {
		for (const { part, batch, instance } of item.parts ?? []) batch.remove(part, instance);
		item.parts = null;
	}

	// Parts go where their body is; one that is drawn by itself, in a color of its own, has none to see.
	follow(item) {
		if (!item.parts) return;
		const isSeen = item.mesh.visible && item.mesh.layers.isEnabled(UNSEEN);
		if (isSeen) item.mesh.updateMatrix();
		for (const { batch, instance } of item.parts) {
			batch.mesh.setVisibleAt(instance, isSeen);
			if (isSeen) batch.mesh.setMatrixAt(instance, item.mesh.matrix);
		}
	}
}

// For three.js: meshes as BufferGeometry, and a group that follows the bodies of a world.
//
//     import { geometryOf, WorldGroup } from "brittle/three";
//     const group = new WorldGroup(world, (id) => new THREE.MeshStandardMaterial());
//     scene.add(group);
//     ... world.step(), group.update() ...
//
// Brittle's z points up, three's y: the group is turned for that.

import { Group, Mesh } from "three";
import { makeGeometry } from "./geometry.js";

// A BufferGeometry with a group for each surface material; edges sharper than 35 degrees stay sharp.
export function geometryOf(mesh) {
	return makeGeometry(mesh.arrays).geometry;
}

export class WorldGroup extends Group {
	constructor(world, materialOf) {
		super();
		this.world = world;
		this.materialOf = materialOf;
		this.shown = new Map();
		this.rotation.x = -Math.PI / 2;
		this.update();
	}

	// Call it after each step: what broke goes, pieces come, everything is put in its place.
	update() {
		const { ids, poses } = this.world.bodies();
		const gone = new Set(this.shown.keys());
		ids.forEach((id, i) => {
			gone.delete(id);
			if (!this.shown.has(id)) this.shown.set(id, this.show(id));
			const shown = this.shown.get(id), at = 7 * i;
			if (!shown) return; // the ground, or a ball: draw those yourself
			shown.position.fromArray(poses, at);
			shown.quaternion.fromArray(poses, at + 3);
		});
		for (const id of gone) {
			const shown = this.shown.get(id);
			if (shown) this.remove(shown), shown.geometry.dispose();
			this.shown.delete(id);
		}
	}

	show(id) {
		const mesh = this.world.meshOf(id);
		if (!mesh) return null;
		const shown = new Mesh(geometryOf(mesh), this.materialOf(id));
		mesh.free();
		shown.name = id;
		this.add(shown);
		return shown;
	}

	dispose() {
		for (const shown of this.shown.values()) shown?.geometry.dispose();
		this.shown.clear();
		this.clear();
	}
}

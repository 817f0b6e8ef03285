import type { BufferGeometry, Group, Material } from "three";
import type { BodyId, Mesh, World } from "./brittle.js";

/** A BufferGeometry with a group for each surface material. */
export function geometryOf(mesh: Mesh): BufferGeometry;

/** Follows the bodies of a world; call update() after each step. */
export class WorldGroup extends Group {
	constructor(world: World, materialOf: (id: BodyId) => Material | Material[]);
	update(): void;
	dispose(): void;
}

// Bodies on the stage, wherever they come from: looks, colors, crack edges, pulled apart. Shows of recordings and of live worlds build on it.

import * as THREE from "three";
import { Batches, makeParts, UNSEEN } from "./batches.js";
import { makeGeometry } from "./geometry.js";

// Kinds of bodies, as in recording.h and live.h.
export const PIECE = 1;
export const GROUND = 2;
export const BALL = 3;
export const HUNG_BALL = 4;

// Names that say more than color and roughness; the twin in C is brFindSurfaceLook.
const hasWord = (name, word) => new RegExp(`(^|[_\\- .])${word}($|[_\\- .0-9])`).test(name);
const CLEAR = { glass: { transmission: 0.97, ior: 1.52, thickness: 0.004 }, ice: { transmission: 0.85, ior: 1.31, thickness: 0.02 } };
const GLAZED = { porcelain: [1, 0.06], bone_china: [1, 0.05], tile: [0.8, 0.1], marble: [0.35, 0.15] };

// One for each material, however many bodies have it.
const known = new Map();

function surfaceOf(material, hasColors) {
	const key = JSON.stringify([material, hasColors]);
	if (!known.has(key)) known.set(key, makeSurface(material));
	return known.get(key);
}

function makeSurface(material) {
	const [r, g, b, a] = material?.color ?? [0.8, 0.8, 0.8, 1], name = material?.name ?? "";
	const clear = a < 1 ? Object.keys(CLEAR).find((word) => hasWord(name, word)) : undefined;
	const glazed = hasWord(name, "inside") ? undefined : Object.keys(GLAZED).find((word) => hasWord(name, word));
	const made = new (clear || glazed ? THREE.MeshPhysicalMaterial : THREE.MeshStandardMaterial)({
		color: new THREE.Color().setRGB(r, g, b),
		metalness: material?.metallic ?? 0,
		roughness: material?.roughness ?? 0.7,
		side: clear ? THREE.FrontSide : THREE.DoubleSide,
		dithering: true,
		name,
	});
	if (material?.emission) made.emissive.setRGB(...material.emission);
	if (clear) {
		made.setValues({ ...CLEAR[clear], attenuationDistance: 0.15, attenuationColor: made.color.clone() });
	} else if (a < 1) {
		made.transparent = true;
		made.opacity = Math.max(a, 0.6);
	}
	if (glazed) [made.clearcoat, made.clearcoatRoughness] = GLAZED[glazed];
	return made;
}

const CRUMB = 0.2; // of the largest: smaller pieces may fly out of the picture

const HIDDEN = new THREE.MeshBasicMaterial({ visible: false }); // the stage has a ground that goes on for ever; that of the world is to be hit

const ROPE = new THREE.MeshStandardMaterial({ color: 0x33363a, roughness: 0.8, dithering: true });

// What a mesh is drawn with; shared by all bodies that have it.
export function makeLook(mesh, kind) {
	const { geometry, materials } = makeGeometry(mesh);
	if (kind === GROUND) return { geometry, surfaces: materials.map(() => HIDDEN), parts: [] };
	const surfaces = materials.map((material) => surfaceOf(material, geometry.attributes.color !== undefined));
	return { geometry, surfaces, parts: makeParts(geometry, surfaces) };
}

// A color that stays with a body, well apart from those of its neighbors in number.
function bodyColor(index) {
	return new THREE.Color().setHSL((index * 0.618034) % 1, 0.55, 0.58);
}

// Blue is 0, red is 1.
export function heat(x) {
	return new THREE.Color().setHSL(0.66 * (1 - Math.min(Math.max(x, 0), 1)), 0.7, 0.55);
}

const CALM = new THREE.Color(0x9aa3ad); // what has no value to show

export class BodyShow {
	constructor() {
		this.up = new THREE.Vector3(0, 0, 1);
		this.object = new THREE.Group();
		this.batches = new Batches(this.object);
		this.coloring = "material";
		this.explode = 0;
		this.edges = false;
		this.stressRange = [Infinity, 0]; // [Pa] of all breaks so far
	}

	// All that are or were there. An item has: index, kind, stress, look, mesh (of three.js), center, root; birth from 0 to 1 and speed
	// are asked for by birthOf and speedOf.
	get list() {
		throw new Error("a show says what it shows");
	}

	makeItem(index, kind, look, stress = 0) {
		const mesh = new THREE.Mesh(look.geometry, look.surfaces);
		mesh.castShadow = kind !== GROUND;
		mesh.receiveShadow = true;
		this.object.add(mesh);
		this.noteStress(stress);
		const item = { index, kind, look, stress, mesh, lines: null, own: null, center: look.geometry.boundingSphere.center, root: index };
		if (look.parts.length > 0) this.batches.add(item);
		return item;
	}

	// From the middle of a ball to where it hangs; it turns with the ball.
	hang(item, rope) {
		const end = new THREE.Vector3(...rope), length = end.length(), width = 0.07 * item.look.geometry.boundingSphere.radius;
		item.rope = new THREE.Mesh(new THREE.CylinderGeometry(width, width, length, 8), ROPE);
		item.rope.position.copy(end).multiplyScalar(0.5);
		item.rope.quaternion.setFromUnitVectors(new THREE.Vector3(0, 1, 0), end.divideScalar(length));
		item.rope.castShadow = true;
		item.rope.raycast = () => {};
		item.mesh.add(item.rope);
	}

	dropItem(item) {
		this.object.remove(item.mesh);
		item.rope?.geometry.dispose();
		this.batches.remove(item);
		item.own?.dispose();
		item.lines?.geometry.dispose();
	}

	noteStress(stress) {
		if (stress > 0) this.stressRange = [Math.min(this.stressRange[0], stress), Math.max(this.stressRange[1], stress)];
	}

	// A box around what stands or lies there and is neither ground nor a crumb, or null.
	get tightBox() {
		const seen = [...this.list].filter(({ kind, mesh }) => kind !== GROUND && mesh.visible), size = ({ look }) => look.geometry.boundingSphere.radius;
		const crumb = CRUMB * seen.reduce((most, item) => Math.max(most, size(item)), 0), box = new THREE.Box3();
		for (const item of seen) {
			if (size(item) < crumb) continue;
			item.mesh.updateWorldMatrix(false, false);
			item.look.geometry.boundingBox ?? item.look.geometry.computeBoundingBox();
			box.union(item.look.geometry.boundingBox.clone().applyMatrix4(item.mesh.matrixWorld)); // not of its rope
		}
		return box.isEmpty() ? null : box;
	}

	// How high the ground is, or null: there is none, or it is switched off.
	get groundHeight() {
		for (const { kind, mesh } of this.list) {
			if (kind !== GROUND || !mesh.visible) continue;
			mesh.geometry.computeBoundingBox();
			return mesh.geometry.boundingBox.max.z + mesh.position.z;
		}
		return null;
	}

	// Pulls the pieces of each object that broke away from their middle; meshes must be where they belong.
	spread() {
		if (this.explode <= 0) return;
		const sums = new Map();
		const pieces = [];
		for (const item of this.list) {
			if (item.kind !== PIECE || !item.mesh.visible) continue;
			const at = item.center.clone().applyQuaternion(item.mesh.quaternion).add(item.mesh.position);
			const sum = sums.get(item.root) ?? sums.set(item.root, { at: new THREE.Vector3(), n: 0 }).get(item.root);
			sum.at.add(at);
			sum.n += 1;
			pieces.push([item, at]);
		}
		for (const [item, at] of pieces) {
			const { at: sum, n } = sums.get(item.root);
			item.mesh.position.addScaledVector(at.addScaledVector(sum, -1 / n), this.explode);
		}
	}

	setColoring(name) {
		this.coloring = name;
		this.paint();
	}

	paint() {
		for (const item of this.list) this.paintItem(item);
	}

	paintItem(item) {
		const isByItself = this.coloring !== "material" && item.kind !== GROUND;
		item.mesh.layers.set(isByItself || item.kind === GROUND ? 0 : UNSEEN);
		if (!isByItself) {
			item.mesh.material = item.look.surfaces;
			return this.batches.follow(item);
		}
		item.own ??= new THREE.MeshStandardMaterial({ roughness: 0.75, side: THREE.DoubleSide });
		item.own.color.copy(this.colorOf(item));
		item.mesh.material = item.own;
		this.batches.follow(item);
	}

	colorOf(item) {
		if (this.coloring === "body") return bodyColor(item.index);
		if (this.coloring === "birth") return heat(this.birthOf(item));
		if (this.coloring === "speed") return heat(this.speedOf(item) / 5); // red from 5 m/s
		if (!(item.stress > 0)) return CALM;
		const [low, high] = this.stressScale;
		return heat(Math.log(item.stress / low) / Math.log(high / low));
	}

	// At least a factor of ten, so that equal hits look equal.
	get stressScale() {
		const [low, high] = this.stressRange;
		return [Math.min(low, high / 10), high];
	}

	// What blue and red stand for, as words; null if the colors say nothing in numbers.
	get legend() {
		const [low, high] = this.stressScale;
		const pascal = (x) => (x >= 1e9 ? `${(x / 1e9).toPrecision(2)} GPa` : `${Number((x / 1e6).toPrecision(2))} MPa`);
		if (this.coloring === "stress") return high > 0 ? ["stress at the break", pascal(low), pascal(high)] : ["nothing has broken", "", ""];
		if (this.coloring === "speed") return ["speed", "0 m/s", "5 m/s"];
		if (this.coloring === "birth") return ["born", "first", "last"];
		return null;
	}

	setEdges(on) {
		this.edges = on;
		for (const item of this.list) this.edgeItem(item);
	}

	edgeItem(item) {
		if (this.edges && !item.lines && item.kind === PIECE) {
			const lines = new THREE.EdgesGeometry(item.mesh.geometry, 30);
			item.lines = new THREE.LineSegments(lines, new THREE.LineBasicMaterial({ color: 0x14171b }));
			item.lines.raycast = () => {};
			item.mesh.add(item.lines);
		}
		if (item.lines) item.lines.visible = this.edges;
	}

	get visibleCount() {
		return this.count((item) => item.kind !== GROUND);
	}

	get pieceCount() {
		return this.count((item) => item.kind === PIECE);
	}

	count(holds) {
		let count = 0;
		for (const item of this.list) if (item.mesh.visible && holds(item)) count += 1;
		return count;
	}
}

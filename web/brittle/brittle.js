// Brittle in JavaScript: solids that are checked, cut, shattered, cracked, and worlds in which they break.
//
//     import { loadBrittle } from "brittle";
//     const brittle = await loadBrittle();
//     const vase = brittle.make("vase");
//     const pieces = vase.shatter({ pieces: 40 });
//     const glb = brittle.write(pieces, "glb");
//     pieces.forEach((piece) => piece.free()), vase.free();
//
// Metres, kilograms, seconds; z points up. Whatever has a free() holds memory of the module until it is called (or until the
// end of a block with `using`). Arrays that come out are copies. What cannot be done is a BrittleError with one sentence.

import * as given from "./given.js";
import { BrittleError, Module } from "./module.js";

export { BrittleError };

const internal = Symbol("brittle"); // keeps constructors to this file
const modules = new WeakMap();
const handles = new WeakMap();
const CUTS = ["split", "union", "intersection", "difference"];
const PATTERNS = ["uniform", "clustered", "radial", "grid", "slices"];
const KINDS = ["static", "kinematic", "dynamic"];
const METHODS = ["none", "shatter", "crack"];
const dispose = Symbol.dispose ?? Symbol.for("dispose");

export async function loadBrittle(source, options) {
	const { threads = 1 } = given.options(options, "loadBrittle", ["threads"]);
	return new Brittle(internal, await Module.load(source, given.integer(threads, "threads", 1, 64)));
}

function moduleOf(thing) {
	return modules.get(thing);
}

function handleOf(thing, Type, what) {
	if (!(thing instanceof Type) || !handles.has(thing)) throw new BrittleError(`${what} is a ${Type.name}`);
	const handle = handles.get(thing);
	if (handle === 0) throw new BrittleError(`this ${Type.name} has been freed`);
	return handle;
}

// Another mesh of the same module.
function meshOf(thing, module, what) {
	const handle = handleOf(thing, Mesh, what);
	if (moduleOf(thing) !== module) throw new BrittleError(`${what} belongs to another module`);
	return handle;
}

class Thing {
	constructor(key, module, handle) {
		if (key !== internal) throw new BrittleError("this is made by calls of the module, not by new");
		modules.set(this, module);
		handles.set(this, handle);
	}
	get isFreed() {
		return handles.get(this) === 0;
	}
	// Gives the memory back; may be called again.
	free() {
		const handle = handles.get(this);
		if (handle === undefined) throw new BrittleError("free is called on something else");
		if (handle !== 0 && !moduleOf(this).isBroken) moduleOf(this).call("webRelease", handle);
		handles.set(this, 0);
	}
	[dispose]() {
		this.free();
	}
}

export class Brittle {
	constructor(key, module) {
		if (key !== internal) throw new BrittleError("loadBrittle makes a Brittle");
		modules.set(this, module);
		const names = (call) => {
			const list = [];
			for (let at; (at = module.exports[call](list.length)) !== 0; ) list.push(module.text(at));
			return Object.freeze(list);
		};
		this.models = names("webModelName");
		this.materials = names("webMaterialName");
	}

	// Things that have not been freed: to find leaks.
	get thingCount() {
		return moduleOf(this).call("webCountThings");
	}
	// Threads that work on a call, the caller's included. They change no bit of any result.
	get threads() {
		return moduleOf(this).threads;
	}
	// Ends the threads. Without it they wait for as long as the page is open.
	close() {
		moduleOf(this).close();
	}
	get memoryBytes() {
		return moduleOf(this).memory.buffer.byteLength;
	}

	mesh(arrays) {
		const { positions, triangles, corners, faceStarts } = given.options(arrays, "mesh", ["positions", "triangles", "corners", "faceStarts"]);
		const points = given.array(positions, "positions", Float64Array);
		if (points.length % 3 !== 0) throw new BrittleError(`positions has ${points.length} numbers, no multiple of three`);
		if ((triangles === undefined) === (corners === undefined)) throw new BrittleError("mesh takes either triangles, or corners with faceStarts");
		const list = given.array(triangles ?? corners, triangles ? "triangles" : "corners", Int32Array);
		const starts = corners ? given.array(faceStarts, "faceStarts", Int32Array) : null;
		if (starts && starts.length === 0) throw new BrittleError("faceStarts has one number more than there are faces");
		const module = moduleOf(this);
		const handle = module.call("webMakeMesh", points, points.length / 3, list, list.length, starts ?? 0, starts ? starts.length - 1 : 0);
		return new Mesh(internal, module, handle);
	}

	// A built-in model by name (`models` lists them), with numbers for its parameters.
	make(name, options) {
		const { resolution = 0, seed = 0, ...parameters } = options ?? {};
		if (options !== undefined && (typeof options !== "object" || options === null)) throw new BrittleError("make takes an object of parameters");
		const names = Object.keys(parameters);
		const values = names.map((key) => given.number(parameters[key], key));
		const module = moduleOf(this);
		const handle = module.call("webMakeModel", given.text(name, "the model"), given.integer(resolution, "resolution", 0, 1e6), given.integer(seed, "seed", 0, 2 ** 53), names.map((n) => given.text(n, "a parameter")).join("\0"), Float64Array.from(values), values.length);
		return new Mesh(internal, module, handle);
	}

	// A file's bytes; the ending of its name says what it is: .glb, .gltf, .obj, .stl, .ply, .off and more.
	read(bytes, name) {
		const module = moduleOf(this), data = given.bytes(bytes, "the file");
		return new Mesh(internal, module, module.call("webReadMesh", given.text(name, "the name"), data, data.length));
	}

	// One mesh or several as one file: "glb", "obj", "stl", "ply", "off", "usda"... y points up in .glb and .usda unless yUp is false.
	write(meshes, ending, options) {
		const { yUp = true } = given.options(options, "write", ["yUp"]);
		const module = moduleOf(this), list = Array.isArray(meshes) ? meshes : [meshes];
		if (list.length === 0) throw new BrittleError("write takes one mesh at least");
		const numbers = Int32Array.from(list, (mesh) => meshOf(mesh, module, "each mesh"));
		return module.takeBytes(module.call("webWriteMeshes", numbers, numbers.length, given.text(ending, "the ending").replace(/^\./, ""), yUp ? 1 : 0));
	}

	// A scene (docs/scene.md) as an object or JSON text, or the bytes of a .glb. `files` are those that it names.
	scene(description, options) {
		const { files = {} } = given.options(options, "scene", ["files"]);
		const module = moduleOf(this);
		const isBytes = description instanceof ArrayBuffer || ArrayBuffer.isView(description);
		const body = isBytes ? given.bytes(description, "the scene") : new TextEncoder().encode(typeof description === "string" ? description : given.json(description, "the scene"));
		const name = isBytes ? "/scene.glb" : "/scene.json";
		const added = [];
		try {
			for (const [file, content] of [...Object.entries(files), [name.slice(1), body]]) {
				const data = given.bytes(content, file);
				added.push(`/${given.text(file, "a file's name").replace(/^\/+/, "")}`);
				module.call("webAddFile", added.at(-1), data, data.length);
			}
			return new Scene(internal, module, module.call("webLoadScene", name));
		} finally {
			if (!module.isBroken) for (const file of added) module.call("webRemoveFile", file);
		}
	}

	world(options) {
		const { gravity = [0, 0, -9.81], ground = true, friction = 0.6, restitution = 0 } = given.options(options, "world", ["gravity", "ground", "friction", "restitution"]);
		const module = moduleOf(this);
		const handle = module.call("webMakeWorld", Float64Array.from(given.vector(gravity, "gravity")), ground ? 1 : 0, given.number(friction, "friction", 0, 10), given.number(restitution, "restitution", 0, 1));
		return new World(internal, module, handle);
	}
}

// A surface of polygons; closed ones are solids.
export class Mesh extends Thing {
	// Copies of everything: positions (three a vertex), corners and faceStarts (polygons), triangles (three vertices each), and what the
	// mesh has of normals and uvs (by corner), colors (by vertex), faceMaterials, materials; triangleCorners are the same triangles as
	// numbers of corners.
	get arrays() {
		const module = moduleOf(this), handle = handleOf(this, Mesh, "this");
		const triangleCorners = new Int32Array(module.takeBytes(module.call("webTriangulate", handle)).buffer);
		module.call("webGetMesh", handle, module.scratch);
		const [vertices, faces, count, positions, starts, corners, normals, uvs, colors, faceMaterials, materialCount] = module.words(11);
		const arrays = {
			positions: module.copy(Float64Array, positions, 3 * vertices),
			faceStarts: module.copy(Int32Array, starts, faces + 1),
			corners: module.copy(Int32Array, corners, count),
			triangles: null,
			triangleCorners,
			normals: module.copy(Float32Array, normals, 3 * count),
			uvs: module.copy(Float32Array, uvs, 2 * count),
			colors: module.copy(Float32Array, colors, 4 * vertices),
			faceMaterials: module.copy(Int32Array, faceMaterials, faces),
			materials: [],
		};
		arrays.triangles = triangleCorners.map((corner) => arrays.corners[corner]);
		for (let i = 0; i < materialCount; ++i) {
			const name = module.text(module.call("webGetMaterial", handle, i, module.scratch));
			const [red, green, blue, alpha, metallic, roughness] = new Float32Array(module.memory.buffer, module.scratch, 6).slice();
			arrays.materials.push({ name, color: [red, green, blue, alpha], metallic, roughness });
		}
		return arrays;
	}

	get measures() {
		const module = moduleOf(this);
		module.call("webMeasure", handleOf(this, Mesh, "this"), module.scratch);
		const n = module.doubles(11);
		return { lower: Array.from(n.slice(0, 3)), upper: Array.from(n.slice(3, 6)), area: n[6], volume: n[7], center: Array.from(n.slice(8)) };
	}

	// Whether it is a clean closed solid, and in one sentence why not.
	check() {
		const module = moduleOf(this);
		module.call("webCheckMesh", handleOf(this, Mesh, "this"), module.scratch);
		const n = module.doubles(13), names = ["vertices", "faces", "components", "openEdges", "nonmanifoldEdges", "misorientedEdges", "selfIntersections", "area", "volume"];
		const check = { isSolid: n[0] === 1, isClosed: n[1] === 1, isOriented: n[2] === 1, isManifold: n[3] === 1 };
		names.forEach((name, i) => (check[name] = n[4 + i]));
		check.verdict = module.sentence;
		return check;
	}

	// A solid out of whatever this is. thickness > 0 makes plates of sheets.
	repair(options) {
		const { thickness = 0, largestHole = 1, resolution = 0 } = given.options(options, "repair", ["thickness", "largestHole", "resolution"]);
		const module = moduleOf(this);
		const handle = module.call("webRepair", handleOf(this, Mesh, "this"), given.number(thickness, "thickness", 0), given.number(largestHole, "largestHole", 0, 1), given.integer(resolution, "resolution", 0, 512));
		return new Mesh(internal, module, handle);
	}

	// A copy, moved: scale, then rotation (a quaternion x, y, z, w), then translation.
	transform(options) {
		const { scale = 1, rotation = [0, 0, 0, 1], translation = [0, 0, 0] } = given.options(options, "transform", ["scale", "rotation", "translation"]);
		const [x, y, z, w] = unit(given.vector(rotation, "rotation", 4), "rotation");
		const s = typeof scale === "number" ? Array(3).fill(given.number(scale, "scale")) : given.vector(scale, "scale");
		const columns = [
			1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y),
			2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x),
			2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y),
		].map((value, i) => value * s[Math.floor(i / 3)]);
		const module = moduleOf(this);
		return new Mesh(internal, module, module.call("webTransform", handleOf(this, Mesh, "this"), Float64Array.from([...columns, ...given.vector(translation, "translation")])));
	}

	// By another mesh (op: split, union, intersection, difference), or by a plane { point, normal }.
	cut(tool, op = "split") {
		const module = moduleOf(this), handle = handleOf(this, Mesh, "this");
		if (tool instanceof Mesh) return takePieces(module, module.call("webCut", handle, meshOf(tool, module, "the cutter"), given.choice(op, "op", CUTS)));
		const { point = [0, 0, 0], normal } = given.options(tool ?? null, "cut", ["point", "normal"]);
		const numbers = [...given.vector(point, "point"), ...given.vector(normal, "normal")];
		return takePieces(module, module.call("webCutPlane", handle, Float64Array.from(numbers)));
	}

	// Voronoi pieces. The list has `masses` [kg, by density] and `bonds` (pairs of pieces that touch).
	shatter(options) {
		const known = ["pieces", "pattern", "seed", "at", "radius", "strength", "axis", "jitter", "smallest", "density", "roughness", "stretch"];
		const o = { pieces: 20, pattern: "uniform", seed: 1, at: [0, 0, 0], radius: 0, strength: 0.7, axis: [0, 0, 1], jitter: 0.5, smallest: 0, density: 1000, roughness: 0, stretch: [1, 1, 1], ...given.options(options, "shatter", known) };
		const numbers = [
			given.integer(o.pieces, "pieces", 1, 1e6), given.choice(o.pattern, "pattern", PATTERNS), given.integer(o.seed, "seed", 0, 2 ** 53), ...given.vector(o.at, "at"),
			given.number(o.radius, "radius", 0), given.number(o.strength, "strength", 0, 1), ...given.vector(o.axis, "axis"), given.number(o.jitter, "jitter", 0, 1),
			given.number(o.smallest, "smallest", 0, 1), given.number(o.density, "density", 1e-9), given.number(o.roughness, "roughness", 0), ...given.vector(o.stretch, "stretch"),
		];
		const module = moduleOf(this);
		return takePieces(module, module.call("webShatter", handleOf(this, Mesh, "this"), Float64Array.from(numbers)));
	}

	// Cracks by fracture mechanics under a blow: `impulse` [N s] at `hit`. One piece: it holds; `sentence` of the list says why it ended.
	crack(options) {
		const known = ["material", "hit", "impulse", "tets", "seed", "strikerRadius", "maxPieces", "grain"];
		const o = { material: "glass", tets: 10000, seed: 0, strikerRadius: 0.02, maxPieces: 0, grain: 0, ...given.options(options, "crack", known) };
		const numbers = [
			...given.vector(o.hit, "hit"), ...given.vector(o.impulse, "impulse"), given.integer(o.tets, "tets", 100, 1e6), given.integer(o.seed, "seed", 0, 2 ** 53),
			given.number(o.strikerRadius, "strikerRadius", 0), given.integer(o.maxPieces, "maxPieces", 0, 1e6), given.number(o.grain, "grain", 0),
		];
		const module = moduleOf(this);
		return takePieces(module, module.call("webCrack", handleOf(this, Mesh, "this"), given.text(o.material, "material"), Float64Array.from(numbers)));
	}

	// Tetrahedra: { nodes, tets } as arrays. By `count`, about, or by the `edge` of their lattice.
	tet(options) {
		const { count = 10000, edge = 0 } = given.options(options, "tet", ["count", "edge"]);
		const module = moduleOf(this);
		const handle = module.call("webMakeTets", handleOf(this, Mesh, "this"), given.integer(count, "count", 1, 1e7), given.number(edge, "edge", 0));
		module.call("webGetTets", handle, module.scratch);
		const [nodeCount, tetCount, nodes, tets] = module.words(4);
		const result = { nodes: module.copy(Float64Array, nodes, 3 * nodeCount), tets: module.copy(Int32Array, tets, 4 * tetCount) };
		module.call("webRelease", handle);
		return result;
	}

	// Pairs of triangles (numbers as in `arrays.triangles`) of this mesh and another that meet, exactly.
	collide(other) {
		const module = moduleOf(this);
		return new Int32Array(module.takeBytes(module.call("webCollide", handleOf(this, Mesh, "this"), meshOf(other, module, "the other mesh"))).buffer);
	}

	write(ending, options) {
		return new Brittle(internal, moduleOf(this)).write(this, ending, options);
	}
}

function unit(q, what) {
	const length = Math.hypot(...q);
	if (!(length > 1e-12)) throw new BrittleError(`${what} has no direction`);
	return q.map((x) => x / length);
}

function takePieces(module, handle) {
	const sentence = module.sentence;
	module.call("webGetPieces", handle, module.scratch);
	const [count, bondCount, masses, bonds] = module.words(4);
	const pieces = [];
	pieces.masses = module.copy(Float64Array, masses, count);
	pieces.bonds = module.copy(Int32Array, bonds, 2 * bondCount);
	pieces.sentence = sentence;
	try {
		for (let i = 0; i < count; ++i) pieces.push(new Mesh(internal, module, module.call("webTakePiece", handle, i)));
	} catch (error) {
		pieces.forEach((piece) => piece.free());
		throw error;
	} finally {
		if (!module.isBroken) module.call("webRelease", handle);
	}
	return pieces;
}

export class Scene extends Thing {
	get measures() {
		const module = moduleOf(this);
		module.call("webGetScene", handleOf(this, Scene, "this"), module.scratch);
		const [bodies, frameRate, duration, stepsPerFrame] = module.doubles(4);
		return { bodies, frameRate, duration, stepsPerFrame };
	}
	// Plays it and records.
	run() {
		const module = moduleOf(this);
		return new Run(internal, module, module.call("webMakeRun", handleOf(this, Scene, "this")));
	}
	// Runs on behind the messages of docs/live.md.
	live(options) {
		const { stepSeconds = 0.02 } = given.options(options, "live", ["stepSeconds"]);
		const module = moduleOf(this);
		return new Live(internal, module, module.call("webMakeLive", handleOf(this, Scene, "this"), given.number(stepSeconds, "stepSeconds", 1e-4, 10)));
	}
}

export class Run extends Thing {
	// Plays one frame; true as long as there are more.
	playFrame() {
		return moduleOf(this).call("webPlayFrame", handleOf(this, Run, "this")) === 0;
	}
	get measures() {
		const module = moduleOf(this);
		module.call("webGetRun", handleOf(this, Run, "this"), module.scratch);
		const [frame, frames, breaks, pieces, bodies] = module.doubles(5);
		return { frame, frames, breaks, pieces, bodies };
	}
	// Of everything that decides what happens next: the same as natively.
	get hash() {
		const module = moduleOf(this);
		module.call("webHashRun", handleOf(this, Run, "this"), module.scratch);
		return module.hash;
	}
	// The recording so far: "glb" or "usda" with motion, or "brec".
	write(ending) {
		const module = moduleOf(this);
		return module.takeBytes(module.call("webWriteRun", handleOf(this, Run, "this"), given.text(ending, "the ending").replace(/^\./, "")));
	}
}

export class Live extends Thing {
	join() {
		return moduleOf(this).call("webJoinLive", handleOf(this, Live, "this"));
	}
	receive(client, message) {
		const data = given.bytes(message, "the message");
		return moduleOf(this).call("webReceiveLive", handleOf(this, Live, "this"), given.integer(client, "client", 0, 63), data, data.length) === 0;
	}
	advance(seconds) {
		moduleOf(this).call("webAdvanceLive", handleOf(this, Live, "this"), given.number(seconds, "seconds", 0, 1e6));
	}
	step() {
		moduleOf(this).call("webStepLive", handleOf(this, Live, "this"));
	}
	// Carries a command out at once, whoever drives: for replays.
	apply(message) {
		const data = given.bytes(message, "the message");
		moduleOf(this).call("webApplyLive", handleOf(this, Live, "this"), data, data.length);
	}
	// Messages that wait for a client.
	messages(client) {
		const module = moduleOf(this), handle = handleOf(this, Live, "this"), list = [];
		given.integer(client, "client", 0, 63);
		while (module.call("webPeekLive", handle, client, module.scratch) === 1) {
			const [address, count] = module.words(2);
			list.push(module.copy(Uint8Array, address, count));
			module.call("webPopLive", handle, client);
		}
		return list;
	}
	get measures() {
		const module = moduleOf(this);
		module.call("webGetLive", handleOf(this, Live, "this"), module.scratch);
		const [step, time, bodies, pieces, breaks] = module.doubles(5);
		return { step, time, bodies, pieces, breaks };
	}
	// All bodies where they are, but for balls, as a file: "glb", "obj"...
	write(ending) {
		const module = moduleOf(this);
		return module.takeBytes(module.call("webWriteLive", handleOf(this, Live, "this"), given.text(ending, "the ending").replace(/^\./, "")));
	}
	get hash() {
		const module = moduleOf(this);
		module.call("webHashLive", handleOf(this, Live, "this"), module.scratch);
		return module.hash;
	}
}

// Ids of bodies are texts, "slot:generation", so that they can be keys. One that broke is gone for good.
function idOf(id) {
	const parts = typeof id === "string" ? /^(\d{1,9}):(\d{1,10})$/.exec(id) : null;
	if (!parts) throw new BrittleError("a body is named by the text that add gave");
	return [Number(parts[1]), Number(parts[2]) | 0];
}

const bodyOptions = ["position", "rotation", "velocity", "spin", "kind", "method", "pieces", "smallest", "strength", "generations", "seed"];

function bodyNumbers(o) {
	return Float64Array.from([
		given.choice(o.kind ?? "dynamic", "kind", KINDS), ...given.vector(o.position ?? [0, 0, 0], "position"), ...unit(given.vector(o.rotation ?? [0, 0, 0, 1], "rotation", 4), "rotation"),
		...given.vector(o.velocity ?? [0, 0, 0], "velocity"), ...given.vector(o.spin ?? [0, 0, 0], "spin"), given.choice(o.method ?? "shatter", "method", METHODS),
		given.integer(o.pieces ?? 300, "pieces", 2, 10000), given.number(o.smallest ?? 0, "smallest", 0), given.number(o.strength ?? 1, "strength", 1e-6, 1e6),
		given.integer(o.generations ?? 2, "generations", 1, 100), given.integer(o.seed ?? 0, "seed", 0, 2 ** 53),
	]);
}

export class World extends Thing {
	// A body of a mesh and a material that may break. Returns its id.
	add(mesh, options) {
		const o = given.options(options, "add", ["material", ...bodyOptions]);
		const module = moduleOf(this), handle = handleOf(this, World, "this");
		module.call("webAddBody", handle, meshOf(mesh, module, "the mesh"), given.text(o.material ?? "glass", "material"), bodyNumbers(o), module.scratch);
		return module.words(2).join(":");
	}
	addBall(radius, options) {
		const o = given.options(options, "addBall", ["density", ...bodyOptions]);
		const module = moduleOf(this);
		module.call("webAddBall", handleOf(this, World, "this"), given.number(radius, "radius", 1e-4, 1e6), given.number(o.density ?? 7800, "density", 1e-6, 1e6), bodyNumbers(o), module.scratch);
		return module.words(2).join(":");
	}
	// Advances by dt [s] and returns what broke: [{ parent, pieces, point, speed, energy, mass }].
	step(dt = 1 / 60) {
		const module = moduleOf(this), handle = handleOf(this, World, "this");
		module.call("webStepWorld", handle, given.number(dt, "dt", 1e-7, 1));
		const numbers = new Float64Array(module.takeBytes(module.call("webGetBreaks", handle)).buffer), breaks = [];
		for (let at = 0; at < numbers.length; ) {
			const [index, generation, x, y, z, speed, energy, mass, count] = numbers.slice(at, at + 9);
			const pieces = Array.from({ length: count }, (_, i) => `${numbers[at + 9 + 2 * i]}:${numbers[at + 10 + 2 * i]}`);
			breaks.push({ parent: `${index}:${generation}`, pieces, point: [x, y, z], speed, energy, mass });
			at += 9 + 2 * count;
		}
		return breaks;
	}
	// All bodies, the ground first if there is one: { ids, poses }, with seven floats of each pose: position, quaternion x y z w.
	bodies() {
		const module = moduleOf(this);
		const bytes = module.takeBytes(module.call("webGetBodies", handleOf(this, World, "this")));
		const count = bytes.length / 36, words = new Uint32Array(bytes.buffer), floats = new Float32Array(bytes.buffer);
		const ids = Array.from({ length: count }, (_, i) => `${words[9 * i]}:${words[9 * i + 1]}`), poses = new Float32Array(7 * count);
		for (let i = 0; i < count; ++i) poses.set(floats.subarray(9 * i + 2, 9 * i + 9), 7 * i);
		return { ids, poses };
	}
	// A copy of the mesh of a body in the axes of its pose; null for balls, the ground, and what is gone.
	meshOf(id) {
		const module = moduleOf(this), handle = module.call("webGetBodyMesh", handleOf(this, World, "this"), ...idOf(id));
		return handle === 0 ? null : new Mesh(internal, module, handle);
	}
	// { velocity, spin }; null if the body is gone.
	motionOf(id) {
		const module = moduleOf(this);
		if (module.call("webGetVelocity", handleOf(this, World, "this"), ...idOf(id), module.scratch) === 0) return null;
		const n = Array.from(module.doubles(6));
		return { velocity: n.slice(0, 3), spin: n.slice(3) };
	}
	// False if the body is gone.
	setMotion(id, velocity, spin = [0, 0, 0]) {
		const numbers = Float64Array.from([...given.vector(velocity, "velocity"), ...given.vector(spin, "spin")]);
		return moduleOf(this).call("webSetVelocity", handleOf(this, World, "this"), ...idOf(id), numbers) === 1;
	}
	// Breaks a body in the next step as if it were hit; energy in joules. False if it cannot break.
	break(id, point, direction, energy) {
		const numbers = Float64Array.from([...given.vector(point, "point"), ...given.vector(direction, "direction"), given.number(energy, "energy", 0)]);
		return moduleOf(this).call("webBreakBody", handleOf(this, World, "this"), ...idOf(id), numbers) === 1;
	}
	remove(id) {
		return moduleOf(this).call("webRemoveBody", handleOf(this, World, "this"), ...idOf(id)) === 1;
	}
	// All bodies where they are, but for balls, as a file: "glb", "obj"...
	write(ending) {
		const module = moduleOf(this);
		return module.takeBytes(module.call("webWriteWorld", handleOf(this, World, "this"), given.text(ending, "the ending").replace(/^\./, "")));
	}
	get hash() {
		const module = moduleOf(this);
		module.call("webHashWorld", handleOf(this, World, "this"), module.scratch);
		return module.hash;
	}
}

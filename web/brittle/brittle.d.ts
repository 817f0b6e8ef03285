// Types of brittle.js, where each call is described. Metres, kilograms, seconds; z points up.

/// <reference lib="esnext.disposable" />

export type Vector = readonly [number, number, number] | ArrayLike<number>;
export type Quaternion = readonly [number, number, number, number] | ArrayLike<number>;
export type Bytes = ArrayBuffer | ArrayBufferView;
/** A body of a world, "slot:generation". */
export type BodyId = string;
export type CutOp = "split" | "union" | "intersection" | "difference";
export type Pattern = "uniform" | "clustered" | "radial" | "grid" | "slices";

/** What cannot be done: `message` is one sentence, `code` the name of the library's result. */
export class BrittleError extends Error {
	readonly code: string;
}

/** Loads the module: from beside this file, or from an address, bytes, a Response or a compiled module. `threads` is a wish:
 * Node and pages with the headers COOP and COEP can share memory; elsewhere there is one thread (Brittle.threads). */
export function loadBrittle(source?: string | URL | Bytes | Response | WebAssembly.Module, options?: { threads?: number }): Promise<Brittle>;

export interface Owned {
	readonly isFreed: boolean;
	/** Gives the memory back; may be called again. */
	free(): void;
	/** The same, at the end of a block with `using`. */
	[Symbol.dispose](): void;
}

export interface MeshArrays {
	positions: Float64Array;
	faceStarts: Int32Array;
	corners: Int32Array;
	/** Three vertices each. */
	triangles: Int32Array;
	/** The same triangles as numbers of corners, for what is kept by corner. */
	triangleCorners: Int32Array;
	normals: Float32Array | null;
	uvs: Float32Array | null;
	colors: Float32Array | null;
	faceMaterials: Int32Array | null;
	materials: { name: string; color: [number, number, number, number]; metallic: number; roughness: number }[];
}

export interface MeshCheck {
	isSolid: boolean;
	isClosed: boolean;
	isOriented: boolean;
	isManifold: boolean;
	vertices: number;
	faces: number;
	components: number;
	openEdges: number;
	nonmanifoldEdges: number;
	misorientedEdges: number;
	selfIntersections: number;
	area: number;
	volume: number;
	/** One sentence that names the first thing that is wrong. */
	verdict: string;
}

/** Meshes of one break. Free each of them. */
export interface Pieces extends Array<Mesh> {
	/** Of each piece [kg]; volumes [m^3] after a cut. */
	masses: Float64Array;
	/** Pairs of pieces that share a cut face. */
	bonds: Int32Array;
	sentence: string;
}

export interface ShatterOptions {
	pieces?: number;
	pattern?: Pattern;
	seed?: number;
	/** Where it is hit, for clustered and radial. [m] */
	at?: Vector;
	radius?: number;
	/** Share of the sites that belong to the cluster, 0 to 1. */
	strength?: number;
	axis?: Vector;
	jitter?: number;
	/** Pieces below this share of the volume join a neighbour. */
	smallest?: number;
	density?: number;
	/** Height of bumps on cut faces. [m] */
	roughness?: number;
	stretch?: Vector;
}

export interface CrackOptions {
	material?: string;
	hit: Vector;
	/** [N s] */
	impulse: Vector;
	tets?: number;
	seed?: number;
	strikerRadius?: number;
	maxPieces?: number;
	grain?: number;
}

export interface BodyOptions {
	position?: Vector;
	rotation?: Quaternion;
	velocity?: Vector;
	spin?: Vector;
	kind?: "static" | "kinematic" | "dynamic";
	method?: "none" | "shatter" | "crack";
	pieces?: number;
	smallest?: number;
	strength?: number;
	generations?: number;
	seed?: number;
}

export interface Break {
	parent: BodyId;
	pieces: BodyId[];
	point: [number, number, number];
	speed: number;
	energy: number;
	mass: number;
}

export class Brittle {
	private constructor();
	/** Names for `make`. */
	readonly models: readonly string[];
	/** Names of materials. */
	readonly materials: readonly string[];
	/** Things that have not been freed. */
	readonly thingCount: number;
	readonly memoryBytes: number;
	/** Threads that work on a call, the caller's included. */
	readonly threads: number;
	/** Ends the threads; nothing can be called any more. */
	close(): void;
	mesh(arrays: { positions: ArrayLike<number>; triangles: ArrayLike<number> } | { positions: ArrayLike<number>; corners: ArrayLike<number>; faceStarts: ArrayLike<number> }): Mesh;
	make(name: string, options?: { resolution?: number; seed?: number; [parameter: string]: number | undefined }): Mesh;
	/** The ending of `name` says what the bytes are: glb, gltf, obj, stl, ply, off... */
	read(bytes: Bytes, name: string): Mesh;
	write(meshes: Mesh | readonly Mesh[], ending: string, options?: { yUp?: boolean }): Uint8Array;
	/** A scene as an object, JSON text, or the bytes of a .glb; `files` are those that it names. */
	scene(description: object | string | Bytes, options?: { files?: Record<string, Bytes> }): Scene;
	world(options?: { gravity?: Vector; ground?: boolean; friction?: number; restitution?: number }): World;
}

export class Mesh implements Owned {
	private constructor();
	readonly isFreed: boolean;
	free(): void;
	[Symbol.dispose](): void;
	/** Copies of all arrays. */
	readonly arrays: MeshArrays;
	readonly measures: { lower: number[]; upper: number[]; area: number; volume: number; center: number[] };
	check(): MeshCheck;
	repair(options?: { thickness?: number; largestHole?: number; resolution?: number }): Mesh;
	transform(options?: { scale?: number | Vector; rotation?: Quaternion; translation?: Vector }): Mesh;
	cut(cutter: Mesh, op?: CutOp): Pieces;
	cut(plane: { point?: Vector; normal: Vector }): Pieces;
	shatter(options?: ShatterOptions): Pieces;
	crack(options: CrackOptions): Pieces;
	tet(options?: { count?: number; edge?: number }): { nodes: Float64Array; tets: Int32Array };
	/** Pairs of triangles that meet. */
	collide(other: Mesh): Int32Array;
	write(ending: string, options?: { yUp?: boolean }): Uint8Array;
}

export class Scene implements Owned {
	private constructor();
	readonly isFreed: boolean;
	free(): void;
	[Symbol.dispose](): void;
	readonly measures: { bodies: number; frameRate: number; duration: number; stepsPerFrame: number };
	run(): Run;
	live(options?: { stepSeconds?: number }): Live;
}

/** A scene that is played and recorded. */
export class Run implements Owned {
	private constructor();
	readonly isFreed: boolean;
	free(): void;
	[Symbol.dispose](): void;
	/** True as long as there are more frames. */
	playFrame(): boolean;
	readonly measures: { frame: number; frames: number; breaks: number; pieces: number; bodies: number };
	readonly hash: string;
	write(ending: "glb" | "usda" | "brec"): Uint8Array;
}

/** A scene that runs on behind messages. */
export class Live implements Owned {
	private constructor();
	readonly isFreed: boolean;
	free(): void;
	[Symbol.dispose](): void;
	join(): number;
	receive(client: number, message: Bytes): boolean;
	advance(seconds: number): void;
	step(): void;
	apply(message: Bytes): void;
	messages(client: number): Uint8Array[];
	/** All bodies where they are, but for balls. */
	write(ending: string): Uint8Array;
	readonly measures: { step: number; time: number; bodies: number; pieces: number; breaks: number };
	readonly hash: string;
}

export class World implements Owned {
	private constructor();
	readonly isFreed: boolean;
	free(): void;
	[Symbol.dispose](): void;
	add(mesh: Mesh, options?: BodyOptions & { material?: string }): BodyId;
	addBall(radius: number, options?: BodyOptions & { density?: number }): BodyId;
	step(dt?: number): Break[];
	bodies(): { ids: BodyId[]; poses: Float32Array };
	meshOf(id: BodyId): Mesh | null;
	motionOf(id: BodyId): { velocity: number[]; spin: number[] } | null;
	setMotion(id: BodyId, velocity: Vector, spin?: Vector): boolean;
	break(id: BodyId, point: Vector, direction: Vector, energy: number): boolean;
	remove(id: BodyId): boolean;
	/** All bodies where they are, but for balls. */
	write(ending: string): Uint8Array;
	readonly hash: string;
}

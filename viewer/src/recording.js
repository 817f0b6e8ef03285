// Reads .brec, the recording that `brittle run` writes. docs/formats.md describes it.

const MAGIC = 0x43455242;
const FLAGS = { normals: 1, uvs: 2, colors: 4, faceMaterials: 8, doubles: 16 };
const NORMAL_STEP = 2 ** -12;
const UV_STEP = 2 ** -14;
const TURN_STEP = 2 ** -6;

export class Cursor {
	constructor(buffer) {
		this.view = new DataView(buffer);
		this.at = 0;
	}
	need(bytes) {
		if (this.at + bytes > this.view.byteLength) throw new Error("the recording ends in the middle");
	}
	u32() {
		this.need(4);
		this.at += 4;
		return this.view.getUint32(this.at - 4, true);
	}
	f32() {
		this.need(4);
		this.at += 4;
		return this.view.getFloat32(this.at - 4, true);
	}
	f64() {
		this.need(8);
		this.at += 8;
		return this.view.getFloat64(this.at - 8, true);
	}
	// Seven bits a byte, lowest first. Numbers stay below 2^53.
	count() {
		let value = 0;
		for (let scale = 1; ; scale *= 128) {
			this.need(1);
			const byte = this.view.getUint8(this.at++);
			value += (byte & 127) * scale;
			if (byte < 128) return value;
			if (scale > 2 ** 56) throw new Error("a number in the recording is too long");
		}
	}
	signed() {
		const folded = this.count();
		return folded % 2 === 0 ? folded / 2 : -(folded + 1) / 2;
	}
	text() {
		const length = this.count();
		this.need(length);
		const bytes = new Uint8Array(this.view.buffer, this.at, length);
		this.at += length;
		return new TextDecoder().decode(bytes);
	}
}

// Every count is of things that take a byte each at least, so none can be larger than what is left.
function checked(cursor, count) {
	if (count > cursor.view.byteLength - cursor.at) throw new Error("a count in the recording is too large");
	return count;
}

function readSteps(cursor, count, size, step, exact) {
	const values = new Float32Array(count * size);
	const last = new Array(size).fill(0);
	for (let i = 0; i < count; ++i)
		for (let k = 0; k < size; ++k) {
			if (exact) values[i * size + k] = exact(cursor);
			else values[i * size + k] = (last[k] += cursor.signed()) * step;
		}
	return values;
}

export function readMesh(cursor) {
	const flags = cursor.u32();
	const has = (flag) => (flags & flag) !== 0;
	const vertexCount = checked(cursor, cursor.u32());
	const faceCount = checked(cursor, cursor.u32());
	const cornerCount = checked(cursor, cursor.u32());
	const materials = [];
	for (let i = checked(cursor, cursor.u32()); i > 0; --i) {
		const material = { name: cursor.text(), texture: cursor.text() };
		const n = Array.from({ length: 9 }, () => cursor.f32());
		materials.push({ ...material, color: n.slice(0, 4), metallic: n[4], roughness: n[5], emission: n.slice(6) });
	}
	const exact = has(FLAGS.doubles);
	const step = exact ? 0 : cursor.f64();
	const positions = readSteps(cursor, vertexCount, 3, step, exact && ((c) => c.f64()));
	const colors = has(FLAGS.colors) ? readSteps(cursor, vertexCount, 4, 0, (c) => c.f32()) : null;
	const faceStarts = new Uint32Array(faceCount + 1);
	const faceMaterials = has(FLAGS.faceMaterials) ? new Int32Array(faceCount) : null;
	for (let f = 0; f < faceCount; ++f) {
		faceStarts[f + 1] = faceStarts[f] + cursor.count();
		if (faceMaterials) faceMaterials[f] = cursor.signed();
	}
	if (faceStarts[faceCount] !== cornerCount) throw new Error("the faces of a mesh do not add up");
	const corners = new Uint32Array(cornerCount);
	for (let c = 0, last = 0; c < cornerCount; ++c) {
		corners[c] = last += cursor.signed();
		if (last < 0 || last >= vertexCount) throw new Error("a face names a vertex that does not exist");
	}
	const float = exact && ((c) => c.f32());
	const normals = has(FLAGS.normals) ? readSteps(cursor, cornerCount, 3, NORMAL_STEP, float) : null;
	const uvs = has(FLAGS.uvs) ? readSteps(cursor, cornerCount, 2, UV_STEP, float) : null;
	return { positions, colors, faceStarts, faceMaterials, corners, normals, uvs, materials };
}

// Where a body is from frame to frame: its keys as parallel arrays, frames rising. `turns` has, by key, how it turned since the frame before
// where that was more than a quarter turn: axis times angle.
function track() {
	return { frames: [], poses: [], turns: new Map() };
}

// How the scene's own pictures are taken, or null.
function readCamera(cursor) {
	const n = Array.from({ length: 11 }, () => cursor.f64());
	const isFramed = cursor.count() > 0, ground = cursor.count() === 1;
	const [width, height] = [cursor.count(), cursor.count(), cursor.count()];
	if (!(n[3] > 0)) return null;
	const [azimuth, elevation, fieldOfView, zoom] = n;
	return { azimuth, elevation, fieldOfView, zoom, frame: isFramed ? n.slice(4, 10) : null, ground, width, height };
}

export function readRecording(buffer) {
	const cursor = new Cursor(buffer);
	if (buffer.byteLength < 64 || cursor.u32() !== MAGIC) throw new Error("this is not a .brec recording");
	const version = cursor.u32();
	if (version !== 4) throw new Error(`this recording is of version ${version}; the page knows version 4`);
	cursor.at += 16; // size and hash
	const frameRate = cursor.f64();
	const unit = cursor.f64();
	const counts = Array.from({ length: 5 }, () => cursor.u32());
	const [meshCount, bodyCount, frameCount, , breakCount] = counts.map((n) => checked(cursor, n));
	cursor.at = 64;

	const meshes = Array.from({ length: meshCount }, () => readMesh(cursor));
	const bodies = Array.from({ length: bodyCount }, () => {
		const name = cursor.text(), mesh = cursor.count(), parent = cursor.signed();
		const born = cursor.count(), gone = cursor.count(), kind = cursor.count();
		const generation = cursor.count(), mass = cursor.f32();
		if (mesh >= meshCount || parent >= bodyCount) throw new Error("a body of the recording names what is not there");
		return { name, mesh, parent, born, gone: gone === 0 ? Infinity : gone - 1, kind, generation, mass, track: track() };
	});

	const last = bodies.map(() => [0, 0, 0, 0, 0, 0, 0]);
	const frames = [];
	for (let f = 0; f < frameCount; ++f) {
		const frame = { bodies: cursor.count(), awake: cursor.count(), contacts: cursor.count() };
		frame.kinetic = cursor.f32();
		frame.potential = cursor.f32();
		for (let n = checked(cursor, cursor.count()), body = -1; n > 0; --n) {
			const gap = cursor.count(), isTurned = gap % 2 === 1;
			body += Math.floor(gap / 2) + 1;
			if (body >= bodyCount) throw new Error("a key of the recording names a body that does not exist");
			const steps = last[body];
			for (let k = 0; k < 7; ++k) steps[k] += cursor.signed();
			const { frames: when, poses, turns } = bodies[body].track;
			if (isTurned) turns.set(when.length, [cursor.signed() * TURN_STEP, cursor.signed() * TURN_STEP, cursor.signed() * TURN_STEP]);
			when.push(f);
			poses.push(steps[0] * unit, steps[1] * unit, steps[2] * unit, ...steps.slice(3));
		}
		frames.push(frame);
	}
	const breaks = Array.from({ length: breakCount }, () => ({
		frame: cursor.count(),
		body: cursor.signed(),
		pieces: cursor.count(),
		point: [cursor.f32(), cursor.f32(), cursor.f32()],
		energy: cursor.f32(),
		stress: cursor.f32(),
	}));
	const camera = readCamera(cursor);
	for (const body of bodies) body.track.poses = new Float32Array(body.track.poses);
	return { frameRate, meshes, bodies, frames, breaks, camera };
}

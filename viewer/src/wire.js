// Messages of `brittle serve` and the commands that go back. docs/live.md describes both; the twins in C are src/live/view.c and command.c.

import { Cursor, readMesh } from "./recording.js";

export const VERSION = 3;
const HELLO = 1, STATUS = 2, FRAME = 3, TETS = 4;
const HUNG = 4; // kind of a body

function hello(c) {
	const version = c.count();
	if (version !== VERSION) throw new Error(`the server speaks version ${version}, the page version ${VERSION}`);
	const message = { unit: c.f64(), turn: c.f64(), dt: c.f64(), title: c.text() };
	message.materials = Array.from({ length: c.count() }, () => c.text());
	message.ballRadius = c.f32();
	message.throwSpeed = c.f32();
	message.lower = [c.f32(), c.f32(), c.f32()];
	message.upper = [c.f32(), c.f32(), c.f32()];
	return message;
}

function status(c) {
	const message = { driving: c.count() === 1, clients: c.count(), speed: c.f32() };
	message.gravity = [c.f32(), c.f32(), c.f32()];
	message.material = c.count();
	return message;
}

const seven = (c) => Int32Array.from({ length: 7 }, () => c.signed());

// A list of bodies by rising number, with what `read` finds for each.
function byNumber(c, read) {
	const list = [];
	for (let n = c.count(), number = 0; n > 0; --n) {
		number += c.count() + 1;
		list.push(read(number));
	}
	return list;
}

function birth(c, number) {
	const body = { number, kind: c.count(), id: [c.count(), c.count()], parent: c.count(), stress: c.f32() };
	if (body.kind === HUNG) body.rope = [c.f32(), c.f32(), c.f32()];
	body.mesh = c.count();
	body.shape = c.count() === 1 ? readMesh(c) : null;
	body.pose = seven(c);
	body.change = seven(c);
	return body;
}

function frame(c) {
	const message = { forget: c.count() === 1, time: c.f64() };
	for (const name of ["bodies", "awake", "contacts", "pieces", "breaks"]) message[name] = c.count();
	for (const name of ["stepSeconds", "detect", "solve", "break", "rate"]) message[name] = c.f32();
	message.gone = byNumber(c, (number) => number);
	message.born = byNumber(c, (number) => birth(c, number));
	message.moved = byNumber(c, (number) => ({ number, steps: seven(c) }));
	return message;
}

// Of `brittle serve A.msh B.msh`: a text of JSON, then numbers.
function tets(c) {
	const { buffer } = c.view, from = c.at + 4, to = from + c.u32();
	if (to > buffer.byteLength || (buffer.byteLength - to) % 4 !== 0) throw new Error("a message is shorter than it says");
	c.at = buffer.byteLength;
	return { ...JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, from, to - from))), floats: new Float32Array(buffer.slice(to)) };
}

export function readMessage(buffer) {
	const cursor = new Cursor(buffer);
	cursor.need(1);
	const kind = cursor.view.getUint8(cursor.at++);
	const read = { [HELLO]: hello, [STATUS]: status, [FRAME]: frame, [TETS]: tets }[kind];
	if (!read) throw new Error(`a message of kind ${kind}`);
	const message = read(cursor);
	if (cursor.at !== buffer.byteLength) throw new Error("a message is longer than it says");
	return { kind: ["", "hello", "status", "frame", "tets"][kind], ...message };
}

function command(kind, floats = [], words = [], bytes = []) {
	const view = new DataView(new ArrayBuffer(1 + 4 * (words.length + floats.length) + bytes.length));
	let at = 0;
	view.setUint8(at++, kind);
	for (const word of words) view.setUint32(at, word, true), (at += 4);
	for (const float of floats) view.setFloat32(at, float, true), (at += 4);
	for (const byte of bytes) view.setUint8(at++, byte);
	return view.buffer;
}

export const commands = {
	throw: (origin, velocity, radius) => command(1, [...origin, ...velocity, radius]),
	grab: (id, point, target) => command(2, [...point, ...target], id),
	pull: (target) => command(3, target),
	release: () => command(4),
	gravity: (vector) => command(5, vector),
	speed: (factor) => command(6, [factor]),
	material: (index) => command(7, [], [], [index]),
	begin: () => command(8),
	step: () => command(9),
	choose: (which, option) => command(11, [], [], [which, option]), // of tets
	swing: (hook, center, velocity, radius) => command(10, [...hook, ...center, ...velocity, radius]),
};

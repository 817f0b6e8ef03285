// Checks what callers give before it reaches the module: one sentence for whatever is wrong.

import { BrittleError } from "./module.js";

function describe(x) {
	return typeof x === "number" ? String(x) : x === null ? "null" : typeof x === "object" ? x.constructor?.name ?? "an object" : typeof x;
}

export function number(x, what, low = -Infinity, high = Infinity) {
	if (typeof x !== "number" || !Number.isFinite(x)) throw new BrittleError(`${what} is a finite number, not ${describe(x)}`);
	if (x < low || x > high) throw new BrittleError(`${what} is ${x}, and goes from ${low} to ${high}`);
	return x;
}

export function integer(x, what, low, high) {
	if (!Number.isInteger(number(x, what, low, high))) throw new BrittleError(`${what} is a whole number, not ${x}`);
	return x;
}

export function vector(x, what, size = 3) {
	if (!(Array.isArray(x) || ArrayBuffer.isView(x)) || x.length !== size) throw new BrittleError(`${what} is ${size} numbers`);
	return Array.from(x, (value, i) => number(value, `${what}[${i}]`));
}

export function text(x, what) {
	if (typeof x !== "string" || x.length > 1e8 || x.includes("\0")) throw new BrittleError(`${what} is a text, not ${describe(x)}`);
	return x;
}

export function choice(x, what, names) {
	if (!names.includes(x)) throw new BrittleError(`${what} is one of ${names.join(", ")}, not ${typeof x === "string" ? x : describe(x)}`);
	return names.indexOf(x);
}

export function bytes(x, what) {
	if (x instanceof ArrayBuffer) return new Uint8Array(x);
	if (ArrayBuffer.isView(x)) return new Uint8Array(x.buffer, x.byteOffset, x.byteLength);
	throw new BrittleError(`${what} is an ArrayBuffer or a typed array, not ${describe(x)}`);
}

// Numbers as an array of this type; whole and in range for whole types.
export function array(x, what, Type) {
	if (!(Array.isArray(x) || (ArrayBuffer.isView(x) && !(x instanceof DataView)))) throw new BrittleError(`${what} is an array of numbers, not ${describe(x)}`);
	if (x instanceof Type) return x;
	if (typeof x[0] === "bigint") throw new BrittleError(`${what} is an array of numbers, not bigint`);
	if (Type === Int32Array || Array.isArray(x))
		for (let i = 0; i < x.length; ++i) {
			if (typeof x[i] !== "number") throw new BrittleError(`${what}[${i}] is a number, not ${describe(x[i])}`);
			if (Type === Int32Array && x[i] !== (x[i] | 0)) throw new BrittleError(`${what}[${i}] is ${x[i]}, no index`);
		}
	return Type.from(x);
}

export function options(x, what, known) {
	if (x === undefined) return {};
	if (typeof x !== "object" || x === null || Array.isArray(x)) throw new BrittleError(`${what} takes an object of options, not ${describe(x)}`);
	for (const key of Object.keys(x)) if (!known.includes(key)) throw new BrittleError(`${what} has no option ${key}; there are ${known.join(", ")}`);
	return x;
}

export function json(x, what) {
	try {
		if (typeof x === "object" && x !== null) return JSON.stringify(x);
	} catch {} // a ring, or a bigint
	throw new BrittleError(`${what} is an object that JSON can hold, or a text, not ${describe(x)}`);
}

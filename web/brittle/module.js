// The WebAssembly module: how it is loaded, how numbers, texts and arrays get in and out, how failures become exceptions.

export class BrittleError extends Error {
	constructor(message, code = "br_errorMisuse") {
		super(message);
		this.name = "BrittleError";
		this.code = code;
	}
}

const SCRATCH = 256;
const encoder = new TextEncoder(), decoder = new TextDecoder();

async function compile(source) {
	if (source instanceof WebAssembly.Module) return source;
	if (source === undefined) source = new URL("./brittle.wasm", import.meta.url);
	if (typeof source === "string") source = new URL(source, globalThis.location?.href);
	if (source instanceof URL && source.protocol === "file:") {
		const { readFile } = await import("node:fs/promises");
		source = await readFile(source);
	} else if (source instanceof URL) source = await fetch(source);
	if (typeof Response !== "undefined" && source instanceof Response) {
		if (!source.ok) throw new BrittleError(`${source.url} cannot be had: ${source.status}`, "br_errorFile");
		source = await source.arrayBuffer();
	}
	if (!(source instanceof ArrayBuffer) && !ArrayBuffer.isView(source)) throw new BrittleError("loadBrittle takes nothing, an address, bytes, a Response or a WebAssembly.Module");
	return WebAssembly.compile(source);
}

// What the module asks its host for: a clock, and answers that there are no files, no environment and no streams.
// Other calls of the system that the C library mentions answer that they are not there.
function imports(compiled, memory) {
	const BAD_FILE = 8, NOT_THERE = -52;
	const given = {
		wasi_snapshot_preview1: {
			clock_time_get: (clock, precision, out) => {
				const view = new DataView(memory().buffer);
				view.setBigUint64(out, BigInt(Math.round((clock === 0 ? Date.now() : performance.now()) * 1e6)), true);
				return 0;
			},
			environ_sizes_get: (count, size) => {
				const view = new DataView(memory().buffer);
				view.setUint32(count, 0, true);
				view.setUint32(size, 0, true);
				return 0;
			},
			environ_get: () => 0,
			fd_close: () => BAD_FILE,
			fd_read: () => BAD_FILE,
			fd_seek: () => BAD_FILE,
			fd_write: () => BAD_FILE,
			proc_exit: () => {
				throw new WebAssembly.RuntimeError("the module ended itself");
			},
		},
		env: { emscripten_notify_memory_growth: () => {} },
	};
	for (const { module, name, kind } of WebAssembly.Module.imports(compiled)) if (kind === "function") (given[module] ??= {})[name] ??= () => NOT_THERE;
	return given;
}

export class Module {
	static async load(source) {
		const compiled = await compile(source);
		let memory = null;
		const instance = await WebAssembly.instantiate(compiled, imports(compiled, () => memory));
		memory = instance.exports.memory;
		instance.exports._initialize?.();
		return new Module(instance.exports);
	}

	constructor(exports) {
		this.exports = exports;
		this.scratch = exports.webAlloc(SCRATCH);
		this.isBroken = false;
	}

	// The text at an address, up to its zero.
	text(address) {
		const bytes = new Uint8Array(this.exports.memory.buffer, address >>> 0);
		return decoder.decode(bytes.slice(0, bytes.indexOf(0)));
	}

	// The sentence of the last call: a remark, or why it failed.
	get sentence() {
		return this.text(this.exports.webText());
	}

	// Calls an exported function; a negative answer is an exception with the library's sentence. Texts and typed arrays among
	// the arguments are copied in for the time of the call.
	call(name, ...given) {
		if (this.isBroken) throw new BrittleError("the module stopped in the middle of a call and cannot be used any more; load it again", "br_errorMisuse");
		const kept = [];
		try {
			const values = given.map((x) => {
				if (typeof x === "number") return x;
				const bytes = typeof x === "string" ? encoder.encode(`${x}\0`) : new Uint8Array(x.buffer, x.byteOffset, x.byteLength);
				const address = this.exports.webAlloc(bytes.length);
				if (address === 0) throw new BrittleError(`there is not enough memory for ${bytes.length} bytes`, "br_errorMemory");
				kept.push(address);
				new Uint8Array(this.exports.memory.buffer).set(bytes, address >>> 0);
				return address;
			});
			const answer = this.exports[name](...values);
			if (answer < 0) throw new BrittleError(this.sentence || name, this.text(this.exports.webCodeName(answer)));
			return answer;
		} catch (error) {
			if (error instanceof BrittleError) throw error;
			this.isBroken = true; // a trap: what it was doing is half done
			throw new BrittleError(`the module stopped: ${error.message}`, "br_errorMemory");
		} finally {
			if (!this.isBroken) for (const address of kept) this.exports.webFree(address);
		}
	}

	// `count` numbers that the last call wrote to the scratch memory.
	doubles(count) {
		return new Float64Array(this.exports.memory.buffer, this.scratch, count).slice();
	}
	words(count) {
		return new Uint32Array(this.exports.memory.buffer, this.scratch, count).slice();
	}
	get hash() {
		return new BigUint64Array(this.exports.memory.buffer, this.scratch, 1)[0].toString(16).padStart(16, "0");
	}

	// A copy of an array in the module's memory; null for address 0.
	copy(Type, address, count) {
		return address === 0 ? null : new Type(this.exports.memory.buffer, address, count).slice();
	}

	// Bytes behind a handle, copied; the handle is freed.
	takeBytes(handle) {
		this.call("webGetBytes", handle, this.scratch);
		const [address, count] = this.words(2);
		const bytes = this.copy(Uint8Array, address, count) ?? new Uint8Array(0);
		this.call("webRelease", handle);
		return bytes;
	}
}

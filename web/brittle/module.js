// The WebAssembly module: how it is loaded, how numbers, texts and arrays get in and out, how failures become exceptions.

export class BrittleError extends Error {
	constructor(message, code = "br_errorMisuse") {
		super(message);
		this.name = "BrittleError";
		this.code = code;
	}
}

const SCRATCH = 256;
const FIRST_PAGES = 512, MOST_PAGES = 32768; // as in web/module.cmake
const STACK = 2 ** 22; // of a thread
const encoder = new TextEncoder(), decoder = new TextDecoder();

// Whether threads can share memory here: in Node, and in pages with the headers COOP and COEP.
export const canShare = typeof SharedArrayBuffer !== "undefined" && (globalThis.crossOriginIsolated ?? typeof process !== "undefined");

async function compile(source, threads) {
	if (source instanceof WebAssembly.Module) return source;
	if (source === undefined) source = threads > 1 ? new URL("./brittle-threads.wasm", import.meta.url) : new URL("./brittle.wasm", import.meta.url);
	if (typeof source === "string") source = new URL(source, globalThis.location?.href);
	if (source instanceof URL && source.protocol === "file:") {
		const { readFile } = await import("node:fs/promises");
		source = await readFile(source);
	} else if (source instanceof URL) source = await fetch(source);
	if (typeof Response !== "undefined" && source instanceof Response) {
		if (!source.ok) throw new BrittleError(`${source.url} cannot be had: ${source.status}`, "br_errorFile");
		if (source.headers.get("content-type") === "application/wasm") return WebAssembly.compileStreaming(source);
		source = await source.arrayBuffer();
	}
	if (!(source instanceof ArrayBuffer) && !ArrayBuffer.isView(source)) throw new BrittleError("loadBrittle takes nothing, an address, bytes, a Response or a WebAssembly.Module");
	return WebAssembly.compile(source);
}

// What the module asks its host for: a clock, and answers that there are no files, no environment and no streams.
// Other calls of the system that the C library mentions answer that they are not there.
export function imports(compiled, memory) {
	const BAD_FILE = 8, NOT_THERE = -52;
	const given = {
		memory, // of one thread: the module's own, known once it is there
		wasi_snapshot_preview1: {
			clock_time_get: (clock, precision, out) => {
				const view = new DataView(given.memory.buffer);
				view.setBigUint64(out, BigInt(Math.round((clock === 0 ? Date.now() : performance.now()) * 1e6)), true);
				return 0;
			},
			environ_sizes_get: (count, size) => {
				const view = new DataView(given.memory.buffer);
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
		env: { memory, webWait: (word, value) => Atomics.wait(new Int32Array(memory.buffer), word >>> 2, value), emscripten_notify_memory_growth: () => {} },
	};
	for (const { module, name, kind } of WebAssembly.Module.imports(compiled)) if (kind === "function") (given[module] ??= {})[name] ??= () => NOT_THERE;
	return given;
}

// Node has workers of another kind than browsers.
async function startWorker(address) {
	if (typeof Worker !== "undefined") return new Worker(address, { type: "module" });
	const { Worker: Thread } = await import("node:worker_threads");
	const thread = new Thread(address);
	thread.unref(); // one that waits keeps no program from ending
	return thread;
}

export class Module {
	// `threads` is a wish: a module for one thread, and a page that may not share memory, have one.
	static async load(source, threads = 1) {
		if (!canShare) threads = 1;
		const compiled = await compile(source, threads);
		const isShared = WebAssembly.Module.imports(compiled).some(({ kind }) => kind === "memory");
		if (isShared && !canShare) throw new BrittleError("this module is for threads, and this page may not share memory: it needs the headers COOP and COEP", "br_errorUnsupported");
		const shared = isShared ? new WebAssembly.Memory({ initial: FIRST_PAGES, maximum: MOST_PAGES, shared: true }) : null;
		const given = imports(compiled, shared);
		const { exports } = await WebAssembly.instantiate(compiled, given);
		given.memory ??= exports.memory;
		if (isShared) exports.__wasm_init_tls(exports.webAlloc(exports.__tls_size.value));
		exports._initialize?.();
		const module = new Module(exports, given.memory);
		if (isShared && threads > 1) await module.startTeam(compiled, threads);
		return module;
	}

	constructor(exports, memory) {
		this.exports = exports;
		this.memory = memory;
		this.scratch = exports.webAlloc(SCRATCH);
		this.isBroken = false;
		this.helpers = [];
	}

	get threads() {
		return 1 + this.helpers.length;
	}

	// Workers stay for as long as the module does.
	async startTeam(compiled, threads) {
		const address = new URL("./helper.js", import.meta.url);
		this.helpers = await Promise.all(Array.from({ length: threads - 1 }, () => startWorker(address)));
		const ready = this.helpers.map((helper, i) => new Promise((done, fail) => {
			const on = (name, act) => (helper.once ? helper.once(name, act) : helper.addEventListener(name, act, { once: true }));
			on("message", done);
			on("error", (error) => fail(new BrittleError(`a thread does not start: ${error.message ?? address}`, "br_errorFile")));
			const room = this.exports.webAlloc(STACK + this.exports.__tls_size.value);
			if (room === 0) return fail(new BrittleError("there is not enough memory for so many threads", "br_errorMemory"));
			helper.postMessage({ compiled, memory: this.memory, worker: i + 1, stackTop: ((room >>> 0) + STACK) & -16, local: (room >>> 0) + STACK });
		}));
		try {
			await Promise.all(ready);
		} catch (error) {
			this.close();
			throw error;
		}
		const isPage = typeof window !== "undefined" && typeof document !== "undefined";
		this.call("webStartTeam", threads, isPage ? 0 : 1);
	}

	// Ends the threads; nothing can be called any more.
	close() {
		this.isBroken = true;
		for (const helper of this.helpers) helper.terminate();
		this.helpers = [];
	}

	// The text at an address, up to its zero.
	text(address) {
		const bytes = new Uint8Array(this.memory.buffer, address >>> 0);
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
				new Uint8Array(this.memory.buffer).set(bytes, address >>> 0);
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
		return new Float64Array(this.memory.buffer, this.scratch, count).slice();
	}
	words(count) {
		return new Uint32Array(this.memory.buffer, this.scratch, count).slice();
	}
	get hash() {
		return new BigUint64Array(this.memory.buffer, this.scratch, 1)[0].toString(16).padStart(16, "0");
	}

	// A copy of an array in the module's memory; null for address 0.
	copy(Type, address, count) {
		return address === 0 ? null : new Type(this.memory.buffer, address, count).slice();
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

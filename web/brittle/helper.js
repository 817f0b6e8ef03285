// A thread of the module: an instance of its own over the same memory, which waits inside for its share of loops.

import { imports } from "./module.js";

const port = globalThis.postMessage ? globalThis : (await import("node:worker_threads")).parentPort;

function help({ compiled, memory, worker, stackTop, local }) {
	const { exports } = new WebAssembly.Instance(compiled, imports(compiled, memory));
	exports.stackRestore(stackTop);
	exports.__wasm_init_tls(local);
	port.postMessage("ready");
	try {
		exports.webHelp(worker);
	} catch {
		exports.webLoseHelper(worker); // whoever waits for it must not wait for ever
	}
}

if (port === globalThis) port.onmessage = ({ data }) => help(data);
else port.once("message", help);

// A static server for a folder: node web/serve.mjs FOLDER [PORT] prints its address. Pages may share memory between threads.

import { createReadStream, existsSync } from "node:fs";
import { createServer } from "node:http";
import { extname, join, normalize, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const TYPES = { ".html": "text/html; charset=utf-8", ".js": "text/javascript", ".wasm": "application/wasm", ".json": "application/json" };

const ISOLATED = { "cross-origin-opener-policy": "same-origin", "cross-origin-embedder-policy": "require-corp" };

export async function serveFolder(folder, port = 0, headers = ISOLATED) {
	const server = createServer((request, response) => {
		const path = normalize(decodeURIComponent(new URL(request.url, "http://x").pathname));
		const file = join(folder, path.endsWith("/") ? join(path, "index.html") : path);
		if (!file.startsWith(resolve(folder)) || !existsSync(file)) return response.writeHead(404).end();
		response.writeHead(200, { ...headers, "content-type": TYPES[extname(file)] ?? "application/octet-stream" });
		createReadStream(file).pipe(response);
	});
	await new Promise((done) => server.listen(port, "127.0.0.1", done));
	return { address: `http://127.0.0.1:${server.address().port}/`, close: () => server.close() };
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) console.log((await serveFolder(resolve(process.argv[2]), Number(process.argv[3] ?? 8000))).address);

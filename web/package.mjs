// Puts the npm package together: node web/package.mjs BUILD OUT, with the modules in BUILD

import { copyFileSync, mkdirSync, readFileSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

const here = dirname(fileURLToPath(import.meta.url)), root = join(here, "..");
const [build, out] = process.argv.slice(2);
mkdirSync(out, { recursive: true });
for (const name of readdirSync(join(here, "brittle"))) copyFileSync(join(here, "brittle", name), join(out, name));
copyFileSync(join(root, "viewer", "src", "geometry.js"), join(out, "geometry.js"));
copyFileSync(join(root, "LICENSE"), join(out, "LICENSE"));
for (const name of ["brittle.wasm", "brittle-threads.wasm"]) {
	const bytes = readFileSync(join(build, name));
	copyFileSync(join(build, name), join(out, name));
	console.log(`${join(out, name)}: ${(bytes.length / 1024).toFixed(0)} KiB, ${(gzipSync(bytes, { level: 9 }).length / 1024).toFixed(0)} KiB gzipped`);
}

// Puts the npm package together: node web/package.mjs brittle.wasm OUT

import { copyFileSync, mkdirSync, readFileSync, readdirSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

const here = dirname(fileURLToPath(import.meta.url)), root = join(here, "..");
const [wasm, out] = process.argv.slice(2);
mkdirSync(out, { recursive: true });
for (const name of readdirSync(join(here, "brittle"))) copyFileSync(join(here, "brittle", name), join(out, name));
copyFileSync(join(root, "viewer", "src", "geometry.js"), join(out, "geometry.js"));
copyFileSync(join(root, "LICENSE"), join(out, "LICENSE"));
copyFileSync(wasm, join(out, "brittle.wasm"));
const bytes = readFileSync(wasm);
console.log(`${out}: ${(statSync(wasm).size / 1024).toFixed(0)} KiB, ${(gzipSync(bytes, { level: 9 }).length / 1024).toFixed(0)} KiB gzipped`);

// Puts the page, its style and all scripts into one file that opens from disk: node build.mjs [OUT.html]
// The same page as a playground, a folder for any static server: node build.mjs --playground OUT BUILD, with the modules in BUILD
import { build } from "esbuild";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

const kB = (bytes) => `${(bytes / 1000).toFixed(0)} kB`;

const here = dirname(fileURLToPath(import.meta.url));
const isPlayground = process.argv[2] === "--playground";
const out = isPlayground ? join(process.argv[3], "index.html") : (process.argv[2] ?? join(here, "dist", "viewer.html"));
const common = { bundle: true, minify: true, write: false, target: "es2022", legalComments: "inline" };
// The playground plays no recordings: what reads them stays out of its download.
const define = { IS_PLAYGROUND: String(isPlayground) };
const bundle = await build({ ...common, define, entryPoints: [join(here, "src", "main.js")], format: "iife" });
// A script inside a page must not hold what would end it.
const script = bundle.outputFiles[0].text.replaceAll("</script", "<\\/script");
const style = readFileSync(join(here, "src", "style.css"), "utf8");
// The world of a playground is loaded while the page comes and the stage is made; what it says until somebody listens is kept.
const world = `<script>var world = { worker: new Worker("worker.js", { type: "module" }), kept: [] };
world.worker.onmessage = world.worker.onerror = (event) => world.kept.push(event);</script>`;
const page = readFileSync(join(here, "src", "index.html"), "utf8")
	.replace("<!--WORLD-->", isPlayground ? world : "")
	.replace("/*STYLE*/", () => style)
	.replace("<!--RECORDING-->", (mark) => (isPlayground ? '<script id="playground" type="text/plain"></script>' : mark))
	.replace("/*SCRIPT*/", () => script);
mkdirSync(dirname(out), { recursive: true });
writeFileSync(out, page);
console.log(`${out}: ${(page.length / 1024).toFixed(0)} KiB`);
if (isPlayground) {
	const folder = dirname(out), pack = (bytes) => gzipSync(bytes, { level: 9 });
	let sum = pack(page).length;
	for (const [name, entry] of [["worker.js", join(here, "src", "worker.js")], ["helper.js", join(here, "..", "web", "brittle", "helper.js")]]) {
		const { outputFiles } = await build({ ...common, entryPoints: [entry], format: "esm", external: ["node:*"] });
		writeFileSync(join(folder, name), outputFiles[0].contents);
		sum += pack(outputFiles[0].contents).length;
	}
	// One of the first two is downloaded, one of the others if a file is dropped.
	for (const name of ["", "-files"]) for (const threads of ["", "-threads"]) {
		const packed = pack(readFileSync(join(process.argv[4], `playground${name}${threads}.wasm`))), path = join(folder, `brittle${name}${threads}.wasm.gz`);
		writeFileSync(path, packed);
		console.log(`${path}: ${kB(packed.length)}${name ? "" : `, with the page ${kB(sum + packed.length)}`}`);
	}
}

// Puts the page, its style and all scripts into one file that opens from disk: node build.mjs [OUT.html]
// The same page as a playground, a folder for any static server: node build.mjs --playground OUT BUILD, with the modules in BUILD
import { build } from "esbuild";
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

// As .lzma with its size in the header, for src/unpack.js.
function pack(path) {
	const packed = execFileSync("xz", ["--format=lzma", "--lzma1=preset=9e,lc=4,lp=0,pb=0", "--stdout", path], { maxBuffer: 1 << 28 });
	packed.writeBigUint64LE(BigInt(statSync(path).size), 5);
	return packed;
}

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
const page = readFileSync(join(here, "src", "index.html"), "utf8")
	.replace("/*STYLE*/", () => style)
	.replace("<!--RECORDING-->", (mark) => (isPlayground ? '<script id="playground" type="text/plain"></script>' : mark))
	.replace("/*SCRIPT*/", () => script);
mkdirSync(dirname(out), { recursive: true });
writeFileSync(out, page);
console.log(`${out}: ${(page.length / 1024).toFixed(0)} KiB`);
if (isPlayground) {
	const folder = dirname(out), write = (name, bytes) => (writeFileSync(join(folder, name), bytes), gzipSync(bytes, { level: 9 }).length);
	let sum = gzipSync(page, { level: 9 }).length;
	for (const [name, entry] of [["worker.js", join(here, "src", "worker.js")], ["helper.js", join(here, "..", "web", "brittle", "helper.js")]]) {
		const { outputFiles } = await build({ ...common, entryPoints: [entry], format: "esm", external: ["node:*"] });
		sum += write(name, outputFiles[0].contents);
	}
	// One of the first two is downloaded, one of the others if a file is dropped.
	for (const name of ["", "-files"]) for (const threads of ["", "-threads"]) {
		const path = join(process.argv[4], `playground${name}${threads}.wasm`), packed = write(`brittle${name}${threads}.wasm.lzma`, pack(path));
		const plain = gzipSync(readFileSync(path), { level: 9 }).length, all = name ? 0 : sum;
		console.log(`${folder}/brittle${name}${threads}.wasm.lzma: ${kB(packed)}, ${kB(plain)} if it were gzipped${name ? "" : `; with the page ${kB(all + packed)}, ${kB(all + plain)}`}`);
	}
}

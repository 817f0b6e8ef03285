// Puts the page, its style and all scripts into one file that opens from disk: node build.mjs [OUT.html]
// The same page as a playground, a folder for any static server: node build.mjs --playground OUT brittle.wasm
import { build } from "esbuild";
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const isPlayground = process.argv[2] === "--playground";
const out = isPlayground ? join(process.argv[3], "index.html") : (process.argv[2] ?? join(here, "dist", "viewer.html"));
const common = { bundle: true, minify: true, write: false, target: "es2022", legalComments: "inline" };
const bundle = await build({ ...common, entryPoints: [join(here, "src", "main.js")], format: "iife" });
// A script inside a page must not hold what would end it.
const script = bundle.outputFiles[0].text.replaceAll("</script", "<\\/script");
const style = readFileSync(join(here, "src", "style.css"), "utf8");
const page = readFileSync(join(here, "src", "index.html"), "utf8")
	.replace("/*STYLE*/", () => style)
	.replace("<!--RECORDING-->", (mark) => (isPlayground ? '<script id="playground" type="text/plain"></script>' : mark))
	.replace("/*SCRIPT*/", () => script);
mkdirSync(dirname(out), { recursive: true });
writeFileSync(out, page);
if (isPlayground) {
	const worker = await build({ ...common, entryPoints: [join(here, "src", "worker.js")], format: "esm", external: ["node:*"] });
	writeFileSync(join(dirname(out), "worker.js"), worker.outputFiles[0].text);
	copyFileSync(process.argv[4], join(dirname(out), "brittle.wasm"));
}
console.log(`${out}: ${(page.length / 1024).toFixed(0)} KiB`);

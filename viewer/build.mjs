// Puts the page, its style and all scripts into one file that opens from disk: node build.mjs [OUT.html]
import { build } from "esbuild";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const out = process.argv[2] ?? join(here, "dist", "viewer.html");
const bundle = await build({
	entryPoints: [join(here, "src", "main.js")],
	bundle: true,
	minify: true,
	write: false,
	format: "iife",
	target: "es2022",
	legalComments: "inline",
});
// A script inside a page must not hold what would end it.
const script = bundle.outputFiles[0].text.replaceAll("</script", "<\\/script");
const style = readFileSync(join(here, "src", "style.css"), "utf8");
const page = readFileSync(join(here, "src", "index.html"), "utf8")
	.replace("/*STYLE*/", () => style)
	.replace("/*SCRIPT*/", () => script);
mkdirSync(dirname(out), { recursive: true });
writeFileSync(out, page);
console.log(`${out}: ${(page.length / 1024).toFixed(0)} KiB`);

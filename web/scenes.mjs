// Scene files as what JSON.stringify takes: a page has no YAML.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const { parse } = createRequire(join(root, "viewer", "package.json"))("yaml");

export function sceneOf(name) {
	return parse(readFileSync(join(root, "scenes", `${name}.yaml`), "utf8"), { merge: true });
}

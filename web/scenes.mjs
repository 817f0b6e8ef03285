// Scene files as texts that a page can open.

import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");

export function sceneOf(name) {
	return readFileSync(join(root, "scenes", `${name}.yaml`), "utf8");
}

// The types of the package against what it has: node web/test/types.mjs build-wasm/brittle
//
// Every export and every public member is declared and nothing else is; programs that use them right compile strictly, and each
// wrong use is refused.

import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { check, finish } from "./checks.mjs";

const folder = resolve(process.argv[2]), parts = join(dirname(fileURLToPath(import.meta.url)), "node_modules");
const ts = createRequire(import.meta.url)("typescript");
const place = mkdtempSync(join(tmpdir(), "brittle-types-"));
mkdirSync(join(place, "node_modules", "brittle"), { recursive: true });
for (const name of readdirSync(folder).filter((name) => /\.d\.ts$|\.json$/.test(name))) copyFileSync(join(folder, name), join(place, "node_modules", "brittle", name));
symlinkSync(join(parts, "@types"), join(place, "node_modules", "@types"), "dir");
writeFileSync(join(place, "package.json"), '{ "type": "module" }\n');

const use = `
import { loadBrittle, BrittleError, Mesh, World, Scene, Run, Live, Brittle } from "brittle";
import type { Break, Pieces, MeshArrays } from "brittle";
import { geometryOf, WorldGroup } from "brittle/three";
import * as THREE from "three";

const brittle: Brittle = await loadBrittle(undefined, { threads: 2 });
const vase: Mesh = brittle.make("vase", { resolution: 24, height: 0.3 });
const arrays: MeshArrays = vase.arrays;
const again: Mesh = brittle.mesh({ positions: arrays.positions, triangles: arrays.triangles });
const read: Mesh = brittle.read(new Uint8Array(4), "x.stl");
const pieces: Pieces = vase.shatter({ pieces: 10, at: [0, 0, 0.2], pattern: "radial" });
const halves: Pieces = vase.cut({ normal: [0, 0, 1] });
const less: Pieces = vase.cut(again, "difference");
const cracked: Pieces = vase.crack({ hit: [0, 0, 1], impulse: new Float64Array(3), material: "glass" });
const { nodes, tets }: { nodes: Float64Array; tets: Int32Array } = vase.tet({ count: 500 });
const meet: Int32Array = vase.collide(again);
const world: World = brittle.world({ gravity: [0, 0, -9.81] });
const id: string = world.add(vase, { material: "glass", position: [0, 0, 1], method: "shatter" });
world.addBall(0.1, { density: 7800 });
const breaks: Break[] = world.step(1 / 60);
const scene: Scene = brittle.scene({ bodies: [] }, { files: { "x.stl": new ArrayBuffer(3) } });
const run: Run = scene.run(), live: Live = scene.live({ stepSeconds: 0.02 });
const file: Uint8Array = run.write("brec");
for (const message of live.messages(live.join())) live.apply(message);
const group: THREE.Group = new WorldGroup(world, () => new THREE.MeshStandardMaterial());
const geometry: THREE.BufferGeometry = geometryOf(vase);
{
	using short = brittle.make("box");
	void short.measures.volume;
}
try {
	vase.check();
} catch (error) {
	if (error instanceof BrittleError) console.log(error.code, error.message);
}
void [read, pieces, halves, less, cracked, nodes, tets, meet, id, breaks, file, group, geometry];

// @ts-expect-error things come from calls
new Mesh();
// @ts-expect-error a pattern that is none
vase.shatter({ pattern: "zebra" });
// @ts-expect-error an option that is none
vase.shatter({ peaces: 3 });
// @ts-expect-error a hit is needed
vase.crack({ impulse: [0, 0, 1] });
// @ts-expect-error no text
brittle.make(3);
// @ts-expect-error no such file of a run
run.write("stl");
// @ts-expect-error what is measured is not set
vase.measures = null;
// @ts-expect-error a world is no mesh
vase.collide(world);
// @ts-expect-error a group needs materials
new WorldGroup(world);
`;
const path = join(place, "use.ts");
writeFileSync(path, use);
const program = ts.createProgram([path], {
	strict: true, noEmit: true, module: ts.ModuleKind.NodeNext, moduleResolution: ts.ModuleResolutionKind.NodeNext, target: ts.ScriptTarget.ES2022,
	lib: ["lib.es2022.d.ts", "lib.dom.d.ts", "lib.dom.iterable.d.ts", "lib.esnext.disposable.d.ts"], types: [], noUncheckedIndexedAccess: true, exactOptionalPropertyTypes: true,
});
// Files of ours are checked whole; those of three.js are not ours.
const found = ts.getPreEmitDiagnostics(program).filter(({ file }) => !file || !/node_modules\/(@types|three|@webgpu)/.test(file.fileName));
check(`programs compile: ${found.map(({ file, start, messageText }) => `${file?.fileName}:${start === undefined ? 0 : file.getLineAndCharacterOfPosition(start).line + 1} ${ts.flattenDiagnosticMessageText(messageText, " ")}`).join("; ")}`, found.length === 0);

const checker = program.getTypeChecker();
const declared = (name) => checker.getExportsOfModule(checker.getSymbolAtLocation(program.getSourceFiles().find(({ fileName }) => fileName.endsWith(name))));
const isValue = (symbol) => (symbol.flags & ts.SymbolFlags.Value) !== 0;
for (const [types, code] of [["brittle/brittle.d.ts", "brittle.js"], ["brittle/three.d.ts", null]]) {
	const symbols = declared(types).filter(isValue);
	// three.js is not installed beside the package: what three.js exports is read.
	const real = code ? await import(pathToFileURL(join(folder, code))) : Object.fromEntries([...readFileSync(join(folder, "three.js"), "utf8").matchAll(/^export (?:class|function) (\w+)/gm)].map(([, name]) => [name, null]));
	check(`${types} declares what is exported (${symbols.map(({ name }) => name)}, ${Object.keys(real)})`, symbols.map(({ name }) => name).sort().join() === Object.keys(real).sort().join());
	for (const symbol of symbols) {
		if (!(symbol.flags & ts.SymbolFlags.Class) || !real[symbol.name] || symbol.name === "BrittleError") continue;
		const members = checker.getDeclaredTypeOfSymbol(symbol).getProperties().map(({ name }) => (name.startsWith("__@dispose") ? "dispose" : name)).sort();
		const own = new Set(symbol.name === "Brittle" ? Object.keys(await real.loadBrittle()) : []); // and what it gets when it is made
		for (let at = real[symbol.name].prototype; at && at !== Object.prototype; at = Object.getPrototypeOf(at))
			for (const key of Reflect.ownKeys(at)) if (key !== "constructor") own.add(typeof key === "symbol" ? "dispose" : key);
		check(`${symbol.name} has the members that are declared (${members} and ${[...own].sort()})`, members.join() === [...own].sort().join());
	}
}
rmSync(place, { recursive: true });
finish();

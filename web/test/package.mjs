// What the package promises, call by call: node web/test/package.mjs build-wasm/brittle

import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { check, finish, thrown } from "./checks.mjs";

const folder = resolve(process.argv[2]);
const { loadBrittle, BrittleError, Mesh } = await import(pathToFileURL(resolve(folder, "brittle.js")));
const brittle = await loadBrittle();
const near = (a, b, part = 1e-9) => Math.abs(a - b) <= part * Math.max(Math.abs(a), Math.abs(b), 1e-12);
const sum = (list) => list.reduce((a, b) => a + b, 0);
const freeAll = (list) => list.forEach((thing) => thing.free());

// A unit cube from arrays, as triangles and as polygons.
const positions = [0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0, 0, 0, 1, 1, 0, 1, 1, 1, 1, 0, 1, 1];
const corners = [0, 3, 2, 1, 4, 5, 6, 7, 0, 1, 5, 4, 1, 2, 6, 5, 2, 3, 7, 6, 3, 0, 4, 7];
const faceStarts = [0, 4, 8, 12, 16, 20, 24];
const cube = brittle.mesh({ positions, corners, faceStarts });
const { triangles, positions: back } = cube.arrays;
const again = brittle.mesh({ positions: Float32Array.from(back), triangles: Uint32Array.from(triangles) });
check("a cube has a volume of 1 from polygons and triangles", near(cube.measures.volume, 1) && near(again.measures.volume, 1));
check("twelve triangles", triangles.length === 36 && again.arrays.faceStarts.length === 13);
check("it is a solid", cube.check().isSolid && cube.check().openEdges === 0);

// An open one is told, and closed.
const open = brittle.mesh({ positions, triangles: triangles.slice(0, 30) });
check("an open mesh is no solid and says why", !open.check().isSolid && open.check().openEdges > 0 && /open/.test(open.check().verdict));
check("an open mesh is not shattered, with a sentence", thrown(() => open.shatter()) instanceof BrittleError);
const closed = open.repair();
check("repair closes it", closed.check().isSolid && near(closed.measures.volume, 1));
freeAll([open, closed, again]);

// Moved.
const moved = cube.transform({ scale: [1, 2, 3], rotation: [0, 0, Math.SQRT1_2, Math.SQRT1_2], translation: [10, 0, 0] });
check("a copy is scaled, turned and moved", near(moved.measures.volume, 6) && near(moved.measures.lower[0], 8) && near(moved.measures.upper[1], 1));
moved.free();
for (const axis of [[1, 0, 0], [0, 1, 0], [0, 0, 1]]) {
	const turned = cube.transform({ rotation: [...axis.map((x) => x * Math.SQRT1_2), Math.SQRT1_2] });
	check(`turned about ${axis} it is as large as before`, near(turned.measures.volume, 1));
	turned.free();
}

// Cut.
const halves = cube.cut({ point: [0.25, 0, 0], normal: [1, 0, 0] });
check("a plane makes two", halves.length === 2 && near(Math.min(...halves.map((h) => h.measures.volume)), 0.25));
const shifted = cube.transform({ translation: [0.5, 0.5, 0.5] });
const both = cube.cut(shifted, "intersection");
check("what two cubes share", both.length === 1 && near(both[0].measures.volume, 0.125));
check("pairs of triangles that meet", cube.collide(shifted).length > 0 && cube.collide(shifted).length % 2 === 0);
freeAll([...halves, ...both, shifted]);

// Shatter, and files out and in.
const vase = brittle.make("vase", { resolution: 24 });
const volume = vase.measures.volume;
const pieces = vase.shatter({ pieces: 30, seed: 7, density: 2000 });
check(`a vase in pieces keeps its volume (${pieces.length})`, pieces.length >= 30 && near(sum(pieces.map((p) => p.measures.volume)), volume, 1e-6));
check("masses and bonds come along", near(sum(pieces.masses), 2000 * volume, 1e-6) && pieces.bonds.length > 2 * 20);
check("every piece is closed", pieces.every((p) => p.check().isClosed));
for (const ending of ["glb", "obj", "stl", "ply", "off"]) {
	const bytes = brittle.write(pieces, ending);
	const read = brittle.read(bytes, `pieces.${ending}`);
	check(`.${ending} comes back (${bytes.length} bytes)`, near(read.measures.volume, volume, 1e-4));
	read.free();
}
const shared = vase.shatter({ pieces: 30, seed: 7, density: 2000 });
check("the same seed gives the same bytes", Buffer.compare(Buffer.from(brittle.write(shared, "ply")), Buffer.from(brittle.write(pieces, "ply"))) === 0);
freeAll([...pieces, ...shared, vase]);

// Cracks and tets.
const plate = brittle.make("plate", { resolution: 24 });
const top = plate.measures.upper[2];
const cracked = plate.crack({ material: "porcelain", hit: [0, 0, top], impulse: [0, 0, -3], tets: 3000 });
check(`a plate cracks (${cracked.length}: ${cracked.sentence})`, cracked.length >= 2 && cracked.sentence.length > 5);
const { nodes, tets } = cube.tet({ count: 500 });
check("tets fill the cube", tets.length % 4 === 0 && tets.length > 1000 && tets.every((n) => n >= 0 && 3 * n < nodes.length));
freeAll([...cracked, plate]);

// A world.
const glass = brittle.make("wine_glass", { resolution: 24 });
const world = brittle.world();
const id = world.add(glass, { material: "glass", position: [0, 0, 1], rotation: [0.5, 0, 0, 0.866], velocity: [0, 0, -4] });
glass.free(); // the world has a copy
const broken = [];
for (let i = 0; i < 120; ++i) broken.push(...world.step());
check(`a glass breaks on the floor (${broken.length})`, broken.length >= 1 && broken[0].parent === id && broken[0].pieces.length >= 2 && broken[0].energy > 0);
check("its pieces have meshes and poses", world.bodies().ids.length > 3 && world.bodies().poses.every(Number.isFinite));
const shard = world.meshOf(broken[0].pieces.find((p) => world.motionOf(p)) ?? "1:1");
check("a piece has a mesh, the glass has none any more", shard?.measures.volume > 0 && world.meshOf(id) === null && world.motionOf(id) === null);
const ball = world.addBall(0.05, { position: [0, 0, 1], velocity: [1, 0, 0] });
check("a ball moves, stops, goes", world.setMotion(ball, [0, 0, 0]) && world.motionOf(ball).velocity[0] === 0 && world.remove(ball) && !world.remove(ball));
shard?.free();
world.free();

// A scene: played, recorded, live.
const sceneJson = {
	scene: "Plate", ground: "marble", duration: 1, models: { plate: { make: "plate", res: 16 }, own: { file: "cube.obj", scale: 0.05 } },
	bodies: [
		{ name: "plate", model: "plate", material: "porcelain", position: [0, 0, 0.5], rotation: [0, 50, 0], velocity: [0, 0, -5], fracture: { method: "shatter", pieces: 20 } },
		{ name: "cube", model: "own", material: "wood", position: [0.4, 0, 0.1] },
	],
};
const scene = brittle.scene(sceneJson, { files: { "cube.obj": cube.write("obj") } });
const run = scene.run();
check("a scene has what it says", scene.measures.bodies === 2 && scene.measures.duration === 1);
while (run.playFrame());
const glb = run.write("glb"), brec = run.write("brec");
check(`a run is recorded (${run.measures.pieces} pieces)`, run.measures.breaks >= 1 && run.measures.frame === 60);
check("as .glb and .brec", new TextDecoder().decode(glb.slice(0, 4)) === "glTF" && brec.length > 1000 && glb.length > brec.length);
const second = brittle.scene(JSON.stringify(sceneJson), { files: { "cube.obj": cube.write("obj") } }).run();
while (second.playFrame());
check("the same again", second.hash === run.hash);
scene.free(); // before what plays it
check("a run outlives its scene", run.hash === second.hash);
freeAll([run, second]);

const live = brittle.scene(sceneJson, { files: { "cube.obj": cube.write("obj") } }).live();
const client = live.join();
for (let i = 0; i < 30; ++i) live.step();
const messages = live.messages(client);
check("a live world says hello, status and frames", messages[0][0] === 1 && messages.some((m) => m[0] === 2) && messages.some((m) => m[0] === 3) && live.measures.pieces > 0);
check("nonsense from a client is refused", thrown(() => live.receive(client, new Uint8Array([99]))) instanceof BrittleError);
live.free();
cube.free();

// Scenes leave two handles: those that were made in passing above.
check(`memory is given back (${brittle.thingCount})`, brittle.thingCount === 2);
const before = brittle.memoryBytes;
for (let i = 0; i < 200; ++i) {
	const thing = brittle.make("vase", { resolution: 16 });
	freeAll([...thing.shatter({ pieces: 10 }), thing]);
}
check(`200 times the same needs no more memory (${before}, ${brittle.memoryBytes})`, brittle.memoryBytes <= before + (4 << 20) && brittle.thingCount === 2);
check("types are there", /export function loadBrittle/.test(readFileSync(resolve(folder, "brittle.d.ts"), "utf8")));
finish();

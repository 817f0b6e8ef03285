// Whatever a page hands over: wrong types, sizes, NaN, freed and foreign things. Every call gives an answer or a BrittleError, and
// afterwards the module still works to the bit. node web/test/fuzz.mjs build-wasm/brittle [CALLS] [SEED]; THREADS=3: with threads.

import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { check, finish } from "./checks.mjs";

const folder = resolve(process.argv[2]);
const calls = Number(process.argv[3] ?? 3000);
let seed = Number(process.argv[4] ?? 1);
const { loadBrittle, BrittleError, Brittle, Mesh, World, Scene, Run, Live } = await import(pathToFileURL(resolve(folder, "brittle.js")));
const threads = Number(process.env.THREADS ?? 1);
const brittle = await loadBrittle(undefined, { threads }), other = await loadBrittle();
check(`so many threads as are asked for (${brittle.threads})`, brittle.threads === threads);
const foreign = other.make("box");

function random(n) {
	seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
	return Math.floor((seed / 2 ** 32) * n);
}
const pick = (list) => list[random(list.length)];

const things = [];
const keep = (value) => {
	for (const thing of Array.isArray(value) ? value : [value]) if (thing && typeof thing.free === "function") things.push(thing);
	while (things.length > 60) things.splice(random(things.length), 1)[0].free();
};
const any = (Type) => {
	const fitting = things.filter((thing) => thing instanceof Type);
	return fitting.length > 0 ? pick(fitting) : brittle.make("box");
};

const numbers = [0, 1, -1, 0.5, 2, 1e-3, 1e9, -1e9, 2 ** 31, 2 ** 32, 2 ** 53, 1e308, NaN, Infinity, -Infinity, -0];
const junk = [
	() => pick(numbers), () => undefined, () => null, () => "", () => "glb", () => "glass", () => "\0x", () => "x".repeat(5000), () => true, () => [], () => {}, () => ({}), () => Symbol("s"), () => 10n,
	() => [pick(numbers), pick(numbers), pick(numbers)], () => new Float64Array(random(9)).fill(pick(numbers)), () => new Int32Array(random(20)).map(() => random(12) - 2), () => new BigInt64Array(3),
	() => new Uint8Array(random(300)).map(() => random(256)), () => new ArrayBuffer(random(64)), () => new DataView(new ArrayBuffer(8)), () => foreign, () => any(Mesh), () => any(World),
	() => ({ positions: pick(junk)(), triangles: pick(junk)() }), () => ({ point: pick(junk)(), normal: pick(junk)() }), () => ({ pieces: random(6), seed: random(9), at: pick(junk)() }),
	() => ({ material: pick(["glass", "x", 3]), hit: [0, 0, pick(numbers)], impulse: [0, 0, pick(numbers)], tets: 300 }), () => ({ position: pick(junk)(), velocity: pick(junk)() }), () => `${random(5)}:${random(3)}`,
	() => ({ scene: "x", bodies: [{ model: { make: pick(["box", "vase", "zebra"]) }, material: pick(["glass", 7]), position: [0, 0, pick(numbers)] }], duration: 0.1 }),
	() => { const t = brittle.make("box"); t.free(); return t; }, () => new Proxy([1, 2, 3], {}), () => Object.create(Mesh.prototype), () => ({ length: 3, 0: 1, 1: 2, 2: 3 }),
];
const sensible = [
	() => keep(brittle.make(pick(["box", "vase", "plate"]), { resolution: 8 })), () => keep(any(Mesh).shatter({ pieces: 1 + random(5) })), () => keep(any(Mesh).cut({ normal: [0, 0, 1], point: [0, 0, 0.05] })),
	() => { const w = brittle.world(); keep(w); w.add(any(Mesh), { position: [0, 0, 1] }); }, () => { const w = any(World); if (w instanceof World) w.step(); },
	() => keep(brittle.scene({ scene: "x", ground: "marble", duration: 0.1, bodies: [{ model: { make: "plate", res: 12 }, material: "glass", position: [0, 0, 0.3], velocity: [0, 0, -9] }] })),
	() => { const s = any(Scene); if (s instanceof Scene) keep(pick([() => s.run(), () => s.live()])()); }, () => any(Mesh).free(), () => things.length > 0 && pick(things).free(),
];
// All that the package has: calls, and what is read.
const namesOf = (Type) => Object.getOwnPropertyNames(Type.prototype).filter((name) => name !== "constructor");
const methods = [
	...namesOf(Brittle).filter((name) => name !== "close").map((name) => [() => brittle, name]),
	...[Mesh, World, Scene, Run, Live].flatMap((Type) => namesOf(Type).map((name) => [() => any(Type), name])),
];

// What must come out the same before, in the middle and at the end.
const reference = (by = brittle) => {
	const world = by.world(), vase = by.make("vase", { resolution: 12 });
	world.add(vase, { position: [0, 0, 0.4], velocity: [0, 0, -6] });
	for (let i = 0; i < 30; ++i) world.step();
	const hash = world.hash;
	world.free(), vase.free();
	return hash;
};
const expected = reference();
let refused = 0, answered = 0, escaped = null, wrong = 0;
for (let i = 0; i < calls && escaped === null; ++i) {
	try {
		if (random(4) === 0) {
			pick(sensible)();
		} else {
			const [of, name] = pick(methods), thing = of();
			if (!(name in thing)) continue; // another kind, where there is none of this
			if (typeof thing[name] !== "function") {
				keep(thing[name]);
				answered += 1;
				continue;
			}
			// Numbers that are fine but huge would only take long.
			const given = Array.from({ length: random(4) }, () => pick(junk)());
			if (given.some((g) => typeof g === "number" && g > 1e6 && Number.isFinite(g)) && name === "advance") continue;
			keep(thing[name](...given));
		}
		answered += 1;
	} catch (error) {
		if (error instanceof BrittleError && error.message.length > 3) refused += 1;
		else escaped = error;
	}
	if (i % 500 === 499 && reference() !== expected) wrong += 1;
}
check(`only BrittleErrors came out: ${escaped?.stack}`, escaped === null);
check(`both answers and refusals (${answered}, ${refused})`, answered > calls / 10 && refused > calls / 10);
check(`the module works to the bit after that (${wrong})`, wrong === 0 && reference() === expected);
const single = reference(other);
check(`one thread gives the same bits (${single}, ${expected})`, single === expected);
things.forEach((thing) => thing.free());
// A heap that is whole gives back what it took: the same work again needs no more of it.
reference();
const taken = brittle.memoryBytes;
for (let i = 0; i < 20; ++i) reference();
check(`the heap does not grow (${taken}, ${brittle.memoryBytes})`, brittle.memoryBytes === taken);
check(`nothing is left over (${brittle.thingCount})`, brittle.thingCount < calls / 20);
brittle.close();
other.close();
finish();

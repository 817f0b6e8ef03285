// What the playground breaks: things and materials as scenes (docs/scene.md).

export const MATERIALS = ["glass", "porcelain", "terracotta", "marble", "plaster", "ice", "brick", "concrete", "tempered_glass", "sugar_glass"];

const BUDGET = { bodies: 900, pieces_per_step: 120, seconds_per_step: 0.012, dust_size: 0.004, dust_time: 2 };
const stand = (height, diameter) => ({ make: "cylinder", res: 40, with: { diameter, height } });

// Each: what it is called, what it is made of at first, and its models and bodies.
export const THINGS = {
	wine_glass: {
		label: "Wine glass", material: "glass",
		models: { thing: { make: "wine_glass", res: 48 }, stand: stand(0.03, 0.17) },
		bodies: (breaks) => [{ name: "stand", model: "stand", material: "concrete", kind: "static", shape: "hull" }, { name: "glass", model: "thing", position: [0, 0, 0.0302], ...breaks }],
	},
	vase: {
		label: "Vase", material: "terracotta",
		models: { thing: { make: "vase", res: 40 }, stand: stand(0.05, 0.26) },
		bodies: (breaks) => [{ name: "stand", model: "stand", material: "concrete", kind: "static", shape: "hull" }, { name: "vase", model: "thing", position: [0, 0, 0.0502], ...breaks }],
	},
	plates: {
		label: "Plates", material: "porcelain",
		models: { thing: { make: "plate", res: 24 }, stand: stand(0.28, 0.12) },
		bodies: (breaks) => {
			const repeat = { grid: [3, 2, 1], spacing: [0.36, 0.42, 0] };
			return [{ name: "stand", model: "stand", material: "concrete", kind: "static", shape: "hull", repeat }, { name: "plate", model: "thing", position: [0, 0, 0.2802], ...breaks, repeat }];
		},
	},
	pane: {
		label: "Window", material: "glass",
		models: { thing: { make: "pane", with: { width: 0.9, height: 0.7, thickness: 0.005 } }, post: { make: "box", with: { width: 0.04, depth: 0.06, height: 0.74 } } },
		bodies: (breaks) => [
			{ name: "pane", model: "thing", kind: "static", ...breaks },
			{ name: "left", model: "post", material: "concrete", kind: "static", position: [-0.472, 0, 0] },
			{ name: "right", model: "post", material: "concrete", kind: "static", position: [0.472, 0, 0] },
		],
	},
	statue: {
		label: "Statue", material: "marble",
		models: { thing: { make: "statue", res: 20, with: { height: 0.5 } }, stand: { make: "box", with: { width: 0.3, depth: 0.3, height: 0.15 } } },
		bodies: (breaks) => [{ name: "pedestal", model: "stand", material: "concrete", kind: "static" }, { name: "statue", model: "thing", position: [0, 0, 0.15], ...breaks }],
	},
	piggy_bank: {
		label: "Piggy bank", material: "porcelain",
		models: { thing: { make: "piggy_bank", res: 24 } },
		bodies: (breaks) => [{ name: "pig", model: "thing", rotation: [0, 0, 20], ...breaks }],
	},
	bricks: {
		label: "Brick wall", material: "brick",
		models: { thing: { make: "brick", res: 6 } },
		bodies: (breaks) => [{ name: "brick", model: "thing", ...breaks, repeat: { grid: [4, 1, 5], spacing: [0.216, 0, 0.0652], stagger: 0.5 } }],
	},
};

// Own files: named by the page, as large as a vase.
export function ownThing(name) {
	return { label: name, material: "porcelain", models: { thing: { file: name, size: 0.4, up: "auto", center: "base" } }, bodies: (breaks) => [{ name: "own", model: "thing", on: "floor", ...breaks }] };
}

// `lift` > 0: the thing begins so high above the floor and falls. [m]
export function makeScene(thing, { material = thing.material, strength = 1, seed = 1, lift = 0 } = {}) {
	const breaks = { material, fracture: { method: "shatter", pieces: 150, generations: 2, strength } };
	let bodies = thing.bodies(breaks);
	if (lift > 0) bodies = bodies.filter((body) => body.kind !== "static" || body.fracture).map((body) => ({ ...body, kind: "dynamic", on: undefined, position: [body.position?.[0] ?? 0, body.position?.[1] ?? 0, lift], rotation: [25, 15, body.rotation?.[2] ?? 0], velocity: [0, 0, -1] }));
	return { scene: thing.label, duration: 3, seed, ground: "marble", budget: BUDGET, models: thing.models, bodies };
}

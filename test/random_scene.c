// SPDX-License-Identifier: MIT

#include "random_scene.h"

#include "harness.h"

#include <stdio.h>

double brTest_WriteRandomScene(brRandom* random, double duration, char* text, size_t capacity)
{
	static const char* const models[] = {"box",   "brick",      "icosphere", "vase", "bowl",
										 "plate", "wine_glass", "torus",     "pane", "cylinder"};
	static const char* const materials[] = {"brick",   "concrete",  "glass",      "ice",   "marble",
											"plaster", "porcelain", "terracotta", "steel", "wood"};
	size_t used = (size_t)snprintf(text, capacity, "duration: %g\nseed: %u\nsubsteps: %u\n%sbodies:\n", duration,
								   brRandom_Below(random, 1000), 4 + brRandom_Below(random, 8),
								   brRandom_Below(random, 5) > 0 ? "ground: concrete\n" : "gravity: 0\n");
	uint32_t count = 2 + brRandom_Below(random, 4);
	for (uint32_t i = 0; i < count; ++i)
	{
		uint32_t model = brRandom_Below(random, 10), material = brRandom_Below(random, 10);
		bool canBreak = material < 8 && brRandom_Below(random, 4) > 0;
		const char* size = model == 0 || model == 2 || model == 7 ? ", scale: 0.2" : "";
		double x = brRandom_Range(random, -0.3, 0.3), y = brRandom_Range(random, -0.3, 0.3);
		double vx = brRandom_Range(random, -4.0, 4.0), vz = brRandom_Range(random, -6.0, 3.0);
		used += (size_t)snprintf(text + used, capacity - used,
								 "  - {name: b%u, model: {make: %s, res: %u%s}, material: %s, position: [%g, %g, %g],\n"
								 "     rotation: [%u, %u, 0], velocity: [%g, 0, %g]%s}\n",
								 i, models[model], model == 3 || model > 3 ? 12u : 3u, size, materials[material], x, y,
								 0.3 + 0.45 * i + brRandom_Range(random, 0.0, 0.1), brRandom_Below(random, 360),
								 brRandom_Below(random, 360), vx, vz,
								 !canBreak ? ""
								 : brRandom_Below(random, 5) > 0
									 ? ", fracture: {method: shatter, pieces: 12, generations: 2}"
									 : ", fracture: {method: bonds, pieces: 12}");
	}
	double speed =
		brRandom_Below(random, 3) > 0 ? brRandom_Range(random, 2.0, 20.0) : brRandom_Range(random, 50.0, 500.0);
	if (brRandom_Below(random, 2) == 0)
	{
		// What is fast is small.
		used += (size_t)snprintf(text + used, capacity - used,
								 "events: [{at: 0.1, throw: {name: shot, model: {make: icosphere, res: 3}, scale: %g, "
								 "position: [-2, 0, 0.5], velocity: [%g, 0, 1]}}]\n",
								 speed > 20.0 ? 0.01 : 0.08, speed);
	}
	CHECK(used < capacity);
	return speed;
}

// SPDX-License-Identifier: MIT
#pragma once

// What formats say about a surface beyond color and roughness, told by the material's name: glass is clear and bends
// light, glazed ware has a clear coat.

#include "brittle/mesh.h"

typedef struct brSurfaceLook
{
	float transmission;                   // share of the light that goes through instead of being scattered
	float ior;                            // index of refraction; 1.5 is what formats take without one
	float clearcoat, clearcoatRoughness;  // a thin clear layer on top
	float thickness, attenuationDistance; // of what light goes through [m]
} brSurfaceLook;

/// All zero but ior, 1.5, for a plain surface.
brSurfaceLook brFindSurfaceLook(const brSurfaceMaterial* material);

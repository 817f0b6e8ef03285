// SPDX-License-Identifier: MIT

// Bodies that break by fracture modes: found once for all that are equal.

#include "base/hash.h"
#include "world/break_state.h"
#include "world/world_state.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

const brModes* brBreaking_Modes(brWorld* world, int32_t slot, bool* outHasMemory)
{
	brBreaking* breaking = &world->breaking;
	const brBreakBody* record = &breaking->bodies.data[slot];
	const brBreakDef* settings = &breaking->settings.data[record->settings].def;
	bool isModal = settings->method == br_breakModal && record->generation == 0 && record->strength < INFINITY;
	brBreakReady* ready = isModal ? brBreaking_Ready(world, slot) : NULL;
	if (ready == NULL)
	{
		*outHasMemory = *outHasMemory && !isModal;
		return NULL;
	}
	if (ready->modes != NULL)
	{
		return ready->modes;
	}
	brModalDef def = brDefaultModalDef();
	def.material = settings->material;
	def.material.density = 1.0; // as of all pieces of a break; loads of modes do not ask for it
	def.interior = settings->interior;
	def.strengthMap = settings->strengthMap;
	def.weakest = settings->weakest;
	// Bodies with maps keep theirs for themselves.
	uint64_t name = brHashBytes(record->meshHash, &def.interior, sizeof(def.interior));
	name = brHashBytes(name, &def.material.density, sizeof(brMaterial) - offsetof(brMaterial, density));
	name ^= def.strengthMap != NULL ? brHash64((uint64_t)slot + 1) : 0;
	for (int32_t i = 0; i < breaking->modes.count; ++i)
	{
		if (breaking->modes.data[i].name == name)
		{
			breaking->modes.data[i].users += 1;
			return ready->modes = breaking->modes.data[i].modes;
		}
	}
	brModes* modes = NULL;
	bool hasRoom = BR_RESERVE(&world->dynamics.allocator, &breaking->modes, 1);
	brResult result =
		hasRoom ? brCreateModes(&world->dynamics.context, record->mesh, &def, &modes, NULL) : br_errorMemory;
	*outHasMemory = *outHasMemory && result != br_errorMemory;
	if (result >= 0)
	{
		breaking->modes.data[breaking->modes.count++] = (brKnownModes){name, modes, 1};
		ready->modes = modes;
	}
	return modes;
}

void brBreaking_ReleaseModes(brBreaking* breaking, const brModes* modes)
{
	for (int32_t i = 0; modes != NULL && i < breaking->modes.count; ++i)
	{
		brKnownModes* known = &breaking->modes.data[i];
		if (known->modes == modes && --known->users == 0)
		{
			brDestroyModes(known->modes);
			*known = breaking->modes.data[--breaking->modes.count];
			return;
		}
	}
}

brResult brMakeModalBreakup(const brContext* context, const brModes* modes, const brBreakupDef* def,
							brShatter** outShatter, brReport* report)
{
	brModalBlow blow = brDefaultModalBlow();
	blow.point = def->at;
	blow.force = def->inward;
	blow.pieces = def->most;
	blow.mustBreak = true;
	// The impact says whether it breaks and by how much it is overloaded, modes say where.
	double ratio = brModes_GetRatio(modes, &blow);
	blow.force = ratio > 0.0 ? brDMul(fmax(def->ratio, 1.0) / ratio, def->inward) : def->inward;
	blow.energy = brMaterial_GetFractureEnergy(def->material) * def->crackArea;
	return brModes_Break(modes, context, &blow, outShatter, report);
}

// SPDX-License-Identifier: MIT
#include "io/surface_look.h"

#include "base/memory.h"

#include <string.h>

// Does the name have the word, on its own or between underscores?
static bool lookHasWord(const char* name, const char* word)
{
	size_t length = strlen(word);
	for (const char* at = strstr(name, word); at != NULL; at = strstr(at + 1, word))
	{
		bool begins = at == name || strchr("_- .", at[-1]) != NULL;
		bool ends = at[length] == 0 || strchr("_- .0123456789", at[length]) != NULL;
		if (begins && ends)
		{
			return true;
		}
	}
	return false;
}

brSurfaceLook brFindSurfaceLook(const brSurfaceMaterial* material)
{
	// Refractive indices of soda-lime glass and of ice at 589 nm; glaze is a glass.
	static const struct
	{
		const char* word;
		bool isClear; // only where the material lets light through
		brSurfaceLook look;
	} looks[] = {
		{"glass", true, {0.97f, 1.52f, 0.0f, 0.0f, 0.004f, 0.15f}},
		{"ice", true, {0.85f, 1.31f, 0.0f, 0.0f, 0.02f, 0.3f}},
		{"porcelain", false, {0.0f, 1.5f, 1.0f, 0.06f, 0.0f, 0.0f}},
		{"bone_china", false, {0.0f, 1.5f, 1.0f, 0.05f, 0.0f, 0.0f}},
		{"tile", false, {0.0f, 1.5f, 0.8f, 0.1f, 0.0f, 0.0f}},
		{"marble", false, {0.0f, 1.5f, 0.35f, 0.15f, 0.0f, 0.0f}},
	};
	brSurfaceLook plain = {.ior = 1.5f};
	bool isBroken = lookHasWord(material->name, "inside"); // no glaze there
	for (int32_t i = 0; i < BR_COUNT(looks); ++i)
	{
		bool fits = looks[i].isClear ? material->baseColor.w < 0.999f : !isBroken;
		if (fits && lookHasWord(material->name, looks[i].word))
		{
			return looks[i].look;
		}
	}
	return plain;
}

// SPDX-License-Identifier: MIT

#include "made_of.h"

#include <ctype.h>
#include <string.h>

#define NAME_CAPACITY 512

// Small letters, one underscore between words and at both ends. A capital after a small letter begins a word.
static void spellAsWords(const char* text, char out[NAME_CAPACITY])
{
	size_t used = 0;
	bool wasSmall = false;
	out[used++] = '_';
	for (; *text != 0 && used + 3 < NAME_CAPACITY; ++text)
	{
		unsigned char letter = (unsigned char)*text;
		bool isLetter = isalpha(letter) != 0;
		if ((!isLetter || (isupper(letter) && wasSmall)) && out[used - 1] != '_')
		{
			out[used++] = '_';
		}
		if (isLetter)
		{
			out[used++] = (char)tolower(letter);
		}
		wasSmall = islower(letter) != 0;
	}
	if (out[used - 1] != '_')
	{
		out[used++] = '_';
	}
	out[used] = 0;
}

const brMaterial* findMaterialInName(const char* text)
{
	char words[NAME_CAPACITY], wanted[NAME_CAPACITY];
	const brMaterial* best = NULL;
	spellAsWords(text, words);
	for (int32_t i = 0; i < brGetMaterialCount(); ++i)
	{
		const brMaterial* material = brGetMaterial(i);
		spellAsWords(material->name, wanted);
		if (strstr(words, wanted) != NULL && (best == NULL || strlen(material->name) > strlen(best->name)))
		{
			best = material;
		}
	}
	return best;
}

void listMaterials(char* outText, size_t bytes)
{
	size_t used = 0;
	outText[0] = 0;
	for (int32_t i = 0; i < brGetMaterialCount() && used < bytes; ++i)
	{
		used += (size_t)snprintf(outText + used, bytes - used, "%s%s", i > 0 ? " " : "", brGetMaterial(i)->name);
	}
}

int findMaterial(const CommandLine* line, const char* name, brMaterial* outMaterial)
{
	const brMaterial* found = brFindMaterial(name);
	if (found == NULL)
	{
		char names[NAME_CAPACITY];
		listMaterials(names, sizeof(names));
		return failUsage(line, "there is no material '%.60s' that breaks; those that do: %s", name, names);
	}
	*outMaterial = *found;
	return exit_done;
}

// SPDX-License-Identifier: MIT
#include "aside.h"

#include "brittle/io.h"

#include <stdlib.h>

bool openAside(Aside* aside, const char* path)
{
	*aside = (Aside){.path = path};
	bool isOpen = openMemoryFile(&aside->memory);
	aside->file = aside->memory.file;
	return isOpen;
}

bool finishAside(Aside* aside, bool isGood)
{
	isGood = finishMemoryFile(&aside->memory) && isGood;
	isGood = isGood && brSaveBytes(NULL, aside->memory.text, aside->memory.size, aside->path, NULL) >= 0;
	free(aside->memory.text);
	return isGood;
}

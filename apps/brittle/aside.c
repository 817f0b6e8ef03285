// SPDX-License-Identifier: MIT
#include "aside.h"

#include "brittle/io.h"

#include <stdlib.h>

bool openAside(Aside* aside, const char* path)
{
	*aside = (Aside){.path = path};
	aside->file = open_memstream(&aside->text, &aside->size);
	return aside->file != NULL;
}

bool finishAside(Aside* aside, bool isGood)
{
	isGood = isGood && ferror(aside->file) == 0;
	isGood = fclose(aside->file) == 0 && isGood;
	isGood = isGood && brSaveBytes(NULL, aside->text, aside->size, aside->path, NULL) >= 0;
	free(aside->text);
	return isGood;
}

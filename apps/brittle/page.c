// SPDX-License-Identifier: MIT
#include "page.h"

#include "system.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char pageIsMissing[] = "the viewer's page is not here: make viewer makes it, BRITTLE_VIEWER names it";

bool readPageFile(const char* path, PageText* outText)
{
	brFileKind kind = brOs_FileInfo(path).kind;
	bool isFile =
		kind == br_fileRegular || (errno = kind == br_fileAbsent ? ENOENT : EINVAL, false); // a pipe would wait
	FILE* file = isFile ? brOs_OpenStream(path, "rb") : NULL;
	if (file == NULL)
	{
		return false;
	}
	bool isRead = false;
	long size = fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
	outText->bytes = size >= 0 && size < (1l << 30) ? malloc((size_t)size + 1) : NULL;
	if (outText->bytes != NULL && fseek(file, 0, SEEK_SET) == 0)
	{
		outText->size = fread(outText->bytes, 1, (size_t)size, file);
		outText->bytes[outText->size] = '\0';
		isRead = outText->size == (size_t)size;
	}
	if (!isRead)
	{
		free(outText->bytes);
		outText->bytes = NULL;
	}
	fclose(file);
	return isRead;
}

bool findPage(PageText* outPage)
{
	const char* named = getenv("BRITTLE_VIEWER");
	if (named != NULL)
	{
		return readPageFile(named, outPage);
	}
	char program[1024];
	char* slash = programPath(program, sizeof(program)) ? strrchr(program, '/') : NULL;
	if (slash == NULL)
	{
		return false;
	}
	*slash = '\0';
	static const char* const places[] = {"../share/brittle/viewer.html", "viewer.html"};
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); ++i)
	{
		char path[1200];
		snprintf(path, sizeof(path), "%s/%s", program, places[i]);
		if (readPageFile(path, outPage))
		{
			return true;
		}
	}
	return false;
}

const char* findPageMark(const PageText* page, size_t* outLength)
{
	static const char mark[] = "<!--RECORDING-->";
	*outLength = sizeof(mark) - 1;
	return strstr(page->bytes, mark);
}

bool openInBrowser(const char* address)
{
	return openAddress(address);
}

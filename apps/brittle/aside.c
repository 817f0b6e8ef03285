// SPDX-License-Identifier: MIT
#include "aside.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

bool openAside(Aside* aside, const char* path)
{
	*aside = (Aside){.path = path};
	struct stat info;
	bool isThere = stat(path, &info) == 0;
	if (isThere && S_ISDIR(info.st_mode))
	{
		errno = EISDIR;
		return false;
	}
	if (isThere && !S_ISREG(info.st_mode))
	{
		aside->file = fopen(path, "wb");
		return aside->file != NULL;
	}
	int length = snprintf(aside->name, sizeof(aside->name), "%s.%d.part", path, (int)getpid());
	if (length < 0 || length >= (int)sizeof(aside->name))
	{
		errno = ENAMETOOLONG;
		return false;
	}
	aside->file = fopen(aside->name, "wb");
	return aside->file != NULL;
}

bool finishAside(Aside* aside, bool isGood)
{
	isGood = isGood && ferror(aside->file) == 0;
	isGood = fclose(aside->file) == 0 && isGood;
	if (aside->name[0] == '\0' || (isGood && rename(aside->name, aside->path) == 0))
	{
		return isGood;
	}
	int error = errno;
	remove(aside->name);
	errno = error;
	return false;
}

// SPDX-License-Identifier: MIT
#include "crack_load.h"
#include "system.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

// One line without its comment. False: it is no line of a load.
static bool readLoadLine(char* text, CrackLoad* load)
{
	text[strcspn(text, "#")] = 0;
	char word[16] = "";
	double n[6];
	int count = sscanf(text, "%15s %lf %lf %lf %lf %lf %lf", word, &n[0], &n[1], &n[2], &n[3], &n[4], &n[5]);
	if (count <= 0)
	{
		return true;
	}
	bool isForce = strcmp(word, "force") == 0, isFix = strcmp(word, "fix") == 0;
	if (count != 7 || (!isForce && !isFix))
	{
		return false;
	}
	brDVec3 a = brMakeDVec3(n[0], n[1], n[2]), b = brMakeDVec3(n[3], n[4], n[5]);
	if (isForce)
	{
		load->forces[load->forceCount++] = (brCrackForce){a, b};
	}
	else
	{
		load->supports[load->supportCount++] = (brCrackSupport){.box = {a, b}, .axes = 7};
	}
	return true;
}

bool readCrackLoad(const char* path, CrackLoad* outLoad, brReport* report)
{
	outLoad->forceCount = outLoad->supportCount = 0;
	report->text[0] = 0;
	FILE* file = brOs_OpenStream(path, "r");
	char text[512];
	for (int number = 1; file != NULL && report->text[0] == 0 && fgets(text, sizeof(text), file) != NULL; ++number)
	{
		if (outLoad->forceCount >= crackMostLoads || outLoad->supportCount >= crackMostLoads)
		{
			snprintf(report->text, sizeof(report->text), "%.300s:%d: %d forces or boxes are the most", path, number,
					 crackMostLoads - 1);
		}
		else if (!readLoadLine(text, outLoad))
		{
			snprintf(report->text, sizeof(report->text),
					 "%.300s:%d: expected 'force x y z fx fy fz' or 'fix x y z x y z'", path, number);
		}
	}
	if (file == NULL || (report->text[0] == 0 && ferror(file))) // a folder can be opened and not read
	{
		snprintf(report->text, sizeof(report->text), "%.300s cannot be read: %s", path, strerror(errno));
	}
	if (file != NULL)
	{
		fclose(file);
	}
	return report->text[0] == 0;
}

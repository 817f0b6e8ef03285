// SPDX-License-Identifier: MIT
#include "shatter_bonds.h"

#include "aside.h"

#include <errno.h>
#include <string.h>

static void putPiece(FILE* file, const brPiece* piece, int32_t number)
{
	const brMassProperties* m = &piece->mass;
	fprintf(file, "%s\n{\"name\":\"piece_%d\",\"volume\":%.17g,\"mass\":%.17g,\"center\":[%.17g,%.17g,%.17g],",
			number > 0 ? "," : "", number, m->volume, m->mass, m->center.x, m->center.y, m->center.z);
	fprintf(file, "\"inertia\":[[%.17g,%.17g,%.17g],[%.17g,%.17g,%.17g],[%.17g,%.17g,%.17g]]}", m->inertia.cx.x,
			m->inertia.cx.y, m->inertia.cx.z, m->inertia.cy.x, m->inertia.cy.y, m->inertia.cy.z, m->inertia.cz.x,
			m->inertia.cz.y, m->inertia.cz.z);
}

static void putBonds(FILE* file, const brBond* bonds, int32_t count)
{
	for (int32_t i = 0; i < count; ++i)
	{
		const brBond* b = &bonds[i];
		fprintf(file, "%s\n{\"pieces\":[%d,%d],\"area\":%.17g,\"center\":[%.17g,%.17g,%.17g],", i > 0 ? "," : "",
				b->pieces[0], b->pieces[1], b->area, b->center.x, b->center.y, b->center.z);
		fprintf(file, "\"normal\":[%.17g,%.17g,%.17g]}", b->normal.x, b->normal.y, b->normal.z);
	}
}

bool saveBonds(const char* path, const brShatter* shatter, brReport* report)
{
	Aside aside;
	bool isOpen = openAside(&aside, path);
	if (isOpen)
	{
		FILE* file = aside.file;
		fputs("{\"pieces\":[", file);
		for (int32_t i = 0; i < shatter->pieceCount; ++i)
		{
			putPiece(file, &shatter->pieces[i], i);
		}
		fputs("],\n\"bonds\":[", file);
		putBonds(file, shatter->bonds, shatter->bondCount);
		fputs("],\n\"levels\":[", file);
		for (int32_t k = 0; k < shatter->levelCount; ++k)
		{
			fprintf(file, "%s\n{\"clusters\":[", k > 0 ? "," : "");
			for (int32_t i = 0; i < shatter->pieceCount; ++i)
			{
				fprintf(file, "%s%d", i > 0 ? "," : "", shatter->levels[k].clusters[i]);
			}
			fputs("],\"bonds\":[", file);
			putBonds(file, shatter->levels[k].bonds, shatter->levels[k].bondCount);
			fputs("]}", file);
		}
		fputs("]}\n", file);
	}
	if (!isOpen || !finishAside(&aside, ferror(aside.file) == 0))
	{
		snprintf(report->text, sizeof(report->text), "%.300s cannot be written (%s)", path, strerror(errno));
		return false;
	}
	return true;
}

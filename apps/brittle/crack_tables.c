// SPDX-License-Identifier: MIT
#include "crack_tables.h"

#include "aside.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static bool tableEndsWith(const char* path, const char* ending)
{
	size_t length = strlen(path), tail = strlen(ending);
	return length >= tail && strcmp(path + length - tail, ending) == 0;
}

static bool tableFail(brReport* report, const char* path, const char* why)
{
	snprintf(report->text, sizeof(report->text), "%.300s cannot be written: %s", path, why);
	return false;
}

static void writeFrontsCsv(FILE* file, const brCracks* cracks)
{
	fprintf(file, "step,crack,chain,x,y,z,K_I,K_II,K_III,G,kink,load\n");
	for (int32_t i = 0; i < cracks->frontCount; ++i)
	{
		const brCrackFrontRecord* record = &cracks->fronts[i];
		const brCrackFrontPoint* p = &record->point;
		fprintf(file, "%d,%d,%d,%.9g,%.9g,%.9g,%.6g,%.6g,%.6g,%.6g,%.6g,%.6g\n", record->step, record->crack, p->chain,
				p->position.x, p->position.y, p->position.z, p->intensity[0], p->intensity[1], p->intensity[2],
				p->energyRelease, p->kinkAngle, cracks->steps[record->step].load);
	}
}

static void writeFrontsJson(FILE* file, const brCracks* cracks)
{
	fprintf(file, "[");
	for (int32_t i = 0; i < cracks->frontCount; ++i)
	{
		const brCrackFrontRecord* record = &cracks->fronts[i];
		const brCrackFrontPoint* p = &record->point;
		fprintf(
			file,
			"%s\n{\"step\": %d, \"crack\": %d, \"chain\": %d, \"position\": [%.9g, %.9g, %.9g], \"K\": [%.6g, %.6g, "
			"%.6g], \"G\": %.6g, \"kink\": %.6g}",
			i > 0 ? "," : "", record->step, record->crack, p->chain, p->position.x, p->position.y, p->position.z,
			p->intensity[0], p->intensity[1], p->intensity[2], p->energyRelease, p->kinkAngle);
	}
	fprintf(file, "\n]\n");
}

// Legacy VTK, points with data.
static void writeFrontsVtk(FILE* file, const brCracks* cracks)
{
	static const char* const names[] = {"step", "crack", "K_I", "K_II", "K_III", "G"};
	int32_t count = cracks->frontCount;
	fprintf(file, "# vtk DataFile Version 3.0\ncrack fronts\nASCII\nDATASET POLYDATA\nPOINTS %d double\n", count);
	for (int32_t i = 0; i < count; ++i)
	{
		brDVec3 p = cracks->fronts[i].point.position;
		fprintf(file, "%.9g %.9g %.9g\n", p.x, p.y, p.z);
	}
	fprintf(file, "VERTICES %d %d\n", count, 2 * count);
	for (int32_t i = 0; i < count; ++i)
	{
		fprintf(file, "1 %d\n", i);
	}
	fprintf(file, "POINT_DATA %d\n", count);
	for (int k = 0; k < 6; ++k)
	{
		fprintf(file, "SCALARS %s double 1\nLOOKUP_TABLE default\n", names[k]);
		for (int32_t i = 0; i < count; ++i)
		{
			const brCrackFrontRecord* r = &cracks->fronts[i];
			double values[6] = {r->step,
								r->crack,
								r->point.intensity[0],
								r->point.intensity[1],
								r->point.intensity[2],
								r->point.energyRelease};
			fprintf(file, "%.6g\n", values[k]);
		}
	}
}

static void writeCurveCsv(FILE* file, const brCracks* cracks)
{
	fprintf(file, "step,load,force,displacement,energy,area,cracks,parts\n");
	for (int32_t i = 0; i < cracks->stepCount; ++i)
	{
		const brCrackStep* s = &cracks->steps[i];
		fprintf(file, "%d,%.6g,%.6g,%.6g,%.6g,%.6g,%d,%d\n", i, s->load, s->force, s->displacement, s->energy, s->area,
				s->cracks, s->parts);
	}
}

static void writeCurveJson(FILE* file, const brCracks* cracks)
{
	fprintf(file, "[");
	for (int32_t i = 0; i < cracks->stepCount; ++i)
	{
		const brCrackStep* s = &cracks->steps[i];
		char load[32] = "null"; // nothing needs any load any more
		if (s->load < INFINITY)
		{
			snprintf(load, sizeof(load), "%.6g", s->load);
		}
		bool isLast = !(s->load < INFINITY);
		fprintf(file,
				"%s\n{\"step\": %d, \"load\": %s, \"force\": %.6g, \"displacement\": %.6g, \"energy\": %.6g, \"area\": "
				"%.6g, \"cracks\": %d, \"parts\": %d}",
				i > 0 ? "," : "", i, load, isLast ? 0.0 : s->force, isLast ? 0.0 : s->displacement,
				isLast ? 0.0 : s->energy, s->area, s->cracks, s->parts);
	}
	fprintf(file, "\n]\n");
}

typedef void TableFcn(FILE* file, const brCracks* cracks);

static bool saveTable(const brCracks* cracks, const char* path, TableFcn* write, brReport* report)
{
	Aside aside;
	bool isOpen = openAside(&aside, path);
	if (isOpen)
	{
		write(aside.file, cracks);
	}
	return (isOpen && finishAside(&aside, ferror(aside.file) == 0)) || tableFail(report, path, strerror(errno));
}

bool saveCrackFronts(const brCracks* cracks, const char* path, brReport* report)
{
	if (tableEndsWith(path, ".csv"))
	{
		return saveTable(cracks, path, writeFrontsCsv, report);
	}
	if (tableEndsWith(path, ".json"))
	{
		return saveTable(cracks, path, writeFrontsJson, report);
	}
	if (tableEndsWith(path, ".vtk"))
	{
		return saveTable(cracks, path, writeFrontsVtk, report);
	}
	return tableFail(report, path, "fronts go into .csv, .json or .vtk");
}

bool saveCrackCurve(const brCracks* cracks, const char* path, brReport* report)
{
	if (tableEndsWith(path, ".csv"))
	{
		return saveTable(cracks, path, writeCurveCsv, report);
	}
	if (tableEndsWith(path, ".json"))
	{
		return saveTable(cracks, path, writeCurveJson, report);
	}
	return tableFail(report, path, "curves go into .csv or .json");
}

// Means over the points of a front before it grows; G is that of its hardest pulled point as well.
typedef struct FrontMean
{
	int32_t count;
	double intensity[3], energyRelease;
	double hardest, there[3]; // G, and the intensities with it
} FrontMean;

static FrontMean findMean(const brCracks* cracks, int32_t crack)
{
	FrontMean mean = {0};
	for (int32_t i = 0; i < cracks->frontCount && cracks->fronts[i].step == 0; ++i)
	{
		const brCrackFrontPoint* point = &cracks->fronts[i].point;
		if (cracks->fronts[i].crack == crack)
		{
			mean.count += 1;
			for (int k = 0; k < 3; ++k)
			{
				mean.intensity[k] += point->intensity[k];
			}
			mean.energyRelease += point->energyRelease;
			if (point->energyRelease >= mean.hardest)
			{
				mean.hardest = point->energyRelease;
				memcpy(mean.there, point->intensity, sizeof(mean.there));
			}
		}
	}
	double share = mean.count > 0 ? 1.0 / mean.count : 0.0;
	for (int k = 0; k < 3; ++k)
	{
		mean.intensity[k] *= share;
	}
	mean.energyRelease *= share;
	return mean;
}

void printGivenCracks(const brCracks* cracks, const brCrackDef* def)
{
	for (int32_t i = 0; i < def->givenCount; ++i)
	{
		FrontMean mean = findMean(cracks, i);
		if (mean.count > 0)
		{
			printf(
				"crack %-3d K I %.4g, K II %.3g, K III %.3g MPa m^0.5, G %.4g J/m^2 on the mean along its front at the "
				"load as given (hardest point %.4g: K I %.3g, K II %.3g, K III %.3g)\n",
				i, 1e-6 * mean.intensity[0], 1e-6 * mean.intensity[1], 1e-6 * mean.intensity[2], mean.energyRelease,
				mean.hardest, 1e-6 * mean.there[0], 1e-6 * mean.there[1], 1e-6 * mean.there[2]);
		}
		else
		{
			printf("crack %-3d nothing pulls at it\n", i);
		}
	}
	if (def->givenCount > 0)
	{
		printf("toughness %.4g MPa m^0.5, so %.4g J/m^2\n", 1e-6 * def->material.toughness,
			   brMaterial_GetFractureEnergy(&def->material));
	}
}

void writeGivenCracks(Json* json, const brCracks* cracks, const brCrackDef* def)
{
	jsonOpen(json, "given", '[');
	for (int32_t i = 0; i < def->givenCount; ++i)
	{
		FrontMean mean = findMean(cracks, i);
		jsonOpen(json, NULL, '{');
		jsonNumber(json, "K_I", mean.intensity[0]);
		jsonNumber(json, "K_II", mean.intensity[1]);
		jsonNumber(json, "K_III", mean.intensity[2]);
		jsonNumber(json, "G", mean.energyRelease);
		jsonNumber(json, "G_hardest", mean.hardest);
		jsonOpen(json, "K_hardest", '[');
		for (int k = 0; k < 3; ++k)
		{
			jsonNumber(json, NULL, mean.there[k]);
		}
		jsonClose(json, ']');
		jsonClose(json, '}');
	}
	jsonClose(json, ']');
}

// SPDX-License-Identifier: MIT

// brittle tet as a user meets it: keys, exit codes, sentences, files.

#include "harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct TetRun
{
	int exitCode;
	char out[8192];
	char err[8192];
} TetRun;

static void readText(const char* path, char* buffer, size_t capacity)
{
	FILE* file = fopen(path, "rb");
	CHECK_MESSAGE(file != NULL, "%s cannot be opened", path);
	buffer[fread(buffer, 1, capacity - 1, file)] = 0;
	fclose(file);
}

static TetRun* runTetLine(const char* format, const char* a, const char* b)
{
	static TetRun run;
	char words[1024], line[2048], out[256], err[256];
	snprintf(out, sizeof(out), "%s", brTest_ScratchPath("tet.out"));
	snprintf(err, sizeof(err), "%s", brTest_ScratchPath("tet.err"));
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
	snprintf(words, sizeof(words), format, a, b);
#pragma GCC diagnostic pop
	snprintf(line, sizeof(line), "%s %s >%s 2>%s </dev/null", brTest_Program(), words, out, err);
	run.exitCode = brTest_Shell(line);
	readText(out, run.out, sizeof(run.out));
	readText(err, run.err, sizeof(run.err));
	return &run;
}

static double numberOf(const TetRun* run, const char* key)
{
	char quoted[64];
	snprintf(quoted, sizeof(quoted), "\"%s\":", key);
	const char* at = strstr(run->out, quoted);
	CHECK_MESSAGE(at != NULL, "the key %s is missing in %s", key, run->out);
	return strtod(at + strlen(quoted), NULL);
}

BR_TEST(tet_command_fills_and_judges)
{
	char surface[256], solid[256];
	snprintf(surface, sizeof(surface), "%s", brTest_ScratchPath("torus.obj"));
	snprintf(solid, sizeof(solid), "%s", brTest_ScratchPath("torus.msh"));
	CHECK_EQUAL(runTetLine("make torus --res 32 -o %s%s", surface, "")->exitCode, 0);

	const TetRun* run = runTetLine("tet %s -o %s --tets 3000 --json", surface, solid);
	CHECK_MESSAGE(run->exitCode == 0, "%s", run->err);
	double tets = numberOf(run, "tets"), volume = numberOf(run, "volume");
	CHECK(tets >= 2550 && tets <= 3450);
	CHECK(numberOf(run, "min_dihedral") >= 9.0 && numberOf(run, "max_dihedral") <= 165.0);
	CHECK(numberOf(run, "nodes") > 500 && strstr(run->out, "\"surface_closed\":true") != NULL);
	CHECK(numberOf(run, "seconds") > 0.0);

	// Finer about a point.
	run = runTetLine("tet %s -o %s.fine.msh --edge 0.08 --refine 0.5,0,0.12,0.2,0.02 --json", surface, solid);
	CHECK_MESSAGE(run->exitCode == 0, "%s", run->err);
	CHECK(numberOf(run, "edge") <= 0.021 && numberOf(run, "deviation") >= 0.08);
	CHECK(numberOf(run, "min_dihedral") >= 9.0 && numberOf(run, "max_dihedral") <= 165.0);
	CHECK_EQUAL(runTetLine("tet %s -o %s --refine 1,0,0,0.3", surface, solid)->exitCode, 2);

	// The file that came out is judged as what it is.
	run = runTetLine("tet %s%s --json", solid, "");
	CHECK_EQUAL(run->exitCode, 0);
	CHECK(numberOf(run, "tets") == tets && strstr(run->out, "\"sound\":true") != NULL);
	CHECK_NEAR(numberOf(run, "volume"), volume, 1e-9 * volume);

	CHECK_EQUAL(runTetLine("tet %s -o %s --edge 0.1 --uniform", surface, solid)->exitCode, 0);
	CHECK_EQUAL(runTetLine("tet %s -o %s --tets 2000 --cut 0,0,1,0.1", surface, solid)->exitCode, 0);
	CHECK_EQUAL(runTetLine("tet %s -o %s --tets 10 --edge 1", surface, solid)->exitCode, 2);
	CHECK_EQUAL(runTetLine("tet %s%s", surface, "")->exitCode, 2);
	CHECK_EQUAL(runTetLine("tet %s%s", "no_such_file.obj -o x.msh", "")->exitCode, 1);
}

BR_TEST(tet_command_says_when_the_volume_is_off)
{
	char surface[256], solid[256], again[128];
	snprintf(surface, sizeof(surface), "%s", brTest_ScratchPath("off.obj"));
	snprintf(solid, sizeof(solid), "%s", brTest_ScratchPath("off.vtk"));
	CHECK_EQUAL(runTetLine("make icosphere --res 16 -o %s%s", surface, "")->exitCode, 0);
	const TetRun* run = runTetLine("tet %s -o %s --tets 300", surface, solid);
	CHECK_MESSAGE(run->exitCode == 0 && strstr(run->err, "volume; an edge") == NULL, "%s", run->err);
	run = runTetLine("tet %s -o %s --tets 300 --on-surface", surface, solid);
	const char* advice = strstr(run->err, "--edge ");
	CHECK_MESSAGE(run->exitCode == 0 && strstr(run->err, "% of the solid's volume") != NULL && advice != NULL, "%s",
				  run->err);
	snprintf(again, sizeof(again), "tet %%s -o %%s --on-surface --edge %.6g --json", atof(advice + 7));
	run = runTetLine(again, surface, solid);
	CHECK_NEAR(numberOf(run, "volume"), numberOf(run, "surface_volume"), 0.02 * numberOf(run, "surface_volume"));
}

BR_TEST(tet_command_says_what_thin_walls_need)
{
	char surface[256], solid[256], fills[300];
	snprintf(surface, sizeof(surface), "%s", brTest_ScratchPath("bowl.obj"));
	snprintf(solid, sizeof(solid), "%s", brTest_ScratchPath("bowl.vtk"));
	snprintf(fills, sizeof(fills), "%s.fill", solid);
	CHECK_EQUAL(runTetLine("make bowl --res 32 -o %s%s", surface, "")->exitCode, 0);
	const TetRun* run = runTetLine("tet %s -o %s --tets 2000 --json", surface, solid);
	CHECK_EQUAL(run->exitCode, 1);
	CHECK(strstr(run->err, "--edge ") != NULL && strstr(run->out, "\"error\":") != NULL);
	char again[128];
	snprintf(again, sizeof(again), "tet %%s -o %%s --edge %.6g --json", atof(strstr(run->err, "--edge ") + 7));
	run = runTetLine(again, surface, solid); // the advice works
	CHECK_MESSAGE(run->exitCode == 0, "%s", run->err);
	CHECK_NEAR(numberOf(run, "volume"), numberOf(run, "surface_volume"), 0.02 * numberOf(run, "surface_volume"));
	run = runTetLine("tet %s -o %s --tets 2000 --embed --json", surface, solid);
	CHECK_MESSAGE(run->exitCode == 0, "%s", run->err);
	CHECK(numberOf(run, "components") == 1.0);
	CHECK_NEAR(numberOf(run, "volume"), numberOf(run, "surface_volume"), 0.05 * numberOf(run, "surface_volume"));
	FILE* file = fopen(fills, "r");
	CHECK(file != NULL);
	int32_t lines = 0;
	double fill;
	while (fscanf(file, "%lf", &fill) == 1)
	{
		CHECK(fill >= 0.0 && fill <= 1.0);
		lines += 1;
	}
	fclose(file);
	CHECK_EQUAL(lines, (int64_t)numberOf(run, "tets"));
}

BR_TEST(tet_command_names_what_is_wrong_with_foreign_tets)
{
	char path[256];
	snprintf(path, sizeof(path), "%s", brTest_ScratchPath("bad.mesh"));
	FILE* file = fopen(path, "w");
	fputs("MeshVersionFormatted 1\nDimension 3\nVertices\n5\n0 0 0 0\n1 0 0 0\n0 1 0 0\n0 0 1 0\n0 0 -1 0\n"
		  "Tetrahedra\n2\n1 2 3 4 0\n1 2 3 5 0\nEnd\n",
		  file);
	fclose(file);
	const TetRun* run = runTetLine("tet %s%s", path, "");
	CHECK_EQUAL(run->exitCode, 1);
	CHECK_MESSAGE(strstr(run->err, "tet 1 is inverted") != NULL, "%s", run->err);
}

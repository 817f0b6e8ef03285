// SPDX-License-Identifier: MIT

// The worked examples of docs/crack-manual.md, on coarse lattices; `--intensity 10 --verbose` runs them as they are in their files and prints a row each.

#include "brittle/brittle.h"
#include "harness.h"

#include <stdio.h>
#include <string.h>

// Cases are YAML.
static void needsYaml(void)
{
}

static brCrackCase* loadCase(const char* name)
{
	needsYaml();
	char path[512];
	snprintf(path, sizeof(path), "%s/scenes/cracks/%s.yaml", BR_SOURCE_DIR, name);
	brCrackCase* loaded = NULL;
	brReport report = {0};
	CHECK_RESULT(brLoadCrackCase(NULL, path, &loaded, &report), &report);
	return loaded;
}

// As in its file, or coarser.
static brCracks* runCase(const brTest* test, brCrackCase* loaded, int32_t tets)
{
	if (test->intensity < 10.0)
	{
		loaded->def.edge = 0.0;
		loaded->def.tets = tets;
	}
	loaded->def.keepFronts = true;
	brCracks* cracks = NULL;
	brReport report = {0};
	CHECK_RESULT(brCreateCracks(NULL, loaded->mesh, &loaded->def, &cracks, &report), &report);
	if (test->intensity >= 10.0)
	{
		printf("%s: %d tets, breaks at %.3f times the load, %d pieces, %d lattice parts\n", loaded->title,
			   cracks->stats.tets, cracks->stats.load, cracks->pieceCount, cracks->stats.latticeParts);
	}
	return cracks;
}

// Mean of K I along the front of the first step.
static double meanOpening(const brCracks* cracks)
{
	double sum = 0.0;
	int32_t count = 0;
	for (int32_t i = 0; i < cracks->frontCount && cracks->fronts[i].step == 0; ++i)
	{
		sum += cracks->fronts[i].point.intensity[0];
		count += 1;
	}
	CHECK(count > 0);
	return sum / count;
}

BR_TEST(crack_case_edge_notch_has_the_handbook_load)
{
	static const struct
	{
		const char* name;
		double opening; // handbook, plane [Pa m^0.5]
	} cases[] = {{"edge_notch_pulled", 0.7479e6}, {"three_point_bend", 0.665e6}};
	for (int32_t i = 0; i < 2; ++i)
	{
		brCrackCase* loaded = loadCase(cases[i].name);
		brCracks* cracks = runCase(test, loaded, 9000);
		double opening = meanOpening(cracks), toughness = loaded->def.material.toughness;
		if (test->intensity >= 10.0)
		{
			printf("%s: K I %.3f of the handbook's, load %.3f of it\n", loaded->title, opening / cases[i].opening,
				   cracks->stats.load * cases[i].opening / toughness);
		}
		// Ten cells across: a per cent of scatter each, and free faces add 3 to 5 % in the middle of the front.
		CHECK_MESSAGE(fabs(opening / cases[i].opening - 1.0) < 0.08, "%s: K I %.4g", cases[i].name, opening);
		CHECK_MESSAGE(fabs(cracks->stats.load * cases[i].opening / toughness - 1.0) < 0.10, "%s breaks at %.4g",
					  cases[i].name, cracks->stats.load);
		CHECK_EQUAL(cracks->pieceCount, 2);
		CHECK(cracks->stats.end == br_crackEndParted);
		// Straight up, and the load falls on the way.
		const brMesh* surface = cracks->cracks[0].surface;
		for (int32_t v = 0; v < surface->vertexCount; ++v)
		{
			CHECK_MESSAGE(fabs(surface->positions[v].x) < 0.015, "%s: x = %.3g", cases[i].name,
						  surface->positions[v].x);
		}
		CHECK(cracks->stepCount > 3 && cracks->steps[cracks->stepCount - 2].load < 0.7 * cracks->steps[0].load);
		brDestroyCracks(cracks);
		brDestroyCrackCase(loaded);
	}
}

BR_TEST(crack_case_brazilian_disc_splits)
{
	brCrackCase* loaded = loadCase("brazilian_disc");
	brCracks* cracks = runCase(test, loaded, 8000);
	CHECK_EQUAL(cracks->stats.largePieces, 2);
	double volume = cracks->stats.volumeIn;
	for (int32_t i = 0; i < cracks->pieceCount; ++i)
	{
		double share = cracks->pieces[i].mass.volume / volume;
		CHECK_MESSAGE(share < 0.02 || (share > 0.3 && share < 0.7), "a piece has %.3g of the disc", share);
	}
	brDestroyCracks(cracks);
	brDestroyCrackCase(loaded);
}

BR_TEST(crack_case_l_panel_breaks_from_its_corner)
{
	brCrackCase* loaded = loadCase("l_panel");
	brCracks* cracks = runCase(test, loaded, 6000);
	CHECK_EQUAL(cracks->stats.largePieces, 2);
	brDVec3 start = cracks->cracks[0].start;
	CHECK_MESSAGE(fabs(start.x - 0.25) < 0.05 && fabs(start.z - 0.25) < 0.05, "it starts at %.3f %.3f", start.x,
				  start.z);
	brDestroyCracks(cracks);
	brDestroyCrackCase(loaded);
}

BR_TEST(crack_case_cold_plate_has_its_stress)
{
	brCrackCase* loaded = loadCase("hot_plate");
	loaded->def.givenCount = 0;
	loaded->def.maxSteps = 1;
	brCracks* cracks = runCase(test, loaded, 4000);
	const brMaterial* m = &loaded->def.material;
	double stress = m->youngsModulus * 9e-6 * 30.0;
	// The highest of all nodes, two cells through the plate.
	CHECK_MESSAGE(fabs(cracks->stats.peakStress / stress - 1.0) < 0.10, "%.4g Pa instead of %.4g",
				  cracks->stats.peakStress, stress);
	brDestroyCracks(cracks);
	brDestroyCrackCase(loaded);
}

BR_TEST(crack_case_penny_is_round)
{
	brCrackCase* loaded = loadCase("penny");
	brCracks* cracks = runCase(test, loaded, 20000);
	double closed = 0.2257e6, lowest = INFINITY, highest = 0.0;
	for (int32_t i = 0; i < cracks->frontCount; ++i)
	{
		lowest = fmin(lowest, cracks->fronts[i].point.intensity[0]);
		highest = fmax(highest, cracks->fronts[i].point.intensity[0]);
	}
	double mean = meanOpening(cracks);
	if (test->intensity >= 10.0)
	{
		printf("penny: K I %.3f, %.3f to %.3f of the closed form\n", mean / closed, lowest / closed, highest / closed);
	}
	// The block is 2.5 radii wide each way, which adds some 5 %.
	CHECK_MESSAGE(mean / closed > 0.97 && mean / closed < 1.15, "K I %.3f of the closed form", mean / closed);
	CHECK_MESSAGE(highest < 1.2 * lowest, "from %.4g to %.4g", lowest, highest);
	CHECK(cracks->stats.crackEdge > 0.0); // told that it is coarse
	brDestroyCracks(cracks);
	brDestroyCrackCase(loaded);
}

BR_TEST(crack_case_says_what_is_wrong)
{
	needsYaml();
	static const struct
	{
		const char *text, *word;
	} cases[] = {
		{"outline: [[0,0],[1,0],[1,1]]\nthickness: 1\nmodel: {name: box}\n", "one solid"},
		{"model: {name: box}\ngravty: [0,0,1]\n", "gravity"},
		{"model: {name: box}\ncracks: [{disk: {center: [0,0,0.5]}}]\n", "radius"},
		{"model: {name: box}\nsupports: [{box: [[0,0,0],[1,1,1]], axes: xw}]\n", "axes"},
		{"model: {name: box}\nforces: [{force: [0,0,1]}]\n", "point"},
		{"model: {name: box}\nmaterial: cheese\n", "cheese"},
		{"outline: [[0,0],[1,0]]\nthickness: 1\n", "outline"},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); ++i)
	{
		char path[512];
		snprintf(path, sizeof(path), "%s", brTest_ScratchPath("case.yaml"));
		FILE* file = fopen(path, "w");
		CHECK(file != NULL);
		fputs(cases[i].text, file);
		fclose(file);
		brCrackCase* loaded = NULL;
		brReport report = {0};
		CHECK(brLoadCrackCase(NULL, path, &loaded, &report) < 0 && loaded == NULL);
		remove(path);
		CHECK_MESSAGE(strstr(report.text, cases[i].word) != NULL, "case %d: %s", (int)i, report.text);
	}
}

// John and Shah: a beam bent in three points breaks from a notch off its middle if that is not too far from it, else in the middle.
BR_TEST(crack_case_notch_off_the_middle)
{
	static const char* const names[] = {"john_shah_050", "john_shah_075"};
	for (int32_t i = 0; i < 2; ++i)
	{
		brCrackCase* loaded = loadCase(names[i]);
		brCracks* cracks = runCase(test, loaded, 12000);
		CHECK_EQUAL(cracks->stats.largePieces, 2);
		// Where the break is at the top of the beam: the crack that parts leans to the load from the notch, or comes from the middle.
		double top = 0.0;
		int32_t count = 0;
		for (int32_t c = 0; c < cracks->crackCount; ++c)
		{
			const brMesh* surface = cracks->cracks[c].surface;
			for (int32_t v = 0; v < surface->vertexCount && cracks->cracks[c].isParting; ++v)
			{
				bool isTop = surface->positions[v].z > 0.06;
				top += isTop ? surface->positions[v].x : 0.0;
				count += isTop ? 1 : 0;
			}
		}
		CHECK(count > 0);
		double x = top / count;
		if (test->intensity >= 10.0)
		{
			printf("%s: ends at x = %.4f\n", loaded->title, x);
		}
		CHECK_MESSAGE(i == 0 ? x > 0.015 && x < 0.04 : fabs(x) < 0.015, "%s: the top breaks at x = %.4f", names[i], x);
		brDestroyCracks(cracks);
		brDestroyCrackCase(loaded);
	}
}

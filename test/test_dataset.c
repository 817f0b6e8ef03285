// SPDX-License-Identifier: MIT

// Data sets: recipes that are refused with line and key, samples that are what they say, the same bytes for any workers
// and after a kill.

#include "dataset/sample.h"
#include "harness.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define METHODS "methods: [shatter]\n"
#define OBJECTS "objects: [vase]\n"

BR_TEST(dataset_recipe_that_is_wrong_gets_line_and_key)
{
	static const struct
	{
		const char *text, *said;
	} cases[] = {
		{OBJECTS METHODS, "needs samples"},
		{"samples: 3\n" METHODS, "needs objects"},
		{"samples: 3\n" OBJECTS, "methods is a list"},
		{"samples: 0\n" OBJECTS METHODS, "recipe:1: samples is a whole number from 1"},
		{"samples: 3\nsample_count: 4\n" OBJECTS METHODS, "recipe:2: a recipe has no key 'sample_count'"},
		{"samples: 3\nobjects: [vaze]\n" METHODS, "recipe from memory has no files"},
		{"samples: 3\nobjects: [{model: vaze}]\n" METHODS, "recipe:2: there is no model 'vaze'; did you mean vase?"},
		{"samples: 3\nobjects: [{model: vase, with: {heigth: 1}}]\n" METHODS, "did you mean height?"},
		{"samples: 3\nobjects: [{model: vase, with: {height: [0.3, 0.1]}}]\n" METHODS, "the lower number comes first"},
		{"samples: 3\nobjects: [{model: vase, with: {height: 1e9}}]\n" METHODS, "height is a number or [low, high]"},
		{"samples: 3\nobjects: [{model: vase, folder: x}]\n" METHODS, "one of model, file and folder"},
		{"samples: 3\nobjects: []\n" METHODS, "objects is a list"},
		{"samples: 3\nmaterials: [steel]\n" OBJECTS METHODS, "steel does not break"},
		{"samples: 3\nmaterials: [glas]\n" OBJECTS METHODS,
		 "recipe:2: there is no material 'glas'; did you mean glass?"},
		{"samples: 3\n" OBJECTS "methods: [smash]\n", "method is shatter, crack, drop or shoot, not 'smash'"},
		{"samples: 3\n" OBJECTS "methods: [{weight: 2}]\n", "a method has no key 'method'"},
		{"samples: 3\n" OBJECTS "methods:\n  - {method: shatter, height: 1}\n", "recipe:4: shatter has no height"},
		{"samples: 3\n" OBJECTS "methods: [{method: drop, pattern: grid}]\n", "drop has no pattern"},
		{"samples: 3\n" OBJECTS "methods: [{method: crack, ground: marble}]\n", "crack has no play, ground and by"},
		{"samples: 3\n" OBJECTS "methods: [{method: shatter, pieces: [3, 2.5]}]\n", "pieces is a whole number"},
		{"samples: 3\n" OBJECTS "methods: [{method: shoot, speed: [-1, 5]}]\n",
		 "speed is a number or [low, high] above 0"},
		{"samples: 3\n" OBJECTS "methods: [{method: drop, pieces: 1}]\n", "2 or more"},
		{"samples: [\n", "recipe:"},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); ++i)
	{
		brReport report = {0};
		brRecipe* recipe = NULL;
		brResult result = brReadRecipe(NULL, cases[i].text, strlen(cases[i].text), NULL, &recipe, &report);
		CHECK_MESSAGE(result < 0 && recipe == NULL, "taken: %s", cases[i].text);
		CHECK_MESSAGE(strstr(report.text, cases[i].said) != NULL, "'%s' was said about: %s", report.text,
					  cases[i].text);
	}
}

static brRecipe* readRecipe(const char* text)
{
	return BR_MADE(brRecipe, brReadRecipe, NULL, text, strlen(text), NULL);
}

// Each directed edge of a piece has its opposite, as often.
static void checkClosed(const brSample* sample, const brSamplePiece* piece)
{
	// Sums of a hash of each edge one way and the other way: equal for closed pieces.
	uint64_t forward = 0, back = 0;
	for (int32_t i = piece->firstTriangle; i < piece->firstTriangle + piece->triangleCount; ++i)
	{
		for (int32_t k = 0; k < 3; ++k)
		{
			uint64_t a = (uint64_t)sample->triangles[i][k], b = (uint64_t)sample->triangles[i][(k + 1) % 3];
			CHECK(a >= (uint64_t)piece->firstVertex && a < (uint64_t)(piece->firstVertex + piece->vertexCount));
			uint64_t one = (a * 0x9e3779b97f4a7c15u) ^ (b * 0xc2b2ae3d27d4eb4fu),
					 other = (b * 0x9e3779b97f4a7c15u) ^ (a * 0xc2b2ae3d27d4eb4fu);
			forward += one * one * one;
			back += other * other * other;
		}
	}
	CHECK(forward == back);
}

static void checkSample(const brSample* sample)
{
	double volume = 0.0, largest = INFINITY;
	double* touching = calloc((size_t)sample->pieceCount, sizeof(double));
	for (int32_t i = 0; i < sample->contactCount; ++i)
	{
		const brBond* contact = &sample->contacts[i];
		CHECK(contact->pieces[0] >= 0 && contact->pieces[0] < contact->pieces[1] &&
			  contact->pieces[1] < sample->pieceCount);
		CHECK(contact->area > 0.0 && fabs(brDLength(contact->normal) - 1.0) < 1e-9);
		touching[contact->pieces[0]] += contact->area;
		touching[contact->pieces[1]] += contact->area;
	}
	for (int32_t i = 0; i < sample->pieceCount; ++i)
	{
		const brSamplePiece* piece = &sample->pieces[i];
		checkClosed(sample, piece);
		CHECK(piece->volume > 0.0 && piece->volume <= largest);
		largest = piece->volume;
		volume += piece->volume;
		// Every fracture face lies on a contact, wherever the other side broke again.
		CHECK_MESSAGE(fabs(touching[i] - piece->fractureArea) <= 1e-6 * sample->fractureArea,
					  "%s by %s, piece %d: contacts %g, fracture faces %g", sample->objectName, sample->method, (int)i,
					  touching[i], piece->fractureArea);
	}
	CHECK_NEAR(volume / sample->volume, 1.0, 1e-9);
	free(touching);
}

BR_TEST(dataset_samples_of_each_method_add_up)
{
	static const char text[] =
		"samples: 100\nseed: 5\npoints: 64\n"
		"objects: [{model: bowl, resolution: 24}, {model: brick, size: [0.1, 0.3]}]\n"
		"methods: [{method: shatter, pattern: [uniform, clustered, radial, impact], pieces: [3, 20]},\n"
		"          {method: crack, tets: 1500}, {method: drop, height: [2, 4], play: 0.2},\n"
		"          {method: shoot, play: 0.2}]\n";
	brRecipe* recipe = readRecipe(text);
	int32_t seen[4] = {0}, rounds = brTest_Rounds(test, 12);
	rounds = rounds < 8 ? 8 : rounds;
	for (int32_t i = 0; i < rounds; ++i)
	{
		brSample* sample = BR_MADE(brSample, brRecipe_MakeSample, recipe, NULL, i);
		static const char* const names[] = {"shatter", "crack", "drop", "shoot"};
		for (int32_t k = 0; k < 4; ++k)
		{
			seen[k] += strcmp(names[k], sample->method) == 0;
		}
		checkSample(sample);
		brSampleFiles* files = BR_MADE(brSampleFiles, brSample_MakeFiles, sample, NULL, i % 2 == 1);
		CHECK(files->count >= 5 && strchr(files->row, '\n') == NULL && files->row[strlen(files->row) - 1] == '}');
		brDestroySampleFiles(files);
		brDestroySample(sample);
	}
	CHECK(seen[0] > 0 && seen[1] > 0 && seen[2] > 0 && seen[3] > 0);
	brDestroyRecipe(recipe);
}

// Worlds have no bodies for crumbs, which would leave holes in the sample: the first blow stands, with its crumbs.
BR_TEST(dataset_crumbs_of_a_play_are_pieces)
{
	brRecipe* recipe = readRecipe("samples: 60\nseed: 29\npoints: 0\nattempts: 1\n"
								  "objects: [{model: plate, resolution: 24}]\nmaterials: [glass]\n"
								  "methods: [{method: shoot, pieces: 40, play: 0.1, speed: [40, 60]}]\n");
	static const int32_t crumbly[] = {16, 20, 40};
	for (size_t i = 0; i < sizeof(crumbly) / sizeof(crumbly[0]); ++i)
	{
		brSample* sample = BR_MADE(brSample, brRecipe_MakeSample, recipe, NULL, crumbly[i]);
		CHECK_EQUAL(sample->attempts, 1);
		checkSample(sample);
		brDestroySample(sample);
	}
	brDestroyRecipe(recipe);
}

// The contacts that are found from triangles are the bonds that the cutter knows.
BR_TEST(dataset_contacts_are_the_bonds_of_the_shatter)
{
	brRecipe* recipe = readRecipe("samples: 9\nobjects: [vase]\nmethods: [{method: shatter, pieces: 25}]\n");
	brSample* sample = BR_MADE(brSample, brRecipe_MakeSample, recipe, NULL, 3);
	CHECK(sample->pieceCount >= 25 && sample->contactCount >= sample->pieceCount - 1);
	double sum = 0.0;
	for (int32_t i = 0; i < sample->pieceCount; ++i)
	{
		sum += sample->pieces[i].fractureArea;
	}
	CHECK_NEAR(sample->fractureArea, 0.5 * sum, 1e-12 * sum);
	brDestroySample(sample);
	brDestroyRecipe(recipe);
}

// A fin without thickness has both its sides on the same corners. The side that has no twin, since what it faces is cut
// finer, must not take the twin of the other.
BR_TEST(dataset_contacts_of_a_fin_are_on_their_sides)
{
	const brDVec3 a = {0, 0, 0}, b = {1, 0, 0}, c = {0, 1, 0}, d = {0.5, 0.5, 0};
	brDVec3 vertices[10] = {a, b, c, a, b, c, a, b, c, d};
	int32_t triangles[5][3] = {{0, 1, 2}, {3, 4, 5}, {3, 5, 4}, {6, 9, 7}, {6, 8, 9}};
	uint8_t isFracture[5] = {1, 1, 1, 1, 1};
	brSamplePiece pieces[3] = {{.vertexCount = 3, .triangleCount = 1},
							   {.firstVertex = 3, .vertexCount = 3, .firstTriangle = 1, .triangleCount = 2},
							   {.firstVertex = 6, .vertexCount = 4, .firstTriangle = 3, .triangleCount = 2}};
	brSample sample = {.size = 1.0,
					   .pieceCount = 3,
					   .vertexCount = 10,
					   .triangleCount = 5,
					   .pieces = pieces,
					   .vertices = vertices,
					   .triangles = triangles,
					   .isFracture = isFracture,
					   .allocator = brContext_Allocator(NULL)};
	brReport report = {0};
	CHECK_RESULT(brSample_FindContacts(&sample, &report), &report);
	CHECK_EQUAL(sample.contactCount, 2);
	for (int32_t i = 0; i < 2; ++i)
	{
		CHECK(sample.contacts[i].pieces[0] == i && sample.contacts[i].pieces[1] == i + 1);
		CHECK_NEAR(sample.contacts[i].area, 0.5, 1e-15);
		CHECK_NEAR(sample.contacts[i].normal.z, 1.0, 1e-15);
	}
	BR_FREE(&sample.allocator, sample.contacts, sample.contactCount);
}

// A sheet thinner than what counts as touching, or without thickness, lies between two others, and no triangle has a
// twin: the outer two do not touch, and nothing touches with more than its area.
BR_TEST(dataset_contacts_through_a_sheet_are_none)
{
	for (int32_t round = 0; round < 2; ++round)
	{
		double z = round == 0 ? 4e-8 : 0.0;
		brDVec3 vertices[16];
		for (int32_t i = 0; i < 16; ++i) // squares at the heights 0, 0, z, z
		{
			vertices[i] = brMakeDVec3(i % 4 == 1 || i % 4 == 2, i % 4 >= 2, i / 4 >= 2 ? z : 0.0);
		}
		// Below: up, diagonal 0-2. The sheet: down, diagonal 1-3, and up, diagonal 0-2. Above: down, diagonal 1-3.
		int32_t triangles[8][3] = {{0, 1, 2},  {0, 2, 3},   {4, 7, 5},    {5, 7, 6},
								   {8, 9, 10}, {8, 10, 11}, {12, 15, 13}, {13, 15, 14}};
		int32_t order[8][3]; // above, below, and the sheet last, as pieces are ordered by volume
		memcpy(order[0], triangles[6], sizeof(order[0]) * 2);
		memcpy(order[2], triangles[0], sizeof(order[0]) * 2);
		memcpy(order[4], triangles[2], sizeof(order[0]) * 4);
		uint8_t isFracture[8] = {1, 1, 1, 1, 1, 1, 1, 1};
		brSamplePiece pieces[3] = {
			{.triangleCount = 2}, {.firstTriangle = 2, .triangleCount = 2}, {.firstTriangle = 4, .triangleCount = 4}};
		brSample sample = {.size = 1.0,
						   .pieceCount = 3,
						   .vertexCount = 16,
						   .triangleCount = 8,
						   .pieces = pieces,
						   .vertices = vertices,
						   .triangles = order,
						   .isFracture = isFracture,
						   .allocator = brContext_Allocator(NULL)};
		brReport report = {0};
		CHECK_RESULT(brSample_FindContacts(&sample, &report), &report);
		CHECK_EQUAL(sample.contactCount, 2);
		for (int32_t i = 0; i < 2; ++i)
		{
			CHECK(sample.contacts[i].pieces[0] == i && sample.contacts[i].pieces[1] == 2);
			CHECK_NEAR(sample.contacts[i].area, 1.0, 1e-12);
		}
		BR_FREE(&sample.allocator, sample.contacts, sample.contactCount);
	}
}

static brResult readOnce(const brContext* context, void* user)
{
	brRecipe* recipe = NULL;
	brReport report = {0};
	brSample* sample = NULL;
	brSampleFiles* files = NULL;
	brResult result = brReadRecipe(context, user, strlen(user), NULL, &recipe, &report);
	result = result < 0 ? result : brRecipe_MakeSample(recipe, context, 0, &sample, &report);
	result = result < 0 ? result : brSample_MakeFiles(sample, context, false, &files, &report);
	brDestroySampleFiles(files);
	brDestroySample(sample);
	brDestroyRecipe(recipe);
	return result;
}

BR_TEST(dataset_every_allocation_may_fail)
{
	static char text[] = "samples: 2\npoints: 8\nobjects: [{model: box}]\nmethods: [{method: shatter, pieces: 3}]\n";
	CHECK(brTest_WalkSpareAllocations(readOnce, text) > 50); // sites need no order, which is for speed
}

// The program

static int runProgram(const char* arguments, char* outError, size_t bytes)
{
	char line[4096];
	snprintf(line, sizeof(line), "%s dataset %s >/dev/null 2>%s </dev/null", brTest_Program(), arguments,
			 brTest_ScratchPath("dataset_stderr"));
	int status = system(line);
	CHECK_MESSAGE(WIFEXITED(status), "brittle dataset %s ended by a signal", arguments);
	FILE* file = fopen(brTest_ScratchPath("dataset_stderr"), "rb");
	CHECK(file != NULL);
	outError[fread(outError, 1, bytes - 1, file)] = 0;
	fclose(file);
	return WEXITSTATUS(status);
}

static void writeText(const char* path, const char* text)
{
	FILE* file = fopen(path, "wb");
	CHECK(file != NULL && fputs(text, file) >= 0 && fclose(file) == 0);
}

static bool isSameFolder(const char* a, const char* b)
{
	char line[2048];
	snprintf(line, sizeof(line), "diff -r %s %s >/dev/null", a, b);
	return system(line) == 0;
}

static const char s_recipe[] =
	"samples: 14\nshard_size: 4\npoints: 16\nseed: 3\n"
	"objects: [{model: box}, {model: bowl, resolution: 16}]\n"
	"methods: [{method: shatter, weight: 4, pieces: [2, 9]}, {method: drop, play: 0.1, height: 3}]\n";

BR_TEST(dataset_is_the_same_for_any_workers_parts_and_kills)
{
	char recipe[512], one[512], two[512], line[2048], said[4096];
	snprintf(recipe, sizeof(recipe), "%s", brTest_ScratchPath("recipe.yaml"));
	snprintf(one, sizeof(one), "%s", brTest_ScratchPath("dataset_one"));
	snprintf(two, sizeof(two), "%s", brTest_ScratchPath("dataset_two"));
	writeText(recipe, s_recipe);
	snprintf(line, sizeof(line), "%s -o %s --workers 1", recipe, one);
	CHECK_MESSAGE(runProgram(line, said, sizeof(said)) == 0, "%s", said);

	// Killed again and again at random moments; each time --resume goes on.
	brRandom random = brTest_Random(test);
	for (int32_t i = 0; i < brTest_Rounds(test, 6); ++i)
	{
		pid_t child = fork();
		if (child == 0)
		{
			if (freopen("/dev/null", "w", stderr) != NULL)
			{
				execl(brTest_Program(), "brittle", "dataset", recipe, "-o", two, "--workers", "2", "--resume",
					  (char*)NULL);
			}
			_exit(127);
		}
		usleep(2000 + brRandom_Below(&random, 60000));
		kill(child, SIGKILL);
		waitpid(child, NULL, 0);
	}
	snprintf(line, sizeof(line), "%s -o %s --workers 3 --resume", recipe, two);
	CHECK_MESSAGE(runProgram(line, said, sizeof(said)) == 0, "%s", said);
	CHECK(isSameFolder(one, two));

	// Parts by number, in any order; the last one writes the manifest.
	snprintf(two, sizeof(two), "%s", brTest_ScratchPath("dataset_parts"));
	for (int32_t part = 3; part >= 1; --part)
	{
		snprintf(line, sizeof(line), "%s -o %s --part %d/3", recipe, two, (int)part);
		CHECK_MESSAGE(runProgram(line, said, sizeof(said)) == 0, "%s", said);
	}
	CHECK(isSameFolder(one, two));
}

// A disk that is full, as far as one file goes: a sentence, and nothing that was done is lost.
BR_TEST(dataset_goes_on_after_a_full_disk)
{
	char recipe[512], one[512], two[512], line[4096], said[4096];
	snprintf(recipe, sizeof(recipe), "%s", brTest_ScratchPath("full.yaml"));
	snprintf(one, sizeof(one), "%s", brTest_ScratchPath("dataset_room"));
	snprintf(two, sizeof(two), "%s", brTest_ScratchPath("dataset_full"));
	writeText(
		recipe,
		"samples: 4\nshard_size: 4\npoints: 64\nobjects: [{model: box}]\nmethods: [{method: shatter, pieces: 5}]\n");
	snprintf(line, sizeof(line), "%s -o %s", recipe, one);
	CHECK_MESSAGE(runProgram(line, said, sizeof(said)) == 0, "%s", said);
	snprintf(line, sizeof(line), "trap '' XFSZ; ulimit -f 90; exec %s dataset %s -o %s 2>%s", brTest_Program(), recipe,
			 two,
			 brTest_ScratchPath("full_stderr")); // in blocks of 512 or 1024 bytes: a sample fits, a shard does not
	int status = system(line);
	CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 1);
	FILE* file = fopen(brTest_ScratchPath("full_stderr"), "rb");
	CHECK(file != NULL);
	said[fread(said, 1, sizeof(said) - 1, file)] = 0;
	fclose(file);
	CHECK_MESSAGE(strstr(said, "shard-000000.tar cannot be written") != NULL, "%s", said);
	snprintf(line, sizeof(line), "%s -o %s --resume", recipe, two);
	CHECK_MESSAGE(runProgram(line, said, sizeof(said)) == 0, "%s", said);
	CHECK(isSameFolder(one, two));
}

BR_TEST(dataset_program_refuses_what_would_lose_something)
{
	char recipe[512], folder[512], line[2048], said[4096], path[1024];
	snprintf(recipe, sizeof(recipe), "%s", brTest_ScratchPath("small.yaml"));
	snprintf(folder, sizeof(folder), "%s", brTest_ScratchPath("dataset_refused"));
	writeText(recipe, "samples: 2\npoints: 4\nobjects: [{model: box}]\nmethods: [{method: shatter, pieces: 3}]\n");
	snprintf(line, sizeof(line), "%s -o %s", recipe, folder);
	CHECK(mkdir(folder, 0777) == 0);
	snprintf(path, sizeof(path), "%s/mine.txt", folder);
	writeText(path, "mine");
	CHECK_EQUAL(runProgram(line, said, sizeof(said)), 1);
	CHECK_MESSAGE(strstr(said, "is not empty and no data set") != NULL, "%s", said);
	CHECK(access(path, F_OK) == 0 && remove(path) == 0);

	CHECK_MESSAGE(runProgram(line, said, sizeof(said)) == 0, "%s", said);
	CHECK_EQUAL(runProgram(line, said, sizeof(said)), 1);
	CHECK_MESSAGE(strstr(said, "--resume goes on with it") != NULL, "%s", said);
	writeText(recipe, "samples: 3\npoints: 4\nobjects: [{model: box}]\nmethods: [{method: shatter, pieces: 3}]\n");
	snprintf(line, sizeof(line), "%s -o %s --resume", recipe, folder);
	CHECK_EQUAL(runProgram(line, said, sizeof(said)), 1);
	CHECK_MESSAGE(strstr(said, "another recipe") != NULL, "%s", said);

	char empty[512];
	snprintf(empty, sizeof(empty), "%s", brTest_ScratchPath("dataset_no_meshes"));
	CHECK(mkdir(empty, 0777) == 0);
	snprintf(path, sizeof(path), "samples: 3\nobjects: [{folder: %s}]\nmethods: [shatter]\n", strrchr(empty, '/') + 1);
	writeText(recipe, path);
	snprintf(line, sizeof(line), "%s -o %s_3", recipe, folder);
	CHECK_EQUAL(runProgram(line, said, sizeof(said)), 1);
	CHECK_MESSAGE(strstr(said, "small.yaml:2:") != NULL && strstr(said, "holds no mesh file") != NULL, "%s", said);
	snprintf(path, sizeof(path), "%s_3", folder);
	CHECK(access(path, F_OK) != 0);
}

// A solid with faces that are not flat: what the pieces weigh is what the whole weighs.
BR_TEST(dataset_of_a_bent_solid_adds_up)
{
	char recipe[512], path[1024];
	snprintf(recipe, sizeof(recipe), "%s", brTest_ScratchPath("bent.yaml"));
	snprintf(path, sizeof(path), "%s", brTest_ScratchPath("bent.obj"));
	writeText(path, "v 0 0 0\nv 1 0 0\nv 1 1 0.3\nv 0 1 0\nv 0 0 1\nv 1 0.1 1\nv 1 1 1.2\nv 0 1 0.8\n"
					"f 4 3 2 1\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n");
	char text[2048];
	snprintf(text, sizeof(text),
			 "samples: 4\npoints: 4\nobjects: [{file: %s, size: 0.2, up: z}]\n"
			 "methods: [{method: shatter, pieces: 9, pattern: [uniform, impact]}]\n",
			 strrchr(path, '/') + 1);
	writeText(recipe, text);
	brRecipe* loaded = BR_MADE(brRecipe, brLoadRecipe, NULL, recipe);
	for (int32_t i = 0; i < 4; ++i)
	{
		brSample* sample = BR_MADE(brSample, brRecipe_MakeSample, loaded, NULL, i);
		checkSample(sample);
		brDestroySample(sample);
	}
	brDestroyRecipe(loaded);
}

// Files beside the recipe, one of them no mesh at all: that sample has a row which says so, the others are made.
BR_TEST(dataset_of_a_folder_goes_on_after_a_bad_file)
{
	char recipe[512], folder[512], line[2048], said[4096], path[1024], rows[8192];
	snprintf(recipe, sizeof(recipe), "%s", brTest_ScratchPath("folder.yaml"));
	snprintf(folder, sizeof(folder), "%s", brTest_ScratchPath("dataset_meshes"));
	CHECK(mkdir(folder, 0777) == 0);
	snprintf(line, sizeof(line),
			 "%s make box -o %s/a.obj >/dev/null 2>&1 && %s make plate --res 16 -o %s/c.ply >/dev/null 2>&1",
			 brTest_Program(), folder, brTest_Program(), folder);
	CHECK(system(line) == 0);
	snprintf(path, sizeof(path), "%s/b.obj", folder);
	writeText(path, "f 1 2 3\n");
	snprintf(rows, sizeof(rows),
			 "samples: 6\nlayout: folders\npoints: 4\nobjects: [{folder: %s, size: [0.1, 0.2]}]\n"
			 "methods: [{method: shatter, pieces: 4}]\n",
			 strrchr(folder, '/') + 1);
	writeText(recipe, rows);
	snprintf(path, sizeof(path), "%s", brTest_ScratchPath("dataset_of_files"));
	snprintf(line, sizeof(line), "%s -o %s", recipe, path);
	CHECK_MESSAGE(runProgram(line, said, sizeof(said)) == 0, "%s", said);
	snprintf(line, sizeof(line), "%s/a/fractured_1/piece_0.obj", path);
	CHECK(access(line, F_OK) == 0);
	snprintf(line, sizeof(line), "%s/c/fractured_0/sample.json", path);
	CHECK(access(line, F_OK) == 0);
	snprintf(line, sizeof(line), "%s/manifest.jsonl", path);
	FILE* file = fopen(line, "rb");
	CHECK(file != NULL);
	rows[fread(rows, 1, sizeof(rows) - 1, file)] = 0;
	fclose(file);
	CHECK_MESSAGE(strstr(rows, "\"index\":1,\"object\":\"b\",\"pieces\":0,\"error\":\"") != NULL, "%s", rows);
}

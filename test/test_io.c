// SPDX-License-Identifier: MIT

// What holds for all formats: the public collection loads with the counts it should have, the corpus loads or fails
// soundly, and writing leaves the old file alone until the new one is complete.

#include "io_help.h"

#include "base/os.h"
#include "fuzz/invariants.h"
#include "io/file.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifndef _WIN32
#include <signal.h>
#include <sys/resource.h>
#endif

static int32_t largestFace(const brMesh* mesh)
{
	int32_t largest = 0;
	for (int32_t f = 0; f < mesh->faceCount; ++f)
	{
		largest = brMesh_GetFaceSize(mesh, f) > largest ? brMesh_GetFaceSize(mesh, f) : largest;
	}
	return largest;
}

BR_TEST(io_collection_has_the_counts_of_its_table)
{
	const char* table = brTest_DataPath("MESHES.csv");
	if (table == NULL)
	{
		brTest_Skip("the mesh collection is not there");
	}
	FILE* file = fopen(table, "r");
	CHECK(file != NULL);
	char line[1024];
	int32_t loaded = 0;
	CHECK(fgets(line, sizeof(line), file) != NULL);
	while (fgets(line, sizeof(line), file) != NULL)
	{
		char* comma = strchr(line, ',');
		CHECK(comma != NULL);
		*comma = 0;
		brFileFormat format = brFileFormat_FromPath(line);
		bool isOurs =
			format == br_formatObj || format == br_formatPly || format == br_formatStl || format == br_formatOff;
		if (!isOurs)
		{
			continue;
		}
		int32_t vertices, faces, largest;
		bool isReadable = sscanf(comma + 1, "%d,%d,%d", &vertices, &faces, &largest) == 3;
		brReport report = {0};
		brMesh* mesh = NULL;
		brResult result = brLoadMesh(NULL, brTest_DataPath(line), &mesh, &report);
		if (!isReadable)
		{
			CHECK_MESSAGE(result < 0 && report.text[0] != 0 && mesh == NULL, "%s should be refused", line);
			continue;
		}
		CHECK_MESSAGE(result >= 0, "%s: %s", line, report.text);
		const char* broken = brMeshInvariant(mesh);
		CHECK_MESSAGE(broken == NULL, "%s: %s", line, broken);
		CHECK_MESSAGE(mesh->vertexCount == vertices && mesh->faceCount == faces && largestFace(mesh) == largest,
					  "%s: %d vertices, %d faces, %d corners at most; expected %d, %d, %d", line, mesh->vertexCount,
					  mesh->faceCount, largestFace(mesh), vertices, faces, largest);
		brDestroyMesh(mesh);
		loaded += 1;
	}
	fclose(file);
	CHECK(loaded >= 100);
}

BR_TEST(io_corpus_loads_or_fails_with_a_sentence)
{
	static const struct
	{
		const char* folder;
		brFileFormat format;
	} folders[] = {{"obj", br_formatObj}, {"ply", br_formatPly}, {"stl", br_formatStl}, {"off", br_formatOff}};
	for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); ++i)
	{
		ioReadCorpus(folders[i].folder, folders[i].format, false, 4);
	}
}

static const char* const savedEndings[] = {"obj", "ply", "stl", "off"};

#ifndef _WIN32
BR_TEST(io_full_disk_leaves_the_old_file)
{
	brRandom random = brTest_Random(test);
	IoSampleDef def = {.size = 40, .parts = ioAll, .polygons = true, .doubles = true};
	brMesh* mesh = ioMakeSample(&random, &def);
	signal(SIGXFSZ, SIG_IGN);
	for (size_t i = 0; i < sizeof(savedEndings) / sizeof(savedEndings[0]); ++i)
	{
		char name[32];
		snprintf(name, sizeof(name), "full.%s", savedEndings[i]);
		const char* path = brTest_ScratchPath(name);
		ioSaveBytes(path, "old", 3);

		// No file of this process may grow beyond 10 kB for a while, as on a disk with no room.
		struct rlimit limit;
		CHECK(getrlimit(RLIMIT_FSIZE, &limit) == 0);
		struct rlimit small = {10000, limit.rlim_max};
		CHECK(setrlimit(RLIMIT_FSIZE, &small) == 0);
		brReport report = {0};
		brResult result = brSaveMesh(NULL, mesh, path, NULL, &report);
		CHECK(setrlimit(RLIMIT_FSIZE, &limit) == 0);
		CHECK_EQUAL(result, br_errorFile);
		CHECK_MESSAGE(strstr(report.text, path) != NULL && strstr(report.text, strerror(EFBIG)) != NULL, "%s",
					  report.text);

		size_t byteCount;
		char* bytes = ioLoadBytes(path, &byteCount);
		CHECK(byteCount == 3 && memcmp(bytes, "old", 3) == 0);
		free(bytes);

		// Nothing else is left beside it.
		char folderName[1024];
		snprintf(folderName, sizeof(folderName), "%s", path);
		char* base = strrchr(folderName, '/');
		*base++ = 0;
		DIR* folder = opendir(folderName);
		for (struct dirent* entry = readdir(folder); entry != NULL; entry = readdir(folder))
		{
			bool isOther = strncmp(entry->d_name, base, strlen(base) - 3) == 0 && strcmp(entry->d_name, base) != 0;
			CHECK_MESSAGE(!isOther, "%s was left behind", entry->d_name);
		}
		closedir(folder);
		unlink(path);
	}
	brDestroyMesh(mesh);
}
#endif

BR_TEST(io_two_files_appear_together_or_not)
{
	// The .mtl cannot be written because a folder has its name: then there must be no .obj either.
	brRandom random = brTest_Random(test);
	IoSampleDef def = {.size = 2, .parts = ioAll};
	brMesh* mesh = ioMakeSample(&random, &def);
	char folder[300];
	snprintf(folder, sizeof(folder), "%s", brTest_ScratchPath("both.mtl"));
	const char* path = brTest_ScratchPath("both.obj");
	CHECK(brOs_MakeFolder(folder) == 0);
	brReport report = {0};
	CHECK_EQUAL(brSaveMesh(NULL, mesh, path, NULL, &report), br_errorFile);
	CHECK_MESSAGE(strstr(report.text, "both.mtl") != NULL, "%s", report.text);
	CHECK(access(path, F_OK) != 0);
	CHECK(rmdir(folder) == 0);
	CHECK_RESULT(brSaveMesh(NULL, mesh, path, NULL, &report), &report);
	CHECK(access(path, F_OK) == 0 && access(folder, F_OK) == 0);
	brDestroyMesh(mesh);
}

BR_TEST(io_missing_folders_and_files_get_a_sentence)
{
	brRandom random = brTest_Random(test);
	IoSampleDef def = {.size = 2};
	brMesh* mesh = ioMakeSample(&random, &def);
	for (size_t i = 0; i < sizeof(savedEndings) / sizeof(savedEndings[0]); ++i)
	{
		char path[400];
		snprintf(path, sizeof(path), "%s/none.%s", brTest_ScratchPath("no_folder"), savedEndings[i]);
		brReport report = {0};
		CHECK_EQUAL(brSaveMesh(NULL, mesh, path, NULL, &report), br_errorFile);
		CHECK_MESSAGE(strstr(report.text, strerror(ENOENT)) != NULL, "%s", report.text);
		brMesh* none = NULL;
		CHECK_EQUAL(brLoadMesh(NULL, path, &none, &report), br_errorFile);
		CHECK(none == NULL && strstr(report.text, strerror(ENOENT)) != NULL);
	}
	brReport report = {0};
	brMesh* none = NULL;
	CHECK_EQUAL(brLoadMesh(NULL, "shape.xyz", &none, &report), br_errorUnsupported);
	CHECK_EQUAL(brSaveMesh(NULL, mesh, "shape.xyz", NULL, &report), br_errorUnsupported);
	CHECK_EQUAL(brSaveMesh(NULL, mesh, "shape.vtu", NULL, &report), br_errorUnsupported);
	CHECK_EQUAL(brSaveMesh(NULL, NULL, "shape.obj", NULL, &report), br_errorMisuse);
	brSaveDef blank = {0};
	CHECK_EQUAL(brSaveMesh(NULL, mesh, "shape.obj", &blank, &report), br_errorMisuse);
	brDestroyMesh(mesh);
}

static bool stopAtOnce(double progress, void* user)
{
	*(int*)user += 1;
	CHECK(progress >= 0.0 && progress <= 1.0);
	return true;
}

BR_TEST(io_reading_can_be_canceled)
{
	brRandom random = brTest_Random(test);
	IoSampleDef def = {.size = 260};
	brMesh* mesh = ioMakeSample(&random, &def);
	for (size_t i = 0; i < sizeof(savedEndings) / sizeof(savedEndings[0]); ++i)
	{
		char name[32];
		snprintf(name, sizeof(name), "long.%s", savedEndings[i]);
		const char* path = brTest_ScratchPath(name);
		brSaveDef save = brDefaultSaveDef();
		save.ascii = savedEndings[i][0] == 'p';
		CHECK_RESULT(brSaveMesh(NULL, mesh, path, &save, NULL), NULL);
		int asked = 0;
		brContext context = {.cancel = stopAtOnce, .cancelUser = &asked};
		brMesh* none = NULL;
		brReport report = {0};
		CHECK_EQUAL(brLoadMesh(&context, path, &none, &report), br_errorCanceled);
		CHECK(asked == 1 && none == NULL && strstr(report.text, "canceled") != NULL);
		unlink(path);
	}
	brDestroyMesh(mesh);
}

BR_TEST(io_format_names_and_endings)
{
	CHECK_EQUAL(brFileFormat_FromPath("a.b/shape.OBJ"), br_formatObj);
	CHECK_EQUAL(brFileFormat_FromPath("shape.Ply"), br_formatPly);
	CHECK_EQUAL(brFileFormat_FromPath("shape"), br_formatUnknown);
	CHECK_EQUAL(brFileFormat_FromPath("obj"), br_formatUnknown);
	for (int format = br_formatObj; format < br_formatCount; ++format)
	{
		char path[64];
		snprintf(path, sizeof(path), "x.%s", brFileFormat_GetName((brFileFormat)format));
		CHECK_EQUAL(brFileFormat_FromPath(path), format);
		CHECK(brFileFormat_CanRead((brFileFormat)format) || brFileFormat_CanWrite((brFileFormat)format));
	}
	CHECK(strcmp(brFileFormat_GetName(br_formatUnknown), "unknown") == 0);
	CHECK(!brFileFormat_CanRead(br_formatUnknown) && !brFileFormat_CanWrite(br_formatCount));
}

// SPDX-License-Identifier: MIT
#include "brittle/io.h"
#include "harness.h"

#include "base/os.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// A tetrahedron of edges 1 along the axes, twice as large by its node, in COLLADA.
static const char s_collada[] =
	"<?xml version=\"1.0\"?><COLLADA xmlns=\"http://www.collada.org/2005/11/COLLADASchema\" version=\"1.4.1\">"
	"<asset><unit meter=\"1\"/><up_axis>Y_UP</up_axis></asset><library_geometries><geometry id=\"g\"><mesh>"
	"<source id=\"p\"><float_array id=\"pa\" count=\"12\">0 0 0 1 0 0 0 1 0 0 0 1</float_array><technique_common>"
	"<accessor source=\"#pa\" count=\"4\" stride=\"3\"><param name=\"X\" type=\"float\"/><param name=\"Y\" "
	"type=\"float\"/>"
	"<param name=\"Z\" type=\"float\"/></accessor></technique_common></source><vertices id=\"v\"><input "
	"semantic=\"POSITION\" source=\"#p\"/></vertices><triangles count=\"4\"><input semantic=\"VERTEX\" source=\"#v\" "
	"offset=\"0\"/><p>0 2 1 0 1 3 1 2 3 2 0 3</p></triangles></mesh></geometry></library_geometries>"
	"<library_visual_scenes><visual_scene id=\"s\"><node id=\"n\" name=\"tetra\"><scale>2 2 2</scale>"
	"<instance_geometry url=\"#g\"/></node></visual_scene></library_visual_scenes><scene><instance_visual_scene "
	"url=\"#s\"/></scene></COLLADA>";

static brResult readForeign(const char* text, size_t length, const char* name, brAssembly** outAssembly,
							brReport* report)
{
	brResult result = brReadAssembly(NULL, text, length, br_formatForeign, name, outAssembly, report);
	if (result == br_errorUnavailable)
	{
		CHECK_MESSAGE(strstr(report->text, "assimp") != NULL, "%s", report->text);
		brTest_Skip("assimp is not here");
	}
	return result;
}

BR_TEST(foreign_collada_through_assimp)
{
	brAssembly* assembly = NULL;
	brReport report = {0};
	CHECK_RESULT(readForeign(s_collada, strlen(s_collada), "tetra.dae", &assembly, &report), &report);
	CHECK(assembly->partCount == 1 && assembly->meshCount == 1);
	brMesh* mesh = BR_MADE(brMesh, brAssembly_Flatten, assembly, NULL);
	CHECK(mesh->faceCount == 4 && mesh->vertexCount == 4); // though assimp gives one to each corner
	CHECK_NEAR(brMesh_ComputeMass(mesh, 1.0).volume, 8.0 / 6.0, 1e-6);
	brDestroyMesh(mesh);
	brDestroyAssembly(assembly);
}

BR_TEST(foreign_garbage_is_refused)
{
	for (size_t length = 0; length < sizeof(s_collada) - 1; length += 97)
	{
		brAssembly* assembly = NULL;
		brReport report = {0};
		brResult result = readForeign(s_collada, length, "cut.dae", &assembly, &report);
		CHECK(result < 0 ? assembly == NULL && report.text[0] != 0 : assembly != NULL);
		brDestroyAssembly(assembly);
	}
}

// Assimp 5.2 aborts on this package. Then it does so in a copy of the process, and the library has a sentence.
BR_TEST(foreign_file_that_assimp_aborts_on_is_refused)
{
	brMesh* mesh = NULL;
	brReport report = {0};
	brResult result = brLoadMesh(NULL, BR_SOURCE_DIR "/test/corpus/foreign/cut_short.3mf", &mesh, &report);
	CHECK_MESSAGE(result < 0 && mesh == NULL && strstr(report.text, "cut_short.3mf: ") != NULL, "%s", report.text);
}

#ifndef _WIN32
static void surviveWork(void* number)
{
	switch (*(int*)number)
	{
		case 1:
			abort();
		case 2:
			pause();
			break;
		case 3:
			exit(0); // not its end
		default:
			break;
	}
}

// A host that ignores the ends of its children learns as much.
BR_TEST(foreign_work_that_ends_its_process_is_told)
{
	int numbers[4] = {0, 1, 2, 3};
	for (int32_t round = 0; round < 2; ++round)
	{
		for (int32_t i = 0; i < 4; ++i)
		{
			CHECK_EQUAL(brOs_Survives(surviveWork, &numbers[i], i == 2 ? 0.2 : 30.0), i == 0);
		}
		signal(SIGCHLD, SIG_IGN);
	}
}
#endif

// SPDX-License-Identifier: MIT

// Files that name other files: pipes, devices, folders, links and names that climb out are refused, and none makes a
// reader wait.

#include "base/os.h"
#include "brittle/io.h"
#include "brittle/scene.h"
#include "harness.h"
#include "io_help.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char s_folder[512];

// PATH of a name in a folder of this test.
static const char* hostilePath(const char* name)
{
	static char paths[4][1024];
	static int32_t next;
	if (s_folder[0] == 0)
	{
		snprintf(s_folder, sizeof(s_folder), "%s", brTest_ScratchPath("hostile"));
		CHECK(brOs_MakeFolder(s_folder) == 0);
	}
	char* path = paths[next++ % 4];
	snprintf(path, sizeof(paths[0]), "%s/%s", s_folder, name);
	return path;
}

static void hostileSave(const char* name, const char* text)
{
	ioSaveBytes(hostilePath(name), text, strlen(text));
}

// One triangle, its corners in another file.
static void hostileSaveGltf(const char* name, const char* buffer)
{
	char text[1024];
	snprintf(text, sizeof(text),
			 "{\"asset\":{\"version\":\"2.0\"},\"buffers\":[{\"uri\":\"%s\",\"byteLength\":36}],"
			 "\"bufferViews\":[{\"buffer\":0,\"byteLength\":36}],"
			 "\"accessors\":[{\"bufferView\":0,\"componentType\":5126,\"count\":3,\"type\":\"VEC3\"}],"
			 "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0}}]}],"
			 "\"nodes\":[{\"mesh\":0}],\"scenes\":[{\"nodes\":[0]}],\"scene\":0}",
			 buffer);
	hostileSave(name, text);
}

// Opening a pipe without a writer, or a device without an end, would hang: the alarm of the harness is minutes away.
#ifndef _WIN32
BR_TEST(hostile_pipes_and_devices_are_refused)
{
	alarm(20);
	CHECK(mkfifo(hostilePath("pipe.obj"), 0666) == 0 && mkfifo(hostilePath("pipe"), 0666) == 0);
	CHECK(symlink("/dev/zero", hostilePath("zero")) == 0);
	brReport report = {0};
	brMesh* mesh = NULL;
	CHECK(brLoadMesh(NULL, hostilePath("pipe.obj"), &mesh, &report) == br_errorFile);
	CHECK_MESSAGE(strstr(report.text, "not a regular file") != NULL, "%s", report.text);
	static const char* const names[] = {"pipe", "zero"};
	for (int32_t i = 0; i < 2; ++i)
	{
		char text[512];
		snprintf(text, sizeof(text), "mtllib %s\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", names[i]);
		hostileSave("pipe_library.obj", text);
		CHECK_RESULT(brLoadMesh(NULL, hostilePath("pipe_library.obj"), &mesh, &report), &report);
		brDestroyMesh(mesh);
		brScene* scene = NULL;
		snprintf(text, sizeof(text), "include: %s\nbodies: [{model: box}]\n", names[i]);
		hostileSave("pipe.yaml", text);
		CHECK(brLoadScene(NULL, hostilePath("pipe.yaml"), NULL, &scene, &report) < 0);
	}
}
#endif

BR_TEST(hostile_names_that_climb_out_are_refused)
{
	brReport report = {0};
	brMesh* mesh = NULL;
	hostileSave("above.mtl", "newmtl stolen\nKd 1 0 0\n");
	CHECK(brOs_MakeFolder(hostilePath("inner")) == 0);
	hostileSave("inner/climbs.obj", "mtllib ../above.mtl\nusemtl stolen\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
	CHECK_RESULT(brLoadMesh(NULL, hostilePath("inner/climbs.obj"), &mesh, &report), &report);
	for (int32_t i = 0; i < mesh->materialCount; ++i)
	{
		CHECK_MESSAGE(mesh->materials[i].baseColor.y != 0.0f, "a library above the folder was read");
	}
	brDestroyMesh(mesh);
	brScene* scene = NULL;
	hostileSave("above.yaml", "bodies: [{model: box}]\n");
	hostileSave("inner/climbs.yaml", "include: ../above.yaml\nbodies: [{model: box}]\n");
	CHECK(brLoadScene(NULL, hostilePath("inner/climbs.yaml"), NULL, &scene, &report) < 0);
	CHECK_MESSAGE(strstr(report.text, "names no file in the folder") != NULL, "%s", report.text);
}

// A glTF, as a mesh and as a scene, whose corners lie in `buffer`.
static void checkGltfBuffer(const char* buffer, bool isTaken)
{
	brReport report = {0};
	brMesh* mesh = NULL;
	hostileSaveGltf("inner/buffer.gltf", buffer);
	brResult result = brLoadMesh(NULL, hostilePath("inner/buffer.gltf"), &mesh, &report);
	CHECK_MESSAGE((result >= 0) == isTaken && (mesh != NULL) == isTaken, "%s: %s", buffer, report.text);
	CHECK_MESSAGE(isTaken || report.text[0] != 0, "%s is refused without a word", buffer);
	brDestroyMesh(mesh);
	brScene* scene = NULL;
	CHECK_MESSAGE(isTaken || brLoadScene(NULL, hostilePath("inner/buffer.gltf"), NULL, &scene, &report) < 0,
				  "%s is taken by a scene", buffer);
}

#ifndef _WIN32
BR_TEST(hostile_gltf_links_out_of_the_folder_are_refused)
{
	static const float corners[9] = {0.0f, 0.0f, 0.0f, 1.0f, 0.0f, 0.0f, 0.0f, 1.0f, 0.0f};
	ioSaveBytes(hostilePath("above.bin"), corners, sizeof(corners));
	CHECK(brOs_MakeFolder(hostilePath("inner")) == 0);
	CHECK(symlink("../above.bin", hostilePath("inner/link.bin")) == 0);
	ioSaveBytes(hostilePath("inner/there.bin"), corners, sizeof(corners));
	CHECK(symlink("there.bin", hostilePath("inner/near.bin")) == 0);
	checkGltfBuffer("there.bin", true);
	checkGltfBuffer("near.bin", true);
	checkGltfBuffer("link.bin", false);
	CHECK(symlink(s_folder, hostilePath("inner/folder")) == 0);
	checkGltfBuffer("folder/above.bin", false);
}
#endif

BR_TEST(hostile_gltf_buffers_are_files_of_the_folder)
{
	CHECK(brOs_MakeFolder(hostilePath("inner")) == 0);
	ioSaveBytes(hostilePath("above.bin"), "0123456789abcdef0123456789abcdef0123", 36);
	static const char* const climbing[] = {"../above.bin",      "..%2fabove.bin", "%2e%2e/above.bin", "./../above.bin",
										   "..\\\\above.bin",   "file:above.bin", "/etc/passwd",      ".",
										   "http://a/above.bin"};
	for (size_t i = 0; i < sizeof(climbing) / sizeof(climbing[0]); ++i)
	{
		checkGltfBuffer(climbing[i], false);
	}
#ifndef _WIN32
	alarm(20); // seconds in which an open pipe must not hang
	CHECK(mkfifo(hostilePath("inner/pipe.bin"), 0666) == 0);
	CHECK(symlink("/dev/zero", hostilePath("inner/zero.bin")) == 0);
	checkGltfBuffer("zero.bin", false);
	checkGltfBuffer("pipe.bin", false);
#endif
}

BR_TEST(hostile_json_that_is_deep_is_called_so)
{
	enum
	{
		depth = 3000,
	};
	char* text = malloc(2 * depth + 16);
	CHECK(text != NULL);
	memcpy(text, "{\"a\":", 5);
	memset(text + 5, '[', depth);
	memset(text + 5 + depth, ']', depth);
	text[5 + 2 * depth] = '}';
	brReport report = {0};
	brAssembly* assembly = NULL;
	CHECK(brReadAssembly(NULL, text, 2 * depth + 6, br_formatGltf, NULL, &assembly, &report) < 0);
	CHECK_MESSAGE(strstr(report.text, "nested more than") != NULL, "%s", report.text);
	free(text);
}

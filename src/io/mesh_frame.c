// SPDX-License-Identifier: MIT

// In which axes and unit a mesh file was written. OBJ, STL, PLY and OFF do not say; the exporter's name in the header,
// the side on which the thing could stand, and the habit of each format do.

#include "brittle/io.h"

#include "base/os.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

// Faces this near to the lowest plane, as a share of the height, are the base.
#define FRAME_BASE_DEPTH 0.01
// A base is one if it has this share of all area, and twice that of the other axis.
#define FRAME_BASE_SHARE 0.01

// Things people break are between a few millimetres and a few metres long: a longer one is in a smaller unit. [m]
#define FRAME_LONGEST 10.0
#define FRAME_LONGEST_CM 50.0

typedef struct FrameExporter
{
	const char* word; // in the header, in lower case
	bool isYUp;
	double unit; // 0: it does not tell
} FrameExporter;

static const FrameExporter frameExporters[] = {
	{"solidworks", false, 1e-3}, {"openscad", false, 1e-3}, {"freecad", false, 1e-3}, {"autocad", false, 1e-3},
	{"fusion", false, 1e-3},     {"3dmax", true, 0.0},      {"3ds max", true, 0.0},   {"zbrush", true, 0.0},
	{"maya", true, 0.01},        {"blender", true, 1.0},
};

static const char* frameEnding(const char* path)
{
	const char* dot = strrchr(path, '.');
	return dot != NULL ? dot + 1 : "";
}

static bool frameEndsIn(const char* path, const char* ending)
{
	const char* own = frameEnding(path);
	for (; *own != 0 && *ending != 0 && tolower((unsigned char)*own) == *ending; ++own, ++ending)
	{
	}
	return *own == 0 && *ending == 0;
}

// The head of the file in lower case, zeros as blanks; empty if it cannot be read.
static void frameReadHead(const char* path, char* head, size_t capacity)
{
	FILE* file = brOs_OpenStream(path, "rb");
	size_t count = file != NULL ? fread(head, 1, capacity - 1, file) : 0;
	if (file != NULL)
	{
		fclose(file);
	}
	for (size_t i = 0; i < count; ++i)
	{
		head[i] = (char)(head[i] != 0 ? tolower((unsigned char)head[i]) : ' ');
	}
	head[count] = 0;
}

// The exporter that the head of the file names, or null.
static const FrameExporter* frameExporter(const char* path)
{
	char head[513];
	frameReadHead(path, head, sizeof(head));
	for (size_t i = 0; i < sizeof(frameExporters) / sizeof(frameExporters[0]); ++i)
	{
		if (strstr(head, frameExporters[i].word) != NULL)
		{
			return &frameExporters[i];
		}
	}
	return NULL;
}

// USD says both in the data of its layer, if its writer took the trouble. Its reader has applied the unit already.
static bool frameFromUsd(const char* path, brMeshFrame* frame)
{
	char head[4097];
	frameReadHead(path, head, sizeof(head));
	const char* axis = strstr(head, "upaxis");
	axis = axis != NULL ? strchr(axis, '"') : NULL;
	frame->isYUp = axis == NULL || axis[1] != 'z'; // y where nothing is said
	frame->isStated = axis != NULL && strstr(head, "metersperunit") != NULL;
	snprintf(frame->reason, sizeof(frame->reason), "as USD has it");
	return frame->isStated;
}

static double frameAxis(brDVec3 p, int32_t axis)
{
	return axis == 0 ? p.x : axis == 1 ? p.y : p.z;
}

// Share of the area that looks down along the axis from the lowest plane: where the thing could stand.
static double frameBase(const brMesh* mesh, brDBox3 box, int32_t axis)
{
	double low = frameAxis(box.lower, axis), height = frameAxis(box.upper, axis) - low, base = 0.0, all = 0.0;
	for (int32_t f = 0; f < mesh->faceCount; ++f)
	{
		brDVec3 origin = mesh->positions[mesh->corners[mesh->faceStarts[f]]], area = {0.0, 0.0, 0.0};
		bool isLow = frameAxis(origin, axis) <= low + FRAME_BASE_DEPTH * height;
		for (int32_t c = mesh->faceStarts[f] + 1; c + 1 < mesh->faceStarts[f + 1]; ++c)
		{
			brDVec3 a = mesh->positions[mesh->corners[c]], b = mesh->positions[mesh->corners[c + 1]];
			area = brDAdd(area, brDCross(brDSub(a, origin), brDSub(b, origin)));
			isLow = isLow && frameAxis(a, axis) <= low + FRAME_BASE_DEPTH * height &&
					frameAxis(b, axis) <= low + FRAME_BASE_DEPTH * height;
		}
		all += brDLength(area);
		base += isLow ? fmax(0.0, -frameAxis(area, axis)) : 0.0;
	}
	return all > 0.0 ? base / all : 0.0;
}

static const char* frameGuessUp(const char* path, const brMesh* mesh, brDBox3 box, brMeshFrame* frame)
{
	double y = frameBase(mesh, box, 1), z = frameBase(mesh, box, 2);
	if (y > FRAME_BASE_SHARE && y > 2.0 * z)
	{
		frame->isYUp = true;
		return "flat base";
	}
	if (z > FRAME_BASE_SHARE && z > 2.0 * y)
	{
		return "flat base";
	}
	frame->isYUp = !frameEndsIn(path, "stl");
	return "usual for its kind of file";
}

brMeshFrame brGuessMeshFrame(const char* path, const brMesh* mesh)
{
	brMeshFrame frame = {.unit = 1.0};
	if (frameEndsIn(path, "glb") || frameEndsIn(path, "gltf"))
	{
		frame.isYUp = frame.isStated = true;
		snprintf(frame.reason, sizeof(frame.reason), "as glTF has it");
		return frame;
	}
	if ((frameEndsIn(path, "usda") || frameEndsIn(path, "usd")) && frameFromUsd(path, &frame))
	{
		return frame;
	}
	brDBox3 box = brMesh_ComputeBounds(mesh);
	brDVec3 size = brDSub(box.upper, box.lower);
	double longest = fmax(size.x, fmax(size.y, size.z));
	const FrameExporter* exporter = frameExporter(path);
	const char* reason = exporter != NULL ? "its exporter's habit" : NULL;
	if (exporter != NULL)
	{
		// Blender turns OBJ only.
		frame.isYUp = exporter->isYUp && !(frameEndsIn(path, "stl") || frameEndsIn(path, "ply"));
		frame.unit = exporter->unit;
	}
	else
	{
		reason = frameGuessUp(path, mesh, box, &frame);
		frame.unit = 0.0;
	}
	if (frame.unit == 0.0)
	{
		bool isStl = frameEndsIn(path, "stl");
		frame.unit = longest <= FRAME_LONGEST ? 1.0 : isStl || longest > FRAME_LONGEST_CM ? 1e-3 : 1e-2;
	}
	snprintf(frame.reason, sizeof(frame.reason), "%s; %.3g units long", reason, longest);
	return frame;
}

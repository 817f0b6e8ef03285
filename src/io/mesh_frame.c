// SPDX-License-Identifier: MIT

// In which axes and unit a mesh file was written. OBJ, STL, PLY and OFF do not say; the exporter's name in the header,
// the side on which the thing could stand, and the habit of each format do.

#include "brittle/io.h"

#include "base/memory.h"
#include "base/os.h"
#include "mesh/face_area.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

// Faces this near to the lowest plane, as a share of the height, are the base.
#define FRAME_BASE_DEPTH 0.01
// A base is one if it has this share of all area: four feet have little. A chair may also lie on its back; then the
// habit of the format decides.
#define FRAME_BASE_SHARE 0.001
// It holds what has its middle this far within it, as a share of the height: a chair does not stand on the edge of its
// seat.
#define FRAME_BASE_HOLDS 0.05
// What is off the middle by less than the first share along an axis is alike on both sides, by more than the second it
// is not.
#define FRAME_ALIKE 0.004
#define FRAME_UNLIKE 0.04

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
	for (int32_t i = 0; i < BR_COUNT(frameExporters); ++i)
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

// Share of the area that looks down along the axis from the lowest plane: where the thing could stand, if the middle of
// its surface is above that.
static double frameBase(const brMesh* mesh, brDBox3 box, int32_t axis)
{
	double low = frameAxis(box.lower, axis), height = frameAxis(box.upper, axis) - low, base = 0.0, all = 0.0;
	brDVec3 middle = {0.0, 0.0, 0.0}, lower = box.upper, upper = box.lower;
	for (int32_t f = 0; f < mesh->faceCount; ++f)
	{
		bool isLow = true;
		brDVec3 area = brMesh_FaceArea(mesh, f), faceLower = box.upper, faceUpper = box.lower;
		for (int32_t c = mesh->faceStarts[f]; c < mesh->faceStarts[f + 1]; ++c)
		{
			brDVec3 p = mesh->positions[mesh->corners[c]];
			isLow = isLow && frameAxis(p, axis) <= low + FRAME_BASE_DEPTH * height;
			faceLower = brDMin(faceLower, p), faceUpper = brDMax(faceUpper, p);
			middle = brDMulAdd(middle, brDLength(area) / brMesh_GetFaceSize(mesh, f), p);
		}
		all += brDLength(area);
		bool looksDown = isLow && frameAxis(area, axis) < 0.0;
		base -= looksDown ? frameAxis(area, axis) : 0.0;
		lower = looksDown ? brDMin(lower, faceLower) : lower, upper = looksDown ? brDMax(upper, faceUpper) : upper;
	}
	for (int32_t side = 0; side < 3 && base > 0.0; ++side)
	{
		double at = frameAxis(middle, side) / all, least = FRAME_BASE_HOLDS * height;
		bool isHeld = at > frameAxis(lower, side) + least && at < frameAxis(upper, side) - least;
		base = side == axis || isHeld ? base : 0.0;
	}
	return all > 0.0 ? base / all : 0.0;
}

// How unlike the two sides of the surface are along an axis: its first or third moment about the middle of the box, in
// halves of the box's side.
static double frameLean(const brMesh* mesh, brDBox3 box, int32_t axis)
{
	double half = 0.5 * (frameAxis(box.upper, axis) - frameAxis(box.lower, axis)), first = 0.0, third = 0.0, all = 0.0;
	for (int32_t f = 0; f < mesh->faceCount && half > 0.0; ++f)
	{
		double middle = 0.0, area = brDLength(brMesh_FaceArea(mesh, f));
		for (int32_t c = mesh->faceStarts[f]; c < mesh->faceStarts[f + 1]; ++c)
		{
			middle += (frameAxis(mesh->positions[mesh->corners[c]], axis) - frameAxis(box.lower, axis)) / half - 1.0;
		}
		middle /= brMesh_GetFaceSize(mesh, f);
		first += area * middle, third += area * middle * middle * middle, all += area;
	}
	return all > 0.0 ? fmax(fabs(first), fabs(third)) / all : 0.0;
}

// What is alike on both sides along one axis, and not along the other, stands on the other: a table lies as well on its
// side as it stands, but its top is not its bottom.
static const char* frameGuessUp(const char* path, const brMesh* mesh, brDBox3 box, brMeshFrame* frame)
{
	double leanY = frameLean(mesh, box, 1), leanZ = frameLean(mesh, box, 2);
	bool standsOnY = leanY > FRAME_UNLIKE && leanZ < FRAME_ALIKE;
	bool standsOnZ = leanZ > FRAME_UNLIKE && leanY < FRAME_ALIKE;
	if (standsOnY || standsOnZ)
	{
		frame->isYUp = standsOnY;
		return "its top is unlike its bottom";
	}
	double y = frameBase(mesh, box, 1), z = frameBase(mesh, box, 2);
	if ((y > FRAME_BASE_SHARE) != (z > FRAME_BASE_SHARE))
	{
		frame->isYUp = y > z;
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
	snprintf(frame.reason, sizeof(frame.reason), "%s; %.3g unit%s long", reason, longest, longest == 1.0 ? "" : "s");
	return frame;
}

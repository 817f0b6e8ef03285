// SPDX-License-Identifier: MIT
#include "mending.h"
#include "loading.h"

#include <float.h>
#include <math.h>
#include <string.h>

MendOptions defaultMendOptions(void)
{
	return (MendOptions){.def = brDefaultMendDef()};
}

int checkMendOptions(const CommandLine* line, MendOptions* options)
{
	const char* how = options->repair;
	if (how != NULL && how[0] != 0 && strcmp(how, "remesh") != 0)
	{
		if (strcmp(how, "gentle") != 0 && strcmp(how, "full") != 0)
		{
			return failUsage(line, "--repair takes gentle, full or remesh, not '%s'", how);
		}
		options->def.effort = strcmp(how, "gentle") == 0 ? br_mendGentle : br_mendFull;
	}
	if (options->strict && how != NULL)
	{
		return failUsage(line, "--strict and --repair contradict each other");
	}
	if (!(options->def.thickness >= 0.0))
	{
		return failUsage(line, "--thicken takes a thickness of 0 or more");
	}
	if (options->def.resolution < 8 || options->def.resolution > 512)
	{
		return failUsage(line, "--remesh-cells takes 8 to 512, not %d", options->def.resolution);
	}
	return exit_done;
}

// So far away that the coordinates of its size have no digits for its shape: at most a millionth of the size is left.
static brResult checkPlace(const char* name, const brMesh* mesh, brReport* report)
{
	brDBox3 box = brMesh_ComputeBounds(mesh);
	double size = brDDistance(box.lower, box.upper);
	double far = fmax(brDLength(box.lower), brDLength(box.upper));
	if (!(far * DBL_EPSILON > 1e-6 * size) || !(size > 0.0))
	{
		return br_success;
	}
	snprintf(report->text, sizeof(report->text),
			 "%.200s is %.2g m long and lies %.2g m from the origin, where numbers have too few digits for its shape: "
			 "move it nearer in the program that made it",
			 name, size, far);
	return br_errorGeometry;
}

brResult mendMesh(const CommandLine* line, const MendOptions* options, const char* name, brMesh** mesh,
				  brReport* report)
{
	if (options->strict)
	{
		brMeshCheck check;
		brResult result = brMesh_Check(*mesh, &line->context, NULL, &check, report);
		if (result >= 0 && !check.isSolid)
		{
			snprintf(report->text, sizeof(report->text), "%.100s is no clean solid: %s", name, check.verdict);
			return br_errorGeometry;
		}
		return result;
	}
	brMesh* mended = NULL;
	brMendInfo info;
	brResult result = checkPlace(name, *mesh, report);
	result = result < 0 ? result : brMendMesh(&line->context, *mesh, &options->def, &mended, &info, report);
	if (result < 0)
	{
		return result;
	}
	if (info.isChanged)
	{
		say(line, "note: %s was mended: %s", name, info.summary);
	}
	brDestroyMesh(*mesh);
	*mesh = mended;
	return result;
}

brResult loadSolid(const CommandLine* line, const MendOptions* options, const char* path, brMesh** outMesh,
				   brReport* report)
{
	brMesh* mesh = NULL;
	brResult result = loadMesh(line, path, &mesh, report);
	sayRemark(line, result, report);
	if (result >= 0 && mesh->faceCount == 0)
	{
		snprintf(report->text, sizeof(report->text),
				 "%.300s holds no face, of %d points: points, lines and curves have no surface to work on", path,
				 mesh->vertexCount);
		result = br_errorGeometry;
	}
	if (result >= 0)
	{
		result = mendMesh(line, options, path, &mesh, report);
	}
	if (result < 0)
	{
		brDestroyMesh(mesh);
		return result;
	}
	*outMesh = mesh;
	return result;
}

void tellUnit(const CommandLine* line, const char* path, const brMesh* mesh)
{
	brMeshFrame frame = brGuessMeshFrame(path, mesh);
	if (frame.unit != 1.0)
	{
		say(line,
			"note: %s is taken in meters and seems to be in units of %g m (%s); 'brittle convert %s OUT --scale %g' "
			"makes meters of it",
			path, frame.unit, frame.reason, path, frame.unit);
	}
}

static bool endsInFloats(const char* ending)
{
	static const char* const endings[] = {"stl", "glb", "gltf", "usda", "usd"};
	for (size_t i = 0; i < sizeof(endings) / sizeof(endings[0]); ++i)
	{
		if (strcmp(ending, endings[i]) == 0)
		{
			return true;
		}
	}
	return false;
}

bool holdsFloats(const char* path)
{
	const char* dot = strrchr(path, '.');
	return endsInFloats(dot != NULL ? dot + 1 : path);
}

brDVec3 wayFromAfar(brDBox3 box)
{
	brDVec3 middle = brDLerp(box.lower, box.upper, 0.5);
	double far = fmax(fabs(middle.x), fmax(fabs(middle.y), fabs(middle.z))), size = brDDistance(box.lower, box.upper);
	if (!(far * FLT_EPSILON > 1e-4 * size) || !isfinite(size))
	{
		return brMakeDVec3(0.0, 0.0, 0.0);
	}
	// A power of two beyond the size: coordinates lose no bit on the way.
	double step = ldexp(1.0, ilogb(size) + 1);
	return brMakeDVec3(-step * round(middle.x / step), -step * round(middle.y / step), -step * round(middle.z / step));
}

Settling beginSettling(const char* path)
{
	return (Settling){.isFloat = holdsFloats(path), .box = brMakeDBox3Empty()};
}

void measurePiece(Settling* settling, const brMesh* piece)
{
	settling->box = brDBox3_Union(settling->box, brMesh_ComputeBounds(piece));
}

brResult settlePiece(const CommandLine* line, Settling* settling, brMesh** piece, brReport* report)
{
	brMesh* settled = NULL;
	int32_t faces = (*piece)->faceCount, vertices = (*piece)->vertexCount;
	brAffine map = brMakeAffineIdentity();
	map.p = settling->isFloat ? wayFromAfar(settling->box) : map.p;
	if (brDLengthSq(map.p) > 0.0)
	{
		brMesh_Transform(*piece, &map);
	}
	brResult result = brSettleMesh(&line->context, *piece, settling->isFloat ? BR_GRID_FLOAT : 0.0, &settled, report);
	if (result < 0)
	{
		return result;
	}
	settling->count += 1;
	settling->bad += result > 0;
	settling->changed += settled->faceCount != faces || settled->vertexCount != vertices;
	brDestroyMesh(*piece);
	*piece = settled;
	return br_success;
}

void tellSettling(const CommandLine* line, const Settling* settling)
{
	brDVec3 way = settling->isFloat ? wayFromAfar(settling->box) : brMakeDVec3(0.0, 0.0, 0.0);
	if (brDLengthSq(way) > 0.0)
	{
		say(line,
			"note: moved by %.10g, %.10g, %.10g to the origin: where it was, the floats of the file would bend it; "
			".obj and "
			".ply keep the place",
			way.x, way.y, way.z);
	}
	if (settling->changed > 0)
	{
		say(line,
			"note: rounded to the numbers of the file, %d of %d pieces touched or crossed themselves; they were parted "
			"there",
			settling->changed, settling->count);
	}
	if (settling->bad > 0)
	{
		say(line, "note: %d of %d pieces are no clean solids in such a file; .obj and .ply keep all digits",
			settling->bad, settling->count);
	}
}

// SPDX-License-Identifier: MIT

// The figures of chapter 7 of Chitalu's thesis, cut anew with models of our own: figures [FOLDER] prints a row for each; with a folder it
// also writes the pieces as figures.glb, a figure a second, and figures.png where pictures can be made.

#include <brittle/brittle.h>

#include <stdio.h>
#include <string.h>

enum
{
	gridMost = 48, // cells of a sheet along a side
	cuttersMost = 4,
};

// What is cut by what. The meshes are the figure's.
typedef struct Cut
{
	brMesh* source;
	brMesh* cutters[cuttersMost];
	int32_t cutterCount;
	brCutOp op;
} Cut;

typedef struct Figure
{
	const char* number;
	const char* caption;
	Cut (*make)(void);
	int32_t pieces; // that must come out
} Figure;

static brMesh* model(const char* name, int32_t resolution)
{
	brModelDef def = brDefaultModelDef(name);
	def.resolution = resolution;
	brMesh* mesh = NULL;
	brMakeModel(NULL, &def, &mesh, NULL);
	return mesh;
}

static brMesh* polygons(const brDVec3* positions, int32_t vertexCount, const int32_t* corners, const int32_t* starts,
						int32_t faceCount)
{
	brMeshDef def = brDefaultMeshDef();
	def.vertexCount = vertexCount, def.positions = positions;
	def.faceCount = faceCount, def.faceStarts = starts, def.corners = corners;
	brMesh* mesh = NULL;
	brCreateMesh(NULL, &def, &mesh, NULL);
	return mesh;
}

// A point of a box, by shares of its sides.
static brDVec3 within(brDBox3 box, double x, double y, double z)
{
	brDVec3 size = brDSub(box.upper, box.lower);
	return (brDVec3){box.lower.x + x * size.x, box.lower.y + y * size.y, box.lower.z + z * size.z};
}

// A sheet of `cells` by `cells` quads about `center`, from -u - v to u + v, in waves or in noise as high as `height`.
static brMesh* sheet(brDVec3 center, brDVec3 u, brDVec3 v, int32_t cells, double height, bool isNoisy)
{
	static brDVec3 positions[(gridMost + 1) * (gridMost + 1)];
	static int32_t corners[4 * gridMost * gridMost], starts[gridMost * gridMost + 1];
	brDVec3 normal = brDNormalize(brDCross(u, v));
	uint32_t random = 1;
	int32_t side = cells + 1;
	for (int32_t i = 0; i < side * side; ++i)
	{
		double a = 2.0 * (i % side) / cells - 1.0, b = 2.0 * (i / side) / cells - 1.0;
		random = random * 1664525u + 1013904223u; // any generator will do
		double noise = (double)(random >> 8) / (1 << 23) - 1.0, wave = brSin(9.0 * a) * brCos(7.0 * b);
		brDVec3 at = brDMulAdd(brDMulAdd(center, a, u), b, v);
		positions[i] = brDMulAdd(at, height * (isNoisy ? noise : wave), normal);
	}
	for (int32_t f = 0; f < cells * cells; ++f)
	{
		int32_t a = f / cells * side + f % cells;
		const int32_t quad[4] = {a, a + 1, a + side + 1, a + side};
		memcpy(&corners[4 * f], quad, sizeof(quad));
		starts[f + 1] = 4 * (f + 1);
	}
	return polygons(positions, side * side, corners, starts, cells * cells);
}

// A sheet across a whole mesh at a share of its height, leaning by `slope`.
static brMesh* sheetAcross(const brMesh* mesh, double share, double slope, int32_t cells, double height, bool isNoisy)
{
	brDBox3 box = brMesh_ComputeBounds(mesh);
	double reach = brDDistance(box.lower, box.upper);
	brDVec3 u = {reach, 0.0, slope * reach}, v = {0.0, reach, 0.0};
	return sheet(within(box, 0.5, 0.5, share), u, v, cells, height * reach, isNoisy);
}

static Cut cutAcross(const char* name, double share, double slope, int32_t cells, double height, bool isNoisy)
{
	Cut cut = {.source = model(name, 40), .cutterCount = 1};
	cut.cutters[0] = sheetAcross(cut.source, share, slope, cells, height, isNoisy);
	return cut;
}

static Cut teaser(void)
{
	return cutAcross("statue", 0.6, 0.3, 40, 0.01, false);
}

static Cut fourSurfaces(void)
{
	Cut cut = {.source = model("statue", 40), .cutterCount = 4};
	for (int32_t i = 0; i < 4; ++i)
	{
		cut.cutters[i] = sheetAcross(cut.source, 0.2 + 0.2 * i, 0.2 * (i % 2), 32, 0.01, false);
	}
	return cut;
}

// Two pentagons with a notch, each in two polygons along a zigzag, the upper one smaller and leaning.
static Cut frustum(void)
{
	static const double outline[8][2] = {{-3.0, 0.0}, {0.0, 0.0},  {3.0, 0.0},  {3.0, 4.0},
										 {0.0, 1.6},  {-3.0, 4.0}, {-0.5, 0.5}, {0.5, 1.0}};
	static const int32_t corners[] = {
		0, 5, 4,  7,  6,  1,  1,  6,  7,  4,  3,  2,  // below
		8, 9, 14, 15, 12, 13, 9,  10, 11, 12, 15, 14, // above
		0, 1, 9,  8,  1,  2,  10, 9,  2,  3,  11, 10, 3, 4, 12, 11, 4, 5, 13, 12, 5, 0, 8, 13,
	};
	static const int32_t starts[] = {0, 6, 12, 18, 24, 28, 32, 36, 40, 44, 48};
	brDVec3 positions[16];
	for (int32_t i = 0; i < 8; ++i)
	{
		double x = outline[i][0], y = outline[i][1];
		positions[i] = (brDVec3){x, y, 0.0};
		positions[8 + i] = (brDVec3){0.6 * x, 0.6 * y, 2.5 + 0.15 * x};
	}
	Cut cut = {.source = polygons(positions, 16, corners, starts, 10), .cutterCount = 1};
	cut.cutters[0] = sheet((brDVec3){0.1, 1.0, 1.0}, (brDVec3){0.6, 5.0, 0.0}, (brDVec3){0.3, 0.0, 5.0}, 1, 0.0, false);
	return cut;
}

static brMesh* cube(brDVec3 center, double side)
{
	static const int32_t corners[24] = {0, 2, 3, 1, 4, 5, 7, 6, 0, 1, 5, 4, 2, 6, 7, 3, 0, 4, 6, 2, 1, 3, 7, 5};
	static const int32_t starts[7] = {0, 4, 8, 12, 16, 20, 24};
	brDVec3 positions[8];
	for (int32_t i = 0; i < 8; ++i)
	{
		brDVec3 corner = {(i & 1) - 0.5, (i >> 1 & 1) - 0.5, (i >> 2) - 0.5};
		positions[i] = brDMulAdd(center, side, corner);
	}
	return polygons(positions, 8, corners, starts, 6);
}

static Cut incision(void)
{
	// Two triangles that end inside the cube: through its top and two sides, never all the way.
	static const brDVec3 positions[4] = {{0.1, -2.0, 0.1}, {0.1, 2.0, 0.1}, {0.2, 2.0, 2.0}, {0.2, -2.0, 2.0}};
	static const int32_t corners[6] = {0, 1, 2, 0, 2, 3}, starts[3] = {0, 3, 6};
	Cut cut = {.source = cube((brDVec3){0}, 1.0), .cutterCount = 1};
	cut.cutters[0] = polygons(positions, 4, corners, starts, 2);
	return cut;
}

// A flat surface of a concave polygon between two convex ones, by a wall.
static Cut flatSurface(void)
{
	static const brDVec3 positions[9] = {{0, 0, 0}, {2, 0, 0}, {3, 1, 0}, {4, 0, 0}, {6, 0, 0},
										 {6, 3, 0}, {4, 3, 0}, {2, 3, 0}, {0, 3, 0}};
	static const int32_t corners[] = {0, 1, 7, 8, 1, 2, 3, 6, 7, 3, 4, 5, 6}, starts[] = {0, 4, 9, 13};
	Cut cut = {.source = polygons(positions, 9, corners, starts, 3), .cutterCount = 1, .op = br_cutSurface};
	cut.cutters[0] =
		sheet((brDVec3){3.0, 2.0, 0.0}, (brDVec3){4.0, 0.4, 0.0}, (brDVec3){0.0, 0.0, 1.0}, 12, 0.1, false);
	return cut;
}

static Cut bankAndCube(brCutOp op)
{
	Cut cut = {.source = model("piggy_bank", 40), .cutterCount = 1, .op = op};
	brDBox3 box = brMesh_ComputeBounds(cut.source);
	cut.cutters[0] = cube(within(box, 0.9, 0.4, 0.8), 0.7 * (box.upper.z - box.lower.z));
	return cut;
}

static Cut unite(void)
{
	return bankAndCube(br_cutUnion);
}

static Cut intersect(void)
{
	return bankAndCube(br_cutIntersection);
}

static Cut subtract(void)
{
	return bankAndCube(br_cutDifference);
}

static Cut plane(void)
{
	return cutAcross("piggy_bank", 0.55, 0.4, 1, 0.0, false);
}

static Cut noisySurface(void)
{
	return cutAcross("blob", 0.5, 0.1, 48, 0.01, true);
}

static Cut otherPlane(void)
{
	return cutAcross("column", 0.5, 0.8, 1, 0.0, false);
}

static Cut surfaceBySurface(void)
{
	const brDVec3 x = {2.0, 0.0, 0.0}, y = {0.0, 2.0, 0.0}, z = {0.0, 0.0, 1.5};
	Cut cut = {.source = sheet((brDVec3){0}, x, y, 24, 0.15, false), .cutterCount = 1, .op = br_cutSurface};
	cut.cutters[0] = sheet((brDVec3){0.0, 0.2, 0.0}, brDMul(1.2, x), z, 16, 0.2, false);
	return cut;
}

// Statues that have grown together, cut across heads and bodies: one solid into many.
static Cut conjoined(void)
{
	brMesh* all[3];
	for (int32_t i = 0; i < 3; ++i)
	{
		all[i] = model("statue", 24);
		brAffine map = brMakeAffineIdentity();
		map.p.x = 0.3 * i;
		brMesh_Transform(all[i], &map);
	}
	Cut cut = {.cutterCount = 2};
	brUniteMeshes(NULL, (const brMesh* const*)all, 3, &cut.source, NULL);
	for (int32_t i = 0; i < 3; ++i)
	{
		brDestroyMesh(all[i]);
	}
	cut.cutters[0] = sheetAcross(cut.source, 0.8, 0.0, 24, 0.01, false);
	cut.cutters[1] = sheetAcross(cut.source, 0.4, 0.1, 24, 0.01, false);
	return cut;
}

static const Figure figures[] = {
	{"7.1", "a statue in two", teaser, 2},
	{"7.8", "a statue by four surfaces", fourSurfaces, 6},
	{"7.9", "concave polygons, concave solid", frustum, 2},
	{"7.10", "an incision", incision, 1},
	{"7.11", "polygons of a flat surface", flatSurface, 2},
	{"7.12a", "piggy bank and cube: union", unite, 1},
	{"7.12b", "intersection", intersect, 1},
	{"7.12c", "difference", subtract, 1},
	{"7.13", "by a quad", plane, 2},
	{"7.14", "by a noisy surface", noisySurface, 2},
	{"7.15", "by another quad", otherPlane, 2},
	{"7.16", "surface by surface", surfaceBySurface, 2},
	{"7.17", "conjoined statues in many", conjoined, 6},
};

enum
{
	figureCount = sizeof(figures) / sizeof(figures[0]),
};

// Adds the pieces to an assembly, moved apart, the source scaled to a unit and shown during second `index`.
static bool addPieces(brAssembly* out, brDBox3 box, brCutResult* result, int32_t index)
{
	const double apart = 0.12; // of the size of the source
	brDVec3 middle = brDLerp(box.lower, box.upper, 0.5);
	double scale = 1.0 / brDDistance(box.lower, box.upper);
	for (int32_t i = 0; i < result->pieceCount; ++i)
	{
		brDBox3 own = brMesh_ComputeBounds(result->pieces[i].mesh);
		brDVec3 way = brDSub(brDLerp(own.lower, own.upper, 0.5), middle);
		double length = brDLength(way);
		brPart part = brDefaultPart();
		part.placement.m = (brMat3){{scale, 0.0, 0.0}, {0.0, scale, 0.0}, {0.0, 0.0, scale}};
		part.placement.p = brDMul(-scale, middle);
		if (length > 0.0 && result->pieceCount > 1)
		{
			part.placement.p = brDMulAdd(part.placement.p, apart / length, way);
		}
		part.bornTime = index, part.goneTime = index + 1;
		part.mesh = brAssembly_AddMesh(out, result->pieces[i].mesh);
		if (part.mesh < 0)
		{
			return false;
		}
		result->pieces[i].mesh = NULL; // the assembly's now
		char name[64];
		snprintf(name, sizeof(name), "%s_%d", figures[index].number, i);
		if (brAssembly_AddPart(out, name, &part) < 0)
		{
			return false;
		}
	}
	return true;
}

static void printFigure(const Figure* figure, const Cut* cut, const brCutResult* result)
{
	int32_t faces = 0, vertices = 0, closed = 0;
	for (int32_t i = 0; i < result->pieceCount; ++i)
	{
		faces += result->pieces[i].mesh->faceCount;
		vertices += result->pieces[i].mesh->vertexCount;
		closed += result->pieces[i].isClosed;
	}
	printf("%-6s %-34s %7d faces -> %d pieces (%d closed), %7d vertices, %7d faces\n", figure->number, figure->caption,
		   cut->source->faceCount, result->pieceCount, closed, vertices, faces);
}

// Cuts, prints and keeps one figure. False with a sentence if it did not come out as it must.
static bool playFigure(int32_t index, brAssembly* out)
{
	const Figure* figure = &figures[index];
	Cut cut = figure->make();
	bool isGood = cut.source != NULL;
	for (int32_t i = 0; i < cut.cutterCount; ++i)
	{
		isGood = isGood && cut.cutters[i] != NULL;
	}
	brReport report = {0};
	brCutResult* result = NULL;
	brCutDef def = brDefaultCutDef();
	def.op = cut.op;
	isGood = isGood && brCutMeshByMany(NULL, cut.source, (const brMesh* const*)cut.cutters, cut.cutterCount, &def,
									   &result, &report) >= 0;
	if (isGood)
	{
		printFigure(figure, &cut, result);
		for (int32_t i = 0; i < result->pieceCount; ++i)
		{
			isGood = isGood && (result->pieces[i].isClosed || cut.op == br_cutSurface);
		}
		isGood = isGood && result->pieceCount == figure->pieces &&
				 addPieces(out, brMesh_ComputeBounds(cut.source), result, index);
	}
	if (!isGood)
	{
		fprintf(stderr, "figure %s is not as it must be: %d closed pieces. %s\n", figure->number, figure->pieces,
				report.text);
	}
	brDestroyCutResult(result);
	brDestroyMesh(cut.source);
	for (int32_t i = 0; i < cut.cutterCount; ++i)
	{
		brDestroyMesh(cut.cutters[i]);
	}
	return isGood;
}

static bool savePictures(const char* folder, const brAssembly* all)
{
	char path[512];
	brReport report = {0};
	brRenderDef def = brDefaultRenderDef();
	def.width = 400, def.height = 360;
	def.colorParts = def.edges = true;
	def.ground = false;
	def.frame = (brDBox3){{-0.4, -0.4, -0.42}, {0.4, 0.4, 0.42}};
	def.elevation = 0.5;
	brRenderDef defs[figureCount];
	for (int32_t i = 0; i < figureCount; ++i)
	{
		defs[i] = def;
		defs[i].time = i + 0.5;
	}
	snprintf(path, sizeof(path), "%s/figures.png", folder);
	brWorkersDef workers = brDefaultWorkersDef();
	brContext context = {.workers = brCreateWorkers(&workers)};
	brResult result = brSaveContactSheet(&context, all, defs, figureCount, 5, path, &report);
	brDestroyWorkers(context.workers);
	if (result < 0)
	{
		fprintf(stderr, "%s\n", report.text);
	}
	return result >= 0 || result == br_errorUnavailable;
}

int main(int argumentCount, char** arguments)
{
	brAssembly* all = brCreateAssembly(NULL);
	bool isGood = all != NULL;
	for (int32_t i = 0; i < figureCount && isGood; ++i)
	{
		isGood = playFigure(i, all);
	}
	if (isGood && argumentCount > 1)
	{
		char path[512];
		brReport report = {0};
		snprintf(path, sizeof(path), "%s/figures.glb", arguments[1]);
		isGood = brSaveAssembly(NULL, all, path, NULL, &report) >= 0 && savePictures(arguments[1], all);
		if (!isGood)
		{
			fprintf(stderr, "%s\n", report.text);
		}
	}
	brDestroyAssembly(all);
	return isGood ? 0 : 1;
}

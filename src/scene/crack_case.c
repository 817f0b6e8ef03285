// SPDX-License-Identifier: MIT

// Cases of `brittle crack`: a YAML map into a brCrackDef. The solid is a mesh file, a built-in model, or an outline in
// x and z with round holes, given a thickness along y: most test specimens are that.

#include "brittle/crack_case.h"

#include "base/os.h"
#include "brittle/cut.h"
#include "brittle/io.h"
#include "brittle/models.h"
#include "io/file.h"
#include "math/rotation.h"
#include "mesh/mesh_build.h"
#include "scene/document.h"

#include <stdio.h>
#include <string.h>

enum
{
	caseLinePoints = 9,  // that share a force on a line
	caseHoleSides = 48,  // of a round hole
	caseDiskSides = 48,  // of a disk or ellipse
	caseDiskRings = 6,   // of triangles in it
	caseNotchSteps = 24, // of triangles along a notch
};

#define CASE_MOUTH 0.02 // of its depth that a notch begins before its first point, so that it is open there
#define CASE_DEGREE (BR_PI / 180.0)

typedef struct CaseThermal
{
	double expansion, temperature; // [1/K], [K]
	brDVec3 gradient;              // [K/m]
} CaseThermal;

typedef struct CaseOwned
{
	brCrackCase shown; // first: what the caller sees
	BR_ARRAY(brCrackForce) forces;
	BR_ARRAY(brCrackSupport) supports;
	BR_ARRAY(brCrackPressure) pressures;
	BR_ARRAY(brTetRefinement) refinements;
	BR_ARRAY(brMesh*) given;
	CaseThermal thermal;
} CaseOwned;

typedef struct CaseReader
{
	const brContext* context;
	brDocument document;
	brReport* report;
	char folder[512];
	CaseOwned* out;
} CaseReader;

static brResult caseFail(CaseReader* reader, const brDocNode* node, const char* text)
{
	return brDoc_Fail(&reader->document, node, reader->report, "%s", text);
}

static brResult caseVector(CaseReader* reader, const brDocNode* node, const char* key, brDVec3* out)
{
	return brDoc_ReadVector(&reader->document, node, key, out, reader->report);
}

// [[x, y, z], [x, y, z]]
static brResult casePair(CaseReader* reader, const brDocNode* node, const char* key, brDVec3 out[2])
{
	if (node->kind != br_docList || node->count != 2)
	{
		return brDoc_Fail(&reader->document, node, reader->report, "%s is a list of two points", key);
	}
	brResult result = caseVector(reader, node->children[0], key, &out[0]);
	return result < 0 ? result : caseVector(reader, node->children[1], key, &out[1]);
}

static brResult caseBox(CaseReader* reader, const brDocNode* owner, const brDocNode* node, brDBox3* out)
{
	if (node == NULL)
	{
		return caseFail(reader, owner, "it needs a box: two opposite corners");
	}
	brDVec3 p[2];
	brResult result = casePair(reader, node, "box", p);
	*out = (brDBox3){brDMin(p[0], p[1]), brDMax(p[0], p[1])};
	return result;
}

static void casePath(const CaseReader* reader, const char* name, char* out, size_t capacity)
{
	snprintf(out, capacity, "%s%s", brOs_IsAbsolute(name) ? "" : reader->folder, name);
}

// The solid

typedef struct CaseSolid
{
	const char* mesh;
	const brDocNode* outline;
	const brDocNode* holes;
	const brDocNode* model;
	double thickness;
} CaseSolid;

static brResult caseMakeMesh(CaseReader* reader, int32_t vertexCount, const brDVec3* positions, int32_t faceCount,
							 const int32_t* faceStarts, const int32_t* corners, brMesh** out)
{
	brMeshDef def = brDefaultMeshDef();
	def.vertexCount = vertexCount, def.positions = positions;
	def.faceCount = faceCount, def.faceStarts = faceStarts, def.corners = corners;
	return brCreateMesh(reader->context, &def, out, reader->report);
}

// A prism over a polygon in x and z, from y = low to high; either way round.
static brResult casePrism(CaseReader* reader, const double (*points)[2], int32_t count, double low, double high,
						  brMesh** out)
{
	const brAllocator* allocator = &reader->out->shown.allocator;
	double area = 0.0;
	for (int32_t i = 0; i < count; ++i)
	{
		const double *a = points[i], *b = points[(i + 1) % count];
		area += a[0] * b[1] - a[1] * b[0];
	}
	int32_t cornerCount = 6 * count, faceCount = count + 2;
	brDVec3* positions = BR_ALLOC(allocator, brDVec3, 2 * count);
	int32_t* corners = BR_ALLOC(allocator, int32_t, cornerCount);
	int32_t* starts = BR_ALLOC(allocator, int32_t, faceCount + 1);
	brResult result =
		positions != NULL && corners != NULL && starts != NULL ? br_success : brFailMemory(reader->report);
	int32_t used = 0;
	for (int32_t i = 0; i < 2 * count && result >= 0; ++i)
	{
		int32_t k = area > 0.0 ? i % count : count - 1 - i % count;
		positions[i] = brMakeDVec3(points[k][0], i < count ? low : high, points[k][1]);
	}
	for (int32_t i = 0; i < 2 * count && result >= 0; ++i) // the face at low y turns with the outline, seen from -y
	{
		corners[used++] = i < count ? i : count + (2 * count - 1 - i);
	}
	for (int32_t i = 0; i < count && result >= 0; ++i)
	{
		int32_t next = (i + 1) % count;
		corners[used++] = next, corners[used++] = i, corners[used++] = count + i, corners[used++] = count + next;
	}
	for (int32_t f = 0; f <= faceCount && result >= 0; ++f)
	{
		starts[f] = f <= 2 ? f * count : 2 * count + 4 * (f - 2);
	}
	result = result >= 0 ? caseMakeMesh(reader, 2 * count, positions, faceCount, starts, corners, out) : result;
	BR_FREE(allocator, positions, 2 * count);
	BR_FREE(allocator, corners, cornerCount);
	BR_FREE(allocator, starts, faceCount + 1);
	return result;
}

// Takes a round hole out of the plate.
static brResult caseDrill(CaseReader* reader, const brDocNode* node, double thickness, brMesh** plate)
{
	struct
	{
		const brDocNode* at;
		double radius;
	} hole = {NULL, 0.0};
	static const brField fields[] = {
		{"at", br_fieldNode, 0, 0, 0, false, NULL},
		{"radius", br_fieldNumber, sizeof(void*), 0.0, 1e6, true, NULL},
	};
	brResult result = BR_READ_MAP(reader, node, "a hole", fields, &hole);
	double at[2];
	if (result >= 0 && (hole.at == NULL || !(hole.radius > 0.0)))
	{
		return caseFail(reader, node, "a hole needs at: [x, z] and a radius");
	}
	result = result < 0 ? result : brDoc_ReadNumbers(&reader->document, hole.at, "at", at, 2, reader->report);
	double points[caseHoleSides][2];
	for (int32_t i = 0; i < caseHoleSides && result >= 0; ++i)
	{
		double angle = 2.0 * BR_PI * (i + 0.5) / caseHoleSides;
		points[i][0] = at[0] + hole.radius * brCos(angle), points[i][1] = at[1] + hole.radius * brSin(angle);
	}
	brMesh* drill = NULL;
	result = result < 0 ? result
						: casePrism(reader, (const double(*)[2])points, caseHoleSides, -0.25 * thickness,
									1.25 * thickness, &drill);
	brCutDef def = brDefaultCutDef();
	def.op = br_cutDifference;
	brCutResult* cut = NULL;
	result = result < 0 ? result : brCutMesh(reader->context, *plate, drill, &def, &cut, reader->report);
	brDestroyMesh(drill);
	if (result >= 0 && cut->pieceCount != 1)
	{
		result = caseFail(reader, node, "a hole must leave the plate in one piece");
	}
	brMesh* rest = NULL;
	result = result < 0 ? result : brCopyMesh(reader->context, cut->pieces[0].mesh, &rest, reader->report);
	brDestroyCutResult(cut);
	if (result >= 0)
	{
		brDestroyMesh(*plate);
		*plate = rest;
	}
	return result;
}

static brResult caseOutline(CaseReader* reader, const CaseSolid* solid, brMesh** out)
{
	const brDocNode* list = solid->outline;
	if (list->kind != br_docList || list->count < 3 || !(solid->thickness > 0.0))
	{
		return caseFail(reader, list, "an outline is a list of three points [x, z] or more, and has a thickness");
	}
	const brAllocator* allocator = &reader->out->shown.allocator;
	double(*points)[2] = brAllocArray(allocator, list->count, sizeof(*points));
	brResult result = points != NULL ? br_success : brFailMemory(reader->report);
	for (int32_t i = 0; i < list->count && result >= 0; ++i)
	{
		result = brDoc_ReadNumbers(&reader->document, list->children[i], "outline", points[i], 2, reader->report);
	}
	result =
		result < 0 ? result : casePrism(reader, (const double(*)[2])points, list->count, 0.0, solid->thickness, out);
	brFreeArray(allocator, points, list->count, sizeof(*points));
	for (int32_t i = 0; solid->holes != NULL && i < solid->holes->count && result >= 0; ++i)
	{
		result = solid->holes->kind == br_docList ? caseDrill(reader, solid->holes->children[i], solid->thickness, out)
												  : caseFail(reader, solid->holes, "holes is a list");
	}
	return result;
}

// model: {name: box, width: 0.2, ...}
static brResult caseModel(CaseReader* reader, const brDocNode* map, brMesh** out)
{
	const brDocNode* name = map->kind == br_docMap ? brDoc_Find(map, "name") : NULL;
	if (name == NULL || name->kind != br_docScalar)
	{
		return caseFail(reader, map, "a model is a map with a name and its parameters");
	}
	brModelDef def = brDefaultModelDef(name->text);
	for (int32_t i = 0; i < map->count; ++i)
	{
		const brDocNode *key = map->children[2 * i], *value = map->children[2 * i + 1];
		double number;
		if (strcmp(key->text, "name") == 0)
		{
			continue;
		}
		if (!brDoc_IsNumber(value, &number) || !brModelDef_SetParameter(&def, key->text, number))
		{
			return brDoc_Fail(&reader->document, key, reader->report, "the model has no number '%.60s'", key->text);
		}
	}
	return brMakeModel(reader->context, &def, out, reader->report);
}

static brResult caseReadSolid(CaseReader* reader, const brDocNode* root, const CaseSolid* solid)
{
	brMesh** out = &reader->out->shown.mesh;
	if ((solid->mesh != NULL) + (solid->outline != NULL) + (solid->model != NULL) != 1)
	{
		return caseFail(reader, root, "a case has one solid: mesh, model or outline");
	}
	if (solid->mesh != NULL)
	{
		char path[1024];
		casePath(reader, solid->mesh, path, sizeof(path));
		return brLoadMesh(reader->context, path, out, reader->report);
	}
	return solid->outline != NULL ? caseOutline(reader, solid, out) : caseModel(reader, solid->model, out);
}

// Cracks that are there

typedef struct CaseCrack
{
	const char* mesh;
	const brDocNode *disk, *ellipse, *notch;
} CaseCrack;

typedef struct CaseEllipse
{
	brDVec3 center, normal, along;
	double radius;
	const brDocNode* radii;
} CaseEllipse;

static brResult caseMakeEllipse(CaseReader* reader, const CaseEllipse* e, double a, double b, brMesh** out)
{
	enum
	{
		vertices = 1 + caseDiskRings * caseDiskSides,
		triangles = caseDiskSides * (2 * caseDiskRings - 1)
	};
	brDVec3 positions[vertices];
	int32_t corners[3 * triangles], used = 0;
	brDVec3 n = brDNormalize(e->normal);
	bool hasAlong = brDDot(e->along, e->along) > 0.0;
	brDVec3 v = hasAlong ? brDNormalize(brDCross(n, e->along)) : brDAcross(n), u = brDCross(v, n);
	positions[0] = e->center;
	for (int32_t i = 0; i < caseDiskRings * caseDiskSides; ++i)
	{
		double share = (i / caseDiskSides + 1.0) / caseDiskRings,
			   angle = 2.0 * BR_PI * (i % caseDiskSides) / caseDiskSides;
		positions[1 + i] = brDMulAdd(brDMulAdd(e->center, a * share * brCos(angle), u), b * share * brSin(angle), v);
	}
	for (int32_t i = 0; i < caseDiskSides; ++i)
	{
		int32_t next = (i + 1) % caseDiskSides;
		corners[used++] = 0, corners[used++] = 1 + i, corners[used++] = 1 + next;
		for (int32_t ring = 1; ring < caseDiskRings; ++ring)
		{
			int32_t in = 1 + (ring - 1) * caseDiskSides, at = 1 + ring * caseDiskSides;
			corners[used++] = in + i, corners[used++] = at + i, corners[used++] = at + next;
			corners[used++] = in + i, corners[used++] = at + next, corners[used++] = in + next;
		}
	}
	return caseMakeMesh(reader, vertices, positions, triangles, NULL, corners, out);
}

static brResult caseEllipse(CaseReader* reader, const brDocNode* node, bool isDisk, brMesh** out)
{
	CaseEllipse e = {.normal = {0.0, 0.0, 1.0}};
	static const brField fields[] = {
		{"center", br_fieldVector, offsetof(CaseEllipse, center), 0, 0, false, NULL},
		{"normal", br_fieldVector, offsetof(CaseEllipse, normal), 0, 0, false, NULL},
		{"along", br_fieldVector, offsetof(CaseEllipse, along), 0, 0, false, NULL},
		{"radius", br_fieldNumber, offsetof(CaseEllipse, radius), 0.0, 1e6, true, NULL},
		{"radii", br_fieldNode, offsetof(CaseEllipse, radii), 0, 0, false, NULL},
	};
	brResult result = BR_READ_MAP(reader, node, isDisk ? "a disk" : "an ellipse", fields, &e);
	double radii[2] = {e.radius, e.radius};
	if (result >= 0 && !isDisk && e.radii != NULL)
	{
		result = brDoc_ReadNumbers(&reader->document, e.radii, "radii", radii, 2, reader->report);
	}
	if (result >= 0 && (!(radii[0] > 0.0 && radii[1] > 0.0) || !(brDDot(e.normal, e.normal) > 0.0)))
	{
		return caseFail(reader, node,
						isDisk ? "a disk needs a center, a normal and a radius"
							   : "an ellipse needs a center, a normal, along and radii: [a, b]");
	}
	return result < 0 ? result : caseMakeEllipse(reader, &e, radii[0], radii[1], out);
}

// notch: {from: [..], to: [..], along: [..]}: a flat sheet from the mouth to the tip, through the whole body along the
// third.
static brResult caseNotch(CaseReader* reader, const brDocNode* node, brMesh** out)
{
	struct
	{
		const brDocNode *from, *to;
		brDVec3 along;
	} n = {NULL, NULL, {0.0, 1.0, 0.0}};
	static const brField fields[] = {
		{"from", br_fieldNode, 0, 0, 0, false, NULL},
		{"to", br_fieldNode, sizeof(void*), 0, 0, false, NULL},
		{"along", br_fieldVector, 2 * sizeof(void*), 0, 0, false, NULL},
	};
	brResult result = BR_READ_MAP(reader, node, "a notch", fields, &n);
	brDVec3 from, to;
	if (result >= 0 && (n.from == NULL || n.to == NULL || !(brDDot(n.along, n.along) > 0.0)))
	{
		return caseFail(reader, node, "a notch needs from (at its mouth), to (at its tip) and along");
	}
	result = result < 0 ? result : caseVector(reader, n.from, "from", &from);
	result = result < 0 ? result : caseVector(reader, n.to, "to", &to);
	if (result < 0)
	{
		return result;
	}
	brDBox3 box = brMesh_ComputeBounds(reader->out->shown.mesh);
	double size = 1.05 * brDDistance(box.lower, box.upper);
	brDVec3 along = brDNormalize(n.along), depth = brDSub(to, from);
	brDVec3 middle = brDLerp(box.lower, box.upper, 0.5);
	double at = brDDot(brDSub(middle, from), along);
	brDVec3 positions[2 * (caseNotchSteps + 1)];
	int32_t corners[6 * caseNotchSteps];
	for (int32_t i = 0; i <= caseNotchSteps; ++i)
	{
		double y = at + size * ((double)i / caseNotchSteps - 0.5);
		positions[2 * i] = brDMulAdd(brDMulAdd(from, -CASE_MOUTH, depth), y, along);
		positions[2 * i + 1] = brDMulAdd(to, y, along);
	}
	for (int32_t i = 0; i < caseNotchSteps; ++i)
	{
		int32_t quad[6] = {2 * i, 2 * i + 1, 2 * i + 3, 2 * i, 2 * i + 3, 2 * i + 2};
		memcpy(corners + 6 * i, quad, sizeof(quad));
	}
	return caseMakeMesh(reader, 2 * (caseNotchSteps + 1), positions, 2 * caseNotchSteps, NULL, corners, out);
}

static brResult caseReadCrack(CaseReader* reader, const brDocNode* node)
{
	CaseCrack crack = {0};
	static const brField fields[] = {
		{"mesh", br_fieldText, offsetof(CaseCrack, mesh), 0, 0, false, NULL},
		{"disk", br_fieldNode, offsetof(CaseCrack, disk), 0, 0, false, NULL},
		{"ellipse", br_fieldNode, offsetof(CaseCrack, ellipse), 0, 0, false, NULL},
		{"notch", br_fieldNode, offsetof(CaseCrack, notch), 0, 0, false, NULL},
	};
	brResult result = BR_READ_MAP(reader, node, "a crack", fields, &crack);
	int32_t kinds = (crack.mesh != NULL) + (crack.disk != NULL) + (crack.ellipse != NULL) + (crack.notch != NULL);
	if (result >= 0 && kinds != 1)
	{
		return caseFail(reader, node, "a crack is one of mesh, disk, ellipse and notch");
	}
	brMesh* mesh = NULL;
	if (result >= 0 && crack.mesh != NULL)
	{
		char path[1024];
		casePath(reader, crack.mesh, path, sizeof(path));
		result = brLoadMesh(reader->context, path, &mesh, reader->report);
	}
	else if (result >= 0 && crack.notch != NULL)
	{
		result = caseNotch(reader, crack.notch, &mesh);
	}
	else if (result >= 0)
	{
		bool isDisk = crack.disk != NULL;
		result = caseEllipse(reader, isDisk ? crack.disk : crack.ellipse, isDisk, &mesh);
	}
	if (result >= 0 && !BR_PUSH(&reader->out->shown.allocator, &reader->out->given, mesh))
	{
		brDestroyMesh(mesh);
		return brFailMemory(reader->report);
	}
	return result;
}

// Supports and loads

static brResult caseReadForce(CaseReader* reader, const brDocNode* node)
{
	struct
	{
		const brDocNode *point, *line;
		brDVec3 force;
	} input = {NULL, NULL, {0.0, 0.0, 0.0}};
	static const brField fields[] = {
		{"point", br_fieldNode, 0, 0, 0, false, NULL},
		{"line", br_fieldNode, sizeof(void*), 0, 0, false, NULL},
		{"force", br_fieldVector, 2 * sizeof(void*), 0, 0, false, NULL},
	};
	brResult result = BR_READ_MAP(reader, node, "a force", fields, &input);
	if (result >= 0 && (input.point != NULL) == (input.line != NULL))
	{
		return caseFail(reader, node, "a force acts at a point or along a line");
	}
	brDVec3 ends[2];
	if (result >= 0)
	{
		result = input.line != NULL ? casePair(reader, input.line, "line", ends)
									: caseVector(reader, input.point, "point", &ends[0]);
	}
	int32_t count = input.line != NULL ? caseLinePoints : 1;
	for (int32_t i = 0; i < count && result >= 0; ++i)
	{
		brDVec3 at = input.line != NULL ? brDLerp(ends[0], ends[1], (i + 0.5) / count) : ends[0];
		brCrackForce force = {at, brDMul(1.0 / count, input.force)};
		result = BR_PUSH(&reader->out->shown.allocator, &reader->out->forces, force) ? br_success
																					 : brFailMemory(reader->report);
	}
	return result;
}

static brResult caseReadSupport(CaseReader* reader, const brDocNode* node)
{
	struct
	{
		const brDocNode *box, *line;
		const char* axes;
		brDVec3 shift;
	} input = {NULL, NULL, "xyz", {0.0, 0.0, 0.0}};
	static const brField fields[] = {
		{"box", br_fieldNode, 0, 0, 0, false, NULL},
		{"line", br_fieldNode, sizeof(void*), 0, 0, false, NULL},
		{"axes", br_fieldText, 2 * sizeof(void*), 0, 0, false, NULL},
		{"shift", br_fieldVector, 3 * sizeof(void*), 0, 0, false, NULL},
	};
	brResult result = BR_READ_MAP(reader, node, "a support", fields, &input);
	brCrackSupport support = {.shift = input.shift, .isRoller = input.line != NULL};
	if (result >= 0 && input.line != NULL && (input.box != NULL || brDDot(input.shift, input.shift) > 0.0))
	{
		return caseFail(reader, node,
						"a roller along a line has neither box nor shift: it takes what balance asks for");
	}
	if (result >= 0)
	{
		result = support.isRoller ? casePair(reader, input.line, "line", support.line)
								  : caseBox(reader, node, input.box, &support.box);
	}
	for (const char* c = input.axes; *c != 0 && result >= 0; ++c)
	{
		if (*c < 'x' || *c > 'z')
		{
			return caseFail(reader, node, "axes are some of x, y and z: a roller has one");
		}
		support.axes |= 1u << (*c - 'x');
	}
	if (result >= 0 && !BR_PUSH(&reader->out->shown.allocator, &reader->out->supports, support))
	{
		return brFailMemory(reader->report);
	}
	return result;
}

static brResult caseReadPressure(CaseReader* reader, const brDocNode* node)
{
	struct
	{
		const brDocNode* box;
		double pressure;
		brDVec3 traction;
	} input = {NULL, 0.0, {0.0, 0.0, 0.0}};
	static const brField fields[] = {
		{"box", br_fieldNode, 0, 0, 0, false, NULL},
		{"pressure", br_fieldNumber, sizeof(void*), -1e300, 1e300, false, NULL},
		{"traction", br_fieldVector, sizeof(void*) + sizeof(double), 0, 0, false, NULL},
	};
	brResult result = BR_READ_MAP(reader, node, "a pressure", fields, &input);
	brCrackPressure pressure = {.pressure = input.pressure, .traction = input.traction};
	result = result < 0 ? result : caseBox(reader, node, input.box, &pressure.box);
	if (result >= 0 && !BR_PUSH(&reader->out->shown.allocator, &reader->out->pressures, pressure))
	{
		return brFailMemory(reader->report);
	}
	return result;
}

static brResult caseReadRefinement(CaseReader* reader, const brDocNode* node)
{
	brTetRefinement ball = {.radius = 0.0};
	static const brField fields[] = {
		{"center", br_fieldVector, offsetof(brTetRefinement, center), 0, 0, false, NULL},
		{"radius", br_fieldNumber, offsetof(brTetRefinement, radius), 0.0, 1e6, true, NULL},
		{"edge", br_fieldNumber, offsetof(brTetRefinement, edge), 0.0, 1e6, true, NULL},
	};
	brResult result = BR_READ_MAP(reader, node, "a refinement", fields, &ball);
	if (result >= 0 && !(ball.radius > 0.0 && ball.edge > 0.0))
	{
		return caseFail(reader, node, "a refinement needs a center, a radius and an edge");
	}
	if (result >= 0 && !BR_PUSH(&reader->out->shown.allocator, &reader->out->refinements, ball))
	{
		return brFailMemory(reader->report);
	}
	return result;
}

static double caseSwelling(brDVec3 point, void* user)
{
	const CaseThermal* thermal = user;
	return thermal->expansion * (thermal->temperature + brDDot(thermal->gradient, point));
}

static brResult caseReadThermal(CaseReader* reader, const brDocNode* node)
{
	static const brField fields[] = {
		{"expansion", br_fieldNumber, offsetof(CaseThermal, expansion), 0.0, 1.0, true, NULL},
		{"temperature", br_fieldNumber, offsetof(CaseThermal, temperature), -1e6, 1e6, false, NULL},
		{"gradient", br_fieldVector, offsetof(CaseThermal, gradient), 0, 0, false, NULL},
	};
	brCrackDef* def = &reader->out->shown.def;
	def->swelling = caseSwelling;
	def->swellingUser = &reader->out->thermal;
	return BR_READ_MAP(reader, node, "thermal", fields, &reader->out->thermal);
}

static brResult caseReadImpact(CaseReader* reader, const brDocNode* node)
{
	static const brField fields[] = {
		{"hit", br_fieldVector, offsetof(brCrackDef, hit), 0, 0, false, NULL},
		{"impulse", br_fieldVector, offsetof(brCrackDef, impulse), 0, 0, false, NULL},
		{"striker", br_fieldNumber, offsetof(brCrackDef, strikerRadius), 0.0, 1e6, true, NULL},
		{"contact_time", br_fieldNumber, offsetof(brCrackDef, contactTime), 0.0, 1e6, true, NULL},
		{"energy", br_fieldNumber, offsetof(brCrackDef, energy), 0.0, 1e300, true, NULL},
	};
	return BR_READ_MAP(reader, node, "an impact", fields, &reader->out->shown.def);
}

// A name, or a map of values over those of `like`.
static brResult caseReadMaterial(CaseReader* reader, const brDocNode* node)
{
	brMaterial* material = &reader->out->shown.def.material;
	const brDocNode* name = node->kind == br_docMap ? brDoc_Find(node, "like") : node;
	if (name != NULL && name->kind == br_docScalar)
	{
		const brMaterial* found = brFindMaterial(name->text);
		if (found == NULL)
		{
			const char* names[64];
			int32_t count = 0;
			for (; count < 64 && count < brGetMaterialCount(); ++count)
			{
				names[count] = brGetMaterial(count)->name;
			}
			return brDoc_Fail(&reader->document, name, reader->report, "there is no material '%.60s'%s", name->text,
							  brDoc_Advise(name->text, names, count, "there are").text);
		}
		*material = *found;
	}
	if (node->kind != br_docMap)
	{
		return br_success;
	}
	struct
	{
		brMaterial physics;
		const char* like;
	} input = {*material, NULL};
	static const brField fields[] = {
		{"like", br_fieldText, sizeof(brMaterial), 0, 0, false, NULL},
		{"density", br_fieldNumber, offsetof(brMaterial, density), 0.0, 1e6, true, NULL},
		{"young", br_fieldNumber, offsetof(brMaterial, youngsModulus), 0.0, 1e15, true, NULL},
		{"poisson", br_fieldNumber, offsetof(brMaterial, poissonRatio), 0.0, 0.4999, false, NULL},
		{"tensile_strength", br_fieldNumber, offsetof(brMaterial, tensileStrength), 0.0, 1e15, true, NULL},
		{"compressive_strength", br_fieldNumber, offsetof(brMaterial, compressiveStrength), 0.0, 1e15, true, NULL},
		{"toughness", br_fieldNumber, offsetof(brMaterial, toughness), 0.0, 1e15, true, NULL},
		{"weibull_modulus", br_fieldNumber, offsetof(brMaterial, weibullModulus), 0.0, 1e5, false, NULL},
	};
	brResult result = BR_READ_MAP(reader, node, "a material", fields, &input);
	*material = input.physics;
	return result;
}

typedef brResult CaseItemFcn(CaseReader* reader, const brDocNode* node);

static brResult caseReadList(CaseReader* reader, const brDocNode* list, const char* key, CaseItemFcn* item)
{
	if (list == NULL)
	{
		return br_success;
	}
	if (list->kind != br_docList)
	{
		return brDoc_Fail(&reader->document, list, reader->report, "%s is a list", key);
	}
	brResult result = br_success;
	for (int32_t i = 0; i < list->count && result >= 0; ++i)
	{
		result = item(reader, list->children[i]);
	}
	return result;
}

typedef struct CaseInput
{
	const char* title;
	CaseSolid solid;
	const brDocNode *material, *refine, *cracks, *forces, *supports, *pressures, *thermal, *impact;
	brDVec3 latticeTurn, gravity;
	double edge;
	int32_t tets, steps, maxCracks;
	uint64_t seed;
	bool starts, isFollowed;
} CaseInput;

static const brField caseFields[] = {
	{"title", br_fieldText, offsetof(CaseInput, title), 0, 0, false, NULL},
	{"mesh", br_fieldText, offsetof(CaseInput, solid.mesh), 0, 0, false, NULL},
	{"model", br_fieldNode, offsetof(CaseInput, solid.model), 0, 0, false, NULL},
	{"outline", br_fieldNode, offsetof(CaseInput, solid.outline), 0, 0, false, NULL},
	{"holes", br_fieldNode, offsetof(CaseInput, solid.holes), 0, 0, false, NULL},
	{"thickness", br_fieldNumber, offsetof(CaseInput, solid.thickness), 0.0, 1e6, true, NULL},
	{"material", br_fieldNode, offsetof(CaseInput, material), 0, 0, false, NULL},
	{"refine", br_fieldNode, offsetof(CaseInput, refine), 0, 0, false, NULL},
	{"cracks", br_fieldNode, offsetof(CaseInput, cracks), 0, 0, false, NULL},
	{"forces", br_fieldNode, offsetof(CaseInput, forces), 0, 0, false, NULL},
	{"supports", br_fieldNode, offsetof(CaseInput, supports), 0, 0, false, NULL},
	{"pressures", br_fieldNode, offsetof(CaseInput, pressures), 0, 0, false, NULL},
	{"thermal", br_fieldNode, offsetof(CaseInput, thermal), 0, 0, false, NULL},
	{"impact", br_fieldNode, offsetof(CaseInput, impact), 0, 0, false, NULL},
	{"gravity", br_fieldVector, offsetof(CaseInput, gravity), 0, 0, false, NULL},
	{"lattice_turn", br_fieldVector, offsetof(CaseInput, latticeTurn), 0, 0, false, NULL},
	{"edge", br_fieldNumber, offsetof(CaseInput, edge), 0.0, 1e6, true, NULL},
	{"tets", br_fieldInteger, offsetof(CaseInput, tets), 1, 1e8, false, NULL},
	{"steps", br_fieldInteger, offsetof(CaseInput, steps), 1, 1e6, false, NULL},
	{"max_cracks", br_fieldInteger, offsetof(CaseInput, maxCracks), 1, BR_MAX_CRACKS, false, NULL},
	{"seed", br_fieldSeed, offsetof(CaseInput, seed), 0, 0, false, NULL},
	{"starts", br_fieldBool, offsetof(CaseInput, starts), 0, 0, false, NULL},
	{"follow", br_fieldBool, offsetof(CaseInput, isFollowed), 0, 0, false, NULL},
};

static void caseSetDef(CaseOwned* out, const CaseInput* input)
{
	brCrackDef* def = &out->shown.def;
	snprintf(out->shown.title, sizeof(out->shown.title), "%s", input->title != NULL ? input->title : "");
	def->edge = input->edge;
	def->tets = input->tets;
	def->maxSteps = input->steps;
	def->maxCracks = input->maxCracks;
	def->seed = input->seed;
	def->latticeTurn = brDMul(CASE_DEGREE, input->latticeTurn);
	def->acceleration = input->gravity;
	def->onlyGiven = !input->starts;
	def->isFollowed = input->isFollowed;
	def->refinements = out->refinements.data, def->refinementCount = out->refinements.count;
	def->forces = out->forces.data, def->forceCount = out->forces.count;
	def->supports = out->supports.data, def->supportCount = out->supports.count;
	def->pressures = out->pressures.data, def->pressureCount = out->pressures.count;
	def->given = (const brMesh* const*)out->given.data, def->givenCount = out->given.count;
}

static brResult caseReadRoot(CaseReader* reader, const brDocNode* root)
{
	CaseInput input = {.tets = 10000, .steps = 100, .maxCracks = 48, .isFollowed = true};
	input.starts = brDoc_Find(root, "cracks") == NULL; // unless it says otherwise
	brResult result = BR_READ_MAP(reader, root, "a case", caseFields, &input);
	result = result < 0 ? result : caseReadSolid(reader, root, &input.solid);
	result = result < 0 || input.material == NULL ? result : caseReadMaterial(reader, input.material);
	result = result < 0 ? result : caseReadList(reader, input.refine, "refine", caseReadRefinement);
	result = result < 0 ? result : caseReadList(reader, input.cracks, "cracks", caseReadCrack);
	result = result < 0 ? result : caseReadList(reader, input.forces, "forces", caseReadForce);
	result = result < 0 ? result : caseReadList(reader, input.supports, "supports", caseReadSupport);
	result = result < 0 ? result : caseReadList(reader, input.pressures, "pressures", caseReadPressure);
	result = result < 0 || input.thermal == NULL ? result : caseReadThermal(reader, input.thermal);
	result = result < 0 || input.impact == NULL ? result : caseReadImpact(reader, input.impact);
	if (result >= 0)
	{
		caseSetDef(reader->out, &input);
	}
	return result;
}

brResult brLoadCrackCase(const brContext* context, const char* path, brCrackCase** outCase, brReport* report)
{
	if (path == NULL || outCase == NULL)
	{
		return brFail(report, br_errorMisuse, "brLoadCrackCase needs a path and a place for its answer");
	}
	brAllocator allocator = brContext_Allocator(context);
	CaseOwned* out = BR_ALLOC_ZERO(&allocator, CaseOwned, 1);
	uint8_t* bytes = NULL;
	size_t byteCount = 0;
	brResult result =
		out != NULL ? brReadFile(context, &allocator, path, &bytes, &byteCount, report) : brFailMemory(report);
	if (result < 0)
	{
		BR_FREE(&allocator, out, 1);
		return result;
	}
	out->shown.allocator = allocator;
	out->shown.def = brDefaultCrackDef();
	CaseReader reader = {.context = context, .report = report, .out = out};
	const char* slash = brOs_LastSlash(path);
	size_t length = slash != NULL ? (size_t)(slash - path) + 1 : 0;
	if (length < sizeof(reader.folder))
	{
		memcpy(reader.folder, path, length);
	}
	brDoc_Init(&reader.document, &allocator);
	brDocNode* root = NULL;
	result = brDoc_ParseYaml(&reader.document, path, bytes, byteCount, &root, report);
	BR_FREE(&allocator, bytes, byteCount + 1);
	result = result < 0 ? result : caseReadRoot(&reader, root);
	brDoc_Destroy(&reader.document);
	if (result < 0)
	{
		brDestroyCrackCase(&out->shown);
		return result;
	}
	*outCase = &out->shown;
	return brSucceed(report);
}

void brDestroyCrackCase(brCrackCase* crackCase)
{
	if (crackCase == NULL)
	{
		return;
	}
	CaseOwned* owned = (CaseOwned*)(void*)crackCase;
	brAllocator allocator = crackCase->allocator;
	for (int32_t i = 0; i < owned->given.count; ++i)
	{
		brDestroyMesh(owned->given.data[i]);
	}
	BR_FREE_ARRAY(&allocator, &owned->given);
	BR_FREE_ARRAY(&allocator, &owned->forces);
	BR_FREE_ARRAY(&allocator, &owned->supports);
	BR_FREE_ARRAY(&allocator, &owned->pressures);
	BR_FREE_ARRAY(&allocator, &owned->refinements);
	brDestroyMesh(crackCase->mesh);
	BR_FREE(&allocator, owned, 1);
}

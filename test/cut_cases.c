// SPDX-License-Identifier: MIT
#include "cut_cases.h"

#include "base/hash.h"
#include "brittle/models.h"
#include "harness.h"
#include "mesh/topology.h"
#include "shapes.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static double caseRange(brRandom* random, double lower, double upper)
{
	return brRandom_Range(random, lower, upper);
}

static brQuat caseRotation(brRandom* random)
{
	brQuat q = {caseRange(random, -1.0, 1.0), caseRange(random, -1.0, 1.0), caseRange(random, -1.0, 1.0),
				caseRange(random, -1.0, 1.0)};
	return brQuat_Normalize(q);
}

static void caseMove(brMesh* mesh, brQuat turn, double scale, brDVec3 offset)
{
	brAffine map = brMakeAffineIdentity();
	map.m = brMakeMat3FromQuat(turn);
	map.m.cx = brDMul(scale, map.m.cx);
	map.m.cy = brDMul(scale, map.m.cy);
	map.m.cz = brDMul(scale, map.m.cz);
	map.p = offset;
	brMesh_Transform(mesh, &map);
}

static brMesh* caseCopy(const brMesh* mesh)
{
	brMesh* copy = NULL;
	CHECK(brCopyMesh(NULL, mesh, &copy, NULL) >= 0);
	return copy;
}

// About the origin, of size 1 or so.
brMesh* brCutCase_Solid(brRandom* random, int32_t size)
{
	static const char* const names[] = {"blob", "box", "bowl", "brick", "knot", "torus", "cone", "vase"};
	uint32_t pick = brRandom_Below(random, 8);
	brMesh* mesh = NULL;
	if (pick == 0)
	{
		mesh = brShape_Box(caseRange(random, 0.5, 1.5), caseRange(random, 0.5, 1.5), caseRange(random, 0.5, 1.5));
	}
	else if (pick == 1)
	{
		mesh = brShape_Sphere(1 + (int32_t)brRandom_Below(random, 3));
	}
	else if (pick == 2)
	{
		mesh = brShape_Torus(5 + (int32_t)brRandom_Below(random, (uint32_t)size),
							 4 + (int32_t)brRandom_Below(random, 6), 1.0, 0.4);
	}
	else if (pick == 3)
	{
		mesh = brShape_LPrism();
	}
	else
	{
		brModelDef def = brDefaultModelDef(names[brRandom_Below(random, 8)]);
		def.resolution = 0;
		for (int32_t i = 0; i < brGetModelCount(); ++i)
		{
			const brModelInfo* info = brGetModelInfo((int32_t)brRandom_Below(random, (uint32_t)brGetModelCount()));
			def = brDefaultModelDef(info->name);
			int32_t wanted = info->lowestResolution + (int32_t)brRandom_Below(random, (uint32_t)size);
			def.resolution = wanted < info->highestResolution ? wanted : info->highestResolution;
			def.seed = brRandom_Next(random);
			if (brMakeModel(NULL, &def, &mesh, NULL) >= 0 && mesh->faceCount < 400 * size)
			{
				break;
			}
			brDestroyMesh(mesh);
			mesh = NULL;
		}
	}
	if (mesh == NULL)
	{
		mesh = brShape_Tetrahedron();
	}
	brDBox3 box = brMesh_ComputeBounds(mesh);
	brDVec3 middle = brDLerp(box.lower, box.upper, 0.5);
	double extent = brDDistance(box.lower, box.upper);
	caseMove(mesh, brMakeQuatIdentity(), 2.0 / extent, brDMul(-2.0 / extent, middle));
	return mesh;
}

brMesh* brCutCase_Sheet(brRandom* random, int32_t n, double bump, bool triangles)
{
	int32_t side = n + 1;
	brDVec3* positions = malloc((size_t)(side * side) * sizeof(brDVec3));
	int32_t* corners = malloc((size_t)(6 * n * n) * sizeof(int32_t));
	int32_t* sizes = malloc((size_t)(2 * n * n) * sizeof(int32_t));
	for (int32_t j = 0; j < side; ++j)
	{
		for (int32_t i = 0; i < side; ++i)
		{
			positions[j * side + i] =
				(brDVec3){2.0 * i / n - 1.0, 2.0 * j / n - 1.0, bump != 0.0 ? caseRange(random, -bump, bump) : 0.0};
		}
	}
	int32_t count = 0, faces = 0;
	for (int32_t j = 0; j < n; ++j)
	{
		for (int32_t i = 0; i < n; ++i)
		{
			int32_t a = j * side + i, b = a + 1, c = b + side, d = a + side;
			int32_t quad[6] = {a, b, c, triangles ? a : d, c, d};
			for (int k = 0; k < (triangles ? 6 : 4); ++k)
			{
				corners[count++] = quad[k];
			}
			sizes[faces++] = triangles ? 3 : 4;
			if (triangles)
			{
				sizes[faces++] = 3;
			}
		}
	}
	brMesh* mesh = brShape_Make(positions, side * side, corners, sizes, faces);
	free(positions);
	free(corners);
	free(sizes);
	return mesh;
}

// A triangle through three vertices of the mesh, larger than it.
static brMesh* casePlaneThroughVertices(brRandom* random, const brMesh* mesh)
{
	for (;;)
	{
		brDVec3 p[3];
		for (int i = 0; i < 3; ++i)
		{
			p[i] = mesh->positions[brRandom_Below(random, (uint32_t)mesh->vertexCount)];
		}
		if (brRandom_Below(random, 2) == 0)
		{
			// As it is: its corners are vertices of the source.
			if (!brIsCollinear(p[0], p[1], p[2]))
			{
				int32_t corners[3] = {0, 1, 2};
				return brShape_Make(p, 3, corners, NULL, 1);
			}
			continue;
		}
		brDVec3 u = brDSub(p[1], p[0]), v = brDSub(p[2], p[0]);
		brDVec3 q[4] = {brDMulAdd(brDMulAdd(p[0], -8.0, u), -8.0, v), brDMulAdd(brDMulAdd(p[0], 8.0, u), -8.0, v),
						brDMulAdd(brDMulAdd(p[0], 8.0, u), 8.0, v), brDMulAdd(brDMulAdd(p[0], -8.0, u), 8.0, v)};
		if (!brIsCollinear(q[0], q[1], q[2]) && !brIsCollinear(q[0], q[2], q[3]))
		{
			int32_t corners[6] = {0, 1, 2, 0, 2, 3};
			return brShape_Make(q, 4, corners, NULL, 2);
		}
	}
}

static void caseSnap(brMesh* mesh, double step)
{
	for (int32_t v = 0; v < mesh->vertexCount; ++v)
	{
		brDVec3* p = &mesh->positions[v];
		*p = (brDVec3){step * floor(p->x / step + 0.5), step * floor(p->y / step + 0.5),
					   step * floor(p->z / step + 0.5)};
	}
}

static void caseGrid(brRandom* random, brCutCase* test)
{
	for (int i = 0; i < 2; ++i)
	{
		brMesh** mesh = i == 0 ? &test->source : &test->cutter;
		uint32_t pick = brRandom_Below(random, 3);
		*mesh = pick == 0   ? brShape_LPrism()
				: pick == 1 ? brShape_Box(1.0 + brRandom_Below(random, 3), 1.0 + brRandom_Below(random, 3),
										  1.0 + brRandom_Below(random, 3))
							: brShape_Tetrahedron();
		brDVec3 offset = {(double)brRandom_Below(random, 4) - 2.0, (double)brRandom_Below(random, 4) - 2.0,
						  (double)brRandom_Below(random, 4) - 2.0};
		caseMove(*mesh, brMakeQuatIdentity(), pick == 2 ? 2.0 : 1.0, offset);
	}
}

brCutCase brCutCase_Make(brRandom* random, brCutCaseKind kind)
{
	brCutCase test = {.kind = kind, .isClean = true};
	int32_t size = 4 + (int32_t)brRandom_Below(random, 12);
	test.source = kind == br_cutCaseGrid ? NULL : brCutCase_Solid(random, size);
	bool triangles = brRandom_Below(random, 2) == 0;
	brDVec3 near = {caseRange(random, -0.3, 0.3), caseRange(random, -0.3, 0.3), caseRange(random, -0.3, 0.3)};
	switch (kind)
	{
		case br_cutCasePlane:
			test.cutter = brCutCase_Sheet(random, 1, 0.0, triangles);
			caseMove(test.cutter, caseRotation(random), 4.0, near);
			break;
		case br_cutCaseSheet:
			test.cutter = brCutCase_Sheet(random, 2 + size, 0.05, triangles);
			caseMove(test.cutter, caseRotation(random), 2.5, near);
			break;
		case br_cutCaseFold:
			test.cutter = brCutCase_Sheet(random, 3, 0.8, true);
			caseMove(test.cutter, caseRotation(random), 1.5, near);
			break;
		case br_cutCaseIncision:
			test.cutter = brCutCase_Sheet(random, 3, 0.1, triangles);
			caseMove(test.cutter, caseRotation(random), 0.5, near);
			break;
		case br_cutCaseSolid:
			test.cutter = brCutCase_Solid(random, size);
			caseMove(test.cutter, caseRotation(random), caseRange(random, 0.3, 1.5), near);
			test.isCutterClosed = true;
			break;
		case br_cutCaseCoplanar:
			brDestroyMesh(test.source);
			test.source = brShape_Box(1.0, 1.0, 1.0);
			test.cutter = brShape_Box(caseRange(random, 0.2, 2.0), caseRange(random, 0.2, 2.0), 1.0);
			caseMove(test.cutter, brMakeQuatIdentity(), 1.0,
					 (brDVec3){brRandom_Below(random, 2) == 0 ? 0.0 : caseRange(random, -1.0, 1.0),
							   caseRange(random, -1.0, 1.0), 0.0});
			test.isCutterClosed = true;
			break;
		case br_cutCaseIdentical:
			test.cutter = caseCopy(test.source);
			test.isCutterClosed = true;
			if (brRandom_Below(random, 2) == 0)
			{
				// All but the faces around a few vertices.
				for (uint32_t i = 0; i <= brRandom_Below(random, 3); ++i)
				{
					int32_t v = (int32_t)brRandom_Below(random, (uint32_t)test.cutter->vertexCount);
					test.cutter->positions[v] =
						brDMulAdd(test.cutter->positions[v], caseRange(random, -0.1, 0.1), near);
				}
				test.isClean = false;
			}
			break;
		case br_cutCaseVertices:
			test.cutter = casePlaneThroughVertices(random, test.source);
			break;
		case br_cutCaseTouching:
		{
			brDBox3 box = brMesh_ComputeBounds(test.source);
			test.cutter = caseCopy(test.source);
			brDVec3 step = {0.0, 0.0, 0.0};
			uint32_t axis = brRandom_Below(random, 3);
			*(axis == 0   ? &step.x
			  : axis == 1 ? &step.y
						  : &step.z) = axis == 0   ? box.upper.x - box.lower.x
									   : axis == 1 ? box.upper.y - box.lower.y
												   : box.upper.z - box.lower.z;
			caseMove(test.cutter, brMakeQuatIdentity(), 1.0, step);
			test.isCutterClosed = true;
			break;
		}
		default:
			caseGrid(random, &test);
			test.isCutterClosed = true;
			break;
	}
	// A third of all somewhere else in size, some on a coarse grid so that ties are exact.
	if (brRandom_Below(random, 4) == 0 && kind != br_cutCaseSheet)
	{
		// Models lose their good sense on a grid: faces without area, sheets through each other. Shapes on it stay
		// clean.
		test.isClean = kind == br_cutCaseGrid;
		caseSnap(test.source, 0x1p-6);
		caseSnap(test.cutter, 0x1p-6);
	}
	if (brRandom_Below(random, 3) == 0)
	{
		static const double scales[] = {1e-6, 1e-3, 1e3, 1e6, 0x1p-20, 0x1p20};
		double scale = scales[brRandom_Below(random, 6)];
		brDVec3 zero = {0.0, 0.0, 0.0};
		caseMove(test.source, brMakeQuatIdentity(), scale, zero);
		caseMove(test.cutter, brMakeQuatIdentity(), scale, zero);
	}
	return test;
}

void brCutCase_Free(brCutCase* test)
{
	brDestroyMesh(test->source);
	brDestroyMesh(test->cutter);
}

const char* brCutCase_Flaw(const brCutResult* result)
{
	static char text[400];
	for (int32_t i = 0; i < result->pieceCount; ++i)
	{
		const brCutPiece* piece = &result->pieces[i];
		brMeshCheck check;
		CHECK(brCheckTopology(NULL, piece->mesh, &check, NULL) >= 0);
		if (!check.isClosed || !check.isOriented || !check.isManifold || check.nonmanifoldVertices > 0 ||
			check.repeatedIndexFaces > 0 || check.unusedVertices > 0)
		{
			snprintf(text, sizeof(text),
					 "piece %d of %d: %s (non-manifold vertices %d, edges %d, repeated %d, unused %d)", i,
					 result->pieceCount, check.verdict, check.nonmanifoldVertices, check.nonmanifoldEdges,
					 check.repeatedIndexFaces, check.unusedVertices);
			return text;
		}
		for (int32_t f = 0; f < piece->mesh->faceCount; ++f)
		{
			if (piece->faceParents[f] < 0 || piece->faceKinds[f] > br_faceCapNegative)
			{
				snprintf(text, sizeof(text), "piece %d: face %d has no parent", i, f);
				return text;
			}
		}
	}
	return NULL;
}

double brCutCase_VolumeBound(const brMesh* source, const brMesh* cutter)
{
	double reach = 0.0;
	const brMesh* meshes[2] = {source, cutter};
	for (int i = 0; i < 2; ++i)
	{
		brDBox3 box = brMesh_ComputeBounds(meshes[i]);
		reach =
			fmax(reach, fmax(fmax(fabs(box.lower.x), fabs(box.upper.x)), fmax(fabs(box.lower.y), fabs(box.upper.y))));
		reach = fmax(reach, fmax(fabs(box.lower.z), fabs(box.upper.z)));
	}
	// 10 u M A of the note, plus the sums of some thousand faces.
	return 40.0 * 0x1p-53 * reach * brMesh_ComputeArea(source) + 1e-14 * fabs(brMesh_ComputeMass(source, 1.0).volume);
}

uint64_t brCutCase_Hash(const brCutResult* result)
{
	uint64_t hash = BR_HASH_SEED;
	for (int32_t i = 0; i < result->pieceCount; ++i)
	{
		const brMesh* mesh = result->pieces[i].mesh;
		hash = brHashNumbers(hash, mesh->positions, 3 * (size_t)mesh->vertexCount, sizeof(double));
		hash = brHashNumbers(hash, mesh->faceStarts, (size_t)mesh->faceCount + 1, sizeof(int32_t));
		hash = brHashNumbers(hash, mesh->corners, (size_t)mesh->cornerCount, sizeof(int32_t));
		hash = brHashNumbers(hash, result->pieces[i].faceParents, (size_t)mesh->faceCount, sizeof(int32_t));
		if (mesh->uvs != NULL)
		{
			hash = brHashNumbers(hash, mesh->uvs, 2 * (size_t)mesh->cornerCount, sizeof(float));
		}
	}
	return hash;
}

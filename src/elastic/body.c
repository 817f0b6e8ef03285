// SPDX-License-Identifier: MIT

// Making an elastic body: what its tets and nodes are, once, and what its cracks change.

#include "elastic/face_contact.h"
#include "elastic/hierarchy.h"
#include "elastic/petsc.h"

#include "base/assert.h"
#include "base/buckets.h"
#include "base/os.h"
#include "base/report.h"
#include "base/sort.h"

#include <string.h>

brElasticDef brDefaultElasticDef(void)
{
	brElasticDef def = {0};
	def.youngsModulus = 70e9;
	def.poissonRatio = 0.22;
	def.density = 2500.0;
	def.sliver = 1e-3;
	def.stamp = BR_STAMP(def);
	return def;
}

void brDestroyElasticBody(brElasticBody* body)
{
	if (body == NULL)
	{
		return;
	}
	brAllocator allocator = body->allocator;
	BR_FREE(&allocator, body->fills, body->tetCount);
	BR_FREE(&allocator, body->stiffnesses, body->tetCount);
	BR_FREE(&allocator, body->volumes, body->tetCount);
	BR_FREE(&allocator, body->neighbors, body->tetCount);
	BR_FREE(&allocator, body->cornerStarts, body->nodeCount + 1);
	BR_FREE(&allocator, body->corners, 4 * (int64_t)body->tetCount);
	BR_FREE(&allocator, body->longestEdges, body->nodeCount);
	BR_FREE(&allocator, body->reaches, body->nodeCount);
	BR_FREE(&allocator, body->isHinge, body->nodeCount);
	brDestroyTetLocator(body->locator);
	for (int32_t i = 0; i < body->crackCount; ++i)
	{
		brCrackField_Free(&body->cracks[i], &allocator);
	}
	BR_FREE(&allocator, body->cracks, body->crackCount);
	BR_FREE(&allocator, body->heldAxes, body->nodeCount);
	BR_FREE(&allocator, body->heldValues, body->nodeCount);
	BR_FREE(&allocator, body->freeModes, body->freeModeParts);
	BR_FREE(&allocator, body->solution, body->set.valueCount);
	BR_FREE(&allocator, body->swelling, body->tetCount);
	BR_FREE(&allocator, body->swellingSlopes, body->tetCount);
	brElementSet_Free(&body->set, &allocator);
	brElasticBody_FreeContact(body);
	brBlockMatrix_Free(&body->base, &allocator);
	brBlockMatrix_Free(&body->matrix, &allocator);
	brElasticBody_DropSolvers(body);
	BR_FREE(&allocator, body, 1);
}

// Volumes of the tets, all positive.
static brResult bodyMeasure(brElasticBody* body, brReport* report)
{
	const brTetMesh* mesh = body->mesh;
	for (int32_t t = 0; t < body->tetCount; ++t)
	{
		const int32_t* n = mesh->tets[t];
		for (int a = 0; a < 4; ++a)
		{
			if (n[a] < 0 || n[a] >= mesh->nodeCount)
			{
				return brFailAt(report, br_errorGeometry, t, "tet %d names node %d, there are %d", t, n[a],
								mesh->nodeCount);
			}
		}
		brDVec3 origin = mesh->nodes[n[0]];
		brMat3 edges = {brDSub(mesh->nodes[n[1]], origin), brDSub(mesh->nodes[n[2]], origin),
						brDSub(mesh->nodes[n[3]], origin)};
		double determinant = brMat3_Determinant(&edges);
		if (!(determinant > 0.0) || !isfinite(1.0 / determinant))
		{
			return brFailAt(report, br_errorGeometry, t, "tet %d is not positive", t);
		}
		body->volumes[t] = determinant / 6.0;
	}
	return br_success;
}

static void bodyListCorners(brElasticBody* body)
{
	const int32_t* nodes = (const int32_t*)(const void*)body->mesh->tets;
	brFillBuckets(nodes, 4 * body->tetCount, body->nodeCount, body->cornerStarts, body->corners);
}

static void bodyMeasureNodes(brElasticBody* body)
{
	const brTetMesh* mesh = body->mesh;
	memset(body->longestEdges, 0, (size_t)body->nodeCount * sizeof(double));
	for (int32_t t = 0; t < body->tetCount; ++t)
	{
		for (int i = 0; i < 6; ++i)
		{
			static const int ends[6][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};
			int32_t a = mesh->tets[t][ends[i][0]], b = mesh->tets[t][ends[i][1]];
			double length = brDDistance(mesh->nodes[a], mesh->nodes[b]);
			body->longestEdges[a] = length > body->longestEdges[a] ? length : body->longestEdges[a];
			body->longestEdges[b] = length > body->longestEdges[b] ? length : body->longestEdges[b];
		}
	}
	// An enriched node is hardly more than its longest edge away, any other node of its tets one edge more.
	memcpy(body->reaches, body->longestEdges, (size_t)body->nodeCount * sizeof(double));
	for (int32_t t = 0; t < body->tetCount; ++t)
	{
		const int32_t* n = mesh->tets[t];
		for (int i = 0; i < 16; ++i)
		{
			int32_t a = n[i / 4], b = n[i % 4];
			double reach = 1.05 * (body->longestEdges[a] + body->longestEdges[b]);
			body->reaches[a] = reach > body->reaches[a] ? reach : body->reaches[a];
		}
	}
}

// Tets on both sides of each face, by sorting faces by their lowest node. Faces of three tets or more have neighbors in
// pairs.
static bool bodyFindNeighbors(brElasticBody* body)
{
	const brTetMesh* mesh = body->mesh;
	for (int32_t t = 0; t < body->tetCount; ++t)
	{
		for (int a = 0; a < 4; ++a)
		{
			body->neighbors[t][a] = -1;
		}
	}
	// Around a node: for each of its tets and each face at the node, look for the same three nodes among the later ones.
	for (int32_t n = 0; n < body->nodeCount; ++n)
	{
		for (int32_t i = body->cornerStarts[n]; i < body->cornerStarts[n + 1]; ++i)
		{
			int32_t t = body->corners[i] / 4, corner = body->corners[i] % 4;
			for (int a = 0; a < 4; ++a)
			{
				if (a == corner || body->neighbors[t][a] >= 0)
				{
					continue;
				}
				int32_t face[3], k = 0;
				bool isLowest = true;
				for (int b = 0; b < 4; ++b)
				{
					if (b != a)
					{
						face[k++] = mesh->tets[t][b];
						isLowest = isLowest && mesh->tets[t][b] >= n;
					}
				}
				for (int32_t j = i + 1; isLowest && j < body->cornerStarts[n + 1]; ++j)
				{
					int32_t u = body->corners[j] / 4, outside = -1, shared = 0;
					for (int b = 0; b < 4; ++b)
					{
						int32_t node = mesh->tets[u][b];
						bool isOnFace = node == face[0] || node == face[1] || node == face[2];
						shared += isOnFace;
						outside = isOnFace ? outside : b;
					}
					if (shared == 3 && body->neighbors[u][outside] < 0)
					{
						body->neighbors[t][a] = u;
						body->neighbors[u][outside] = t;
						break;
					}
				}
			}
		}
	}
	return true;
}

// What the mesh alone says is made again; copies of the mesh and of ones are told from what cracks and fillings gave.
static bool bodyHasOwnValues(const brElasticBody* body)
{
	const brElementSet* set = &body->set;
	return set->pieceCount != body->tetCount ||
		   memcmp(set->pieceValues, body->mesh->tets, (size_t)body->tetCount * sizeof(*set->pieceValues)) != 0;
}

void brElasticBody_Forget(brElasticBody* body)
{
	brElementSet* set = &body->set;
	size_t tetCount = (size_t)body->tetCount, nodeCount = (size_t)body->nodeCount;
	body->isEven = true;
	for (size_t t = 0; t < tetCount && body->isEven; ++t)
	{
		body->isEven = body->stiffnesses[t] == 1.0;
	}
	body->isUncut = set->cutCount == 0 && !bodyHasOwnValues(body);
	brOs_ForgetPages(body->volumes, tetCount * sizeof(double));
	brOs_ForgetPages(body->neighbors, tetCount * sizeof(*body->neighbors));
	brOs_ForgetPages(body->cornerStarts, (nodeCount + 1) * sizeof(int32_t));
	brOs_ForgetPages(body->corners, 4 * tetCount * sizeof(int32_t));
	brOs_ForgetPages(body->longestEdges, nodeCount * sizeof(double));
	brOs_ForgetPages(body->reaches, nodeCount * sizeof(double));
	if (body->isEven)
	{
		brOs_ForgetPages(body->stiffnesses, tetCount * sizeof(double));
	}
	if (body->isUncut)
	{
		brOs_ForgetPages(set->pieceValues, tetCount * sizeof(*set->pieceValues));
		brOs_ForgetPages(set->cutOfTet, tetCount * sizeof(int32_t));
	}
	if (set->componentCount == 1)
	{
		brOs_ForgetPages(set->pieceParts, (size_t)set->pieceCount * sizeof(int32_t));
	}
}

void brElasticBody_Remember(brElasticBody* body)
{
	brElementSet* set = &body->set;
	bodyMeasure(body, NULL); // it was right when the body was made
	bodyListCorners(body);
	bodyMeasureNodes(body);
	bodyFindNeighbors(body);
	for (int32_t t = 0; t < body->tetCount && body->isEven; ++t)
	{
		body->stiffnesses[t] = 1.0;
	}
	if (body->isUncut)
	{
		memcpy(set->pieceValues, body->mesh->tets, (size_t)body->tetCount * sizeof(*set->pieceValues));
		memset(set->cutOfTet, 0xff, (size_t)body->tetCount * sizeof(int32_t));
	}
	if (set->componentCount == 1)
	{
		memset(set->pieceParts, 0, (size_t)set->pieceCount * sizeof(int32_t));
	}
}

static bool bodyAllocate(brElasticBody* body, bool hasFills)
{
	const brAllocator* allocator = &body->allocator;
	body->fills = hasFills ? BR_ALLOC(allocator, double, body->tetCount) : NULL;
	body->stiffnesses = BR_ALLOC(allocator, double, body->tetCount);
	body->volumes = BR_ALLOC(allocator, double, body->tetCount);
	body->neighbors = brAllocArray(allocator, body->tetCount, sizeof(*body->neighbors));
	body->cornerStarts = BR_ALLOC(allocator, int32_t, body->nodeCount + 1);
	body->corners = BR_ALLOC(allocator, int32_t, 4 * (int64_t)body->tetCount);
	body->longestEdges = BR_ALLOC(allocator, double, body->nodeCount);
	body->reaches = BR_ALLOC(allocator, double, body->nodeCount);
	body->isHinge = BR_ALLOC(allocator, uint8_t, body->nodeCount);
	body->heldAxes = BR_ALLOC_ZERO(allocator, uint8_t, body->nodeCount);
	body->heldValues = BR_ALLOC_ZERO(allocator, brDVec3, body->nodeCount);
	return (!hasFills || body->fills != NULL) && body->stiffnesses != NULL && body->volumes != NULL &&
		   body->neighbors != NULL && body->cornerStarts != NULL && body->corners != NULL &&
		   body->longestEdges != NULL && body->reaches != NULL && body->isHinge != NULL && body->heldAxes != NULL &&
		   body->heldValues != NULL;
}

static brResult bodyCheckDef(const brElasticDef* def, brReport* report)
{
	if (def->stamp != BR_STAMP(*def) || def->mesh == NULL)
	{
		return brFail(report, br_errorMisuse, "the body was not started from its default, or has no mesh");
	}
	if (!(def->youngsModulus > 0.0) || !(def->density > 0.0) || !(def->poissonRatio > -1.0) ||
		!(def->poissonRatio < 0.5) || !(def->sliver >= 0.0) || !(def->sliver < 0.1) || !isfinite(def->youngsModulus) ||
		!isfinite(def->density))
	{
		return brFail(report, br_errorMisuse, "Young's modulus, Poisson ratio, density or sliver is out of range");
	}
	if (def->mesh->tetCount <= 0)
	{
		return brFail(report, br_errorGeometry, "the mesh has no tets");
	}
	if (def->mesh->tetCount > INT32_MAX / 64)
	{
		return brFail(report, br_errorLimit, "the mesh has more than %d tets", INT32_MAX / 64);
	}
	for (int32_t t = 0; t < def->mesh->tetCount; ++t)
	{
		double stiffness = def->stiffnesses != NULL ? def->stiffnesses[t] : 1.0;
		double fill = def->fills != NULL ? def->fills[t] : 1.0;
		if (!(stiffness > 0.0 && fill > 0.0) || !isfinite(stiffness * fill))
		{
			return brFailAt(report, br_errorMisuse, t, "the stiffness or the fill of tet %d is not positive", t);
		}
	}
	return br_success;
}

brResult brCreateElasticBody(const brContext* context, const brElasticDef* def, brElasticBody** outBody,
							 brReport* report)
{
	if (def == NULL || outBody == NULL)
	{
		return brFail(report, br_errorMisuse, "brCreateElasticBody needs def and outBody");
	}
	brResult result = bodyCheckDef(def, report);
	if (result < 0)
	{
		return result;
	}
	brAllocator allocator = brContext_Allocator(context);
	brElasticBody* body = BR_ALLOC_ZERO(&allocator, brElasticBody, 1);
	if (body == NULL)
	{
		return brFailMemory(report);
	}
	body->allocator = allocator;
	body->mesh = def->mesh;
	body->nodeCount = def->mesh->nodeCount;
	body->tetCount = def->mesh->tetCount;
	body->youngsModulus = def->youngsModulus;
	body->poissonRatio = def->poissonRatio;
	body->density = def->density;
	body->sliver = def->sliver;
	body->enrichment = def->enrichment;
	double nu = def->poissonRatio;
	body->lambda = def->youngsModulus * nu / ((1.0 + nu) * (1.0 - 2.0 * nu));
	body->mu = def->youngsModulus / (2.0 * (1.0 + nu));
	if (!bodyAllocate(body, def->fills != NULL))
	{
		result = brFailMemory(report);
		goto done;
	}
	for (int32_t t = 0; t < body->tetCount; ++t)
	{
		body->stiffnesses[t] = def->stiffnesses != NULL ? def->stiffnesses[t] : 1.0;
		if (body->fills != NULL)
		{
			body->fills[t] = def->fills[t];
			body->stiffnesses[t] *= def->fills[t];
		}
	}
	result = bodyMeasure(body, report);
	if (result < 0)
	{
		goto done;
	}
	bodyListCorners(body);
	bodyMeasureNodes(body);
	bodyFindNeighbors(body);
	brElasticBody_FindHinges(body, context);
	result = brElasticBody_SetCracks(body, context, NULL, 0, report);
done:
	if (result < 0)
	{
		brDestroyElasticBody(body);
		return result;
	}
	*outBody = body;
	return brSucceed(report);
}

// The last solution as a start for the next: values keep that of their node; new ones begin with it too.
static void bodyCarrySolution(brElasticBody* body, const brElementSet* next, brDVec3* solution)
{
	for (int32_t v = 0; v < next->valueCount; ++v)
	{
		int32_t node = next->valueNodes[v];
		solution[v] =
			body->solution != NULL && node < body->set.valueCount ? body->solution[node] : (brDVec3){0.0, 0.0, 0.0};
	}
}

// Fields of cracks that have not changed are those of before; `made` counts those that are there.
static brResult bodyMakeFields(brElasticBody* body, const brContext* context, const brCrackSurface* cracks,
							   int32_t count, brCrackField* fields, uint8_t* isKept, int32_t* made, brReport* report)
{
	for (; *made < count; ++*made)
	{
		int32_t i = *made;
		isKept[i] = i < body->crackCount && body->cracks[i].hash == brCrackSurface_Hash(&cracks[i]);
		if (isKept[i])
		{
			fields[i] = body->cracks[i];
			continue;
		}
		brResult result = brCrackField_Make(&fields[i], context, body, &cracks[i], report);
		if (result < 0)
		{
			return result;
		}
	}
	return br_success;
}

brResult brElasticBody_SetCracks(brElasticBody* body, const brContext* context, const brCrackSurface* cracks,
								 int32_t count, brReport* report)
{
	if (body == NULL)
	{
		return brFail(report, br_errorMisuse, "brElasticBody_SetCracks needs body");
	}
	const brAllocator* allocator = &body->allocator;
	if (count < 0 || (count > 0 && cracks == NULL))
	{
		return brFail(report, br_errorMisuse, "cracks are missing");
	}
	brResult result = br_success;
	brElementSet set = {0};
	brDVec3* solution = NULL;
	int32_t made = 0;
	brCrackField* fields = BR_ALLOC_ZERO(allocator, brCrackField, count);
	uint8_t* isKept = BR_ALLOC_ZERO(allocator, uint8_t, count);
	if (fields == NULL || isKept == NULL)
	{
		result = brFailMemory(report);
		goto done;
	}
	if (count > 0 && body->locator == NULL)
	{
		result = brCreateTetLocator(context, body->mesh, &body->locator, report);
		if (result < 0)
		{
			goto done;
		}
	}
	result = bodyMakeFields(body, context, cracks, count, fields, isKept, &made, report);
	if (result < 0)
	{
		goto done;
	}
	result = brElementSet_Make(&set, context, body, fields, count, report);
	if (result < 0)
	{
		goto done;
	}
	solution = BR_ALLOC(allocator, brDVec3, set.valueCount);
	if (solution == NULL)
	{
		result = brFailMemory(report);
		goto done;
	}
	bodyCarrySolution(body, &set, solution);
	// The pieces of both sets stand beside each other here: free modes need the new ones.
	brElementSet oldSet = body->set;
	body->set = set;
	result = brElasticBody_FindFreeModes(body, context, report);
	if (result < 0)
	{
		body->set = oldSet;
		goto done;
	}
	BR_FREE(allocator, body->solution, oldSet.valueCount);
	body->solution = solution;
	body->system = NULL;
	brElasticBody_FreeContact(body);
	solution = NULL;
	set = oldSet;
	for (int32_t i = 0; i < body->crackCount; ++i)
	{
		if (i >= count || !isKept[i])
		{
			brCrackField_Free(&body->cracks[i], allocator);
		}
	}
	BR_FREE(allocator, body->cracks, body->crackCount);
	body->cracks = fields;
	body->crackCount = count;
	brElasticBody_DropSolvers(body);
	fields = NULL;
done:
	if (solution != NULL)
	{
		BR_FREE(allocator, solution, set.valueCount);
	}
	for (int32_t i = 0; fields != NULL && i < made; ++i)
	{
		if (!isKept[i])
		{
			brCrackField_Free(&fields[i], allocator);
		}
	}
	brElementSet_Free(&set, allocator);
	BR_FREE(allocator, fields, count);
	BR_FREE(allocator, isKept, count);
	return result < 0 ? result : brSucceed(report);
}

void brElasticBody_DropSolvers(brElasticBody* body)
{
	brHierarchy_Destroy(body->hierarchy);
	brPetscSolver_Destroy(body->petsc);
	body->hierarchy = NULL;
	body->petsc = NULL;
}

int32_t brElasticBody_GetComponentCount(const brElasticBody* body)
{
	if (body == NULL)
	{
		return 0;
	}
	return body->set.componentCount;
}

const brElasticComponent* brElasticBody_GetComponents(const brElasticBody* body)
{
	if (body == NULL)
	{
		return NULL;
	}
	return body->set.parts;
}

// SPDX-License-Identifier: MIT

// Continuous tests of whole meshes against asking about every pair, and against the public ground truth.

#include "brittle/brittle.h"
#include "ccd_truth.h"
#include "harness.h"
#include "shapes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int compareHits(const void* left, const void* right)
{
	const brCcdHit *p = left, *q = right;
	return p->a != q->a ? (p->a > q->a) - (p->a < q->a) : (p->b > q->b) - (p->b < q->b);
}

// Triangles that share vertices, and where their vertices go.
static void drawFrames(brRandom* random, brMesh** outMesh, brMesh** outNext)
{
	brDVec3 positions[2][30];
	int32_t corners[120];
	int32_t vertexCount = 3 + (int32_t)brRandom_Below(random, 27), faceCount = (int32_t)brRandom_Below(random, 40);
	double motion = ldexp(1.0, -(int)brRandom_Below(random, 10));
	bool isGrid = brRandom_Below(random, 3) == 0;
	for (int32_t i = 0; i < vertexCount; ++i)
	{
		for (int frame = 0; frame < 2; ++frame)
		{
			brDVec3 p = brMakeDVec3(brRandom_Range(random, 0.0, 4.0), brRandom_Range(random, 0.0, 4.0),
									brRandom_Range(random, 0.0, 4.0));
			p = isGrid ? brMakeDVec3(floor(p.x), floor(p.y), floor(p.z)) : p;
			positions[frame][i] = frame == 0 ? p : brDMulAdd(positions[0][i], motion, brDSub(p, positions[0][i]));
		}
	}
	for (int32_t i = 0; i < 3 * faceCount; ++i)
	{
		corners[i] = (int32_t)brRandom_Below(random, (uint32_t)vertexCount);
	}
	*outMesh = brShape_Make(positions[0], vertexCount, corners, NULL, faceCount);
	*outNext = brShape_Make(positions[1], vertexCount, corners, NULL, faceCount);
}

// Asks about every pair of features in turn.
static void checkAgainstAll(const brCcd* ccd, const brMesh* mesh, const brMesh* next, const int32_t* owner,
							const brCcdDef* def, int64_t* outFound)
{
	brCcdHit *faces = ccd->vertexFaces, *edges = ccd->edgeEdges;
	qsort(faces, (size_t)ccd->vertexFaceCount, sizeof(brCcdHit), compareHits);
	qsort(edges, (size_t)ccd->edgeEdgeCount, sizeof(brCcdHit), compareHits);
	int64_t atFace = 0, atEdge = 0;
	double first = 2.0;
	for (int kind = 0; kind < 2; ++kind)
	{
		int32_t countA = kind == 0 ? ccd->vertexCount : ccd->edgeCount;
		int32_t countB = kind == 0 ? ccd->triangleCount : ccd->edgeCount;
		for (int32_t a = 0; a < countA; ++a)
		{
			for (int32_t b = kind == 0 ? 0 : a + 1; b < countB; ++b)
			{
				int32_t c[4] = {a, 0, 0, 0};
				if (kind == 0)
				{
					memcpy(c + 1, mesh->corners + 3 * (int64_t)b, sizeof(int32_t[3]));
				}
				else
				{
					memcpy(c, ccd->edges[a], sizeof(int32_t[2]));
					memcpy(c + 2, ccd->edges[b], sizeof(int32_t[2]));
				}
				bool isNeighbor = kind == 0 ? c[0] == c[1] || c[0] == c[2] || c[0] == c[3]
											: c[0] == c[2] || c[0] == c[3] || c[1] == c[2] || c[1] == c[3];
				if (isNeighbor || !(owner[c[0]] == owner[c[3]] ? def->enableSelf : def->enableInter))
				{
					continue;
				}
				brDVec3 start[4], end[4];
				for (int k = 0; k < 4; ++k)
				{
					start[k] = mesh->positions[c[k]], end[k] = next->positions[c[k]];
				}
				double time;
				if ((kind == 0 ? brVertexMeetsFace : brEdgeMeetsEdge)(start, end, def, &time))
				{
					const brCcdHit* hit = kind == 0 ? &faces[atFace++] : &edges[atEdge++];
					CHECK(atFace <= ccd->vertexFaceCount && atEdge <= ccd->edgeEdgeCount);
					CHECK(hit->a == a && hit->b == b && hit->time == time);
					first = time < first ? time : first;
				}
			}
		}
	}
	CHECK(atFace == ccd->vertexFaceCount && atEdge == ccd->edgeEdgeCount && ccd->firstTime == first);
	*outFound += atFace + atEdge;
}

BR_TEST(ccd_mesh_equals_asking_about_every_pair)
{
	brRandom random = brTest_Random(test);
	brWorkers* workers[3] = {NULL, brTest_Workers(2), brTest_Workers(3)};
	int64_t found = 0;
	for (int32_t round = 0; round < brTest_Rounds(test, 400); ++round)
	{
		brMesh *meshes[3], *next[3], *joined[2];
		int32_t count = 1 + (int32_t)brRandom_Below(&random, 3), owner[90], vertexCount = 0;
		for (int32_t i = 0; i < count; ++i)
		{
			drawFrames(&random, &meshes[i], &next[i]);
			for (int32_t k = 0; k < meshes[i]->vertexCount; ++k)
			{
				owner[vertexCount++] = i;
			}
		}
		CHECK_RESULT(brMergeMeshes(NULL, (const brMesh* const*)meshes, count, &joined[0], NULL), NULL);
		CHECK_RESULT(brMergeMeshes(NULL, (const brMesh* const*)next, count, &joined[1], NULL), NULL);
		brCcdDef def = brDefaultCcdDef();
		def.enableSelf = brRandom_Below(&random, 3) != 0;
		def.enableInter = brRandom_Below(&random, 3) != 0;
		def.separation = round % 3 == 0 ? brRandom_Range(&random, 0.0, 0.3) : 0.0;
		def.lanes = (int32_t[]){0, 1, 8, 16}[round % 4];
		def.method = round % 5 == 0 ? br_pairsBrute : br_pairsOi;
		brContext context = {.workers = workers[brRandom_Below(&random, 3)]};
		brCcd* ccd;
		CHECK_RESULT(brCollideMovingMeshes(&context, (const brMesh* const*)meshes, (const brMesh* const*)next, count,
										   &def, &ccd, NULL),
					 NULL);
		checkAgainstAll(ccd, joined[0], joined[1], owner, &def, &found);
		brDestroyCcd(ccd);
		brDestroyMesh(joined[0]);
		brDestroyMesh(joined[1]);
		for (int32_t i = 0; i < count; ++i)
		{
			brDestroyMesh(meshes[i]);
			brDestroyMesh(next[i]);
		}
	}
	CHECK(found > 0);
	brDestroyWorkers(workers[1]);
	brDestroyWorkers(workers[2]);
}

static void makeScene(brMesh* outFrames[2])
{
	for (int frame = 0; frame < 2; ++frame)
	{
		brMovingSceneDef def = brDefaultMovingSceneDef("cloth_ball");
		def.frame = 60.0 + 10.0 * frame, def.resolution = 60;
		brMovingScene* motion;
		CHECK_RESULT(brMakeMovingScene(NULL, &def, &motion, NULL), NULL);
		CHECK_RESULT(
			brMergeMeshes(NULL, (const brMesh* const*)motion->meshes, motion->meshCount, &outFrames[frame], NULL),
			NULL);
		brDestroyMovingScene(motion);
	}
}

BR_TEST(ccd_mesh_does_not_depend_on_workers_or_lanes)
{
	brMesh* frames[2];
	makeScene(frames);
	brCcd* first = NULL;
	for (int32_t round = 0; round < 6; ++round)
	{
		brWorkers* workers = brTest_Workers(1 + round % 4);
		brContext context = {.workers = workers};
		brCcdDef def = brDefaultCcdDef();
		def.lanes = (int32_t[]){0, 1, 8, 16, 0, 0}[round];
		brCcd* ccd;
		CHECK_RESULT(brCollideMovingMeshes(&context, (const brMesh* const*)&frames[0], (const brMesh* const*)&frames[1],
										   1, &def, &ccd, NULL),
					 NULL);
		if (first == NULL)
		{
			first = ccd;
			CHECK(ccd->vertexFaceCount > 100 && ccd->edgeEdgeCount > 100 && ccd->firstTime <= 1.0);
		}
		else
		{
			CHECK(ccd->vertexFaceCount == first->vertexFaceCount && ccd->edgeEdgeCount == first->edgeEdgeCount);
			CHECK(memcmp(ccd->vertexFaces, first->vertexFaces, (size_t)ccd->vertexFaceCount * sizeof(brCcdHit)) == 0);
			CHECK(memcmp(ccd->edgeEdges, first->edgeEdges, (size_t)ccd->edgeEdgeCount * sizeof(brCcdHit)) == 0);
			CHECK(ccd->firstTime == first->firstTime && ccd->coarseCount == first->coarseCount);
			brDestroyCcd(ccd);
		}
		brDestroyWorkers(workers);
	}
	brDestroyCcd(first);
	brDestroyMesh(frames[0]);
	brDestroyMesh(frames[1]);
}

static brResult findOnce(const brContext* context, void* user)
{
	const brMesh* const* meshes = user;
	brCcdDef def = brDefaultCcdDef();
	def.enableSelf = false;
	brCcd* ccd = NULL;
	brResult result = brCollideMovingMeshes(context, meshes, meshes + 2, 2, &def, &ccd, NULL);
	CHECK(result < 0 ? ccd == NULL : ccd->edgeEdgeCount > 0);
	brDestroyCcd(ccd);
	return result;
}

static bool stopAtOnce(double progress, void* user)
{
	(void)progress;
	(void)user;
	return true;
}

BR_TEST(ccd_mesh_survives_lack_of_memory_and_bad_calls)
{
	brMesh* meshes[4] = {brShape_Sphere(1), brShape_Box(1.0, 1.0, 1.0), brShape_Sphere(1), brShape_Box(1.0, 1.0, 1.0)};
	brAffine shift = brMakeAffineIdentity();
	shift.p = brMakeDVec3(0.9, 0.3, 0.1);
	brMesh_Transform(meshes[3], &shift);
	CHECK(brTest_WalkAllocations(findOnce, meshes) > 20);

	brCcd* ccd = NULL;
	brReport report = {0};
	const brMesh* const* list = (const brMesh* const*)meshes;
	brCcdDef def = brDefaultCcdDef();
	CHECK_EQUAL(brCollideMovingMeshes(NULL, list, list + 1, 2, NULL, &ccd, &report), br_errorGeometry);
	CHECK(strstr(report.text, "mesh 0") != NULL);
	CHECK_EQUAL(brCollideMovingMeshes(NULL, NULL, list, 1, NULL, &ccd, NULL), br_errorMisuse);
	def.tolerance = 0.0;
	CHECK_EQUAL(brCollideMovingMeshes(NULL, list, list + 2, 2, &def, &ccd, NULL), br_errorMisuse);
	def = brDefaultCcdDef();
	def.separation = -1.0;
	CHECK_EQUAL(brCollideMovingMeshes(NULL, list, list + 2, 2, &def, &ccd, NULL), br_errorMisuse);
	def.separation = 1e200;
	CHECK_EQUAL(brCollideMovingMeshes(NULL, list, list + 2, 2, &def, &ccd, NULL), br_errorGeometry);
	def = brDefaultCcdDef();
	def.stamp = 0;
	CHECK_EQUAL(brCollideMovingMeshes(NULL, list, list + 2, 2, &def, &ccd, NULL), br_errorMisuse);
	brContext context = {.cancel = stopAtOnce};
	CHECK_EQUAL(brCollideMovingMeshes(&context, list, list + 2, 2, NULL, &ccd, NULL), br_errorCanceled);
	meshes[2]->positions[3].y = NAN;
	CHECK_EQUAL(brCollideMovingMeshes(NULL, list, list + 2, 2, NULL, &ccd, &report), br_errorGeometry);
	CHECK_EQUAL(report.element, 3);
	CHECK(ccd == NULL);
	CHECK_RESULT(brCollideMovingMeshes(NULL, list, list + 2, 0, NULL, &ccd, NULL), NULL);
	CHECK(ccd->firstTime == 2.0 && ccd->edgeCount == 0);
	brDestroyCcd(ccd);
	for (int i = 0; i < 4; ++i)
	{
		brDestroyMesh(meshes[i]);
	}
}

// The public ground truth

// Every pair that meets is reported, no later than its root where that is given.
static void checkTruth(const char* scene, const char* frame, const char* next, int32_t step, const char* kind)
{
	brCcdTruth truth = brCcdTruth_Load(scene, frame, next, step, kind);
	bool areEdges = strcmp(kind, "ee") == 0;
	int32_t meeting = 0, wrong = 0, timed = 0;
	double most = 0.0;
	for (int32_t i = 0; i < truth.count; ++i)
	{
		brDVec3 start[4], end[4];
		brCcdTruth_Corners(&truth, i, start, end);
		double time;
		bool isHit = (areEdges ? brEdgeMeetsEdge : brVertexMeetsFace)(start, end, NULL, &time);
		CHECK_MESSAGE(isHit || !truth.meets[i], "%s %s pair %d was missed", scene, kind, i);
		meeting += truth.meets[i];
		wrong += isHit && !truth.meets[i];
		if (truth.times[i] >= 0.0)
		{
			// Roots are evaluated in long doubles here, which is good to 1e-12 for the worst of them.
			CHECK_MESSAGE(time <= truth.times[i] + 1e-12, "%s %s pair %d: %.17g is after the root %.17g", scene, kind,
						  i, time, truth.times[i]);
			most = truth.times[i] - time > most ? truth.times[i] - time : most;
			timed += 1;
		}
	}
	printf("%s %d%s: %d pairs, %d meet, %d of %d others reported, %d roots, reported at most %.2g before\n", scene,
		   step, kind, truth.count, meeting, wrong, truth.count - meeting, timed, most);
	CHECK(meeting > 0 && timed == truth.timeCount && most <= 2e-8);
	brCcdTruth_Free(&truth);
}

BR_TEST(ccd_finds_every_contact_of_cloth_ball)
{
	checkTruth("cloth-ball", "cloth_ball92.ply", "cloth_ball93.ply", 92, "vf");
	checkTruth("cloth-ball", "cloth_ball92.ply", "cloth_ball93.ply", 92, "ee");
}

BR_TEST(ccd_finds_every_contact_of_n_body)
{
	checkTruth("n-body-simulation", "balls16_18.ply", "balls16_19.ply", 18, "vf");
	checkTruth("n-body-simulation", "balls16_18.ply", "balls16_19.ply", 18, "ee");
}

BR_TEST(ccd_finds_every_contact_of_cloth_funnel)
{
	checkTruth("cloth-funnel", "227.ply", "228.ply", 227, "vf");
	checkTruth("cloth-funnel", "227.ply", "228.ply", 227, "ee");
}

static int compareIds(const void* left, const void* right)
{
	const int32_t *p = left, *q = right;
	return p[0] != q[0] ? (p[0] > q[0]) - (p[0] < q[0]) : (p[1] > q[1]) - (p[1] < q[1]);
}

// All pairs of a scene from the frames alone: those of the truth and no others.
static void checkHits(brCcdTruth* truth, const brCcdHit* hits, int64_t hitCount, const char* what)
{
	int32_t(*listed)[2] = malloc((size_t)truth->count * sizeof(int32_t[2]));
	CHECK(listed != NULL);
	int32_t count = 0, unique = 0;
	for (int32_t i = 0; i < truth->count; ++i)
	{
		if (truth->meets[i])
		{
			memcpy(listed[count++], truth->ids[i], sizeof(int32_t[2]));
		}
	}
	qsort(listed, (size_t)count, sizeof(int32_t[2]), compareIds);
	for (int32_t i = 0; i < count; ++i)
	{
		unique += i == 0 || compareIds(listed[i - 1], listed[i]) != 0;
	}
	int64_t met = 0;
	for (int64_t i = 0; i < hitCount; ++i)
	{
		met += bsearch(&hits[i].a, listed, (size_t)count, sizeof(int32_t[2]), compareIds) != NULL;
	}
	printf("%s: %lld found, %d in the ground truth\n", what, (long long)hitCount, unique);
	CHECK_EQUAL(met, unique);
	CHECK_EQUAL(hitCount, unique); // nothing else: no false alarm among all pairs of the scene
	free(listed);
	brCcdTruth_Free(truth);
}

static void checkScene(const char* scene, const char* frame, const char* next, int32_t step, int64_t vertexFaces,
					   int64_t edgeEdges)
{
	brCcdTruth truth = brCcdTruth_Load(scene, frame, next, step, "vf");
	brWorkers* workers = brTest_Workers(2);
	brContext context = {.workers = workers};
	brCcd* ccd;
	CHECK_RESULT(brCollideMovingMeshes(&context, (const brMesh* const*)&truth.frames[0],
									   (const brMesh* const*)&truth.frames[1], 1, NULL, &ccd, NULL),
				 NULL);
	CHECK(vertexFaces < 0 || (ccd->vertexFaceCandidates == vertexFaces && ccd->edgeEdgeCandidates == edgeEdges));
	checkHits(&truth, ccd->vertexFaces, ccd->vertexFaceCount, "vertex-face");
	truth = brCcdTruth_Load(scene, frame, next, step, "ee");
	checkHits(&truth, ccd->edgeEdges, ccd->edgeEdgeCount, "edge-edge");
	brDestroyCcd(ccd);
	brDestroyWorkers(workers);
}

BR_TEST(ccd_of_cloth_ball_is_the_ground_truth)
{
	checkScene("cloth-ball", "cloth_ball92.ply", "cloth_ball93.ply", 92, 1655541, 5197332);
}

BR_TEST(ccd_of_n_body_is_the_ground_truth)
{
	if (test->intensity < 1.0)
	{
		brTest_Skip("thirty million pairs take long here");
	}
	checkScene("n-body-simulation", "balls16_18.ply", "balls16_19.ply", 18, -1, -1);
}

BR_TEST(ccd_of_cloth_funnel_is_the_ground_truth)
{
	checkScene("cloth-funnel", "227.ply", "228.ply", 227, -1, -1);
}

// SPDX-License-Identifier: MIT

// Sizes of public structs, pinned for 64-bit platforms: a change here is a change of the binary interface and belongs
// into the release notes.

#include "brittle/brittle.h"
#include "brittle/crowding.h"
#include "brittle/distance_grid.h"
#include "brittle/implicit_tree.h"
#include "brittle/swept_pairs.h"
#include "harness.h"

#include <string.h>

#define PIN_SIZE(type, bytes)                                                                                          \
	_Static_assert(sizeof(void*) != 8 || sizeof(type) == (bytes), "the size of " #type " has changed")

PIN_SIZE(brVec2, 8);
PIN_SIZE(brVec3, 12);
PIN_SIZE(brVec4, 16);
PIN_SIZE(brDVec2, 16);
PIN_SIZE(brDVec3, 24);
PIN_SIZE(brQuat, 32);
PIN_SIZE(brMat3, 72);
PIN_SIZE(brTransform, 56);
PIN_SIZE(brAffine, 96);
PIN_SIZE(brBox3, 24);
PIN_SIZE(brDBox3, 48);

PIN_SIZE(brResult, 4);
PIN_SIZE(brReport, 512);
PIN_SIZE(brAllocator, 24);
PIN_SIZE(brContext, 48);
PIN_SIZE(brWorkersDef, 48);

PIN_SIZE(brSurfaceMaterial, 292);
PIN_SIZE(brMesh, 128);
PIN_SIZE(brMeshDef, 104);
PIN_SIZE(brMassProperties, 112);
PIN_SIZE(brTriangulation, 48);
PIN_SIZE(brTetMesh, 80);
PIN_SIZE(brTetMeshDef, 64);
PIN_SIZE(brTetMeshStats, 72);
PIN_SIZE(brTrackDef, 40);
PIN_SIZE(brTrackStats, 88);
PIN_SIZE(brCcdDef, 32);
PIN_SIZE(brCcdHit, 16);
PIN_SIZE(brMotionKey, 64);
PIN_SIZE(brPart, 224);
PIN_SIZE(brAssembly, 240);
PIN_SIZE(brAssemblyCamera, 88);
PIN_SIZE(brAssemblyJoint, 136);
PIN_SIZE(brRecordedCamera, 120);
PIN_SIZE(brBodyState, 152);
PIN_SIZE(brMeshCheck, 336);
PIN_SIZE(brMeshCheckDef, 8);
PIN_SIZE(brRepairDef, 32);
PIN_SIZE(brRepairCounts, 36);
PIN_SIZE(brSaveDef, 20);
PIN_SIZE(brModelParameter, 48);
PIN_SIZE(brModelInfo, 40);
PIN_SIZE(brModelDef, 128);
PIN_SIZE(brConvexDef, 24);
PIN_SIZE(brConvexParts, 72);
PIN_SIZE(brModalDef, 496);
PIN_SIZE(brMode, 64);
PIN_SIZE(brModalBlow, 72);
PIN_SIZE(brCutoutDef, 344);
PIN_SIZE(brImplicitTree, 24);
PIN_SIZE(brShapeDef, 112);
PIN_SIZE(brShapePart, 176);
PIN_SIZE(brWorldDef, 128);
PIN_SIZE(brBodyDef, 224);
PIN_SIZE(brDebugDraw, 40);
PIN_SIZE(brQueryFilter, 16);
PIN_SIZE(brRay, 56);
PIN_SIZE(brRayHit, 64);
PIN_SIZE(brNearestBody, 64);
PIN_SIZE(brContactPlace, 80);
PIN_SIZE(brJointDef, 152);
PIN_SIZE(brContactEvent, 88);
PIN_SIZE(brBodyEvent, 20);
PIN_SIZE(brStepStats, 112);
PIN_SIZE(brWorldEnergy, 120);
PIN_SIZE(brRecordedPose, 20);
PIN_SIZE(brRecordedKey, 32);
PIN_SIZE(brRecordedBody, 112);
PIN_SIZE(brRecordedBreak, 32);
PIN_SIZE(brRecordedFrame, 24);
PIN_SIZE(brRecordingView, 24);
PIN_SIZE(brRunStep, 248);
PIN_SIZE(brSceneBody, 224);
PIN_SIZE(brSceneJoint, 72);
PIN_SIZE(brSceneEvent, 88);
PIN_SIZE(brSceneCamera, 88);
PIN_SIZE(brSceneOutput, 64);
PIN_SIZE(brSceneBudget, 40);
PIN_SIZE(brElasticDef, 64);
PIN_SIZE(brCrackSurface, 48);
PIN_SIZE(brElasticComponent, 48);
PIN_SIZE(brElasticLoad, 88);
PIN_SIZE(brElasticSolveDef, 48);
PIN_SIZE(brElasticStats, 80);
PIN_SIZE(brStress, 48);
PIN_SIZE(brElasticElement, 88);
PIN_SIZE(brIntensityDef, 32);
PIN_SIZE(brCrackFrontPoint, 160);
PIN_SIZE(brMaterial, 168);
PIN_SIZE(brImpactModelDef, 192);
PIN_SIZE(brStrike, 256);
PIN_SIZE(brImpact, 88);
PIN_SIZE(brBreakDef, 576);
PIN_SIZE(brBreakEvent, 168);
PIN_SIZE(brBreakBudget, 40);
PIN_SIZE(brBreakStats, 56);
PIN_SIZE(brClusterDef, 640);
PIN_SIZE(brCcd, 152);
PIN_SIZE(brPair, 8);
PIN_SIZE(brPenetration, 32);
PIN_SIZE(brPairStages, 40);
PIN_SIZE(brCollideDef, 40);
PIN_SIZE(brCollision, 112);
PIN_SIZE(brKFreeness, 32);
PIN_SIZE(brSweptPairs, 120);
PIN_SIZE(brCrackForce, 48);
PIN_SIZE(brStrengthMap, 24);
PIN_SIZE(brCrackDef, 864);
PIN_SIZE(brCrackStats, 240);
PIN_SIZE(brRecipeInfo, 48);
PIN_SIZE(brSamplePiece, 128);
PIN_SIZE(brSampleBlow, 80);
PIN_SIZE(brSample, 520);
PIN_SIZE(brSampleFile, 24);
PIN_SIZE(brSampleFiles, 48);
PIN_SIZE(brCrack, 72);
PIN_SIZE(brCracks, 328);
PIN_SIZE(brCutPiece, 48);
PIN_SIZE(brCutStats, 72);
PIN_SIZE(brCutResult, 112);
PIN_SIZE(brCutDef, 48);
PIN_SIZE(brGpuInfo, 416);
PIN_SIZE(brGpuDef, 24);
PIN_SIZE(brGpuPiece, 112);
PIN_SIZE(brGpuBreak, 24);
PIN_SIZE(brGpuBirths, 12);
PIN_SIZE(brGpuBody, 208);
PIN_SIZE(brGpuShatter, 48);
PIN_SIZE(brGpuStepStats, 20);
PIN_SIZE(brCapability, 32);
PIN_SIZE(brLiveDef, 64);
PIN_SIZE(brLiveStats, 64);
PIN_SIZE(brMovingSceneInfo, 24);
PIN_SIZE(brMovingSceneDef, 40);
PIN_SIZE(brMovingScene, 40);
PIN_SIZE(brRecording, 280);
PIN_SIZE(brRenderDef, 224);
PIN_SIZE(brScalarMap, 104);
PIN_SIZE(brSceneModel, 784);
PIN_SIZE(brScene, 672);
PIN_SIZE(brSceneChanges, 16);
PIN_SIZE(brSiteDef, 136);
PIN_SIZE(brPiece, 144);
PIN_SIZE(brBond, 64);
PIN_SIZE(brShatterLevel, 24);
PIN_SIZE(brShatter, 112);
PIN_SIZE(brShatterDef, 424);
PIN_SIZE(brClosestPoint, 48);
PIN_SIZE(brTetRefinement, 40);
PIN_SIZE(brTetDef, 56);
PIN_SIZE(brTetInfo, 88);
PIN_SIZE(brTetFaults, 304);
PIN_SIZE(brDistanceGridDef, 40);
PIN_SIZE(brDistanceGrid, 120);
PIN_SIZE(brTetPoint, 48);
PIN_SIZE(brBodyId, 8);
PIN_SIZE(brJointId, 8);
PIN_SIZE(brCascadeDef, 608);
PIN_SIZE(brMendDef, 40);
PIN_SIZE(brMendInfo, 432);
PIN_SIZE(brRay, 56);
PIN_SIZE(brMeshFrame, 136);
PIN_SIZE(brCrackSupport, 136);
PIN_SIZE(brCrackPressure, 80);
PIN_SIZE(brCrackStep, 48);
PIN_SIZE(brCrackFrontRecord, 168);
PIN_SIZE(brCrackCase, 1024);
PIN_SIZE(brShapeHit, 64);
PIN_SIZE(brPairFilter, 16);

BR_TEST(api_arrays_of_vectors_are_packed)
{
	// Readers and hosts cast arrays of numbers to arrays of vectors.
	double numbers[6] = {1, 2, 3, 4, 5, 6};
	const brDVec3* points = (const brDVec3*)numbers;
	CHECK(points[1].x == 4.0 && points[1].z == 6.0);
	brReport report = {0};
	CHECK(report.code == br_success && report.text[0] == 0);
}

BR_TEST(api_stamps_name_the_size_of_their_struct)
{
	CHECK(brDefaultBreakDef().stamp == BR_STAMP_FOR(sizeof(brBreakDef)));
	CHECK(brDefaultBreakBudget().stamp == BR_STAMP_FOR(sizeof(brBreakBudget)));
	CHECK(brDefaultClusterDef().stamp == BR_STAMP_FOR(sizeof(brClusterDef)));
	CHECK(brDefaultCascadeDef().stamp == BR_STAMP_FOR(sizeof(brCascadeDef)));
	CHECK(brDefaultCcdDef().stamp == BR_STAMP_FOR(sizeof(brCcdDef)));
	CHECK(brDefaultMeshCheckDef().stamp == BR_STAMP_FOR(sizeof(brMeshCheckDef)));
	CHECK(brDefaultRepairDef().stamp == BR_STAMP_FOR(sizeof(brRepairDef)));
	CHECK(brDefaultCollideDef().stamp == BR_STAMP_FOR(sizeof(brCollideDef)));
	CHECK(brDefaultWorkersDef().stamp == BR_STAMP_FOR(sizeof(brWorkersDef)));
	CHECK(brDefaultCrackDef().stamp == BR_STAMP_FOR(sizeof(brCrackDef)));
	CHECK(brDefaultCutDef().stamp == BR_STAMP_FOR(sizeof(brCutDef)));
	CHECK(brDefaultElasticDef().stamp == BR_STAMP_FOR(sizeof(brElasticDef)));
	CHECK(brDefaultElasticLoad().stamp == BR_STAMP_FOR(sizeof(brElasticLoad)));
	CHECK(brDefaultElasticSolveDef().stamp == BR_STAMP_FOR(sizeof(brElasticSolveDef)));
	CHECK(brDefaultIntensityDef().stamp == BR_STAMP_FOR(sizeof(brIntensityDef)));
	CHECK(brDefaultGpuDef().stamp == BR_STAMP_FOR(sizeof(brGpuDef)));
	CHECK(brDefaultImpactModelDef().stamp == BR_STAMP_FOR(sizeof(brImpactModelDef)));
	CHECK(brDefaultSaveDef().stamp == BR_STAMP_FOR(sizeof(brSaveDef)));
	CHECK(brDefaultLiveDef().stamp == BR_STAMP_FOR(sizeof(brLiveDef)));
	CHECK(brDefaultMendDef().stamp == BR_STAMP_FOR(sizeof(brMendDef)));
	CHECK(brDefaultMeshDef().stamp == BR_STAMP_FOR(sizeof(brMeshDef)));
	CHECK(brDefaultTetMeshDef().stamp == BR_STAMP_FOR(sizeof(brTetMeshDef)));
	CHECK(brDefaultModelDef("box").stamp == BR_STAMP_FOR(sizeof(brModelDef)));
	CHECK(brDefaultMovingSceneDef("box").stamp == BR_STAMP_FOR(sizeof(brMovingSceneDef)));
	CHECK(brDefaultRecordingView().stamp == BR_STAMP_FOR(sizeof(brRecordingView)));
	CHECK(brDefaultRenderDef().stamp == BR_STAMP_FOR(sizeof(brRenderDef)));
	CHECK(brDefaultShapeDef(br_shapeBox).stamp == BR_STAMP_FOR(sizeof(brShapeDef)));
	CHECK(brDefaultSiteDef().stamp == BR_STAMP_FOR(sizeof(brSiteDef)));
	CHECK(brDefaultShatterDef().stamp == BR_STAMP_FOR(sizeof(brShatterDef)));
	CHECK(brDefaultTrackDef().stamp == BR_STAMP_FOR(sizeof(brTrackDef)));
	CHECK(brDefaultTetDef().stamp == BR_STAMP_FOR(sizeof(brTetDef)));
	CHECK(brDefaultDistanceGridDef().stamp == BR_STAMP_FOR(sizeof(brDistanceGridDef)));
	CHECK(brDefaultWorldDef().stamp == BR_STAMP_FOR(sizeof(brWorldDef)));
	CHECK(brDefaultBodyDef().stamp == BR_STAMP_FOR(sizeof(brBodyDef)));
	CHECK(brDefaultJointDef().stamp == BR_STAMP_FOR(sizeof(brJointDef)));
}

// A caller whose struct has another layout has another stamp, and so has one of another version.
BR_TEST(api_defs_with_the_stamp_of_another_size_or_version_are_refused)
{
	const uint32_t changes[] = {4, 8, 0x10000, 0x42000000};
	for (int i = 0; i < 4; ++i)
	{
		brReport report = {0};
		brWorldDef world = brDefaultWorldDef();
		world.stamp ^= changes[i];
		brWorld* madeWorld = NULL;
		CHECK(brCreateWorld(NULL, &world, &madeWorld, &report) == br_errorMisuse);
		CHECK(madeWorld == NULL && strstr(report.text, "brDefaultWorldDef") != NULL);

		brMeshDef mesh = brDefaultMeshDef();
		mesh.stamp ^= changes[i];
		brMesh* madeMesh = NULL;
		CHECK(brCreateMesh(NULL, &mesh, &madeMesh, &report) == br_errorMisuse && madeMesh == NULL);

		brModelDef model = brDefaultModelDef("box");
		model.stamp ^= changes[i];
		CHECK(brMakeModel(NULL, &model, &madeMesh, &report) == br_errorMisuse && madeMesh == NULL);

		brShapeDef shape = brDefaultShapeDef(br_shapeBox);
		shape.stamp ^= changes[i];
		brShape* madeShape = NULL;
		CHECK(brCreateShape(NULL, &shape, &madeShape, &report) == br_errorMisuse && madeShape == NULL);
	}
}

BR_TEST(api_a_program_of_another_version_is_told)
{
	brReport report = {0};
	CHECK(brGetVersionNumber() == BR_VERSION && brCheckVersion(BR_VERSION, &report) == br_success);
	CHECK(brCheckVersion(BR_VERSION + 1, NULL) == br_success); // a patch does not matter
	CHECK(brCheckVersion(BR_VERSION + 100, &report) == br_errorMisuse && strstr(report.text, brGetVersion()) != NULL);
	CHECK(brCheckVersion(BR_VERSION + 10000, NULL) == br_errorMisuse && brCheckVersion(-1, NULL) == br_errorMisuse);
}

BR_TEST(api_ids_of_nothing_are_null)
{
	brBodyId none = {0}, some = {1, 1}, later = {1, 2};
	CHECK(brBodyId_IsNull(none) && !brBodyId_IsNull(some) && brJointId_IsNull((brJointId){0}));
	CHECK(brBodyId_IsEqual(some, some) && !brBodyId_IsEqual(some, later) && brBodyId_IsEqual(none, none));
}

BR_TEST(api_a_rigid_motion_is_the_same_as_an_affine_map)
{
	brTransform t = {{1.0, -2.0, 3.0}, brMakeQuatAxisAngle(brMakeDVec3(0.6, 0.0, 0.8), 1.1)};
	brAffine map = brMakeAffineFromTransform(t);
	brDVec3 p = {0.3, 4.0, -5.0};
	CHECK(brDDistance(brTransform_Point(t, p), brAffine_Point(&map, p)) < 1e-14);
}

// SPDX-License-Identifier: MIT

// Sizes of public structs, pinned for 64-bit platforms: a change here is a change of the binary interface and belongs
// into the release notes.

#include "brittle/brittle.h"
#include "harness.h"

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
PIN_SIZE(brPart, 192);
PIN_SIZE(brAssembly, 88);
PIN_SIZE(brMeshCheck, 336);
PIN_SIZE(brMeshCheckDef, 8);
PIN_SIZE(brRepairDef, 32);
PIN_SIZE(brRepairCounts, 36);
PIN_SIZE(brSaveDef, 20);
PIN_SIZE(brModelParameter, 48);
PIN_SIZE(brModelInfo, 40);
PIN_SIZE(brModelDef, 128);
PIN_SIZE(brShapeDef, 112);
PIN_SIZE(brWorldDef, 128);
PIN_SIZE(brBodyDef, 216);
PIN_SIZE(brQueryFilter, 16);
PIN_SIZE(brRay, 56);
PIN_SIZE(brRayHit, 64);
PIN_SIZE(brNearestBody, 64);
PIN_SIZE(brContactPlace, 80);
PIN_SIZE(brJointDef, 96);
PIN_SIZE(brContactEvent, 88);
PIN_SIZE(brBodyEvent, 20);
PIN_SIZE(brStepStats, 112);
PIN_SIZE(brWorldEnergy, 64);
PIN_SIZE(brRecordedPose, 20);
PIN_SIZE(brRecordedKey, 24);
PIN_SIZE(brRecordedBody, 104);
PIN_SIZE(brRecordedBreak, 32);
PIN_SIZE(brRecordedFrame, 24);
PIN_SIZE(brRecordingView, 12);
PIN_SIZE(brRunStep, 216);
PIN_SIZE(brSceneBody, 224);
PIN_SIZE(brSceneJoint, 72);
PIN_SIZE(brSceneEvent, 72);
PIN_SIZE(brSceneCamera, 80);
PIN_SIZE(brSceneOutput, 64);
PIN_SIZE(brSceneBudget, 40);
PIN_SIZE(brElasticDef, 64);
PIN_SIZE(brCrackSurface, 48);
PIN_SIZE(brElasticComponent, 48);
PIN_SIZE(brElasticLoad, 88);
PIN_SIZE(brElasticSolveDef, 32);
PIN_SIZE(brElasticStats, 80);
PIN_SIZE(brStress, 48);
PIN_SIZE(brElasticElement, 88);
PIN_SIZE(brIntensityDef, 32);
PIN_SIZE(brCrackFrontPoint, 160);
PIN_SIZE(brMaterial, 104);
PIN_SIZE(brImpactDef, 56);
PIN_SIZE(brImpact, 48);
PIN_SIZE(brBreakDef, 464);
PIN_SIZE(brBreakEvent, 128);
PIN_SIZE(brBreakBudget, 40);
PIN_SIZE(brBreakStats, 56);
PIN_SIZE(brClusterDef, 504);

BR_TEST(api_arrays_of_vectors_are_packed)
{
	// Readers and hosts cast arrays of numbers to arrays of vectors.
	double numbers[6] = {1, 2, 3, 4, 5, 6};
	const brDVec3* points = (const brDVec3*)numbers;
	CHECK(points[1].x == 4.0 && points[1].z == 6.0);
	brReport report = {0};
	CHECK(report.code == br_success && report.text[0] == 0);
}

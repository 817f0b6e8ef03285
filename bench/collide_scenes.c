// SPDX-License-Identifier: MIT
#include "collide_scenes.h"

#include "bench.h"
#include "brittle/brittle.h"

const CollideScene collideScenes[COLLIDE_SCENE_COUNT] = {
	{"cloth-ball", "ccd/cloth-ball/frames/cloth_ball92.ply", "cloth_ball", 92.0, 1337359, 63602},
	{"n-body", "ccd/n-body-simulation/frames/balls16_18.ply", "bodies", 18.0, 1063938, 4916},
	{"bunny", "models/stanford-bunny.obj", "funnel", 250.0, 431519, 0},
};

brMesh* collideLoadFrame(const char* file, const char* motionName, double frame, int32_t resolution, bool* outIsPublic)
{
	const char* path = file != NULL ? brBench_DataPath(file) : NULL;
	brReport report = {0};
	brMesh* mesh = NULL;
	if (outIsPublic != NULL)
	{
		*outIsPublic = path != NULL;
	}
	if (path != NULL)
	{
		if (brLoadMesh(NULL, path, &mesh, &report) < 0)
		{
			brBench_Fail("%s", report.text);
		}
		return mesh;
	}
	brMovingSceneDef def = brDefaultMovingSceneDef(motionName);
	def.frame = frame;
	def.resolution = resolution;
	brMovingScene* motion = NULL;
	if (brMakeMovingScene(NULL, &def, &motion, &report) < 0 ||
		brMergeMeshes(NULL, (const brMesh* const*)motion->meshes, motion->meshCount, &mesh, &report) < 0)
	{
		brBench_Fail("%s", report.text);
	}
	brDestroyMovingScene(motion);
	return mesh;
}

brMesh* collideLoadScene(const CollideScene* scene, bool* outIsPublic)
{
	return collideLoadFrame(scene->file, scene->motion, scene->frame, 0, outIsPublic);
}

// SPDX-License-Identifier: MIT

// Ground, gravity, budget, camera and outputs of a scene.

#include "scene/scene_reader.h"

#include <string.h>

brResult brSceneReader_Gravity(brSceneReader* reader, const brDocNode* node, brDVec3* outGravity)
{
	double down;
	brResult result = br_success;
	if (brDoc_IsNumber(node, &down))
	{
		*outGravity = brMakeDVec3(0.0, 0.0, -down);
	}
	else
	{
		result = brDoc_ReadVector(&reader->document, node, "gravity", outGravity, reader->report);
	}
	if (result >= 0 && !(brDLength(*outGravity) <= 1e6))
	{
		return sceneFail(reader, node, "gravity is a number (downwards) or a vector of at most 1e6 m/s^2");
	}
	return result;
}

// Ground: a material, or a map.

typedef struct GroundInput
{
	const brDocNode* material;
	const brDocNode* color;
	double height, size, friction, restitution;
} GroundInput;

brResult brSceneReader_Ground(brSceneReader* reader, const brDocNode* node)
{
	static const brField fields[] = {
		{"height", br_fieldNumber, offsetof(GroundInput, height), -1e6, 1e6, false, NULL},
		{"material", br_fieldNode, offsetof(GroundInput, material), 0, 0, false, NULL},
		{"color", br_fieldNode, offsetof(GroundInput, color), 0, 0, false, NULL},
		{"size", br_fieldNumber, offsetof(GroundInput, size), 0.0, 1e6, true, NULL},
		{"friction", br_fieldNumber, offsetof(GroundInput, friction), 0.0, 10.0, false, NULL},
		{"restitution", br_fieldNumber, offsetof(GroundInput, restitution), 0.0, 1.0, false, NULL},
	};
	brScene* scene = reader->scene;
	if (node->kind == br_docScalar && (strcmp(node->text, "none") == 0 || strcmp(node->text, "false") == 0))
	{
		scene->hasGround = false;
		return br_success;
	}
	GroundInput input = {.friction = -1.0, .restitution = -1.0};
	brResult result = br_success;
	if (node->kind == br_docMap)
	{
		result = BR_READ_MAP(reader, node, "ground", fields, &input);
	}
	else
	{
		input.material = node;
	}
	brSceneMaterial material = brDefaultSceneMaterial();
	material.physics.friction = 0.6;
	material.physics.restitution = 0.0;
	material.look.baseColor = scene->groundColor;
	if (result >= 0 && input.material != NULL)
	{
		result = brSceneReader_Material(reader, input.material, &material);
	}
	if (result >= 0 && input.color != NULL)
	{
		result = brSceneReader_Color(reader, input.color, "color", &material.look.baseColor);
	}
	if (result < 0)
	{
		return result;
	}
	scene->hasGround = true;
	scene->groundHeight = input.height;
	scene->groundSize = input.size;
	scene->groundMaterial = material.physics;
	scene->groundMaterial.friction = input.friction >= 0.0 ? input.friction : material.physics.friction;
	scene->groundMaterial.restitution = input.restitution >= 0.0 ? input.restitution : material.physics.restitution;
	scene->groundColor = material.look.baseColor;
	scene->groundColor.w = 1.0f;
	return br_success;
}

brResult brSceneReader_Box(brSceneReader* reader, const brDocNode* node, const char* key, brDBox3* outBox)
{
	brDVec3 a = {0, 0, 0}, b = {0, 0, 0};
	if (node->kind != br_docList || node->count != 2)
	{
		return sceneFail(reader, node, "%s is a box of two corners, [[x, y, z], [x, y, z]]", key);
	}
	brResult result = brDoc_ReadVector(&reader->document, node->children[0], key, &a, reader->report);
	result = result < 0 ? result : brDoc_ReadVector(&reader->document, node->children[1], key, &b, reader->report);
	*outBox = (brDBox3){brDMin(a, b), brDMax(a, b)};
	return result;
}

typedef struct CameraInput
{
	const brDocNode* frame;
	double azimuth, elevation, fieldOfView, zoom;
	bool isExact;
} CameraInput;

brResult brSceneReader_Camera(brSceneReader* reader, const brDocNode* node)
{
	static const brField fields[] = {
		{"azimuth", br_fieldNumber, offsetof(CameraInput, azimuth), -3600.0, 3600.0, false, NULL},
		{"elevation", br_fieldNumber, offsetof(CameraInput, elevation), -89.0, 89.0, false, NULL},
		{"fov", br_fieldNumber, offsetof(CameraInput, fieldOfView), 1.0, 150.0, false, NULL},
		{"zoom", br_fieldNumber, offsetof(CameraInput, zoom), 0.01, 1000.0, false, NULL},
		{"frame", br_fieldNode, offsetof(CameraInput, frame), 0, 0, false, NULL},
		{"exact", br_fieldBool, offsetof(CameraInput, isExact), 0, 0, false, NULL},
	};
	const double degree = BR_PI / 180.0;
	brSceneCamera* camera = &reader->scene->camera;
	CameraInput input = {
		NULL,         camera->azimuth / degree, camera->elevation / degree, camera->fieldOfView / degree,
		camera->zoom, camera->isExact};
	brResult result = BR_READ_MAP(reader, node, "camera", fields, &input);
	if (result >= 0 && input.frame != NULL)
	{
		result = brSceneReader_Box(reader, input.frame, "frame", &camera->frame);
	}
	if (result >= 0)
	{
		camera->azimuth = input.azimuth * degree;
		camera->elevation = input.elevation * degree;
		camera->fieldOfView = input.fieldOfView * degree;
		camera->zoom = input.zoom;
		camera->isExact = input.isExact;
	}
	return result;
}

brResult brSceneReader_Output(brSceneReader* reader, const brDocNode* node)
{
	typedef struct OutputInput
	{
		brSceneOutput out;
		const brDocNode* posterSize;
		const brDocNode* videoSize;
		const brDocNode* sheetGrid;
	} OutputInput;
	static const brField fields[] = {
		{"glb", br_fieldBool, offsetof(OutputInput, out.glb), 0, 0, false, NULL},
		{"usda", br_fieldBool, offsetof(OutputInput, out.usda), 0, 0, false, NULL},
		{"brec", br_fieldBool, offsetof(OutputInput, out.brec), 0, 0, false, NULL},
		{"csv", br_fieldBool, offsetof(OutputInput, out.csv), 0, 0, false, NULL},
		{"poster", br_fieldBool, offsetof(OutputInput, out.poster), 0, 0, false, NULL},
		{"sheet", br_fieldBool, offsetof(OutputInput, out.sheet), 0, 0, false, NULL},
		{"frames", br_fieldBool, offsetof(OutputInput, out.frames), 0, 0, false, NULL},
		{"video", br_fieldBool, offsetof(OutputInput, out.video), 0, 0, false, NULL},
		{"poster_time", br_fieldNumber, offsetof(OutputInput, out.posterTime), 0.0, 1e6, false, NULL},
		{"poster_size", br_fieldNode, offsetof(OutputInput, posterSize), 0, 0, false, NULL},
		{"samples", br_fieldInteger, offsetof(OutputInput, out.samples), 1, 4096, false, NULL},
		{"sheet_grid", br_fieldNode, offsetof(OutputInput, sheetGrid), 0, 0, false, NULL},
		{"sheet_from", br_fieldNumber, offsetof(OutputInput, out.sheetFrom), 0.0, 1e6, false, NULL},
		{"sheet_to", br_fieldNumber, offsetof(OutputInput, out.sheetTo), 0.0, 1e6, false, NULL},
		{"video_size", br_fieldNode, offsetof(OutputInput, videoSize), 0, 0, false, NULL},
	};
	OutputInput input = {.out = reader->scene->output};
	brResult result = BR_READ_MAP(reader, node, "output", fields, &input);
	const brDocNode* pairs[3] = {input.posterSize, input.videoSize, input.sheetGrid};
	const char* names[3] = {"poster_size", "video_size", "sheet_grid"};
	int32_t* targets[3][2] = {{&input.out.posterWidth, &input.out.posterHeight},
							  {&input.out.videoWidth, &input.out.videoHeight},
							  {&input.out.sheetColumns, &input.out.sheetRows}};
	for (int32_t i = 0; i < 3 && result >= 0; ++i)
	{
		double numbers[2], lower = i < 2 ? 16.0 : 1.0, upper = i < 2 ? 8192.0 : 16.0;
		if (pairs[i] == NULL)
		{
			continue;
		}
		result = brDoc_ReadNumbers(&reader->document, pairs[i], names[i], numbers, 2, reader->report);
		for (int32_t k = 0; k < 2 && result >= 0; ++k)
		{
			if (!(numbers[k] >= lower && numbers[k] <= upper && numbers[k] == floor(numbers[k])))
			{
				return sceneFail(reader, pairs[i], "%s is two whole numbers from %g to %g", names[i], lower, upper);
			}
			*targets[i][k] = (int32_t)numbers[k];
		}
	}
	if (result >= 0)
	{
		reader->scene->output = input.out;
	}
	return result;
}

brResult brSceneReader_Budget(brSceneReader* reader, const brDocNode* node)
{
	static const brField fields[] = {
		{"bodies", br_fieldInteger, offsetof(brSceneBudget, bodies), 0, 2e9, false, NULL},
		{"contacts", br_fieldInteger, offsetof(brSceneBudget, contacts), 0, 2e9, false, NULL},
		{"pieces_per_step", br_fieldInteger, offsetof(brSceneBudget, piecesPerStep), 0, 2e9, false, NULL},
		{"seconds_per_step", br_fieldNumber, offsetof(brSceneBudget, secondsPerStep), 0.0, 1e6, false, NULL},
		{"dust_size", br_fieldNumber, offsetof(brSceneBudget, dustSize), 0.0, 1e6, false, NULL},
		{"dust_time", br_fieldNumber, offsetof(brSceneBudget, dustTime), 0.0, 1e6, false, NULL},
	};
	return BR_READ_MAP(reader, node, "budget", fields, &reader->scene->budget);
}

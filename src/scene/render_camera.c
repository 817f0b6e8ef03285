// SPDX-License-Identifier: MIT

#include "scene/render_camera.h"

#include "math/rotation.h"

#include <math.h>

#define CAMERA_MARGIN 1.12 // of the frame around what is framed

brRenderCamera brMakeRenderCamera(const brRenderDef* def)
{
	// Azimuth 0 is +x; with another up axis, the world axis least along it, made level.
	brDVec3 up = brDNormalize(def->up), side = {1.0, 0.0, 0.0};
	if (fabs(up.x) > 0.9)
	{
		side = brMakeDVec3(0.0, 1.0, 0.0);
	}
	brDVec3 east = brDNormalize(brDMulAdd(side, -brDDot(side, up), up)), north = brDCross(up, east);
	double ca = brCos(def->azimuth), sa = brSin(def->azimuth), ce = brCos(def->elevation), se = brSin(def->elevation);
	brRenderCamera camera = {
		.level = brDAdd(brDMul(ca, east), brDMul(sa, north)),
		.up = up,
		.right = brDAdd(brDMul(-sa, east), brDMul(ca, north)),
		.halfHeight = brSin(0.5 * def->fieldOfView) / brCos(0.5 * def->fieldOfView),
		.highest = {{-INFINITY, -INFINITY}, {-INFINITY, -INFINITY}},
	};
	camera.forward = brDNeg(brDAdd(brDMul(ce, camera.level), brDMul(se, up)));
	camera.above = brDCross(camera.right, camera.forward);
	camera.slopes[0] = camera.halfHeight * ((double)def->width / def->height) / CAMERA_MARGIN;
	camera.slopes[1] = camera.halfHeight / CAMERA_MARGIN;
	return camera;
}

// The camera moves along its direction and sideways until the four sides of its view touch what is framed: for each pair
// of opposite sides the two extreme planes meet in a line, and the camera stands on the farther of the two lines.
void brRenderCamera_Include(brRenderCamera* camera, brDVec3 point)
{
	double depth = brDDot(point, camera->forward);
	brDVec3 axes[2] = {camera->right, camera->above};
	for (int32_t a = 0; a < 2; ++a)
	{
		double x = brDDot(point, axes[a]);
		camera->highest[a][0] = fmax(camera->highest[a][0], x - camera->slopes[a] * depth);
		camera->highest[a][1] = fmax(camera->highest[a][1], -x - camera->slopes[a] * depth);
	}
}

void brRenderCamera_Stand(brRenderCamera* camera, double zoom)
{
	// The camera at (x, depth) sees p if |p.x - x| <= slope * (p.depth - depth): both planes at once give x and depth.
	double depth = INFINITY, at[2];
	for (int32_t a = 0; a < 2; ++a)
	{
		at[a] = 0.5 * (camera->highest[a][0] - camera->highest[a][1]);
		depth = fmin(depth, -0.5 * (camera->highest[a][0] + camera->highest[a][1]) / camera->slopes[a]);
	}
	// Zoom shortens the way to the middle of what is framed.
	camera->position = brDAdd(brDMul(at[0], camera->right), brDMul(at[1], camera->above));
	camera->position = brDMulAdd(camera->position, depth / zoom, camera->forward);
}

brRenderCamera brMakeFrameCamera(const brRenderDef* def)
{
	brRenderCamera camera = brMakeRenderCamera(def);
	brDVec3 middle = brDLerp(def->frame.lower, def->frame.upper, 0.5);
	for (int32_t i = 0; i < 8; ++i)
	{
		brDVec3 corner = {(i & 1 ? def->frame.upper : def->frame.lower).x,
						  (i & 2 ? def->frame.upper : def->frame.lower).y,
						  (i & 4 ? def->frame.upper : def->frame.lower).z};
		brRenderCamera_Include(&camera, brDSub(corner, middle));
	}
	brRenderCamera_Stand(&camera, def->zoom);
	camera.position = brDAdd(middle, camera.position);
	return camera;
}

brRenderDef brMakeCameraRenderDef(const brRecordedCamera* camera, brDBox3 frame)
{
	brRenderDef def = brDefaultRenderDef();
	if (!(camera->zoom > 0.0))
	{
		return def;
	}
	def.azimuth = camera->azimuth;
	def.elevation = camera->elevation;
	def.fieldOfView = camera->fieldOfView;
	def.zoom = camera->zoom;
	def.width = camera->width;
	def.height = camera->height;
	def.samples = camera->samples;
	def.seed = camera->seed;
	def.ground = camera->ground;
	def.frame = frame;
	def.groundHeight = camera->ground ? camera->groundHeight : -INFINITY;
	if (camera->ground && frame.lower.x <= frame.upper.x)
	{
		def.frame.lower.z = fmax(frame.lower.z, camera->groundHeight);
		def.frame.upper.z = fmax(frame.upper.z, camera->groundHeight + 1e-3);
	}
	return def;
}

brRenderDef brMakeRecordingRenderDef(const brRecording* recording, double from, double to)
{
	if (recording == NULL)
	{
		return brDefaultRenderDef();
	}
	const brRecordedCamera* camera = &recording->camera;
	bool isFramed = camera->frame.lower.x <= camera->frame.upper.x, isWhole = isinf(from) && isinf(to);
	bool isKept = isFramed && (isWhole || camera->isFixed);
	brRenderDef def =
		brMakeCameraRenderDef(camera, isKept ? camera->frame : brRecording_FindAction(recording, from, to));
	def.time = isfinite(from) ? from : 0.0;
	return def;
}

brAssemblyCamera brRecording_FindCamera(const brRecording* recording, double from, double to)
{
	brAssemblyCamera result = {0};
	brRenderDef def = brMakeRecordingRenderDef(recording, from, to);
	if (!(recording->camera.zoom > 0.0) || !(def.frame.lower.x <= def.frame.upper.x))
	{
		return result;
	}
	brRenderCamera camera = brMakeFrameCamera(&def);
	brMat3 axes = {camera.right, camera.above, brDNeg(camera.forward)};
	result.pose.q = brMakeQuatFromMat3(&axes);
	result.pose.p = camera.position;
	result.fieldOfView = def.fieldOfView;
	result.aspect = (double)def.width / def.height;
	result.distance = brDDistance(camera.position, brDLerp(def.frame.lower, def.frame.upper, 0.5));
	result.isSet = brDIsFinite(result.pose.p);
	return result;
}

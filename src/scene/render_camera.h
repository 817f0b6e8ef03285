// SPDX-License-Identifier: MIT
#pragma once

// Where a picture is taken from: axes by the angles of a def, then a stand from which all that is framed is seen.

#include "brittle/render.h"

typedef struct brRenderCamera
{
	brDVec3 position, right, above, forward;
	brDVec3 level, up;    // towards the camera along the ground; unit
	double halfHeight;    // of the picture at distance 1
	double slopes[2];     // of the sides of the frame, across and up
	double highest[2][2]; // of the planes through points so far, for each pair of sides
} brRenderCamera;

/// Axes of the camera; it stands at the origin and frames nothing yet.
brRenderCamera brMakeRenderCamera(const brRenderDef* def);

/// The point is to be in the frame.
void brRenderCamera_Include(brRenderCamera* camera, brDVec3 point);

/// Moves the camera so that all points are in the frame, then closer by the zoom of the def.
void brRenderCamera_Stand(brRenderCamera* camera, double zoom);

/// The camera whose picture shows the corners of the frame of the def.
brRenderCamera brMakeFrameCamera(const brRenderDef* def);

/// Pictures of a box by the camera of a recording; without a camera the default's.
brRenderDef brMakeCameraRenderDef(const brRecordedCamera* camera, brDBox3 frame);

/// The camera of a recording's pictures, for files. Not set if the recording has none.
brAssemblyCamera brRecording_FindCamera(const brRecording* recording, double from, double to);

// SPDX-License-Identifier: MIT
#pragma once

// How light reaches the eye along one ray.

#include "scene/render_scene.h"

#define BR_RENDER_CIRCLE 1024

/// What all rays of a picture share.
typedef struct brRenderView
{
	const brRenderScene* scene;
	brVec3 up;
	brVec3 key;                // towards the middle of the key light
	brVec3 keyRight, keyAbove; // across it
	brVec3 rim;                // towards the weak light behind
	const brVec2* circle;      // [BR_RENDER_CIRCLE + 1] points of the unit circle
	float pixel;               // size of a pixel at distance 1
	bool hasGround, drawsEdges, colorsParts, hasClip;
	brVec3 clipNormal;
	float clipOffset; // in scene units
} brRenderView;

/// Light that reaches the eye, and how much of the background still does, by color. The ground is nothing but the
/// shadow it catches, as darkness over the background.
typedef struct brRenderSample
{
	brVec3 color;
	brVec3 behind;
	brVec3 normal, albedo; // of what is seen, layers of glass and what is behind them added up; for the denoiser
	float depth;           // of the first of them
} brRenderSample;

/// Numbers in [0, 1) that place one sample: two for the light, two for the bounce, two for the light at the bounce.
typedef struct brRenderDraws
{
	float light[2], bounce[2], second[2];
} brRenderDraws;

brRenderSample brRenderView_Trace(const brRenderView* view, brVec3 origin, brVec3 direction,
								  const brRenderDraws* draws);

// SPDX-License-Identifier: MIT
#pragma once

// How light reaches the eye along one ray.

#include "scene/render_draws.h"
#include "scene/render_scene.h"

#define BR_RENDER_CIRCLE 1024

/// Lights, sky and background.
typedef struct brRenderSet
{
	brVec3 key;               // light of a white surface that faces the key light
	float keySpread;          // radius of its disc at distance 1
	brVec3 horizon, zenith;   // of the sky
	brVec3 below;             // a floor without shadows
	float ambient;            // stands for all bounces after the first
	brVec3 groundAmbient;     // the same on the ground
	float floor;              // albedo of the ground, as objects see it
	float skyShare;           // of the light of the ground
	float box, strip;         // brightness of the lights in mirrors
	brVec3 nearBack, farBack; // background at the bottom and the top
	float corners;            // how much darker the background is there
} brRenderSet;

const brRenderSet* brGetRenderSet(brRenderLight light);

/// What all rays of a picture share.
typedef struct brRenderView
{
	const brRenderScene* scene;
	const brRenderSet* set;
	brVec3 up;
	brVec3 key;                // towards the middle of the key light
	brVec3 keyRight, keyAbove; // across it
	brVec3 rim;                // towards the weak light behind
	const brVec2* circle;      // [BR_RENDER_CIRCLE + 1] points of the unit circle
	float pixel;               // size of a pixel at distance 1
	float time;                // of this ray within the shutter's, 0 to 1
	bool mayHit;               // rays from the eye may meet something
	brSurfaceMaterial bare;    // of faces without a material
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

brRenderSample brRenderView_Trace(const brRenderView* view, brVec3 origin, brVec3 direction,
								  const brRenderDraws* draws);

// SPDX-License-Identifier: MIT
#pragma once

/// @file render.h
/// Pictures to judge a result by: three kinds of light, soft shadows, a ground, a camera that frames what is there.
///
/// The same scene gives the same picture for any number of workers.

#include "brittle/recording.h"

/// Lights and background of a picture.
typedef enum brRenderLight
{
	br_renderStudio = 0,   ///< One large soft light, a pale wall.
	br_renderDaylight = 1, ///< A sun with sharp shadows, a blue sky.
	br_renderDark = 2,     ///< One lamp in a dark room.
} brRenderLight;

/// Start from brDefaultRenderDef().
typedef struct brRenderDef
{
	int32_t width, height; ///< 16 to 16384. [px]
	/// The most rays of a pixel; time grows with them. With denoise 4 is a draft and 16, the default, is clean: pixels
	/// that can be smoothed take a quarter of them. Without denoise a clean picture takes 64.
	int32_t samples;
	bool denoise;        ///< Smooth the grain between edges. On by default.
	brRenderLight light; ///< Studio by default.
	double time;         ///< Pose of moving parts. [s]
	double azimuth;      ///< Camera around the up axis from +x towards +y. [rad]
	double elevation;    ///< Camera above the horizon. [rad]
	double fieldOfView;  ///< Vertical. [rad]
	double aperture;     ///< Diameter of the lens: what is out of focus blurs. 0, the default: all is sharp. [m]
	double focus;        ///< Distance that is sharp; 0: the middle of the frame. [m]
	double shutter;      ///< What moves blurs over this time from `time` on. 0 by default. [s]
	double zoom;         ///< 1 shows everything; 2 is twice as close. [1]
	brDVec3 up;          ///< Unit vector. z by default.
	brDBox3 frame;       ///< What the camera shows; empty: all parts. [m]
	double groundHeight; ///< Of the ground, along `up`. -INFINITY, the default: under the lowest point. [m]
	bool ground;         ///< A plane to stand on.
	bool edges;          ///< Draw polygon edges.
	bool colorParts;     ///< Give each part a color of its own instead of its material.
	bool transparentBackground;
	bool clip; ///< Leave out everything with clipNormal . x > clipOffset.
	brDVec3 clipNormal;
	double clipOffset; ///< [m]
	uint64_t seed;     ///< Of the sampling noise.
	uint32_t stamp;    ///< Written by the default function. Leave it alone.
} brRenderDef;

BR_API brRenderDef brDefaultRenderDef(void);

/// How pictures of a recording are taken between two times [s]: camera, size, samples and seed of the run, and a frame
/// of what happens then. A still, such as the poster, has the same time twice; -INFINITY and INFINITY give the frame of
/// the run, that of its video. The default's without a camera.
BR_API brRenderDef brMakeRecordingRenderDef(const brRecording* recording, double from, double to);

/// Draws an assembly. Fills width * height RGBA bytes of `outPixels`, which is the caller's, top row first, sRGB.
/// `context` and `report` may be null.
BR_API brResult brRender(const brContext* context, const brAssembly* assembly, const brRenderDef* def,
						 uint8_t* outPixels, brReport* report);

/// Writes RGBA pixels as PNG, to a temporary name first. `context` and `report` may be null.
BR_API brResult brSavePng(const brContext* context, const char* path, int32_t width, int32_t height,
						  const uint8_t* pixels, brReport* report);

/// Several pictures side by side in one PNG, row by row: `defs` [count], each with its own time and all of the size of
/// the first. `columns` at least 1. `context` and `report` may be null.
BR_API brResult brSaveContactSheet(const brContext* context, const brAssembly* assembly, const brRenderDef* defs,
								   int32_t count, int32_t columns, const char* path, brReport* report);

// SPDX-License-Identifier: MIT
#pragma once

// What JavaScript holds of things in here: numbers, checked on every call.
//
// A handle is a slot and the number of things that the slot has had, so one that was freed, made up or of another kind
// is refused with a sentence and never reaches memory. Every exported call returns a handle or count of 0 and more, or
// a negative brResult whose sentence webText gives.

#include "brittle/brittle.h"

#define WEB_API __attribute__((used, visibility("default")))

typedef enum WebKind
{
	web_none = 0,
	web_mesh,   // brMesh
	web_pieces, // WebPieces
	web_tets,   // brTetMesh
	web_bytes,  // WebBytes
	web_scene,  // WebScene
	web_run,    // WebPlay
	web_live,   // WebPlay
	web_world,  // brWorld
	web_kindCount,
} WebKind;

/// Bytes on their way out.
typedef struct WebBytes
{
	uint8_t* data;
	size_t count;
} WebBytes;

/// Meshes on their way out, with what is known of each.
typedef struct WebPieces
{
	int32_t count;
	brMesh** meshes; // [count] null once taken
	double* masses;  // [count] kg
	int32_t bondCount;
	int32_t* bonds; // [2 * bondCount]
} WebPieces;

/// A scene, shared by what is played of it: each of these may be freed first.
typedef struct WebScene
{
	brScene* scene;
	int32_t users;
} WebScene;

/// A run or a live world, whose scene must outlive it.
typedef struct WebPlay
{
	WebScene* scene;
	brRun* run;   // or null
	brLive* live; // or null
} WebPlay;

/// The sentence of the last call that failed or had a remark.
extern brReport webReport;

/// A handle for a thing, which is the table's from now on; negative if there is no room, and the thing is gone.
int32_t webPut(WebKind kind, void* thing);

/// The thing behind a handle, or null with a sentence in webReport.
void* webGet(int32_t handle, WebKind kind);

/// A handle for something that plays a scene; the scene stays as long as it does.
int32_t webPutPlay(WebKind kind, WebPlay play);

/// Fails with a sentence; returns the code.
int32_t webFail(brResult code, const char* format, ...) __attribute__((format(printf, 2, 3)));

/// A list of `count` meshes to be filled in. Null with a sentence if there is no memory.
WebPieces* webMakePieces(int32_t count, int32_t bondCount);
void webDestroyPieces(WebPieces* pieces);

/// All bodies of a world that have a mesh, where they are, as bytes of a file with this ending.
int32_t webWriteBodies(const brWorld* world, const char* ending);

// SPDX-License-Identifier: MIT
#pragma once

// A glTF file while it is written: data gathered in streams of one layout each, small records that point into them, and
// at the end JSON made from the records.
//
// One buffer view per stream instead of one per mesh and attribute keeps the JSON small: thousands of shards need seven
// views.
//
//     binary: | vec3 | vec2 | unorm8 colors | float colors | 32-bit indices | times and poses | 16-bit indices |

#include "io/json_text.h"
#include "io/scene_parts.h"

typedef enum brGltfStream
{
	br_gltfVec3,   // positions and normals
	br_gltfVec2,   // texture coordinates
	br_gltfUnorm8, // colors that are multiples of 1/255
	br_gltfVec4,   // other colors
	br_gltfIndex32,
	br_gltfMotion,  // times, translations, rotations, scales
	br_gltfIndex16, // last: the only one that may end off a multiple of 4
	br_gltfStreamCount,
} brGltfStream;

/// Elements of one layout, as words; for br_gltfIndex16 two to a word would tie hands, so it has its own array below.
typedef BR_ARRAY(uint32_t) brGltfWords;

typedef struct brGltfAccessor
{
	brGltfStream stream;
	int32_t components;
	int64_t byteOffset; // in the stream
	int32_t count;
	bool hasBounds;
	float lower[3], upper[3];
} brGltfAccessor;

typedef struct brGltfPrimitive
{
	int32_t position, normal, uv, color, indices; // accessors, -1: none
	int32_t material;                             // or -1
} brGltfPrimitive;

/// What one mesh or tet mesh of the assembly became.
typedef struct brGltfShape
{
	int32_t mesh; // number in the file, -1: not written yet, -2: no faces
	int32_t firstPrimitive;
	int32_t primitiveCount;
	int32_t part; // that shows it first and gives it its name
} brGltfShape;

typedef struct brGltfTrack
{
	int32_t node;
	const char* path; // "translation", "rotation", "scale"
	int32_t input, output;
	bool isStep;
} brGltfTrack;

typedef struct brGltfWriter
{
	const brWriteJob* job;
	brGltfWords streams[br_gltfStreamCount]; // br_gltfIndex16 stays empty
	BR_ARRAY(uint16_t) shorts;
	BR_ARRAY(brGltfAccessor) accessors;
	BR_ARRAY(brGltfPrimitive) primitives;
	BR_ARRAY(brGltfTrack) tracks;
	brMaterialList materials;
	brGltfShape* shapes; // [meshCount + tetMeshCount]
	int32_t meshCount;   // written ones
	double timeShift;    // added to all times so that none is negative

	// What the remark at the end speaks of.
	bool hasPolygons, hasRounded, hasRoundedUvs, hasFixedNormals, hasFixedValues, hasGroups, hasEmpty, hasTets;
	bool hasShiftedTime, hasMergedKeys;
} brGltfWriter;

/// Bytes in a stream so far.
int64_t brGltfWriter_StreamBytes(const brGltfWriter* writer, brGltfStream stream);

/// Makes the primitives of a mesh. `number` is its place in writer->shapes.
brResult brGltfWriter_AddMesh(brGltfWriter* writer, const brMesh* mesh, int32_t number);

/// Makes the tracks that move and show the part by animating `node`. Call brGltfWriter_PlanTime once before.
void brGltfWriter_PlanTime(brGltfWriter* writer);
bool brGltfWriter_AddMotion(brGltfWriter* writer, int32_t part, int32_t node);

typedef struct brGltfNodes
{
	brJsonText json;        // the inside of "nodes"
	BR_ARRAY(int32_t) tops; // outermost node of each part; in the end those of the scene
	int32_t* groups;        // [groupCount] node, while they are made
	int32_t count;
	bool isFirst;
} brGltfNodes;

/// The nodes of all parts, groups and the camera. False without memory.
bool brGltfWriter_GatherNodes(brGltfWriter* writer, brGltfNodes* nodes);

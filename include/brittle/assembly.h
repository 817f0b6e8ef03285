// SPDX-License-Identifier: MIT
#pragma once

/// @file assembly.h
/// What a file holds: meshes, tet meshes, and parts that place them, perhaps moving over time.
///
/// One part shows one mesh; many parts may show the same one. A file without placements (PLY, STL...) gives one part at
/// the identity. Use this to write many pieces into one .glb or .usda, and brLoadMesh when all you want is the surface.
///
///     brAssembly* pieces = brCreateAssembly(NULL);
///     int32_t shard = brAssembly_AddMesh(pieces, mesh);     // the assembly owns it now
///     brPart part = brDefaultPart();
///     part.mesh = shard, part.placement.p.y = 2.0;
///     brAssembly_AddPart(pieces, "shard_0", &part);
///     brSaveAssembly(NULL, pieces, "shards.glb", NULL, NULL);
///     brDestroyAssembly(pieces);

#include "brittle/mesh.h"

/// Where a part is at one instant.
typedef struct brMotionKey
{
	double time;      ///< Rising along a motion. [s]
	brTransform pose; ///< Applied after the part's placement.
} brMotionKey;

/// One placed mesh.
typedef struct brPart
{
	char name[64];      ///< UTF-8, terminated. May be empty; writers then number it.
	int32_t mesh;       ///< Index into meshes, or -1.
	int32_t tetMesh;    ///< Index into tetMeshes, or -1. Exactly one of the two is set.
	brAffine placement; ///< Mesh to world; the file's node hierarchy multiplied out.
	int32_t firstKey;   ///< Index of its first key in keys.
	int32_t keyCount;   ///< Number of keys of its motion. 0: the part does not move.
	double bornTime;    ///< The part is hidden before this time. -INFINITY: visible from the start. [s]
	double goneTime;    ///< The part is hidden from this time on. INFINITY: never. [s]
	int32_t group;      ///< Index into groups, or -1.
	int32_t parent;     ///< The part that this one is a piece of, or -1.
	int32_t generation; ///< How often what it comes from has broken; 0: not at all.
	double mass;        ///< 0: not known. [kg]
	double breakEnergy; ///< Energy of the break that it comes from; 0: none, or not known. [J]
} brPart;

/// A mesh-less part at the identity, always visible.
BR_API brPart brDefaultPart(void);

/// Where a file's camera stands: it looks along its -z with y up, as in glTF and USD.
typedef struct brAssemblyCamera
{
	bool isSet;
	brTransform pose;
	double fieldOfView; ///< Vertical. [rad]
	double aspect;      ///< Width over height. [1]
	double distance;    ///< To what it looks at. [m]
} brAssemblyCamera;

/// What holds two parts together, for solvers that read the file.
typedef struct brAssemblyJoint
{
	int32_t kind;     ///< 0: one point (ball), 1: a point and an axis (hinge), 2: everything (fixed), as brJointKind.
	int32_t parts[2]; ///< Two different ones; -1: the world.
	brTransform frames[2]; ///< The joint in the axes of each part's mesh, or the world's. A hinge turns about x.
	double breakForce;     ///< It breaks above this force. INFINITY: never. [N]
} brAssemblyJoint;

typedef struct brAssembly
{
	int32_t meshCount;
	int32_t tetMeshCount;
	int32_t partCount;
	int32_t keyCount;
	brMesh** meshes;       ///< [meshCount], owned, no nulls.
	brTetMesh** tetMeshes; ///< [tetMeshCount], owned, no nulls.
	brPart* parts;         ///< [partCount]
	brMotionKey* keys;     ///< [keyCount], all motions one after the other.
	int32_t groupCount;
	char (*groups)[64]; ///< [groupCount] Names.
	int32_t jointCount;
	brAssemblyJoint* joints; ///< [jointCount] Written to USD.
	brAssemblyCamera camera;
	brDVec3 gravity; ///< For bodies with mass, in USD. 9.81 down z by default. [m/s^2]

	int32_t meshCapacity, tetMeshCapacity, partCapacity, keyCapacity, groupCapacity, jointCapacity;
	brAllocator allocator;
} brAssembly;

/// Makes an empty assembly. Null if there is no memory. `context` may be null.
BR_API brAssembly* brCreateAssembly(const brContext* context);

/// Frees the assembly and its meshes. `assembly` may be null.
BR_API void brDestroyAssembly(brAssembly* assembly);

/// Takes ownership of the mesh and returns its index. -1 without memory; the mesh then still belongs to the caller.
BR_API int32_t brAssembly_AddMesh(brAssembly* assembly, brMesh* mesh);

/// The same for a tet mesh.
BR_API int32_t brAssembly_AddTetMesh(brAssembly* assembly, brTetMesh* mesh);

/// Adds a group that parts can belong to, and returns its index; -1 without memory.
BR_API int32_t brAssembly_AddGroup(brAssembly* assembly, const char* name);

/// Copies the part and returns its index, -1 without memory. `name` may be null: the name inside `part` is kept.
BR_API int32_t brAssembly_AddPart(brAssembly* assembly, const char* name, const brPart* part);

/// Adds a joint between two parts that are there already. False without memory, or if it does not name such parts.
BR_API bool brAssembly_AddJoint(brAssembly* assembly, const brAssemblyJoint* joint);

/// Copies a motion for a part that has none yet; times must rise. False without memory or if they do not.
BR_API bool brAssembly_SetMotion(brAssembly* assembly, int32_t part, const brMotionKey* keys, int32_t keyCount);

/// The pose of a part at a time: between two keys the position on the line, the rotation on the short way round; before
/// the first and after the last key as there. The identity without keys.
BR_API brTransform brAssembly_FindPose(const brAssembly* assembly, int32_t part, double time);

/// Keeps one instant: parts that are hidden at `time` go, the others stay where they are then, and nothing moves any
/// more: joints go too. -INFINITY is the start, INFINITY the end.
BR_API void brAssembly_Freeze(brAssembly* assembly, double time);

/// Makes one surface of all parts in world coordinates as they are at the start: moving parts at their first pose,
/// those that appear later left out; tet meshes give their boundary. Meshes keep their groups; if there are several
/// parts, those without groups get one named for the part. Parts at the identity keep every bit. `context` and `report`
/// may be null.
BR_API brResult brAssembly_Flatten(const brAssembly* assembly, const brContext* context, brMesh** outMesh,
								   brReport* report);

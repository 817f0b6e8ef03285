// SPDX-License-Identifier: MIT
#pragma once

// What the steps from a cut model to its pieces share. shatter.c runs them: shatter_bonds.c numbers and joins,
// shatter_pieces.c makes the meshes.

#include "base/buckets.h"
#include "brittle/shatter.h"
#include "fracture/pieces.h"
#include "fracture/roughness.h"

typedef struct brShatterScratch
{
	int32_t* locals;  // [pointCount] vertex of the piece at work
	int32_t* stamps;  // [pointCount] piece + 1
	int32_t* corners; // [largest face]
	bool* suspects;   // [pointCount] by vertex of the piece: it may be pinched there
} brShatterScratch;

typedef struct brShatterBuild
{
	const brContext* context;
	brAllocator allocator;
	const brShatterDef* def;
	const brCellDevice* device; // null: the CPU does everything
	const brClipMesh* known;    // of the mesh, or null
	brClipMesh* ownKnown;       // the same if it was made here
	const brMesh* mesh;         // as it is cut: repaired and stretched if need be
	brMesh* owned;              // that mesh, if it is ours
	double modelVolume;         // above 0: the mesh is known to be closed and manifold
	brDVec3 scale;              // powers of two: cutting space = scale * model space
	brDVec3* sites;             // [siteCount] in cutting space
	brVoronoi* voronoi;
	brSurfaceClip clip;
	brCaps caps;
	brPieceParts parts;
	brRoughness roughness;
	double roughLength; // [m]; 0: flat cuts
	bool hasClip, hasCaps, hasParts;
	bool isSound; // every vertex of the mesh has one ring of faces
	brShatter* shatter;
	int32_t* partPieces; // [partCount] or -1
	brBuckets entries;   // faces of each piece
	int32_t* ringSizes;  // [polygons] 0: as it was cut; above: a whole triangle in place of its parts; -1: one of those
	int32_t* ringStarts; // [polygons]
	int32_t* rings;      // [corners of the clip]
	int32_t largest;
	int32_t interior; // material of cut faces
	brShatterScratch* scratch;
	int32_t scratchCount;
	int32_t* failures; // [pieceCount] 0 or a brResult
	uint64_t* order;   // [2 pieceCount] in the low half the piece to be made next
	bool* smoothed;    // [places] while pieces that cross themselves are looked for
} brShatterBuild;

/// In the model's space.
static inline brDVec3 brShatterBuild_Position(const brShatterBuild* build, int32_t point)
{
	brDVec3 p = brPieceParts_Position(&build->parts, point);
	return brMakeDVec3(p.x / build->scale.x, p.y / build->scale.y, p.z / build->scale.z);
}

/// Parts become pieces, small ones joined to a neighbor, numbered by their lowest part.
brResult brShatterBuild_Number(brShatterBuild* build, double modelVolume, brReport* report);

/// Bonds between pieces.
brResult brShatterBuild_MakeBonds(brShatterBuild* build, brReport* report);

/// Triangles all of whose parts are in one piece become whole again. False without memory.
bool brShatterBuild_Dissolve(brShatterBuild* build);

/// Points of a face, as it was cut or dissolved.
int32_t brShatterBuild_Face(const brShatterBuild* build, int32_t entry, int32_t* out);

/// The piece of a face, or -1 for faces of crumbs, those between parts of one piece, and those that were dissolved.
int32_t brShatterBuild_EntryPiece(const brShatterBuild* build, int32_t entry);

/// Faces by piece. False without memory.
bool brShatterBuild_SortEntries(brShatterBuild* build);

/// Mesh, mass and hull of a piece.
brResult brShatterBuild_MakePiece(const brShatterBuild* build, brShatterScratch* scratch, int32_t index);

/// What is wrong with a def, or br_success.
brResult brShatterDef_Refuse(const brShatterDef* def, brReport* report);

/// Whether a mesh can be cut to pieces: closed, and manifold if need be after mending, which gives a copy in
/// `outMended`, else null. Sound if it has no vertex where two parts of the surface touch either.
brResult brMendForShatter(const brContext* context, const brMesh* mesh, brMesh** outMended, bool* outIsSound,
						  brReport* report);

/// What else is known; all of it may be nothing.
typedef struct brShatterSource
{
	double volume;              // above 0: of a mesh known to be closed and manifold, such as a piece of another
	const brClipMesh* known;    // of such a mesh
	const brCellDevice* device; // makes cells and rings
} brShatterSource;

/// brCreateShatter with a device, or null.
brResult brCreateShatterBy(const brContext* context, const brMesh* mesh, const brCellDevice* device,
						   const brShatterDef* def, brShatter** outShatter, brReport* report);

/// brCreateShatter with more known, for cells that are stretched along an axis.
brResult brCreateShatterFrom(const brContext* context, const brMesh* mesh, const brShatterSource* source,
							 const brShatterDef* def, brShatter** outShatter, brReport* report);

// SPDX-License-Identifier: MIT
#pragma once

// The state shared by the parts of weaving: groups (cut_groups.c), labels (cut_labels.c) and pairing (cut_weave.c).

#include "cut/cut_job.h"

#include <stdatomic.h>

// The half-planes at one edge that carries the cutter.
typedef struct CutGroup
{
	int32_t a, b;         // the axis
	int32_t start, count; // in planes
	int32_t clusterCount;
	int32_t winding; // of the source before the first cluster
	int32_t cutting; // of the cutter there
} CutGroup;

// What becomes of a region: cells of one triangle that are not parted by a line. Kept at its lowest cell.
typedef struct CutRegion
{
	int32_t winding; // of the source where a cutter's region is, for split
	int32_t count;   // copies in the result; -1: not settled yet
	int32_t strand;  // of the first copy, if not near
	bool isTurned;
	bool isSettled; // by an edge where it lies on another region
} CutRegion;

typedef struct CutWeave
{
	brCutJob* job;
	int32_t nearCount;  // cells of near triangles
	int32_t cellCount;  // with all others
	int32_t* sidePairs; // [3 nearCount] the side across where nothing else is, or -1
	int32_t* classes;   // [cellCount] union-find, then number: cells joined through their sides
	int32_t classCount;
	int32_t* classCells;     // [classCount] lowest cell of each
	bool* hasGroup;          // [classCount]
	int32_t* regionOf;       // [nearCount] union-find: cells of one region
	CutRegion* regions;      // [nearCount] at roots
	CutRegion* classRegions; // [classCount] of cells that are not near
	int32_t* firstCopies;    // [cellCount]
	BR_ARRAY(brCutHalfPlane) planes;
	BR_ARRAY(CutGroup) groups;

	// Labels as weighted union-find: nodes 2 class + (0 front, 1 back), then one a group.
	int32_t* parents;
	int32_t* offsets; // value(node) = value(parent) + offset
	int32_t* values;  // at roots
	bool* isKnown;    // at roots
	int32_t nodeCount;
	int32_t* classWinding; // [2 classCount] source winding at front and back (cutter's classes)
	int32_t* classCutting; // [2 classCount] cutter winding at front and back
	atomic_bool isBroken;  // a worker found copies that do not fit
} CutWeave;

/// False, with the face of the cell as the one where pieces do not fit.
bool brCut_FailWeave(CutWeave* weave, int32_t cell);

/// Pairs of sides where nothing happens, groups elsewhere.
bool brCut_MakeGroups(CutWeave* weave);

/// Classes and regions, once groups are known.
bool brCut_JoinCells(CutWeave* weave);

/// The side of the source among `sides` that belongs to side s by the source's own pairing, or -1.
int32_t brCut_OwnPartner(const CutWeave* weave, const uint32_t* sides, int32_t count, int32_t s);

/// Winding numbers of wedges and classes, from one exact ray per connected part.
bool brCut_Label(CutWeave* weave);

/// Which classes of the cutter lie inside an open or unruly source, by its generalized winding number.
bool brCut_LabelByAngle(CutWeave* weave);

static inline bool brCut_IsCutterCell(const CutWeave* weave, int32_t cell)
{
	return brCut_CellTriangle(weave->job, cell) >= weave->job->sourceCount;
}

// SPDX-License-Identifier: MIT
#pragma once

// The state shared by the two halves of weaving: labels (cut_labels.c) and pairing (cut_weave.c).

#include "cut/cut_job.h"

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
	bool isTurned;
	bool isSettled; // by an edge where it lies on another region
} CutRegion;

typedef struct CutWeave
{
	brCutJob* job;
	int32_t cellCount;
	int32_t* sidePairs; // [3 cellCount] the side across where nothing else is, or -1
	int32_t* classes;   // [cellCount] union-find: cells joined through sidePairs
	int32_t* regionOf;  // [cellCount] union-find: cells of one region
	CutRegion* regions; // [cellCount] at roots
	bool* hasGroup;     // [cellCount] at class roots
	BR_ARRAY(brCutHalfPlane) planes;
	BR_ARRAY(CutGroup) groups;

	// Labels as weighted union-find: nodes 2 class + (0 front, 1 back), then one a group.
	int32_t* parents;
	int32_t* offsets; // value(node) = value(parent) + offset
	int32_t* values;  // at roots
	bool* isKnown;    // at roots
	int32_t nodeCount;
	int32_t* classWinding; // [2 cellCount] at class roots: source winding at front and back (cutter's classes)
	int32_t* classCutting; // [2 cellCount] cutter winding at front and back
} CutWeave;

/// Winding numbers of wedges and classes, from one exact ray per connected part.
bool brCut_Label(CutWeave* weave);

static inline bool brCut_IsBoolean(const brCutJob* job)
{
	return job->def->op == br_cutUnion || job->def->op == br_cutIntersection || job->def->op == br_cutDifference;
}

static inline bool brCut_IsCutterCell(const CutWeave* weave, int32_t cell)
{
	return weave->job->cells.data[cell].triangle >= weave->job->sourceCount;
}

// SPDX-License-Identifier: MIT
#pragma once

// The result as triangles with neighbors, on its way back to polygons and pieces.

#include "cut/cut_job.h"
#include "math/predicates.h"

typedef struct CutShell
{
	brCutJob* job;
	int32_t count;
	int32_t (*triangles)
		[3];          // the job's copyPoints, as places: lowest point with the same rounded coordinates; [0] = -1: gone
	int32_t* twins;   // [3 count] the job's copyTwins
	int32_t* sources; // [count] copy whose parent and attributes it has
	bool* isIntact;   // [count] still a whole triangle of the input
	bool isCleaned;   // flat leftovers or walls have been taken out
	int32_t* fans;    // [3 count] vertex of each corner
	int32_t fanCount;
	int32_t* fanPoints; // [3 count], first fanCount used
	bool* isTouched;    // [3 count] by fan: at a near triangle
	int32_t* pieceOf;   // [count]
	int32_t pieceCount;
	int32_t* order;      // [count] triangles by piece, rising
	int32_t* pieceStart; // [pieceCount + 1] in order
	int32_t* polygonOf;  // [count] first triangle of the face it is in, or -1
	int32_t* faceOf;     // [count] face of the piece, by first triangle
	int32_t* marks;      // [points] scratch
	int32_t* useOf;      // [3 count] by fan: scratch, -1 before its piece
	int32_t* vertexOf;   // [3 count] by fan: vertex of its piece, -1 before
} CutShell;

// A face of a piece. Corners of a whole input polygon know the corner of their mesh, others the triangle of the shell.
typedef struct CutFace
{
	int32_t start, count; // in the corner list
	int32_t copy;         // any copy of it: parent and kind
	int32_t goneCount;    // corners on their way out
	bool isWhole;
	bool isTriangle; // whole, and nothing more than its copy
} CutFace;

typedef struct CutCorner
{
	int32_t fan;    // vertex; -1 - i for addition i
	int32_t source; // corner of the mesh for whole faces, else the triangle of the shell
	int32_t side;   // half-edge of the shell that starts here
	bool isAdded;   // in the middle of an edge
} CutCorner;

typedef struct CutFaces
{
	BR_ARRAY(CutFace) faces;
	BR_ARRAY(CutCorner) corners;
	BR_ARRAY(brDVec3) added; // vertices in the middle of doubled edges
	brCutInts fans;          // of each vertex
} CutFaces;

// What hangs together through neighbors.
typedef struct CutShellInfo
{
	brDVec3 origin; // a point of it
	double volume, area;
	brDBox3 box;
	int32_t lowestSource, lowestCutter; // faces, INT32_MAX: none
	int32_t sample;                     // triangle of largest area
	double sampleArea;
	int32_t parent; // shell it belongs to; itself at first
	bool isCut;     // not all of it is as it came
	bool isDropped;
} CutShellInfo;

typedef BR_ARRAY(CutShellInfo) CutShellInfos;

/// Shells, numbered by their lowest triangle; shellOf [count] is -1 for triangles that are gone. False without memory.
bool brCut_FindShells(const CutShell* shell, int32_t* shellOf, CutShellInfos* infos);

static inline brDVec3 brCut_ShellPoint(const CutShell* shell, int32_t t, int k)
{
	return shell->job->points.data[shell->triangles[t][k]].at;
}

/// Volume for each area that rounding may make of nothing.
static inline double brCut_VolumeSlack(const brCutJob* job)
{
	return 16.0 * BR_PREDICATE_U * job->reach;
}

/// Joins pieces that are too small to neighbors, and closes incisions, as the def says.
bool brCut_Heal(CutShell* shell);

/// Faces of one piece: polygons of the input that came through whole, and cut ones joined as far as they are flat.
bool brCut_MakeFaces(CutShell* shell, int32_t piece, CutFaces* faces);

/// The mesh of a piece with parents and attributes.
bool brCut_MakeMesh(CutShell* shell, CutFaces* faces, int32_t index, brCutPiece* piece);

/// Pairs of triangles of one piece that meet beyond what they share, into the statistics.
bool brCut_CountCrossings(CutShell* shell);

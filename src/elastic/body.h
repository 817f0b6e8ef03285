// SPDX-License-Identifier: MIT
#pragma once

// The insides of an elastic body.
//
// A crack gives the nodes beside it a second value ("ghost") that carries the displacement of the far side on: Heaviside
// enrichment written with one value a side instead of a mean and a jump (Hansbo and Hansbo 2004 show that the spaces
// are the same). So a tet that is cut becomes pieces, one for each side, that share its shape functions but not its
// values:
//
//     tet (a b c d), cut between a | b c d        values
//     piece 0, the side of a                      a  b' c' d'
//     piece 1, the other side                     a' b  c  d
//
// and everything else - stiffness, parts, stress, the hierarchy - sees only pieces with a volume and four values. Nodes
// ahead of the front have one value for both sides, which closes the crack linearly within the last tet.
//
// A front that moves past a node would make the crack longer by half a cell at once, and K would jump. So tets at the
// front are several levels at a time, each for its share of the volume: the front stands a little farther on in one
// than in the next, and a node may have a second value in some of them only.

#include "base/array.h"
#include "brittle/elastic.h"
#include "elastic/block_matrix.h"
#include "volume/surface_tree.h"

#define BR_FRONT_LEVELS 4

/// A node near a crack.
typedef struct brNearNode
{
	int32_t node;
	int32_t triangle; // closest
	double psi;       // how far its projection is ahead of the front along the surface; -infinity behind it [m]
	double behind;    // how far its projection is behind the front; infinity if that is far [m]
	double phi;       // signed distance from the surface or its flat continuation; >= 0 is the + side [m]
} brNearNode;

/// What ends a front at a vertex.
enum
{
	br_endNone, // it may go on
	br_endMet,  // another crack
	br_endOut,  // the lattice around a wall, which it has left
};

/// One crack surface and what the nodes near it know of it.
typedef struct brCrackField
{
	int32_t vertexCount;
	int32_t triangleCount;
	brDVec3* positions;
	int32_t (*triangles)[3];
	brDVec3* normals;       // [triangleCount] unit
	int32_t (*across)[3];   // [triangleCount] triangle over the edge from corner k to the next, or -1
	uint8_t* edgeIsFront;   // [triangleCount] bit k
	brDVec3* vertexNormals; // [vertexCount] unit, weighted by angles
	uint8_t* vertexEnds;    // [vertexCount] br_endNone, br_endMet or br_endOut
	int32_t* frontStarts;   // [vertexCount] triangle * 3 + k of the front edge that starts here, or -1
	int32_t* frontEnds;     // [vertexCount] ... that ends here, or -1
	int32_t openCount;      // front edges at which it may go on
	int32_t* open;          // [openCapacity] triangle * 3 + k of them
	int32_t openCapacity;
	brSurfaceTree* tree;
	int32_t nearCount;
	brNearNode* near; // by node
	uint64_t hash;    // of all that was given
} brCrackField;

/// A tet that cracks cut.
typedef struct brCutTet
{
	int32_t tet;
	int32_t firstExtra; // piece; the first piece of a tet has the tet's own index
	int8_t pieceCount;
	int8_t crackCount;
	int8_t levelCount;                       // 1 where all levels are the same
	uint8_t plus[BR_MAX_CRACKS_PER_TET];     // corners on the + side, as bits
	bool isBent[BR_MAX_CRACKS_PER_TET];      // the crack bends in the tet: its triangles count, not phi
	int32_t seeds[BR_MAX_CRACKS_PER_TET][4]; // triangles of the crack near the corners
	uint8_t enriched[BR_FRONT_LEVELS][BR_MAX_CRACKS_PER_TET]; // corners that have a value for each side
	int32_t cracks[BR_MAX_CRACKS_PER_TET];                    // rising
	double phi[BR_MAX_CRACKS_PER_TET][4];
} brCutTet;

/// What is left of a tet between cracks.
typedef struct brElementShape
{
	uint8_t signs;     // bit k: on the + side of the tet's k-th crack
	uint8_t level;     // of the front; 0 where there is one only
	double volume;     // [m^3]
	double weights[4]; // barycentric, of the center
} brElementShape;

/// Rows of the matrix to be assembled: a value and the corners (piece * 4 + corner) that use it.
typedef struct brValueCorners
{
	int32_t value;
	int32_t first; // in the pool
	int32_t count;
} brValueCorners;

/// Pieces, values and parts that cracks and tets give: the discretization.
typedef struct brElementSet
{
	int32_t tetCount, nodeCount;
	int32_t cutCount;
	brCutTet* cuts;            // by tet
	int32_t* cutOfTet;         // [tetCount] or -1
	int32_t* shapeStarts;      // [cutCount + 1]
	int32_t shapeCount;        // all pieces of cut tets
	brElementShape* shapes;    // [shapeCount]
	int32_t pieceCount;        // tets, then further pieces
	int32_t (*pieceValues)[4]; // [pieceCount]
	int32_t* extraTets;        // [pieceCount - tetCount] tet of the further pieces
	int32_t* pieceParts;       // [pieceCount]
	int32_t valueCount;
	int32_t* valueNodes; // [valueCount] value i < nodeCount is that of node i on its own side
	int32_t* valueParts; // [valueCount] or -1: a node in no tet
	double* masses;      // [valueCount] lumped [kg]
	int32_t listCount;
	brValueCorners* lists; // values of touched nodes, by node
	int32_t poolCount;
	int32_t* pool;    // piece * 4 + corner
	uint8_t* isDirty; // [nodeCount] its rows differ from that of the body without cracks
	int32_t componentCount;
	brElasticComponent* parts;
} brElementSet;

/// Where the two faces of a crack in a tet may press on each other.
typedef struct brContactPatch
{
	int32_t crack;
	int32_t pieces[2]; // on the + and the - side
	bool isClosed;
	double weights[4]; // barycentric, of its middle
	brDVec3 normal;    // to the + side
	double area;       // [m^2]
	double stiffness;  // [N/m]
} brContactPatch;

typedef struct brFaceContact
{
	int32_t* starts; // [cutCount + 1] patches of each cut tet; null: faces may overlap
	int32_t cutCount;
	brContactPatch* patches; // [count]
	int32_t count;
} brFaceContact;

struct brHierarchy;
struct brPetscSolver;

struct brElasticBody
{
	brAllocator allocator;
	const brTetMesh* mesh;
	int32_t nodeCount, tetCount;
	double youngsModulus, poissonRatio, density, lambda, mu, sliver;
	brEnrichment enrichment;
	bool isEven, isUncut; // brElasticBody_Forget saw: stiffnesses are one; pieces are the tets of the mesh

	// Tets and nodes, constant
	double* fills;           // [tetCount] share of each tet that is solid, or null: all of it
	double* stiffnesses;     // [tetCount] factors, times the fills
	double* volumes;         // [tetCount]
	int32_t (*neighbors)[4]; // [tetCount] tet across the face opposite to a corner, or -1
	int32_t* cornerStarts;   // [nodeCount + 1]
	int32_t* corners;        // tet * 4 + corner around each node
	double* longestEdges;    // [nodeCount] at a node
	double* reaches;       // [nodeCount] nothing of a tet with this node and an enriched one is farther from the crack
	uint8_t* isHinge;      // [nodeCount] its tets do not all hang together by faces
	brTetLocator* locator; // made when first asked

	// Cracks
	int32_t crackCount;
	brCrackField* cracks;

	brElementSet set;
	brFaceContact contact;

	// Supports
	uint8_t* heldAxes;   // [nodeCount]
	brDVec3* heldValues; // [nodeCount]
	double (*freeModes)
		[6][6]; // [freeModeParts] rigid motions about the part's center that nothing holds, part->freeModes of them
	int32_t freeModeParts;

	// System
	brBlockMatrix base;          // without cracks
	brBlockMatrix matrix;        // with cracks, empty if there are none
	const brBlockMatrix* system; // the one in force, or null
	double assembleSeconds;
	struct brHierarchy* hierarchy;
	struct brPetscSolver* petsc;
	brDVec3* solution;       // [valueCount]
	double* swelling;        // [tetCount] free strain of the last load, or null
	brDVec3* swellingSlopes; // [tetCount] its gradient
};

/// The tet of a piece.
static inline int32_t brElementSet_Tet(const brElementSet* set, int32_t piece)
{
	return piece < set->tetCount ? piece : set->extraTets[piece - set->tetCount];
}

/// Index of the k-th piece of a cut tet.
static inline int32_t brCutTet_Piece(const brCutTet* cut, int32_t k)
{
	return k == 0 ? cut->tet : cut->firstExtra + k - 1;
}

/// Shape of a piece; null for a whole tet.
static inline const brElementShape* brElementSet_Shape(const brElementSet* set, int32_t piece)
{
	int32_t cut = set->cutOfTet[brElementSet_Tet(set, piece)];
	if (cut < 0)
	{
		return NULL;
	}
	return set->shapes + set->shapeStarts[cut] + (piece < set->tetCount ? 0 : 1 + piece - set->cuts[cut].firstExtra);
}

/// Gradients of the shape functions of a tet. Made when they are needed: to keep them would be the largest part of a
/// body.
static inline void brElasticBody_GetGradients(const brElasticBody* body, int32_t tet, brDVec3 gradients[4])
{
	const int32_t* n = body->mesh->tets[tet];
	const brDVec3* nodes = body->mesh->nodes;
	brMat3 edges = {brDSub(nodes[n[1]], nodes[n[0]]), brDSub(nodes[n[2]], nodes[n[0]]),
					brDSub(nodes[n[3]], nodes[n[0]])};
	// Rows of the inverse of the edge matrix are the gradients of the last three.
	brMat3 cofactor = brMat3_Cofactor(&edges);
	double scale = 1.0 / brMat3_Determinant(&edges);
	gradients[1] = brDMul(scale, cofactor.cx);
	gradients[2] = brDMul(scale, cofactor.cy);
	gradients[3] = brDMul(scale, cofactor.cz);
	gradients[0] = brDNeg(brDAdd(brDAdd(gradients[1], gradients[2]), gradients[3]));
}

static inline double brElasticBody_PieceVolume(const brElasticBody* body, int32_t piece)
{
	const brElementShape* shape = brElementSet_Shape(&body->set, piece);
	return shape != NULL ? shape->volume : body->volumes[piece];
}

static inline brDVec3 brElasticBody_PieceCenter(const brElasticBody* body, int32_t piece)
{
	static const double middle[4] = {0.25, 0.25, 0.25, 0.25};
	const brElementShape* shape = brElementSet_Shape(&body->set, piece);
	const double* w = shape != NULL ? shape->weights : middle;
	const int32_t* n = body->mesh->tets[brElementSet_Tet(&body->set, piece)];
	brDVec3 center = {0.0, 0.0, 0.0};
	for (int a = 0; a < 4; ++a)
	{
		center = brDMulAdd(center, w[a], body->mesh->nodes[n[a]]);
	}
	return center;
}

// crack_field.c
brResult brCrackField_Make(brCrackField* field, const brContext* context, const brElasticBody* body,
						   const brCrackSurface* surface, brReport* report);
void brCrackField_Free(brCrackField* field, const brAllocator* allocator);
uint64_t brCrackSurface_Hash(const brCrackSurface* surface);

// pieces.c: from crack fields to tets that are cut and their pieces, then (values.c) to values and parts.
brResult brElementSet_Make(brElementSet* set, const brContext* context, const brElasticBody* body,
						   const brCrackField* cracks, int32_t crackCount, brReport* report);
void brElementSet_Free(brElementSet* set, const brAllocator* allocator);

/// Whether pieces of two tets meet in the face they share: `corner` is the one opposite to it in each.
bool brPiecesMeet(const brElementSet* set, const brElasticBody* body, int32_t pieceA, int32_t cornerA, int32_t pieceB,
				  int32_t cornerB);

/// Gives pieces their values and finds the parts. `outSpecks` becomes true if parts too small to matter came out, whose
/// shapes then have volume 0: take them out and call again. False without memory.
bool brElementSet_Connect(brElementSet* set, const brContext* context, const brElasticBody* body, bool* outSpecks);

/// Whether the tets of a node do not all hang together by faces.
void brElasticBody_FindHinges(brElasticBody* body, const brContext* context);

// body.c: forgets hierarchy and factor.
void brElasticBody_DropSolvers(brElasticBody* body);

/// Gives the memory of all that follows from mesh and cracks back to the system, about 80 bytes a tet. Nothing may look
/// at the body until brElasticBody_Remember has made it again.
void brElasticBody_Forget(brElasticBody* body);
void brElasticBody_Remember(brElasticBody* body);

// supports.c
brResult brElasticBody_FindFreeModes(brElasticBody* body, const brContext* context, brReport* report);

// stiffness.c
brResult brElasticBody_Assemble(brElasticBody* body, const brContext* context, brReport* report);

/// Rows of the system for the given values alone, columns as values, for a solver that keeps its own matrix (PETSc,
/// where the build has it). False without memory.
bool brElasticBody_AssembleRows(const brElasticBody* body, brWorkers* workers, const int32_t* values, int32_t count,
								brBlockMatrix* outRows);

/// y = K x, piece by piece, without a matrix.
void brElasticBody_Multiply(const brElasticBody* body, const brDVec3* x, brDVec3* y);

/// Displacement gradient in a piece: rows of the result are gradients of the x, y and z displacement (columns of brMat3
/// hold d u / d x, d u / d y, d u / d z).
brMat3 brElasticBody_PieceGradient(const brElasticBody* body, int32_t piece);
brStress brElasticBody_StressOf(const brElasticBody* body, int32_t tet, const brMat3* gradient);

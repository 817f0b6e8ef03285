// SPDX-License-Identifier: MIT

// Fracture modes of an object: cells, cuts of their graph, and what a cut has to carry under a blow.
//
// A free body that is hit speeds up as a whole. What the part behind a cut needs for that must come through the cut: a
// force Q = m (a + alpha x (c - C)) and a torque, which as in a beam pull by thrust and bending and shear by the rest
// of Q and torsion. The largest tension of both together, (s + sqrt(s^2 + 4 t^2)) / 2, is held against the strength.

#include "brittle/modal.h"

#include "base/assert.h"
#include "base/forest.h"
#include "base/memory.h"
#include "base/report.h"
#include "brittle/crack.h"
#include "fracture/cell_join.h"
#include "fracture/mode_cuts.h"

#include <math.h>
#include <string.h>

#define MODAL_SHEAR 1.5 // largest over mean in a rectangular section

typedef struct ModalMode
{
	brMode mode;
	double volume;
	brDVec3 middle; // of the part
	brMat3 inertia; // of the part about its middle, at density 1
	brMat3 spread;  // integral of r r^T over the cut about its centroid
	double reach;   // farthest place of the cut from its centroid
	double factor;  // mean strength of the cut over that of the material
} ModalMode;

struct brModes
{
	brAllocator allocator;
	brMaterial material;
	brShatter* cells; // at density 1
	int32_t modeCount, modeCapacity;
	ModalMode* modes;
	uint8_t* sides; // [modeCapacity * pieceCount] 1: in the part of the mode
	double volume;
	brDVec3 middle;
	brMat3 inertia;
};

brModalDef brDefaultModalDef(void)
{
	return (brModalDef){.material = *brFindMaterial("glass"),
						.cells = 400,
						.modes = 40,
						.weakest = 0.2,
						.interior = brDefaultShatterDef().interior,
						.stamp = BR_STAMP(brModalDef)};
}

brModalBlow brDefaultModalBlow(void)
{
	return (brModalBlow){.energy = INFINITY, .pieces = 1000, .stamp = BR_STAMP(brModalBlow)};
}

static void modalAddOuter(brMat3* m, double weight, brDVec3 r)
{
	m->cx = brDMulAdd(m->cx, weight * r.x, r);
	m->cy = brDMulAdd(m->cy, weight * r.y, r);
	m->cz = brDMulAdd(m->cz, weight * r.z, r);
}

// Inertia about another point: m (r^2 1 - r r^T) more.
static void modalAddInertia(brMat3* sum, const brMassProperties* mass, brDVec3 about)
{
	brDVec3 r = brDSub(mass->center, about);
	double square = mass->volume * brDDot(r, r);
	const brMat3* own = &mass->inertia;
	sum->cx = brDAdd(sum->cx, brDAdd(own->cx, brMakeDVec3(square, 0.0, 0.0)));
	sum->cy = brDAdd(sum->cy, brDAdd(own->cy, brMakeDVec3(0.0, square, 0.0)));
	sum->cz = brDAdd(sum->cz, brDAdd(own->cz, brMakeDVec3(0.0, 0.0, square)));
	modalAddOuter(sum, -mass->volume, r);
}

// Mass of the cells of one side; null sides: of all.
static void modalMeasure(const brShatter* cells, const uint8_t* sides, double* outVolume, brDVec3* outMiddle,
						 brMat3* outInertia)
{
	double volume = 0.0;
	brDVec3 sum = {0.0, 0.0, 0.0};
	for (int32_t i = 0; i < cells->pieceCount; ++i)
	{
		const brMassProperties* mass = &cells->pieces[i].mass;
		double part = sides == NULL || sides[i] == 1 ? mass->volume : 0.0;
		volume += part;
		sum = brDMulAdd(sum, part, mass->center);
	}
	*outVolume = volume;
	*outMiddle = brDMul(1.0 / volume, sum);
	memset(outInertia, 0, sizeof(*outInertia));
	for (int32_t i = 0; i < cells->pieceCount; ++i)
	{
		if (sides == NULL || sides[i] == 1)
		{
			modalAddInertia(outInertia, &cells->pieces[i].mass, *outMiddle);
		}
	}
}

static double modalFactor(const brModalDef* def, brDVec3 point)
{
	brStrengthMap map = {def->strengthMap, def->weakest, 1.0};
	return def->strengthMap != NULL ? brStrengthFromMap(point, &map) : 1.0;
}

// The cut of one mode: its faces as disks of their area.
static ModalMode modalDescribe(const brModes* modes, const brModalDef* def, const uint8_t* sides)
{
	ModalMode mode;
	memset(&mode, 0, sizeof(mode));
	const brShatter* cells = modes->cells;
	brDVec3 sum = {0.0, 0.0, 0.0}, normal = {0.0, 0.0, 0.0};
	for (int32_t pass = 0; pass < 2; ++pass)
	{
		for (int32_t k = 0; k < cells->bondCount; ++k)
		{
			const brBond* bond = &cells->bonds[k];
			bool isOut = sides[bond->pieces[0]] == 1; // the normal leads out of the part
			if (sides[bond->pieces[0]] == sides[bond->pieces[1]])
			{
				continue;
			}
			if (pass == 0)
			{
				mode.mode.area += bond->area;
				sum = brDMulAdd(sum, bond->area, bond->center);
				normal = brDMulAdd(normal, isOut ? bond->area : -bond->area, bond->normal);
				mode.factor += bond->area * modalFactor(def, bond->center);
				continue;
			}
			brDVec3 r = brDSub(bond->center, mode.mode.center);
			double own = bond->area * bond->area / (4.0 * BR_PI); // of a disk about its diameter
			modalAddOuter(&mode.spread, bond->area, r);
			mode.spread.cx.x += own, mode.spread.cy.y += own, mode.spread.cz.z += own;
			mode.reach = fmax(mode.reach, brDLength(r) + sqrt(bond->area / BR_PI));
		}
		mode.mode.center = brDMul(1.0 / mode.mode.area, sum);
	}
	mode.factor /= mode.mode.area;
	mode.mode.normal = brDNormalize(normal);
	modalMeasure(cells, sides, &mode.volume, &mode.middle, &mode.inertia);
	mode.mode.share = mode.volume / modes->volume;
	return mode;
}

// The cells of the mesh. The caller destroys them.
static brResult modalCut(const brContext* context, const brMesh* mesh, const brModalDef* def, brShatter** outCells,
						 brReport* report)
{
	brAllocator allocator = brContext_Allocator(context);
	brDVec3* sites = BR_ALLOC(&allocator, brDVec3, def->cells);
	brSiteDef site = brDefaultSiteDef();
	site.count = def->cells;
	site.seed = def->seed;
	brShatterDef shatter = brDefaultShatterDef();
	shatter.density = 1.0;
	shatter.interior = def->interior;
	shatter.sites = sites;
	brResult result =
		sites != NULL ? brMakeSites(context, mesh, &site, sites, &shatter.siteCount, report) : brFailMemory(report);
	result = result < 0 ? result : brCreateShatter(context, mesh, &shatter, outCells, report);
	BR_FREE(&allocator, sites, def->cells);
	return result;
}

static brResult modalFindCuts(brModes* modes, const brModalDef* def, brReport* report)
{
	const brShatter* cells = modes->cells;
	const brAllocator* allocator = &modes->allocator;
	double* volumes = BR_ALLOC(allocator, double, cells->pieceCount);
	brCellEdge* edges = BR_ALLOC(allocator, brCellEdge, cells->bondCount);
	modes->sides = BR_ALLOC_ZERO(allocator, uint8_t, (int64_t)def->modes * cells->pieceCount);
	modes->modes = BR_ALLOC_ZERO(allocator, ModalMode, def->modes);
	modes->modeCapacity = def->modes;
	bool hasMemory = volumes != NULL && edges != NULL && modes->sides != NULL && modes->modes != NULL;
	for (int32_t i = 0; hasMemory && i < cells->pieceCount; ++i)
	{
		volumes[i] = cells->pieces[i].mass.volume;
	}
	for (int32_t k = 0; hasMemory && k < cells->bondCount; ++k)
	{
		const brBond* bond = &cells->bonds[k];
		double cost = bond->area * modalFactor(def, bond->center);
		edges[k] = (brCellEdge){{bond->pieces[0], bond->pieces[1]}, cost};
	}
	brCellGraph graph = {cells->pieceCount, cells->bondCount, volumes, edges};
	hasMemory = hasMemory && brFindModeCuts(allocator, &graph, def->modes, modes->sides, &modes->modeCount) >= 0;
	for (int32_t i = 0; hasMemory && i < modes->modeCount; ++i)
	{
		modes->modes[i] = modalDescribe(modes, def, modes->sides + (size_t)i * (size_t)cells->pieceCount);
	}
	BR_FREE(allocator, volumes, cells->pieceCount);
	BR_FREE(allocator, edges, cells->bondCount);
	return hasMemory ? br_success : brFailMemory(report);
}

brResult brCreateModes(const brContext* context, const brMesh* mesh, const brModalDef* def, brModes** outModes,
					   brReport* report)
{
	if (mesh == NULL || def == NULL || outModes == NULL || def->stamp != BR_STAMP(*def))
	{
		return brFail(report, br_errorMisuse, "brCreateModes needs mesh, outModes and a def from brDefaultModalDef");
	}
	const char* wrong = brMaterial_Check(&def->material);
	if (wrong != NULL)
	{
		return brFail(report, br_errorMisuse, "%s", wrong);
	}
	if (def->cells < 8 || def->cells > 20000 || def->modes < 1 || def->modes > 1000 ||
		!(def->weakest > 0.0 && def->weakest <= 1.0))
	{
		return brFail(report, br_errorMisuse,
					  "%d cells, %d modes, weakest %g: possible are 8 to 20000, 1 to 1000 and above 0 to 1", def->cells,
					  def->modes, def->weakest);
	}
	brAllocator allocator = brContext_Allocator(context);
	brModes* modes = BR_ALLOC_ZERO(&allocator, brModes, 1);
	if (modes == NULL)
	{
		return brFailMemory(report);
	}
	modes->allocator = allocator;
	modes->material = def->material;
	brResult result = modalCut(context, mesh, def, &modes->cells, report);
	if (result >= 0)
	{
		modalMeasure(modes->cells, NULL, &modes->volume, &modes->middle, &modes->inertia);
		result = modalFindCuts(modes, def, report);
	}
	if (result < 0)
	{
		brDestroyModes(modes);
		return result;
	}
	*outModes = modes;
	return brSucceed(report);
}

void brDestroyModes(brModes* modes)
{
	if (modes != NULL)
	{
		brAllocator allocator = modes->allocator;
		int32_t cells = modes->cells != NULL ? modes->cells->pieceCount : 0;
		BR_FREE(&allocator, modes->modes, modes->modeCapacity);
		BR_FREE(&allocator, modes->sides, (int64_t)modes->modeCapacity * cells);
		brDestroyShatter(modes->cells);
		BR_FREE(&allocator, modes, 1);
	}
}

int32_t brModes_GetCount(const brModes* modes)
{
	return modes != NULL ? modes->modeCount : 0;
}

brMode brModes_Get(const brModes* modes, int32_t index)
{
	return index >= 0 && index < brModes_GetCount(modes) ? modes->modes[index].mode : (brMode){0};
}

// Cell whose middle is nearest to the blow.
static int32_t modalHitCell(const brModes* modes, brDVec3 point)
{
	int32_t best = 0;
	for (int32_t i = 1; i < modes->cells->pieceCount; ++i)
	{
		if (brDDistance(modes->cells->pieces[i].mass.center, point) <
			brDDistance(modes->cells->pieces[best].mass.center, point))
		{
			best = i;
		}
	}
	return best;
}

// How a free body speeds up.
typedef struct ModalMotion
{
	brDVec3 acceleration, turning;
} ModalMotion;

static ModalMotion modalMotion(const brModes* modes, const brModalBlow* blow)
{
	double density = modes->material.density;
	brDVec3 torque = brDCross(brDSub(blow->point, modes->middle), blow->force);
	brMat3 cofactor = brMat3_Cofactor(&modes->inertia); // symmetric, so inverse times determinant
	double determinant = brMat3_Determinant(&modes->inertia) * density;
	return (ModalMotion){brDMul(1.0 / (density * modes->volume), blow->force),
						 brDMul(1.0 / determinant, brMat3_MulV(&cofactor, torque))};
}

// Largest tension in the cut over what it stands.
static double modalLoad(const brModes* modes, const ModalMode* mode, const ModalMotion* motion, const brModalBlow* blow,
						bool isHitPart)
{
	double density = modes->material.density;
	brDVec3 arm = brDSub(mode->middle, modes->middle);
	// What the part needs besides the blow, if that is on it, comes through the cut.
	brDVec3 force = brDMul(density * mode->volume, brDAdd(motion->acceleration, brDCross(motion->turning, arm)));
	brDVec3 torque = brDAdd(brDMul(density, brMat3_MulV(&mode->inertia, motion->turning)),
							brDCross(brDSub(mode->middle, mode->mode.center), force));
	if (isHitPart)
	{
		force = brDSub(force, blow->force);
		torque = brDSub(torque, brDCross(brDSub(blow->point, mode->mode.center), blow->force));
	}
	brDVec3 n = mode->mode.normal;
	double thrust = brDDot(force, n), twist = brDDot(torque, n);
	brDVec3 bend = brDMulAdd(torque, -twist, n), shear = brDMulAdd(force, -thrust, n);
	double area = mode->mode.area, bending = brDLength(bend), torsion = 0.0, pull = thrust / area;
	brMat3 spread = mode->spread;
	if (bending > 0.0)
	{
		brDVec3 across = brDCross(n, brDMul(1.0 / bending, bend));
		double second = brDDot(across, brMat3_MulV(&spread, across));
		pull += second > 0.0 ? bending * fmin(mode->reach, 2.0 * sqrt(second / area)) / second : 0.0;
	}
	double polar = spread.cx.x + spread.cy.y + spread.cz.z;
	torsion = polar > 0.0 ? fabs(twist) * fmin(mode->reach, 2.0 * sqrt(polar / area)) / polar : 0.0;
	double slide = MODAL_SHEAR * brDLength(shear) / area + torsion;
	double tension = 0.5 * (pull + sqrt(pull * pull + 4.0 * slide * slide));
	return tension / (mode->factor * modes->material.tensileStrength);
}

static double modalRatios(const brModes* modes, const brModalBlow* blow, double* outRatios)
{
	int32_t cell = modalHitCell(modes, blow->point);
	ModalMotion motion = modalMotion(modes, blow);
	double highest = 0.0;
	for (int32_t i = 0; i < modes->modeCount; ++i)
	{
		bool isHit = modes->sides[(size_t)i * (size_t)modes->cells->pieceCount + (size_t)cell] == 1;
		double ratio = modalLoad(modes, &modes->modes[i], &motion, blow, isHit);
		highest = fmax(highest, ratio);
		if (outRatios != NULL)
		{
			outRatios[i] = ratio;
		}
	}
	return highest;
}

double brModes_GetRatio(const brModes* modes, const brModalBlow* blow)
{
	return modes != NULL && blow != NULL ? modalRatios(modes, blow, NULL) : 0.0;
}

// What a blow does to the cells.
typedef struct ModalWork
{
	double* ratios;   // [modeCount]; -1: used
	uint8_t* isCut;   // [bondCount]
	int32_t* parents; // [pieceCount]
	int32_t* groups;  // [pieceCount]
	int32_t* places;  // [pieceCount]
	const brMesh** meshes;
} ModalWork;

// Bonds that a mode would open besides: their area.
static double modalNewArea(const brModes* modes, const ModalWork* work, int32_t mode)
{
	const brShatter* cells = modes->cells;
	const uint8_t* sides = modes->sides + (size_t)mode * (size_t)cells->pieceCount;
	double area = 0.0;
	for (int32_t k = 0; k < cells->bondCount; ++k)
	{
		const int32_t* p = cells->bonds[k].pieces;
		area += sides[p[0]] != sides[p[1]] && work->isCut[k] == 0 ? cells->bonds[k].area : 0.0;
	}
	return area;
}

static int32_t modalOpen(const brModes* modes, ModalWork* work, int32_t mode)
{
	const brShatter* cells = modes->cells;
	int32_t count = cells->pieceCount;
	brResetForest(work->parents, count);
	for (int32_t k = 0; k < cells->bondCount; ++k)
	{
		const int32_t* p = cells->bonds[k].pieces;
		const uint8_t* sides = modes->sides + (size_t)mode * (size_t)cells->pieceCount;
		work->isCut[k] = work->isCut[k] == 1 || sides[p[0]] != sides[p[1]];
		count -= work->isCut[k] == 0 && brJoinRoots(work->parents, p[0], p[1]);
	}
	return count;
}

// Modes that carry more than they stand, worst first.
static void modalChoose(const brModes* modes, const brModalBlow* blow, ModalWork* work)
{
	double left = blow->energy, cost = brMaterial_GetFractureEnergy(&modes->material);
	double highest = modalRatios(modes, blow, work->ratios);
	double least = blow->mustBreak ? fmin(1.0, highest) : 1.0;
	int32_t pieces = 1;
	for (int32_t round = 0; round < modes->modeCount && pieces < blow->pieces; ++round)
	{
		int32_t best = 0;
		for (int32_t i = 1; i < modes->modeCount; ++i)
		{
			best = work->ratios[i] > work->ratios[best] ? i : best;
		}
		if (!(work->ratios[best] >= least))
		{
			return;
		}
		work->ratios[best] = -1.0;
		double need = cost * modalNewArea(modes, work, best);
		bool isFirst = round == 0 && blow->mustBreak;
		if (need <= left || isFirst)
		{
			pieces = modalOpen(modes, work, best);
			left -= need;
		}
	}
}

static brResult modalJoin(const brModes* modes, const brContext* context, ModalWork* work, brShatter** outShatter,
						  brReport* report)
{
	const brShatter* cells = modes->cells;
	brResetForest(work->parents, cells->pieceCount);
	for (int32_t k = 0; k < cells->bondCount; ++k)
	{
		if (work->isCut[k] == 0)
		{
			brJoinRoots(work->parents, cells->bonds[k].pieces[0], cells->bonds[k].pieces[1]);
		}
	}
	for (int32_t i = 0; i < cells->pieceCount; ++i)
	{
		work->groups[i] = brFindRoot(work->parents, i);
		work->places[i] = i; // each cell is a site of its own
		work->meshes[i] = cells->pieces[i].mesh;
	}
	brCellJoin join = {.cells = work->meshes,
					   .sites = work->places,
					   .cellCount = cells->pieceCount,
					   .groups = work->groups,
					   .volume = modes->volume};
	int32_t* pieceOf = work->parents; // read no more
	return brJoinCells(context, &join, pieceOf, outShatter, report);
}

brResult brModes_Break(const brModes* modes, const brContext* context, const brModalBlow* blow, brShatter** outShatter,
					   brReport* report)
{
	if (modes == NULL || blow == NULL || outShatter == NULL || blow->stamp != BR_STAMP(*blow) ||
		!brDIsFinite(blow->point) || !brDIsFinite(blow->force) || !(blow->energy >= 0.0) || blow->pieces < 2)
	{
		return brFail(report, br_errorMisuse,
					  "brModes_Break needs modes and a finite blow from brDefaultModalBlow with 2 pieces or more");
	}
	const brAllocator* allocator = &modes->allocator;
	int32_t n = modes->cells->pieceCount, bonds = modes->cells->bondCount;
	ModalWork work = {.ratios = BR_ALLOC(allocator, double, modes->modeCount),
					  .isCut = BR_ALLOC_ZERO(allocator, uint8_t, bonds),
					  .parents = BR_ALLOC(allocator, int32_t, n),
					  .groups = BR_ALLOC(allocator, int32_t, n),
					  .places = BR_ALLOC(allocator, int32_t, n),
					  .meshes = BR_ALLOC(allocator, const brMesh*, n)};
	bool hasMemory = work.ratios != NULL && work.isCut != NULL && work.parents != NULL && work.groups != NULL &&
					 work.places != NULL && work.meshes != NULL;
	brResult result = br_errorMemory;
	if (hasMemory)
	{
		modalChoose(modes, blow, &work);
		result = modalJoin(modes, context, &work, outShatter, report);
	}
	BR_FREE(allocator, work.ratios, modes->modeCount);
	BR_FREE(allocator, work.isCut, bonds);
	BR_FREE(allocator, work.parents, n);
	BR_FREE(allocator, work.groups, n);
	BR_FREE(allocator, work.places, n);
	BR_FREE(allocator, work.meshes, n);
	if (result < 0)
	{
		return hasMemory ? result : brFailMemory(report);
	}
	for (int32_t i = 0; i < (*outShatter)->pieceCount; ++i)
	{
		brPiece* piece = &(*outShatter)->pieces[i];
		piece->mass = brMesh_ComputeMass(piece->mesh, modes->material.density);
	}
	return brSucceed(report);
}

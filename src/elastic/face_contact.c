// SPDX-License-Identifier: MIT

// Contact of crack faces: no overlap, no friction.
//
// Where a crack passes through a tet its two sides are pieces with values of their own. Between them stands a spring
// along the crack's normal, as stiff as CONTACT_STIFF tets, that only pushes: it counts while the faces overlap. Which
// do is found by solving again with those that did the last time, until none changes (an active set). Springs join
// pieces of one component only: parts that have come off move as their own inertia says.

#include "elastic/face_contact.h"

#include "base/report.h"
#include "math/power.h"

#include <string.h>

#define CONTACT_STIFF 20.0 // tets in a row: faces overlap by a twentieth of what a tet is pressed together

// The flat part of a crack in a tet, from its distances at the corners: area, middle as weights, normal to the + side.
// False: none.
static bool contactSection(const brElasticBody* body, const brCutTet* cut, int32_t slot, brContactPatch* patch,
						   double* outArea)
{
	const double* phi = cut->phi[slot];
	const int32_t* n = body->mesh->tets[cut->tet];
	brDVec3 gradients[4], normal = {0.0, 0.0, 0.0}, points[4];
	int32_t plus[4], minus[4], plusCount = 0, minusCount = 0, count = 0;
	brElasticBody_GetGradients(body, cut->tet, gradients);
	for (int32_t a = 0; a < 4; ++a)
	{
		normal = brDMulAdd(normal, phi[a], gradients[a]);
		bool isPlus = (cut->plus[slot] >> a & 1) != 0;
		*(isPlus ? &plus[plusCount++] : &minus[minusCount++]) = a;
		patch->weights[a] = 0.0;
	}
	double size = brDLength(normal);
	if (plusCount == 0 || minusCount == 0 || !(size > 0.0))
	{
		return false;
	}
	patch->normal = brDMul(1.0 / size, normal);
	// In turn around the section.
	for (int32_t i = 0; i < plusCount; ++i)
	{
		for (int32_t j = 0; j < minusCount; ++j)
		{
			int32_t a = plus[i], b = minus[i % 2 == 0 ? j : minusCount - 1 - j];
			double whole = fabs(phi[a]) + fabs(phi[b]), share = whole > 0.0 ? fabs(phi[a]) / whole : 0.5;
			points[count++] = brDLerp(body->mesh->nodes[n[a]], body->mesh->nodes[n[b]], share);
			patch->weights[a] += 1.0 - share;
			patch->weights[b] += share;
		}
	}
	*outArea = 0.0;
	for (int32_t i = 2; i < count; ++i)
	{
		*outArea += 0.5 * brDLength(brDCross(brDSub(points[i - 1], points[0]), brDSub(points[i], points[0])));
	}
	for (int32_t a = 0; a < 4; ++a)
	{
		patch->weights[a] /= count;
	}
	return *outArea > 0.0;
}

// Pairs of pieces that one crack of a cut tet parts. Counts them, and adds them to `patches` if that is not null.
static int32_t contactPairs(const brElasticBody* body, int32_t cutIndex, brContactPatch* patches)
{
	const brElementSet* set = &body->set;
	const brCutTet* cut = &set->cuts[cutIndex];
	const brElementShape* shapes = set->shapes + set->shapeStarts[cutIndex];
	int32_t count = 0;
	for (int32_t slot = 0; slot < cut->crackCount; ++slot)
	{
		brContactPatch patch = {.crack = cut->cracks[slot]};
		double area = 0.0;
		if (!contactSection(body, cut, slot, &patch, &area))
		{
			continue;
		}
		double edge = brPower(8.5 * body->volumes[cut->tet], 1.0 / 3.0); // of a regular tet of this volume
		for (int32_t i = 0; i < cut->pieceCount; ++i)
		{
			for (int32_t j = 0; j < cut->pieceCount; ++j)
			{
				int32_t a = brCutTet_Piece(cut, i), b = brCutTet_Piece(cut, j);
				bool isPair = shapes[i].level == shapes[j].level && (shapes[i].signs ^ shapes[j].signs) == 1u << slot &&
							  (shapes[i].signs >> slot & 1) != 0 && set->pieceParts[a] == set->pieceParts[b];
				if (!isPair)
				{
					continue;
				}
				// Several cracks or levels in a tet share the section as they share the volume.
				double share = (shapes[i].volume + shapes[j].volume) / body->volumes[cut->tet];
				patch.pieces[0] = a, patch.pieces[1] = b;
				patch.area = share * area;
				patch.stiffness = CONTACT_STIFF * body->youngsModulus * body->stiffnesses[cut->tet] / edge * patch.area;
				if (patches != NULL)
				{
					patches[count] = patch;
				}
				count += 1;
			}
		}
	}
	return count;
}

brResult brElasticBody_MakeContact(brElasticBody* body, brReport* report)
{
	brFaceContact* contact = &body->contact;
	if (contact->starts != NULL)
	{
		return br_success;
	}
	const brElementSet* set = &body->set;
	contact->cutCount = set->cutCount;
	contact->starts = BR_ALLOC_ZERO(&body->allocator, int32_t, set->cutCount + 1);
	if (contact->starts == NULL)
	{
		return brFailMemory(report);
	}
	for (int32_t c = 0; c < set->cutCount; ++c)
	{
		contact->starts[c + 1] = contact->starts[c] + contactPairs(body, c, NULL);
	}
	contact->count = contact->starts[set->cutCount];
	contact->patches = BR_ALLOC(&body->allocator, brContactPatch, contact->count);
	if (contact->patches == NULL)
	{
		contact->count = 0;
		brElasticBody_FreeContact(body);
		return brFailMemory(report);
	}
	for (int32_t c = 0; c < set->cutCount; ++c)
	{
		contactPairs(body, c, contact->patches + contact->starts[c]);
	}
	return br_success;
}

void brElasticBody_FreeContact(brElasticBody* body)
{
	brFaceContact* contact = &body->contact;
	BR_FREE(&body->allocator, contact->patches, contact->count);
	BR_FREE(&body->allocator, contact->starts, contact->cutCount + 1);
	memset(contact, 0, sizeof(*contact));
}

// How far the faces are apart along the normal, in the middle of the patch.
static double contactGap(const brElasticBody* body, const brContactPatch* patch)
{
	const int32_t *above = body->set.pieceValues[patch->pieces[0]], *below = body->set.pieceValues[patch->pieces[1]];
	double gap = 0.0;
	for (int32_t a = 0; a < 4; ++a)
	{
		gap += patch->weights[a] * brDDot(patch->normal, brDSub(body->solution[above[a]], body->solution[below[a]]));
	}
	return gap;
}

double brElasticBody_UpdateContact(brElasticBody* body)
{
	double changed = 0.0, all = 0.0;
	for (int32_t i = 0; i < body->contact.count; ++i)
	{
		brContactPatch* patch = &body->contact.patches[i];
		bool isClosed = contactGap(body, patch) < 0.0;
		changed += isClosed != patch->isClosed ? patch->area : 0.0;
		all += patch->area;
		patch->isClosed = isClosed;
	}
	return all > 0.0 ? changed / all : 0.0;
}

void brElasticBody_MultiplyContact(const brElasticBody* body, const brDVec3* x, brDVec3* y)
{
	for (int32_t i = 0; i < body->contact.count; ++i)
	{
		const brContactPatch* patch = &body->contact.patches[i];
		double gap = 0.0;
		for (int32_t k = 0; k < 8 && patch->isClosed; ++k)
		{
			double weight = (k < 4 ? 1.0 : -1.0) * patch->weights[k % 4];
			gap += weight * brDDot(patch->normal, x[body->set.pieceValues[patch->pieces[k / 4]][k % 4]]);
		}
		for (int32_t k = 0; k < 8 && patch->isClosed; ++k)
		{
			int32_t value = body->set.pieceValues[patch->pieces[k / 4]][k % 4];
			double force = (k < 4 ? 1.0 : -1.0) * patch->weights[k % 4] * patch->stiffness * gap;
			y[value] = brDMulAdd(y[value], force, patch->normal);
		}
	}
}

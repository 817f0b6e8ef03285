// SPDX-License-Identifier: MIT

// Where the energy of a blow is, as samples of stress: those of the caller, or closed forms: a point force on a half
// space (Boussinesq) in lumps, a plate that bends round the hit in walls. Near the hit samples are divided until they
// are finer than their distance, and stress grows as 1 / r^2 there, as far as the contact.
//
// Points inside come from random lines: a point of the surface, a line inward by Lambert's law, a point of the chord.
// Such lines are even and without direction, so a point counts as long as its chord.

#include "fracture/cascade.h"

#include "base/memory.h"
#include "math/power.h"
#include "math/rotation.h"

#include <math.h>

#define FIELD_POINTS 2000
#define FIELD_PIECE 600  // the same of a piece, which breaks into few
#define FIELD_DEEPEST 8  // divisions of one sample
#define FIELD_MOST 12000 // samples
#define FIELD_FLEXURE 2.2

static void fieldSetEnergy(const brCascadeRule* rule, brCascadeSample* sample)
{
	const double* s = sample->stress;
	double nu = rule->material.poissonRatio, cross = s[0] * s[1] + s[1] * s[2] + s[2] * s[0];
	sample->energy =
		(s[0] * s[0] + s[1] * s[1] + s[2] * s[2] - 2.0 * nu * cross) / (2.0 * rule->material.youngsModulus);
}

// A point force of 2 pi on a half space, r >= contact.
static void fieldBoussinesq(const brCascadeRule* rule, brCascadeSample* sample)
{
	brDVec3 d = brDSub(sample->position, rule->hit);
	double z = fmax(brDDot(d, rule->direction), 0.0), nu = rule->material.poissonRatio;
	brDVec3 out = brDMulAdd(d, -brDDot(d, rule->direction), rule->direction);
	double r = brDLength(out), distance = fmax(sqrt(r * r + z * z), 1e-3 * rule->contact);
	out = r > 0.0 ? brDMul(1.0 / r, out) : brDNormalize(brDCross(rule->direction, brMakeDVec3(0.6, 0.64, 0.48)));
	double c = z / distance, s = r / distance, scale = 1.0 / fmax(distance * distance, rule->contact * rule->contact);
	double radial = (1.0 - 2.0 * nu) / (1.0 + c) - 3.0 * s * s * c, hoop = (1.0 - 2.0 * nu) * (c - 1.0 / (1.0 + c));
	double axial = -3.0 * c * c * c, shear = -3.0 * s * c * c;
	double mean = 0.5 * (radial + axial), half = 0.5 * (radial - axial), size = sqrt(half * half + shear * shear);
	double angle = 0.5 * brAtan2(shear, half), x = brCos(angle), y = brSin(angle);
	sample->stress[0] = scale * (mean + size), sample->stress[1] = scale * hoop,
	sample->stress[2] = scale * (mean - size);
	sample->axis[0] = brDMulAdd(brDMul(x, out), y, rule->direction);
	sample->axis[1] = brDCross(rule->direction, out);
	sample->axis[2] = brDMulAdd(brDMul(-y, out), x, rule->direction);
}

// A wall with outward normal, bent by a force; `extent` is how far that is felt.
static void fieldPlate(const brCascadeRule* rule, brDVec3 normal, double extent, brCascadeSample* sample)
{
	brDVec3 d = brDSub(sample->position, rule->hit), out = brDMulAdd(d, -brDDot(d, normal), normal);
	double r = brDLength(d), along = brDLength(out), nu = rule->material.poissonRatio, near = fmax(r, 0.5 * rule->wall);
	out = along > 0.0 ? brDMul(1.0 / along, out) : brDAcross(normal);
	double radial = (1.0 + nu) * brLogarithm(1.0 + extent / near), hoop = radial + 1.0 - nu;
	double fall = near > extent ? extent / near : 1.0;
	sample->stress[0] = fall * hoop, sample->stress[1] = fall * radial, sample->stress[2] = 0.0;
	sample->axis[0] = brDCross(normal, out), sample->axis[1] = out, sample->axis[2] = normal;
}

// How far a blow on a wall bends it: the plate, or the stretch over which a shell carries a load by bending.
static double fieldExtent(const brCascadeRule* rule, double radius)
{
	double plate = sqrt(rule->volume / (rule->wall * BR_PI));
	return rule->form == br_formPlate ? plate : fmin(plate, 3.0 * sqrt(0.5 * radius * rule->wall));
}

static void fieldFromForms(const brCascadeSource* source, const brCascadeRule* rule, brCascadeField* out)
{
	const brHitSurface* surface = source->surface;
	brRandom random = brMakeRandom(rule->seed, 11);
	double radius = 0.5 * brDDistance(surface->bounds.lower, surface->bounds.upper), sum = 0.0;
	double extent = rule->wall > 0.0 ? fieldExtent(rule, radius) : 0.0;
	int32_t count = source->isPiece ? FIELD_PIECE : FIELD_POINTS;
	for (int32_t i = 0; i < count && surface->all.count > 0; ++i)
	{
		double want = surface->all.area * ((i + brRandom_Unit(&random)) / count);
		brDVec3 normal, p = brHitSurface_Draw(surface, &surface->all, want, &random, &normal);
		brDVec3 d = brDNormalize(brDSub(brDMul(0.999, brRandomDirection(&random)), normal));
		double chord = brHitSurface_Depth(surface, p, d, 1e-9 * radius, INFINITY), part = brRandom_Unit(&random);
		if (!isfinite(chord) || !(chord > 0.0))
		{
			continue;
		}
		brCascadeSample* sample = &out->samples[out->count++];
		*sample = (brCascadeSample){.position = brDMulAdd(p, part * chord, d), .volume = chord};
		sum += chord;
		if (rule->wall > 0.0)
		{
			fieldPlate(rule, normal, extent, sample);
		}
		else
		{
			fieldBoussinesq(rule, sample);
		}
	}
	for (int32_t i = 0; i < out->count; ++i)
	{
		out->samples[i].volume *= rule->volume / sum;
	}
}

// Distance from the hit within which samples of this size do not see how stress grows.
static double fieldBlur(const brCascadeRule* rule, double size)
{
	return rule->wall > 0.0 ? fmin(2.0 * size, rule->wall) : 2.0 * size;
}

static void fieldFromStress(const brCascadeSource* source, const brCascadeRule* rule, brCascadeField* out)
{
	for (int32_t i = 0; i < source->sampleCount && out->count < out->capacity; ++i)
	{
		const brStressSample* s = &source->samples[i];
		out->samples[out->count++] = (brCascadeSample){.position = s->position,
													   .volume = s->volume,
													   .stress = {s->stress[0], s->stress[1], s->stress[2]},
													   .axis = {s->axis[0], s->axis[1], s->axis[2]}};
		double far = fmax(brDDistance(s->position, rule->hit), rule->pressed);
		// Most lie farther away than twice their size, and need no root for that.
		double blur = far * far * far < 8.001 * s->volume ? fieldBlur(rule, brPower(s->volume, 1.0 / 3.0)) : 0.0;
		double grow = far < blur ? blur / far : 1.0;
		for (int32_t c = 0; c < 3; ++c)
		{
			out->samples[out->count - 1].stress[c] *= grow * grow;
		}
	}
}

// A sample that is coarse for where it is becomes eight, those nearer to the hit with more stress, until none is.
static void fieldRefine(const brCascadeRule* rule, brCascadeField* field)
{
	for (int32_t pass = 0, end = -1; pass < FIELD_DEEPEST && end < field->count; ++pass)
	{
		end = field->count;
		for (int32_t i = 0; i < end; ++i)
		{
			brCascadeSample sample = field->samples[i];
			double far = brDDistance(sample.position, rule->hit), fine = 0.7 * fmax(far, rule->pressed);
			if (sample.volume < fine * fine * fine || field->count + 7 > field->capacity)
			{
				continue;
			}
			double size = brPower(sample.volume, 1.0 / 3.0);
			double edge = fieldBlur(rule, size);
			for (int32_t k = 0; k < 8; ++k)
			{
				brCascadeSample part = sample;
				brDVec3 shift = brMakeDVec3(k & 1 ? 0.25 : -0.25, k & 2 ? 0.25 : -0.25, k & 4 ? 0.25 : -0.25);
				part.volume = 0.125 * sample.volume;
				part.position = brDMulAdd(sample.position, size, shift);
				double near = fmax(brDDistance(part.position, rule->hit), rule->pressed), was = fmin(far, edge);
				double grow = near < was ? (was / near) * (was / near) : 1.0;
				for (int32_t c = 0; c < 3; ++c)
				{
					part.stress[c] *= grow;
				}
				field->samples[k == 0 ? i : field->count++] = part;
			}
		}
	}
}

bool brCascadeField_Make(const brAllocator* allocator, const brCascadeSource* source, const brCascadeRule* rule,
						 brCascadeField* out)
{
	int32_t base = source->samples != NULL ? source->sampleCount : FIELD_POINTS;
	*out = (brCascadeField){.capacity = base + FIELD_MOST};
	out->samples = BR_ALLOC(allocator, brCascadeSample, out->capacity);
	if (out->samples == NULL)
	{
		*out = (brCascadeField){0};
		return false;
	}
	if (source->samples != NULL)
	{
		fieldFromStress(source, rule, out);
	}
	else
	{
		fieldFromForms(source, rule, out);
	}
	fieldRefine(rule, out);
	for (int32_t i = 0; i < out->count; ++i)
	{
		fieldSetEnergy(rule, &out->samples[i]);
		out->total += out->samples[i].energy * out->samples[i].volume;
	}
	return true;
}

double brCascadeRule_WaveReach(const brCascadeRule* rule, double duration)
{
	const brMaterial* m = &rule->material;
	double h = rule->wall,
		   flexure = m->youngsModulus * h * h / (12.0 * m->density * (1.0 - m->poissonRatio * m->poissonRatio));
	return h > 0.0 ? FIELD_FLEXURE * sqrt(sqrt(flexure) * duration) : sqrt(m->youngsModulus / m->density) * duration;
}

void brCascadeField_Limit(brCascadeField* field, const brCascadeRule* rule, double duration)
{
	double reach = brCascadeRule_WaveReach(rule, duration);
	field->total = 0.0;
	for (int32_t i = 0; i < field->count; ++i)
	{
		brCascadeSample* sample = &field->samples[i];
		double far = brDDistance(sample->position, rule->hit) / reach, square = far * far;
		sample->energy /= 1.0 + square * square * square * square;
		field->total += sample->energy * sample->volume;
	}
}

double brCascadeField_Relieve(brCascadeField* field, const brCascadeRule* rule, const brCascadeNode* node, double area,
							  double length)
{
	double reach = 0.5 * (rule->wall > 0.0 ? fmin(sqrt(area), area / rule->wall) : sqrt(area)), before = 0.0,
		   after = 0.0;
	// Stems and arms: one break takes the load off a good length.
	reach = length > 3.0 * sqrt(area) ? fmax(reach, 0.25 * length) : reach;
	for (int32_t i = node->first; i < node->first + node->count; ++i)
	{
		brCascadeSample* s = &field->samples[i];
		double far = fabs(brDDot(brDSub(s->position, node->shape.origin), node->shape.n)), was = 0.0, is = 0.0;
		before += s->energy * s->volume;
		for (int32_t c = 0; far < reach && c < 3; ++c)
		{
			double across = brDDot(s->axis[c], node->shape.n);
			was += s->stress[c] * s->stress[c];
			s->stress[c] *= s->stress[c] > 0.0 ? 1.0 - (1.0 - far / reach) * across * across : 1.0;
			is += s->stress[c] * s->stress[c];
		}
		s->energy *= was > 0.0 ? is / was : 1.0;
		after += s->energy * s->volume;
	}
	return before > 0.0 ? after / before : 1.0;
}

bool brCascadeField_IsOnFace(const brCascadeField* field, const brCascadeRule* rule)
{
	double reach = 0.15 * sqrt(rule->volume / rule->wall), volume = 0.0;
	brDVec3 sum = {0.0, 0.0, 0.0};
	for (int32_t i = 0; i < field->count; ++i)
	{
		brDVec3 d = brDSub(field->samples[i].position, rule->hit);
		if (brDLength(d) < reach)
		{
			sum = brDMulAdd(sum, field->samples[i].volume, d);
			volume += field->samples[i].volume;
		}
	}
	return volume > 0.0 && brDLength(sum) < 0.25 * reach * volume;
}

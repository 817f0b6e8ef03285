// SPDX-License-Identifier: MIT

// Stress intensities along crack fronts.
//
// The interaction integral weighs the solution with the near fields of the three modes (Shih and Asaro 1988; derivation
// and signs in docs/crack-method.md). Its weight q is 1 around the front and falls to 0 at the radius, so only a ring
// of tets adds: those at the front, whose fields are worst, do not. Along the front q is a hat. Frames are straight:
// that of the front point everywhere. Round a bent front the near fields are not those of the frame; the energy that a
// shift of the front along it sets free is right all the same, so that says how large K is, and the modes how it is
// shared.
//
// Displacement correlation reads the jump behind the front at two distances and goes on to zero distance in a line.
//
// The discrete front is jagged by an element, so single points scatter; the mean over a window along the front does not.

#include "elastic/crack_front.h"

#include "base/assert.h"
#include "base/report.h"

#include <string.h>

#define INTENSITY_PLATEAU 1.0   // edges with q = 1
#define INTENSITY_HAT 1.75      // half length of the hat along the front, in edges
#define INTENSITY_WHOLE_HAT 0.9 // share of the hat on the front from which on it is whole
#define INTENSITY_WHOLEST 0.95  // of the wholest hat that is near: in plates thinner than hats
#define INTENSITY_TRUST 1.25    // where energy and modes differ by more, the energy is of something else that is near
#define INTENSITY_ALONE 1.5     // edges behind the front where the jump is read if the crack is short
#define INTENSITY_NEAR 2.0      // the nearer of two places else
#define INTENSITY_FAR 4.0
#define INTENSITY_BACK 0.1     // so far behind the front the jump of the solution ends
#define INTENSITY_MIN_SIZE 5.0 // a crack shorter than that has no second place

brIntensityDef brDefaultIntensityDef(void)
{
	brIntensityDef def = {0};
	def.radius = 2.0;
	def.window = 1.5;
	def.stamp = BR_STAMP(def);
	return def;
}

double brEnergyReleaseRate(double youngsModulus, double poissonRatio, const double intensity[3])
{
	double k1 = intensity[0] > 0.0 ? intensity[0] : 0.0;
	return (1.0 - poissonRatio * poissonRatio) / youngsModulus * (k1 * k1 + intensity[1] * intensity[1]) +
		   (1.0 + poissonRatio) / youngsModulus * intensity[2] * intensity[2];
}

double brKinkAngle(double poissonRatio, const double intensity[3])
{
	double k1 = intensity[0] > 0.0 ? intensity[0] : 0.0, k2 = intensity[1];
	double opening = sqrt(k1 * k1 + intensity[2] * intensity[2] / (1.0 - poissonRatio));
	return 2.0 * brAtan2(-2.0 * k2, opening + sqrt(opening * opening + 8.0 * k2 * k2));
}

// Gradient of a mode's near field of unit intensity, at (x1, x2) from the front: d u_i / d x_j, with mu = 1. The side
// tells the faces apart.
static void intensityNearField(int mode, double x1, double x2, bool isPlus, double kappa, double out[3][2])
{
	double r = sqrt(x1 * x1 + x2 * x2);
	double c = x1 / r, half = 0.5 * (1.0 - c), other = 0.5 * (1.0 + c);
	double s = (isPlus ? fabs(x2) : -fabs(x2)) / r;
	double ch = sqrt(other > 0.0 ? other : 0.0), sh = (isPlus ? 1.0 : -1.0) * sqrt(half > 0.0 ? half : 0.0);
	double f[3] = {0.0, 0.0, 0.0}, d[3] = {0.0, 0.0, 0.0}; // angular part and its slope
	if (mode == 0)
	{
		f[0] = ch * (kappa - c), d[0] = -0.5 * sh * (kappa - c) + ch * s;
		f[1] = sh * (kappa - c), d[1] = 0.5 * ch * (kappa - c) + sh * s;
	}
	else if (mode == 1)
	{
		f[0] = sh * (kappa + 2.0 + c), d[0] = 0.5 * ch * (kappa + 2.0 + c) - sh * s;
		f[1] = -ch * (kappa - 2.0 + c), d[1] = 0.5 * sh * (kappa - 2.0 + c) + ch * s;
	}
	else
	{
		f[2] = 4.0 * sh, d[2] = 2.0 * ch;
	}
	double scale = 0.5 / sqrt(2.0 * BR_PI * r);
	for (int i = 0; i < 3; ++i)
	{
		out[i][0] = scale * (0.5 * c * f[i] - s * d[i]);
		out[i][1] = scale * (0.5 * s * f[i] + c * d[i]);
	}
}

typedef struct IntensityJob
{
	const brElasticBody* body;
	int32_t crack;
	brIntensityDef def;
	brCrackFront* front;
	int32_t* visited; // [workers * tetCount] point that last came by
	int32_t* queues;  // [workers * tetCount]
	brSurfaceTree* tree;
} IntensityJob;

// Whether a piece is on the + side of the crack at work; by height if the crack does not cut its tet.
static bool intensityIsPlus(const brElasticBody* body, int32_t crack, int32_t piece, double height)
{
	int32_t c = body->set.cutOfTet[brElementSet_Tet(&body->set, piece)];
	const brCutTet* cut = c >= 0 ? &body->set.cuts[c] : NULL;
	for (int32_t k = 0; cut != NULL && k < cut->crackCount; ++k)
	{
		if (cut->cracks[k] == crack)
		{
			return (brElementSet_Shape(&body->set, piece)->signs >> k & 1) != 0;
		}
	}
	return height >= 0.0;
}

// Weight of a node.
static double intensityWeight(const brCrackFrontPoint* point, double radius, double hat, brDVec3 position)
{
	brDVec3 d = brDSub(position, point->position);
	double x1 = brDDot(d, point->forward), x2 = brDDot(d, point->normal), x3 = brDDot(d, point->tangent);
	double plateau = INTENSITY_PLATEAU * point->edge;
	double r = (radius - sqrt(x1 * x1 + x2 * x2)) / (radius - plateau), s = 1.0 - fabs(x3) / hat;
	r = r > 1.0 ? 1.0 : r < 0.0 ? 0.0 : r;
	return s > 0.0 ? r * s : 0.0;
}

// Displacement gradient and stress of a piece in the frame of a front point.
typedef struct FrontField
{
	double u[3][3]; // d u_i / d x_j
	double stress[3][3];
	double mu;
	double swelling;      // free strain
	double swellingSlope; // along the front's way
} FrontField;

// What all of the solid swells by alike, `even`, is left out: it is no load, and the near fields are in balance with it
// only as far as the weight is smooth.
static FrontField intensityField(const brElasticBody* body, const brCrackFrontPoint* point, int32_t piece, double even)
{
	FrontField field;
	brDVec3 axes[3] = {point->forward, point->normal, point->tangent};
	brMat3 global = brElasticBody_PieceGradient(body, piece);
	for (int j = 0; j < 3; ++j)
	{
		brDVec3 column = brMat3_MulV(&global, axes[j]); // derivative along axis j
		for (int i = 0; i < 3; ++i)
		{
			field.u[i][j] = brDDot(axes[i], column) - (i == j ? even : 0.0);
		}
	}
	int32_t tet = brElementSet_Tet(&body->set, piece);
	double lambda = body->lambda * body->stiffnesses[tet];
	field.mu = body->mu * body->stiffnesses[tet];
	double trace = lambda * (field.u[0][0] + field.u[1][1] + field.u[2][2]);
	field.swelling = body->swelling != NULL ? body->swelling[tet] - even : 0.0;
	field.swellingSlope = body->swelling != NULL ? brDDot(body->swellingSlopes[tet], point->forward) : 0.0;
	trace -= (3.0 * lambda + 2.0 * field.mu) * field.swelling;
	for (int i = 0; i < 9; ++i)
	{
		int r = i / 3, c = i % 3;
		field.stress[r][c] = field.mu * (field.u[r][c] + field.u[c][r]) + (r == c ? trace : 0.0);
	}
	return field;
}

// Adds the flux of the interaction energy at a place along `direction` (in the frame) to the three integrals. Where the
// free strain varies along the front's way, the flux has a source: what the near field's pressure does on it, by
// `weight`, which is volume times weight.
static void intensityAddFlux(const IntensityJob* job, const FrontField* field, bool isPlus, double x1, double x2,
							 const double direction[3], double weight, double integrals[3])
{
	double nu = job->body->poissonRatio;
	if (x1 * x1 + x2 * x2 == 0.0)
	{
		return;
	}
	for (int mode = 0; mode < 3; ++mode)
	{
		double a[3][2], near[3][3], work = 0.0, sum = 0.0;
		intensityNearField(mode, x1, x2, isPlus, 3.0 - 4.0 * nu, a);
		double dilation = 2.0 * nu / (1.0 - 2.0 * nu) * (a[0][0] + a[1][1]); // lambda over mu is 2 nu / (1 - 2 nu)
		for (int i = 0; i < 9; ++i)
		{
			int r = i / 3, c = i % 3;
			double rc = c < 2 ? a[r][c] : 0.0, cr = r < 2 ? a[c][r] : 0.0;
			near[r][c] = rc + cr + (r == c ? dilation : 0.0);
			work += field->stress[r][c] * 0.5 * (rc + cr);
		}
		for (int j = 0; j < 3; ++j)
		{
			double flux = j == 0 ? -work : 0.0;
			for (int i = 0; i < 3; ++i)
			{
				// The near field has mu = 1: its displacement is mu times too large, its stress right.
				flux += field->stress[i][j] * a[i][0] + field->mu * near[i][j] * field->u[i][0];
			}
			sum += flux * direction[j];
		}
		sum += field->mu * (near[0][0] + near[1][1] + near[2][2]) * field->swellingSlope * weight;
		integrals[mode] += sum / job->body->mu;
	}
}

// Adds the flux of the energy itself, Eshelby's: along a straight direction it is right round a bent front too, where
// the near fields are not.
static void intensityAddEnergy(const FrontField* field, const double direction[3], double weight, double* release)
{
	double work = 0.0, trace = field->stress[0][0] + field->stress[1][1] + field->stress[2][2];
	for (int i = 0; i < 9; ++i)
	{
		work += 0.5 * field->stress[i / 3][i % 3] * field->u[i / 3][i % 3];
	}
	work -= 0.5 * trace * field->swelling;
	*release += trace * field->swellingSlope * weight;
	for (int j = 0; j < 3; ++j)
	{
		double flux = j == 0 ? -work : 0.0;
		for (int i = 0; i < 3; ++i)
		{
			flux += field->stress[i][j] * field->u[i][0];
		}
		*release += flux * direction[j];
	}
}

static void intensityAddPiece(const IntensityJob* job, const brCrackFrontPoint* point, int32_t piece,
							  const double slope[3], double weight, double even, double integrals[4])
{
	const brElasticBody* body = job->body;
	FrontField field = intensityField(body, point, piece, even);
	brDVec3 offset = brDSub(brElasticBody_PieceCenter(body, piece), point->position);
	double x1 = brDDot(offset, point->forward), x2 = brDDot(offset, point->normal);
	double volume = brElasticBody_PieceVolume(body, piece);
	double direction[3] = {volume * slope[0], volume * slope[1], volume * slope[2]};
	bool isPlus = intensityIsPlus(body, job->crack, piece, x2);
	intensityAddFlux(job, &field, isPlus, x1, x2, direction, volume * weight, integrals);
	intensityAddEnergy(&field, direction, volume * weight, &integrals[3]);
}

// Integral of the weight along the front, as far as it lies in the solid: of the same linear weight that the tets use,
// which is a little below 1 even at the front. Where stiffness varies both integrals count places by it: the fluxes are
// those of stresses in balance, and of a tet that is half empty half the front is there.
static double intensityFrontLength(const IntensityJob* job, const brCrackFrontPoint* point, double radius, double hat)
{
	const brCrackFront* front = job->front;
	const brTetMesh* mesh = job->body->mesh;
	double length = 0.0;
	for (int32_t i = front->sampleStarts[point->chain]; i < front->sampleStarts[point->chain + 1]; ++i)
	{
		const brCrackFrontSample* sample = &front->samples[i];
		if (sample->place.tet < 0 || brDDistance(sample->position, point->position) > hat + 2.0 * point->edge)
		{
			continue;
		}
		double weight = 0.0;
		for (int a = 0; a < 4; ++a)
		{
			brDVec3 node = mesh->nodes[mesh->tets[sample->place.tet][a]];
			weight += sample->place.weights[a] * intensityWeight(point, radius, hat, node);
		}
		double stiffness = job->body->stiffnesses[sample->place.tet];
		length += weight * stiffness * fabs(brDDot(sample->along, point->tangent));
	}
	return length;
}

static void intensityIntegrate(const IntensityJob* job, int32_t index, int32_t* visited, int32_t* queue)
{
	const brElasticBody* body = job->body;
	brCrackFrontPoint* point = &job->front->points[index];
	double radius = job->def.radius * point->edge, hat = INTENSITY_HAT * point->edge;
	double integrals[4] = {0.0, 0.0, 0.0, 0.0}; // three modes, energy
	double closed = 0.0;                        // area of crack that is closed, less that which is open
	brTetPoint place = job->front->places[index];
	double even = body->swelling != NULL ? body->swelling[place.tet] : 0.0;
	// Tets around the point, outward over faces as far as the weight reaches.
	int32_t head = 0, tail = 0;
	queue[tail++] = place.tet;
	visited[place.tet] = index;
	while (head < tail)
	{
		int32_t tet = queue[head++];
		const int32_t* n = body->mesh->tets[tet];
		double q[4];
		brDVec3 slope = {0.0, 0.0, 0.0}, gradients[4];
		brElasticBody_GetGradients(body, tet, gradients);
		for (int a = 0; a < 4; ++a)
		{
			q[a] = intensityWeight(point, radius, hat, body->mesh->nodes[n[a]]);
			slope = brDMulAdd(slope, q[a], gradients[a]);
		}
		if (q[0] + q[1] + q[2] + q[3] == 0.0 && tet != place.tet)
		{
			continue;
		}
		for (int a = 0; a < 4; ++a)
		{
			int32_t neighbor = body->neighbors[tet][a];
			if (neighbor >= 0 && visited[neighbor] != index)
			{
				visited[neighbor] = index;
				queue[tail++] = neighbor;
			}
		}
		double local[3] = {brDDot(slope, point->forward), brDDot(slope, point->normal), brDDot(slope, point->tangent)};
		bool isFlat = local[0] == 0.0 && local[1] == 0.0 && local[2] == 0.0;
		if (isFlat && body->swelling == NULL)
		{
			continue;
		}
		double weight = 0.25 * (q[0] + q[1] + q[2] + q[3]);
		intensityAddPiece(job, point, tet, local, weight, even, integrals);
		int32_t c = body->set.cutOfTet[tet];
		for (int32_t i = c >= 0 && body->contact.starts != NULL ? body->contact.starts[c] : 0;
			 c >= 0 && body->contact.starts != NULL && i < body->contact.starts[c + 1]; ++i)
		{
			const brContactPatch* patch = &body->contact.patches[i];
			closed += patch->crack != job->crack ? 0.0 : patch->isClosed ? patch->area : -patch->area;
		}
		for (int32_t k = 1; c >= 0 && k < body->set.cuts[c].pieceCount; ++k)
		{
			intensityAddPiece(job, point, brCutTet_Piece(&body->set.cuts[c], k), local, weight, even, integrals);
		}
	}
	double length = intensityFrontLength(job, point, radius, hat);
	double mu = body->mu * body->stiffnesses[place.tet];
	double scale = length > 0.0 ? 1.0 / length : 0.0;
	job->front->coverage[index] = length / (hat * body->stiffnesses[place.tet]);
	// Faces that press on each other do not open. What they press enters the integral of mode I alone: along the
	// others' near fields it does no work.
	integrals[0] = closed > 0.0 ? 0.0 : integrals[0];
	integrals[3] = closed > 0.0 ? 0.0 : integrals[3]; // the little that springs give way is no growth
	point->intensity[0] = mu / (1.0 - body->poissonRatio) * integrals[0] * scale; // E / (2 (1 - nu^2)) = mu / (1 - nu)
	point->intensity[1] = mu / (1.0 - body->poissonRatio) * integrals[1] * scale;
	point->intensity[2] = mu * integrals[2] * scale;
	job->front->releases[index] = integrals[3] * scale;
}

// Jump at a distance behind a front point, on the crack. False where the crack is not, or the solid ends.
static bool intensityJumpBehind(const IntensityJob* job, const brCrackFrontPoint* point, double distance,
								brDVec3* outJump)
{
	const brElasticBody* body = job->body;
	brDVec3 behind = brDMulAdd(point->position, -distance, point->forward);
	brClosestPoint closest = brSurfaceTree_ClosestWithin(job->tree, behind, 0.5 * point->edge + 0.5 * distance);
	if (closest.triangle < 0)
	{
		return false;
	}
	brTetPoint place;
	brTetLocator_Find(body->locator, NULL, &closest.point, 1, &place);
	if (place.tet < 0)
	{
		return false;
	}
	*outJump = brElasticBody_GetJump(body, job->crack, closest.point);
	return true;
}

static void intensityCorrelate(const IntensityJob* job, int32_t index)
{
	const brElasticBody* body = job->body;
	brCrackFrontPoint* point = &job->front->points[index];
	double mu = body->mu * body->stiffnesses[job->front->places[index].tet];
	double factors[3] = {0.25 * mu / (1.0 - body->poissonRatio), 0.25 * mu / (1.0 - body->poissonRatio), 0.25 * mu};
	brDVec3 axes[3] = {point->normal, point->forward, point->tangent};
	double distances[2] = {INTENSITY_NEAR * point->edge, INTENSITY_FAR * point->edge};
	brDVec3 jumps[2], unused;
	bool isLong = intensityJumpBehind(job, point, distances[0], &jumps[0]) &&
				  intensityJumpBehind(job, point, distances[1], &jumps[1]) &&
				  intensityJumpBehind(job, point, INTENSITY_MIN_SIZE * point->edge, &unused);
	distances[0] = isLong ? distances[0] : INTENSITY_ALONE * point->edge;
	if (!isLong && !intensityJumpBehind(job, point, distances[0], &jumps[0]))
	{
		return;
	}
	double back = INTENSITY_BACK * point->edge;
	for (int mode = 0; mode < 3; ++mode)
	{
		double near = factors[mode] * sqrt(2.0 * BR_PI / (distances[0] - back)) * brDDot(axes[mode], jumps[0]);
		double far =
			isLong ? factors[mode] * sqrt(2.0 * BR_PI / (distances[1] - back)) * brDDot(axes[mode], jumps[1]) : near;
		point->intensity[mode] = 2.0 * near - far;
	}
}

static void intensityRange(int32_t begin, int32_t end, int32_t worker, void* user)
{
	IntensityJob* job = user;
	size_t offset = (size_t)worker * (size_t)job->body->tetCount;
	for (int32_t i = begin; i < end; ++i)
	{
		if (job->front->isAsked[i] == 0)
		{
			continue;
		}
		if (job->def.method == br_intensityIntegral)
		{
			intensityIntegrate(job, i, job->visited + offset, job->queues + offset);
		}
		else
		{
			intensityCorrelate(job, i);
		}
	}
}

// Least share of a hat that is whole enough near a front point.
static double intensityWholest(const brCrackFront* front, int32_t i)
{
	const brCrackFrontPoint* point = &front->points[i];
	double best = 0.0;
	for (int32_t j = front->chainStarts[point->chain]; j < front->chainStarts[point->chain + 1]; ++j)
	{
		double distance = brCrackFront_Distance(front, point->chain, front->arcs[i], front->arcs[j]);
		bool isNear = front->isAsked[j] != 0 && distance < 2.0 * INTENSITY_HAT * point->edge;
		best = isNear ? fmax(best, front->coverage[j]) : best;
	}
	return fmin(INTENSITY_WHOLE_HAT, INTENSITY_WHOLEST * best);
}

// Where the hat is cut off by the surface of the solid, the field on that surface enters the integral: for modes II and
// III it takes up parts of each other. There they take the values of the nearest point with a whole hat, or in a plate
// that is thinner than one, with the wholest that is near.
static void intensityMendEnds(const IntensityJob* job)
{
	brCrackFront* front = job->front;
	for (int32_t i = 0; i < front->pointCount; ++i)
	{
		brCrackFrontPoint* point = &front->points[i];
		double best = front->isAsked[i] != 0 ? intensityWholest(front, i) : 0.0;
		if (front->isAsked[i] == 0 || front->coverage[i] >= best)
		{
			continue;
		}
		double nearest = 2.0 * INTENSITY_HAT * point->edge;
		for (int32_t j = front->chainStarts[point->chain]; j < front->chainStarts[point->chain + 1]; ++j)
		{
			double distance = brCrackFront_Distance(front, point->chain, front->arcs[i], front->arcs[j]);
			if (front->isAsked[j] != 0 && front->coverage[j] >= best && distance < nearest)
			{
				point->intensity[1] = front->points[j].intensity[1];
				point->intensity[2] = front->points[j].intensity[2];
				nearest = distance;
			}
		}
	}
}

// The modes say how K is shared, the energy how much of it there is. Where stiffness varies more would belong to it.
static void intensityScale(const IntensityJob* job)
{
	const brElasticBody* body = job->body;
	for (int32_t i = 0; i < job->front->pointCount && body->fills == NULL; ++i)
	{
		double* k = job->front->points[i].intensity;
		double stiffness = job->front->points[i].isInside ? body->stiffnesses[job->front->places[i].tet] : 1.0;
		double all[3] = {fabs(k[0]), k[1], k[2]}; // faces that overlap have energy too
		double own = brEnergyReleaseRate(stiffness * body->youngsModulus, body->poissonRatio, all);
		double ratio = own > 0.0 && job->front->releases[i] > 0.0 ? sqrt(job->front->releases[i] / own) : 1.0;
		for (int mode = 0; mode < 3; ++mode)
		{
			k[mode] *= fmax(1.0 / INTENSITY_TRUST, fmin(INTENSITY_TRUST, ratio));
		}
	}
}

// What a front point stands for: half of the front to either neighbor.
static void intensityShares(const brCrackFront* front, double* shares)
{
	for (int32_t i = 0; i < front->pointCount; ++i)
	{
		int32_t c = front->points[i].chain, first = front->chainStarts[c], end = front->chainStarts[c + 1];
		bool isClosed = front->chainIsClosed[c] != 0;
		double before = i > first  ? front->arcs[i] - front->arcs[i - 1]
						: isClosed ? front->chainLengths[c] - front->arcs[end - 1]
								   : 0.0;
		double after = i + 1 < end ? front->arcs[i + 1] - front->arcs[i]
					   : isClosed  ? front->chainLengths[c] - front->arcs[i]
								   : 0.0;
		shares[i] = 0.5 * (before + after);
	}
}

// Means along each chain of what is asked, within `reach` edges to either side: all alike, or as a hat.
static void intensitySmooth(const brCrackFront* front, const double* shares, double reach, bool isHat,
							const double (*values)[3], double (*out)[3])
{
	for (int32_t i = 0; i < front->pointCount; ++i)
	{
		const brCrackFrontPoint* point = &front->points[i];
		double window = reach * point->edge, all = 0.0, sums[3] = {0.0, 0.0, 0.0};
		int32_t first = front->chainStarts[point->chain], end = front->chainStarts[point->chain + 1];
		for (int32_t j = first; front->isAsked[i] != 0 && j < end; ++j)
		{
			double distance = brCrackFront_Distance(front, point->chain, front->arcs[i], front->arcs[j]);
			if (front->isAsked[j] != 0 && (j == i || distance <= window))
			{
				double share = shares[j] * (isHat && window > 0.0 ? fmax(1.0 - distance / window, 0.0) : 1.0);
				all += share;
				for (int mode = 0; mode < 3; ++mode)
				{
					sums[mode] += share * values[j][mode];
				}
			}
		}
		for (int mode = 0; mode < 3; ++mode)
		{
			out[i][mode] = all > 0.0 ? sums[mode] / all : values[i][mode];
		}
	}
}

// Whether the front goes on inside the solid for so far to both sides of a point.
static bool intensityIsAmong(const brCrackFront* front, int32_t i, double reach)
{
	const brCrackFrontPoint* point = &front->points[i];
	int32_t c = point->chain, first = front->chainStarts[c], end = front->chainStarts[c + 1];
	double arc = front->arcs[i];
	bool isAmong = front->chainIsClosed[c] != 0 || (arc >= reach && front->chainLengths[c] - arc >= reach);
	for (int32_t j = first; j < end && isAmong; ++j)
	{
		isAmong = front->isAsked[j] != 0 || brCrackFront_Distance(front, c, arc, front->arcs[j]) > reach;
	}
	return isAmong;
}

// Means over the window along each chain. Where K has a peak or a dip along the front, as at the ends of an ellipse,
// the hats and this mean level it; what they take from the mean itself once more is about that, and comes back (Tukey's
// twicing). Rough values stay below what they were: with s what smoothing leaves of a wave, 2 s - s^2 <= 1.
static bool intensityAverage(const IntensityJob* job)
{
	brCrackFront* front = job->front;
	const brAllocator* allocator = &job->body->allocator;
	int32_t count = front->pointCount;
	double(*values)[3] = brAllocZeroArray(allocator, 3 * (int64_t)count, sizeof(*values));
	double* shares = BR_ALLOC(allocator, double, count);
	bool good = values != NULL && shares != NULL, isHat = job->def.method == br_intensityIntegral;
	if (good)
	{
		double(*means)[3] = values + count, (*again)[3] = values + 2 * (size_t)count;
		double window = job->def.window;
		for (int32_t i = 0; i < count; ++i)
		{
			memcpy(values[i], front->points[i].intensity, sizeof(values[i]));
		}
		intensityShares(front, shares);
		intensitySmooth(front, shares, window, false, (const double(*)[3])values, means);
		intensitySmooth(front, shares, isHat ? INTENSITY_HAT : 0.0, true, (const double(*)[3])means, values);
		intensitySmooth(front, shares, window, false, (const double(*)[3])values, again);
		for (int32_t i = 0; i < count; ++i)
		{
			double reach = (window + INTENSITY_HAT) * front->points[i].edge;
			bool isTwice = window > 0.0 && isHat && intensityIsAmong(front, i, 2.0 * reach);
			for (int mode = 0; mode < 3; ++mode)
			{
				front->points[i].intensity[mode] = means[i][mode] + (isTwice ? means[i][mode] - again[i][mode] : 0.0);
			}
		}
	}
	BR_FREE(allocator, values, 3 * (int64_t)count);
	BR_FREE(allocator, shares, count);
	return good;
}

brResult brElasticBody_ComputeFrontPoints(const brElasticBody* body, const brContext* context, int32_t crack,
										  const brIntensityDef* def, int32_t capacity, brCrackFrontPoint* out,
										  int32_t* outCount, brReport* report)
{
	if (body == NULL)
	{
		return brFail(report, br_errorMisuse, "brElasticBody_ComputeFrontPoints needs body");
	}
	brIntensityDef defaults = brDefaultIntensityDef();
	def = def != NULL ? def : &defaults;
	if (def->stamp != BR_STAMP(*def) || crack < 0 || crack >= body->crackCount || capacity < 0 ||
		!(def->radius > 1.0) || !(def->radius <= 10.0) || !(def->window >= 0.0))
	{
		return brFail(report, br_errorMisuse, "there is no such crack, or the options are out of range");
	}
	const brAllocator* allocator = &body->allocator;
	if (body->cracks[crack].triangleCount == 0)
	{
		*outCount = 0;
		return brSucceed(report);
	}
	brCrackFront front;
	if (!brCrackFront_Make(&front, body, crack))
	{
		return brFailMemory(report);
	}
	brResult result = br_success;
	brWorkers* workers = context != NULL ? context->workers : NULL;
	int64_t scratchCount =
		def->method == br_intensityIntegral ? (int64_t)brWorkers_GetCount(workers) * body->tetCount : 0;
	IntensityJob job = {.body = body, .crack = crack, .def = *def, .front = &front, .tree = body->cracks[crack].tree};
	job.visited = BR_ALLOC(allocator, int32_t, scratchCount);
	job.queues = BR_ALLOC(allocator, int32_t, scratchCount);
	if (job.visited == NULL || job.queues == NULL)
	{
		result = brFailMemory(report);
		goto done;
	}
	memset(job.visited, 0xff, (size_t)scratchCount * sizeof(int32_t));
	brParallelFor(workers, front.pointCount, 1, intensityRange, &job);
	if (def->method == br_intensityIntegral)
	{
		intensityMendEnds(&job);
		intensityScale(&job);
	}
	if (!intensityAverage(&job))
	{
		result = brFailMemory(report);
		goto done;
	}
	for (int32_t i = 0; i < front.pointCount; ++i)
	{
		brCrackFrontPoint* point = &front.points[i];
		double factor = point->isInside ? body->stiffnesses[front.places[i].tet] : 1.0;
		point->energyRelease = brEnergyReleaseRate(factor * body->youngsModulus, body->poissonRatio, point->intensity);
		point->kinkAngle = brKinkAngle(body->poissonRatio, point->intensity);
		if (i < capacity)
		{
			out[i] = *point;
		}
	}
	*outCount = front.pointCount;
done:
	BR_FREE(allocator, job.visited, scratchCount);
	BR_FREE(allocator, job.queues, scratchCount);
	brCrackFront_Free(&front, allocator);
	return result < 0 ? result : brSucceed(report);
}

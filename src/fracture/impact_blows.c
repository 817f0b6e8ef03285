// SPDX-License-Identifier: MIT

// Several blows at once, four places to one solution of the lattice. Bounds show that most break nothing, and of the
// blows on one body only the hardest has to be known.

#include "base/hash.h"
#include "fracture/impact_path.h"

#include <math.h>
#include <string.h>

#define IMPACT_GUESS 0.2 // least ratio of a place over that of its nearest probe that was ever found

// A place that the model does not remember yet, with the hardest of the blows there.
typedef struct ImpactPlace
{
	uint64_t name;
	brImpactKey key;
	int32_t firstBlow;
	double energy; // of the hardest blow that the bound does not settle
	const brStrike* strike;
	brImpactAnswer answer;
	brImpactPath path; // first the bound, then the solution
} ImpactPlace;

typedef struct ImpactBlow
{
	const brStrike* strike;
	brImpact* out;
	int32_t index; // among all blows of the call
	int32_t place;
	int32_t next; // at the same place, or -1
	bool isAsked; // no bound settles it
} ImpactBlow;

// A lower bound of the ratio of a blow, and an estimate of it; equal if it is known.
typedef struct ImpactGuess
{
	double least, likely;
	bool isLeft; // left out: a harder blow on the same body may be all that counts
} ImpactGuess;

typedef struct ImpactBlows
{
	const brImpactModel* model;
	brBlowNeed* needs;    // [count] or null: every blow has to be known
	ImpactGuess* guesses; // [count] of all blows of the call
	ImpactBlow* blows;
	ImpactPlace* places;
	int32_t* asked; // places that the bound does not settle
	int32_t count, blowCount, placeCount, askedCount;
	brWorkers* workers;
	brFlexModel* twins; // [workers] made by those that ask; without tets: not yet
	bool* hasNoMemory;  // [workers]
} ImpactBlows;

// Whether the bound of a place shows that the body survives all blows there.
static bool impactSettles(const ImpactBlows* all, ImpactPlace* place)
{
	place->energy = 0.0;
	for (int32_t i = place->firstBlow; i >= 0; i = all->blows[i].next)
	{
		ImpactBlow* blow = &all->blows[i];
		blow->isAsked = !brImpactPath_IsWithin(all->model, blow->strike, &place->path);
		place->energy = blow->isAsked ? fmax(place->energy, blow->strike->energy) : place->energy;
	}
	return !(place->energy > 0.0);
}

// The path of a place with the same compliance and tension per newton at every level, at Young's modulus 1.
static void impactWalkEvenly(const brImpactModel* model, const brStrike* strike, const brImpactAnswer* meeting,
							 double give, double pull, brImpactPath* path)
{
	brImpactAnswer even = *meeting;
	even.levels = BR_IMPACT_LEVELS;
	for (int l = 0; l < BR_IMPACT_LEVELS; ++l)
	{
		even.give[l] = give;
		even.pull[l] = pull;
	}
	brImpactAnswer_Walk(model, &even, strike, path);
}

// Bounds and estimates of the ratios of blows at a place that its bound does not settle. The estimate is that of the
// nearest probe. The lower bound is the ratio of a body that is as compliant as its softest probe and breaks at the
// contact alone, or IMPACT_GUESS of the estimate.
static void impactGuess(const ImpactBlows* all, const ImpactPlace* place)
{
	const brImpactModel* model = all->model;
	const brImpactAnswer* meeting = &place->answer;
	const brImpactProbe* probe = brImpactModel_NearestProbe(model, meeting->plane.point, meeting->plane.inward);
	brImpactPath soft, near;
	impactWalkEvenly(model, place->strike, meeting, model->maxGive * model->material.youngsModulus, 0.0, &soft);
	impactWalkEvenly(model, place->strike, meeting, probe->give, probe->pull, &near);
	for (int32_t i = place->firstBlow; i >= 0; i = all->blows[i].next)
	{
		const ImpactBlow* blow = &all->blows[i];
		if (blow->isAsked)
		{
			brStrike known = *blow->strike;
			known.energy = fmin(known.energy, soft.energy[soft.count - 1]);
			double likely = brImpactPath_Ratio(model, &near, blow->strike);
			double least = fmax(brImpactPath_Ratio(model, &soft, &known), IMPACT_GUESS * likely);
			all->guesses[blow->index] = (ImpactGuess){least, fmax(least, likely), false};
		}
	}
}

static void impactMeetRange(int32_t begin, int32_t end, int32_t worker, void* user)
{
	(void)worker;
	const ImpactBlows* all = user;
	for (int32_t i = begin; i < end; ++i)
	{
		ImpactPlace* place = &all->places[i];
		brImpactAnswer_Meet(all->model, place->strike, &place->answer);
		brImpactPath_Bound(all->model, place->strike, &place->answer, &place->path);
		if (impactSettles(all, place))
		{
			continue;
		}
		if (brImpactAnswer_Focus(all->model, &place->answer))
		{
			brImpactPath_Bound(all->model, place->strike, &place->answer, &place->path);
		}
		if (!impactSettles(all, place) && all->needs != NULL)
		{
			impactGuess(all, place);
		}
	}
}

// Four places side by side. Contacts that get wide are asked for once more, and those that get wider still one by one.
static void impactStrikeFour(const brImpactModel* model, brWorkers* workers, ImpactPlace* places, const int32_t* list,
							 int32_t count)
{
	for (int level = 0; level < 2; ++level)
	{
		brImpactAnswer* asked[BR_FRONT_LANES];
		int32_t askedCount = 0;
		for (int32_t i = 0; i < count; ++i)
		{
			ImpactPlace* place = &places[list[i]];
			if (level == 0 || !brImpactPath_Reaches(&place->path, place->energy))
			{
				asked[askedCount++] = &place->answer;
			}
		}
		if (askedCount > 0)
		{
			brImpactAnswer_AskNext(model, workers, asked, askedCount);
		}
		for (int32_t i = 0; i < count; ++i)
		{
			ImpactPlace* place = &places[list[i]];
			if (place->answer.levels == level + 1)
			{
				brImpactAnswer_Walk(model, &place->answer, place->strike, &place->path);
			}
		}
	}
	for (int32_t i = 0; i < count; ++i)
	{
		ImpactPlace* place = &places[list[i]];
		if (!brImpactPath_Reaches(&place->path, place->energy))
		{
			brImpactAnswer_AskAll(model, workers, &place->answer);
			brImpactAnswer_Walk(model, &place->answer, place->strike, &place->path);
		}
	}
}

brImpact brImpactModel_Strike(brImpactModel* model, const brStrike* strike)
{
	if (!(strike->energy > 0.0))
	{
		return (brImpact){.ratio = 0.0};
	}
	// As far as the contact gets wide, and no farther.
	brImpactKey key = brMakeImpactKey(strike);
	const brImpactPath* known = brImpactModel_Known(model, &key, strike->energy);
	if (known == NULL)
	{
		ImpactPlace place = {.energy = strike->energy, .strike = strike};
		const int32_t only = 0;
		brImpactAnswer_Meet(model, strike, &place.answer);
		brImpactAnswer_Focus(model, &place.answer);
		impactStrikeFour(model, NULL, &place, &only, 1);
		brImpactPath* path = brImpactModel_Keep(model, strike);
		*path = place.path;
		known = path;
	}
	return brImpactPath_Impact(model, known, strike);
}

static void impactStrikeRange(int32_t begin, int32_t end, int32_t worker, void* user)
{
	const ImpactBlows* all = user;
	brFlexModel* flex = &all->twins[worker];
	if (flex->tetCount == 0 && !brFlexModel_MakeTwin(all->model->flex, flex))
	{
		all->hasNoMemory[worker] = true;
	}
	brImpactModel twin = *all->model;
	twin.flex = flex;
	for (int32_t i = begin; i < end && !all->hasNoMemory[worker]; ++i)
	{
		int32_t first = i * BR_FRONT_LANES, left = all->askedCount - first;
		impactStrikeFour(&twin, all->workers, all->places, all->asked + first,
						 left < BR_FRONT_LANES ? left : BR_FRONT_LANES);
	}
}

// The place of a blow among those that are listed; a new one if it is not.
static int32_t impactPlaceOf(ImpactBlows* all, const brStrike* strike, const brImpactKey* key)
{
	uint64_t name = brHashBytes(0, key, sizeof(*key));
	int32_t i = 0;
	while (i < all->placeCount && (all->places[i].name != name || memcmp(&all->places[i].key, key, sizeof(*key)) != 0))
	{
		i += 1;
	}
	if (i == all->placeCount)
	{
		ImpactPlace* place = &all->places[all->placeCount++];
		place->name = name, place->key = *key, place->strike = strike, place->firstBlow = -1;
	}
	return i;
}

// Blows whose paths are remembered are answered, the others listed with their places.
static void impactListNew(const brStrike* strikes, brImpact* out, ImpactBlows* all)
{
	for (int32_t i = 0; i < all->count; ++i)
	{
		brImpactKey key = brMakeImpactKey(&strikes[i]);
		const brImpactPath* known = brImpactModel_Known(all->model, &key, strikes[i].energy);
		out[i] = known != NULL ? brImpactPath_Impact(all->model, known, &strikes[i]) : (brImpact){.ratio = 0.0};
		all->guesses[i] = (ImpactGuess){out[i].ratio, out[i].ratio, false};
		if (known == NULL && strikes[i].energy > 0.0)
		{
			int32_t place = impactPlaceOf(all, &strikes[i], &key), own = all->blowCount++;
			all->blows[own] = (ImpactBlow){&strikes[i], &out[i], i, place, all->places[place].firstBlow, false};
			all->places[place].firstBlow = own;
		}
	}
}

// The hardest blow on a body by what is sure, and by what is likely.
static void impactHardest(const ImpactBlows* all, int32_t body, int32_t* outSure, int32_t* outLikely)
{
	*outSure = *outLikely = -1;
	for (int32_t i = 0; i < all->count; ++i)
	{
		const ImpactGuess* own = &all->guesses[i];
		bool isOf = all->needs[i].body == body;
		*outSure = isOf && (*outSure < 0 || own->least > all->guesses[*outSure].least) ? i : *outSure;
		*outLikely = isOf && (*outLikely < 0 || own->likely > all->guesses[*outLikely].likely) ? i : *outLikely;
	}
}

// How many blows on the same body are likely to be harder.
static int32_t impactRank(const ImpactBlows* all, int32_t index)
{
	double own = all->guesses[index].likely;
	int32_t rank = 0;
	for (int32_t i = 0; i < all->count; ++i)
	{
		double other = all->guesses[i].likely;
		rank += all->needs[i].body == all->needs[index].body && (other > own || (other == own && i < index));
	}
	return rank;
}

// Of blows on one body only the hardest counts. If bounds show which one that is, and that it breaks the body, no more
// need be known before the body's turn to break. If not, the likely hardest are asked about, as many as fit into one
// solution.
static void impactLeaveOut(ImpactBlows* all)
{
	for (int32_t n = 0; n < all->blowCount; ++n)
	{
		ImpactBlow* blow = &all->blows[n];
		ImpactGuess* own = &all->guesses[blow->index];
		brBlowNeed* need = &all->needs[blow->index];
		int32_t sure, likely;
		if (!blow->isAsked)
		{
			continue;
		}
		impactHardest(all, need->body, &sure, &likely);
		bool isSure = sure == likely && all->guesses[sure].least >= 1.0 && all->needs[sure].mayWait;
		own->isLeft = isSure ? sure != blow->index : impactRank(all, blow->index) >= BR_FRONT_LANES;
		need->isRough = isSure && sure == blow->index;
		blow->isAsked = !isSure && !own->isLeft;
		blow->out->ratio = need->isRough ? own->least : 0.0;
	}
}

// Decides about blows that were left out: on bodies that break by other blows their estimate counts, on the rest they
// are asked about.
static void impactTakeBack(ImpactBlows* all, const brImpact* out)
{
	for (int32_t n = 0; n < all->blowCount; ++n)
	{
		ImpactBlow* blow = &all->blows[n];
		const ImpactGuess* own = &all->guesses[blow->index];
		brBlowNeed* need = &all->needs[blow->index];
		double hardest = 0.0;
		for (int32_t i = 0; own->isLeft && i < all->count; ++i)
		{
			bool isKnown = all->needs[i].body == need->body && !all->guesses[i].isLeft;
			hardest = isKnown ? fmax(hardest, out[i].ratio) : hardest;
		}
		blow->isAsked = own->isLeft && hardest < 1.0;
		if (own->isLeft && hardest >= 1.0)
		{
			need->isRough = own->likely >= 1.0;
			blow->out->ratio = need->isRough ? 1.0 : 0.0;
		}
	}
}

// Solves for all blows with isAsked, four places at a time. False without memory.
static bool impactAsk(brImpactModel* model, ImpactBlows* all)
{
	brWorkers* workers = all->workers;
	all->askedCount = 0;
	for (int32_t i = 0; i < all->placeCount; ++i)
	{
		ImpactPlace* place = &all->places[i];
		place->energy = 0.0;
		for (int32_t n = place->firstBlow; n >= 0; n = all->blows[n].next)
		{
			const ImpactBlow* blow = &all->blows[n];
			place->energy = blow->isAsked ? fmax(place->energy, blow->strike->energy) : place->energy;
		}
		if (place->energy > 0.0)
		{
			place->answer.levels = 0;
			all->asked[all->askedCount++] = i;
		}
	}
	int32_t count = all->askedCount;
	brParallelFor(workers, (count + BR_FRONT_LANES - 1) / BR_FRONT_LANES, 1, impactStrikeRange, all);
	for (int32_t i = 0; i < brWorkers_GetCount(workers); ++i)
	{
		if (all->hasNoMemory[i])
		{
			return false;
		}
	}
	for (int32_t i = 0; i < all->blowCount; ++i)
	{
		const ImpactBlow* blow = &all->blows[i];
		if (blow->isAsked)
		{
			*blow->out = brImpactPath_Impact(model, &all->places[blow->place].path, blow->strike);
		}
	}
	for (int32_t i = count < BR_IMPACT_KEPT ? 0 : count - BR_IMPACT_KEPT; i < count; ++i)
	{
		const ImpactPlace* place = &all->places[all->asked[i]];
		*brImpactModel_Keep(model, place->strike) = place->path;
	}
	return true;
}

// What the blows at places that are not remembered do. False without memory.
static bool impactStrikeNew(brImpactModel* model, ImpactBlows* all, const brImpact* out)
{
	brParallelFor(all->workers, all->placeCount, 1, impactMeetRange, all);
	if (all->needs == NULL)
	{
		return impactAsk(model, all);
	}
	impactLeaveOut(all);
	if (!impactAsk(model, all))
	{
		return false;
	}
	impactTakeBack(all, out);
	return impactAsk(model, all);
}

bool brImpactModel_StrikeAll(const brContext* context, brImpactModel* model, const brStrike* strikes, int32_t count,
							 brBlowNeed* needs, brImpact* out)
{
	const brAllocator* allocator = &model->allocator;
	int32_t workers = brWorkers_GetCount(context->workers);
	ImpactBlows all = {.model = model, .needs = needs, .count = count, .workers = context->workers};
	all.guesses = BR_ALLOC_ZERO(allocator, ImpactGuess, count);
	all.blows = BR_ALLOC(allocator, ImpactBlow, count);
	all.places = BR_ALLOC(allocator, ImpactPlace, count);
	all.asked = BR_ALLOC(allocator, int32_t, count);
	all.twins = BR_ALLOC_ZERO(allocator, brFlexModel, workers);
	all.hasNoMemory = BR_ALLOC_ZERO(allocator, bool, workers);
	bool hasMemory = all.guesses != NULL && all.blows != NULL && all.places != NULL && all.asked != NULL &&
					 all.twins != NULL && all.hasNoMemory != NULL;
	if (hasMemory)
	{
		impactListNew(strikes, out, &all);
		hasMemory = impactStrikeNew(model, &all, out);
	}
	for (int32_t i = 0; all.twins != NULL && i < workers; ++i)
	{
		if (all.twins[i].tetCount > 0)
		{
			brFlexModel_FreeTwin(&all.twins[i]);
		}
	}
	BR_FREE(allocator, all.hasNoMemory, workers);
	BR_FREE(allocator, all.twins, workers);
	BR_FREE(allocator, all.asked, count);
	BR_FREE(allocator, all.places, count);
	BR_FREE(allocator, all.blows, count);
	BR_FREE(allocator, all.guesses, count);
	return hasMemory;
}

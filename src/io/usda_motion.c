// SPDX-License-Identifier: MIT

// Transform ops. Each is a matrix; the prim's own is their product in the order of xformOpOrder, the outermost first.
// Numbers between two samples are mixed linearly, turns on the short way round; before the first and after the last
// sample the op stands still.

#include "io/usda_motion.h"

#include "math/rotation.h"

#include <string.h>

#define USDA_DEGREE (BR_PI / 180.0)

static bool usdaHasWord(brUsdaText text, const char* word)
{
	size_t length = strlen(word);
	return text.length >= length && memcmp(text.at, word, length) == 0 &&
		   (text.length == length || text.at[length] == ':');
}

// Kind and axes from "xformOp:rotateXYZ:pivot".
static bool usdaNameOp(brUsdaOp* op, brUsdaText name)
{
	static const struct
	{
		const char* word;
		brUsdaOpKind kind;
		int32_t components;
	} kinds[] = {{"translate", br_usdaTranslate, 3},
				 {"scale", br_usdaScale, 3},
				 {"orient", br_usdaOrient, 4},
				 {"transform", br_usdaMatrix, 16}};
	static const char prefix[] = "xformOp:";
	if (name.length <= strlen(prefix) || memcmp(name.at, prefix, strlen(prefix)) != 0)
	{
		return false;
	}
	brUsdaText kind = {name.at + strlen(prefix), name.length - strlen(prefix)};
	for (int32_t i = 0; i < BR_COUNT(kinds); ++i)
	{
		if (usdaHasWord(kind, kinds[i].word))
		{
			op->kind = kinds[i].kind;
			op->components = kinds[i].components;
			return true;
		}
	}
	if (kind.length < 7 || memcmp(kind.at, "rotate", 6) != 0)
	{
		return false;
	}
	op->kind = br_usdaRotate;
	for (size_t i = 6; i < kind.length && kind.at[i] != ':' && op->orderCount < 3; ++i)
	{
		if (kind.at[i] < 'X' || kind.at[i] > 'Z')
		{
			return false;
		}
		op->order[op->orderCount++] = kind.at[i] - 'X';
	}
	op->components = op->orderCount;
	return op->orderCount == 1 || op->orderCount == 3;
}

static brResult usdaReadSamples(const brUsdaLayer* layer, brUsdaText samples, brUsdaOp* op)
{
	const char* at = NULL;
	double time;
	brUsdaText value;
	while (brUsda_NextSample(layer, samples, &at, &time, &value))
	{
		double numbers[16];
		bool isGood = brUsda_Tuple(layer, value, numbers, op->components) == op->components &&
					  (op->times.count == 0 || time > op->times.data[op->times.count - 1]);
		for (int32_t k = 0; k < op->components && isGood; ++k)
		{
			isGood = isfinite(numbers[k]);
		}
		if (!isGood)
		{
			return brUsda_Fail(layer, value.at, "a sample has no %d finite numbers, or its time does not rise",
							   op->components);
		}
		const brAllocator* allocator = &layer->job->allocator;
		bool complete = BR_PUSH(allocator, &op->times, time);
		for (int32_t k = 0; k < op->components && complete; ++k)
		{
			complete = BR_PUSH(allocator, &op->values, numbers[k]);
		}
		if (!complete)
		{
			return brFailMemory(layer->job->report);
		}
	}
	return br_success;
}

static brResult usdaReadOp(const brUsdaLayer* layer, const brUsdaNode* node, brUsdaText name, brUsdaOp* op)
{
	static const char invert[] = "!invert!";
	if (name.length > strlen(invert) && memcmp(name.at, invert, strlen(invert)) == 0)
	{
		op->isInverse = true;
		name = (brUsdaText){name.at + strlen(invert), name.length - strlen(invert)};
	}
	char word[160];
	brUsdaText_Copy(name, word, sizeof(word));
	if (!usdaNameOp(op, name))
	{
		return brUsda_Fail(layer, name.at, "'%s' is no transform that is known here", word);
	}
	const brUsdaField* value = brUsdaNode_Field(node, layer, word, br_usdaValue);
	const brUsdaField* samples = brUsdaNode_Field(node, layer, word, br_usdaSamples);
	if (samples != NULL)
	{
		brResult result = usdaReadSamples(layer, samples->value, op);
		if (result < 0)
		{
			return result;
		}
	}
	if (op->times.count > 0)
	{
		memcpy(op->rest, op->values.data, sizeof(double) * (size_t)op->components);
	}
	if (op->times.count == 0 &&
		(value == NULL || brUsda_Tuple(layer, value->value, op->rest, op->components) != op->components))
	{
		return brUsda_Fail(layer, name.at, "'%s' has no value of %d numbers", word, op->components);
	}
	for (int32_t k = 0; k < op->components; ++k)
	{
		if (!isfinite(op->rest[k]))
		{
			return brUsda_Fail(layer, name.at, "'%s' is not finite", word);
		}
	}
	return br_success;
}

brAffine brUsda_Inverse(const brAffine* map)
{
	brMat3 inverse = brInvertMat3(&map->m);
	return (brAffine){inverse, brDMul(-1.0, brMat3_MulV(&inverse, map->p))};
}

static brAffine usdaOpMap(const brUsdaOp* op, const double* v)
{
	static const brDVec3 axes[3] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
	brAffine map = brMakeAffineIdentity();
	switch (op->kind)
	{
		case br_usdaTranslate:
			map.p = brMakeDVec3(v[0], v[1], v[2]);
			break;
		case br_usdaScale:
			map.m = (brMat3){{v[0], 0.0, 0.0}, {0.0, v[1], 0.0}, {0.0, 0.0, v[2]}};
			break;
		case br_usdaRotate:
			for (int32_t k = 0; k < op->orderCount; ++k)
			{
				if (v[k] != 0.0)
				{
					brMat3 turn = brMakeMat3FromQuat(brMakeQuatAxisAngle(axes[op->order[k]], USDA_DEGREE * v[k]));
					map.m = brMat3_Mul(&turn, &map.m);
				}
			}
			break;
		case br_usdaOrient:
			map.m = brMakeMat3FromQuat(brQuat_Normalize((brQuat){v[1], v[2], v[3], v[0]}));
			break;
		default: // rows are our columns
			map.m = (brMat3){{v[0], v[1], v[2]}, {v[4], v[5], v[6]}, {v[8], v[9], v[10]}};
			map.p = brMakeDVec3(v[12], v[13], v[14]);
			break;
	}
	return op->isInverse ? brUsda_Inverse(&map) : map;
}

static void usdaOpValues(const brUsdaOp* op, double time, double* out)
{
	int32_t count = op->times.count, low = 0, high = count - 1;
	while (low + 1 < high) // the pair of samples around the time
	{
		int32_t middle = low + (high - low) / 2;
		*(op->times.data[middle] <= time ? &low : &high) = middle;
	}
	const double *a = &op->values.data[op->components * low],
				 *b = &op->values.data[op->components * (high > 0 ? high : 0)];
	double span = count > 1 ? op->times.data[high] - op->times.data[low] : 0.0;
	double t = span > 0.0 ? fmin(1.0, fmax(0.0, (time - op->times.data[low]) / span)) : 0.0;
	double sign = 1.0, along = 0.0;
	for (int32_t k = 0; k < op->components && op->kind == br_usdaOrient; ++k)
	{
		along += a[k] * b[k];
	}
	sign = along < 0.0 ? -1.0 : 1.0;
	for (int32_t k = 0; k < op->components; ++k)
	{
		out[k] = t == 0.0 ? a[k] : t == 1.0 ? b[k] : (1.0 - t) * a[k] + t * sign * b[k];
	}
}

static brAffine usdaOwnAt(const brUsdaPlace* place, double time)
{
	brAffine map = brMakeAffineIdentity();
	for (int32_t i = 0; i < place->ops.count; ++i)
	{
		const brUsdaOp* op = &place->ops.data[i];
		double values[16];
		const double* used = op->rest;
		if (op->times.count > 0)
		{
			usdaOpValues(op, time, values);
			used = values;
		}
		brAffine own = usdaOpMap(op, used);
		map = i == 0 ? own : brAffine_Mul(&map, &own); // the only one keeps its bits
	}
	return map;
}

brAffine brUsdaPlace_At(const brUsdaPlace* place, double time)
{
	brAffine map = brMakeAffineIdentity();
	bool isFirst = true;
	for (; place != NULL; place = place->isReset ? NULL : place->above)
	{
		if (place->ops.count > 0)
		{
			brAffine own = usdaOwnAt(place, time);
			map = isFirst ? own : brAffine_Mul(&own, &map);
			isFirst = false;
		}
	}
	return map;
}

int64_t brUsdaPlace_Cost(const brUsdaPlace* place)
{
	int64_t cost = 1;
	for (; place != NULL; place = place->isReset ? NULL : place->above)
	{
		cost += 1 + place->ops.count;
	}
	return cost;
}

bool brUsdaPlace_Times(const brUsdaPlace* place, const brAllocator* allocator, brUsdaDoubles* outTimes)
{
	for (; place != NULL; place = place->isReset ? NULL : place->above)
	{
		for (int32_t i = 0; i < place->ops.count; ++i)
		{
			const brUsdaDoubles* times = &place->ops.data[i].times;
			// Two sorted lists into one, from the back.
			int32_t old = outTimes->count, a = old - 1, b = times->count - 1, to = old + times->count;
			if (!BR_RESERVE(allocator, outTimes, times->count))
			{
				return false;
			}
			outTimes->count = to;
			while (b >= 0)
			{
				bool isOld = a >= 0 && outTimes->data[a] > times->data[b];
				outTimes->data[--to] = isOld ? outTimes->data[a--] : times->data[b--];
			}
			int32_t kept = 0;
			for (int32_t k = 0; k < outTimes->count; ++k)
			{
				if (kept == 0 || outTimes->data[k] > outTimes->data[kept - 1])
				{
					outTimes->data[kept++] = outTimes->data[k];
				}
			}
			outTimes->count = kept;
		}
	}
	return true;
}

// Hidden before its first visible sample, and from the next invisible one on.
static void usdaReadVisibility(brUsdaPlace* place, const brUsdaLayer* layer, const brUsdaNode* node)
{
	const brUsdaField* value = brUsdaNode_Field(node, layer, "visibility", br_usdaValue);
	const brUsdaField* samples = brUsdaNode_Field(node, layer, "visibility", br_usdaSamples);
	double born = -INFINITY, gone = INFINITY;
	if (samples != NULL)
	{
		const char* at = NULL;
		double time;
		brUsdaText text;
		bool isFirst = true, isSeen = false;
		while (brUsda_NextSample(layer, samples->value, &at, &time, &text) && gone == INFINITY)
		{
			bool isHidden = brUsdaText_Is(brUsdaText_Unquote(text), "invisible");
			born = !isHidden && !isSeen && !isFirst ? time : born;
			gone = isHidden && isSeen ? time : gone;
			isSeen = isSeen || !isHidden;
			isFirst = false;
		}
		born = isFirst || isSeen ? born : INFINITY;
	}
	else if (value != NULL && brUsdaText_Is(brUsdaText_Unquote(value->value), "invisible"))
	{
		born = INFINITY;
	}
	place->bornTime = fmax(place->bornTime, born);
	place->goneTime = fmin(place->goneTime, gone);
}

brResult brUsdaPlace_Read(brUsdaPlace* place, const brUsdaPlace* above, const brUsdaLayer* layer,
						  const brUsdaNode* node)
{
	*place = (brUsdaPlace){.above = above, .bornTime = -INFINITY, .goneTime = INFINITY};
	if (above != NULL)
	{
		place->bornTime = above->bornTime, place->goneTime = above->goneTime, place->isMoving = above->isMoving;
	}
	usdaReadVisibility(place, layer, node);
	const brUsdaField* order = brUsdaNode_Field(node, layer, "xformOpOrder", br_usdaValue);
	const char* at = NULL;
	brUsdaText name;
	while (order != NULL && brUsda_NextString(order->value, &at, &name))
	{
		if (brUsdaText_Is(name, "!resetXformStack!"))
		{
			place->isReset = true;
			place->isMoving = false;
			continue;
		}
		brUsdaOp op = {0};
		brResult result = usdaReadOp(layer, node, name, &op);
		place->isMoving = place->isMoving || op.times.count > 1;
		if (result < 0 || !BR_PUSH(&layer->job->allocator, &place->ops, op))
		{
			BR_FREE_ARRAY(&layer->job->allocator, &op.times);
			BR_FREE_ARRAY(&layer->job->allocator, &op.values);
			return result < 0 ? result : brFailMemory(layer->job->report);
		}
	}
	return br_success;
}

void brUsdaPlace_Free(brUsdaPlace* place, const brAllocator* allocator)
{
	for (int32_t i = 0; i < place->ops.count; ++i)
	{
		BR_FREE_ARRAY(allocator, &place->ops.data[i].times);
		BR_FREE_ARRAY(allocator, &place->ops.data[i].values);
	}
	BR_FREE_ARRAY(allocator, &place->ops);
}

// SPDX-License-Identifier: MIT

#include "research/fragment_field.h"

#include "base/report.h"

#include <string.h>

// Steps of a front; each makes some depth smaller, so it ends long before.
#define FIELD_MAX_STEPS 10000

static int32_t fieldHalf(const brFragmentField* field, int32_t a, int32_t b)
{
	for (int32_t i = field->starts[a]; i < field->starts[a + 1]; ++i)
	{
		if (field->neighbors[i] == b)
		{
			return i;
		}
	}
	return -1;
}

// Neighbors of nodes over edges of tets, each once, rising.
static bool fieldLink(brFragmentField* field)
{
	const brAllocator* allocator = &field->allocator;
	int32_t count = field->nodeCount;
	field->starts = BR_ALLOC_ZERO(allocator, int32_t, count + 1);
	int32_t* all = BR_ALLOC(allocator, int32_t, 12 * (int64_t)field->tetCount);
	int32_t* fill = BR_ALLOC_ZERO(allocator, int32_t, count + 1);
	bool isGood = field->starts != NULL && all != NULL && fill != NULL;
	if (isGood)
	{
		for (int32_t t = 0; t < field->tetCount; ++t)
		{
			for (int k = 0; k < 4; ++k)
			{
				fill[field->mesh->tets[t][k] + 1] += 3;
			}
		}
		for (int32_t i = 0; i < count; ++i)
		{
			fill[i + 1] += fill[i];
		}
		for (int32_t t = 0; t < field->tetCount; ++t)
		{
			for (int k = 0; k < 4; ++k)
			{
				for (int m = 1; m < 4; ++m)
				{
					all[fill[field->mesh->tets[t][k]]++] = field->mesh->tets[t][(k + m) % 4];
				}
			}
		}
		// fill[i] is now where i ends. Sort each list and keep one of each.
		int32_t kept = 0;
		for (int32_t i = 0; i < count; ++i)
		{
			int32_t begin = i > 0 ? fill[i - 1] : 0, end = fill[i];
			field->starts[i] = kept;
			for (int32_t j = begin + 1; j < end; ++j)
			{
				int32_t value = all[j], at = j;
				for (; at > begin && all[at - 1] > value; --at)
				{
					all[at] = all[at - 1];
				}
				all[at] = value;
			}
			int32_t last = -1;
			for (int32_t j = begin; j < end; ++j)
			{
				if (all[j] != last)
				{
					last = all[j];
					all[kept++] = last;
				}
			}
		}
		field->starts[count] = kept;
		field->halfCount = kept;
		field->neighbors = BR_ALLOC(allocator, int32_t, kept);
		field->cutOf = BR_ALLOC(allocator, int32_t, kept);
		isGood = field->neighbors != NULL && field->cutOf != NULL;
		for (int32_t i = 0; i < kept && isGood; ++i)
		{
			field->neighbors[i] = all[i];
			field->cutOf[i] = -1;
		}
	}
	BR_FREE(allocator, all, 12 * (int64_t)field->tetCount);
	BR_FREE(allocator, fill, count + 1);
	return isGood;
}

static brBox3 fieldTetBox(const brFragmentField* field, int32_t tet)
{
	brBox3 box = brMakeBox3Empty();
	for (int k = 0; k < 4; ++k)
	{
		brVec3 p = field->nodes[field->mesh->tets[tet][k]].place;
		box = brBox3_Union(box, (brBox3){p, p});
	}
	return box;
}

static int32_t fieldCellAt(const brFragmentField* field, float x, float origin, int axis)
{
	int32_t cell = (int32_t)((x - origin) / field->cellSize);
	int32_t last = field->cellCounts[axis] - 1;
	return x <= origin || cell < 0 ? 0 : cell > last ? last : cell;
}

// Cells that each tet's box meets; called twice, to count and to fill.
static int32_t fieldTetCells(const brFragmentField* field, int32_t tet, int32_t* out)
{
	brBox3 box = fieldTetBox(field, tet);
	brVec3 o = field->cellOrigin;
	int32_t lower[3] = {fieldCellAt(field, box.lower.x, o.x, 0), fieldCellAt(field, box.lower.y, o.y, 1),
						fieldCellAt(field, box.lower.z, o.z, 2)};
	int32_t upper[3] = {fieldCellAt(field, box.upper.x, o.x, 0), fieldCellAt(field, box.upper.y, o.y, 1),
						fieldCellAt(field, box.upper.z, o.z, 2)};
	int32_t count = 0;
	for (int32_t z = lower[2]; z <= upper[2]; ++z)
	{
		for (int32_t y = lower[1]; y <= upper[1]; ++y)
		{
			for (int32_t x = lower[0]; x <= upper[0]; ++x)
			{
				if (out != NULL)
				{
					out[count] = (z * field->cellCounts[1] + y) * field->cellCounts[0] + x;
				}
				count += 1;
			}
		}
	}
	return count;
}

static int32_t fieldLevelCount(const brFragmentField* field, int level, int axis)
{
	int32_t count = (field->cellCounts[axis] + (1 << level) - 1) >> level;
	return count > 1 ? count : 1;
}

static bool fieldMakeGrid(brFragmentField* field)
{
	const brAllocator* allocator = &field->allocator;
	brBox3 box = brMakeBox3Empty();
	for (int32_t i = 0; i < field->nodeCount; ++i)
	{
		box = brBox3_Union(box, (brBox3){field->nodes[i].place, field->nodes[i].place});
	}
	brVec3 size = brSub(box.upper, box.lower);
	float longest = fmaxf(size.x, fmaxf(size.y, size.z));
	field->cellOrigin = box.lower;
	field->cellSize = longest * (1.0f + 1e-5f) / (float)(1 << (BR_MASK_LEVELS - 1));
	const float sizes[3] = {size.x, size.y, size.z};
	for (int axis = 0; axis < 3; ++axis)
	{
		field->cellCounts[axis] = 1 + (int32_t)(sizes[axis] / field->cellSize);
	}
	for (int level = 0; level < BR_MASK_LEVELS; ++level)
	{
		field->levelStarts[level] = field->cellTotal;
		field->cellTotal +=
			fieldLevelCount(field, level, 0) * fieldLevelCount(field, level, 1) * fieldLevelCount(field, level, 2);
	}
	field->tetStarts = BR_ALLOC(allocator, int32_t, field->tetCount + 1);
	if (field->tetStarts == NULL)
	{
		return false;
	}
	int64_t total = 0;
	for (int32_t t = 0; t < field->tetCount && total < INT32_MAX; ++t)
	{
		field->tetStarts[t] = (int32_t)total;
		total += fieldTetCells(field, t, NULL);
	}
	if (total >= INT32_MAX)
	{
		return false;
	}
	field->tetStarts[field->tetCount] = (int32_t)total;
	field->tetCellCount = (int32_t)total;
	field->tetCells = BR_ALLOC(allocator, int32_t, total);
	field->maskWords = 1;
	field->masks = BR_ALLOC_ZERO(allocator, uint64_t, field->cellTotal);
	if (field->tetCells == NULL || field->masks == NULL)
	{
		return false;
	}
	for (int32_t t = 0; t < field->tetCount; ++t)
	{
		fieldTetCells(field, t, field->tetCells + field->tetStarts[t]);
	}
	return true;
}

// Bits of the changed fragments anew: off everywhere, on where a tet has a node in them, then up the levels by OR.
static void fieldMark(brFragmentField* field, const uint64_t* changed)
{
	int32_t words = field->maskWords;
	for (int64_t i = 0; i < (int64_t)field->cellTotal * words; ++i)
	{
		field->masks[i] &= ~changed[i % words];
	}
	for (int32_t t = 0; t < field->tetCount; ++t)
	{
		int32_t last = -1;
		for (int k = 0; k < 4; ++k)
		{
			int32_t f = field->nodes[field->mesh->tets[t][k]].fragment;
			if (f == last || !(changed[f / 64] >> (f % 64) & 1))
			{
				continue;
			}
			last = f;
			for (int32_t c = field->tetStarts[t]; c < field->tetStarts[t + 1]; ++c)
			{
				field->masks[(int64_t)field->tetCells[c] * words + f / 64] |= (uint64_t)1 << (f % 64);
			}
		}
	}
	for (int level = 1; level < BR_MASK_LEVELS; ++level)
	{
		int32_t nx = fieldLevelCount(field, level - 1, 0), ny = fieldLevelCount(field, level - 1, 1),
				nz = fieldLevelCount(field, level - 1, 2);
		int32_t mx = fieldLevelCount(field, level, 0), my = fieldLevelCount(field, level, 1);
		const uint64_t* from = field->masks + (int64_t)field->levelStarts[level - 1] * words;
		uint64_t* to = field->masks + (int64_t)field->levelStarts[level] * words;
		for (int32_t i = 0; i < nx * ny * nz; ++i)
		{
			int32_t x = i % nx / 2, y = i / nx % ny / 2, z = i / (nx * ny) / 2;
			uint64_t* cell = to + (int64_t)((z * my + y) * mx + x) * words;
			for (int32_t w = 0; w < words; ++w)
			{
				cell[w] |= from[(int64_t)i * words + w];
			}
		}
	}
}

static void fieldMeasureBoxes(brFragmentField* field)
{
	for (int32_t f = 0; f < field->boxes.count; ++f)
	{
		field->boxes.data[f] = brMakeBox3Empty();
	}
	for (int32_t i = 0; i < field->nodeCount; ++i)
	{
		brBox3* box = &field->boxes.data[field->nodes[i].fragment];
		*box = brBox3_Union(*box, (brBox3){field->nodes[i].place, field->nodes[i].place});
	}
	// A fragment reaches into cut tets, but no farther than the cuts of their edges and the corners of the cut.
	for (int32_t i = 0; i < field->cuts.count; ++i)
	{
		const brEdgeCut* cut = &field->cuts.data[i];
		brBox3 around = {cut->place, cut->place};
		brBox3 *first = &field->boxes.data[field->nodes[cut->a].fragment],
			   *second = &field->boxes.data[field->nodes[cut->b].fragment];
		*first = brBox3_Union(*first, around);
		*second = brBox3_Union(*second, around);
	}
}

brResult brCreateFragmentField(const brContext* context, const brTetMesh* mesh, const brShape* original,
							   brFragmentField** outField, brReport* report)
{
	brAllocator allocator = brContext_Allocator(context);
	if (mesh->tetCount < 1 || original->kind != br_shapeMesh)
	{
		return brFail(report, br_errorMisuse, "a fragment field needs tets and a mesh shape of the same surface");
	}
	brFragmentField* field = BR_ALLOC_ZERO(&allocator, brFragmentField, 1);
	if (field == NULL)
	{
		return brFailMemory(report);
	}
	field->allocator = allocator;
	field->mesh = mesh;
	field->original = original;
	field->solid = brMakeSolid(original);
	field->nodeCount = mesh->nodeCount;
	field->tetCount = mesh->tetCount;
	field->fragmentCount = 1;
	int32_t count = mesh->nodeCount;
	field->nodes = BR_ALLOC(&allocator, brFragmentNode, count);
	field->front = BR_ALLOC(&allocator, int32_t, count);
	field->next = BR_ALLOC(&allocator, int32_t, count);
	field->reached = BR_ALLOC(&allocator, int32_t, count);
	field->stamps = BR_ALLOC_ZERO(&allocator, int32_t, count);
	field->fresh = BR_ALLOC(&allocator, brFragmentNode, count);
	brResult result = br_success;
	bool isGood = field->nodes != NULL && field->front != NULL && field->next != NULL && field->reached != NULL &&
				  field->stamps != NULL && field->fresh != NULL && fieldLink(field) &&
				  BR_PUSH(&allocator, &field->boxes, brMakeBox3Empty());
	for (int32_t i = 0; i < count && isGood; ++i)
	{
		brFieldAnswer answer;
		brVec3 local = brToVec3(brTransform_InvPoint(original->frame, mesh->nodes[i]));
		brSolid_Field(&field->solid, local, INFINITY, &answer);
		brDVec3 direction = brQuat_Rotate(original->frame.q, brToDVec3(answer.direction));
		field->nodes[i] = (brFragmentNode){brToVec3(mesh->nodes[i]), answer.distance < 0.0f ? -answer.distance : 0.0f,
										   brToVec3(direction), 0};
	}
	isGood = isGood && fieldMakeGrid(field);
	if (!isGood)
	{
		result = brFailMemory(report);
	}
	else
	{
		result = brCreateTetLocator(context, mesh, &field->locator, report);
	}
	if (result < 0)
	{
		brDestroyFragmentField(field);
		return result;
	}
	uint64_t changed = 1;
	fieldMark(field, &changed);
	fieldMeasureBoxes(field);
	*outField = field;
	return br_success;
}

void brDestroyFragmentField(brFragmentField* field)
{
	if (field == NULL)
	{
		return;
	}
	brAllocator allocator = field->allocator;
	int32_t count = field->nodeCount;
	brDestroyTetLocator(field->locator);
	BR_FREE(&allocator, field->nodes, count);
	BR_FREE(&allocator, field->front, count);
	BR_FREE(&allocator, field->next, count);
	BR_FREE(&allocator, field->reached, count);
	BR_FREE(&allocator, field->stamps, count);
	BR_FREE(&allocator, field->fresh, count);
	BR_FREE(&allocator, field->starts, count + 1);
	BR_FREE(&allocator, field->neighbors, field->halfCount);
	BR_FREE(&allocator, field->cutOf, field->halfCount);
	BR_FREE_ARRAY(&allocator, &field->cuts);
	BR_FREE_ARRAY(&allocator, &field->boxes);
	BR_FREE(&allocator, field->masks, (int64_t)field->cellTotal * field->maskWords);
	BR_FREE(&allocator, field->tetStarts, field->tetCount + 1);
	BR_FREE(&allocator, field->tetCells, field->tetCellCount);
	BR_FREE(&allocator, field, 1);
}

// Depth of a node's own side at a cut: distance to the plane, out across it.
static void fieldSeeCut(brFragmentField* field, const brEdgeCut* cut, int32_t node, int32_t* frontCount)
{
	brVec3 out = node == cut->a ? cut->normal : brMul(-1.0f, cut->normal);
	brFragmentNode* at = &field->nodes[node];
	float depth = fmaxf(brDot(out, brSub(cut->place, at->place)), 0.0f);
	if (depth < at->depth)
	{
		at->depth = depth;
		at->direction = out;
		if (field->stamps[node] != 1)
		{
			field->stamps[node] = 1;
			field->front[(*frontCount)++] = node;
		}
	}
}

// Equations 1 and 2 at a node over those neighbors that carry the stamp. False if there are none.
static bool fieldPropagate(const brFragmentField* field, int32_t node, int32_t stamp, brFragmentNode* out)
{
	const brFragmentNode* at = &field->nodes[node];
	float sum = 0.0f, depth = 0.0f;
	brVec3 direction = {0.0f, 0.0f, 0.0f};
	for (int32_t i = field->starts[node]; i < field->starts[node + 1]; ++i)
	{
		const brFragmentNode* near = &field->nodes[field->neighbors[i]];
		if (field->stamps[field->neighbors[i]] != stamp || near->fragment != at->fragment || field->cutOf[i] >= 0)
		{
			continue;
		}
		brVec3 way = brSub(near->place, at->place);
		float weight = 1.0f / fmaxf(brDot(way, way), 1e-30f);
		sum += weight;
		depth += weight * (near->depth + brDot(near->direction, way));
		direction = brMulAdd(direction, weight, near->direction);
	}
	*out = *at;
	out->depth = sum > 0.0f ? fmaxf(depth / sum, 0.0f) : at->depth;
	float length = brLength(direction);
	out->direction = length > 0.0f ? brMul(1.0f / length, direction) : at->direction;
	return sum > 0.0f;
}

// Fronts from the stamped nodes (stamp 1) until no depth becomes smaller.
static void fieldRun(brFragmentField* field, int32_t frontCount)
{
	field->updatedNodes = frontCount;
	float least = 1e-6f * field->original->radius;
	for (int32_t step = 1; frontCount > 0 && step < FIELD_MAX_STEPS; ++step)
	{
		// Everyone next to the front, once. Marks of this step are negative while the old ones are still needed.
		int32_t reachedCount = 0, nextCount = 0;
		for (int32_t i = 0; i < frontCount; ++i)
		{
			int32_t node = field->front[i];
			for (int32_t k = field->starts[node]; k < field->starts[node + 1]; ++k)
			{
				int32_t near = field->neighbors[k];
				bool isLinked = field->cutOf[k] < 0 && field->nodes[near].fragment == field->nodes[node].fragment;
				// Deeper nodes first reached, or reached again by a shorter way.
				if (isLinked && field->next[near] != step)
				{
					field->next[near] = step;
					field->reached[reachedCount++] = near;
				}
			}
		}
		for (int32_t i = 0; i < reachedCount; ++i)
		{
			int32_t node = field->reached[i];
			brFragmentNode fresh;
			if (fieldPropagate(field, node, step, &fresh) && fresh.depth < field->nodes[node].depth - least)
			{
				field->fresh[nextCount] = fresh;
				field->front[nextCount++] = node;
			}
		}
		for (int32_t i = 0; i < nextCount; ++i)
		{
			field->nodes[field->front[i]] = field->fresh[i];
			field->stamps[field->front[i]] = step + 1;
		}
		field->updatedNodes += nextCount;
		frontCount = nextCount;
	}
}

bool brFragmentField_Update(brFragmentField* field, const int32_t* nodeFragments, int32_t fragmentCount,
							const brEdgeCut* cuts, int32_t cutCount)
{
	const brAllocator* allocator = &field->allocator;
	int32_t words = (fragmentCount + 63) / 64;
	words = words > field->maskWords ? words : field->maskWords;
	uint64_t* masks = NULL;
	uint64_t* changed = BR_ALLOC_ZERO(allocator, uint64_t, words);
	bool isGood = changed != NULL && BR_RESERVE(allocator, &field->cuts, cutCount) &&
				  BR_RESERVE(allocator, &field->boxes, fragmentCount);
	if (isGood && words > field->maskWords)
	{
		masks = BR_ALLOC_ZERO(allocator, uint64_t, (int64_t)field->cellTotal * words);
		isGood = masks != NULL;
	}
	if (!isGood)
	{
		BR_FREE(allocator, changed, words);
		return false;
	}

	// Labels, and which fragments have won or lost nodes.
	for (int32_t i = 0; i < field->nodeCount; ++i)
	{
		int32_t old = field->nodes[i].fragment, now = nodeFragments[i];
		if (old != now)
		{
			changed[old / 64] |= (uint64_t)1 << (old % 64);
			changed[now / 64] |= (uint64_t)1 << (now % 64);
			field->nodes[i].fragment = now;
		}
		field->stamps[i] = 0;
		field->next[i] = 0;
	}
	int32_t frontCount = 0;
	for (int32_t i = 0; i < cutCount; ++i)
	{
		int32_t there = fieldHalf(field, cuts[i].a, cuts[i].b), back = fieldHalf(field, cuts[i].b, cuts[i].a);
		if (there < 0 || back < 0)
		{
			continue; // no edge of the mesh
		}
		int32_t index = field->cutOf[there];
		if (index < 0)
		{
			index = field->cuts.count++;
			field->cutOf[there] = field->cutOf[back] = index;
		}
		field->cuts.data[index] = cuts[i];
		fieldSeeCut(field, &cuts[i], cuts[i].a, &frontCount);
		fieldSeeCut(field, &cuts[i], cuts[i].b, &frontCount);
	}
	fieldRun(field, frontCount);

	field->fragmentCount = fragmentCount;
	field->boxes.count = fragmentCount;
	if (masks != NULL)
	{
		BR_FREE(allocator, field->masks, (int64_t)field->cellTotal * field->maskWords);
		field->masks = masks;
		field->maskWords = words;
		memset(changed, 0xFF, sizeof(uint64_t) * (size_t)words);
	}
	fieldMark(field, changed);
	fieldMeasureBoxes(field);
	BR_FREE(allocator, changed, words);
	return true;
}

// How far a point is on node i's side of all cuts around it in this tet, and by which plane it would leave first. Nodes
// of the same fragment share their room.
static float fieldCutDepth(const brFragmentField* field, const int32_t* tet, int k, brVec3 p, brVec3* outDirection)
{
	float least = INFINITY;
	int32_t node = tet[k];
	for (int m = 0; m < 4; ++m)
	{
		int32_t half = m != k && field->nodes[tet[m]].fragment != field->nodes[node].fragment
						   ? fieldHalf(field, node, tet[m])
						   : -1;
		if (half < 0 || field->cutOf[half] < 0)
		{
			continue;
		}
		const brEdgeCut* cut = &field->cuts.data[field->cutOf[half]];
		brVec3 out = cut->a == node ? cut->normal : brMul(-1.0f, cut->normal);
		float depth = brDot(out, brSub(cut->place, p));
		if (depth < least)
		{
			least = depth, *outDirection = out;
		}
	}
	return least;
}

bool brFragmentField_Penetration(const brFragmentField* field, brVec3 p, int32_t fragment, float* outDepth,
								 brVec3* outDirection)
{
	brTetPoint at;
	brDVec3 place = brToDVec3(p);
	brTetLocator_Find(field->locator, NULL, &place, 1, &at);
	if (at.tet < 0)
	{
		return false;
	}
	const int32_t* tet = field->mesh->tets[at.tet];
	int inside = 0;
	for (int k = 0; k < 4; ++k)
	{
		inside += field->nodes[tet[k]].fragment == fragment;
	}
	float depth = 0.0f;
	brVec3 direction = {0.0f, 0.0f, 1.0f};
	if (inside == 0)
	{
		return false;
	}
	if (inside < 4)
	{
		// Cut: the side of the planes that goes farthest wins; of equals the lower fragment.
		float best = -INFINITY;
		int32_t owner = INT32_MAX;
		for (int k = 0; k < 4; ++k)
		{
			brVec3 out = {0.0f, 0.0f, 1.0f};
			float d = fieldCutDepth(field, tet, k, p, &out);
			int32_t f = field->nodes[tet[k]].fragment;
			if (d < INFINITY && (d > best || (d == best && f < owner)))
			{
				best = d, owner = f, direction = out;
			}
		}
		if (owner != fragment || best < 0.0f)
		{
			return false;
		}
		depth = best;
	}
	else
	{
		float sum = 0.0f;
		brVec3 mean = {0.0f, 0.0f, 0.0f};
		for (int k = 0; k < 4; ++k)
		{
			const brFragmentNode* node = &field->nodes[tet[k]];
			brVec3 way = brSub(node->place, p);
			float weight = 1.0f / fmaxf(brDot(way, way), 1e-20f);
			sum += weight;
			depth += weight * (node->depth + brDot(node->direction, way));
			mean = brMulAdd(mean, weight, node->direction);
		}
		depth = fmaxf(depth / sum, 0.0f);
		float length = brLength(mean);
		direction = length > 0.0f ? brMul(1.0f / length, mean) : direction;
	}
	// The original surface, exactly, where it is nearer.
	brFieldAnswer answer;
	const brTransform* frame = &field->original->frame;
	if (brSolid_Field(&field->solid, brToVec3(brTransform_InvPoint(*frame, place)), INFINITY, &answer) &&
		-answer.distance < depth)
	{
		depth = fmaxf(-answer.distance, 0.0f);
		direction = brToVec3(brQuat_Rotate(frame->q, brToDVec3(answer.direction)));
	}
	if (outDepth != NULL)
	{
		*outDepth = depth;
	}
	if (outDirection != NULL)
	{
		*outDirection = direction;
	}
	return true;
}

bool brFragmentField_SphereTest(const brFragmentField* field, brVec3 p, float radius, int32_t fragment)
{
	brBox3 box = field->boxes.data[fragment];
	brVec3 beyond = brMax(brMax(brSub(box.lower, p), brSub(p, box.upper)), brMakeVec3(0.0f, 0.0f, 0.0f));
	if (brDot(beyond, beyond) > radius * radius)
	{
		return false;
	}
	// The level whose cells are as wide as the ball, or the coarsest. The cells round the grid point nearest to the
	// center hold the ball.
	int level = 0;
	float size = field->cellSize;
	while (size < 2.0f * radius && level + 1 < BR_MASK_LEVELS)
	{
		level += 1, size *= 2.0f;
	}
	if (size < 2.0f * radius)
	{
		return true;
	}
	const float at[3] = {p.x - field->cellOrigin.x, p.y - field->cellOrigin.y, p.z - field->cellOrigin.z};
	int32_t first[3], counts[3];
	for (int axis = 0; axis < 3; ++axis)
	{
		counts[axis] = fieldLevelCount(field, level, axis);
		float corner = floorf(at[axis] / size + 0.5f);
		float last = (float)(counts[axis] + 1);
		corner = corner < -1.0f ? -1.0f : corner > last ? last : corner;
		first[axis] = (int32_t)corner - 1;
	}
	const uint64_t* masks = field->masks + (int64_t)field->levelStarts[level] * field->maskWords;
	for (int k = 0; k < 8; ++k)
	{
		int32_t x = first[0] + (k & 1), y = first[1] + (k >> 1 & 1), z = first[2] + (k >> 2);
		if (x >= 0 && y >= 0 && z >= 0 && x < counts[0] && y < counts[1] && z < counts[2])
		{
			int64_t cell = ((int64_t)z * counts[1] + y) * counts[0] + x;
			if (masks[cell * field->maskWords + fragment / 64] >> (fragment % 64) & 1)
			{
				return true;
			}
		}
	}
	return false;
}

void brFragmentField_SetExact(brFragmentField* field, const brSolid* pieces, const brTransform* frames)
{
	for (int32_t i = 0; i < field->nodeCount; ++i)
	{
		brFragmentNode* node = &field->nodes[i];
		const brTransform* frame = &frames[node->fragment];
		brFieldAnswer answer;
		brSolid_Field(&pieces[node->fragment], brToVec3(brTransform_InvPoint(*frame, brToDVec3(node->place))), INFINITY,
					  &answer);
		node->depth = answer.distance < 0.0f ? -answer.distance : 0.0f;
		node->direction = brToVec3(brQuat_Rotate(frame->q, brToDVec3(answer.direction)));
	}
}

// SPDX-License-Identifier: MIT

// Which parts of the cells are pieces, and what they share.

#include "base/forest.h"
#include "base/report.h"
#include "base/sort.h"
#include "fracture/shatter_build.h"

// What one shared face adds to a bond.
typedef struct ShatterContact
{
	int32_t pieces[2];
	double area;
	brDVec3 vector; // area times normal, from the first to the second
	brDVec3 moment; // area times centroid
} ShatterContact;

static ShatterContact shatterMeasureCap(const brShatterBuild* build, const int32_t* corners, int32_t count)
{
	ShatterContact contact = {0};
	brDVec3 first = brShatterBuild_Position(build, corners[0]);
	for (int32_t n = 1; n + 1 < count; ++n)
	{
		brDVec3 p = brDSub(brShatterBuild_Position(build, corners[n]), first);
		brDVec3 q = brDSub(brShatterBuild_Position(build, corners[n + 1]), first);
		contact.vector = brDAdd(contact.vector, brDMul(0.5, brDCross(p, q)));
	}
	contact.area = brDLength(contact.vector);
	brDVec3 normal = brDNormalize(contact.vector);
	brDVec3 moment = {0.0, 0.0, 0.0};
	for (int32_t n = 1; n + 1 < count; ++n)
	{
		brDVec3 p = brDSub(brShatterBuild_Position(build, corners[n]), first);
		brDVec3 q = brDSub(brShatterBuild_Position(build, corners[n + 1]), first);
		moment = brDMulAdd(moment, brDDot(normal, brDCross(p, q)) / 6.0, brDAdd(p, q));
	}
	contact.moment = brDMulAdd(moment, contact.area, first);
	return contact;
}

// Contacts of all caps between different pieces (parts, if `pieces` maps them to themselves), one per pair, sorted.
static brResult shatterContacts(const brShatterBuild* build, const int32_t* pieces, ShatterContact** outContacts,
								int32_t* outCount, int32_t* outCapacity, brReport* report)
{
	const brAllocator* a = &build->allocator;
	const brPieceParts* parts = &build->parts;
	int32_t polygons = build->clip.polygonCells.count, caps = build->caps.faceCells.count / 2;
	ShatterContact* all = BR_ALLOC(a, ShatterContact, caps);
	ShatterContact* sums = BR_ALLOC(a, ShatterContact, caps);
	uint64_t* keys = BR_ALLOC(a, uint64_t, 2 * (int64_t)caps);
	uint32_t* order = BR_ALLOC(a, uint32_t, 2 * (int64_t)caps);
	int32_t* corners = BR_ALLOC(a, int32_t, build->largest);
	bool done = all != NULL && sums != NULL && keys != NULL && order != NULL && corners != NULL;
	int32_t count = 0, kept = 0;
	for (int32_t cap = 0; done && cap < caps; ++cap)
	{
		int32_t near = parts->entryParts[polygons + 2 * cap], far = parts->entryParts[polygons + 2 * cap + 1];
		int32_t from = near >= 0 ? pieces[near] : -1, to = far >= 0 ? pieces[far] : -1;
		if (from < 0 || to < 0 || from == to)
		{
			continue;
		}
		int32_t size = brPieceParts_Face(parts, polygons + 2 * cap, corners);
		ShatterContact contact = shatterMeasureCap(build, corners, size);
		contact.vector = from < to ? contact.vector : brDNeg(contact.vector);
		contact.pieces[0] = from < to ? from : to;
		contact.pieces[1] = from < to ? to : from;
		keys[count] = (uint64_t)contact.pieces[0] << 32 | (uint32_t)contact.pieces[1];
		order[count] = (uint32_t)count;
		all[count++] = contact;
	}
	done = done && brSortPairs64(NULL, a, keys, order, keys + caps, order + caps, count);
	for (int32_t n = 0; done && n < count; ++n)
	{
		const ShatterContact* contact = &all[order[n]];
		if (n > 0 && keys[n] == keys[n - 1])
		{
			ShatterContact* sum = &sums[kept - 1];
			sum->area += contact->area;
			sum->vector = brDAdd(sum->vector, contact->vector);
			sum->moment = brDAdd(sum->moment, contact->moment);
		}
		else
		{
			sums[kept++] = *contact;
		}
	}
	BR_FREE(a, all, caps);
	BR_FREE(a, keys, 2 * (int64_t)caps);
	BR_FREE(a, order, 2 * (int64_t)caps);
	BR_FREE(a, corners, build->largest);
	if (!done)
	{
		BR_FREE(a, sums, caps);
		return brFailMemory(report);
	}
	*outContacts = sums;
	*outCount = kept;
	*outCapacity = caps;
	return br_success;
}

// Parts below the limit join the neighbor that they share most area with, the smallest first.
static brResult shatterMerge(brShatterBuild* build, int32_t* parents, double* volumes, double limit, brReport* report)
{
	const brPieceParts* parts = &build->parts;
	const brAllocator* a = &build->allocator;
	int32_t* selves = BR_ALLOC(a, int32_t, parts->partCount);
	if (selves == NULL)
	{
		return brFailMemory(report);
	}
	for (int32_t p = 0; p < parts->partCount; ++p)
	{
		selves[p] = parts->partOwners.data[p];
	}
	ShatterContact* contacts = NULL;
	int32_t count = 0, capacity = 0;
	brResult result = shatterContacts(build, selves, &contacts, &count, &capacity, report);
	BR_FREE(a, selves, parts->partCount);
	while (result >= 0)
	{
		// The smallest that has not been settled yet; settled ones without a neighbor have their volume set to infinity.
		int32_t least = -1;
		for (int32_t p = 0; p < parts->partCount; ++p)
		{
			bool isRoot = parts->partOwners.data[p] == p && parents[p] == p;
			least = isRoot && volumes[p] < limit && (least < 0 || volumes[p] < volumes[least]) ? p : least;
		}
		if (least < 0)
		{
			break;
		}
		int32_t best = -1;
		double bestArea = 0.0;
		for (int32_t n = 0; n < count; ++n)
		{
			int32_t x = brReadRoot(parents, contacts[n].pieces[0]), y = brReadRoot(parents, contacts[n].pieces[1]);
			int32_t other = x == least ? y : y == least ? x : least;
			if (other != least && contacts[n].area > bestArea)
			{
				best = other;
				bestArea = contacts[n].area;
			}
		}
		if (best < 0)
		{
			volumes[least] = INFINITY;
			continue;
		}
		int32_t low = least < best ? least : best, high = least < best ? best : least;
		parents[high] = low;
		volumes[low] += volumes[high];
		++build->shatter->mergedCount;
	}
	BR_FREE(a, contacts, capacity);
	return result;
}

// Parts whose sites are in one group become one where they share a cut.
static void shatterJoinGroups(const brShatterBuild* build, int32_t* parents, double* volumes)
{
	const brPieceParts* parts = &build->parts;
	const int32_t* groups = build->def->groups;
	int32_t polygons = build->clip.polygonCells.count, caps = build->caps.faceCells.count / 2;
	for (int32_t cap = 0; cap < caps; ++cap)
	{
		int32_t near = parts->entryParts[polygons + 2 * cap], far = parts->entryParts[polygons + 2 * cap + 1];
		near = near >= 0 ? parts->partOwners.data[near] : -1;
		far = far >= 0 ? parts->partOwners.data[far] : -1;
		if (near < 0 || far < 0)
		{
			continue;
		}
		int32_t group = groups[parts->partCells.data[near]];
		int32_t x = brReadRoot(parents, near), y = brReadRoot(parents, far);
		if (group >= 0 && group == groups[parts->partCells.data[far]] && x != y)
		{
			int32_t low = x < y ? x : y, high = x < y ? y : x;
			parents[high] = low;
			volumes[low] += volumes[high];
		}
	}
}

// Parts become pieces, numbered by their lowest part.
brResult brShatterBuild_Number(brShatterBuild* build, double modelVolume, brReport* report)
{
	const brPieceParts* parts = &build->parts;
	const brAllocator* a = &build->allocator;
	int32_t count = parts->partCount;
	int32_t* parents = BR_ALLOC(a, int32_t, count);
	double* volumes = BR_ALLOC(a, double, count);
	build->partPieces = BR_ALLOC(a, int32_t, count);
	brResult result =
		parents == NULL || volumes == NULL || build->partPieces == NULL ? brFailMemory(report) : br_success;
	if (result >= 0)
	{
		double toModel = 1.0 / (build->scale.x * build->scale.y * build->scale.z);
		for (int32_t p = 0; p < count; ++p)
		{
			parents[p] = p;
			volumes[p] = toModel * parts->partVolumes.data[p];
		}
		if (build->def->groups != NULL)
		{
			shatterJoinGroups(build, parents, volumes);
		}
		if (build->def->smallest > 0.0)
		{
			result = shatterMerge(build, parents, volumes, build->def->smallest * fabs(modelVolume), report);
		}
	}
	int32_t pieces = 0;
	for (int32_t p = 0; result >= 0 && p < count; ++p)
	{
		bool isPiece = parts->partOwners.data[p] == p && parents[p] == p;
		build->partPieces[p] = isPiece ? pieces++ : -1;
	}
	for (int32_t p = 0; result >= 0 && p < count; ++p)
	{
		int32_t owner = parts->partOwners.data[p];
		if (owner >= 0 && build->partPieces[p] < 0)
		{
			build->partPieces[p] = build->partPieces[brReadRoot(parents, owner)];
		}
	}
	build->shatter->pieceCount = pieces;
	BR_FREE(a, parents, count);
	BR_FREE(a, volumes, count);
	return result;
}

brResult brShatterBuild_MakeBonds(brShatterBuild* build, brReport* report)
{
	const brAllocator* a = &build->allocator;
	ShatterContact* contacts = NULL;
	int32_t count = 0, capacity = 0;
	brResult result = shatterContacts(build, build->partPieces, &contacts, &count, &capacity, report);
	if (result < 0)
	{
		return result;
	}
	int32_t kept = 0;
	for (int32_t n = 0; n < count; ++n)
	{
		kept += contacts[n].area > 0.0;
	}
	build->shatter->bonds = BR_ALLOC(a, brBond, kept);
	build->shatter->bondCount = kept;
	if (build->shatter->bonds == NULL)
	{
		result = brFailMemory(report);
	}
	for (int32_t n = 0, b = 0; result >= 0 && n < count; ++n)
	{
		const ShatterContact* contact = &contacts[n];
		if (contact->area > 0.0)
		{
			build->shatter->bonds[b++] = (brBond){{contact->pieces[0], contact->pieces[1]},
												  contact->area,
												  brDMul(1.0 / contact->area, contact->moment),
												  brDNormalize(contact->vector)};
		}
	}
	BR_FREE(a, contacts, capacity);
	return result;
}

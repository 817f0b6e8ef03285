// SPDX-License-Identifier: MIT

// Where and when things happen in a recording: what the camera frames, and the moments of a contact sheet.
//
// The camera frames a box that is found at the moments of a fine contact sheet, which crowd where things break:
// - things that break, whole, from the first moment to their break, and large pieces of them;
// - of small pieces and of what moves but stays whole all but a small share of everything by area, so that those that fly
//   off do not count, and none of them where the rest is nearly all; and strikers as they are at the first moment;
// - what stands beside them.
// Nothing counts that is farther from the places of the breaks than a few times their size: there it would be seen, but
// everything would be small. The corners of a box stick out of what is in it, so in the end the box shrinks as far as
// the picture that the recording's camera takes of it still shows as much, and widens as far as no moment is left with
// most of its pieces elsewhere.
//
// A moment alone is framed by what is in pieces then, else by what will break, and by what is close to it; what the
// side of the picture would cut is taken in too.

#include "base/memory.h"
#include "scene/render_camera.h"

#include <math.h>
#include <string.h>

#define ACTION_MOMENTS 32      // at which the recording is looked at
#define ACTION_ITEMS (1 << 18) // boxes that are kept; of runs with more bodies fewer moments are looked at
#define ACTION_BINS 256
#define ACTION_ROUNDS 3       // of narrowing: 256^3 steps in the end
#define ACTION_LEFT_OUT 0.02  // share of what moves, by area, beyond each side of the box
#define ACTION_LEFT_NOW 0.04  // the same at each moment
#define ACTION_LARGE 0.08     // of the area of all pieces: a piece that is followed
#define ACTION_STRIKER 0.2    // of the size of the largest thing that breaks: what is smaller is a bullet
#define ACTION_FLIGHT 1.5     // of the size of what breaks: as far from there pieces and strikers count
#define ACTION_WAY 3.0        // the same for what breaks, on its way to there
#define ACTION_CROWD 5.0      // the same for most of the pieces of a moment
#define ACTION_NOW 0.6        // the same for everything, of a moment alone
#define ACTION_WIDEN 1.8      // of the size of a moment's box: as far it widens for what would be cut off
#define ACTION_DOUBLE 0.15    // share of a moment's pieces, by area, for which a frame of twice the size pays
#define ACTION_SPLINTER 0.07  // of the size of a moment's box: what is smaller may be cut off
#define ACTION_BESIDE 0.35    // of the box's size: what stands within belongs to it
#define ACTION_WOBBLE 0.1     // of its size: what moves less stands
#define ACTION_UNSEEN 0.02    // share of what moves, by area, that is out of the picture
#define ACTION_UNSEEN_NOW 0.1 // the same at each moment
#define ACTION_RIM 0.96       // of half the picture: what is farther from the middle is cut off
#define ACTION_INWARD 0.5     // of the way to the middle of the box: its sides move no further
#define ACTION_HALVINGS 8     // of the interval in which the best size is looked for

typedef struct ActionBody
{
	brDBox3 bounds; // of its mesh
	brRecordedPose pose;
	bool isBorn, moves, breaks; // moves: farther than it wobbles; breaks: within the shown time, or later than a moment
	bool isTaken;               // it is among the items that must be whole
} ActionBody;

// What is seen of a body at a moment.
typedef struct ActionItem
{
	brDBox3 box;
	double area;
	bool isWhole; // it must be in the picture; otherwise a share of them may be out of it
} ActionItem;

typedef struct Action
{
	const brRecording* recording;
	ActionBody* bodies; // [recording->bodyCount] as they are at `frame`
	ActionItem* items;  // [itemCount]
	int32_t itemCount, itemCapacity;
	int32_t frame;
	bool isMoment;                   // one moment alone
	int32_t moments[ACTION_MOMENTS]; // frames
	int32_t momentCount;
	int32_t firstItems[ACTION_MOMENTS + 1]; // of each moment; those of the breaks come before, what stands after
	double pieceArea;                       // of all pieces that there are at the last moment
	double largest;                         // size of the largest thing that breaks
	brDBox3 breaks; // where things are when they break, or what a moment is about; empty: nothing breaks
	brDBox3 box;    // what was found so far
} Action;

static bool actionIsEmpty(const brDBox3* box)
{
	return !(box->lower.x <= box->upper.x);
}

static double actionSize(const brDBox3* box)
{
	return brDDistance(box->lower, box->upper);
}

// Half the surface of a box.
static double actionArea(const brDBox3* box)
{
	brDVec3 d = brDSub(box->upper, box->lower);
	return d.x * d.y + d.y * d.z + d.z * d.x;
}

static double actionAxis(brDVec3 v, int32_t axis)
{
	return axis == 0 ? v.x : axis == 1 ? v.y : v.z;
}

static void actionSetAxis(brDVec3* v, int32_t axis, double value)
{
	*(axis == 0 ? &v->x : axis == 1 ? &v->y : &v->z) = value;
}

static brDBox3 actionGrow(brDBox3 box, double by)
{
	brDVec3 more = {by, by, by};
	return (brDBox3){brDSub(box.lower, more), brDAdd(box.upper, more)};
}

// The part of a box that is in another one; empty if they do not meet.
static brDBox3 actionCommon(brDBox3 a, brDBox3 b)
{
	brDBox3 both = a;
	for (int32_t axis = 0; axis < 3; ++axis)
	{
		double low = fmax(actionAxis(a.lower, axis), actionAxis(b.lower, axis));
		double high = fmin(actionAxis(a.upper, axis), actionAxis(b.upper, axis));
		if (!(low <= high))
		{
			return brMakeDBox3Empty();
		}
		actionSetAxis(&both.lower, axis, low);
		actionSetAxis(&both.upper, axis, high);
	}
	return both;
}

static void actionInclude(Action* action, brDBox3 box)
{
	if (!actionIsEmpty(&box))
	{
		action->box = brDBox3_Union(action->box, box);
		action->items[action->itemCount++] = (ActionItem){box, actionArea(&box), true};
	}
}

// The box of a body where it is: of its vertices, or of the corners of its mesh's box, which is near enough for a shard.
static brDBox3 actionBodyBox(const Action* action, int32_t body, bool isExact)
{
	const ActionBody* what = &action->bodies[body];
	const brMesh* mesh = action->recording->meshes[action->recording->bodies[body].mesh];
	brTransform at = brRecordedPose_ToTransform(what->pose);
	brMat3 axes = brMakeMat3FromQuat(at.q);
	brDBox3 box = brMakeDBox3Empty();
	for (int32_t i = 0; i < 8 && !isExact && !actionIsEmpty(&what->bounds); ++i)
	{
		brDVec3 corner = {(i & 1 ? what->bounds.upper : what->bounds.lower).x,
						  (i & 2 ? what->bounds.upper : what->bounds.lower).y,
						  (i & 4 ? what->bounds.upper : what->bounds.lower).z};
		box = brDBox3_Include(box, brMat3_MulV(&axes, corner));
	}
	for (int32_t i = 0; i < mesh->vertexCount && isExact; ++i)
	{
		box = brDBox3_Include(box, brMat3_MulV(&axes, mesh->positions[i]));
	}
	return (brDBox3){brDAdd(box.lower, at.p), brDAdd(box.upper, at.p)};
}

// Moves on to a later frame; before the first one it is -1.
static void actionWalk(Action* action, int32_t frame)
{
	const brRecording* recording = action->recording;
	int32_t next = action->frame + 1;
	int32_t from = next < recording->frameCount ? recording->frames[next].firstKey : recording->keyCount;
	int32_t to = frame + 1 < recording->frameCount ? recording->frames[frame + 1].firstKey : recording->keyCount;
	for (int32_t k = from; k < to; ++k)
	{
		action->bodies[recording->keys[k].body].pose = recording->keys[k].pose;
	}
	action->frame = frame;
}

static void actionFindMovers(Action* action)
{
	const brRecording* recording = action->recording;
	for (int32_t k = 0; k < recording->keyCount; ++k)
	{
		ActionBody* body = &action->bodies[recording->keys[k].body];
		const brRecordedPose* pose = &recording->keys[k].pose;
		body->pose = body->isBorn ? body->pose : *pose;
		body->isBorn = true;
		double way = brDDistance(brRecordedPose_ToTransform(body->pose).p, brRecordedPose_ToTransform(*pose).p);
		body->moves = body->moves || way > ACTION_WOBBLE * actionSize(&body->bounds);
	}
}

// What breaks between the first moment and the last, and where.
static void actionFindBreaks(Action* action)
{
	const brRecording* recording = action->recording;
	int32_t first = action->moments[0], last = action->moments[action->momentCount - 1];
	for (int32_t i = 0; i < recording->breakCount; ++i)
	{
		int32_t body = recording->breaks[i].body;
		int32_t gone = body >= 0 ? recording->bodies[body].goneFrame : INT32_MAX;
		if (gone <= first || gone > last || recording->bodies[body].kind != br_recordedBody ||
			action->bodies[body].breaks)
		{
			continue;
		}
		action->bodies[body].breaks = true;
		action->bodies[body].pose = recording->bodies[body].pose; // its last one: that of the break
		brDBox3 box = actionBodyBox(action, body, true);
		actionInclude(action, box);
		action->breaks = brDBox3_Union(action->breaks, box);
		action->largest = fmax(action->largest, actionSize(&action->bodies[body].bounds));
	}
	for (int32_t i = 0; i < recording->bodyCount; ++i)
	{
		bool stays = recording->bodies[i].kind == br_recordedPiece && recording->bodies[i].goneFrame > last;
		action->pieceArea += stays ? actionArea(&action->bodies[i].bounds) : 0.0;
	}
}

static bool actionIsThere(const Action* action, int32_t body)
{
	const brRecordedBody* what = &action->recording->bodies[body];
	return what->kind != br_recordedGround && what->bornFrame <= action->frame && action->frame < what->goneFrame;
}

// Adds a body as it is at this moment to the box, or to the items of which a share is left out.
static void actionSee(Action* action, int32_t body)
{
	const ActionBody* what = &action->bodies[body];
	bool isPiece = action->recording->bodies[body].kind == br_recordedPiece;
	bool hasBreaks = !actionIsEmpty(&action->breaks);
	bool isLarge = actionArea(&what->bounds) >= ACTION_LARGE * action->pieceArea;
	bool isSubject = isPiece ? isLarge : what->breaks || (!hasBreaks && what->moves);
	if (!isSubject && !isPiece && !what->moves)
	{
		return; // it stands
	}
	brDBox3 box = actionBodyBox(action, body, isSubject || !isPiece);
	// Whole or not at all: what is cut off at the side of the picture is worse than what is not there.
	bool isStriker = !isPiece && actionSize(&what->bounds) >= ACTION_STRIKER * action->largest;
	double far = action->isMoment ? ACTION_NOW : what->breaks ? ACTION_WAY : ACTION_FLIGHT;
	brDBox3 reach = actionGrow(action->breaks, far * actionSize(&action->breaks));
	brDVec3 middle = brDLerp(box.lower, box.upper, 0.5);
	brDBox3 inside = actionCommon((brDBox3){middle, middle}, reach);
	bool isNear = !hasBreaks || !actionIsEmpty(&inside);
	if (isNear && (isSubject || (isStriker && action->frame == action->moments[0])))
	{
		actionInclude(action, box);
		action->bodies[body].isTaken = true;
	}
	else if (isNear || !action->isMoment)
	{
		action->items[action->itemCount++] = (ActionItem){box, actionArea(&box), false};
	}
}

// Items of which a share is left out.
typedef struct ActionCrowd
{
	const ActionItem* items;
	int32_t count;
	double leftOut; // beyond each side, as a share of all items
} ActionCrowd;

// Adds the areas of all items by one of their sides to bins over [low, high]; those outside go to the ends.
static void actionFillBins(const ActionCrowd* crowd, int32_t axis, bool isUpper, double low, double high,
						   double bins[ACTION_BINS])
{
	memset(bins, 0, ACTION_BINS * sizeof(double));
	for (int32_t i = 0; i < crowd->count; ++i)
	{
		const ActionItem* item = &crowd->items[i];
		if (item->isWhole)
		{
			continue;
		}
		double at = ACTION_BINS * (actionAxis(isUpper ? item->box.upper : item->box.lower, axis) - low) / (high - low);
		int32_t bin = !(at > 0.0) ? 0 : at >= ACTION_BINS ? ACTION_BINS - 1 : (int32_t)at;
		bins[bin] += item->area;
	}
}

// The side of the box beyond which only a small share of the items lies, by bins that narrow.
static double actionQuantile(const ActionCrowd* crowd, int32_t axis, bool isUpper, double low, double high)
{
	double all = 0.0, sum = 0.0, bins[ACTION_BINS];
	for (int32_t i = 0; i < crowd->count; ++i)
	{
		all += crowd->items[i].area;
		sum += crowd->items[i].isWhole ? 0.0 : crowd->items[i].area;
	}
	double wanted = isUpper ? sum - crowd->leftOut * all : crowd->leftOut * all;
	for (int32_t round = 0; round < ACTION_ROUNDS && high > low; ++round)
	{
		actionFillBins(crowd, axis, isUpper, low, high, bins);
		double passed = 0.0;
		int32_t bin = 0;
		while (bin + 1 < ACTION_BINS && passed + bins[bin] < wanted)
		{
			passed += bins[bin++];
		}
		double width = (high - low) / ACTION_BINS;
		low = low + width * bin;
		high = low + width;
	}
	return isUpper ? high : low;
}

// The box of a crowd, within some sizes of the breaks.
static void actionIncludeCrowd(Action* action, ActionCrowd crowd, double flight)
{
	brDBox3 all = brMakeDBox3Empty();
	for (int32_t i = 0; i < crowd.count; ++i)
	{
		all = crowd.items[i].isWhole ? all : brDBox3_Union(all, crowd.items[i].box);
	}
	brDBox3 box = all;
	for (int32_t axis = 0; axis < 3 && !actionIsEmpty(&all); ++axis)
	{
		double low = actionAxis(all.lower, axis), high = actionAxis(all.upper, axis);
		actionSetAxis(&box.lower, axis, actionQuantile(&crowd, axis, false, low, high));
		actionSetAxis(&box.upper, axis, actionQuantile(&crowd, axis, true, low, high));
	}
	brDBox3 reach = actionGrow(action->breaks, flight * actionSize(&action->breaks));
	box = actionIsEmpty(&action->breaks) ? box : actionCommon(box, reach);
	// Crossed where there is nothing, or so little that all of it may be left out.
	bool isCrossed = box.lower.x > box.upper.x || box.lower.y > box.upper.y || box.lower.z > box.upper.z;
	action->box = isCrossed ? action->box : brDBox3_Union(action->box, box);
}

// Radius of the ball around a point that holds an item.
static double actionReach(const ActionItem* item, brDVec3 from)
{
	return brDDistance(brDLerp(item->box.lower, item->box.upper, 0.5), from) + 0.5 * actionSize(&item->box);
}

// Drops items that are so far from most that a frame for them would pay too little: splinters of a shot are a hundred
// sizes away soon. Looks at balls around the middle of all, each larger by a fourth root of two, from that with half of
// the area on.
static void actionDropFar(Action* action)
{
	const double ratio = 1.189207115002721; // the fourth root of two
	const int32_t octaves = 32;             // from a ball with all items inwards
	ActionCrowd half = {action->items, action->itemCount, 0.5};
	brDBox3 all = brMakeDBox3Empty(), middles = all;
	double sum = 0.0, best = -INFINITY, reach = INFINITY;
	for (int32_t i = 0; i < action->itemCount; ++i)
	{
		all = brDBox3_Union(all, action->items[i].box);
		sum += action->items[i].area;
	}
	for (int32_t axis = 0; axis < 3 && action->itemCount > 0; ++axis)
	{
		double low = actionAxis(all.lower, axis), high = actionAxis(all.upper, axis);
		actionSetAxis(&middles.lower, axis, actionQuantile(&half, axis, false, low, high));
		actionSetAxis(&middles.upper, axis, actionQuantile(&half, axis, true, low, high));
	}
	brDVec3 middle = brDLerp(middles.lower, middles.upper, 0.5);
	double radius = 2.0 * actionSize(&all), cost = 0.0;
	for (int32_t step = 0; step < 4 * octaves; ++step, radius /= ratio, cost -= 0.25 * ACTION_DOUBLE)
	{
		double share = 0.0;
		for (int32_t i = 0; i < action->itemCount; ++i)
		{
			share += actionReach(&action->items[i], middle) <= radius ? action->items[i].area / sum : 0.0;
		}
		bool isBetter = share >= 0.5 && share - cost > best;
		best = isBetter ? share - cost : best;
		reach = isBetter ? radius : reach;
	}
	int32_t kept = 0;
	for (int32_t i = 0; i < action->itemCount; ++i)
	{
		action->items[kept] = action->items[i];
		kept += actionReach(&action->items[i], middle) <= reach;
	}
	action->itemCount = kept;
}

// What a moment is about: the pieces that are there, but for a few; if there are none, what will break; of a run in
// which nothing does, what moves and is not far from the rest of it.
static void actionFindSubject(Action* action)
{
	const brRecording* recording = action->recording;
	for (int32_t i = 0; i < recording->breakCount; ++i)
	{
		int32_t body = recording->breaks[i].body;
		if (body >= 0 && recording->bodies[body].kind == br_recordedBody)
		{
			action->bodies[body].breaks = true;
			action->largest = fmax(action->largest, actionSize(&action->bodies[body].bounds));
		}
	}
	bool isUnbroken = recording->breakCount == 0; // it is about what moves
	brDBox3 whole = brMakeDBox3Empty();
	for (int32_t i = 0; i < recording->bodyCount; ++i)
	{
		const ActionBody* body = &action->bodies[i];
		bool isPiece = recording->bodies[i].kind == br_recordedPiece;
		if (actionIsThere(action, i) && (isPiece || body->breaks || (isUnbroken && body->moves)))
		{
			brDBox3 box = actionBodyBox(action, i, !isPiece);
			whole = isPiece ? whole : brDBox3_Union(whole, box);
			action->items[action->itemCount] = (ActionItem){box, actionArea(&box), false};
			action->itemCount += isPiece || isUnbroken;
			action->pieceArea += isPiece ? actionArea(&body->bounds) : 0.0;
		}
	}
	actionDropFar(action);
	actionIncludeCrowd(action, (ActionCrowd){action->items, action->itemCount, isUnbroken ? 0.0 : ACTION_LEFT_NOW},
					   0.0);
	action->breaks = action->itemCount > 0 ? action->box : whole;
	for (int32_t i = 0; i < recording->bodyCount && isUnbroken; ++i)
	{
		brDBox3 box = actionBodyBox(action, i, false), common = actionCommon(box, action->breaks);
		action->bodies[i].breaks = action->bodies[i].moves && !actionIsEmpty(&common);
	}
	action->itemCount = 0;
	action->box = brMakeDBox3Empty();
}

// What stands still: the part of it that is near, unless it is far larger, such as a floor.
static void actionIncludeStands(Action* action)
{
	brDBox3 reach = actionGrow(action->box, ACTION_BESIDE * actionSize(&action->box));
	bool isAll = actionIsEmpty(&action->box); // nothing moves
	for (int32_t i = 0; i < action->recording->bodyCount; ++i)
	{
		if (action->recording->bodies[i].kind != br_recordedBody || action->bodies[i].moves || action->bodies[i].breaks)
		{
			continue;
		}
		brDBox3 box = actionBodyBox(action, i, true), part = isAll ? box : actionCommon(box, reach);
		bool isFloor = !isAll && actionSize(&box) > actionSize(&reach);
		actionInclude(action, isFloor ? brMakeDBox3Empty() : part);
	}
}

// How many of the corners of a box are in a picture; `corners`: the first of them.
static int32_t actionCountSeen(const brDBox3* box, int32_t corners, const brRenderCamera* camera, double across,
							   double rise)
{
	int32_t count = 0;
	for (int32_t k = 0; k < corners; ++k)
	{
		brDVec3 at = {(k & 1 ? box->upper : box->lower).x, (k & 2 ? box->upper : box->lower).y,
					  (k & 4 ? box->upper : box->lower).z};
		at = brDSub(at, camera->position);
		double depth = brDDot(at, camera->forward);
		count += fabs(brDDot(at, camera->right)) <= across * depth && fabs(brDDot(at, camera->above)) <= rise * depth;
	}
	return count;
}

// Whether all of an item that must be whole, or the middle of another, is in a picture.
static bool actionIsSeen(const ActionItem* item, const brRenderCamera* camera, double across, double rise)
{
	brDVec3 middle = brDLerp(item->box.lower, item->box.upper, 0.5);
	brDBox3 box = item->isWhole ? item->box : (brDBox3){middle, middle};
	int32_t corners = item->isWhole ? 8 : 1;
	return actionCountSeen(&box, corners, camera, across, rise) == corners;
}

// Share of the area of some items that is out of a picture; infinite if something is that must not be.
static double actionUnseen(const ActionItem* items, int32_t count, const brRenderDef* def)
{
	brRenderCamera camera = brMakeFrameCamera(def);
	double rise = ACTION_RIM * camera.halfHeight, across = rise * def->width / def->height, out = 0.0, sum = 0.0;
	for (int32_t i = 0; i < count; ++i)
	{
		bool isSeen = actionIsSeen(&items[i], &camera, across, rise);
		out += isSeen ? 0.0 : items[i].isWhole ? INFINITY : items[i].area;
		sum += items[i].area;
	}
	return sum > 0.0 ? out / sum : out;
}

// Whether a picture of this box shows as much as one of the whole box does.
static bool actionShowsAll(const Action* action, const brRenderDef* def)
{
	return actionUnseen(action->items, action->itemCount, def) <= ACTION_UNSEEN;
}

// Whether it shows most of what there is at each moment.
static bool actionShowsEach(const Action* action, const brRenderDef* def)
{
	bool isShown = true;
	for (int32_t m = 0; m < action->momentCount && isShown; ++m)
	{
		int32_t first = action->firstItems[m], count = action->firstItems[m + 1] - first;
		isShown = actionUnseen(action->items + first, count, def) <= ACTION_UNSEEN_NOW;
	}
	return isShown;
}

// Goes from one box as far towards another as the picture of it still shows what it should, as a poster and as a wide
// movie; `share` is the most of the way. Sides move alike: a box that fits one direction only would cut things off seen
// from another.
static void actionApproach(Action* action, brDBox3 from, brDBox3 to, double share,
						   bool (*shows)(const Action*, const brRenderDef*))
{
	const int32_t sizes[2][2] = {{action->recording->camera.width, action->recording->camera.height}, {16, 9}};
	double low = 0.0, high = share;
	action->box = from;
	for (int32_t step = 0; step < ACTION_HALVINGS; ++step)
	{
		double t = 0.5 * (low + high);
		brDBox3 tried = {brDLerp(from.lower, to.lower, t), brDLerp(from.upper, to.upper, t)};
		bool isShown = true;
		for (int32_t i = 0; i < 2 && isShown; ++i)
		{
			brRenderDef def = brMakeCameraRenderDef(&action->recording->camera, tried);
			def.width = sizes[i][0];
			def.height = sizes[i][1];
			isShown = shows(action, &def);
		}
		action->box = isShown ? tried : action->box;
		*(isShown ? &low : &high) = t;
	}
}

static void actionFit(Action* action)
{
	brDVec3 middle = brDLerp(action->box.lower, action->box.upper, 0.5);
	actionApproach(action, action->box, (brDBox3){middle, middle}, ACTION_INWARD, actionShowsAll);
	brDBox3 narrow = action->box;
	for (int32_t m = 0; m < action->momentCount; ++m)
	{
		int32_t first = action->firstItems[m], count = action->firstItems[m + 1] - first;
		actionIncludeCrowd(action, (ActionCrowd){action->items + first, count, ACTION_LEFT_NOW}, ACTION_CROWD);
	}
	actionApproach(action, action->box, narrow, 1.0, actionShowsEach);
}

// Takes in what the side of the picture cuts through, from a size on, as long as the box is not larger than `most`.
// False if there is nothing.
static bool actionWiden(Action* action, brDBox3* box, double least, double most)
{
	brRenderDef def = brMakeCameraRenderDef(&action->recording->camera, action->box);
	brRenderCamera camera = brMakeFrameCamera(&def);
	double rise = ACTION_RIM * camera.halfHeight, across = rise * def.width / def.height;
	bool wasWidened = false;
	for (int32_t i = 0; i < action->recording->bodyCount; ++i)
	{
		ActionBody* body = &action->bodies[i];
		if (actionSize(&body->bounds) < least || body->isTaken || !actionIsThere(action, i))
		{
			continue;
		}
		brDBox3 whole = actionBodyBox(action, i, true), wide = brDBox3_Union(*box, whole);
		int32_t seen = actionCountSeen(&whole, 8, &camera, across, rise);
		if (seen > 0 && seen < 8 && actionSize(&wide) <= most)
		{
			*box = wide;
			actionInclude(action, whole);
			body->isTaken = wasWidened = true;
		}
	}
	return wasWidened;
}

// The frame of a moment, as tight as it goes without cutting through things.
static void actionFitMoment(Action* action)
{
	brDBox3 box = action->box;
	double least = ACTION_SPLINTER * actionSize(&box), most = ACTION_WIDEN * actionSize(&box);
	do
	{
		action->box = box;
		actionFit(action);
	} while (actionWiden(action, &box, least, most));
}

static void actionFindMoments(Action* action, double from, double to)
{
	double times[ACTION_MOMENTS];
	int32_t most = ACTION_ITEMS / (action->recording->bodyCount + 1);
	action->isMoment = from == to;
	action->momentCount = action->isMoment ? 1 : most < 4 ? 4 : most < ACTION_MOMENTS ? most : ACTION_MOMENTS;
	brRecording_FindMoments(action->recording, from, to, times, action->momentCount);
	for (int32_t i = 0; i < action->momentCount; ++i)
	{
		action->moments[i] = (int32_t)(times[i] * action->recording->frameRate + 0.5);
	}
}

brDBox3 brRecording_FindAction(const brRecording* recording, double from, double to)
{
	if (recording == NULL || recording->frameCount == 0 || recording->bodyCount == 0)
	{
		return brMakeDBox3Empty();
	}
	Action action = {.recording = recording, .frame = -1, .breaks = brMakeDBox3Empty(), .box = brMakeDBox3Empty()};
	const brAllocator* allocator = &recording->allocator;
	actionFindMoments(&action, from, to);
	// One at each moment, one where it breaks, stands or would be cut off.
	action.itemCapacity = (action.momentCount + 1) * recording->bodyCount;
	action.bodies = BR_ALLOC_ZERO(allocator, ActionBody, recording->bodyCount);
	action.items = BR_ALLOC(allocator, ActionItem, action.itemCapacity);
	bool isReady = action.bodies != NULL && action.items != NULL;
	for (int32_t i = 0; i < recording->bodyCount && isReady; ++i)
	{
		action.bodies[i].bounds = brMesh_ComputeBounds(recording->meshes[recording->bodies[i].mesh]);
	}
	if (isReady)
	{
		actionFindMovers(&action);
	}
	if (isReady && action.isMoment)
	{
		actionWalk(&action, action.moments[0]);
		actionFindSubject(&action);
	}
	else if (isReady)
	{
		actionFindBreaks(&action);
	}
	for (int32_t m = 0; m < action.momentCount && isReady; ++m)
	{
		actionWalk(&action, action.moments[m]);
		action.firstItems[m] = action.itemCount;
		for (int32_t i = 0; i < recording->bodyCount; ++i)
		{
			if (actionIsThere(&action, i))
			{
				actionSee(&action, i);
			}
		}
	}
	action.firstItems[action.momentCount] = action.itemCount;
	if (isReady)
	{
		actionIncludeCrowd(&action, (ActionCrowd){action.items, action.itemCount, ACTION_LEFT_OUT}, ACTION_FLIGHT);
		actionIncludeStands(&action);
	}
	if (isReady && recording->camera.zoom > 0.0 && !actionIsEmpty(&action.box))
	{
		action.isMoment ? actionFitMoment(&action) : actionFit(&action);
	}
	BR_FREE(allocator, action.items, action.itemCapacity);
	BR_FREE(allocator, action.bodies, recording->bodyCount);
	return action.box;
}

// Moments

#define MOMENT_EVEN 0.30   // share of the pictures that are spread evenly over time
#define MOMENT_BREAKS 0.45 // where things break, and shortly after
#define MOMENT_SECONDS 0.2 // of a break

// How much a frame gains or loses of kinetic energy: blows and falls count, what rolls on does not.
static double momentChange(const brRecording* recording, int32_t frame)
{
	double before = fmax((double)recording->frames[frame > 0 ? frame - 1 : 0].kinetic, 0.0);
	return fabs(fmax((double)recording->frames[frame].kinetic, 0.0) - before);
}

static double momentWeight(const brRecording* recording, int32_t frame, double changes, double pieces)
{
	double weight = MOMENT_EVEN / recording->frameCount, breaks = pieces > 0.0 ? MOMENT_BREAKS : 0.0;
	weight += changes > 0.0 ? (1.0 - MOMENT_EVEN - breaks) * momentChange(recording, frame) / changes : 0.0;
	double last = MOMENT_SECONDS * recording->frameRate;
	for (int32_t i = 0; i < recording->breakCount && pieces > 0.0; ++i)
	{
		int32_t age = frame - recording->breaks[i].frame;
		bool isFresh = age >= 0 && age < last;
		weight += isFresh ? breaks * recording->breaks[i].pieces / (pieces * ceil(last)) : 0.0;
	}
	return weight;
}

void brRecording_FindMoments(const brRecording* recording, double from, double to, double* outTimes, int32_t count)
{
	if (recording == NULL || outTimes == NULL || count < 1 || recording->frameCount < 1)
	{
		return;
	}
	double rate = recording->frameRate, changes = 0.0, pieces = 0.0;
	int32_t last = recording->frameCount - 1;
	int32_t first = (int32_t)fmin(fmax(floor(from * rate + 0.5), 0.0), last);
	last = (int32_t)fmin(fmax(floor(to * rate + 0.5), first), last);
	for (int32_t f = first; f <= last; ++f)
	{
		changes += momentChange(recording, f);
	}
	for (int32_t i = 0; i < recording->breakCount; ++i)
	{
		pieces += recording->breaks[i].pieces;
	}
	double sum = 0.0, passed = 0.0;
	for (int32_t f = first; f < last; ++f)
	{
		sum += momentWeight(recording, f, changes, pieces);
	}
	int32_t frame = first;
	for (int32_t i = 0; i < count; ++i)
	{
		double wanted = count > 1 ? sum * i / (count - 1) : 0.0;
		// Each picture is later than the one before, and as many frames are left as pictures.
		int32_t least = i > 0 ? (int32_t)(outTimes[i - 1] * rate + 0.5) + 1 : first;
		int32_t most = last - (count - 1 - i) > first ? last - (count - 1 - i) : first;
		while (frame < last && passed < wanted)
		{
			passed += momentWeight(recording, frame++, changes, pieces);
		}
		int32_t chosen = i == count - 1 ? last : frame > least ? frame : least;
		chosen = chosen < most || i == count - 1 ? chosen : most;
		outTimes[i] = chosen / rate;
	}
}

// SPDX-License-Identifier: MIT

#include "live/view.h"

#include "base/report.h"
#include "scene/recording_file.h"
#include "scene/scene_world.h"

#include <string.h>

#define VIEW_FARTHEST 1e9 // steps

enum
{
	view_forget = 1, // flag of a frame
};

brResult brLiveView_Init(brLiveView* view, const brContext* context, const brScene* scene, brReport* report)
{
	memset(view, 0, sizeof(*view));
	view->allocator = brContext_Allocator(context);
	view->scene = scene;
	view->moves.allocator = view->gones.allocator = view->births.allocator = view->allocator;
	view->modelMeshes = BR_ALLOC_ZERO(&view->allocator, uint32_t, scene->modelCount);
	view->modelMarks = BR_ALLOC_ZERO(&view->allocator, uint8_t, scene->modelCount);
	if (view->modelMeshes == NULL || view->modelMarks == NULL)
	{
		return brFailMemory(report);
	}
	return scene->hasGround ? brMakeGroundSlab(context, scene, &view->ground, &view->groundPose, report) : br_success;
}

void brLiveView_Destroy(brLiveView* view)
{
	brDestroyMesh(view->ground);
	BR_FREE(&view->allocator, view->modelMeshes, view->scene->modelCount);
	BR_FREE(&view->allocator, view->modelMarks, view->scene->modelCount);
	BR_FREE_ARRAY(&view->allocator, &view->known);
	BR_FREE_ARRAY(&view->allocator, &view->slots);
	BR_FREE_ARRAY(&view->allocator, &view->breaks);
	BR_FREE_ARRAY(&view->allocator, &view->balls);
	BR_FREE_ARRAY(&view->allocator, &view->ids);
	brByteArray_Destroy(&view->moves);
	brByteArray_Destroy(&view->gones);
	brByteArray_Destroy(&view->births);
}

void brLiveView_SetWorld(brLiveView* view, const brWorld* world)
{
	view->world = world;
	view->known.count = view->slots.count = view->breaks.count = view->balls.count = 0;
	view->pieceCount = view->ballCount = view->bodyCount = 0;
	view->isFresh = true;
	brLiveView_ForgetModels(view);
}

void brLiveView_ForgetModels(brLiveView* view)
{
	memset(view->modelMeshes, 0, sizeof(uint32_t) * (size_t)view->scene->modelCount);
}

bool brLiveView_NoteBreaks(brLiveView* view)
{
	int32_t count;
	const brBreakEvent* events = brWorld_GetBreakEvents(view->world, &count);
	bool isDone = BR_RESERVE(&view->allocator, &view->breaks, count);
	for (int32_t i = 0; i < count && isDone; ++i)
	{
		brLiveBreak what = {events[i].parent, (float)fmin(events[i].stress, 1e30)};
		view->breaks.data[view->breaks.count++] = what;
	}
	return isDone;
}

const brMesh* brLiveView_Mesh(const brLiveView* view, brBodyId id)
{
	const brMesh* mesh = brWorld_GetMesh(view->world, id);
	uint64_t userData = brWorld_GetUserData(view->world, id);
	bool isOfScene = userData > 0 && userData <= (uint64_t)view->scene->bodyCount;
	return mesh != NULL || !isOfScene ? mesh : view->scene->models[view->scene->bodies[userData - 1].model].mesh;
}

static const brMesh* viewMesh(const brLiveView* view, const brLiveKnown* known)
{
	return known->kind == br_liveGround ? view->ground : brLiveView_Mesh(view, known->id);
}

brLivePose brLivePose_From(brTransform pose, double unit, const brLivePose* last)
{
	const double values[7] = {pose.p.x / unit,
							  pose.p.y / unit,
							  pose.p.z / unit,
							  pose.q.x / BR_LIVE_ROTATION_STEP,
							  pose.q.y / BR_LIVE_ROTATION_STEP,
							  pose.q.z / BR_LIVE_ROTATION_STEP,
							  pose.q.w / BR_LIVE_ROTATION_STEP};
	double along = 0.0;
	for (int32_t k = 3; k < 7; ++k)
	{
		along += values[k] * (double)last->steps[k];
	}
	brLivePose result;
	for (int32_t k = 0; k < 7; ++k)
	{
		double value = k >= 3 && along < 0.0 ? -values[k] : values[k];
		result.steps[k] = (int32_t)floor(fmin(fmax(value, -VIEW_FARTHEST), VIEW_FARTHEST) + 0.5);
	}
	return result;
}

// Messages

static void viewPutNumbers(const brLiveView* view, const brLiveNumbers* numbers, bool isForget, brByteArray* out)
{
	const uint8_t kind = br_liveFrame;
	brByteArray_Add(out, &kind, 1);
	brByteArray_PutCount(out, isForget ? view_forget : 0);
	brByteArray_PutDouble(out, numbers->time);
	brByteArray_PutCount(out, (uint64_t)view->bodyCount);
	brByteArray_PutCount(out, (uint64_t)numbers->awake);
	brByteArray_PutCount(out, (uint64_t)numbers->contacts);
	brByteArray_PutCount(out, (uint64_t)view->pieceCount);
	brByteArray_PutCount(out, (uint64_t)numbers->breaks);
	brByteArray_PutFloat(out, (float)numbers->stepSeconds);
	brByteArray_PutFloat(out, (float)numbers->detectSeconds);
	brByteArray_PutFloat(out, (float)numbers->solveSeconds);
	brByteArray_PutFloat(out, (float)numbers->breakSeconds);
	brByteArray_PutFloat(out, (float)numbers->rate);
}

// The number of a body as the distance from the one before in the list.
static void viewPutNext(brByteArray* out, uint32_t number, uint32_t* last)
{
	brByteArray_PutCount(out, number - *last - 1);
	*last = number;
}

// The mesh about its center, without what the page does not show.
static void viewPutMesh(const brLiveView* view, const brLiveKnown* known, brByteArray* out)
{
	brMesh plain = *viewMesh(view, known);
	plain.uvs = NULL;
	brDVec3* positions = BR_ALLOC(&view->allocator, brDVec3, plain.vertexCount);
	if (positions == NULL)
	{
		out->failed = true;
		return;
	}
	for (int32_t i = 0; i < plain.vertexCount; ++i)
	{
		positions[i] = brDSub(plain.positions[i], known->center);
	}
	plain.positions = positions;
	brByteArray_PutMesh(out, &plain, false);
	BR_FREE(&view->allocator, positions, plain.vertexCount);
}

static void viewPutBirth(const brLiveView* view, const brLiveKnown* known, bool hasMesh, uint32_t* last,
						 brByteArray* out)
{
	viewPutNext(out, known->number, last);
	brByteArray_PutCount(out, (uint64_t)known->kind);
	brByteArray_PutCount(out, (uint64_t)known->id.index1);
	brByteArray_PutCount(out, known->id.generation);
	brByteArray_PutCount(out, known->parent);
	brByteArray_PutFloat(out, known->stress);
	if (known->kind == br_liveHungBall)
	{
		brByteArray_PutFloat(out, (float)known->rope.x);
		brByteArray_PutFloat(out, (float)known->rope.y);
		brByteArray_PutFloat(out, (float)known->rope.z);
	}
	brByteArray_PutCount(out, known->mesh);
	brByteArray_PutCount(out, hasMesh ? 1 : 0);
	if (hasMesh)
	{
		viewPutMesh(view, known, out);
	}
	for (int32_t k = 0; k < 7; ++k)
	{
		brByteArray_PutSigned(out, known->pose.steps[k]);
	}
	for (int32_t k = 0; k < 7; ++k)
	{
		brByteArray_PutSigned(out, known->change.steps[k]);
	}
}

static brTransform viewPose(const brLiveView* view, brBodyId id, brDVec3 center)
{
	brTransform pose = brWorld_GetPose(view->world, id);
	return (brTransform){brTransform_Point(pose, center), pose.q};
}

static void viewCount(brLiveView* view, brLiveBodyKind kind, int32_t by)
{
	view->bodyCount += kind != br_liveGround ? by : 0;
	view->pieceCount += kind == br_livePiece ? by : 0;
	view->ballCount += kind == br_liveBall || kind == br_liveHungBall ? by : 0;
}

// What has become of the bodies that are known: gone, moved, or as they were.
static int32_t viewMove(brLiveView* view, int32_t* outGones)
{
	int32_t kept = 0, moved = 0, gone = 0;
	uint32_t lastGone = 0, lastMoved = 0;
	for (int32_t i = 0; i < view->known.count; ++i)
	{
		brLiveKnown known = view->known.data[i];
		if (known.kind != br_liveGround && !brWorld_IsBody(view->world, known.id))
		{
			viewPutNext(&view->gones, known.number, &lastGone);
			viewCount(view, known.kind, -1);
			gone += 1;
			continue;
		}
		brLivePose pose = known.pose;
		if (known.kind != br_liveGround)
		{
			pose = brLivePose_From(viewPose(view, known.id, known.center), view->unit, &known.pose);
		}
		bool isMoved = memcmp(&pose, &known.pose, sizeof(pose)) != 0;
		if (isMoved)
		{
			viewPutNext(&view->moves, known.number, &lastMoved);
			moved += 1;
		}
		for (int32_t k = 0; k < 7; ++k)
		{
			int64_t change = (int64_t)pose.steps[k] - known.pose.steps[k];
			if (isMoved)
			{
				brByteArray_PutSigned(&view->moves, change - known.change.steps[k]);
			}
			known.change.steps[k] = (int32_t)change;
		}
		known.pose = pose;
		view->known.data[kept++] = known;
	}
	view->known.count = kept;
	*outGones = gone;
	return moved;
}

static float viewStress(const brLiveView* view, brBodyId parent)
{
	for (int32_t i = view->breaks.count - 1; i >= 0; --i)
	{
		brBodyId id = view->breaks.data[i].parent;
		if (id.index1 == parent.index1 && id.generation == parent.generation)
		{
			return view->breaks.data[i].stress;
		}
	}
	return 0.0f;
}

static uint32_t viewNumber(const brLiveView* view, brBodyId id)
{
	bool isKnown =
		id.index1 > 0 && id.index1 <= view->slots.count && view->slots.data[id.index1 - 1].generation == id.generation;
	return isKnown ? view->slots.data[id.index1 - 1].number : 0;
}

// What is known of a ball in the world; null for one that no longer is among them.
static const brLiveBall* viewBall(const brLiveView* view, brBodyId id)
{
	for (int32_t i = 0; i < view->balls.count; ++i)
	{
		brBodyId ball = view->balls.data[i].id;
		if (ball.index1 == id.index1 && ball.generation == id.generation)
		{
			return &view->balls.data[i];
		}
	}
	return NULL;
}

// A body of the world as clients will know it; false for those that they do not see.
static bool viewMeet(brLiveView* view, brBodyId id, brLiveKnown* out)
{
	memset(out, 0, sizeof(*out));
	uint64_t userData = brWorld_GetUserData(view->world, id);
	bool isPiece = brWorld_GetGeneration(view->world, id) > 0;
	bool isOfScene = userData > 0 && userData <= (uint64_t)view->scene->bodyCount;
	if (!isPiece && !isOfScene && userData != BR_LIVE_BALL)
	{
		return false; // the ground, or a hook
	}
	brBodyId parent = brWorld_GetParent(view->world, id);
	out->id = id;
	out->kind = isPiece ? br_livePiece : isOfScene ? br_liveBody : br_liveBall;
	const brLiveBall* ball = out->kind == br_liveBall ? viewBall(view, id) : NULL;
	if (ball != NULL && !brBodyId_IsNull(ball->hook))
	{
		out->kind = br_liveHungBall;
		out->rope = ball->rope;
	}
	out->parent = viewNumber(view, parent);
	out->stress = isPiece ? viewStress(view, parent) : 0.0f;
	out->model = out->kind == br_liveBody ? view->scene->bodies[userData - 1].model : -1;
	const brMesh* mesh = viewMesh(view, out);
	if (mesh == NULL)
	{
		return false;
	}
	out->center = brMesh_ComputeMass(mesh, 1.0).center;
	out->pose = brLivePose_From(viewPose(view, id, out->center), view->unit, &out->pose);
	return true;
}

static void viewAdd(brLiveView* view, brLiveKnown known, uint32_t* last)
{
	known.number = ++view->lastNumber;
	known.mesh = known.model >= 0 ? view->modelMeshes[known.model] : 0;
	bool isNew = known.mesh == 0;
	known.mesh = isNew ? ++view->lastMesh : known.mesh;
	if (known.model >= 0)
	{
		view->modelMeshes[known.model] = known.mesh;
	}
	viewPutBirth(view, &known, isNew, last, &view->births);
	viewCount(view, known.kind, 1);
	view->known.data[view->known.count++] = known;
}

// Births in slot order. Room for all is made first, so that a failure leaves nobody half known.
static bool viewMeetAll(brLiveView* view, int32_t* outBirths)
{
	int32_t count = brWorld_GetBodies(view->world, NULL, 0), first = view->known.count;
	view->ids.count = 0;
	bool isReady = BR_RESERVE(&view->allocator, &view->ids, count) &&
				   BR_RESERVE(&view->allocator, &view->known, (int64_t)count + 1);
	if (!isReady)
	{
		return false;
	}
	brWorld_GetBodies(view->world, view->ids.data, count);
	int32_t slotCount = count > 0 ? view->ids.data[count - 1].index1 : 0;
	if (!BR_RESERVE(&view->allocator, &view->slots, slotCount))
	{
		return false;
	}
	while (view->slots.count < slotCount)
	{
		view->slots.data[view->slots.count++] = (brLiveSlot){0, 0};
	}
	uint32_t last = 0;
	if (view->isFresh && view->ground != NULL)
	{
		brLiveKnown ground = {.kind = br_liveGround, .model = -1};
		ground.pose = brLivePose_From(view->groundPose, view->unit, &ground.pose);
		viewAdd(view, ground, &last);
	}
	for (int32_t i = 0; i < count; ++i)
	{
		brLiveKnown known;
		if (viewNumber(view, view->ids.data[i]) == 0 && viewMeet(view, view->ids.data[i], &known))
		{
			viewAdd(view, known, &last);
		}
	}
	// Slots are passed on only now: until here they led to the parents.
	for (int32_t i = first; i < view->known.count; ++i)
	{
		const brLiveKnown* known = &view->known.data[i];
		if (known->id.index1 > 0)
		{
			view->slots.data[known->id.index1 - 1] = (brLiveSlot){known->id.generation, known->number};
		}
	}
	*outBirths = view->known.count - first;
	return true;
}

static void viewAppend(brByteArray* out, int32_t count, brByteArray* list)
{
	brByteArray_PutCount(out, (uint64_t)count);
	brByteArray_Add(out, list->bytes.data, (size_t)list->bytes.count);
	out->failed = out->failed || list->failed;
	list->bytes.count = 0;
	list->failed = false;
}

bool brLiveView_Frame(brLiveView* view, const brLiveNumbers* numbers, brByteArray* out)
{
	int32_t gones = 0, births = 0, moves = viewMove(view, &gones);
	bool isDone = viewMeetAll(view, &births);
	viewPutNumbers(view, numbers, view->isFresh, out);
	viewAppend(out, gones, &view->gones);
	viewAppend(out, births, &view->births);
	viewAppend(out, moves, &view->moves);
	view->isFresh = view->isFresh && !isDone;
	view->breaks.count = 0;
	return isDone && !out->failed;
}

bool brLiveView_Snapshot(brLiveView* view, const brLiveNumbers* numbers, brByteArray* out)
{
	viewPutNumbers(view, numbers, true, out);
	brByteArray_PutCount(out, 0);
	// Bodies that have gone since the last frame are left out; that they go is then said of nobody.
	int32_t count = 0;
	for (int32_t i = 0; i < view->known.count; ++i)
	{
		count += viewMesh(view, &view->known.data[i]) != NULL;
	}
	brByteArray_PutCount(out, (uint64_t)count);
	memset(view->modelMarks, 0, (size_t)view->scene->modelCount);
	uint32_t last = 0;
	for (int32_t i = 0; i < view->known.count; ++i)
	{
		const brLiveKnown* known = &view->known.data[i];
		if (viewMesh(view, known) == NULL)
		{
			continue;
		}
		// A model may have had another mesh before; bodies that still show it send their own.
		bool isShared = known->model >= 0 && view->modelMeshes[known->model] == known->mesh;
		bool isFirst = !isShared || view->modelMarks[known->model] == 0;
		if (isShared)
		{
			view->modelMarks[known->model] = 1;
		}
		viewPutBirth(view, known, isFirst, &last, out);
	}
	brByteArray_PutCount(out, 0);
	return !out->failed;
}

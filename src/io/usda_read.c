// SPDX-License-Identifier: MIT

// Reading USD as text: every Mesh prim that is shown becomes a part, its transforms multiplied out, each mesh read once
// however often it is referenced or inherited within the file.
//
// Lengths come out in metres where the file says what its unit is; axes stay as they are (brGuessMeshFrame tells which
// is up). Motion is kept where it is rigid. Subdivision, skeletons, point instancers, curves and the built-in shapes are
// not read, references to other files not followed; a remark says so. Files that a layer is laid over are
// (usda_sublayers.c).

#include "io/usda_layer.h"
#include "io/usda_motion.h"
#include "math/rotation.h"

#include <stdio.h>
#include <string.h>

// Prims below prims, references followed.
#define USDA_MOST_NESTED 64
// A part costs about as much as so many characters of the file; a file may unfold into this many times its own size.
#define USDA_PART_COST 64
#define USDA_UNFOLDING 64
// A motion is rigid if no axis of the pose is off unit length, or off square with another, by more than this. Samples
// are often written with six digits. [1]
#define USDA_RIGID 1e-4

typedef struct UsdaReader
{
	brUsdaLayer layer;
	brAssembly* assembly;
	int32_t* meshSlots; // [prims.count] of the assembly, -1: not read yet, -2: no faces
	int64_t budget;
	double unit;         // metres
	int32_t otherShapes; // prims that show something and are no Mesh
	int32_t bentMotions;
} UsdaReader;

static brResult usdaSpend(UsdaReader* reader, int64_t amount)
{
	reader->budget -= amount;
	return reader->budget >= 0
			   ? br_success
			   : brFail(reader->layer.job->report, br_errorLimit,
						"%.100s: the file unfolds into far more than it holds", reader->layer.job->name);
}

// A prim that adds nothing to the shape of another: the mesh is that one's.
static int32_t usdaShapeOwner(const UsdaReader* reader, const brUsdaNode* node)
{
	for (int32_t i = 0; i + 1 < node->count; ++i)
	{
		const brUsdaPrim* prim = &reader->layer.prims.data[node->prims[i]];
		bool isBare = prim->firstChild < 0;
		for (int32_t f = prim->firstField; f >= 0 && isBare; f = reader->layer.fields.data[f].next)
		{
			brUsdaText name = reader->layer.fields.data[f].name;
			isBare = (name.length >= 7 && memcmp(name.at, "xformOp", 7) == 0) || brUsdaText_Is(name, "visibility");
		}
		if (!isBare)
		{
			return node->prims[i];
		}
	}
	return node->prims[node->count - 1];
}

static brResult usdaUseMesh(UsdaReader* reader, const brUsdaNode* node, int32_t binding, int32_t* outSlot)
{
	// A material from above belongs to this place only.
	bool isOwn = binding < 0 || brUsda_Binding(&reader->layer, node, -1) >= 0;
	int32_t owner = isOwn ? usdaShapeOwner(reader, node) : node->prims[0];
	int32_t* slot = &reader->meshSlots[owner];
	if (*slot == -1)
	{
		const brReadJob* job = reader->layer.job;
		const brUsdaPrim* prim = &reader->layer.prims.data[owner];
		brResult result = brCheckCancel(job, (size_t)(prim->name.at - (const char*)job->bytes));
		brMesh* mesh = NULL;
		if (result >= 0)
		{
			result = brUsda_Mesh(&reader->layer, node, binding, &mesh);
		}
		if (result >= 0 && mesh != NULL)
		{
			result = usdaSpend(reader, mesh->cornerCount);
		}
		if (result < 0)
		{
			brDestroyMesh(mesh);
			return result;
		}
		*slot = mesh != NULL ? brAssembly_AddMesh(reader->assembly, mesh) : -2;
		if (*slot == -1)
		{
			brDestroyMesh(mesh);
			return brFailMemory(job->report);
		}
	}
	*outSlot = *slot;
	return br_success;
}

// Motion

// The rigid motion that takes one placement to another; false if there is none.
static bool usdaPoseBetween(const brAffine* from, const brAffine* to, brTransform* outPose)
{
	brAffine back = brUsda_Inverse(from);
	brMat3 turn = brMat3_Mul(&to->m, &back.m);
	double off = fmax(fabs(brDDot(turn.cx, turn.cx) - 1.0), fabs(brDDot(turn.cy, turn.cy) - 1.0));
	off = fmax(off, fmax(fabs(brDDot(turn.cz, turn.cz) - 1.0), fabs(brDDot(turn.cx, turn.cy))));
	off = fmax(off, fmax(fabs(brDDot(turn.cx, turn.cz)), fabs(brDDot(turn.cy, turn.cz))));
	if (!(off < USDA_RIGID) || !(brMat3_Determinant(&turn) > 0.0))
	{
		return false;
	}
	outPose->q = brMakeQuatFromMat3(&turn);
	outPose->p = brDSub(to->p, brQuat_Rotate(outPose->q, from->p));
	return brDIsFinite(outPose->p);
}

static brAffine usdaWorldAt(const UsdaReader* reader, const brUsdaPlace* place, double time)
{
	brAffine map = brUsdaPlace_At(place, time);
	if (reader->unit != 1.0)
	{
		double s = reader->unit;
		map.m.cx = brDMul(s, map.m.cx), map.m.cy = brDMul(s, map.m.cy), map.m.cz = brDMul(s, map.m.cz);
		map.p = brDMul(s, map.p);
	}
	return map;
}

static brResult usdaMove(UsdaReader* reader, int32_t part, const brUsdaPlace* place, const brUsdaDoubles* times)
{
	const brReadJob* job = reader->layer.job;
	brResult result = usdaSpend(reader, times->count * brUsdaPlace_Cost(place));
	if (result < 0)
	{
		return result;
	}
	brMotionKey* keys = BR_ALLOC(&job->allocator, brMotionKey, times->count);
	brAffine first = reader->assembly->parts[part].placement;
	bool isRigid = keys != NULL;
	for (int32_t k = 0; k < times->count && isRigid; ++k)
	{
		brAffine map = usdaWorldAt(reader, place, times->data[k]);
		keys[k].time = times->data[k] / reader->layer.timeCodesPerSecond;
		isRigid = usdaPoseBetween(&first, &map, &keys[k].pose) && (k == 0 || keys[k].time > keys[k - 1].time);
	}
	reader->bentMotions += keys != NULL && !isRigid;
	bool complete = keys != NULL && (!isRigid || brAssembly_SetMotion(reader->assembly, part, keys, times->count));
	BR_FREE(&job->allocator, keys, times->count);
	return complete ? br_success : brFailMemory(job->report);
}

// Parts

// After the Xform that holds nothing else, or after the mesh itself.
static void usdaNamePart(const UsdaReader* reader, int32_t prim, char name[64])
{
	const brUsdaPrim* prims = reader->layer.prims.data;
	int32_t parent = prims[prim].parent;
	bool isAlone = parent >= 0 && prims[parent].firstChild == prim && prims[prim].next < 0;
	brUsdaPrim_CopyName(&prims[isAlone ? parent : prim], name, 64);
}

static brResult usdaAddPart(UsdaReader* reader, const brUsdaNode* node, const brUsdaPlace* place, int32_t binding)
{
	const brReadJob* job = reader->layer.job;
	int32_t slot = -2;
	brResult result = usdaUseMesh(reader, node, binding, &slot);
	if (result >= 0)
	{
		result = usdaSpend(reader, USDA_PART_COST);
	}
	if (result < 0 || slot < 0)
	{
		return result;
	}
	brUsdaDoubles times = {0};
	if (place->isMoving && !brUsdaPlace_Times(place, &job->allocator, &times))
	{
		BR_FREE_ARRAY(&job->allocator, &times);
		return brFailMemory(job->report);
	}
	brPart part = brDefaultPart();
	part.mesh = slot;
	part.placement = usdaWorldAt(reader, place, times.count > 0 ? times.data[0] : 0.0);
	part.bornTime = place->bornTime / reader->layer.timeCodesPerSecond;
	part.goneTime = place->goneTime / reader->layer.timeCodesPerSecond;
	usdaNamePart(reader, node->prims[0], part.name);
	const brMat3* m = &part.placement.m;
	if (!brDIsFinite(m->cx) || !brDIsFinite(m->cy) || !brDIsFinite(m->cz) || !brDIsFinite(part.placement.p))
	{
		result = brFail(job->report, br_errorGeometry, "%.100s: '%.63s' is placed beyond the range of numbers",
						job->name, part.name);
	}
	int32_t number = result >= 0 ? brAssembly_AddPart(reader->assembly, NULL, &part) : -1;
	if (result >= 0)
	{
		result = number >= 0 ? br_success : brFailMemory(job->report);
	}
	if (result >= 0 && times.count > 0)
	{
		result = usdaMove(reader, number, place, &times);
	}
	BR_FREE_ARRAY(&job->allocator, &times);
	return result;
}

// What is neither a group nor a Mesh: passed over with all below it, and counted if it would be seen.
static bool usdaIsOther(UsdaReader* reader, brUsdaText type)
{
	static const char* const groups[] = {"Xform", "Scope", "SkelRoot", "Mesh"};
	static const char* const shapes[] = {"Cube",           "Sphere",      "Cylinder",    "Cone",
										 "Capsule",        "Plane",       "BasisCurves", "NurbsPatch",
										 "PointInstancer", "NurbsCurves", "Points",      "TetMesh"};
	if (type.at == NULL)
	{
		return false;
	}
	for (int32_t i = 0; i < BR_COUNT(groups); ++i)
	{
		if (brUsdaText_Is(type, groups[i]))
		{
			return false;
		}
	}
	for (int32_t i = 0; i < BR_COUNT(shapes); ++i)
	{
		reader->otherShapes += brUsdaText_Is(type, shapes[i]);
	}
	return true;
}

static bool usdaIsLeftOut(const UsdaReader* reader, const brUsdaNode* node)
{
	const brUsdaLayer* layer = &reader->layer;
	bool isOver = true, isOff = false;
	for (int32_t i = 0; i < node->count; ++i)
	{
		isOver = isOver && layer->prims.data[node->prims[i]].isOver;
		isOff = isOff || layer->prims.data[node->prims[i]].isOff;
	}
	brUsdaText purpose = brUsdaText_Unquote(brUsdaNode_Value(node, layer, "purpose"));
	return isOver || isOff || layer->prims.data[node->prims[0]].isClass || brUsdaText_Is(purpose, "guide") ||
		   brUsdaText_Is(purpose, "proxy");
}

static brResult usdaVisit(UsdaReader* reader, const brUsdaNode* node, const brUsdaPlace* above, int32_t binding,
						  int32_t depth)
{
	brUsdaLayer* layer = &reader->layer;
	brUsdaText type = brUsdaNode_Type(node, layer);
	if (node->count == 0 || usdaIsLeftOut(reader, node) || usdaIsOther(reader, type))
	{
		return br_success;
	}
	if (depth > USDA_MOST_NESTED)
	{
		return brUsda_Fail(layer, layer->prims.data[node->prims[0]].name.at, "prims nest too deep, or in a circle");
	}
	brResult result = usdaSpend(reader, 1);
	brUsdaPlace place;
	if (result < 0)
	{
		return result;
	}
	result = brUsdaPlace_Read(&place, above, layer, node);
	int32_t own = brUsda_Binding(layer, node, binding);
	bool isHidden = place.bornTime == INFINITY;
	if (result >= 0 && !isHidden && brUsdaText_Is(type, "Mesh"))
	{
		result = usdaAddPart(reader, node, &place, binding);
	}
	int32_t source = 0, child = -1;
	while (result >= 0 && !isHidden && brUsdaNode_NextChild(node, layer, &source, &child))
	{
		brUsdaNode next = brUsdaNode_Child(node, layer, layer->prims.data[child].name);
		result = usdaVisit(reader, &next, &place, own, depth + 1);
	}
	brUsdaPlace_Free(&place, &layer->job->allocator);
	return result;
}

static brResult usdaRemarkRead(const UsdaReader* reader)
{
	const brUsdaLayer* layer = &reader->layer;
	const struct
	{
		int64_t count;
		const char* what;
	} remarks[] = {
		{layer->skippedFaces, "faces with fewer than three corners skipped"},
		{layer->outsideArcs, "references to other files not followed"},
		{reader->otherShapes, "shapes that are no Mesh left out"},
		{reader->bentMotions, "motions that are not rigid left out"},
		{layer->oddPrimvars, "attributes of a wrong length left out"},
		{layer->oddValues, "numbers of attributes that are not finite became 0"},
	};
	char text[400] = "";
	size_t used = 0;
	for (int32_t i = 0; i < BR_COUNT(remarks); ++i)
	{
		if (remarks[i].count > 0)
		{
			used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%lld %s", used > 0 ? "; " : "",
									 (long long)remarks[i].count, remarks[i].what);
		}
	}
	return used > 0 ? brFail(layer->job->report, br_remarkDropped, "%.100s: %s", layer->job->name, text) : br_success;
}

// Opens the layer again with what it is laid over, if that is there and no prim is in both. `joined` is the text of
// both.
static brResult usdaOpenJoined(UsdaReader* reader, brReadJob* joined)
{
	const brReadJob* job = reader->layer.job;
	uint8_t* bytes = NULL;
	size_t byteCount = 0;
	int32_t left = 0;
	brResult result = brUsda_JoinSubLayers(&reader->layer, &bytes, &byteCount, &left);
	if (result < 0)
	{
		return result;
	}
	*joined = *job;
	joined->bytes = bytes;
	joined->byteCount = byteCount;
	brUsda_Close(&reader->layer);
	result = brUsda_Open(&reader->layer, joined);
	if (result >= 0 && brUsda_HasTwins(&reader->layer))
	{
		brUsda_Close(&reader->layer);
		result = brUsda_Open(&reader->layer, job);
		left += 1;
	}
	reader->layer.outsideArcs += left;
	return result;
}

brResult brReadUsda(const brReadJob* job, brAssembly* assembly)
{
	UsdaReader reader = {.assembly = assembly};
	brReadJob joined = {0};
	brResult result = brUsda_Open(&reader.layer, job);
	if (result >= 0 && reader.layer.subLayers.at != NULL && memcmp(job->bytes, "#usda", 5) == 0)
	{
		result = usdaOpenJoined(&reader, &joined);
	}
	if (result >= 0)
	{
		const brUsdaLayer* layer = &reader.layer;
		reader.unit = layer->metersPerUnit > 0.0 ? layer->metersPerUnit : 1.0;
		reader.budget = USDA_UNFOLDING * ((int64_t)layer->job->byteCount + USDA_PART_COST);
		reader.meshSlots = BR_ALLOC(&job->allocator, int32_t, layer->prims.count);
		result = reader.meshSlots != NULL || layer->prims.count == 0 ? br_success : brFailMemory(job->report);
		for (int32_t i = 0; i < layer->prims.count && result >= 0; ++i)
		{
			reader.meshSlots[i] = -1;
		}
		for (int32_t root = layer->firstRoot; root >= 0 && result >= 0; root = layer->prims.data[root].next)
		{
			brUsdaNode node = {.count = 0};
			brUsdaNode_Add(&node, layer, root);
			result = usdaVisit(&reader, &node, NULL, -1, 0);
		}
		BR_FREE(&job->allocator, reader.meshSlots, layer->prims.count);
	}
	if (result >= 0)
	{
		result = usdaRemarkRead(&reader);
	}
	brUsda_Close(&reader.layer);
	if (joined.bytes != NULL)
	{
		brFree(&job->allocator, (void*)(uintptr_t)joined.bytes, joined.byteCount + 1);
	}
	return result;
}

// SPDX-License-Identifier: MIT

// Bodies of a scene, and the copies that `repeat` makes of them.

#include "scene/scene_reader.h"

#include "base/random.h"
#include "brittle/cut.h"

#include <stdio.h>
#include <string.h>

#define BODY_TWIN 1e-6 // of its size: solids that differ by less at all vertices are one

typedef struct BodyInput
{
	const char* name;
	const brDocNode* model;
	const brDocNode* material;
	const brDocNode* color;
	const brDocNode* rotation;
	const brDocNode* scale;
	const brDocNode* fracture;
	const brDocNode* repeat;
	brDVec3 position, velocity, spin;
	double mass, linearDamping, angularDamping, gravityScale, time;
	int32_t kind;
	int32_t shape;
	int32_t on;    // 1: the position's z is the way from the ground to the lowest point
	bool separate; // solids of the model that do not touch are bodies of their own
} BodyInput;

static const char* const bodyKinds[] = {"static", "kinematic", "dynamic", NULL};
static const char* const bodyShapes[] = {"auto", "box", "sphere", "hull", "mesh", "surface", NULL};

static const char* const bodyPlaces[] = {"none", "floor", NULL};

static const brField bodyFields[] = {
	{"name", br_fieldText, offsetof(BodyInput, name), 0, 0, false, NULL},
	{"model", br_fieldNode, offsetof(BodyInput, model), 0, 0, false, NULL},
	{"material", br_fieldNode, offsetof(BodyInput, material), 0, 0, false, NULL},
	{"color", br_fieldNode, offsetof(BodyInput, color), 0, 0, false, NULL},
	{"position", br_fieldVector, offsetof(BodyInput, position), 0, 0, false, NULL},
	{"rotation", br_fieldNode, offsetof(BodyInput, rotation), 0, 0, false, NULL},
	{"scale", br_fieldNode, offsetof(BodyInput, scale), 0, 0, false, NULL},
	{"velocity", br_fieldVector, offsetof(BodyInput, velocity), 0, 0, false, NULL},
	{"spin", br_fieldVector, offsetof(BodyInput, spin), 0, 0, false, NULL},
	{"mass", br_fieldNumber, offsetof(BodyInput, mass), 0.0, 1e12, true, NULL},
	{"kind", br_fieldChoice, offsetof(BodyInput, kind), 0, 0, false, bodyKinds},
	{"shape", br_fieldChoice, offsetof(BodyInput, shape), 0, 0, false, bodyShapes},
	{"separate", br_fieldBool, offsetof(BodyInput, separate), 0, 0, false, NULL},
	{"on", br_fieldChoice, offsetof(BodyInput, on), 0, 0, false, bodyPlaces},
	{"fracture", br_fieldNode, offsetof(BodyInput, fracture), 0, 0, false, NULL},
	{"linear_damping", br_fieldNumber, offsetof(BodyInput, linearDamping), 0.0, 1e6, false, NULL},
	{"angular_damping", br_fieldNumber, offsetof(BodyInput, angularDamping), 0.0, 1e6, false, NULL},
	{"gravity_scale", br_fieldNumber, offsetof(BodyInput, gravityScale), -1e6, 1e6, false, NULL},
	{"at", br_fieldNumber, offsetof(BodyInput, time), 0.0, 1e6, false, NULL},
	{"repeat", br_fieldNode, offsetof(BodyInput, repeat), 0, 0, false, NULL},
};

brResult brSceneReader_Rotation(brSceneReader* reader, const brDocNode* node, brQuat* outRotation)
{
	typedef struct Turn
	{
		brDVec3 axis;
		double degrees;
	} Turn;
	static const brField fields[] = {
		{"axis", br_fieldVector, offsetof(Turn, axis), 0, 0, false, NULL},
		{"degrees", br_fieldNumber, offsetof(Turn, degrees), -1e6, 1e6, false, NULL},
	};
	const double degree = BR_PI / 180.0;
	if (node->kind == br_docMap)
	{
		Turn turn = {{0.0, 0.0, 1.0}, 0.0};
		brResult result = BR_READ_MAP(reader, node, "rotation", fields, &turn);
		if (result >= 0 && !(brDLength(turn.axis) > 0.0))
		{
			return sceneFail(reader, node, "the axis of a rotation has a length");
		}
		*outRotation = brMakeQuatAxisAngle(brDNormalize(turn.axis), turn.degrees * degree);
		return result;
	}
	brDVec3 angles;
	brResult result = brDoc_ReadVector(&reader->document, node, "rotation", &angles, reader->report);
	if (result >= 0)
	{
		brQuat x = brMakeQuatAxisAngle(brMakeDVec3(1.0, 0.0, 0.0), angles.x * degree);
		brQuat y = brMakeQuatAxisAngle(brMakeDVec3(0.0, 1.0, 0.0), angles.y * degree);
		brQuat z = brMakeQuatAxisAngle(brMakeDVec3(0.0, 0.0, 1.0), angles.z * degree);
		*outRotation = brQuat_Normalize(brQuat_Mul(z, brQuat_Mul(y, x)));
	}
	return result;
}

// Repeats

typedef struct RepeatInput
{
	const brDocNode* grid;
	const brDocNode* box;
	int32_t ring, stack, scatter;
	brDVec3 spacing;
	double stagger, radius, start, rise, delay, jitter, turnJitter;
	int32_t layers;
	bool turn;
	uint64_t seed;
	brDBox3 area;
	double counts[3];
} RepeatInput;

static const brField repeatFields[] = {
	{"grid", br_fieldNode, offsetof(RepeatInput, grid), 0, 0, false, NULL},
	{"stack", br_fieldInteger, offsetof(RepeatInput, stack), 1, 2e9, false, NULL},
	{"ring", br_fieldInteger, offsetof(RepeatInput, ring), 1, 2e9, false, NULL},
	{"scatter", br_fieldInteger, offsetof(RepeatInput, scatter), 1, 2e9, false, NULL},
	{"spacing", br_fieldVector, offsetof(RepeatInput, spacing), 0, 0, false, NULL},
	{"stagger", br_fieldNumber, offsetof(RepeatInput, stagger), -1.0, 1.0, false, NULL},
	{"radius", br_fieldNumber, offsetof(RepeatInput, radius), 0.0, 1e6, false, NULL},
	{"start", br_fieldNumber, offsetof(RepeatInput, start), -1e6, 1e6, false, NULL},
	{"layers", br_fieldInteger, offsetof(RepeatInput, layers), 1, 2e9, false, NULL},
	{"rise", br_fieldNumber, offsetof(RepeatInput, rise), -1e6, 1e6, false, NULL},
	{"turn", br_fieldBool, offsetof(RepeatInput, turn), 0, 0, false, NULL},
	{"box", br_fieldNode, offsetof(RepeatInput, box), 0, 0, false, NULL},
	{"jitter", br_fieldNumber, offsetof(RepeatInput, jitter), 0.0, 1e6, false, NULL},
	{"turn_jitter", br_fieldNumber, offsetof(RepeatInput, turnJitter), 0.0, 360.0, false, NULL},
	{"delay", br_fieldNumber, offsetof(RepeatInput, delay), 0.0, 1e6, false, NULL},
	{"seed", br_fieldSeed, offsetof(RepeatInput, seed), 0, 9e15, false, NULL},
};

// How many copies, after checking that the kinds of repeat are not mixed.
static brResult repeatCount(brSceneReader* reader, const brDocNode* node, RepeatInput* repeat, double* outCount)
{
	int32_t kinds = (repeat->grid != NULL) + (repeat->stack > 0) + (repeat->ring > 0) + (repeat->scatter > 0);
	if (kinds != 1)
	{
		return sceneFail(reader, node, "repeat has one of grid, stack, ring and scatter");
	}
	brResult result = br_success;
	if (repeat->grid != NULL)
	{
		result = brDoc_ReadNumbers(&reader->document, repeat->grid, "grid", repeat->counts, 3, reader->report);
		for (int32_t i = 0; i < 3 && result >= 0; ++i)
		{
			if (!(repeat->counts[i] >= 1.0) || repeat->counts[i] != floor(repeat->counts[i]))
			{
				return sceneFail(reader, repeat->grid, "grid is three whole numbers of at least 1");
			}
		}
		*outCount = repeat->counts[0] * repeat->counts[1] * repeat->counts[2];
	}
	else if (repeat->stack > 0)
	{
		repeat->counts[0] = repeat->counts[1] = 1.0;
		repeat->counts[2] = *outCount = repeat->stack;
	}
	else
	{
		*outCount = repeat->ring > 0 ? (double)repeat->ring * repeat->layers : repeat->scatter;
	}
	if (result >= 0 && repeat->scatter > 0)
	{
		result = repeat->box != NULL
					 ? brSceneReader_Box(reader, repeat->box, "box", &repeat->area)
					 : sceneFail(reader, node, "scatter has a box of two corners, [[x, y, z], [x, y, z]]");
	}
	return result;
}

// Copies of a grid or a stack in one place are a mistake: a thousand would meet each other for minutes. With a delay they
// come one after the other.
static bool repeatIsSpread(const RepeatInput* repeat)
{
	const double spacings[3] = {repeat->spacing.x, repeat->spacing.y, repeat->spacing.z};
	bool isSpread = true;
	for (int32_t i = 0; i < 3; ++i)
	{
		isSpread = isSpread && (!(repeat->counts[i] > 1.0) || spacings[i] != 0.0);
	}
	return isSpread || repeat->jitter > 0.0 || repeat->delay > 0.0;
}

// A turn drawn evenly from all turns (Shoemake 1992), or about a random axis by up to an angle.
static brQuat repeatRandomTurn(brRandom* random, double degrees)
{
	if (degrees >= 360.0)
	{
		double u = brRandom_Unit(random), a = 2.0 * BR_PI * brRandom_Unit(random),
			   b = 2.0 * BR_PI * brRandom_Unit(random);
		double r = sqrt(1.0 - u), s = sqrt(u);
		return (brQuat){r * brSin(a), r * brCos(a), s * brSin(b), s * brCos(b)};
	}
	double z = brRandom_Range(random, -1.0, 1.0), angle = 2.0 * BR_PI * brRandom_Unit(random);
	double r = sqrt(1.0 - z * z);
	brDVec3 axis = {r * brCos(angle), r * brSin(angle), z};
	return brMakeQuatAxisAngle(axis, brRandom_Range(random, -1.0, 1.0) * degrees * BR_PI / 180.0);
}

// Where copy `index` is, relative to the entry's own position and turn.
static brTransform repeatPlace(const RepeatInput* repeat, int32_t index, uint64_t seed)
{
	brTransform place = brMakeTransformIdentity();
	brRandom random = brMakeRandom(seed ^ (repeat->seed * 0x9e3779b97f4a7c15u), (uint64_t)index);
	if (repeat->ring > 0)
	{
		int32_t layer = index / repeat->ring, slot = index % repeat->ring;
		double turn =
			2.0 * BR_PI * (slot + repeat->stagger * (layer & 1)) / repeat->ring + repeat->start * BR_PI / 180.0;
		place.p = brMakeDVec3(repeat->radius * brCos(turn), repeat->radius * brSin(turn), repeat->rise * layer);
		place.q = repeat->turn ? brMakeQuatAxisAngle(brMakeDVec3(0.0, 0.0, 1.0), turn) : place.q;
	}
	else if (repeat->scatter > 0)
	{
		double x = brRandom_Range(&random, repeat->area.lower.x, repeat->area.upper.x);
		double y = brRandom_Range(&random, repeat->area.lower.y, repeat->area.upper.y);
		double z = brRandom_Range(&random, repeat->area.lower.z, repeat->area.upper.z);
		place.p = brMakeDVec3(x, y, z);
		place.q = repeat->turn ? repeatRandomTurn(&random, 360.0) : place.q;
	}
	else
	{
		int32_t nx = (int32_t)repeat->counts[0], ny = (int32_t)repeat->counts[1];
		int32_t ix = index % nx, iy = index / nx % ny, iz = index / (nx * ny);
		// Rows are centered on the entry's position; layers rise from it. Odd layers are shifted by `stagger`.
		double x = ix - 0.5 * (nx - 1) + repeat->stagger * (iz & 1), y = iy - 0.5 * (ny - 1);
		place.p = brMakeDVec3(x * repeat->spacing.x, y * repeat->spacing.y, iz * repeat->spacing.z);
	}
	if (repeat->jitter > 0.0)
	{
		double x = brRandom_Range(&random, -1.0, 1.0), y = brRandom_Range(&random, -1.0, 1.0);
		double z = brRandom_Range(&random, -1.0, 1.0);
		place.p = brDMulAdd(place.p, repeat->jitter, brMakeDVec3(x, y, z));
	}
	if (repeat->turnJitter > 0.0)
	{
		place.q = brQuat_Mul(place.q, repeatRandomTurn(&random, repeat->turnJitter));
	}
	return place;
}

// How far the lowest point of a turned mesh is above its origin.
static double bodyLowest(const brMesh* mesh, brQuat turn)
{
	double lowest = INFINITY;
	for (int32_t v = 0; v < mesh->vertexCount; ++v)
	{
		lowest = fmin(lowest, brQuat_Rotate(turn, mesh->positions[v]).z);
	}
	return lowest;
}

// All copies of a body. `whole`: what stands on the floor. `shift`: of the body against its model.
static brResult bodyAppend(brSceneReader* reader, const BodyInput* input, const RepeatInput* repeat, int32_t count,
						   const brMesh* whole, brDVec3 shift, const brSceneBody* pattern)
{
	const brSceneModel* model = &reader->models.data[pattern->model];
	if (!BR_RESERVE(&reader->allocator, &reader->bodies, count))
	{
		return brFailMemory(reader->report);
	}
	for (int32_t i = 0; i < count; ++i)
	{
		brSceneBody body = *pattern;
		if (count > 1)
		{
			snprintf(body.name, sizeof(body.name), "%.50s_%d", input->name, (int)i);
		}
		if (repeat != NULL)
		{
			// The copy's own place is in the world's directions; what a ring or a scatter turns, turns velocities too.
			brTransform place = repeatPlace(repeat, i, reader->scene->seed + (uint64_t)pattern->entry);
			body.pose.p = brDAdd(pattern->pose.p, place.p);
			body.pose.q = brQuat_Normalize(brQuat_Mul(place.q, pattern->pose.q));
			if (repeat->ring > 0 && repeat->turn)
			{
				body.velocity = brQuat_Rotate(place.q, body.velocity);
				body.spin = brQuat_Rotate(place.q, body.spin);
			}
			body.time += repeat->delay * i;
		}
		// The model's axes are the user's; the body's may be moved to the middle of a box or ball.
		double height = body.pose.p.z;
		body.pose.p = brDSub(body.pose.p, brQuat_Rotate(body.pose.q, model->origin));
		if (input->on == 1)
		{
			body.pose.p.z = reader->scene->groundHeight + height - bodyLowest(whole, body.pose.q);
		}
		body.pose.p = brDAdd(body.pose.p, brQuat_Rotate(body.pose.q, shift));
		reader->bodies.data[reader->bodies.count++] = body;
	}
	return br_success;
}

brResult brSceneReader_Body(brSceneReader* reader, const brDocNode* node, double time)
{
	brSceneGiven given = {.kind = br_bodyDynamic, .pose = brMakeTransformIdentity(), .gravityScale = 1.0, .time = time};
	return brSceneReader_GivenBody(reader, node, &given);
}

static BodyInput bodyInputOf(const brSceneGiven* given)
{
	BodyInput input;
	memset(&input, 0, sizeof(input));
	input.name = given->name;
	input.kind = (int32_t)given->kind;
	input.shape = (int32_t)given->shape;
	input.position = given->pose.p;
	input.velocity = given->velocity;
	input.spin = given->spin;
	input.mass = given->mass;
	input.gravityScale = given->gravityScale;
	input.time = given->time;
	return input;
}

// How often, and where; once without a repeat.
static brResult bodyReadRepeat(brSceneReader* reader, const brDocNode* node, const BodyInput* input,
							   RepeatInput* outRepeat, int32_t* outCount)
{
	memset(outRepeat, 0, sizeof(*outRepeat));
	outRepeat->layers = 1;
	outRepeat->turn = true;
	double count = 1.0;
	if (input->repeat != NULL)
	{
		brResult result = BR_READ_MAP(reader, input->repeat, "repeat", repeatFields, outRepeat);
		result = result < 0 ? result : repeatCount(reader, input->repeat, outRepeat, &count);
		if (result < 0)
		{
			return result;
		}
	}
	if (count + reader->bodies.count > BR_SCENE_MAX_BODIES)
	{
		return sceneFail(reader, input->repeat != NULL ? input->repeat : node,
						 "a scene has at most %d bodies, with these it would have %.0f", BR_SCENE_MAX_BODIES,
						 count + reader->bodies.count);
	}
	if (!repeatIsSpread(outRepeat))
	{
		return sceneFail(reader, input->repeat, "all copies are in one place: give a spacing");
	}
	*outCount = (int32_t)count;
	return br_success;
}

static brResult bodyReadModel(brSceneReader* reader, const brDocNode* node, const BodyInput* input, brSceneGiven* given,
							  brSceneModelDef* def)
{
	memset(def, 0, sizeof(*def));
	def->model = input->model;
	def->color = input->color;
	def->fracture = input->fracture;
	def->shape = (brSceneShape)input->shape;
	def->isStatic = input->kind != br_bodyDynamic;
	def->scale = brMakeDVec3(1.0, 1.0, 1.0);
	def->given = given;
	def->material = brDefaultSceneMaterial();
	brResult result =
		input->material != NULL ? brSceneReader_Material(reader, input->material, &def->material) : br_success;
	if (result >= 0 && def->shape == br_sceneShapeSurface && input->kind != br_bodyStatic)
	{
		return sceneFail(reader, node, "the shape surface is for static bodies");
	}
	if (given->friction >= 0.0 && given->hasContact)
	{
		def->material.physics.friction = given->friction;
		def->material.physics.restitution = given->restitution;
	}
	return result < 0 || input->scale == NULL ? result : brSceneReader_Scale(reader, input->scale, &def->scale);
}

static brMesh* bodyTakePart(brCutResult* parts, int32_t index)
{
	brCutPiece* part = &parts->pieces[index];
	brMesh* mesh = part->mesh;
	BR_FREE(&parts->allocator, part->faceParents, mesh->faceCount);
	BR_FREE(&parts->allocator, part->faceCutters, mesh->faceCount);
	BR_FREE(&parts->allocator, part->faceKinds, mesh->faceCount);
	part->mesh = NULL; // else the result would free them again
	return mesh;
}

// Whether `b` is `a` at another place, but for roundings: bolts, tiles, cubes of a wall.
static bool bodyIsTwin(const brMesh* a, const brMesh* b, double tolerance)
{
	bool isTwin = a->vertexCount == b->vertexCount && a->faceCount == b->faceCount && a->cornerCount == b->cornerCount;
	brDVec3 shift = isTwin ? brDSub(b->positions[0], a->positions[0]) : brMakeDVec3(0.0, 0.0, 0.0);
	for (int32_t v = 1; v < a->vertexCount && isTwin; ++v)
	{
		isTwin = brDDistance(b->positions[v], brDAdd(a->positions[v], shift)) <= tolerance;
	}
	size_t faces = (size_t)a->faceCount * sizeof(int32_t), corners = (size_t)a->cornerCount * sizeof(int32_t);
	isTwin = isTwin && memcmp(a->faceStarts, b->faceStarts, faces) == 0 && memcmp(a->corners, b->corners, corners) == 0;
	isTwin = isTwin && (a->uvs == NULL || memcmp(a->uvs, b->uvs, 2 * corners) == 0);
	return isTwin && (a->faceMaterials == NULL || memcmp(a->faceMaterials, b->faceMaterials, faces) == 0);
}

// The first part that each one is a twin of, itself if there is none before it. Twins share a model, and all that is
// worked out for it.
static void bodyFindTwins(const brCutResult* parts, int32_t* twins)
{
	for (int32_t i = 0; i < parts->pieceCount; ++i)
	{
		brDBox3 box = brMesh_ComputeBounds(parts->pieces[i].mesh);
		double tolerance = BODY_TWIN * brDDistance(box.lower, box.upper);
		for (twins[i] = 0; twins[i] < i; ++twins[i])
		{
			int32_t k = twins[i];
			if (twins[k] == k && bodyIsTwin(parts->pieces[k].mesh, parts->pieces[i].mesh, tolerance))
			{
				break;
			}
		}
	}
}

// A body for each solid of the model that touches no other, with the cavities inside it.
static brResult bodyAppendParts(brSceneReader* reader, const brDocNode* node, BodyInput* input,
								const RepeatInput* repeat, int32_t count, brSceneModelDef* def, brSceneBody* pattern)
{
	brMesh* whole = NULL;
	brCutResult* parts = NULL;
	brReport inner = {0};
	def->outMesh = &whole;
	brResult result = brSceneReader_Model(reader, node, def, NULL);
	if (result >= 0 && brSeparateMesh(reader->context, whole, &parts, &inner) < 0)
	{
		result = sceneFail(reader, node, "%s", inner.text);
	}
	double volume = result < 0 ? 0.0 : brMesh_ComputeMass(whole, 1.0).volume, mass = pattern->mass;
	if (result >= 0 && (double)parts->pieceCount * count + reader->bodies.count > BR_SCENE_MAX_BODIES)
	{
		result = sceneFail(reader, node, "a scene has at most %d bodies; this model has %d parts that do not touch",
						   BR_SCENE_MAX_BODIES, parts->pieceCount);
	}
	const char* name = input->name;
	def->given->name = name;
	def->outMesh = NULL, def->model = NULL, def->scale = brMakeDVec3(1.0, 1.0, 1.0);
	int32_t partCount = result < 0 ? 0 : parts->pieceCount;
	int32_t* twins = BR_ALLOC(&reader->allocator, int32_t, 2 * (int64_t)partCount); // and behind them their models
	brDVec3* starts = BR_ALLOC(&reader->allocator, brDVec3, partCount);
	if (result >= 0 && (twins == NULL || starts == NULL))
	{
		result = brFailMemory(reader->report);
	}
	if (result >= 0)
	{
		bodyFindTwins(parts, twins);
	}
	for (int32_t i = 0; result >= 0 && i < partCount; ++i)
	{
		const brMesh* part = parts->pieces[i].mesh;
		starts[i] = part->positions[0];
		pattern->mass = mass * brMesh_ComputeMass(part, 1.0).volume / volume;
		snprintf(pattern->name, sizeof(pattern->name), "%.50s_%d", name, (int)i);
		input->name = pattern->name;
		if (twins[i] == i)
		{
			def->given->mesh = bodyTakePart(parts, i);
			result = brSceneReader_Model(reader, node, def, &twins[partCount + i]);
		}
		pattern->model = twins[partCount + twins[i]];
		brDVec3 shift = brDSub(starts[i], starts[twins[i]]);
		result = result < 0 ? result : bodyAppend(reader, input, repeat, count, whole, shift, pattern);
	}
	BR_FREE(&reader->allocator, twins, 2 * (int64_t)partCount);
	BR_FREE(&reader->allocator, starts, partCount);
	brDestroyCutResult(parts);
	brDestroyMesh(whole);
	brDestroyMesh(def->given->mesh);
	def->given->mesh = NULL;
	return result;
}

brResult brSceneReader_GivenBody(brSceneReader* reader, const brDocNode* node, brSceneGiven* given)
{
	BodyInput input = bodyInputOf(given);
	brResult result = BR_READ_MAP(reader, node, "a body", bodyFields, &input);
	RepeatInput repeat;
	int32_t count = 0;
	result = result < 0 ? result : bodyReadRepeat(reader, node, &input, &repeat, &count);
	brSceneBody pattern;
	memset(&pattern, 0, sizeof(pattern));
	pattern.pose.q = given->pose.q;
	result =
		result < 0 || input.rotation == NULL ? result : brSceneReader_Rotation(reader, input.rotation, &pattern.pose.q);
	brSceneModelDef def;
	result = result < 0 ? result : bodyReadModel(reader, node, &input, given, &def);
	if (result >= 0 && !input.separate)
	{
		result = brSceneReader_Model(reader, node, &def, &pattern.model);
	}
	if (result < 0)
	{
		return result;
	}
	bool isNamed = input.model != NULL && input.model->kind == br_docScalar;
	const char* own = !input.separate ? reader->models.data[pattern.model].name : isNamed ? input.model->text : "body";
	input.name = input.name != NULL ? input.name : own;
	snprintf(pattern.name, sizeof(pattern.name), "%.63s", input.name);
	pattern.entry = reader->entries.count;
	pattern.kind = (brBodyKind)input.kind;
	pattern.pose.p = input.position;
	pattern.velocity = input.velocity;
	pattern.spin = input.spin;
	pattern.mass = input.mass;
	pattern.linearDamping = input.linearDamping;
	pattern.angularDamping = input.angularDamping;
	pattern.gravityScale = input.gravityScale;
	pattern.time = input.time;
	brSceneEntry entry = {input.name, node, reader->bodies.count, 0};
	const RepeatInput* copies = input.repeat != NULL ? &repeat : NULL;
	result = input.separate ? bodyAppendParts(reader, node, &input, copies, count, &def, &pattern)
							: bodyAppend(reader, &input, copies, count, reader->models.data[pattern.model].mesh,
										 brMakeDVec3(0.0, 0.0, 0.0), &pattern);
	entry.bodyCount = reader->bodies.count - entry.firstBody;
	if (result >= 0 && !BR_PUSH(&reader->allocator, &reader->entries, entry))
	{
		result = brFailMemory(reader->report);
	}
	return result;
}

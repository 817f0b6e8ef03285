// SPDX-License-Identifier: MIT
#pragma once

// A recipe as it was read: what may be broken, of what, and how; ranges that each sample draws from.

#include "base/os.h"
#include "base/random.h"
#include "brittle/cascade.h"
#include "brittle/dataset.h"
#include "brittle/models.h"
#include "scene/scene_reader.h"

/// Drawn evenly between the two; on a logarithmic scale if they are far apart and positive.
typedef struct brRecipeRange
{
	double lower, upper;
} brRecipeRange;

typedef enum brRecipeMethodKind
{
	br_recipeShatter = 0,
	br_recipeCrack = 1,
	br_recipeDrop = 2,
	br_recipeShoot = 3,
} brRecipeMethodKind;

enum
{
	recipeMaxChoices = 8,
	recipeMaxMethods = 32,
	recipeMaxMaterials = 64,
	recipeMaxSamples = 1000000000,
};

typedef struct brRecipeMethod
{
	brRecipeMethodKind kind;
	double weight; // how often it is drawn, against the others [1]
	int32_t patterns[recipeMaxChoices];
	int32_t patternCount;
	brMaterial grounds[recipeMaxChoices];
	int32_t groundCount;
	brRecipeRange pieces;      // sites of shatter; most pieces of the others [1]
	brRecipeRange energy;      // of shatter by the pattern impact [J]
	brRecipeRange speed, mass; // of what hits [m/s], [kg]
	brRecipeRange angle;       // between the blow and the inward normal [rad]
	brRecipeRange height;      // that it falls from [m]
	brRecipeRange tets;        // of crack [1]
	brRecipeRange roughness;   // of the faces of Voronoi cells, over the size [1]
	double play;               // how long drop and shoot go on after the hit [s]
	bool isCracking;           // drop, shoot: by cracks instead of a cascade
} brRecipeMethod;

/// What several objects share: one item of `objects`.
typedef struct brRecipeEntry
{
	brRecipeRange size;       // longest side; 0: as it is [m]
	brRecipeRange resolution; // of built-in models; 0: their own
	double thicken;           // sheets become plates of this thickness [m]
	int32_t up;               // 0: guessed, 1: z, 2: y
	int32_t parameterCount;
	struct
	{
		int32_t parameter;
		brRecipeRange range;
	} parameters[BR_MODEL_MAX_PARAMETERS];
} brRecipeEntry;

typedef struct brRecipeObject
{
	char name[64];
	const char* path;         // in the document's arena; null: a built-in model
	const brModelInfo* model; // or null
	int32_t entry;
	// A mended file, or a model that is the same in all samples, that is kept; under the recipe's lock.
	brMesh* mesh;
	uint64_t lastUse;
} brRecipeObject;

struct brRecipe
{
	brAllocator allocator;
	brDocument document; // owns the words
	const char* title;
	uint64_t seed, hash;
	int32_t sampleCount, samplesPerShard, pointsPerPiece;
	int32_t fewestPieces, mostAttempts;
	int32_t layout;
	brMaterial materials[recipeMaxMaterials];
	int32_t materialCount;
	brRecipeMethod methods[recipeMaxMethods];
	int32_t methodCount;
	BR_ARRAY(brRecipeEntry) entries;
	BR_ARRAY(brRecipeObject) objects;

	brGpu* gpu; // null: no device, and nothing of the next two
	brGpuStages* stages;
	brElasticDevice* elastic; // null on a device without doubles
	bool isDeviceTaken;       // by a sample; under the lock

	brMutex lock; // of the device and of the meshes that are kept
	int64_t keptBytes;
	uint64_t useCount;
};

/// The device for one sample, which gives it back. False: there is none, or another sample has it.
bool brRecipe_TakeDevice(brRecipe* recipe);
void brRecipe_GiveDevice(brRecipe* recipe);

double brRecipeRange_Draw(brRecipeRange range, brRandom* random);
int32_t brRecipeRange_DrawWhole(brRecipeRange range, brRandom* random);

/// The items of `objects`, folders unfolded.
brResult brRecipe_ReadObjects(brRecipe* recipe, brSceneReader* reader, const brDocNode* list);

/// A number or [low, high], both within the bounds. `node` may be null: the range stays as it is.
brResult brRecipe_ReadRange(brSceneReader* reader, const brDocNode* node, const brField* bounds,
							brRecipeRange* outRange);

/// The object of a sample as a solid on z = 0 in metres, the caller's. `random` draws its size and parameters.
brResult brRecipe_MakeObject(brRecipe* recipe, const brContext* context, int32_t object, brRandom* random,
							 brMesh** outMesh, brReport* report);

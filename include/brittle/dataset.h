// SPDX-License-Identifier: MIT
#pragma once

/// @file dataset.h
/// Data sets of broken things for learning: a recipe says what is broken and how, each sample is made on its own.
///
///     brRecipe* recipe;
///     brReport report = {0};
///     if (brLoadRecipe(NULL, "cups.yaml", &recipe, &report) < 0) puts(report.text);
///     brSample* sample;
///     brRecipe_MakeSample(recipe, NULL, 17, &sample, &report);
///     printf("%s by %s: %d pieces\n", sample->objectName, sample->method, sample->pieceCount);
///     brDestroySample(sample);
///     brDestroyRecipe(recipe);
///
/// Sample i depends on the recipe, its seed and i alone: any number of threads or processes may share the work, in any
/// order. A recipe may be used by several threads at once. docs/scale.md has the recipe's keys and the files of a
/// sample.

#include "brittle/gpu.h"
#include "brittle/material.h"
#include "brittle/shatter.h"

/// Opaque: a recipe that has been read.
typedef struct brRecipe brRecipe;

/// What a recipe asks for.
typedef struct brRecipeInfo
{
	const char* title;       ///< May be empty.
	uint64_t seed;           ///< Of the whole set; each sample has one that follows from it.
	int32_t sampleCount;     ///< Samples numbered from 0.
	int32_t samplesPerShard; ///< Samples in one .tar file of the set.
	int32_t objectCount;     ///< Files and built-in models, folders unfolded.
	int32_t pointsPerPiece;  ///< 0: no point samples.
	bool isFolders;          ///< Folders with a mesh file a piece; else shards.
	uint64_t hash;           ///< Of the recipe's text and of the names and sizes of its mesh files.
} brRecipeInfo;

/// Reads a recipe (.yaml). Mesh files and folders are looked for beside it; they must be there and are not opened yet.
/// `context` and `report` may be null.
BR_API brResult brLoadRecipe(const brContext* context, const char* path, brRecipe** outRecipe, brReport* report);

/// Same, from memory. `name` is used in messages and to find files beside it; null: there are none.
BR_API brResult brReadRecipe(const brContext* context, const void* bytes, size_t byteCount, const char* name,
							 brRecipe** outRecipe, brReport* report);

/// Frees `recipe`, which may be null.
BR_API void brDestroyRecipe(brRecipe* recipe);

BR_API brRecipeInfo brRecipe_GetInfo(const brRecipe* recipe);

/// Lends the recipe a device; call it before the first sample. The device makes Voronoi cells, elastic solutions and
/// parts of steps, one sample at a time; samples that are made meanwhile, by other threads, do without. Samples are
/// the same to the last bit. The device must outlive the recipe. Null: none. `report` may be null.
BR_API brResult brRecipe_SetDevice(brRecipe* recipe, brGpu* gpu, brReport* report);

/// Name of an object: letters, digits, '_', '-', and a '.' with a number where a name came twice. Null out of range.
BR_API const char* brRecipe_GetObjectName(const brRecipe* recipe, int32_t object);

/// One piece of a sample.
typedef struct brSamplePiece
{
	int32_t firstVertex, vertexCount;
	int32_t firstTriangle, triangleCount;
	double volume;       ///< [m^3]
	double area;         ///< Of its whole surface. [m^2]
	double fractureArea; ///< Of the part that the break made. [m^2]
	double mass;         ///< [kg]
	brDVec3 center;      ///< Of mass, in the common frame. [m]
	brTransform pose;    ///< Where the common frame of this piece has gone after the play; the identity without one.
} brSamplePiece;

/// What hit, and how hard. Zero where a method has none.
typedef struct brSampleBlow
{
	brDVec3 point;     ///< In the common frame. [m]
	brDVec3 direction; ///< Unit vector, in the common frame.
	double speed;      ///< Closing speed. [m/s]
	double mass;       ///< Of what hits; of the object if it falls. [kg]
	double height;     ///< That it fell from. [m]
	double energy;     ///< Of the blow before it broke anything. [J]
} brSampleBlow;

/// One broken thing, all in the axes of the whole object, which stands on z = 0: the common frame.
typedef struct brSample
{
	int32_t index;
	int32_t object;
	char objectName[64];
	const char* method;  ///< "shatter", "crack", "drop" or "shoot".
	const char* pattern; ///< Of shatter; else "".
	brMaterial material;
	char ground[32]; ///< Material of the ground of drop and shoot; else "".
	uint64_t seed;   ///< Of this sample.
	brSampleBlow blow;
	int32_t attempts;      ///< How often the blow was drawn until there were enough pieces and no crumb was lost.
	double size;           ///< Longest side of the object. [m]
	double volume;         ///< Of the object. [m^3]
	double fractureArea;   ///< Of all contacts: each crack once. [m^2]
	double fractureEnergy; ///< That area times the fracture energy of the material. [J]
	bool hasPoses;         ///< brSamplePiece.pose is from a play.

	int32_t pieceCount, vertexCount, triangleCount, contactCount;
	int32_t pointsPerPiece;
	brSamplePiece* pieces;    ///< [pieceCount] largest first.
	brDVec3* vertices;        ///< [vertexCount] piece by piece. [m]
	int32_t (*triangles)[3];  ///< [triangleCount] into vertices, outward.
	uint8_t* isFracture;      ///< [triangleCount] 1: the break made it.
	brBond* contacts;         ///< [contactCount] pieces that touch along fracture faces, rising.
	float (*points)[6];       ///< [pieceCount * pointsPerPiece] on the surface, even by area: position, normal. [m]
	uint8_t* pointIsFracture; ///< [pieceCount * pointsPerPiece]
	brAllocator allocator;
} brSample;

/// Makes sample `index` of the recipe. A failure is that of this sample alone: a mesh that cannot be mended, a cut that
/// is refused. `context` and `report` may be null.
BR_API brResult brRecipe_MakeSample(brRecipe* recipe, const brContext* context, int32_t index, brSample** outSample,
									brReport* report);

/// Frees `sample`, which may be null.
BR_API void brDestroySample(brSample* sample);

/// One file of a sample.
typedef struct brSampleFile
{
	const char* ending; ///< "json", "vertices.npy", "piece_0.obj"
	void* bytes;        ///< [byteCount] The file's content.
	size_t byteCount;
} brSampleFile;

/// The files of a sample in memory, in the order in which they are written.
typedef struct brSampleFiles
{
	int32_t count;
	int32_t capacity;    ///< Of `files`.
	brSampleFile* files; ///< [count]
	char* row; ///< What a manifest says about the sample: one JSON object on one line, without its newline. Terminated.
	brAllocator allocator;
} brSampleFiles;

/// Writes a sample into memory: arrays as .npy and a .json, or an .obj a piece instead of the arrays of the meshes if
/// `asObj`. `context` and `report` may be null.
BR_API brResult brSample_MakeFiles(const brSample* sample, const brContext* context, bool asObj,
								   brSampleFiles** outFiles, brReport* report);

/// Frees `files`, which may be null.
BR_API void brDestroySampleFiles(brSampleFiles* files);

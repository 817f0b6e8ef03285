// SPDX-License-Identifier: MIT

// A sample as files in memory: arrays of numpy (.npy, version 1.0), OBJ, JSON. The same sample gives the same bytes.

#include "dataset/sample.h"

#include "io/json_text.h"

#include <stdio.h>
#include <string.h>

enum
{
	filesMostArrays = 16,
};

// Endings are static or made here: they live in the same block as the bytes of the file, behind them.
typedef struct FilesJob
{
	const brSample* sample;
	brAllocator allocator;
	brSampleFiles* out;
	int32_t capacity;
	bool failed;
} FilesJob;

enum
{
	filesEnding = 32, // bytes of an ending
};

// Room for a file; null without memory, which is remembered.
static uint8_t* filesAdd(FilesJob* job, const char* ending, size_t byteCount)
{
	uint8_t* bytes =
		job->failed || job->out->count >= job->capacity ? NULL : brAlloc(&job->allocator, byteCount + filesEnding);
	if (bytes == NULL)
	{
		job->failed = true;
		return NULL;
	}
	char* name = (char*)bytes + byteCount;
	snprintf(name, filesEnding, "%s", ending);
	job->out->files[job->out->count++] = (brSampleFile){name, bytes, byteCount};
	return bytes;
}

// Adds what was written into `text`, and frees it.
static void filesAddText(FilesJob* job, const char* ending, brJsonText* text)
{
	uint8_t* out = text->failed ? NULL : filesAdd(job, ending, (size_t)text->text.count);
	if (out != NULL)
	{
		memcpy(out, text->text.data, (size_t)text->text.count);
	}
	job->failed = job->failed || text->failed;
	brJson_Destroy(text);
}

typedef enum FilesType
{
	files_f8,
	files_f4,
	files_i4,
	files_u1,
} FilesType;

// An array of numpy with up to three sizes, those at the end 0 if there are fewer. Returns where its values go.
static uint8_t* filesAddArray(FilesJob* job, const char* name, FilesType type, int64_t a, int64_t b, int64_t c)
{
	static const char* const words[] = {"<f8", "<f4", "<i4", "|u1"};
	static const int64_t bytes[] = {8, 4, 4, 1};
	char shape[96], header[192];
	b > 0 ? (c > 0 ? snprintf(shape, sizeof(shape), "(%lld, %lld, %lld)", (long long)a, (long long)b, (long long)c)
				   : snprintf(shape, sizeof(shape), "(%lld, %lld)", (long long)a, (long long)b))
		  : snprintf(shape, sizeof(shape), "(%lld,)", (long long)a);
	int length =
		snprintf(header, sizeof(header), "{'descr': '%s', 'fortran_order': False, 'shape': %s, }", words[type], shape);
	int padded = (10 + length + 1 + 63) / 64 * 64 - 10; // header and its newline end on a multiple of 64
	size_t valueBytes = (size_t)(a * (b > 0 ? b : 1) * (c > 0 ? c : 1) * bytes[type]);
	uint8_t* out = filesAdd(job, name, (size_t)(10 + padded) + valueBytes);
	if (out == NULL)
	{
		return NULL;
	}
	memcpy(out, "\x93NUMPY\x01\x00", 8);
	out[8] = (uint8_t)(padded & 255);
	out[9] = (uint8_t)(padded >> 8);
	memset(out + 10, ' ', (size_t)padded);
	memcpy(out + 10, header, (size_t)length);
	out[10 + padded - 1] = '\n';
	return out + 10 + padded;
}

// The bytes of values are little-endian on every machine that this runs on; base/os.h has no other.
static void filesAddValues(FilesJob* job, const char* name, FilesType type, int64_t rows, int64_t columns,
						   const void* values)
{
	static const int64_t bytes[] = {8, 4, 4, 1};
	uint8_t* out = filesAddArray(job, name, type, rows, columns, 0);
	size_t byteCount = (size_t)(rows * (columns > 0 ? columns : 1) * bytes[type]);
	if (out != NULL && byteCount > 0)
	{
		memcpy(out, values, byteCount);
	}
}

static void filesAddMeshes(FilesJob* job)
{
	const brSample* sample = job->sample;
	filesAddValues(job, "vertices.npy", files_f8, sample->vertexCount, 3, sample->vertices);
	filesAddValues(job, "faces.npy", files_i4, sample->triangleCount, 3, sample->triangles);
	filesAddValues(job, "face_fracture.npy", files_u1, sample->triangleCount, 0, sample->isFracture);
	uint8_t* out = filesAddArray(job, "face_piece.npy", files_i4, sample->triangleCount, 0, 0);
	for (int32_t i = 0; i < sample->pieceCount && out != NULL; ++i)
	{
		for (int32_t k = 0; k < sample->pieces[i].triangleCount; ++k)
		{
			memcpy(out, &i, sizeof(i));
			out += sizeof(i);
		}
	}
}

// A mesh file a piece; fracture faces come last, in a group of their own.
static void filesAddObj(FilesJob* job, int32_t index)
{
	const brSample* sample = job->sample;
	const brSamplePiece* piece = &sample->pieces[index];
	brJsonText text = {.allocator = job->allocator};
	for (int32_t i = 0; i < piece->vertexCount; ++i)
	{
		brDVec3 p = sample->vertices[piece->firstVertex + i];
		const double values[3] = {p.x, p.y, p.z};
		brJson_Add(&text, "v");
		for (int32_t k = 0; k < 3; ++k)
		{
			brJson_Add(&text, " ");
			brJson_Double(&text, values[k]);
		}
		brJson_Add(&text, "\n");
	}
	for (int32_t group = 0; group < 2; ++group)
	{
		brJson_Add(&text, group == 0 ? "g surface\n" : "g fracture\n");
		for (int32_t i = piece->firstTriangle; i < piece->firstTriangle + piece->triangleCount; ++i)
		{
			const int32_t* t = sample->triangles[i];
			if (sample->isFracture[i] == group)
			{
				brJson_Format(&text, "f %d %d %d\n", (int)(t[0] - piece->firstVertex + 1),
							  (int)(t[1] - piece->firstVertex + 1), (int)(t[2] - piece->firstVertex + 1));
			}
		}
	}
	char name[filesEnding];
	snprintf(name, sizeof(name), "piece_%d.obj", (int)index);
	filesAddText(job, name, &text);
}

// Contacts both ways, as networks on graphs take them: edges[e] goes from one piece to the other.
static void filesAddEdges(FilesJob* job)
{
	const brSample* sample = job->sample;
	int32_t edgeCount = 2 * sample->contactCount;
	uint8_t* edges = filesAddArray(job, "edges.npy", files_i4, edgeCount, 2, 0);
	uint8_t* areas = filesAddArray(job, "edge_area.npy", files_f8, edgeCount, 0, 0);
	for (int32_t i = 0; i < edgeCount && edges != NULL && areas != NULL; ++i)
	{
		const brBond* contact = &sample->contacts[i / 2];
		int32_t pair[2] = {contact->pieces[i & 1], contact->pieces[1 - (i & 1)]};
		memcpy(edges + (size_t)i * sizeof(pair), pair, sizeof(pair));
		memcpy(areas + (size_t)i * sizeof(double), &contact->area, sizeof(double));
	}
}

// JSON

static void filesVector(brJsonText* json, const char* key, brDVec3 v)
{
	const double values[3] = {v.x, v.y, v.z};
	brJson_Format(json, ",\"%s\":", key);
	brJson_Doubles(json, values, 3);
}

static void filesNumber(brJsonText* json, const char* key, double value)
{
	brJson_Format(json, ",\"%s\":", key);
	brJson_Double(json, value);
}

static void filesWord(brJsonText* json, const char* key, const char* text)
{
	brJson_Format(json, ",\"%s\":", key);
	brJson_String(json, text);
}

// What a manifest and the sample's own file have in common, without the closing brace.
static void filesHead(brJsonText* json, const brSample* sample)
{
	brJson_Format(json, "{\"key\":\"%09d\",\"index\":%d", (int)sample->index, (int)sample->index);
	filesWord(json, "object", sample->objectName);
	filesWord(json, "method", sample->method);
	filesWord(json, "pattern", sample->pattern);
	filesWord(json, "material", sample->material.name);
	filesWord(json, "ground", sample->ground);
	brJson_Format(json, ",\"seed\":\"%016llx\"", (unsigned long long)sample->seed); // too large for a number of JSON
	brJson_Format(json, ",\"attempts\":%d,\"pieces\":%d,\"contacts\":%d,\"vertices\":%d,\"triangles\":%d",
				  (int)sample->attempts, (int)sample->pieceCount, (int)sample->contactCount, (int)sample->vertexCount,
				  (int)sample->triangleCount);
	filesNumber(json, "size", sample->size);
	filesNumber(json, "volume", sample->volume);
	double sum = 0.0;
	for (int32_t i = sample->pieceCount - 1; i >= 0; --i) // small ones first
	{
		sum += sample->pieces[i].volume;
	}
	filesNumber(json, "pieces_volume", sum);
	filesNumber(json, "largest_share", sample->pieceCount > 0 ? sample->pieces[0].volume / sample->volume : 0.0);
	filesNumber(json, "fracture_area", sample->fractureArea);
	filesNumber(json, "fracture_energy", sample->fractureEnergy);
	filesNumber(json, "blow_energy", sample->blow.energy);
	filesNumber(json, "blow_speed", sample->blow.speed);
	filesNumber(json, "blow_mass", sample->blow.mass);
	filesNumber(json, "blow_height", sample->blow.height);
}

static void filesPieces(brJsonText* json, const brSample* sample)
{
	brJson_Add(json, ",\"piece_list\":[");
	for (int32_t i = 0; i < sample->pieceCount; ++i)
	{
		const brSamplePiece* piece = &sample->pieces[i];
		brJson_Format(json, "%s{\"vertices\":[%d,%d],\"faces\":[%d,%d]", i > 0 ? "," : "", (int)piece->firstVertex,
					  (int)(piece->firstVertex + piece->vertexCount), (int)piece->firstTriangle,
					  (int)(piece->firstTriangle + piece->triangleCount));
		filesNumber(json, "volume", piece->volume);
		filesNumber(json, "mass", piece->mass);
		filesNumber(json, "area", piece->area);
		filesNumber(json, "fracture_area", piece->fractureArea);
		filesVector(json, "center", piece->center);
		if (sample->hasPoses)
		{
			const double turn[4] = {piece->pose.q.x, piece->pose.q.y, piece->pose.q.z, piece->pose.q.w};
			filesVector(json, "position", piece->pose.p);
			brJson_Add(json, ",\"quaternion\":");
			brJson_Doubles(json, turn, 4);
		}
		brJson_Add(json, "}");
	}
	brJson_Add(json, "]");
}

static void filesMaterial(brJsonText* json, const brMaterial* material)
{
	brJson_Add(json, ",\"material_values\":{\"name\":");
	brJson_String(json, material->name);
	filesNumber(json, "density", material->density);
	filesNumber(json, "young", material->youngsModulus);
	filesNumber(json, "poisson", material->poissonRatio);
	filesNumber(json, "tensile_strength", material->tensileStrength);
	filesNumber(json, "toughness", material->toughness);
	filesNumber(json, "fracture_energy", brMaterial_GetFractureEnergy(material));
	brJson_Add(json, "}");
}

static void filesAddJson(FilesJob* job)
{
	const brSample* sample = job->sample;
	brJsonText json = {.allocator = job->allocator};
	filesHead(&json, sample);
	filesVector(&json, "blow_point", sample->blow.point);
	filesVector(&json, "blow_direction", sample->blow.direction);
	filesMaterial(&json, &sample->material);
	filesPieces(&json, sample);
	brJson_Add(&json, ",\"contact_list\":[");
	for (int32_t i = 0; i < sample->contactCount; ++i)
	{
		const brBond* contact = &sample->contacts[i];
		brJson_Format(&json, "%s{\"pieces\":[%d,%d]", i > 0 ? "," : "", (int)contact->pieces[0],
					  (int)contact->pieces[1]);
		filesNumber(&json, "area", contact->area);
		filesVector(&json, "center", contact->center);
		filesVector(&json, "normal", contact->normal);
		brJson_Add(&json, "}");
	}
	brJson_Add(&json, "]}\n");
	filesAddText(job, "json", &json);
}

static void filesSetRow(FilesJob* job)
{
	brJsonText json = {.allocator = job->allocator};
	filesHead(&json, job->sample);
	brJson_Add(&json, "}");
	job->out->row = json.failed ? NULL : BR_ALLOC(&job->allocator, char, (int64_t)json.text.count + 1);
	job->failed = job->failed || job->out->row == NULL;
	if (job->out->row != NULL)
	{
		memcpy(job->out->row, json.text.data, (size_t)json.text.count);
		job->out->row[json.text.count] = 0;
	}
	brJson_Destroy(&json);
}

brResult brSample_MakeFiles(const brSample* sample, const brContext* context, bool asObj, brSampleFiles** outFiles,
							brReport* report)
{
	if (sample == NULL || outFiles == NULL)
	{
		return brFail(report, br_errorMisuse, "brSample_MakeFiles needs a sample and a place for its answer");
	}
	brAllocator allocator = brContext_Allocator(context);
	FilesJob job = {.sample = sample, .allocator = allocator, .capacity = filesMostArrays + sample->pieceCount};
	job.out = BR_ALLOC_ZERO(&allocator, brSampleFiles, 1);
	if (job.out == NULL)
	{
		return brFailMemory(report);
	}
	job.out->allocator = allocator;
	job.out->capacity = job.capacity;
	job.out->files = BR_ALLOC_ZERO(&allocator, brSampleFile, job.capacity);
	job.failed = job.out->files == NULL;
	filesAddJson(&job);
	if (asObj)
	{
		for (int32_t i = 0; i < sample->pieceCount; ++i)
		{
			filesAddObj(&job, i);
		}
	}
	else
	{
		filesAddMeshes(&job);
	}
	filesAddEdges(&job);
	if (sample->pointsPerPiece > 0)
	{
		uint8_t* points = filesAddArray(&job, "points.npy", files_f4, sample->pieceCount, sample->pointsPerPiece, 6);
		uint8_t* flags =
			filesAddArray(&job, "point_fracture.npy", files_u1, sample->pieceCount, sample->pointsPerPiece, 0);
		size_t count = (size_t)sample->pieceCount * (size_t)sample->pointsPerPiece;
		if (points != NULL && flags != NULL)
		{
			memcpy(points, sample->points, count * sizeof(sample->points[0]));
			memcpy(flags, sample->pointIsFracture, count);
		}
	}
	filesSetRow(&job);
	if (job.failed)
	{
		brDestroySampleFiles(job.out);
		return brFailMemory(report);
	}
	*outFiles = job.out;
	return brSucceed(report);
}

void brDestroySampleFiles(brSampleFiles* files)
{
	if (files == NULL)
	{
		return;
	}
	brAllocator allocator = files->allocator;
	for (int32_t i = 0; i < files->count; ++i)
	{
		brFree(&allocator, files->files[i].bytes, files->files[i].byteCount + filesEnding);
	}
	BR_FREE(&allocator, files->files, files->capacity);
	BR_FREE(&allocator, files->row, (int64_t)(files->row != NULL ? strlen(files->row) + 1 : 0));
	BR_FREE(&allocator, files, 1);
}

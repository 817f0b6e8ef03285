// SPDX-License-Identifier: MIT

// One mesh into streams: vertices, split where a corner's normal or texture coordinate asks for it, then triangles by
// material.
//
// The copies of a vertex follow each other in vertex order, and vertices that no face uses are written too: a reader
// that welds equal positions in order of appearance, as ours does, gets the vertices back as they were.

#include "io/gltf_writer.h"
#include "io/surface.h"
#include "mesh/face_area.h"

#include <string.h>

// Square of the length of a normal may be off by this much before it is scaled to one: twice float rounding of a vector
// that was normalized, well inside what the format's validator accepts (0.0067 of length).
#define GLTF_NORMAL_TOLERANCE 1e-3

// Written vertices of one vertex that a corner is compared with.
#define GLTF_LOOK_BACK 64

typedef struct GltfVertexPlan
{
	int32_t* cornerVertex; // [cornerCount] written vertex of each corner, or null: corners as they are
	int32_t* source;       // [writtenCount] corner a written vertex takes its attributes from, or -1 - vertex if unused
	int32_t writtenCount;
	int64_t sourceCapacity;
} GltfVertexPlan;

int64_t brGltfWriter_StreamBytes(const brGltfWriter* writer, brGltfStream stream)
{
	return stream == br_gltfIndex16 ? 2 * (int64_t)writer->shorts.count : 4 * (int64_t)writer->streams[stream].count;
}

static uint32_t gltfBits(float value)
{
	uint32_t bits;
	memcpy(&bits, &value, sizeof(bits));
	return bits;
}

// Opens an accessor at the end of a stream and reserves `words` there. Null without memory.
static uint32_t* gltfOpenAccessor(brGltfWriter* writer, brGltfStream stream, int32_t components, int32_t count,
								  int32_t* outAccessor)
{
	const brAllocator* allocator = &writer->job->allocator;
	brGltfAccessor accessor = {
		.stream = stream,
		.components = components,
		.byteOffset = brGltfWriter_StreamBytes(writer, stream),
		.count = count,
	};
	brGltfWords* words = &writer->streams[stream];
	int64_t needed = (int64_t)count * (stream == br_gltfUnorm8 ? 1 : components);
	if (!BR_RESERVE(allocator, words, needed) || !BR_PUSH(allocator, &writer->accessors, accessor))
	{
		return NULL;
	}
	uint32_t* start = words->data + words->count;
	words->count += (int32_t)needed;
	*outAccessor = writer->accessors.count - 1;
	return start;
}

static bool gltfIsSameCorner(const brMesh* mesh, int32_t a, int32_t b)
{
	const brVec3* n = mesh->normals;
	const brVec2* uv = mesh->uvs;
	return (n == NULL || (n[a].x == n[b].x && n[a].y == n[b].y && n[a].z == n[b].z)) &&
		   (uv == NULL || (uv[a].x == uv[b].x && uv[a].y == uv[b].y));
}

// Corners share a written vertex if they have the same vertex, normal and texture coordinate. Written vertices go by
// vertex; each corner looks at the last few written ones of its vertex, so that a hub of many different corners costs
// no more than others.
static bool gltfPlanVertices(const brGltfWriter* writer, const brMesh* mesh, GltfVertexPlan* plan)
{
	const brAllocator* allocator = &writer->job->allocator;
	*plan = (GltfVertexPlan){.writtenCount = mesh->vertexCount};
	if (mesh->normals == NULL && mesh->uvs == NULL)
	{
		return true;
	}
	int64_t most = (int64_t)mesh->cornerCount + mesh->vertexCount;
	plan->cornerVertex = BR_ALLOC(allocator, int32_t, mesh->cornerCount);
	plan->source = most < INT32_MAX ? BR_ALLOC(allocator, int32_t, most) : NULL;
	plan->sourceCapacity = most;
	brBuckets corners = {0}; // by vertex
	bool complete = plan->cornerVertex != NULL && plan->source != NULL &&
					brBuckets_Make(&corners, allocator, mesh->corners, mesh->cornerCount, mesh->vertexCount);
	int32_t written = 0;
	for (int32_t v = 0; v < mesh->vertexCount && complete; ++v)
	{
		int32_t first = written;
		for (int32_t i = corners.starts[v]; i < corners.starts[v + 1]; ++i)
		{
			int32_t corner = corners.items[i], at = written - 1,
					end = written - GLTF_LOOK_BACK > first ? written - GLTF_LOOK_BACK : first;
			while (at >= end && !gltfIsSameCorner(mesh, corner, plan->source[at]))
			{
				at -= 1;
			}
			if (at < end)
			{
				at = written++;
				plan->source[at] = corner;
			}
			plan->cornerVertex[corner] = at;
		}
		if (written == first)
		{
			plan->source[written++] = -1 - v; // no face has it
		}
	}
	plan->writtenCount = complete ? written : mesh->vertexCount;
	brBuckets_Free(&corners, allocator);
	return complete;
}

static int32_t gltfSourceVertex(const brMesh* mesh, const GltfVertexPlan* plan, int32_t written)
{
	int32_t source = plan->source != NULL ? plan->source[written] : -1 - written;
	return source >= 0 ? mesh->corners[source] : -1 - source;
}

static brResult gltfAddPositions(brGltfWriter* writer, const brMesh* mesh, const GltfVertexPlan* plan,
								 int32_t* outAccessor)
{
	uint32_t* words = gltfOpenAccessor(writer, br_gltfVec3, 3, plan->writtenCount, outAccessor);
	if (words == NULL)
	{
		return brFailMemory(writer->job->report);
	}
	brGltfAccessor* accessor = &writer->accessors.data[*outAccessor];
	brVec3 lower = {INFINITY, INFINITY, INFINITY};
	brVec3 upper = {-INFINITY, -INFINITY, -INFINITY};
	bool isExact = true;
	for (int32_t i = 0; i < plan->writtenCount; ++i)
	{
		brDVec3 exact = mesh->positions[gltfSourceVertex(mesh, plan, i)];
		brVec3 p = brToVec3(exact);
		isExact &= ((double)p.x == exact.x) & ((double)p.y == exact.y) & ((double)p.z == exact.z);
		lower = brMin(lower, p);
		upper = brMax(upper, p);
		memcpy(words + 3 * (size_t)i, &p, sizeof(p));
	}
	if (!(isfinite(lower.x) && isfinite(lower.y) && isfinite(lower.z) && isfinite(upper.x) && isfinite(upper.y) &&
		  isfinite(upper.z)))
	{
		return brFail(writer->job->report, br_errorGeometry,
					  "%.100s: a position is beyond the range of float, which glTF has", writer->job->path);
	}
	writer->hasRounded |= !isExact;
	accessor->hasBounds = true;
	memcpy(accessor->lower, &lower, sizeof(lower));
	memcpy(accessor->upper, &upper, sizeof(upper));
	return br_success;
}

// Vector area of the face that holds a corner, as a stand-in for a normal that is none.
static brVec3 gltfFaceNormal(const brMesh* mesh, int32_t corner)
{
	int32_t low = 0;
	int32_t high = mesh->faceCount;
	while (high - low > 1)
	{
		int32_t middle = low + (high - low) / 2;
		*(mesh->faceStarts[middle] <= corner ? &low : &high) = middle;
	}
	brDVec3 area = brMesh_FaceArea(mesh, low);
	double length = brDLength(area);
	return length > 0.0 && isfinite(length) ? brToVec3(brDMul(1.0 / length, area)) : (brVec3){0.0f, 0.0f, 1.0f};
}

static bool gltfAddNormals(brGltfWriter* writer, const brMesh* mesh, const GltfVertexPlan* plan, int32_t* outAccessor)
{
	uint32_t* words = gltfOpenAccessor(writer, br_gltfVec3, 3, plan->writtenCount, outAccessor);
	for (int32_t i = 0; i < plan->writtenCount && words != NULL; ++i)
	{
		int32_t corner = plan->source[i];
		brVec3 n = corner >= 0 ? mesh->normals[corner] : (brVec3){0.0f, 0.0f, 1.0f};
		double lengthSq = brDLengthSq(brToDVec3(n));
		if (!(fabs(lengthSq - 1.0) <= GLTF_NORMAL_TOLERANCE))
		{
			writer->hasFixedNormals = true;
			n = lengthSq > 0.0 && isfinite(lengthSq) ? brToVec3(brDNormalize(brToDVec3(n)))
													 : gltfFaceNormal(mesh, corner);
		}
		memcpy(words + 3 * (size_t)i, &n, sizeof(n));
	}
	return words != NULL;
}

static bool gltfAddUvs(brGltfWriter* writer, const brMesh* mesh, const GltfVertexPlan* plan, int32_t* outAccessor)
{
	uint32_t* words = gltfOpenAccessor(writer, br_gltfVec2, 2, plan->writtenCount, outAccessor);
	for (int32_t i = 0; i < plan->writtenCount && words != NULL; ++i)
	{
		brVec2 uv = plan->source[i] >= 0 ? mesh->uvs[plan->source[i]] : (brVec2){0.0f, 0.0f};
		if (!isfinite(uv.x) || !isfinite(uv.y))
		{
			writer->hasFixedValues = true;
			uv = (brVec2){0.0f, 0.0f};
		}
		float v = 1.0f - uv.y; // see gltf_mesh.c on what this keeps
		writer->hasRoundedUvs |= 1.0f - v != uv.y;
		words[2 * (size_t)i] = gltfBits(uv.x);
		words[2 * (size_t)i + 1] = gltfBits(v);
	}
	return words != NULL;
}

static bool gltfAddColors(brGltfWriter* writer, const brMesh* mesh, const GltfVertexPlan* plan, int32_t* outAccessor)
{
	// Colors that came from bytes go back as bytes.
	bool isUnorm = true;
	for (int64_t k = 0; k < 4 * (int64_t)mesh->vertexCount && isUnorm; ++k)
	{
		float value = ((const float*)mesh->colors)[k];
		float level = value * 255.0f + 0.5f;
		isUnorm = value >= 0.0f && value <= 1.0f && value == (float)(int32_t)level / 255.0f;
	}
	uint32_t* words =
		gltfOpenAccessor(writer, isUnorm ? br_gltfUnorm8 : br_gltfVec4, 4, plan->writtenCount, outAccessor);
	for (int32_t i = 0; i < plan->writtenCount && words != NULL; ++i)
	{
		brVec4 color = mesh->colors[gltfSourceVertex(mesh, plan, i)];
		float values[4] = {color.x, color.y, color.z, color.w};
		uint8_t bytes[4];
		for (int32_t k = 0; k < 4; ++k)
		{
			writer->hasFixedValues |= brClampUnit(&values[k]);
			bytes[k] = (uint8_t)(values[k] * 255.0f + 0.5f);
		}
		if (isUnorm)
		{
			memcpy(words + i, bytes, sizeof(bytes));
		}
		else
		{
			memcpy(words + 4 * (size_t)i, values, sizeof(values));
		}
	}
	return words != NULL;
}

// Triangles

// The triangles of one material: `order` lists triangle numbers, `triangles` their corners (null: three by three).
static bool gltfAddIndices(brGltfWriter* writer, const brMesh* mesh, const GltfVertexPlan* plan,
						   const brTriangulation* triangles, const int32_t* order, int32_t count, int32_t* outAccessor)
{
	const brAllocator* allocator = &writer->job->allocator;
	bool isShort = plan->writtenCount <= UINT16_MAX; // the highest index stays below the restart value
	uint32_t* words = NULL;
	uint16_t* shorts = NULL;
	if (isShort)
	{
		brGltfAccessor accessor = {br_gltfIndex16, 1, 2 * (int64_t)writer->shorts.count, 3 * count, false, {0}, {0}};
		if (!BR_RESERVE(allocator, &writer->shorts, 3 * (int64_t)count) ||
			!BR_PUSH(allocator, &writer->accessors, accessor))
		{
			return false;
		}
		shorts = writer->shorts.data + writer->shorts.count;
		writer->shorts.count += 3 * count;
		*outAccessor = writer->accessors.count - 1;
	}
	else
	{
		words = gltfOpenAccessor(writer, br_gltfIndex32, 1, 3 * count, outAccessor);
		if (words == NULL)
		{
			return false;
		}
	}
	for (int32_t i = 0; i < count; ++i)
	{
		int64_t first = 3 * (int64_t)(order != NULL ? order[i] : i);
		for (int32_t k = 0; k < 3; ++k)
		{
			int32_t corner = triangles != NULL ? triangles->corners[first + k] : (int32_t)(first + k);
			int32_t vertex = plan->cornerVertex != NULL ? plan->cornerVertex[corner] : mesh->corners[corner];
			if (isShort)
			{
				shorts[3 * (size_t)i + (size_t)k] = (uint16_t)vertex;
			}
			else
			{
				words[3 * (size_t)i + (size_t)k] = (uint32_t)vertex;
			}
		}
	}
	return true;
}

// One primitive for each material that has faces, in the order of the materials, those without one at the end.
static bool gltfAddPrimitives(brGltfWriter* writer, const brMesh* mesh, const GltfVertexPlan* plan,
							  const brTriangulation* triangles, brGltfPrimitive primitive)
{
	const brAllocator* allocator = &writer->job->allocator;
	int32_t triangleCount = triangles != NULL ? triangles->triangleCount : mesh->faceCount;
	int32_t slotCount = mesh->faceMaterials != NULL ? mesh->materialCount + 1 : 1;
	if (slotCount == 1)
	{
		return gltfAddIndices(writer, mesh, plan, triangles, NULL, triangleCount, &primitive.indices) &&
			   BR_PUSH(allocator, &writer->primitives, primitive);
	}

	brBuckets order;
	bool complete = brSortByMaterial(allocator, mesh, triangles, &order);
	for (int32_t s = 0; s < slotCount && complete; ++s)
	{
		int32_t begin = order.starts[s], end = order.starts[s + 1];
		if (end > begin)
		{
			primitive.material = -1;
			if (s < mesh->materialCount)
			{
				primitive.material =
					brMaterialList_Add(&writer->materials, allocator, &mesh->materials[s], mesh->uvs != NULL);
				complete = primitive.material >= 0; // a texture without coordinates would be invalid
			}
			complete =
				complete &&
				gltfAddIndices(writer, mesh, plan, triangles, order.items + begin, end - begin, &primitive.indices) &&
				BR_PUSH(allocator, &writer->primitives, primitive);
		}
	}
	brBuckets_Free(&order, allocator);
	return complete;
}

brResult brGltfWriter_AddMesh(brGltfWriter* writer, const brMesh* mesh, int32_t number)
{
	const brWriteJob* job = writer->job;
	brGltfShape* shape = &writer->shapes[number];
	if (mesh->faceCount == 0)
	{
		shape->mesh = -2;
		return br_success;
	}
	GltfVertexPlan plan = {0};
	brTriangulation* triangles = NULL;
	brResult result = br_success;
	if (mesh->cornerCount != 3 * (int64_t)mesh->faceCount)
	{
		writer->hasPolygons = true;
		result = brTriangulateFloats(job->context, mesh, &triangles, job->report);
	}
	if (result >= 0 && triangles != NULL && triangles->triangleCount > INT32_MAX / 3)
	{
		result = brFail(job->report, br_errorLimit, "%.100s: a mesh has more triangles than fit into one accessor",
						job->path);
	}
	if (result >= 0 && !gltfPlanVertices(writer, mesh, &plan))
	{
		result = brFailMemory(job->report);
	}
	brGltfPrimitive primitive = {-1, -1, -1, -1, -1, -1};
	if (result >= 0)
	{
		result = gltfAddPositions(writer, mesh, &plan, &primitive.position);
	}
	if (result >= 0)
	{
		int32_t firstPrimitive = writer->primitives.count;
		bool complete = (mesh->normals == NULL || gltfAddNormals(writer, mesh, &plan, &primitive.normal)) &&
						(mesh->uvs == NULL || gltfAddUvs(writer, mesh, &plan, &primitive.uv)) &&
						(mesh->colors == NULL || gltfAddColors(writer, mesh, &plan, &primitive.color)) &&
						gltfAddPrimitives(writer, mesh, &plan, triangles, primitive);
		shape->mesh = writer->meshCount++;
		shape->firstPrimitive = firstPrimitive;
		shape->primitiveCount = writer->primitives.count - firstPrimitive;
		result = complete ? br_success : brFailMemory(job->report);
	}
	writer->hasGroups |= mesh->groupCount > 0 && mesh->faceGroups != NULL;
	BR_FREE(&job->allocator, plan.cornerVertex, mesh->cornerCount);
	BR_FREE(&job->allocator, plan.source, plan.sourceCapacity);
	brDestroyTriangulation(triangles);
	return result;
}

// SPDX-License-Identifier: MIT

// Mesh prims of a USD file: faces, attributes by their interpolation, materials by binding.
//
// Subdivision is not carried out: the faces are those of the cage. A displayColor for the whole mesh, where no material
// is bound, is its material.

#include "io/usda_layer.h"

#include <string.h>

typedef struct UsdaPrimvar
{
	brUsdaDoubles values;
	brUsdaInts indices;
	brUsdaText interpolation;
	int32_t components;
	bool hasIndices, isPresent;
} UsdaPrimvar;

typedef struct UsdaMesh
{
	brUsdaLayer* layer;
	const brUsdaNode* node;
	brUsdaDoubles points;
	brUsdaInts counts, indices;
	UsdaPrimvar uvs, normals, colors, opacities;
	brUsdaInts materials;   // prims, each once
	int32_t* faceMaterials; // [counts.count] place in `materials`, or -1
	int32_t faceCount, cornerCount;
	brMesh* mesh;
} UsdaMesh;

// Materials

int32_t brUsda_Binding(const brUsdaLayer* layer, const brUsdaNode* node, int32_t above)
{
	const brUsdaField* field = brUsdaNode_Field(node, layer, "material:binding", br_usdaValue);
	const char* at = NULL;
	brUsdaText path;
	if (field == NULL || !brUsda_NextString(field->value, &at, &path))
	{
		return above;
	}
	int32_t prim = brUsda_FindPath(layer, path);
	return prim >= 0 ? prim : above;
}

// Numbers from 0 to `most`, which is 1 or beyond all bounds; untouched if the input is not there.
static void usdaInput(const brUsdaLayer* layer, const brUsdaNode* node, const char* name, float most, float* values,
					  int32_t count)
{
	double numbers[4];
	if (brUsda_Tuple(layer, brUsdaNode_Value(node, layer, name), numbers, count) == count)
	{
		for (int32_t k = 0; k < count; ++k)
		{
			float value = (float)numbers[k];
			values[k] = !(value >= 0.0f) ? 0.0f : value <= most ? value : most;
		}
	}
}

// The node that a connection of an input leads to; empty if there is none.
static brUsdaNode usdaConnected(const brUsdaLayer* layer, const brUsdaNode* node, const char* name)
{
	const brUsdaField* field = brUsdaNode_Field(node, layer, name, br_usdaConnection);
	brUsdaNode target = {.count = 0};
	const char* at = NULL;
	brUsdaText path;
	if (field != NULL && brUsda_NextString(field->value, &at, &path))
	{
		brUsdaNode_Add(&target, layer, brUsda_FindPath(layer, path));
	}
	return target;
}

// The first UsdPreviewSurface below a material: what outputs:surface is connected to, else any child.
static brUsdaNode usdaFindSurface(const brUsdaLayer* layer, const brUsdaNode* material)
{
	brUsdaNode surface = usdaConnected(layer, material, "outputs:surface");
	int32_t source = 0, child = -1;
	while (surface.count == 0 && brUsdaNode_NextChild(material, layer, &source, &child))
	{
		brUsdaNode shader = brUsdaNode_Child(material, layer, layer->prims.data[child].name);
		if (brUsdaText_Is(brUsdaText_Unquote(brUsdaNode_Value(&shader, layer, "info:id")), "UsdPreviewSurface"))
		{
			surface = shader;
		}
	}
	return surface;
}

static brSurfaceMaterial usdaReadMaterial(const brUsdaLayer* layer, int32_t prim)
{
	brSurfaceMaterial material = brDefaultSurfaceMaterial();
	brUsdaNode node = {.count = 0};
	brUsdaNode_Add(&node, layer, prim);
	brUsdaPrim_CopyName(&layer->prims.data[prim], material.name, sizeof(material.name));
	brUsdaNode surface = usdaFindSurface(layer, &node);
	if (surface.count == 0)
	{
		return material;
	}
	usdaInput(layer, &surface, "inputs:diffuseColor", 1.0f, &material.baseColor.x, 3);
	usdaInput(layer, &surface, "inputs:opacity", 1.0f, &material.baseColor.w, 1);
	usdaInput(layer, &surface, "inputs:metallic", 1.0f, &material.metallic, 1);
	usdaInput(layer, &surface, "inputs:roughness", 1.0f, &material.roughness, 1);
	usdaInput(layer, &surface, "inputs:emissiveColor", 1e9f, &material.emission.x, 3);
	brUsdaNode texture = usdaConnected(layer, &surface, "inputs:diffuseColor");
	if (texture.count > 0)
	{
		brUsdaText_Copy(brUsdaText_Unquote(brUsdaNode_Value(&texture, layer, "inputs:file")), material.texture,
						sizeof(material.texture));
		material.baseColor = (brVec4){1.0f, 1.0f, 1.0f, material.baseColor.w};
		usdaInput(layer, &texture, "inputs:scale", 1.0f, &material.baseColor.x, 4);
	}
	return material;
}

// The place of a material prim in the mesh's list; -1 without memory.
static int32_t usdaUseMaterial(UsdaMesh* m, int32_t prim)
{
	for (int32_t i = 0; i < m->materials.count; ++i)
	{
		if (m->materials.data[i] == prim)
		{
			return i;
		}
	}
	return BR_PUSH(&m->layer->job->allocator, &m->materials, prim) ? m->materials.count - 1 : -1;
}

// Each face's material: that of the mesh, or of a subset of faces.
static brResult usdaBindFaces(UsdaMesh* m, int32_t binding)
{
	brUsdaLayer* layer = m->layer;
	const brAllocator* allocator = &layer->job->allocator;
	m->faceMaterials = BR_ALLOC(allocator, int32_t, m->counts.count);
	int32_t whole = binding >= 0 ? usdaUseMaterial(m, binding) : -1;
	if (m->faceMaterials == NULL || (binding >= 0 && whole < 0))
	{
		return brFailMemory(layer->job->report);
	}
	for (int32_t f = 0; f < m->counts.count; ++f)
	{
		m->faceMaterials[f] = whole;
	}
	brUsdaInts faces = {0};
	brResult result = br_success;
	int32_t source = 0, child = -1;
	while (result >= 0 && brUsdaNode_NextChild(m->node, layer, &source, &child))
	{
		brUsdaNode subset = brUsdaNode_Child(m->node, layer, layer->prims.data[child].name);
		int32_t prim = brUsda_Binding(layer, &subset, -1);
		if (prim < 0 || !brUsdaText_Is(brUsdaNode_Type(&subset, layer), "GeomSubset"))
		{
			continue;
		}
		faces.count = 0;
		int32_t place = usdaUseMaterial(m, prim);
		result = place >= 0 ? brUsda_Ints(layer, brUsdaNode_Value(&subset, layer, "indices"), &faces)
							: brFailMemory(layer->job->report);
		for (int32_t i = 0; i < faces.count && result >= 0; ++i)
		{
			if (faces.data[i] >= 0 && faces.data[i] < m->counts.count)
			{
				m->faceMaterials[faces.data[i]] = place;
			}
		}
	}
	BR_FREE_ARRAY(allocator, &faces);
	return result;
}

// Attributes

static bool usdaHasPrefix(brUsdaText text, const char* prefix)
{
	return text.length >= strlen(prefix) && memcmp(text.at, prefix, strlen(prefix)) == 0;
}

// How many values the interpolation of a primvar asks for.
static int64_t usdaNeeded(const UsdaMesh* m, brUsdaText interpolation)
{
	return brUsdaText_Is(interpolation, "faceVarying")                                         ? m->indices.count
		   : brUsdaText_Is(interpolation, "uniform")                                           ? m->counts.count
		   : brUsdaText_Is(interpolation, "vertex") || brUsdaText_Is(interpolation, "varying") ? m->points.count / 3
																							   : 1;
}

static brResult usdaReadPrimvar(UsdaMesh* m, const brUsdaField* field, int32_t components, UsdaPrimvar* outVar)
{
	if (field == NULL)
	{
		return br_success;
	}
	brUsdaLayer* layer = m->layer;
	brUsdaText value = field->value;
	if (field->kind == br_usdaSamples)
	{
		const char* at = NULL;
		double time;
		brUsda_NextSample(layer, field->value, &at, &time, &value);
	}
	outVar->components = components;
	outVar->interpolation = field->interpolation;
	brResult result = brUsda_Numbers(layer, value, false, &outVar->values);
	char name[200];
	brUsdaText_Copy(field->name, name, sizeof(name) - 10);
	memcpy(name + strlen(name), ":indices", 9);
	brUsdaText indices = brUsdaNode_Value(m->node, layer, name);
	if (result >= 0 && indices.at != NULL)
	{
		result = brUsda_Ints(layer, indices, &outVar->indices);
		outVar->hasIndices = true;
	}
	int64_t valueCount = outVar->values.count / components;
	bool isGood = true;
	for (int32_t i = 0; i < outVar->indices.count && isGood; ++i)
	{
		isGood = outVar->indices.data[i] >= 0 && outVar->indices.data[i] < valueCount;
	}
	int64_t count = outVar->hasIndices ? outVar->indices.count : valueCount;
	// Normals without a word about them are per corner or per vertex, whichever fits.
	if (outVar->interpolation.at == NULL && count > 1)
	{
		const char* guess = count == m->indices.count ? "faceVarying" : "vertex";
		outVar->interpolation = (brUsdaText){guess, strlen(guess)};
	}
	outVar->isPresent = result >= 0 && isGood && count > 0 && count >= usdaNeeded(m, outVar->interpolation);
	layer->oddPrimvars += !outVar->isPresent;
	return result;
}

static void usdaGet(const UsdaMesh* m, const UsdaPrimvar* var, int32_t face, int32_t vertex, int32_t corner, float* out)
{
	int64_t place = brUsdaText_Is(var->interpolation, "faceVarying") ? corner
					: brUsdaText_Is(var->interpolation, "uniform")   ? face
					: brUsdaText_Is(var->interpolation, "vertex") || brUsdaText_Is(var->interpolation, "varying")
						? vertex
						: 0;
	place = var->hasIndices ? var->indices.data[place] : place;
	for (int32_t k = 0; k < var->components; ++k)
	{
		out[k] = brFiniteOrZero((float)var->values.data[place * var->components + k], &m->layer->oddValues);
	}
}

// The texture coordinates: st if it is there, else the first primvar of that type.
static const brUsdaField* usdaFindUvs(const brUsdaLayer* layer, const brUsdaNode* node)
{
	const brUsdaField* found = NULL;
	for (int32_t i = 0; i < node->count; ++i)
	{
		for (int32_t f = layer->prims.data[node->prims[i]].firstField; f >= 0; f = layer->fields.data[f].next)
		{
			const brUsdaField* field = &layer->fields.data[f];
			bool isUv = field->kind == br_usdaValue && usdaHasPrefix(field->name, "primvars:") &&
						(usdaHasPrefix(field->type, "texCoord2") ||
						 (brUsdaText_Is(field->name, "primvars:st") && usdaHasPrefix(field->type, "float2")));
			if (isUv && (found == NULL || brUsdaText_Is(field->name, "primvars:st")))
			{
				found = field;
			}
		}
	}
	return found;
}

static const brUsdaField* usdaFindField(const UsdaMesh* m, const char* name)
{
	const brUsdaField* field = brUsdaNode_Field(m->node, m->layer, name, br_usdaValue);
	return field != NULL ? field : brUsdaNode_Field(m->node, m->layer, name, br_usdaSamples);
}

static brResult usdaReadArrays(UsdaMesh* m)
{
	brUsdaLayer* layer = m->layer;
	const brUsdaField* points = usdaFindField(m, "points");
	brResult result = brUsda_Ints(layer, brUsdaNode_Value(m->node, layer, "faceVertexCounts"), &m->counts);
	if (result >= 0)
	{
		result = brUsda_Ints(layer, brUsdaNode_Value(m->node, layer, "faceVertexIndices"), &m->indices);
	}
	if (result >= 0)
	{
		result = brUsda_Numbers(layer, brUsdaNode_Value(m->node, layer, "points"),
								points != NULL && brUsda_IsDouble(points->type), &m->points);
	}
	if (result < 0)
	{
		return result;
	}
	const char* place = points != NULL ? points->value.at : NULL;
	int64_t corners = 0;
	for (int32_t f = 0; f < m->counts.count; ++f)
	{
		int32_t count = m->counts.data[f];
		if (count < 0)
		{
			return brUsda_Fail(layer, place, "face %d of this mesh has %d corners", f, count);
		}
		corners += count;
		if (corners > m->indices.count)
		{
			break;
		}
		m->faceCount += count >= 3;
		m->cornerCount += count >= 3 ? count : 0;
		layer->skippedFaces += count < 3;
	}
	if (corners != m->indices.count || m->points.count % 3 != 0)
	{
		return brUsda_Fail(layer, place,
						   "the mesh of these points has %d corners in faceVertexIndices, but faceVertexCounts ask for "
						   "%lld, or its points are not triples",
						   m->indices.count, (long long)corners);
	}
	for (int32_t c = 0; c < m->indices.count; ++c)
	{
		if (m->indices.data[c] < 0 || m->indices.data[c] >= m->points.count / 3)
		{
			return brUsda_Fail(layer, place, "corner %d of the mesh of these points names point %d, there are %d", c,
							   m->indices.data[c], m->points.count / 3);
		}
	}
	for (int32_t i = 0; i < m->points.count; ++i)
	{
		if (!isfinite(m->points.data[i]))
		{
			return brUsda_Fail(layer, place, "point %d is not finite", i / 3);
		}
	}
	return br_success;
}

static brResult usdaReadPrimvars(UsdaMesh* m)
{
	brResult result = usdaReadPrimvar(m, usdaFindUvs(m->layer, m->node), 2, &m->uvs);
	const brUsdaField* normals = usdaFindField(m, "primvars:normals");
	if (result >= 0)
	{
		result = usdaReadPrimvar(m, normals != NULL ? normals : usdaFindField(m, "normals"), 3, &m->normals);
	}
	if (result >= 0)
	{
		result = usdaReadPrimvar(m, usdaFindField(m, "primvars:displayColor"), 3, &m->colors);
	}
	if (result >= 0)
	{
		result = usdaReadPrimvar(m, usdaFindField(m, "primvars:displayOpacity"), 1, &m->opacities);
	}
	return result;
}

static void usdaFillFaces(UsdaMesh* m)
{
	brMesh* mesh = m->mesh;
	int32_t face = 0, corner = 0, start = 0;
	for (int32_t f = 0; f < m->counts.count; start += m->counts.data[f], ++f)
	{
		if (m->counts.data[f] < 3)
		{
			continue;
		}
		for (int32_t c = start; c < start + m->counts.data[f]; ++c, ++corner)
		{
			int32_t v = m->indices.data[c];
			mesh->corners[corner] = v;
			if (mesh->uvs != NULL)
			{
				usdaGet(m, &m->uvs, f, v, c, &mesh->uvs[corner].x);
			}
			if (mesh->normals != NULL)
			{
				usdaGet(m, &m->normals, f, v, c, &mesh->normals[corner].x);
			}
			if (mesh->colors != NULL)
			{
				mesh->colors[v].w = 1.0f;
				usdaGet(m, &m->colors, f, v, c, &mesh->colors[v].x);
				if (m->opacities.isPresent)
				{
					usdaGet(m, &m->opacities, f, v, c, &mesh->colors[v].w);
				}
			}
		}
		if (mesh->faceMaterials != NULL)
		{
			mesh->faceMaterials[face] = m->materials.count > 0 ? m->faceMaterials[f] : 0;
		}
		mesh->faceStarts[++face] = corner;
	}
}

static bool usdaIsOneColor(const UsdaMesh* m)
{
	return m->colors.isPresent && m->colors.values.count == 3;
}

static brResult usdaBuild(UsdaMesh* m)
{
	bool hasOwnColor = usdaIsOneColor(m) && m->materials.count == 0;
	brMeshShape shape = {
		.vertexCount = m->points.count / 3,
		.faceCount = m->faceCount,
		.cornerCount = m->cornerCount,
		.materialCount = hasOwnColor ? 1 : m->materials.count,
		.hasUvs = m->uvs.isPresent,
		.hasNormals = m->normals.isPresent,
		.hasColors = m->colors.isPresent && !usdaIsOneColor(m),
		.hasFaceMaterials = hasOwnColor || m->materials.count > 0,
	};
	brMesh* mesh = brAllocMesh(&m->layer->job->allocator, &shape);
	if (mesh == NULL)
	{
		return brFailMemory(m->layer->job->report);
	}
	m->mesh = mesh;
	for (int32_t v = 0; v < mesh->vertexCount; ++v)
	{
		const double* p = &m->points.data[3 * v];
		mesh->positions[v] = brMakeDVec3(p[0], p[1], p[2]);
	}
	usdaFillFaces(m);
	for (int32_t i = 0; i < m->materials.count; ++i)
	{
		mesh->materials[i] = usdaReadMaterial(m->layer, m->materials.data[i]);
	}
	if (hasOwnColor)
	{
		mesh->materials[0] = brDefaultSurfaceMaterial();
		usdaGet(m, &m->colors, 0, 0, 0, &mesh->materials[0].baseColor.x);
		memcpy(mesh->materials[0].name, "displayColor", 13);
	}
	brUsdaText orientation = brUsdaText_Unquote(brUsdaNode_Value(m->node, m->layer, "orientation"));
	for (int32_t f = 0; f < mesh->faceCount && brUsdaText_Is(orientation, "leftHanded"); ++f)
	{
		brMesh_TurnFace(mesh, f);
	}
	return br_success;
}

static void usdaFreePrimvar(const brAllocator* allocator, UsdaPrimvar* var)
{
	BR_FREE_ARRAY(allocator, &var->values);
	BR_FREE_ARRAY(allocator, &var->indices);
}

brResult brUsda_Mesh(brUsdaLayer* layer, const brUsdaNode* node, int32_t binding, brMesh** outMesh)
{
	UsdaMesh m = {.layer = layer, .node = node};
	const brAllocator* allocator = &layer->job->allocator;
	*outMesh = NULL;
	brResult result = usdaReadArrays(&m);
	if (result >= 0 && m.faceCount > 0)
	{
		result = usdaReadPrimvars(&m);
		if (result >= 0)
		{
			result = usdaBindFaces(&m, brUsda_Binding(layer, node, binding));
		}
		if (result >= 0)
		{
			result = usdaBuild(&m);
		}
	}
	*outMesh = m.mesh;
	BR_FREE(allocator, m.faceMaterials, m.counts.count);
	BR_FREE_ARRAY(allocator, &m.points);
	BR_FREE_ARRAY(allocator, &m.counts);
	BR_FREE_ARRAY(allocator, &m.indices);
	BR_FREE_ARRAY(allocator, &m.materials);
	usdaFreePrimvar(allocator, &m.uvs);
	usdaFreePrimvar(allocator, &m.normals);
	usdaFreePrimvar(allocator, &m.colors);
	usdaFreePrimvar(allocator, &m.opacities);
	return result;
}

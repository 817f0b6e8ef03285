// SPDX-License-Identifier: MIT
#include "io/scene_parts.h"

#include <stdio.h>
#include <string.h>

static brResult checkPart(const brWriteJob* job, int32_t index)
{
	const brAssembly* assembly = job->assembly;
	const brPart* part = &assembly->parts[index];
	bool hasMesh = part->mesh >= 0 && part->mesh < assembly->meshCount && part->tetMesh < 0;
	bool hasTets = part->tetMesh >= 0 && part->tetMesh < assembly->tetMeshCount && part->mesh < 0;
	bool hasKeys = part->keyCount >= 0 && part->firstKey >= 0 && part->firstKey <= assembly->keyCount - part->keyCount;
	bool hasGroup = part->group >= -1 && part->group < assembly->groupCount;
	bool hasParent = part->parent >= -1 && part->parent < assembly->partCount;
	if ((!hasMesh && !hasTets) || !hasKeys || !hasGroup || !hasParent)
	{
		return brFailAt(job->report, br_errorMisuse, index,
						"part %d names no mesh, or keys, a group or a part that do not exist", index);
	}
	const brMat3* m = &part->placement.m;
	bool isFinite = brDIsFinite(m->cx) && brDIsFinite(m->cy) && brDIsFinite(m->cz) && brDIsFinite(part->placement.p) &&
					!isnan(part->bornTime) && !isnan(part->goneTime) && isfinite(part->mass) &&
					isfinite(part->breakEnergy);
	for (int32_t k = 0; k < part->keyCount && isFinite; ++k)
	{
		const brMotionKey* key = &assembly->keys[part->firstKey + k];
		brQuat q = key->pose.q;
		isFinite = isfinite(key->time) && brDIsFinite(brToDVec3(brToVec3(key->pose.p))) && isfinite(q.x) &&
				   isfinite(q.y) && isfinite(q.z) && isfinite(q.w);
	}
	return isFinite ? br_success
					: brFailAt(job->report, br_errorGeometry, index,
							   "part %d has a placement, pose or time that is not finite", index);
}

brResult brCheckParts(const brWriteJob* job)
{
	for (int32_t p = 0; p < job->assembly->partCount; ++p)
	{
		brResult result = checkPart(job, p);
		if (result < 0)
		{
			return result;
		}
	}
	return br_success;
}

void brNamePart(const brPart* part, int32_t index, char outName[64])
{
	size_t length = strnlen(part->name, sizeof(part->name) - 1);
	memset(outName, 0, 64);
	memcpy(outName, part->name, length);
	if (length == 0)
	{
		snprintf(outName, 64, "part_%d", index);
	}
}

bool brFindTimeRange(const brAssembly* assembly, double* outFirst, double* outLast)
{
	double first = INFINITY;
	double last = -INFINITY;
	for (int32_t p = 0; p < assembly->partCount; ++p)
	{
		const brPart* part = &assembly->parts[p];
		double times[4] = {part->bornTime, part->goneTime, NAN, NAN};
		if (part->keyCount > 0)
		{
			times[2] = assembly->keys[part->firstKey].time;
			times[3] = assembly->keys[part->firstKey + part->keyCount - 1].time;
		}
		for (int32_t k = 0; k < 4; ++k)
		{
			first = isfinite(times[k]) && times[k] < first ? times[k] : first;
			last = isfinite(times[k]) && times[k] > last ? times[k] : last;
		}
	}
	*outFirst = first;
	*outLast = last;
	return first <= last;
}

int32_t brMaterialList_Add(brMaterialList* list, const brAllocator* allocator, const brSurfaceMaterial* material,
						   bool keepTexture)
{
	brSurfaceMaterial clean;
	memset(&clean, 0, sizeof(clean));
	memcpy(clean.name, material->name, strnlen(material->name, sizeof(clean.name) - 1));
	memcpy(clean.texture, material->texture, keepTexture ? strnlen(material->texture, sizeof(clean.texture) - 1) : 0);
	float values[9] = {material->baseColor.x, material->baseColor.y, material->baseColor.z,
					   material->baseColor.w, material->metallic,    material->roughness,
					   material->emission.x,  material->emission.y,  material->emission.z};
	for (int32_t k = 0; k < 9; ++k)
	{
		bool isBad = k < 6 ? brClampUnit(&values[k]) : !(values[k] >= 0.0f && values[k] < INFINITY);
		values[k] = k >= 6 && isBad ? 0.0f : values[k];
		list->hasClamped |= isBad;
	}
	clean.baseColor = (brVec4){values[0], values[1], values[2], values[3]};
	clean.metallic = values[4], clean.roughness = values[5];
	clean.emission = (brVec3){values[6], values[7], values[8]};

	// Newest first: pieces of one object come one after the other and look alike.
	for (int32_t i = list->items.count - 1; i >= 0; --i)
	{
		if (memcmp(&list->items.data[i], &clean, sizeof(clean)) == 0)
		{
			return i;
		}
	}
	return BR_PUSH(allocator, &list->items, clean) ? list->items.count - 1 : -1;
}

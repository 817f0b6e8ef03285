// SPDX-License-Identifier: MIT

// The nodes of a glTF file that is written: one or more for each part.
//
//     scene -> [group: a thing that broke] -> part node [pose, visibility] -> [placement] -> mesh
//           -> camera
//
// A node's matrix must be a rotation times a scale for the format's validator; a sheared placement A is written as two
// nodes, A V above V^T, where V comes from one-sided Jacobi rotations and makes the columns of A V orthogonal.
// Everything else keeps its doubles: a placement reads back bit for bit.

#include "io/gltf_writer.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// Columns of a placement count as orthogonal below this cosine: the rounding of any rotation matrix stays far under it,
// and the validator decomposes in float.
#define GLTF_ORTHOGONAL_COSINE 1e-9

// Turns columns of `m` until they are orthogonal: m becomes m v, v a rotation.
static brMat3 gltfOrthogonalise(brMat3* m)
{
	brMat3 v = brMakeMat3Identity();
	for (int32_t sweep = 0; sweep < 30; ++sweep)
	{
		bool isDone = true;
		for (int32_t pair = 0; pair < 3; ++pair)
		{
			brDVec3* columns[2][3] = {{&m->cx, &m->cy, &m->cz}, {&v.cx, &v.cy, &v.cz}};
			int32_t i = pair == 2 ? 1 : 0;
			int32_t j = pair == 0 ? 1 : 2;
			double aa = brDLengthSq(*columns[0][i]);
			double bb = brDLengthSq(*columns[0][j]);
			double ab = brDDot(*columns[0][i], *columns[0][j]);
			if (!(fabs(ab) > 0x1p-52 * sqrt(aa * bb)))
			{
				continue;
			}
			isDone = false;
			double zeta = (bb - aa) / (2.0 * ab);
			double t = (zeta >= 0.0 ? 1.0 : -1.0) / (fabs(zeta) + sqrt(1.0 + zeta * zeta));
			double c = 1.0 / sqrt(1.0 + t * t);
			double s = c * t;
			for (int32_t k = 0; k < 2; ++k)
			{
				brDVec3 a = *columns[k][i];
				brDVec3 b = *columns[k][j];
				*columns[k][i] = brDSub(brDMul(c, a), brDMul(s, b));
				*columns[k][j] = brDAdd(brDMul(s, a), brDMul(c, b));
			}
		}
		if (isDone)
		{
			break;
		}
	}
	return v;
}

static bool gltfIsSheared(const brMat3* m)
{
	double xx = brDLengthSq(m->cx), yy = brDLengthSq(m->cy), zz = brDLengthSq(m->cz);
	double limit = GLTF_ORTHOGONAL_COSINE;
	return fabs(brDDot(m->cx, m->cy)) > limit * sqrt(xx * yy) || fabs(brDDot(m->cx, m->cz)) > limit * sqrt(xx * zz) ||
		   fabs(brDDot(m->cy, m->cz)) > limit * sqrt(yy * zz);
}

// Translation and scale where that is all, else the matrix; nothing for the identity.
static void gltfWritePlacement(brJsonText* json, const brAffine* placement, bool* isFirstField)
{
	const brMat3* m = &placement->m;
	brMat3 diagonal = {{m->cx.x, 0.0, 0.0}, {0.0, m->cy.y, 0.0}, {0.0, 0.0, m->cz.z}};
	brDVec3 origin = {0.0, 0.0, 0.0};
	bool isDiagonal = memcmp(m, &diagonal, sizeof(diagonal)) == 0; // negative zeros stay too
	if (!isDiagonal)
	{
		double values[16] = {m->cx.x, m->cx.y, m->cx.z, 0.0, m->cy.x,        m->cy.y,        m->cy.z,        0.0,
							 m->cz.x, m->cz.y, m->cz.z, 0.0, placement->p.x, placement->p.y, placement->p.z, 1.0};
		brJson_Comma(json, isFirstField);
		brJson_Add(json, "\"matrix\":");
		brJson_Doubles(json, values, 16);
		return;
	}
	double translation[3] = {placement->p.x, placement->p.y, placement->p.z};
	double scale[3] = {m->cx.x, m->cy.y, m->cz.z};
	if (memcmp(&placement->p, &origin, sizeof(origin)) != 0)
	{
		brJson_Comma(json, isFirstField);
		brJson_Add(json, "\"translation\":");
		brJson_Doubles(json, translation, 3);
	}
	if (scale[0] != 1.0 || scale[1] != 1.0 || scale[2] != 1.0)
	{
		brJson_Comma(json, isFirstField);
		brJson_Add(json, "\"scale\":");
		brJson_Doubles(json, scale, 3);
	}
}

static void gltfWriteExtra(brJsonText* json, const char* key, double value)
{
	brJson_Format(json, ",\"%s\":", key);
	brJson_Double(json, value);
}

// What a user may sort and select by; Blender shows them as custom properties.
static void gltfWriteExtras(const brGltfWriter* writer, brJsonText* json, int32_t index)
{
	const brAssembly* assembly = writer->job->assembly;
	const brPart* part = &assembly->parts[index];
	if (part->mass == 0.0 && part->parent < 0 && part->generation == 0)
	{
		return;
	}
	brJson_Format(json, ",\"extras\":{\"id\":%d,\"generation\":%d", index, part->generation);
	if (part->parent >= 0)
	{
		char name[64];
		brNamePart(&assembly->parts[part->parent], part->parent, name);
		brJson_Add(json, ",\"parent\":");
		brJson_String(json, name);
	}
	gltfWriteExtra(json, "birth_time", isfinite(part->bornTime) ? part->bornTime : 0.0);
	if (part->mass > 0.0)
	{
		gltfWriteExtra(json, "mass", part->mass);
	}
	if (part->breakEnergy > 0.0)
	{
		gltfWriteExtra(json, "break_energy", part->breakEnergy);
	}
	if (part->mesh >= 0)
	{
		const brMesh* mesh = assembly->meshes[part->mesh];
		gltfWriteExtra(json, "volume", brMesh_ComputeMass(mesh, 1.0).volume);
		if (mesh->materialCount > 0 && mesh->materials[0].name[0] != 0)
		{
			brJson_Add(json, ",\"material\":");
			brJson_String(json, mesh->materials[0].name);
		}
	}
	brJson_Add(json, "}");
}

// At rest a part stands at its first key, and one that is not there at the start has no size: what shows a file without
// playing it shows the first frame.
static void gltfWriteRest(const brGltfWriter* writer, brJsonText* json, const brPart* part)
{
	if (part->keyCount > 0)
	{
		brTransform pose = writer->job->assembly->keys[part->firstKey].pose;
		brQuat q = brQuat_Normalize(pose.q);
		double values[7] = {pose.p.x, pose.p.y, pose.p.z, q.x, q.y, q.z, q.w};
		brJson_Add(json, ",\"translation\":");
		brJson_Doubles(json, values, 3);
		brJson_Add(json, ",\"rotation\":");
		brJson_Doubles(json, values + 3, 4);
	}
	if (part->bornTime + writer->timeShift > 0.0 || part->goneTime + writer->timeShift <= 0.0)
	{
		brJson_Add(json, ",\"scale\":[0,0,0]");
	}
}

static bool gltfAddNodes(brGltfWriter* writer, brGltfNodes* nodes, int32_t index)
{
	const brAssembly* assembly = writer->job->assembly;
	const brPart* part = &assembly->parts[index];
	const brGltfShape* shape = &writer->shapes[part->mesh >= 0 ? part->mesh : assembly->meshCount + part->tetMesh];
	brJsonText* json = &nodes->json;
	brAffine placement = part->placement;
	brMat3 inner = brMakeMat3Identity();
	bool isSheared = gltfIsSheared(&placement.m);
	if (isSheared)
	{
		brMat3 v = gltfOrthogonalise(&placement.m);
		inner = brMat3_Transpose(&v);
	}

	// From the outside in: motion, placement, the inner turn of a sheared one. The last of them shows the mesh.
	bool isAnimated = brPart_IsAnimated(part);
	bool isPlaced = !isAnimated || !brAffine_IsIdentity(&placement);
	int32_t levelCount = isAnimated + isPlaced + isSheared;
	static const char* const endings[3] = {"", "_placed", "_turned"};
	char name[80];
	brNamePart(part, index, name);
	size_t length = strlen(name);
	int32_t top = nodes->count;
	for (int32_t level = 0; level < levelCount; ++level)
	{
		snprintf(name + length, sizeof(name) - length, "%s", endings[level]);
		brJson_Comma(json, &nodes->isFirst);
		bool isFirstField = false;
		brJson_Add(json, "\n{\"name\":");
		brJson_String(json, name);
		if (level + 1 < levelCount)
		{
			brJson_Format(json, ",\"children\":[%d]", nodes->count + 1);
		}
		else if (shape->mesh >= 0)
		{
			brJson_Format(json, ",\"mesh\":%d", shape->mesh);
		}
		if (level == 0 && isAnimated)
		{
			gltfWriteRest(writer, json, part);
		}
		else if (level == isAnimated && isPlaced)
		{
			gltfWritePlacement(json, &placement, &isFirstField);
		}
		else
		{
			brAffine turn = {inner, {0.0, 0.0, 0.0}};
			gltfWritePlacement(json, &turn, &isFirstField);
		}
		if (level == 0)
		{
			gltfWriteExtras(writer, json, index);
		}
		brJson_Add(json, "}");
		nodes->count += 1;
	}
	return BR_PUSH(&writer->job->allocator, &nodes->tops, top) &&
		   (!isAnimated || brGltfWriter_AddMotion(writer, index, top));
}

// A node for each group with its parts below; what has no group stays at the top.
static void gltfGroupNodes(const brGltfWriter* writer, brGltfNodes* nodes)
{
	const brAssembly* assembly = writer->job->assembly;
	brJsonText* json = &nodes->json;
	int32_t topCount = 0;
	for (int32_t g = 0; g < assembly->groupCount; ++g)
	{
		bool isFirst = true;
		for (int32_t p = 0; p < assembly->partCount; ++p)
		{
			if (assembly->parts[p].group != g)
			{
				continue;
			}
			if (isFirst)
			{
				brJson_Comma(json, &nodes->isFirst);
				brJson_Add(json, "\n{\"name\":");
				brJson_String(json, assembly->groups[g]);
				brJson_Add(json, ",\"children\":[");
			}
			brJson_Format(json, isFirst ? "%d" : ",%d", nodes->tops.data[p]);
			isFirst = false;
		}
		brJson_Add(json, isFirst ? "" : "]}");
		nodes->groups[g] = isFirst ? -1 : nodes->count;
		nodes->count += !isFirst;
	}
	// Tops: groups where their first part was, then what stands alone.
	for (int32_t p = 0; p < assembly->partCount; ++p)
	{
		int32_t group = assembly->parts[p].group;
		int32_t top = group < 0 ? nodes->tops.data[p] : nodes->groups[group];
		if (group >= 0)
		{
			nodes->groups[group] = -1;
		}
		if (top >= 0)
		{
			nodes->tops.data[topCount++] = top;
		}
	}
	nodes->tops.count = topCount;
}

static bool gltfAddCamera(const brGltfWriter* writer, brGltfNodes* nodes)
{
	const brAssemblyCamera* camera = &writer->job->assembly->camera;
	if (!camera->isSet)
	{
		return true;
	}
	brQuat q = brQuat_Normalize(camera->pose.q);
	double values[7] = {camera->pose.p.x, camera->pose.p.y, camera->pose.p.z, q.x, q.y, q.z, q.w};
	brJson_Comma(&nodes->json, &nodes->isFirst);
	brJson_Add(&nodes->json, "\n{\"name\":\"camera\",\"camera\":0,\"translation\":");
	brJson_Doubles(&nodes->json, values, 3);
	brJson_Add(&nodes->json, ",\"rotation\":");
	brJson_Doubles(&nodes->json, values + 3, 4);
	brJson_Add(&nodes->json, "}");
	return BR_PUSH(&writer->job->allocator, &nodes->tops, nodes->count++);
}

bool brGltfWriter_GatherNodes(brGltfWriter* writer, brGltfNodes* nodes)
{
	const brAssembly* assembly = writer->job->assembly;
	brGltfWriter_PlanTime(writer);
	for (int32_t p = 0; p < assembly->partCount; ++p)
	{
		if (!gltfAddNodes(writer, nodes, p))
		{
			return false;
		}
	}
	if (assembly->groupCount > 0)
	{
		nodes->groups = BR_ALLOC(&writer->job->allocator, int32_t, assembly->groupCount);
		if (nodes->groups == NULL)
		{
			return false;
		}
		gltfGroupNodes(writer, nodes);
		BR_FREE(&writer->job->allocator, nodes->groups, assembly->groupCount);
	}
	return gltfAddCamera(writer, nodes);
}

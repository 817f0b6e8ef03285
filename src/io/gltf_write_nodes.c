// SPDX-License-Identifier: MIT

// The nodes of a glTF file that is written: one or more for each part.
//
//     scene -> [root that turns z up into y up] -> part node [pose, visibility] -> [placement] -> mesh
//
// A node's matrix must be a rotation times a scale for the format's validator; a sheared placement A is written as two
// nodes, A V above V^T, where V comes from one-sided Jacobi rotations and makes the columns of A V orthogonal.
// Everything else keeps its doubles: a placement reads back bit for bit.

#include "io/gltf_writer.h"

#include <math.h>
#include <string.h>

// Columns of a placement count as orthogonal below this cosine: the rounding of any rotation matrix stays far under it,
// and the validator decomposes in float.
#define GLTF_ORTHOGONAL_COSINE 1e-9

static bool gltfIsIdentity(const brAffine* placement)
{
	brAffine identity = brMakeAffineIdentity();
	return memcmp(placement, &identity, sizeof(identity)) == 0;
}

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
	bool isPlaced = !isAnimated || !gltfIsIdentity(&placement);
	int32_t levelCount = isAnimated + isPlaced + isSheared;
	char name[64];
	brNamePart(part, index, name);
	int32_t top = nodes->count;
	for (int32_t level = 0; level < levelCount; ++level)
	{
		brJson_Comma(json, &nodes->isFirst);
		bool isFirstField = true;
		brJson_Add(json, "\n{");
		if (level == 0)
		{
			brJson_Comma(json, &isFirstField);
			brJson_Add(json, "\"name\":");
			brJson_String(json, name);
		}
		if (level + 1 < levelCount)
		{
			brJson_Comma(json, &isFirstField);
			brJson_Format(json, "\"children\":[%d]", nodes->count + 1);
		}
		else if (shape->mesh >= 0)
		{
			brJson_Comma(json, &isFirstField);
			brJson_Format(json, "\"mesh\":%d", shape->mesh);
		}
		if (level == 0 && isAnimated)
		{
			if (part->keyCount > 0)
			{
				// At rest the part stands at its first key.
				brTransform pose = assembly->keys[part->firstKey].pose;
				brQuat q = brQuat_Normalize(pose.q);
				double values[7] = {pose.p.x, pose.p.y, pose.p.z, q.x, q.y, q.z, q.w};
				brJson_Add(json, ",\"translation\":");
				brJson_Doubles(json, values, 3);
				brJson_Add(json, ",\"rotation\":");
				brJson_Doubles(json, values + 3, 4);
			}
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
		brJson_Add(json, "}");
		nodes->count += 1;
	}
	return BR_PUSH(&writer->job->allocator, &nodes->tops, top) &&
		   (!isAnimated || brGltfWriter_AddMotion(writer, index, top));
}

bool brGltfWriter_GatherNodes(brGltfWriter* writer, brGltfNodes* nodes)
{
	brGltfWriter_PlanTime(writer);
	for (int32_t p = 0; p < writer->job->assembly->partCount; ++p)
	{
		if (!gltfAddNodes(writer, nodes, p))
		{
			return false;
		}
	}
	if (!writer->job->def->yUp || nodes->tops.count == 0)
	{
		return true;
	}
	brJson_Comma(&nodes->json, &nodes->isFirst);
	brJson_Add(&nodes->json, "\n{\"name\":\"y_up\",\"matrix\":[1,0,0,0,0,0,-1,0,0,1,0,0,0,0,0,1],\"children\":[");
	for (int32_t i = 0; i < nodes->tops.count; ++i)
	{
		brJson_Format(&nodes->json, i > 0 ? ",%d" : "%d", nodes->tops.data[i]);
	}
	brJson_Add(&nodes->json, "]}");
	nodes->tops.data[0] = nodes->count++;
	nodes->tops.count = 1;
	return true;
}

// SPDX-License-Identifier: MIT

// One mesh into pieces: cut, shatter, crack.

#include "handles.h"
#include "team.h"

#include <stdlib.h>
#include <string.h>

static int32_t webPutCut(brCutResult* cut)
{
	WebPieces* pieces = webMakePieces(cut->pieceCount, 0);
	for (int32_t i = 0; pieces != NULL && i < cut->pieceCount; ++i)
	{
		pieces->meshes[i] = cut->pieces[i].mesh;
		pieces->masses[i] = cut->pieces[i].volume;
		cut->pieces[i].mesh = NULL;
	}
	brDestroyCutResult(cut);
	return pieces != NULL ? webPut(web_pieces, pieces) : webReport.code;
}

/// `op` as in brCutOp.
WEB_API int32_t webCut(int32_t source, int32_t cutter, int32_t op)
{
	const brMesh* mesh = webGet(source, web_mesh);
	const brMesh* tool = mesh != NULL ? webGet(cutter, web_mesh) : NULL;
	if (tool == NULL)
	{
		return webReport.code;
	}
	brCutDef def = brDefaultCutDef();
	def.op = (brCutOp)op;
	brCutResult* cut;
	brResult result = brCutMesh(webContext(), mesh, tool, &def, &cut, &webReport);
	return result < 0 ? result : webPutCut(cut);
}

/// By a plane: point and normal.
WEB_API int32_t webCutPlane(int32_t source, const double* numbers)
{
	const brMesh* mesh = webGet(source, web_mesh);
	if (mesh == NULL)
	{
		return webReport.code;
	}
	brDVec3 point = {numbers[0], numbers[1], numbers[2]}, normal = {numbers[3], numbers[4], numbers[5]};
	brCutResult* cut;
	brResult result = brCutMeshByPlane(webContext(), mesh, point, normal, NULL, &cut, &webReport);
	return result < 0 ? result : webPutCut(cut);
}

static int32_t webPutPieces(brPiece* from, int32_t count, const brBond* bonds, int32_t bondCount)
{
	WebPieces* pieces = webMakePieces(count, bondCount);
	if (pieces == NULL)
	{
		return webReport.code;
	}
	for (int32_t i = 0; i < count; ++i)
	{
		pieces->meshes[i] = from[i].mesh;
		pieces->masses[i] = from[i].mass.mass;
		from[i].mesh = NULL;
	}
	for (int32_t i = 0; i < bondCount; ++i)
	{
		memcpy(pieces->bonds + 2 * i, bonds[i].pieces, 2 * sizeof(int32_t));
	}
	return webPut(web_pieces, pieces);
}

/// What webShatter takes, in this order.
typedef struct WebShatterOptions
{
	double count, pattern, seed, at[3], radius, strength, axis[3], jitter, smallest, density, roughness;
	double stretch[3];
} WebShatterOptions;

WEB_API int32_t webShatter(int32_t source, const WebShatterOptions* options)
{
	const brMesh* mesh = webGet(source, web_mesh);
	if (mesh == NULL)
	{
		return webReport.code;
	}
	brSiteDef sites = brDefaultSiteDef();
	sites.count = (int32_t)options->count;
	sites.pattern = (brSitePattern)options->pattern;
	sites.seed = (uint64_t)options->seed;
	memcpy(&sites.at, options->at, sizeof(sites.at));
	sites.radius = options->radius;
	sites.strength = options->strength;
	memcpy(&sites.axis, options->axis, sizeof(sites.axis));
	sites.jitter = options->jitter;
	brDVec3* points = malloc((size_t)sites.count * sizeof(brDVec3));
	if (points == NULL)
	{
		return webFail(br_errorMemory, "there is not enough memory for %d sites", sites.count);
	}
	int32_t count = 0;
	brShatter* shatter = NULL;
	brResult result = brMakeSites(webContext(), mesh, &sites, points, &count, &webReport);
	if (result >= 0)
	{
		brShatterDef def = brDefaultShatterDef();
		def.sites = points;
		def.siteCount = count;
		def.smallest = options->smallest;
		def.density = options->density;
		def.roughness = options->roughness;
		def.roughnessSeed = sites.seed;
		memcpy(&def.stretch, options->stretch, sizeof(def.stretch));
		result = brCreateShatter(webContext(), mesh, &def, &shatter, &webReport);
	}
	free(points);
	if (result < 0)
	{
		return result;
	}
	int32_t handle = webPutPieces(shatter->pieces, shatter->pieceCount, shatter->bonds, shatter->bondCount);
	brDestroyShatter(shatter);
	return handle;
}

/// What webCrack takes, in this order.
typedef struct WebCrackOptions
{
	double hit[3], impulse[3], tets, seed, strikerRadius, maxPieces, grain;
} WebCrackOptions;

WEB_API int32_t webCrack(int32_t source, const char* material, const WebCrackOptions* options)
{
	const brMesh* mesh = webGet(source, web_mesh);
	if (mesh == NULL)
	{
		return webReport.code;
	}
	const brMaterial* preset = brFindMaterial(material);
	if (preset == NULL)
	{
		return webFail(br_errorMisuse, "there is no material %.60s", material);
	}
	brCrackDef def = brDefaultCrackDef();
	def.material = *preset;
	memcpy(&def.hit, options->hit, sizeof(def.hit));
	memcpy(&def.impulse, options->impulse, sizeof(def.impulse));
	def.tets = (int32_t)options->tets;
	def.seed = (uint64_t)options->seed;
	def.strikerRadius = options->strikerRadius;
	def.maxPieces = (int32_t)options->maxPieces;
	def.grain = options->grain;
	brCracks* cracks;
	brResult result = brCreateCracks(webContext(), mesh, &def, &cracks, &webReport);
	if (result < 0)
	{
		return result;
	}
	webFail(br_success, "%s", brCrackEndText(cracks->stats.end));
	int32_t handle = webPutPieces(cracks->pieces, cracks->pieceCount, cracks->bonds, cracks->bondCount);
	brDestroyCracks(cracks);
	return handle;
}

/// How many pieces and bonds, addresses of masses (f64) and bonds (i32 pairs).
WEB_API int32_t webGetPieces(int32_t handle, uint32_t* out)
{
	const WebPieces* pieces = webGet(handle, web_pieces);
	if (pieces == NULL)
	{
		return webReport.code;
	}
	out[0] = (uint32_t)pieces->count;
	out[1] = (uint32_t)pieces->bondCount;
	out[2] = (uint32_t)(uintptr_t)pieces->masses;
	out[3] = (uint32_t)(uintptr_t)pieces->bonds;
	return 0;
}

/// One piece out of the list, as a mesh of its own.
WEB_API int32_t webTakePiece(int32_t handle, int32_t index)
{
	WebPieces* pieces = webGet(handle, web_pieces);
	if (pieces == NULL)
	{
		return webReport.code;
	}
	if (index < 0 || index >= pieces->count || pieces->meshes[index] == NULL)
	{
		return webFail(br_errorMisuse, "there is no piece %d, or it has been taken", index);
	}
	brMesh* mesh = pieces->meshes[index];
	pieces->meshes[index] = NULL;
	return webPut(web_mesh, mesh);
}

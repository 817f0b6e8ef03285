// SPDX-License-Identifier: MIT

// Meshes in and out: arrays, files, built-in models; check, repair, tets, pairs of triangles.

#include "handles.h"
#include "memory_files.h"
#include "team.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// Positions as 3 doubles each; faceStarts may be null: all faces are triangles.
WEB_API int32_t webMakeMesh(const double* positions, int32_t vertexCount, const int32_t* corners, int32_t cornerCount,
							const int32_t* faceStarts, int32_t faceCount)
{
	if (faceStarts != NULL)
	{
		// The library reads as many corners as the last start says.
		for (int32_t f = 0; f <= faceCount; ++f)
		{
			if (faceStarts[f] < 0 || faceStarts[f] > cornerCount)
			{
				return webFail(br_errorMisuse, "faceStarts[%d] is %d, and there are %d corners", f, faceStarts[f],
							   cornerCount);
			}
		}
	}
	else if (cornerCount % 3 != 0)
	{
		return webFail(br_errorMisuse, "triangles have three corners each, and %d is no multiple of three",
					   cornerCount);
	}
	brMeshDef def = brDefaultMeshDef();
	def.vertexCount = vertexCount;
	def.positions = (const brDVec3*)positions;
	def.faceCount = faceStarts != NULL ? faceCount : cornerCount / 3;
	def.faceStarts = faceStarts;
	def.corners = corners;
	brMesh* mesh;
	brResult result = brCreateMesh(webContext(), &def, &mesh, &webReport);
	return result < 0 ? result : webPut(web_mesh, mesh);
}

/// `names` holds one zero-ended name after another, for each of `values`.
WEB_API int32_t webMakeModel(const char* name, int32_t resolution, double seed, const char* names, const double* values,
							 int32_t count)
{
	brModelDef def = brDefaultModelDef(name);
	def.resolution = resolution;
	def.seed = (uint64_t)seed;
	for (int32_t i = 0; i < count; ++i)
	{
		if (!brModelDef_SetParameter(&def, names, values[i]))
		{
			return webFail(br_errorMisuse, "the model %.60s has no parameter %.60s, or %g is out of its range", name,
						   names, values[i]);
		}
		names += strlen(names) + 1;
	}
	brMesh* mesh;
	brResult result = brMakeModel(webContext(), &def, &mesh, &webReport);
	return result < 0 ? result : webPut(web_mesh, mesh);
}

/// All parts of a file as one mesh. `name` is used for its ending and in messages.
WEB_API int32_t webReadMesh(const char* name, const void* bytes, size_t byteCount)
{
	brFileFormat format = brFileFormat_FromPath(name);
	if (format == br_formatUnknown || !brFileFormat_CanRead(format))
	{
		return webFail(br_errorUnsupported, "%.100s: files with this ending are not read here", name);
	}
	// Readers may look one byte behind the end.
	uint8_t* copy = malloc(byteCount + 1);
	if (copy == NULL)
	{
		return webFail(br_errorMemory, "%.100s: there is not enough memory", name);
	}
	memcpy(copy, bytes, byteCount);
	copy[byteCount] = 0;
	brAssembly* assembly = NULL;
	brMesh* mesh = NULL;
	brResult result = brReadAssembly(webContext(), copy, byteCount, format, name, &assembly, &webReport);
	free(copy);
	if (result < 0)
	{
		return result;
	}
	result = brAssembly_Flatten(assembly, NULL, &mesh, &webReport);
	brDestroyAssembly(assembly);
	return result < 0 ? result : webPut(web_mesh, mesh);
}

/// Places and counts: vertices, faces, corners, then addresses of positions (f64), faceStarts, corners (i32), normals, uvs
/// (f32 a corner), colors (f32 a vertex), faceMaterials (i32), materials; 0 for what is absent. Materials count last.
WEB_API int32_t webGetMesh(int32_t handle, uint32_t* out)
{
	const brMesh* mesh = webGet(handle, web_mesh);
	if (mesh == NULL)
	{
		return webReport.code;
	}
	const void* arrays[] = {mesh->positions, mesh->faceStarts, mesh->corners,      mesh->normals,
							mesh->uvs,       mesh->colors,     mesh->faceMaterials};
	out[0] = (uint32_t)mesh->vertexCount;
	out[1] = (uint32_t)mesh->faceCount;
	out[2] = (uint32_t)mesh->cornerCount;
	for (int32_t i = 0; i < 7; ++i)
	{
		out[3 + i] = (uint32_t)(uintptr_t)arrays[i];
	}
	out[10] = (uint32_t)mesh->materialCount;
	return 0;
}

/// One surface material: name, then color RGBA, metallic, roughness as floats.
WEB_API int32_t webGetMaterial(int32_t handle, int32_t index, float* out)
{
	const brMesh* mesh = webGet(handle, web_mesh);
	if (mesh == NULL)
	{
		return webReport.code;
	}
	if (index < 0 || index >= mesh->materialCount)
	{
		return webFail(br_errorMisuse, "the mesh has no material %d", index);
	}
	const brSurfaceMaterial* material = &mesh->materials[index];
	memcpy(out, &material->baseColor, 4 * sizeof(float));
	out[4] = material->metallic;
	out[5] = material->roughness;
	return (int32_t)(uintptr_t)material->name;
}

/// Triangles as bytes: three corner numbers (i32) each, into the arrays by corner.
WEB_API int32_t webTriangulate(int32_t handle)
{
	const brMesh* mesh = webGet(handle, web_mesh);
	if (mesh == NULL)
	{
		return webReport.code;
	}
	brTriangulation* triangles;
	brResult result = brTriangulateMesh(webContext(), mesh, &triangles, &webReport);
	if (result < 0)
	{
		return result;
	}
	WebBytes* bytes = malloc(sizeof(WebBytes));
	size_t count = 3 * (size_t)triangles->triangleCount * sizeof(int32_t);
	uint8_t* data = malloc(count + 1);
	if (bytes == NULL || data == NULL)
	{
		free(bytes);
		free(data);
		brDestroyTriangulation(triangles);
		return webFail(br_errorMemory, "there is not enough memory");
	}
	memcpy(data, triangles->corners, count);
	*bytes = (WebBytes){data, count};
	brDestroyTriangulation(triangles);
	return webPut(web_bytes, bytes);
}

/// A copy, turned, scaled and moved: nine numbers of a matrix by columns, three of a translation.
WEB_API int32_t webTransform(int32_t handle, const double* numbers)
{
	const brMesh* mesh = webGet(handle, web_mesh);
	if (mesh == NULL)
	{
		return webReport.code;
	}
	brAffine map;
	memcpy(&map.m, numbers, 9 * sizeof(double));
	memcpy(&map.p, numbers + 9, 3 * sizeof(double));
	brMesh* moved;
	brResult result = brCopyMesh(webContext(), mesh, &moved, &webReport);
	if (result < 0)
	{
		return result;
	}
	brMesh_Transform(moved, &map);
	return webPut(web_mesh, moved);
}

/// Box (6), area, volume, center (3) as doubles.
WEB_API int32_t webMeasure(int32_t handle, double* out)
{
	const brMesh* mesh = webGet(handle, web_mesh);
	if (mesh == NULL)
	{
		return webReport.code;
	}
	brDBox3 box = brMesh_ComputeBounds(mesh);
	brMassProperties mass = brMesh_ComputeMass(mesh, 1.0);
	memcpy(out, &box, 6 * sizeof(double));
	out[6] = brMesh_ComputeArea(mesh);
	out[7] = mass.volume;
	memcpy(out + 8, &mass.center, 3 * sizeof(double));
	return 0;
}

/// Counts and switches as doubles; the verdict is the text of the call.
WEB_API int32_t webCheckMesh(int32_t handle, double* out)
{
	const brMesh* mesh = webGet(handle, web_mesh);
	if (mesh == NULL)
	{
		return webReport.code;
	}
	brMeshCheck check;
	brResult result = brMesh_Check(mesh, NULL, NULL, &check, &webReport);
	if (result < 0)
	{
		return result;
	}
	const double numbers[] = {check.isSolid,
							  check.isClosed,
							  check.isOriented,
							  check.isManifold,
							  check.vertices,
							  check.faces,
							  check.components,
							  check.boundaryEdges,
							  check.nonmanifoldEdges,
							  check.misorientedEdges,
							  check.selfIntersections,
							  check.area,
							  check.volume};
	memcpy(out, numbers, sizeof(numbers));
	webFail(br_success, "%s", check.verdict);
	return 0;
}

/// A solid out of any mesh; what was done is the text of the call.
WEB_API int32_t webRepair(int32_t handle, double thickness, double largestHole, int32_t resolution)
{
	const brMesh* mesh = webGet(handle, web_mesh);
	if (mesh == NULL)
	{
		return webReport.code;
	}
	brMendDef def = brDefaultMendDef();
	def.thickness = thickness;
	def.largestHole = largestHole;
	def.resolution = resolution > 0 ? resolution : def.resolution;
	brMesh* mended;
	brMendInfo info;
	brResult result = brMendMesh(webContext(), mesh, &def, &mended, &info, &webReport);
	if (result < 0)
	{
		return result;
	}
	webFail(br_success, "%s", info.summary);
	return webPut(web_mesh, mended);
}

/// Triangles of two meshes that meet, as bytes: pairs of triangle numbers (i32), each in its own mesh.
WEB_API int32_t webCollide(int32_t first, int32_t second)
{
	const brMesh* meshes[2] = {webGet(first, web_mesh), NULL};
	meshes[1] = meshes[0] != NULL ? webGet(second, web_mesh) : NULL;
	if (meshes[1] == NULL)
	{
		return webReport.code;
	}
	brCollision* collision;
	brResult result = brCollideMeshes(webContext(), meshes, 2, NULL, &collision, &webReport);
	if (result < 0)
	{
		return result;
	}
	int32_t firstCount = meshes[0]->cornerCount - 2 * meshes[0]->faceCount;
	size_t count = 2 * (size_t)collision->pairCount;
	WebBytes* bytes = malloc(sizeof(WebBytes));
	int32_t* numbers = malloc((count + 1) * sizeof(int32_t));
	if (bytes == NULL || numbers == NULL)
	{
		free(bytes);
		free(numbers);
		brDestroyCollision(collision);
		return webFail(br_errorMemory, "there is not enough memory for %d pairs", (int)collision->pairCount);
	}
	for (size_t i = 0; i < count / 2; ++i)
	{
		brPair pair = collision->pairs[i];
		numbers[2 * i] = pair.a;
		numbers[2 * i + 1] = pair.b - firstCount;
	}
	*bytes = (WebBytes){(uint8_t*)numbers, count * sizeof(int32_t)};
	brDestroyCollision(collision);
	return webPut(web_bytes, bytes);
}

/// Tets of a surface: `count` of them about, or by the edge of their lattice.
WEB_API int32_t webMakeTets(int32_t handle, int32_t count, double edge)
{
	const brMesh* mesh = webGet(handle, web_mesh);
	if (mesh == NULL)
	{
		return webReport.code;
	}
	brTetDef def = brDefaultTetDef();
	def.targetTets = edge > 0.0 ? 0 : count;
	def.edge = edge;
	brTetMesh* tets;
	brResult result = brMakeTetMesh(webContext(), mesh, &def, &tets, NULL, &webReport);
	return result < 0 ? result : webPut(web_tets, tets);
}

/// Counts of nodes and tets, addresses of both.
WEB_API int32_t webGetTets(int32_t handle, uint32_t* out)
{
	const brTetMesh* tets = webGet(handle, web_tets);
	if (tets == NULL)
	{
		return webReport.code;
	}
	out[0] = (uint32_t)tets->nodeCount;
	out[1] = (uint32_t)tets->tetCount;
	out[2] = (uint32_t)(uintptr_t)tets->nodes;
	out[3] = (uint32_t)(uintptr_t)tets->tets;
	return 0;
}

/// Meshes as one file: parts "piece_0" and so on if there are several. `ending` without dot.
WEB_API int32_t webWriteMeshes(const int32_t* handles, int32_t count, const char* ending, int32_t isYUp)
{
	char path[80];
	snprintf(path, sizeof(path), "/written.%.60s", ending);
	brFileFormat format = brFileFormat_FromPath(path);
	if (format == br_formatUnknown || !brFileFormat_CanWrite(format))
	{
		return webFail(br_errorUnsupported, ".%.60s is not written here", ending);
	}
	brAssembly* assembly = brCreateAssembly(webContext());
	brResult result = assembly != NULL ? br_success : webFail(br_errorMemory, "there is not enough memory");
	for (int32_t i = 0; i < count && result >= 0; ++i)
	{
		const brMesh* mesh = webGet(handles[i], web_mesh);
		brMesh* copy = NULL;
		result = mesh != NULL ? brCopyMesh(webContext(), mesh, &copy, &webReport) : webReport.code;
		brPart part = brDefaultPart();
		part.mesh = result >= 0 ? brAssembly_AddMesh(assembly, copy) : -1;
		if (part.mesh < 0)
		{
			brDestroyMesh(copy);
		}
		char name[32];
		snprintf(name, sizeof(name), "piece_%d", i);
		if (result >= 0 && (part.mesh < 0 || brAssembly_AddPart(assembly, count > 1 ? name : "mesh", &part) < 0))
		{
			result = webFail(br_errorMemory, "there is not enough memory");
		}
	}
	brSaveDef def = brDefaultSaveDef();
	def.yUp = isYUp != 0;
	result = result >= 0 ? brSaveAssembly(webContext(), assembly, path, &def, &webReport) : result;
	brDestroyAssembly(assembly);
	if (result < 0)
	{
		return result;
	}
	WebBytes* bytes = webTakeFile(path);
	return bytes != NULL ? webPut(web_bytes, bytes) : webFail(br_errorMemory, "there is not enough memory");
}

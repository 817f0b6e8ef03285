// SPDX-License-Identifier: MIT

// The bodies of a world where they are, as a file.

#include "handles.h"
#include "memory_files.h"
#include "team.h"

#include <stdio.h>
#include <stdlib.h>

// All bodies with a mesh as parts of an assembly, where they are now.
static brResult webAssemble(const brWorld* world, const brBodyId* ids, int32_t count, brAssembly* assembly)
{
	for (int32_t i = 0; i < count; ++i)
	{
		const brMesh* mesh = brWorld_GetMesh(world, ids[i]);
		brMesh* copy = NULL;
		brResult result = mesh != NULL ? brCopyMesh(webContext(), mesh, &copy, &webReport) : br_success;
		if (result < 0)
		{
			return result;
		}
		if (mesh == NULL)
		{
			continue;
		}
		brPart part = brDefaultPart();
		part.placement = brMakeAffineFromTransform(brWorld_GetPose(world, ids[i]));
		part.mesh = brAssembly_AddMesh(assembly, copy);
		if (part.mesh < 0)
		{
			brDestroyMesh(copy);
		}
		char name[32];
		snprintf(name, sizeof(name), "body_%d", (int)ids[i].index1);
		if (part.mesh < 0 || brAssembly_AddPart(assembly, name, &part) < 0)
		{
			return (brResult)webFail(br_errorMemory, "there is not enough memory");
		}
	}
	return br_success;
}

int32_t webWriteBodies(const brWorld* world, const char* ending)
{
	char path[40];
	snprintf(path, sizeof(path), "/world.%.20s", ending);
	brFileFormat format = brFileFormat_FromPath(path);
	if (format == br_formatUnknown || !brFileFormat_CanWrite(format))
	{
		return webFail(br_errorUnsupported, ".%.20s is not written here", ending);
	}
	int32_t count = brWorld_GetBodyCount(world);
	brBodyId* ids = malloc(((size_t)count + 1) * sizeof(brBodyId));
	brAssembly* assembly = brCreateAssembly(webContext());
	brResult result = br_errorMemory;
	if (ids != NULL && assembly != NULL)
	{
		brWorld_GetBodies(world, ids, count);
		result = webAssemble(world, ids, count, assembly);
	}
	if (result >= 0)
	{
		brSaveDef def = brDefaultSaveDef();
		def.yUp = true;
		result = brSaveAssembly(webContext(), assembly, path, &def, &webReport);
	}
	free(ids);
	brDestroyAssembly(assembly);
	if (result < 0)
	{
		return result;
	}
	WebBytes* bytes = webTakeFile(path);
	return bytes != NULL ? webPut(web_bytes, bytes) : webFail(br_errorMemory, "there is not enough memory");
}

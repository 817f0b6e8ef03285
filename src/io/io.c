// SPDX-License-Identifier: MIT

// The table of formats, and the calls that pick a row of it.

#include "base/assert.h"
#include "base/os.h"
#include "io/formats.h"
#include "io/scene_parts.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

typedef struct FormatRow
{
	brFileFormat format;
	const char* name;
	const char* endings[9]; // a null after the last
	brResult (*read)(const brReadJob* job, brAssembly* assembly);
	brResult (*write)(const brWriteJob* job);
} FormatRow;

static const FormatRow formatRows[] = {
#ifdef BR_NO_FILES_IN // a page that breaks things of its own opens none, and saves what it broke
	{br_formatGlb, "glb", {".glb"}, NULL, brWriteGltf},
#else
	{br_formatObj, "obj", {".obj"}, brReadObj, brWriteObj},
	{br_formatPly, "ply", {".ply"}, brReadPly, brWritePly},
	{br_formatStl, "stl", {".stl"}, brReadStl, brWriteStl},
	{br_formatOff, "off", {".off"}, brReadOff, brWriteOff},
	{br_formatGltf, "gltf", {".gltf"}, brReadGltf, brWriteGltf},
	{br_formatGlb, "glb", {".glb"}, brReadGltf, brWriteGltf},
#ifndef BR_COMMON_FILES_ONLY // a page that is downloaded has what people drop on it
	{br_formatUsda, "usda", {".usda", ".usd", ".usdz"}, brReadUsda, brWriteUsd},
#endif
#ifndef BR_SURFACE_FILES_ONLY // a module that is downloaded has no files of tets
	{br_formatMsh, "msh", {".msh"}, brReadMsh, brWriteMsh},
	{br_formatVtk, "vtk", {".vtk"}, brReadVtk, brWriteVtk},
	{br_formatVtu, "vtu", {".vtu"}, brReadVtu, NULL},
	{br_formatMedit, "mesh", {".mesh"}, brReadMedit, brWriteMedit},
	{br_formatTetgen, "node", {".node", ".ele"}, brReadTetgen, brWriteTetgen},
#endif
	{br_formatForeign, "fbx", {".fbx", ".dae", ".3mf", ".x3d", ".blend", ".3ds", ".wrl", ".lwo"}, brReadForeign, NULL},
#endif
};

void brRemarks_Add(brRemarks* remarks, brResult code, const char* format, ...)
{
	remarks->code = remarks->code != br_success ? remarks->code : code;
	size_t used = strlen(remarks->text);
	if (used + 3 >= sizeof(remarks->text))
	{
		return;
	}
	if (used > 0)
	{
		memcpy(remarks->text + used, "; ", 3);
		used += 2;
	}
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(remarks->text + used, sizeof(remarks->text) - used, format, arguments);
	va_end(arguments);
}

brResult brRemarks_Report(const brRemarks* remarks, const char* name, brReport* report)
{
	return remarks->code == br_success ? brSucceed(report)
									   : brFail(report, remarks->code, "%.100s: %s", name, remarks->text);
}

static const FormatRow* findFormat(brFileFormat format)
{
	for (int32_t i = 0; i < BR_COUNT(formatRows); ++i)
	{
		if (formatRows[i].format == format)
		{
			return &formatRows[i];
		}
	}
	return NULL;
}

static bool endsWith(const char* path, const char* ending)
{
	size_t pathLength = strlen(path);
	size_t endingLength = strlen(ending);
	if (pathLength < endingLength)
	{
		return false;
	}
	for (size_t i = 0; i < endingLength; ++i)
	{
		char c = path[pathLength - endingLength + i];
		c = c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
		if (c != ending[i])
		{
			return false;
		}
	}
	return true;
}

brFileFormat brFileFormat_FromPath(const char* path)
{
	for (int32_t i = 0; i < BR_COUNT(formatRows); ++i)
	{
		for (int k = 0; formatRows[i].endings[k] != NULL; ++k)
		{
			if (endsWith(path, formatRows[i].endings[k]))
			{
				return formatRows[i].format;
			}
		}
	}
	return br_formatUnknown;
}

const char* brFileFormat_GetName(brFileFormat format)
{
	const FormatRow* row = findFormat(format);
	return row != NULL ? row->name : "unknown";
}

bool brFileFormat_CanRead(brFileFormat format)
{
	const FormatRow* row = findFormat(format);
	return row != NULL && row->read != NULL;
}

bool brFileFormat_CanWrite(brFileFormat format)
{
	const FormatRow* row = findFormat(format);
	return row != NULL && row->write != NULL;
}

// Messages with a place

static brResult failPlaced(const brReadJob* job, int64_t line, int64_t byte, const char* format, va_list arguments)
{
	char text[360];
	vsnprintf(text, sizeof(text), format, arguments);
	brResult result =
		line > 0 ? brFail(job->report, br_errorFormat, "%.100s:%lld: %s", job->name, (long long)line, text)
				 : brFail(job->report, br_errorFormat, "%.100s: byte %lld: %s", job->name, (long long)byte, text);
	if (job->report != NULL)
	{
		job->report->line = line;
		job->report->byte = byte;
	}
	return result;
}

brResult brFailLine(const brReadJob* job, int64_t line, const char* format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	brResult result = failPlaced(job, line, 0, format, arguments);
	va_end(arguments);
	return result;
}

brResult brFailByte(const brReadJob* job, size_t byte, const char* format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	brResult result = failPlaced(job, 0, (int64_t)byte, format, arguments);
	va_end(arguments);
	return result;
}

static brResult ioRemarkOdd(const brReadJob* job, int64_t odd)
{
	return odd == 0
			   ? br_success
			   : brFail(job->report, br_remarkDropped,
						"%.100s: %lld numbers of normals, texture coordinates or colors are not finite, they became 0",
						job->name, (long long)odd);
}

brResult brRemarkRead(const brReadJob* job, int64_t odd, int32_t skippedFaces)
{
	return skippedFaces == 0
			   ? ioRemarkOdd(job, odd)
			   : brFail(job->report, br_remarkDropped, "%.100s: %d face%s with fewer than three corners skipped",
						job->name, skippedFaces, skippedFaces == 1 ? "" : "s");
}

brResult brCheckCancel(const brReadJob* job, size_t byte)
{
	double progress = job->byteCount > 0 ? (double)byte / (double)job->byteCount : 0.0;
	return brIsCanceled(job->context, progress)
			   ? brFail(job->report, br_errorCanceled, "%.100s: reading was canceled", job->name)
			   : br_success;
}

brResult brReadParts(const brReadJob* job, int32_t end, int32_t total, int32_t* at, brRangeFcn* run, void* user)
{
	enum
	{
		batch = 64
	};
	brResult result = br_success;
	for (; *at < end && result >= 0; *at += batch)
	{
		int32_t count = end - *at < batch ? end - *at : batch;
		brParallelFor(job->context != NULL ? job->context->workers : NULL, count, 1, run, user);
		// A single part is short, or asks itself.
		size_t read = (size_t)((double)job->byteCount * (*at + count) / total);
		result = total > 1 ? brCheckCancel(job, read) : br_success;
	}
	return result;
}

// What readers hand over

brResult brAddReadMesh(const brReadJob* job, brAssembly* assembly, brMesh* mesh, const char* partName)
{
	brPart part = brDefaultPart();
	part.mesh = brAssembly_AddMesh(assembly, mesh);
	if (part.mesh < 0)
	{
		brDestroyMesh(mesh);
		return brFailMemory(job->report);
	}
	return brAssembly_AddPart(assembly, partName, &part) >= 0 ? br_success : brFailMemory(job->report);
}

brResult brAddReadTetMesh(const brReadJob* job, brAssembly* assembly, brTetMesh* mesh, const char* partName)
{
	brPart part = brDefaultPart();
	part.tetMesh = brAssembly_AddTetMesh(assembly, mesh);
	if (part.tetMesh < 0)
	{
		brDestroyTetMesh(mesh);
		return brFailMemory(job->report);
	}
	return brAssembly_AddPart(assembly, partName, &part) >= 0 ? br_success : brFailMemory(job->report);
}

// Reading

// Editors of one kind begin text with a mark of its encoding, EF BB BF. No binary kind begins with it, but for the free
// text at the start of a binary STL file.
static void skipByteOrderMark(const FormatRow* row, brReadJob* job)
{
	bool hasMark = job->byteCount >= 3 && memcmp(job->bytes, "\xEF\xBB\xBF", 3) == 0;
	bool isText = row->format != br_formatStl || (job->byteCount >= 8 && memcmp(job->bytes + 3, "solid", 5) == 0);
	if (hasMark && isText)
	{
		job->bytes += 3;
		job->byteCount -= 3;
	}
}

static brResult readWith(const FormatRow* row, brReadJob* job, brAssembly** outAssembly)
{
	skipByteOrderMark(row, job);
	brAssembly* assembly = brCreateAssembly(job->context);
	if (assembly == NULL)
	{
		return brFailMemory(job->report);
	}
	brSucceed(job->report); // a remark of the reader stays, anything older goes
	brResult result = row->read(job, assembly);
	if (result < 0)
	{
		brDestroyAssembly(assembly);
		return result;
	}
	*outAssembly = assembly;
	return result;
}

static brResult findReader(brFileFormat format, const char* name, const FormatRow** outRow, brReport* report)
{
	const FormatRow* row = findFormat(format);
	if (row == NULL)
	{
		return brFail(report, br_errorUnsupported, "%s: the ending names no format that is known here", name);
	}
	if (row->read == NULL)
	{
		return brFail(report, br_errorUnsupported, "%s: %s files are written but not read", name, row->name);
	}
	*outRow = row;
	return br_success;
}

brResult brReadAssembly(const brContext* context, const void* bytes, size_t byteCount, brFileFormat format,
						const char* name, brAssembly** outAssembly, brReport* report)
{
	if ((bytes == NULL && byteCount > 0) || outAssembly == NULL)
	{
		return brFail(report, br_errorMisuse, "reading needs bytes and a place for the result");
	}
	const FormatRow* row = NULL;
	brResult result = findReader(format, name != NULL ? name : "memory", &row, report);
	if (result < 0)
	{
		return result;
	}

	// Readers rely on a zero byte behind the content, which the caller's memory does not promise.
	brAllocator allocator = brContext_Allocator(context);
	uint8_t* copy = byteCount < SIZE_MAX ? brAlloc(&allocator, byteCount + 1) : NULL;
	if (copy == NULL)
	{
		return brFailMemory(report);
	}
	if (byteCount > 0)
	{
		memcpy(copy, bytes, byteCount);
	}
	copy[byteCount] = 0;
	brReadJob job = {context, allocator, copy, byteCount, name != NULL ? name : "memory", name != NULL, report};
	result = readWith(row, &job, outAssembly);
	brFree(&allocator, copy, byteCount + 1);
	return result;
}

brResult brLoadAssembly(const brContext* context, const char* path, brAssembly** outAssembly, brReport* report)
{
	if (path == NULL || outAssembly == NULL)
	{
		return brFail(report, br_errorMisuse, "loading needs a path and a place for the result");
	}
	if (brOs_FileInfo(path).kind == br_fileFolder)
	{
		return brFail(report, br_errorFile, "%s is a folder; a mesh is a file", path);
	}
	const FormatRow* row = NULL;
	brResult result = findReader(brFileFormat_FromPath(path), path, &row, report);
	if (result < 0)
	{
		return result;
	}
	brAllocator allocator = brContext_Allocator(context);
	uint8_t* bytes = NULL;
	size_t byteCount = 0;
	result = brReadFile(context, &allocator, path, &bytes, &byteCount, report);
	if (result < 0)
	{
		return result;
	}
	brReadJob job = {context, allocator, bytes, byteCount, path, true, report};
	result = readWith(row, &job, outAssembly);
	brFree(&allocator, bytes, byteCount + 1);
	return result;
}

brResult brLoadMesh(const brContext* context, const char* path, brMesh** outMesh, brReport* report)
{
	if (path == NULL || outMesh == NULL)
	{
		return brFail(report, br_errorMisuse, "brLoadMesh needs path and outMesh");
	}
	brAssembly* assembly = NULL;
	brResult result = brLoadAssembly(context, path, &assembly, report);
	if (result < 0)
	{
		return result;
	}
	bool isPlain = assembly->meshCount == 1 && assembly->tetMeshCount == 0 && assembly->partCount == 1;
	brAffine identity = brMakeAffineIdentity();
	if (isPlain && memcmp(&assembly->parts[0].placement, &identity, sizeof(identity)) == 0)
	{
		*outMesh = assembly->meshes[0];
		assembly->meshCount = 0;
	}
	else
	{
		brResult flattened = brAssembly_Flatten(assembly, context, outMesh, report);
		result = flattened != br_success ? flattened : result;
	}
	brDestroyAssembly(assembly);
	return result;
}

brResult brLoadTetMesh(const brContext* context, const char* path, brTetMesh** outMesh, brReport* report)
{
	if (path == NULL || outMesh == NULL)
	{
		return brFail(report, br_errorMisuse, "brLoadTetMesh needs path and outMesh");
	}
	brAssembly* assembly = NULL;
	brResult result = brLoadAssembly(context, path, &assembly, report);
	if (result < 0)
	{
		return result;
	}
	if (assembly->tetMeshCount == 1)
	{
		*outMesh = assembly->tetMeshes[0];
		assembly->tetMeshCount = 0;
	}
	else
	{
		result =
			brFail(report, br_errorGeometry, "%s holds %d tet meshes, one is needed", path, assembly->tetMeshCount);
	}
	brDestroyAssembly(assembly);
	return result;
}

// Writing

brSaveDef brDefaultSaveDef(void)
{
	return (brSaveDef){.mshVersion = 41, .stamp = BR_STAMP(brSaveDef)};
}

brResult brSaveAssembly(const brContext* context, const brAssembly* assembly, const char* path, const brSaveDef* def,
						brReport* report)
{
	brSaveDef defaults = brDefaultSaveDef();
	if (assembly == NULL || path == NULL || (def != NULL && def->stamp != BR_STAMP(*def)))
	{
		return brFail(report, br_errorMisuse, "saving needs an assembly, a path, and a def from brDefaultSaveDef");
	}
	brSaveDef complete = def != NULL ? *def : defaults;
	complete.format = complete.format != br_formatUnknown ? complete.format : brFileFormat_FromPath(path);
	const FormatRow* row = findFormat(complete.format);
	if (row == NULL)
	{
		return brFail(report, br_errorUnsupported, "%s: the ending names no format that is known here", path);
	}
	if (row->write == NULL)
	{
		return brFail(report, br_errorUnsupported, "%s: %s files are read but not written", path, row->name);
	}
	brSucceed(report);
	brWriteJob job = {context, brContext_Allocator(context), assembly, &complete, path, report};
	bool isScene =
		complete.format == br_formatGlb || complete.format == br_formatGltf || complete.format == br_formatUsda;
	if (!complete.yUp || !isScene)
	{
		return row->write(&job);
	}
	brAssembly* turned = NULL;
	brResult result = brMakeYUpAssembly(&job, &turned);
	if (result < 0)
	{
		return result;
	}
	job.assembly = turned;
	result = row->write(&job);
	brDestroyAssembly(turned);
	return result;
}

brResult brSaveBytes(const brContext* context, const void* bytes, size_t byteCount, const char* path, brReport* report)
{
	if ((bytes == NULL && byteCount > 0) || path == NULL)
	{
		return brFail(report, br_errorMisuse, "saving needs bytes and a path");
	}
	brAllocator allocator = brContext_Allocator(context);
	brOutput output;
	brResult result = brOutput_Open(&output, &allocator, path, report);
	if (result < 0)
	{
		return result;
	}
	brOutput_Write(&output, bytes, byteCount);
	return brOutput_Commit(&output, report);
}

// One mesh in an assembly that borrows it.
static brResult saveOne(const brContext* context, brMesh* mesh, brTetMesh* tetMesh, const char* path,
						const brSaveDef* def, brReport* report)
{
	brPart part = brDefaultPart();
	part.mesh = mesh != NULL ? 0 : -1;
	part.tetMesh = tetMesh != NULL ? 0 : -1;
	brAssembly assembly = {
		.meshCount = mesh != NULL,
		.tetMeshCount = tetMesh != NULL,
		.partCount = 1,
		.meshes = &mesh,
		.tetMeshes = &tetMesh,
		.parts = &part,
		.allocator = brContext_Allocator(context),
	};
	return brSaveAssembly(context, &assembly, path, def, report);
}

brResult brSaveMesh(const brContext* context, const brMesh* mesh, const char* path, const brSaveDef* def,
					brReport* report)
{
	if (mesh == NULL)
	{
		return brFail(report, br_errorMisuse, "there is no mesh to save");
	}
	return saveOne(context, (brMesh*)(uintptr_t)mesh, NULL, path, def, report);
}

brResult brSaveTetMesh(const brContext* context, const brTetMesh* mesh, const char* path, const brSaveDef* def,
					   brReport* report)
{
	if (mesh == NULL)
	{
		return brFail(report, br_errorMisuse, "there is no tet mesh to save");
	}
	return saveOne(context, NULL, (brTetMesh*)(uintptr_t)mesh, path, def, report);
}

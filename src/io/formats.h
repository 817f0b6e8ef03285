// SPDX-License-Identifier: MIT
#pragma once

// One file a format; this is what each of them offers to io.c, and the reader and writer jobs they get.

#include "brittle/io.h"

#include "base/array.h"
#include "base/report.h"
#include "io/file.h"
#include "mesh/mesh_build.h"

#include <math.h>

typedef struct brReadJob
{
	const brContext* context; // may be null
	brAllocator allocator;
	const uint8_t* bytes; // byteCount of them, and a readable zero byte after
	size_t byteCount;
	const char* name;   // for messages; never null
	bool hasCompanions; // `name` is a real path: .mtl, .bin, .ele beside it may be read
	brReport* report;   // may be null
} brReadJob;

/// Sentence with place: "name:line: text" for text files and "name: byte N: text" for binary ones.
brResult brFailLine(const brReadJob* job, int64_t line, const char* format, ...) BR_PRINTF_LIKE(3, 4);
brResult brFailByte(const brReadJob* job, size_t byte, const char* format, ...) BR_PRINTF_LIKE(3, 4);

/// Attributes that are not finite become 0 in all formats, and are counted for a remark.
static inline float brFiniteOrZero(float value, int64_t* odd)
{
	bool isFinite = isfinite(value);
	*odd += !isFinite;
	return isFinite ? value : 0.0f;
}

/// The same, or the remark on faces that are none.
brResult brRemarkRead(const brReadJob* job, int64_t odd, int32_t skippedFaces);

/// Success, or the failure of a job whose host says stop. `byte` is how far the reader is.
brResult brCheckCancel(const brReadJob* job, size_t byte);

/// More than one worker may read. A text is cut into parts only then: parts take more memory, and what is read does not
/// depend on them.
static inline bool brReadJob_IsShared(const brReadJob* job)
{
	return job->context != NULL && brWorkers_GetCount(job->context->workers) > 1;
}

/// Calls `run` for parts [*at, end) of `total` in stretches that begin at *at, by all workers, and asks between them
/// whether to stop.
brResult brReadParts(const brReadJob* job, int32_t end, int32_t total, int32_t* at, brRangeFcn* run, void* user);

/// Adds a mesh and a part that shows it at the identity; on failure the mesh is destroyed and the memory sentence
/// written.
brResult brAddReadMesh(const brReadJob* job, brAssembly* assembly, brMesh* mesh, const char* partName);
brResult brAddReadTetMesh(const brReadJob* job, brAssembly* assembly, brTetMesh* mesh, const char* partName);

typedef struct brWriteJob
{
	const brContext* context; // may be null
	brAllocator allocator;
	const brAssembly* assembly;
	const brSaveDef* def; // complete
	const char* path;
	brReport* report; // may be null
} brWriteJob;

/// Remarks on one file, gathered into one sentence.
typedef struct brRemarks
{
	brResult code; // the first that was added
	char text[400];
} brRemarks;

void brRemarks_Add(brRemarks* remarks, brResult code, const char* format, ...) BR_PRINTF_LIKE(3, 4);

/// Success if there is none, else "name: remark; remark" in the report and the code.
brResult brRemarks_Report(const brRemarks* remarks, const char* name, brReport* report);

// Readers append to an empty assembly; what they leave there on failure is destroyed by the caller.
// Writers open their outputs themselves (some formats are two files) and commit them all or none.

brResult brReadObj(const brReadJob* job, brAssembly* assembly);
brResult brReadPly(const brReadJob* job, brAssembly* assembly);
brResult brReadStl(const brReadJob* job, brAssembly* assembly);
brResult brReadOff(const brReadJob* job, brAssembly* assembly);
brResult brReadGltf(const brReadJob* job, brAssembly* assembly); // .gltf and .glb
brResult brReadUsda(const brReadJob* job, brAssembly* assembly);
brResult brReadMsh(const brReadJob* job, brAssembly* assembly);
brResult brReadVtk(const brReadJob* job, brAssembly* assembly);
brResult brReadVtu(const brReadJob* job, brAssembly* assembly);
brResult brReadMedit(const brReadJob* job, brAssembly* assembly);
brResult brReadTetgen(const brReadJob* job, brAssembly* assembly);
brResult brReadForeign(const brReadJob* job, brAssembly* assembly);

brResult brWriteObj(const brWriteJob* job);
brResult brWritePly(const brWriteJob* job);
brResult brWriteStl(const brWriteJob* job);
brResult brWriteOff(const brWriteJob* job);
brResult brWriteGltf(const brWriteJob* job); // .gltf and .glb
brResult brWriteUsda(const brWriteJob* job);

/// .usda, or .usdz by the ending.
brResult brWriteUsd(const brWriteJob* job);
brResult brWriteMsh(const brWriteJob* job);
brResult brWriteVtk(const brWriteJob* job);
brResult brWriteMedit(const brWriteJob* job);
brResult brWriteTetgen(const brWriteJob* job);

// SPDX-License-Identifier: MIT

// Arbitrary small meshes as source and cutter: a cut fails with a sentence or gives pieces that keep every promise.
//
//     build-asan/fuzz_cut test/corpus/cut -max_total_time=120
//
// The bytes are read as: op, then for each mesh a count of vertices, their coordinates (a byte each on a coarse grid,
// or two for a finer one) and faces. A source that is not closed is closed by its mirror image: every face is there
// both ways, which is a surface that touches and crosses itself as badly as a surface can. Now and then a clean box is
// the source. A bit of the first byte asks for the rarer calls: a source with holes, a mesh resolved, two cutters.

#include "brittle/cut.h"
#include "invariants.h"
#include "mesh/topology.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t byteCount);

typedef struct FuzzBytes
{
	const uint8_t* at;
	size_t left;
} FuzzBytes;

static uint32_t fuzzByte(FuzzBytes* bytes)
{
	if (bytes->left == 0)
	{
		return 0;
	}
	bytes->left -= 1;
	return *bytes->at++;
}

static double fuzzCoordinate(FuzzBytes* bytes, bool isFine)
{
	double coarse = (double)fuzzByte(bytes) - 128.0;
	return isFine ? coarse / 16.0 + (double)fuzzByte(bytes) / 4099.0 : coarse / 32.0;
}

static brMesh* fuzzMesh(FuzzBytes* bytes, bool isClosed)
{
	brDVec3 positions[16];
	int32_t corners[256];
	int32_t starts[65] = {0};
	uint32_t head = fuzzByte(bytes);
	int32_t vertexCount = 3 + (int32_t)(head % 10), faceCount = 0, count = 0;
	bool isFine = (head & 0x80) != 0;
	for (int32_t v = 0; v < vertexCount; ++v)
	{
		positions[v].x = fuzzCoordinate(bytes, isFine);
		positions[v].y = fuzzCoordinate(bytes, isFine);
		positions[v].z = fuzzCoordinate(bytes, isFine);
	}
	int32_t wanted = 1 + (int32_t)(fuzzByte(bytes) % 12);
	for (int32_t f = 0; f < wanted; ++f)
	{
		int32_t size = 3 + (int32_t)(fuzzByte(bytes) % 3);
		for (int turn = 0; turn < (isClosed ? 2 : 1); ++turn)
		{
			for (int32_t k = 0; k < size; ++k)
			{
				corners[count + k] =
					turn == 0 ? (int32_t)(fuzzByte(bytes) % (uint32_t)vertexCount) : corners[count - 1 - k];
			}
			count += size;
			starts[++faceCount] = count;
		}
	}
	brMeshDef def = brDefaultMeshDef();
	def.vertexCount = vertexCount, def.positions = positions;
	def.faceCount = faceCount, def.faceStarts = starts, def.corners = corners;
	brMesh* mesh = NULL;
	brCreateMesh(NULL, &def, &mesh, NULL);
	return mesh;
}

static brMesh* fuzzBox(FuzzBytes* bytes)
{
	brDVec3 positions[8];
	double size = 0.25 + (double)(fuzzByte(bytes) % 16) / 4.0;
	for (int i = 0; i < 8; ++i)
	{
		positions[i] = (brDVec3){(i & 1) != 0 ? size : 0.0, (i & 2) != 0 ? size : 0.0, (i & 4) != 0 ? size : 0.0};
	}
	int32_t corners[24] = {0, 2, 3, 1, 4, 5, 7, 6, 0, 1, 5, 4, 2, 6, 7, 3, 0, 4, 6, 2, 1, 3, 7, 5};
	int32_t starts[7] = {0, 4, 8, 12, 16, 20, 24};
	brMeshDef def = brDefaultMeshDef();
	def.vertexCount = 8, def.positions = positions, def.faceCount = 6, def.faceStarts = starts, def.corners = corners;
	brMesh* mesh = NULL;
	brCreateMesh(NULL, &def, &mesh, NULL);
	return mesh;
}

static bool fuzzIsSound(const brCutResult* result, brCutOp op)
{
	for (int32_t i = 0; i < result->pieceCount; ++i)
	{
		brMeshCheck check;
		if (brMeshInvariant(result->pieces[i].mesh) != NULL ||
			brCheckTopology(NULL, result->pieces[i].mesh, &check, NULL) < 0 || !check.isOriented || !check.isManifold ||
			check.nonmanifoldVertices > 0 || check.repeatedIndexFaces > 0 ||
			(op != br_cutSurface && check.isClosed != result->pieces[i].isClosed) ||
			(op < br_cutSurface && !check.isClosed))
		{
			return false;
		}
	}
	return true;
}

int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t byteCount)
{
	FuzzBytes input = {bytes, byteCount};
	uint32_t head = fuzzByte(&input);
	brCutDef def = brDefaultCutDef();
	def.op = (brCutOp)(head % 5);
	def.keepCrumbs = (head & 0x40) != 0;
	bool isRare = (head & 0x20) != 0, isResolve = isRare && def.op == br_cutUnion;
	def.op = isRare && def.op == br_cutSurface ? br_cutFill : def.op;
	bool isBoolean = def.op != br_cutSplit && def.op < br_cutSurface;
	brMesh* source = (head & 0x80) != 0 ? fuzzBox(&input) : fuzzMesh(&input, def.op < br_cutSurface);
	brMesh* cutter = fuzzMesh(&input, isBoolean);
	brMesh* second = isRare && !isResolve ? fuzzMesh(&input, isBoolean) : NULL;
	const brMesh* cutters[2] = {cutter, second};
	brCutResult* result = NULL;
	brReport report = {0};
	brResult code = source == NULL || cutter == NULL ? br_success
					: isResolve
						? brResolveMesh(NULL, source, &def, &result, &report)
						: brCutMeshByMany(NULL, source, cutters, second != NULL ? 2 : 1, &def, &result, &report);
	if ((code < 0) != (result == NULL && source != NULL && cutter != NULL) || (code < 0 && report.text[0] == 0))
	{
		abort();
	}
	if (result != NULL && !fuzzIsSound(result, def.op))
	{
		abort();
	}
	brDestroyCutResult(result);
	brDestroyMesh(source);
	brDestroyMesh(cutter);
	brDestroyMesh(second);
	return 0;
}

// SPDX-License-Identifier: MIT

// Cuts a vase by a wavy sheet and says what came out: sample_cut [FOLDER] also writes the pieces.

#include "brittle/brittle.h"

#include <stdio.h>

enum
{
	SIDE = 24
};

// A sheet of quads across a box, in waves.
static brMesh* makeSheet(brDBox3 box)
{
	static brDVec3 positions[(SIDE + 1) * (SIDE + 1)];
	static int32_t corners[4 * SIDE * SIDE];
	static int32_t starts[SIDE * SIDE + 1];
	brDVec3 size = brDSub(box.upper, box.lower);
	for (int32_t j = 0; j <= SIDE; ++j)
	{
		for (int32_t i = 0; i <= SIDE; ++i)
		{
			double u = 1.4 * i / SIDE - 0.2, v = 1.4 * j / SIDE - 0.2;
			double wave = 0.03 * brSin(20.0 * u) * brCos(15.0 * v);
			positions[j * (SIDE + 1) + i] =
				(brDVec3){box.lower.x + u * size.x, box.lower.y + v * size.y, box.lower.z + (0.55 + wave) * size.z};
		}
	}
	for (int32_t f = 0; f < SIDE * SIDE; ++f)
	{
		int32_t a = f / SIDE * (SIDE + 1) + f % SIDE;
		int32_t quad[4] = {a, a + 1, a + SIDE + 2, a + SIDE + 1};
		for (int k = 0; k < 4; ++k)
		{
			corners[4 * f + k] = quad[k];
		}
		starts[f + 1] = 4 * (f + 1);
	}
	brMeshDef def = brDefaultMeshDef();
	def.vertexCount = (SIDE + 1) * (SIDE + 1), def.positions = positions;
	def.faceCount = SIDE * SIDE, def.faceStarts = starts, def.corners = corners;
	brMesh* sheet = NULL;
	brCreateMesh(NULL, &def, &sheet, NULL);
	return sheet;
}

int main(int argumentCount, char** arguments)
{
	brReport report = {0};
	brModelDef model = brDefaultModelDef("vase");
	brMesh* vase = NULL;
	if (brMakeModel(NULL, &model, &vase, &report) < 0)
	{
		fprintf(stderr, "%s\n", report.text);
		return 1;
	}
	brMesh* sheet = makeSheet(brMesh_ComputeBounds(vase));
	brCutResult* cut = NULL;
	if (sheet == NULL || brCutMesh(NULL, vase, sheet, NULL, &cut, &report) < 0)
	{
		fprintf(stderr, "%s\n", report.text);
		brDestroyMesh(sheet);
		brDestroyMesh(vase);
		return 1;
	}
	printf("%d faces cut into %d pieces, %.6g of %.6g m^3\n", vase->faceCount, cut->pieceCount, cut->stats.volumeOut,
		   cut->stats.volumeIn);
	for (int32_t i = 0; i < cut->pieceCount; ++i)
	{
		const brCutPiece* piece = &cut->pieces[i];
		printf("piece %d: %d faces, %.6g m^3, %s the sheet\n", i, piece->mesh->faceCount, piece->volume,
			   piece->side > 0 ? "above" : "below");
		if (argumentCount > 1)
		{
			char path[512];
			snprintf(path, sizeof(path), "%s/piece_%d.glb", arguments[1], i);
			brSaveMesh(NULL, piece->mesh, path, NULL, NULL);
		}
	}
	brDestroyCutResult(cut);
	brDestroyMesh(sheet);
	brDestroyMesh(vase);
	return 0;
}

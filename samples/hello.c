// SPDX-License-Identifier: MIT

// The smallest program: make a vase, ask whether it is a clean solid, weigh it, save it.
//
//     cc hello.c $(pkg-config --cflags --libs --static brittle) -o hello && ./hello

#include "brittle/brittle.h"

#include <stdio.h>

int main(int argumentCount, char** arguments)
{
	const char* path = argumentCount > 1 ? arguments[1] : "vase.glb";
	brReport report = {0};
	brMesh* vase = NULL;
	brModelDef model = brDefaultModelDef("vase");
	brResult result = brMakeModel(NULL, &model, &vase, &report);

	brMeshCheck check;
	if (result >= 0)
	{
		result = brMesh_Check(vase, NULL, NULL, &check, &report);
	}
	if (result >= 0)
	{
		const double porcelain = 2400.0; // kg/m^3
		brMassProperties body = brMesh_ComputeMass(vase, porcelain);
		printf("%d faces, %s\n", check.faces, check.verdict);
		printf("%.3f kg, center of mass %.1f cm above the table\n", body.mass, 100.0 * body.center.z);
		result = brSaveMesh(NULL, vase, path, NULL, &report);
	}
	if (result < 0)
	{
		fprintf(stderr, "%s\n", report.text);
	}
	brDestroyMesh(vase);
	return result < 0;
}

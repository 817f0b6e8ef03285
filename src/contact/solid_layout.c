// SPDX-License-Identifier: MIT

// Where things lie behind a solid. Compiles as OpenCL C too.

#include "base/cpu.h"
#include "contact/solid.h"

static int32_t solidBlocks(int32_t points)
{
	return points / BR_TRIANGLE_LANES + (points % BR_TRIANGLE_LANES != 0);
}

brSolidLayout brMakeSolidLayout(const brSolidCounts* counts)
{
	brSolidLayout layout = {.total = SIZE_MAX};
	if (counts->triangles < 1 || counts->triangles > BR_SOLID_MAX_TRIANGLES || counts->fans < 1 ||
		counts->fans > 3 * counts->triangles || counts->points < 0 || counts->edges < 0 || counts->cells < 0)
	{
		return layout;
	}
	layout.groupCount = (counts->triangles + BR_TRIANGLE_LANES - 1) / BR_TRIANGLE_LANES;
	layout.tree = brMakeBoxTree(layout.groupCount);
	// 32-bit counts of elements below 1 kB: no overflow in 64 bits.
	layout.groups = brSolidAlign(sizeof(brShape));
	layout.boxes = layout.groups + sizeof(brTriangleGroup) * (size_t)layout.groupCount;
	layout.links = layout.boxes + sizeof(brTreeBoxes) * (size_t)layout.tree.groupTotal;
	layout.fans = brSolidAlign(layout.links + sizeof(brTriangleLink) * (size_t)counts->triangles);
	layout.points = brSolidAlign(layout.fans + sizeof(brVec3) * (size_t)counts->fans);
	layout.places = brSolidAlign(layout.points + sizeof(brSolidPoint) * (size_t)counts->points);
	layout.normals = layout.places + 3 * sizeof(brFloat8) * (size_t)solidBlocks(counts->points);
	layout.normals = brSolidAlign(layout.normals);
	layout.curves = brSolidAlign(layout.normals + sizeof(brPointNormals) * (size_t)counts->points);
	layout.edges = brSolidAlign(layout.curves + sizeof(brPointCurve) * (size_t)counts->curves);
	layout.cells = brSolidAlign(layout.edges + sizeof(brSolidEdge) * (size_t)counts->edges);
	layout.total = brSolidAlign(layout.cells + sizeof(brSolidCell) * (size_t)counts->cells);
	return layout;
}

brSolidCounts brShape_SolidCounts(const BR_FAR brShape* shape)
{
	int64_t cells = 1;
	for (int k = 0; k < 3; ++k)
	{
		cells = shape->cellCounts[k] >= 0 && shape->cellCounts[k] <= BR_SOLID_CELLS ? cells * shape->cellCounts[k] : -1;
	}
	return (brSolidCounts){
		shape->faceCount, shape->cornerCount, shape->vertexCount, shape->edgeCount, cells > 0 ? (int32_t)cells : 0,
		shape->curveCount};
}

brSolid brMakeSolid(const BR_FAR brShape* shape)
{
	brSolidCounts counts = brShape_SolidCounts(shape);
	brSolidLayout layout = brMakeSolidLayout(&counts);
	const BR_FAR char* base = (const BR_FAR char*)shape;
	brSolid solid = {
		.shape = shape,
		.groups = (const BR_FAR brTriangleGroup*)(base + layout.groups),
		.tree = layout.tree,
		.triangleCount = counts.triangles,
		.pointCount = counts.points,
		.edgeCount = counts.edges,
		.links = (const BR_FAR brTriangleLink*)(base + layout.links),
		.fans = (const BR_FAR brVec3*)(base + layout.fans),
		.points = (const BR_FAR brSolidPoint*)(base + layout.points),
		.normals = (const BR_FAR brPointNormals*)(base + layout.normals),
		.curves = counts.curves > 0 ? (const BR_FAR brPointCurve*)(base + layout.curves) : NULL,
		.edges = (const BR_FAR brSolidEdge*)(base + layout.edges),
		.cells = (const BR_FAR brSolidCell*)(base + layout.cells),
		.isOpen = shape->kind == br_shapeSurface,
		.hasAvx2 = brCpu_Best() >= br_cpuAvx2,
		.maxReach = shape->edgeReach,
		.spacing = shape->spacing,
	};
	solid.blockCount = solidBlocks(counts.points);
	for (int k = 0; k < 3; ++k)
	{
		solid.places[k] = (const BR_FAR brFloat8*)(base + layout.places) + (size_t)k * (size_t)solid.blockCount;
	}
	brBoxTree_Place(&solid.tree, (const BR_FAR brTreeBoxes*)(base + layout.boxes));
	const float half[3] = {shape->half.x, shape->half.y, shape->half.z};
	float size[3], inv[3];
	for (int k = 0; k < 3; ++k)
	{
		solid.cellCounts[k] = shape->cellCounts[k];
		size[k] = 2.0f * half[k] / (float)(shape->cellCounts[k] > 0 ? shape->cellCounts[k] : 1);
		inv[k] = size[k] > 0.0f ? 1.0f / size[k] : 0.0f;
	}
	solid.cellSize = brMakeVec3(size[0], size[1], size[2]);
	solid.invCellSize = brMakeVec3(inv[0], inv[1], inv[2]);
	solid.cellOrigin = brAdd(brSub(shape->boxCenter, shape->half), brMul(0.5f, solid.cellSize));
	return solid;
}

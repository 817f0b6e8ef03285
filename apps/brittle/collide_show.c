// SPDX-License-Identifier: MIT

// Tet meshes that pass through each other, as something to look at: surfaces that move, and in each frame the tets that meet.

#include "collide_show.h"

#include "aside.h"
#include "tet_stage.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define SHOW_RATE 30.0 // frames a second of what is written

typedef struct Show
{
	CommandLine* line;
	const ShowArgs* args;
	const brCollideDef* def;
	TetStage stage;
	brAssembly* out;
	double* seconds; // [frameCount]
	int64_t pairs, most;
} Show;

static brSurfaceMaterial showLook(const char* name, float red, float green, float blue, float alpha)
{
	brSurfaceMaterial look = brDefaultSurfaceMaterial();
	snprintf(look.name, sizeof(look.name), "%s", name);
	look.baseColor = (brVec4){red, green, blue, alpha};
	return look;
}

static brResult showAdd(Show* show, brMesh* mesh, const char* name, double born, double gone, int32_t* outPart)
{
	brPart part = brDefaultPart();
	part.mesh = brAssembly_AddMesh(show->out, mesh);
	if (part.mesh < 0)
	{
		brDestroyMesh(mesh);
		return br_errorMemory;
	}
	part.bornTime = born, part.goneTime = gone;
	*outPart = brAssembly_AddPart(show->out, name, &part);
	return *outPart >= 0 ? br_success : br_errorMemory;
}

// The surface of each mesh, see-through; all but the first move along.
static brResult showSurfaces(Show* show, brReport* report)
{
	for (int32_t i = 0; i < show->stage.count; ++i)
	{
		brMesh *surface = NULL, *colored = NULL;
		brResult result = brTetMesh_MakeSurface(show->stage.meshes[i], &show->line->context, &surface, report);
		if (result < 0)
		{
			return result;
		}
		brSurfaceMaterial look =
			i == 0 ? showLook("first", 0.35f, 0.5f, 0.7f, 0.25f) : showLook("moving", 0.6f, 0.6f, 0.45f, 0.25f);
		brMeshDef def = brDefaultMeshDef();
		def.vertexCount = surface->vertexCount, def.positions = surface->positions;
		def.faceCount = surface->faceCount, def.faceStarts = surface->faceStarts, def.corners = surface->corners;
		def.materials = &look, def.materialCount = 1;
		result = brCreateMesh(&show->line->context, &def, &colored, report);
		brDestroyMesh(surface);
		int32_t part = -1;
		char name[32];
		snprintf(name, sizeof(name), "body_%d", i);
		result = result < 0 ? result : showAdd(show, colored, name, -INFINITY, INFINITY, &part);
		brMotionKey keys[2] = {{0.0, brMakeTransformIdentity()},
							   {(show->args->frameCount - 1) / SHOW_RATE, brMakeTransformIdentity()}};
		keys[1].pose.p = show->args->move;
		if (result < 0 || (i > 0 && !brAssembly_SetMotion(show->out, part, keys, 2)))
		{
			return result < 0 ? result : br_errorMemory;
		}
	}
	return br_success;
}

// The tets that meet in this frame, red those of the first mesh and yellow the others.
static brResult showFrame(Show* show, int32_t frame, brReport* report)
{
	static const int32_t faces[4][3] = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {2, 0, 3}};
	const brSurfaceMaterial looks[2] = {showLook("meeting", 0.75f, 0.05f, 0.03f, 1.0f),
										showLook("meeting too", 0.9f, 0.6f, 0.05f, 1.0f)};
	const TetStage* stage = &show->stage;
	int32_t marked = 0, at = 0, first = 0;
	for (int32_t t = 0; t < stage->tetCount; ++t)
	{
		marked += stage->marks[t];
	}
	if (marked == 0)
	{
		return br_success;
	}
	brDVec3* positions = malloc((size_t)marked * 4 * sizeof(brDVec3));
	int32_t* numbers = malloc((size_t)marked * (12 + 4 + 5) * sizeof(int32_t));
	brResult result = positions != NULL && numbers != NULL ? br_success : br_errorMemory;
	int32_t *corners = numbers, *materials = numbers + 12 * (size_t)marked, *starts = materials + 4 * (size_t)marked;
	for (int32_t i = 0; result >= 0 && i < stage->count; first += stage->meshes[i++]->tetCount)
	{
		const brTetMesh* mesh = stage->meshes[i];
		for (int32_t t = 0; t < mesh->tetCount; ++t)
		{
			if (stage->marks[first + t] == 0)
			{
				continue;
			}
			for (int32_t k = 0; k < 4; ++k)
			{
				positions[4 * at + k] = mesh->nodes[mesh->tets[t][k]];
				materials[4 * at + k] = i > 0;
				starts[4 * at + k] = 3 * (4 * at + k);
				for (int32_t c = 0; c < 3; ++c)
				{
					corners[3 * (4 * at + k) + c] = 4 * at + faces[k][c];
				}
			}
			at += 1;
		}
	}
	brMesh* mesh = NULL;
	if (result >= 0)
	{
		starts[4 * (size_t)marked] = 12 * marked;
		brMeshDef def = brDefaultMeshDef();
		def.vertexCount = 4 * marked, def.positions = positions;
		def.faceCount = 4 * marked, def.faceStarts = starts, def.corners = corners, def.faceMaterials = materials;
		def.materials = looks, def.materialCount = 2;
		result = brCreateMesh(&show->line->context, &def, &mesh, report);
	}
	free(positions);
	free(numbers);
	int32_t part;
	char name[32];
	snprintf(name, sizeof(name), "meeting_%03d", frame);
	double end = frame + 1 < show->args->frameCount ? (frame + 1) / SHOW_RATE : INFINITY;
	return result < 0 ? result : showAdd(show, mesh, name, frame / SHOW_RATE, end, &part);
}

// Moves, collides, marks.
static brResult playFrame(Show* show, int32_t frame, brReport* report)
{
	double share = (double)frame / (show->args->frameCount - 1);
	TetMeeting meeting;
	brResult result = meetTetStage(&show->stage, show->line, brDMul(share, show->args->move), show->def,
								   show->args->gpu, &meeting, report);
	if (result < 0)
	{
		return result;
	}
	show->seconds[frame] = meeting.seconds;
	show->pairs += meeting.pairs;
	show->most = meeting.pairs > show->most ? meeting.pairs : show->most;
	return showFrame(show, frame, report);
}

static bool saveTimes(const Show* show, brReport* report)
{
	Aside aside;
	bool isOpen = openAside(&aside, show->args->times);
	if (isOpen)
	{
		fputs("# title: tets that meet\n# x: frame\n# y: ms\nline,x,y\n", aside.file);
	}
	for (int32_t i = 0; isOpen && i < show->args->frameCount; ++i)
	{
		fprintf(aside.file, "frame,%d,%.6g\n", i, 1e3 * show->seconds[i]);
	}
	if (!isOpen || !finishAside(&aside, ferror(aside.file) == 0))
	{
		snprintf(report->text, sizeof(report->text), "%.300s cannot be written (%s)", show->args->times,
				 strerror(errno));
		return false;
	}
	return true;
}

static void printShow(const Show* show)
{
	double sum = 0.0, longest = 0.0;
	for (int32_t i = 0; i < show->args->frameCount; ++i)
	{
		sum += show->seconds[i];
		longest = show->seconds[i] > longest ? show->seconds[i] : longest;
	}
	if (show->line->json)
	{
		Json json = beginJson();
		jsonText(&json, "output", show->args->path);
		jsonInt(&json, "frames", show->args->frameCount);
		jsonInt(&json, "pairs", show->pairs);
		jsonInt(&json, "most_pairs", show->most);
		jsonNumber(&json, "mean_ms", 1e3 * sum / show->args->frameCount);
		jsonNumber(&json, "longest_ms", 1e3 * longest);
		endJson(&json, show->line);
		return;
	}
	say(show->line, "%s: %d frames, at most %lld pairs, %.3g ms a frame on average, %.3g the longest", show->args->path,
		show->args->frameCount, (long long)show->most, 1e3 * sum / show->args->frameCount, 1e3 * longest);
}

static brResult playShow(Show* show, brReport* report)
{
	brResult result = loadTetStage(&show->stage, show->line, report);
	show->out = brCreateAssembly(&show->line->context);
	show->seconds = calloc((size_t)show->args->frameCount, sizeof(double));
	if (result >= 0 && (show->out == NULL || show->seconds == NULL))
	{
		return br_errorMemory;
	}
	nextWork(show->line, "searching");
	result = result < 0 ? result : showSurfaces(show, report);
	for (int32_t i = 0; i < show->args->frameCount && result >= 0; ++i)
	{
		result = playFrame(show, i, report);
	}
	brSaveDef save = brDefaultSaveDef();
	save.yUp = true; // z is up in everything we make
	result = result < 0 ? result : brSaveAssembly(&show->line->context, show->out, show->args->path, &save, report);
	if (result >= 0 && show->args->times != NULL && !saveTimes(show, report))
	{
		result = br_errorFile;
	}
	return result;
}

int showTets(CommandLine* line, const ShowArgs* args, const brCollideDef* def)
{
	static Show show; // large
	show = (Show){.line = line, .args = args, .def = def};
	brReport report = {0};
	brResult result = playShow(&show, &report);
	if (result == br_errorMemory)
	{
		snprintf(report.text, sizeof(report.text), "there is not enough memory");
	}
	endWork(line);
	int exitCode = result < 0 ? failData(line, &report) : exit_done;
	if (exitCode == exit_done)
	{
		printShow(&show);
	}
	freeTetStage(&show.stage);
	brDestroyAssembly(show.out);
	free(show.seconds);
	return exitCode;
}

// SPDX-License-Identifier: MIT
#include "crack_load.h"
#include "crack_tables.h"
#include "made_of.h"
#include "mending.h"
#include "outputs.h"
#include "ranks.h"
#include "up_axis.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct CrackOptions
{
	const char* solver; // or null: iterative
	bool isSilent;      // not the rank that tells
	const char* output;
	const char* material;
	const char* loadPath;
	const char* surfacesPath;
	const char* strengthPath;
	const char* stiffnessPath;
	const char* intensity;
	const char* grainPath;
	const char* debugPath;
	const char* frontsPath;
	const char* curvePath;
	const char* ending;      // of a file a piece, or null: all in one
	bool isCase;             // the first word is a case
	const CommandLine* line; // while it works
	brReport debugReport;    // of the first file that could not be written
	double tile;
	brStrengthMap strength, stiffness;
	double explode;
	brCrackDef def;
	TextList refine; // x,y,z,r,h
	brTetRefinement balls[MAX_BALLS];
	brSaveDef save;
	UpOptions up;
	CrackLoad load;
	MendOptions mend;
} CrackOptions;

// The mesh becomes the assembly's, as a part of that name.
static bool addPart(brAssembly* assembly, const char* name, brMesh** mesh, brDVec3 offset)
{
	brPart part = brDefaultPart();
	part.placement.p = offset;
	part.mesh = brAssembly_AddMesh(assembly, *mesh);
	if (part.mesh < 0)
	{
		return false;
	}
	*mesh = NULL;
	return brAssembly_AddPart(assembly, name, &part) >= 0;
}

// Pieces as parts, moved apart if asked.
static bool addPieces(brAssembly* assembly, brCracks* cracks, double explode, brDVec3 middle)
{
	bool isGood = true;
	for (int32_t i = 0; i < cracks->pieceCount && isGood; ++i)
	{
		char name[64];
		snprintf(name, sizeof(name), "piece_%d", i);
		brDVec3 offset = brDMul(explode, brDSub(cracks->pieces[i].mass.center, middle));
		isGood = addPart(assembly, name, &cracks->pieces[i].mesh, offset);
	}
	return isGood;
}

static bool addSurfaces(brAssembly* assembly, brCracks* cracks)
{
	bool isGood = true;
	for (int32_t i = 0; i < cracks->crackCount && isGood; ++i)
	{
		char name[64];
		snprintf(name, sizeof(name), "crack_%d", i);
		isGood = addPart(assembly, name, &cracks->cracks[i].surface, brMakeDVec3(0.0, 0.0, 0.0));
	}
	return isGood;
}

static void measureCracks(Settling* settling, const brCracks* cracks)
{
	for (int32_t i = 0; i < cracks->pieceCount; ++i)
	{
		measurePiece(settling, cracks->pieces[i].mesh);
	}
}

// A file a piece, moved apart if asked.
static brResult saveApart(const CommandLine* line, const CrackOptions* options, brCracks* cracks, brDVec3 middle,
						  brReport* report)
{
	OutputFolder outputs;
	brResult result = openPieces(&outputs, line, options->output, options->ending, report);
	if (result < 0)
	{
		return result;
	}
	Settling settling = beginSettling(options->ending);
	measureCracks(&settling, cracks);
	result = claimPieces(&outputs, cracks->pieceCount, options->ending, report);
	for (int32_t i = 0; i < cracks->pieceCount && result >= 0; ++i)
	{
		brAffine map = brMakeAffineIdentity();
		map.p = brDMul(options->explode, brDSub(cracks->pieces[i].mass.center, middle));
		brMesh_Transform(cracks->pieces[i].mesh, &map);
		char path[1280];
		piecePath(path, sizeof(path), options->output, i, options->ending);
		result = settlePiece(line, &settling, &cracks->pieces[i].mesh, report);
		result = result < 0 ? result : brSaveMesh(&line->context, cracks->pieces[i].mesh, path, &options->save, report);
	}
	tellSettling(line, &settling);
	if (result >= 0)
	{
		result = removeOldPieces(&outputs, cracks->pieceCount, options->ending, report);
	}
	closeOutputs(&outputs);
	return result;
}

static int settleCracks(const CommandLine* line, const char* path, brCracks* cracks)
{
	brReport report = {0};
	Settling settling = beginSettling(path);
	measureCracks(&settling, cracks);
	for (int32_t k = 0; k < cracks->pieceCount; ++k)
	{
		if (settlePiece(line, &settling, &cracks->pieces[k].mesh, &report) < 0)
		{
			return failData(line, &report);
		}
	}
	tellSettling(line, &settling);
	return exit_done;
}

// Pieces in one file and, if asked, the surfaces of the cracks in another.
static int saveCracks(const CommandLine* line, const CrackOptions* options, brCracks* cracks, brDVec3 middle)
{
	const char* paths[2] = {options->output, options->surfacesPath};
	int exitCode = exit_done;
	for (int32_t i = 0; i < 2 && exitCode == exit_done; ++i)
	{
		if (paths[i] == NULL || (i == 1 && cracks->crackCount == 0))
		{
			continue;
		}
		brReport report = {0};
		if (i == 0 && options->ending != NULL)
		{
			brResult result = saveApart(line, options, cracks, middle, &report);
			exitCode = result < 0 ? failData(line, &report) : exit_done;
			continue;
		}
		// Pieces go into their file for good; surfaces are saved as they are.
		exitCode = i == 0 ? settleCracks(line, paths[i], cracks) : exit_done;
		if (exitCode != exit_done)
		{
			return exitCode;
		}
		brAssembly* assembly = brCreateAssembly(&line->context);
		if (assembly == NULL ||
			!(i == 0 ? addPieces(assembly, cracks, options->explode, middle) : addSurfaces(assembly, cracks)))
		{
			exitCode = failDataText(line, "there is no memory for %s", paths[i]);
		}
		else if (brSaveAssembly(&line->context, assembly, paths[i], &options->save, &report) < 0)
		{
			exitCode = failData(line, &report);
		}
		brDestroyAssembly(assembly);
	}
	return exitCode;
}

// Cells can be a 32nd of the lattice's edge at the least: below that no advice helps.
static void printCoarse(const char* what, double edge, double latticeEdge)
{
	if (edge > latticeEdge / 32.0)
	{
		printf(
			"coarse    %s finer than the lattice can show; --edge %.2g would do, or cells so fine there by --refine\n",
			what, edge);
	}
	else if (edge > 0.0)
	{
		printf("coarse    %s much finer than any lattice can show; stress is rough there\n", what);
	}
}

static void writeCracksJson(const CommandLine* line, const CrackOptions* options, const brCracks* cracks)
{
	const brCrackStats* stats = &cracks->stats;
	Json json = beginJson();
	jsonText(&json, "material", options->def.material.name);
	jsonInt(&json, "pieces", cracks->pieceCount);
	jsonInt(&json, "main_pieces", stats->mainPieces);
	jsonInt(&json, "cracks", cracks->crackCount);
	jsonNumber(&json, "volume_in", stats->volumeIn);
	jsonNumber(&json, "volume_out", stats->volumeOut);
	jsonNumber(&json, "energy", stats->energy);
	jsonNumber(&json, "energy_available", stats->energyAvailable);
	jsonNumber(&json, "area", stats->area);
	jsonInt(&json, "elements", stats->tets);
	jsonNumber(&json, "edge", stats->edge);
	jsonNumber(&json, "edge_for_cracks", stats->crackEdge);
	jsonNumber(&json, "edge_for_walls", stats->wallEdge);
	jsonNumber(&json, "edge_for_gaps", stats->gapEdge);
	jsonBool(&json, "embedded", stats->isEmbedded);
	jsonNumber(&json, "force", stats->force);
	jsonNumber(&json, "contact_time", stats->contactTime);
	jsonNumber(&json, "peak_stress", stats->peakStress);
	jsonNumber(&json, "strength", stats->strength);
	jsonBool(&json, "from_contact", stats->isContact);
	jsonInt(&json, "large_pieces", stats->largePieces);
	jsonInt(&json, "lattice_parts", stats->latticeParts);
	jsonNumber(&json, "onset", stats->onset);
	jsonNumber(&json, "load", stats->load);
	jsonNumber(&json, "crushed", stats->crushed);
	jsonNumber(&json, "unbalanced", stats->unbalanced);
	jsonText(&json, "end", brCrackEndText(stats->end));
	jsonInt(&json, "steps", stats->steps);
	jsonInt(&json, "solves", stats->solves);
	jsonInt(&json, "device_solves", stats->deviceSolves);
	jsonNumber(&json, "residual", stats->residual);
	jsonInt(&json, "crumbs_joined", stats->joined);
	writeGivenCracks(&json, cracks, &options->def);
	jsonOpen(&json, "stages", '{');
	jsonNumber(&json, "tets", stats->tetSeconds);
	jsonNumber(&json, "solve", stats->solveSeconds);
	jsonNumber(&json, "grow", stats->growSeconds);
	jsonNumber(&json, "cut", stats->cutSeconds);
	jsonClose(&json, '}');
	endJson(&json, line);
}

static void printCracks(const CrackOptions* options, const brCracks* cracks)
{
	const brCrackStats* stats = &cracks->stats;
	bool isSplit = stats->mainPieces < cracks->pieceCount;
	if (isSplit)
	{
		printf("%d pieces: %d", cracks->pieceCount, stats->mainPieces);
	}
	else
	{
		printf("%d %s", cracks->pieceCount, cracks->pieceCount == 1 ? "piece" : "pieces");
	}
	printf(" by %d %s%s\n", cracks->crackCount, cracks->crackCount == 1 ? "crack" : "cracks",
		   isSplit ? ", split further by the energy that was left" : "");
	if (cracks->pieceCount == 1)
	{
		printf("whole     %s\n", brCrackEndText(stats->end));
	}
	if (stats->contactTime > 0.0)
	{
		printf("load      %.4g N at its peak, for %.3g s\n", stats->force, stats->contactTime);
	}
	else if (stats->load > 0.0)
	{
		printf("breaks    at %.4g times the load%s; the first crack starts or grows at %.4g\n", stats->load,
			   stats->load > 1.0 ? ", so it holds" : "", stats->onset);
	}
	else if (stats->onset < 1e9)
	{
		printf("holds     the first crack starts or grows at %.4g times the load\n", stats->onset);
	}
	else
	{
		printf("holds     at any load of this kind: nothing pulls at a crack, or starts one\n");
	}
	bool isSlow = !(stats->contactTime > 0.0);
	if (isSlow && stats->crushed < (stats->load > 0.0 ? stats->load : INFINITY))
	{
		printf("crushed   at %.4g times the load, by pressure (Mohr and Coulomb); cracks take no account of it\n",
			   stats->crushed);
	}
	if (stats->unbalanced > 0.0)
	{
		printf("pushed    by %.4g N of the load that no support takes; its inertia balances that\n", stats->unbalanced);
	}
	printGivenCracks(cracks, &options->def);
	printf("tension   %.3g MPa at the weakest place, where the %s breaks at %.3g MPa\n", 1e-6 * stats->peakStress,
		   options->def.material.name, 1e-6 * stats->strength);
	if (stats->isContact)
	{
		printf("contact   a crack would run in from the contact at %.3g times the load\n", stats->onset);
	}
	printf("energy    %.3g J for %.3g m^2 of crack", stats->energy, stats->area);
	if (isfinite(stats->energyAvailable)) // a slow load has as much as it takes
	{
		printf(", of %.3g J", stats->energyAvailable);
	}
	printf("\n");
	printf("elements  %d%s, edge %.3g m; %d step%s\n", stats->tets, stats->isEmbedded ? " partly solid" : "",
		   stats->edge, stats->steps, stats->steps == 1 ? "" : "s");
	printCoarse("cracks that are given are", stats->crackEdge, stats->edge);
	printCoarse("walls are", stats->wallEdge, stats->edge);
	printCoarse("gaps and notches of the surface are", stats->gapEdge, stats->edge);
	if (stats->deviceSolves > 0)
	{
		printf("device    %d of %d solves\n", stats->deviceSolves, stats->solves);
	}
	printf("ms        tets %.1f, solve %.1f, grow %.1f, cut %.1f\n", 1e3 * stats->tetSeconds, 1e3 * stats->solveSeconds,
		   1e3 * stats->growSeconds, 1e3 * stats->cutSeconds);
}

// A picture lies over the model, voxels where their file says.
static brResult loadFactors(const CommandLine* line, const char* path, double tile, const brMesh* mesh,
							brScalarMap** outMap, brReport* report)
{
	brResult result = brLoadScalarMap(&line->context, path, outMap, report);
	if (result >= 0 && (*outMap)->counts[1] == 1)
	{
		(*outMap)->box = brMesh_ComputeBounds(mesh);
	}
	if (result >= 0 && tile > 0.0)
	{
		(*outMap)->isTiled = true;
		(*outMap)->box.upper = brDAdd((*outMap)->box.lower, brMakeDVec3(tile, tile, tile));
	}
	return result;
}

static brResult loadMaps(const CommandLine* line, CrackOptions* options, const brMesh* mesh, brScalarMap* maps[3],
						 brReport* report)
{
	brResult result = br_success;
	if (options->strengthPath != NULL)
	{
		result = loadFactors(line, options->strengthPath, options->tile, mesh, &maps[0], report);
		options->strength.map = maps[0];
		options->def.strength = brStrengthFromMap, options->def.strengthUser = &options->strength;
	}
	if (result >= 0 && options->stiffnessPath != NULL)
	{
		result = loadFactors(line, options->stiffnessPath, options->tile, mesh, &maps[2], report);
		options->stiffness.map = maps[2];
		options->def.stiffness = brStrengthFromMap, options->def.stiffnessUser = &options->stiffness;
	}
	if (result >= 0 && options->grainPath != NULL)
	{
		result = brLoadScalarMap(&line->context, options->grainPath, &maps[1], report);
		options->def.grainMap = maps[1];
	}
	return result;
}

// Takes the mesh.
static brResult savePicture(const brContext* context, brMesh* mesh, const char* path, brReport* report)
{
	brRenderDef def = brDefaultRenderDef();
	def.width = 800, def.height = 800;
	def.ground = false;
	brAssembly* assembly = brCreateAssembly(context);
	brPart part = brDefaultPart();
	part.mesh = assembly != NULL ? brAssembly_AddMesh(assembly, mesh) : -1;
	if (part.mesh < 0)
	{
		brDestroyMesh(mesh);
	}
	bool isGood = part.mesh >= 0 && brAssembly_AddPart(assembly, "picture", &part) >= 0;
	uint8_t* pixels = isGood ? malloc(4 * (size_t)def.width * (size_t)def.height) : NULL;
	brResult result = pixels != NULL ? brRender(context, assembly, &def, pixels, report) : br_errorMemory;
	result = result >= 0 ? brSavePng(context, path, def.width, def.height, pixels, report) : result;
	free(pixels);
	brDestroyAssembly(assembly);
	return result;
}

// None of the files of a step may be somebody else's.
static brResult claimStep(const CrackOptions* options, int32_t step, brReport* report)
{
	static const char* const endings[] = {"stress.vtk", "fronts.vtk", "stress.png", "fronts.png"};
	OutputFolder outputs;
	const char* prefix;
	brResult result = openOutputsBeside(&outputs, options->line, options->debugPath, &prefix, report);
	for (int32_t i = 0; i < 4 && result >= 0; ++i)
	{
		char name[1024];
		snprintf(name, sizeof(name), "%s_%02d_%s", prefix, step, endings[i]);
		result = claimOutput(&outputs, name, report);
	}
	result = result < 0 ? result : saveOutputs(&outputs, report);
	closeOutputs(&outputs);
	return result;
}

// Stress and fronts of one step: two files and two pictures, PREFIX_00_stress.vtk and so on.
static void saveStep(const brElasticBody* body, int32_t step, void* user)
{
	CrackOptions* options = user;
	const brContext* context = &options->line->context;
	char path[1024];
	brReport report = {0};
	brResult result = claimStep(options, step, &report);
	snprintf(path, sizeof(path), "%s_%02d_stress.vtk", options->debugPath, step);
	result = result >= 0 ? brElasticBody_SaveVtk(body, context, path, &report) : result;
	snprintf(path, sizeof(path), "%s_%02d_fronts.vtk", options->debugPath, step);
	result = result >= 0 ? brElasticBody_SaveFrontsVtk(body, context, NULL, path, &report) : result;
	for (int32_t i = 0; i < 2 && result >= 0; ++i)
	{
		brMesh* mesh = NULL;
		result = i == 0 ? brElasticBody_MakeStressMesh(body, context, 0.0, 0.0, &mesh, NULL, &report)
						: brElasticBody_MakeFrontMesh(body, context, NULL, &mesh, &report);
		if (result >= 0 && mesh->faceCount > 0)
		{
			snprintf(path, sizeof(path), "%s_%02d_%s.png", options->debugPath, step, i == 0 ? "stress" : "fronts");
			result = savePicture(context, mesh, path, &report);
			mesh = NULL;
		}
		brDestroyMesh(mesh);
	}
	if (result < 0 && result != br_errorUnavailable && options->debugReport.text[0] == '\0')
	{
		options->debugReport = report;
	}
}

static bool readCrackWords(CommandLine* line, CrackOptions* options)
{
	const Option table[] = {
		{"output", 'o', option_output, &options->output, "FILE",
		 "pieces: one node each in .glb and .usda, one group in .obj"},
		{"format", 0, option_text, &options->ending, "EXT", "a file a piece, of this ending; FILE is then a folder"},
		{"material", 'm', option_text, &options->material, "NAME", "glass, porcelain...: brittle info lists them"},
		{"hit", 0, option_vec3, &options->def.hit, "x,y,z", "where it is hit, in m"},
		{"impulse", 0, option_vec3, &options->def.impulse, "x,y,z", "of the blow, in N s"},
		{"load", 0, option_input, &options->loadPath, "FILE",
		 "lines 'force x y z fx fy fz' [m, N] and 'fix x y z x y z' (boxes that are held)"},
		{"striker", 0, option_double, &options->def.strikerRadius, "R", "radius of what hits, in m (0.02)"},
		{"tets", 0, option_int, &options->def.tets, "N", "elements, about (10000)"},
		{"edge", 0, option_double, &options->def.edge, "H", "or their edge, in m"},
		{"refine", 0, option_list, &options->refine, "x,y,z,r,h",
		 "with --edge: cells of edge h within r of x,y,z; may be given again"},
		{"cracks", 0, option_int, &options->def.maxCracks, "N", "at most so many (48)"},
		{"pieces", 0, option_int, &options->def.maxPieces, "N", "end growth when there are so many, 0: no limit (0)"},
		{"energy", 0, option_double, &options->def.energy, "E", "at most for new surface, in J (that of the blow)"},
		{"solver", 0, option_text, &options->solver, "NAME", "of the elastic body: iterative or petsc (iterative)"},
		{"solver-options", 0, option_text, &options->def.solverOptions, "TEXT",
		 "PETSc's own, in one word: \"-ksp_monitor -pc_type hypre\""},
		{"steps", 0, option_int, &options->def.maxSteps, "N", "of growth, at most (100)"},
		{"grain", 0, option_double, &options->def.grain, "H", "roughness of crack faces, in m (0)"},
		{"grain-size", 0, option_double, &options->def.grainSize, "S",
		 "its wavelength, or the size of its map (2 edges)"},
		{"grain-map", 0, option_input, &options->grainPath, "FILE", "heights of the grain: .png, black lowest"},
		{"strength-map", 0, option_input, &options->strengthPath, "FILE",
		 "strength and toughness: .png over the model seen from the front (x, z), or voxels in .vtk"},
		{"weakest", 0, option_double, &options->strength.weakest, "F", "factor where the map is black or 0 (0.2)"},
		{"stiffness-map", 0, option_input, &options->stiffnessPath, "FILE",
		 "factors on Young's modulus, in the same way"},
		{"softest", 0, option_double, &options->stiffness.weakest, "F", "factor where that map is black or 0 (0.2)"},
		{"tile", 0, option_double, &options->tile, "S", "repeat both maps every S m"},
		{"intensity", 0, option_text, &options->intensity, "NAME",
		 "K along fronts by integral, or by correlation: the opening behind the front (integral)"},
		{"efficiency", 0, option_double, &options->def.efficiency, "F",
		 "share of the blow's energy that splits pieces further; 0: main cracks only (0.02)"},
		{"branching", 0, option_double, &options->def.branching, "R",
		 "energy over need from which fronts branch, say 12; 0: never (0)"},
		{"incisions", 0, option_flag, &options->def.keepIncisions, NULL, "keep cracks that end inside, as slits"},
		{"crumb", 0, option_double, &options->def.crumb, "F",
		 "pieces below this share of the volume join a neighbor, 0: none (2e-4)"},
		{"surfaces", 0, option_output, &options->surfacesPath, "FILE", "write the crack surfaces too"},
		{"fronts", 0, option_text, &options->frontsPath, "FILE",
		 "K I, II, III and G along all fronts at each step, at the load as given: .csv, .json or .vtk"},
		{"curve", 0, option_text, &options->curvePath, "FILE",
		 "load, force, displacement, energy and crack area of each step: .csv or .json"},
		{"lattice-turn", 0, option_vec3, &options->def.latticeTurn, "x,y,z",
		 "turn the lattice by this vector, in degrees: to see what an answer owes to it"},
		{"debug", 0, option_text, &options->debugPath, "PREFIX",
		 "stress and fronts of each step: PREFIX_00_stress.vtk, _fronts.vtk and pictures of both"},
		{"explode", 0, option_double, &options->explode, "E",
		 "move pieces apart by E times their distance from the middle"},
		UP_OPTIONS(&options->up),
		MEND_OPTIONS(&options->mend),
	};
	return readOptions(line, table, sizeof(table) / sizeof(table[0]), 1, 1);
}

static bool isCasePath(const char* path)
{
	size_t length = strlen(path);
	return (length > 5 && strcmp(path + length - 5, ".yaml") == 0) ||
		   (length > 4 && strcmp(path + length - 4, ".yml") == 0);
}

// The case's def with what the command line says besides.
static brResult loadCase(const CommandLine* line, CrackOptions* options, brCrackCase** outCase, brReport* report)
{
	brResult result = brLoadCrackCase(&line->context, line->positional[0], outCase, report);
	if (result < 0)
	{
		return result;
	}
	brCrackDef words = options->def, defaults = brDefaultCrackDef(), *def = &options->def;
	*def = (*outCase)->def;
	def->tets = words.tets != defaults.tets ? words.tets : def->tets;
	def->edge = words.tets != defaults.tets ? 0.0 : words.edge > 0.0 ? words.edge : def->edge;
	def->maxSteps = words.maxSteps != defaults.maxSteps ? words.maxSteps : def->maxSteps;
	def->maxCracks = words.maxCracks != defaults.maxCracks ? words.maxCracks : def->maxCracks;
	def->maxPieces = words.maxPieces != defaults.maxPieces ? words.maxPieces : def->maxPieces;
	def->energy = words.energy != defaults.energy ? words.energy : def->energy;
	def->efficiency = words.efficiency != defaults.efficiency ? words.efficiency : def->efficiency;
	def->branching = words.branching != defaults.branching ? words.branching : def->branching;
	def->seed = words.seed != 0 ? words.seed : def->seed;
	def->latticeTurn = brDDot(words.latticeTurn, words.latticeTurn) > 0.0 ? words.latticeTurn : def->latticeTurn;
	def->grain = words.grain, def->grainSize = words.grainSize;
	def->intensity = words.intensity;
	def->crumb = words.crumb, def->keepIncisions = words.keepIncisions;
	def->keepFronts = words.keepFronts || def->givenCount > 0; // their intensities are said
	def->watch = words.watch, def->watchUser = words.watchUser;
	def->solver = words.solver, def->solverOptions = words.solverOptions, def->device = words.device;
	return br_success;
}

static int checkSolver(const CommandLine* line, CrackOptions* options)
{
	static const char* const names[] = {"iterative", "jacobi", "petsc"}; // as brElasticSolver
	for (int32_t i = 0; options->solver != NULL && i < 3; ++i)
	{
		if (strcmp(names[i], options->solver) == 0)
		{
			options->def.solver = (brElasticSolver)i;
			break;
		}
		if (i == 2)
		{
			return failUsage(line, "--solver takes iterative or petsc, not '%s'", options->solver);
		}
	}
	if (options->def.solverOptions != NULL && options->def.solver != br_solverPetsc)
	{
		return failUsage(line, "--solver-options goes with --solver petsc");
	}
	if (strncmp(line->device, "gpu", 3) == 0 && options->def.solver != br_solverIterative)
	{
		return failUsage(line, "--device gpu goes with --solver iterative");
	}
	return exit_done;
}

static int checkCrackWords(const CommandLine* line, CrackOptions* options)
{
	brCrackDef* def = &options->def;
	if (checkSolver(line, options) != exit_done)
	{
		return exit_usage;
	}
	bool isHit = brDDot(def->impulse, def->impulse) > 0.0;
	if (!isHit && !isnan(def->hit.x) && options->loadPath == NULL)
	{
		return failUsage(line, "--hit needs --impulse x,y,z, which is not zero");
	}
	options->isCase = isCasePath(line->positional[0]);
	if (!options->isCase && (options->output == NULL || (!isHit && options->loadPath == NULL)))
	{
		return failUsage(line, "usage: brittle crack %s", line->command->synopsis);
	}
	if (options->isCase && (isHit || options->loadPath != NULL))
	{
		return failUsage(line, "a case has its own load: write it into %s", line->positional[0]);
	}
	if (isHit && isnan(def->hit.x))
	{
		return failUsage(line, "--impulse needs --hit x,y,z");
	}
	if (checkMendOptions(line, &options->mend) != exit_done)
	{
		return exit_usage;
	}
	if (options->ending != NULL && !canWriteEnding(options->ending))
	{
		return failUsage(line, "--format takes an ending that can be written, not '%s'", options->ending);
	}
	if ((options->output != NULL && options->ending == NULL && !canWrite(line, options->output)) ||
		(options->surfacesPath != NULL && !canWrite(line, options->surfacesPath)))
	{
		return exit_usage;
	}
	if (readBalls(line, &options->refine, options->balls) != exit_done)
	{
		return exit_usage;
	}
	def->refinements = options->balls;
	def->refinementCount = options->refine.count;
	if (def->refinementCount > 0 && (options->isCase || !(def->edge > 0.0)))
	{
		return options->isCase
				   ? failUsage(line, "a case has its own lattice: write 'refine' into %s", line->positional[0])
				   : failUsage(line, "--refine goes with --edge, the size of cells elsewhere");
	}
	if (def->tets < 1 || !(def->edge >= 0.0) || !(options->tile >= 0.0) ||
		!(options->strength.weakest > 0.0 && options->strength.weakest <= 1.0) ||
		!(options->stiffness.weakest > 0.0 && options->stiffness.weakest <= 1.0))
	{
		return failUsage(
			line,
			"--tets is 1 or more, --edge and --tile are 0 or more, --weakest and --softest are above 0 and up to 1");
	}
	bool isIntegral = strcmp(options->intensity, "integral") == 0;
	if (!isIntegral && strcmp(options->intensity, "correlation") != 0)
	{
		return failUsage(line, "--intensity takes integral or correlation, not '%s'", options->intensity);
	}
	def->intensity = isIntegral ? br_intensityIntegral : br_intensityCorrelation;
	if (findMaterial(line, options->material, &def->material) != exit_done)
	{
		return exit_usage;
	}
	def->hit = isHit ? def->hit : brMakeDVec3(0.0, 0.0, 0.0);
	def->seed = line->seed;
	def->latticeTurn = brDMul(0.017453292519943295, def->latticeTurn);
	def->keepFronts = options->frontsPath != NULL;
	def->watch = options->debugPath != NULL ? saveStep : NULL;
	def->watchUser = options;
	options->line = line;
	return exit_done;
}

static int saveTables(const CommandLine* line, const CrackOptions* options, const brCracks* cracks)
{
	brReport report = {0};
	if (options->frontsPath != NULL && !saveCrackFronts(cracks, options->frontsPath, &report))
	{
		return failData(line, &report);
	}
	if (options->curvePath != NULL && !saveCrackCurve(cracks, options->curvePath, &report))
	{
		return failData(line, &report);
	}
	return exit_done;
}

// What brCreateCracks does with a blow beside the mesh.
static void tellMiss(const CommandLine* line, const brMesh* mesh, const brCrackDef* def)
{
	brDBox3 box = brMesh_ComputeBounds(mesh);
	brDVec3 in = brDMax(box.lower, brDMin(def->hit, box.upper));
	double off = brDDistance(in, def->hit);
	if (brDLengthSq(def->impulse) > 0.0 && off > 0.1 * brDDistance(box.lower, box.upper))
	{
		say(line, "note: --hit lies %.3g m outside of the mesh: the blow acts where that is nearest", off);
	}
}

static int crackMesh(CommandLine* line, CrackOptions* options)
{
	int exitCode = exit_done;
	if (!beginWork(line, "loading"))
	{
		return exit_no;
	}
	brMesh* mesh = NULL;
	brCracks* cracks = NULL;
	brReport report = {0};
	brScalarMap* maps[3] = {NULL, NULL, NULL};
	brCrackCase* crackCase = NULL;
	brResult result = options->isCase ? loadCase(line, options, &crackCase, &report)
									  : loadSolid(line, &options->mend, line->positional[0], &mesh, &report);
	if (result >= 0 && options->isCase)
	{
		mesh = crackCase->mesh;
	}
	else if (result >= 0)
	{
		tellUnit(line, line->positional[0], mesh);
		tellMiss(line, mesh, &options->def);
	}
	result = result >= 0 ? loadMaps(line, options, mesh, maps, &report) : result;
	if (result >= 0)
	{
		nextWork(line, "cracking");
		result = brCreateCracks(&line->context, mesh, &options->def, &cracks, &report);
	}
	if (result < 0)
	{
		exitCode = failCall(line, &report);
	}
	else
	{
		brDBox3 box = brMesh_ComputeBounds(mesh);
		const char* written = options->isCase ? NULL : options->ending != NULL ? options->ending : options->output;
		chooseUp(line, &options->up, line->positional[0], mesh, written, &options->save);
		exitCode = saveCracks(line, options, cracks, brDMul(0.5, brDAdd(box.lower, box.upper)));
	}
	endWork(line);
	if (exitCode == exit_done)
	{
		exitCode = saveTables(line, options, cracks);
	}
	if (exitCode == exit_done && options->debugReport.text[0] != '\0')
	{
		exitCode = failData(line, &options->debugReport);
	}
	if (exitCode == exit_done && !options->isSilent)
	{
		line->json ? writeCracksJson(line, options, cracks) : printCracks(options, cracks);
	}
	brDestroyCracks(cracks);
	brDestroyScalarMap(maps[0]);
	brDestroyScalarMap(maps[1]);
	brDestroyScalarMap(maps[2]);
	if (!options->isCase)
	{
		brDestroyMesh(mesh);
	}
	brDestroyCrackCase(crackCase);
	return exitCode;
}

// The other ranks of PETSc do the same work with their rows of the matrix; rank 0 writes and tells.
static int crackOnRanks(CommandLine* line, CrackOptions* options)
{
	if (!beginRanks(line))
	{
		return exit_usage;
	}
	if (rankNumber() != 0)
	{
		options->output = options->surfacesPath = options->frontsPath = options->curvePath = NULL;
		options->def.watch = NULL;
		options->isSilent = line->quiet = true;
	}
	int exitCode = crackMesh(line, options);
	endRanks();
	return exitCode;
}

// With the solves on a device, if one is asked for.
static int crackOnDevice(CommandLine* line, CrackOptions* options)
{
	brGpu* gpu = NULL;
	brReport report = {0};
	if (!openDevice(line, &gpu))
	{
		return exit_no;
	}
	bool isReady = gpu == NULL || brCreateGpuElastic(&line->context, gpu, &options->def.device, &report) >= 0;
	int exitCode = isReady ? crackMesh(line, options) : failData(line, &report);
	brDestroyGpuElastic(options->def.device);
	brCloseGpu(gpu);
	return exitCode;
}

static int runCrack(CommandLine* line)
{
	static CrackOptions options; // large
	memset(&options, 0, sizeof(options));
	options.material = "glass";
	options.def = brDefaultCrackDef();
	options.def.hit = brMakeDVec3(NAN, NAN, NAN); // tells one that was given
	options.save = brDefaultSaveDef();
	options.mend = defaultMendOptions();
	options.intensity = "integral";
	options.strength = options.stiffness = (brStrengthMap){NULL, 0.2, 1.0};
	if (!readCrackWords(line, &options))
	{
		return line->exitCode;
	}
	int exitCode = checkCrackWords(line, &options);
	if (exitCode == exit_done && options.loadPath != NULL)
	{
		brReport wrong = {0};
		exitCode = readCrackLoad(options.loadPath, &options.load, &wrong) ? exit_done : failData(line, &wrong);
		options.def.forces = options.load.forces, options.def.forceCount = options.load.forceCount;
		options.def.supports = options.load.supports, options.def.supportCount = options.load.supportCount;
	}
	if (exitCode != exit_done)
	{
		return exitCode;
	}
	return options.def.solver == br_solverPetsc ? crackOnRanks(line, &options) : crackOnDevice(line, &options);
}

const Command command_crack = {
	"crack",
	"breaks a solid by fracture mechanics",
	"(MESH -o FILE --material M (--hit x,y,z --impulse x,y,z | --load FILE) | CASE.yaml [-o FILE])",
	"Computes the stress of a blow or of given forces in a lattice of tetrahedra, starts cracks where it beats the\n"
	"strength, grows them while they release more energy than their surface costs, and cuts the mesh along them.\n"
	"One piece means: it does not break. A case (docs/crack-manual.md) has cracks that are there, supports, rollers, "
	"pressure,\n"
	"gravity and temperature as well, and is answered with the load at which it breaks. --device gpu solves for the "
	"displacements there,\n"
	"with the same answer, if there are a few thousand nodes or more.",
	"brittle crack vase.glb -o shards.glb --material porcelain --hit 0,-0.12,0.15 --impulse 0,4,0",
	runCrack,
	true,
};

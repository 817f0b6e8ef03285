// SPDX-License-Identifier: MIT
#include "loading.h"
#include "made_of.h"
#include "mending.h"
#include "outputs.h"
#include "shatter_bonds.h"
#include "up_axis.h"

#include <stdlib.h>
#include <string.h>

typedef struct ShatterOptions
{
	const char* output;
	const char* pattern;
	const char* ending; // of separate files, or null
	bool hulls;
	int32_t pieces;
	double explode;
	TextList sites;
	const char* sitesFile; // or null
	const char* siteMap;   // or null
	const char* cutout;    // or null
	const char* bondsPath; // or null
	int32_t cells;         // that modes move
	bool isModal;          // by fracture modes instead of cells
	brSiteDef site;
	brShatterDef shatter;
	brCascadeDef blow;
	const char* material;
	bool isBlow; // cracks from a hit instead of Voronoi cells
	brSaveDef save;
	UpOptions up;
	MendOptions mend;
	OutputFolder outputs; // of separate files
} ShatterOptions;

enum
{
	shatterMostSites = 10000000, // as brMakeSites takes
};

#define MODAL_MOST 1000  // modes, as brCreateModes takes
#define MODAL_HARD 100.0 // times what the weakest mode stands: the energy is the limit

static const char* const s_patterns[] = {"uniform", "clustered", "radial", "grid", "slices", "impact", "modal"};

static bool readPattern(const char* name, brSitePattern* outPattern)
{
	for (int32_t i = 0; i < (int32_t)(sizeof(s_patterns) / sizeof(s_patterns[0])); ++i)
	{
		if (strcmp(name, s_patterns[i]) == 0)
		{
			*outPattern = i <= br_sitesImpact ? (brSitePattern)i : br_sitesImpact; // modal asks no sites either
			return true;
		}
	}
	return false;
}

static bool readSite(const char* text, brDVec3* outSite)
{
	double* values[3] = {&outSite->x, &outSite->y, &outSite->z};
	for (int32_t i = 0; i < 3; ++i)
	{
		char* end;
		*values[i] = strtod(text, &end);
		if (end == text || *end != (i < 2 ? ',' : 0))
		{
			return false;
		}
		text = end + 1;
	}
	return true;
}

// The vertices of a mesh file as sites, malloced.
static brResult loadSites(const CommandLine* line, const char* path, brDVec3** outSites, int32_t* outCount,
						  brReport* report)
{
	brMesh* mesh = NULL;
	brResult result = loadMesh(line, path, &mesh, report);
	if (result < 0)
	{
		return result;
	}
	size_t bytes = (size_t)mesh->vertexCount * sizeof(brDVec3);
	if (mesh->vertexCount == 0)
	{
		snprintf(report->text, sizeof(report->text), "%.200s holds no points to take as sites", path);
		result = br_errorGeometry;
	}
	else if ((*outSites = malloc(bytes)) == NULL)
	{
		snprintf(report->text, sizeof(report->text), "there is no memory for %d sites", mesh->vertexCount);
		result = br_errorMemory;
	}
	else
	{
		memcpy(*outSites, mesh->positions, bytes);
		*outCount = mesh->vertexCount;
	}
	brDestroyMesh(mesh);
	return result;
}

static double mapDensity(brDVec3 point, void* map)
{
	return brScalarMap_Sample(map, point);
}

// Sites where a map is bright: a picture across the axis, or voxels that lie where the model does, the largest value
// being white.
static brResult makeMappedSites(const CommandLine* line, const ShatterOptions* options, const brMesh* mesh,
								brDVec3* sites, int32_t* outCount, brReport* report)
{
	brScalarMap* map = NULL;
	brResult result = brLoadScalarMap(&line->context, options->siteMap, &map, report);
	if (result < 0)
	{
		return result;
	}
	brSiteDef site = options->site;
	site.pattern = br_sitesDensity;
	if (map->counts[1] == 1)
	{
		site.image = map->values, site.imageWidth = map->counts[0], site.imageHeight = map->counts[2];
	}
	else
	{
		int64_t count = (int64_t)map->counts[0] * map->counts[1] * map->counts[2];
		float largest = 0.0f;
		for (int64_t i = 0; i < count; ++i)
		{
			largest = map->values[i] > largest ? map->values[i] : largest;
		}
		for (int64_t i = 0; i < count && largest > 0.0f; ++i)
		{
			map->values[i] /= largest;
		}
		site.density = mapDensity, site.densityUser = map;
	}
	result = brMakeSites(&line->context, mesh, &site, sites, outCount, report);
	brDestroyScalarMap(map);
	return result;
}

// Sites given by hand, by a map or by the pattern. The result is malloced, null without memory.
static brResult makeSites(const CommandLine* line, const ShatterOptions* options, const brMesh* mesh,
						  brDVec3** outSites, int32_t* outCount, brReport* report)
{
	if (options->sitesFile != NULL)
	{
		return loadSites(line, options->sitesFile, outSites, outCount, report);
	}
	int32_t capacity = options->sites.count > 0 ? options->sites.count : options->site.count;
	brDVec3* sites = malloc((size_t)(capacity > 0 ? capacity : 1) * sizeof(brDVec3)); // brMakeSites refuses fewer
	*outSites = sites;
	*outCount = options->sites.count;
	if (sites == NULL)
	{
		snprintf(report->text, sizeof(report->text), "there is no memory for %d sites", capacity);
		return br_errorMemory;
	}
	for (int32_t i = 0; i < options->sites.count; ++i)
	{
		readSite(options->sites.items[i], &sites[i]); // checked before
	}
	if (options->sites.count > 0)
	{
		return br_success;
	}
	return options->siteMap != NULL ? makeMappedSites(line, options, mesh, sites, outCount, report)
									: brMakeSites(&line->context, mesh, &options->site, sites, outCount, report);
}

// What is written of a piece. A flat piece is its own hull.
static brMesh** shownMesh(const ShatterOptions* options, brPiece* piece)
{
	return options->hulls && piece->hull != NULL ? &piece->hull : &piece->mesh;
}

static void measureShatter(Settling* settling, const ShatterOptions* options, brShatter* shatter)
{
	for (int32_t i = 0; i < shatter->pieceCount; ++i)
	{
		measurePiece(settling, *shownMesh(options, &shatter->pieces[i]));
	}
}

// All pieces as parts; moved away from the middle of the model by `explode` times their distance from it.
static brAssembly* assemblePieces(const CommandLine* line, const ShatterOptions* options, brShatter* shatter,
								  brDVec3 middle)
{
	brAssembly* assembly = brCreateAssembly(&line->context);
	Settling settling = beginSettling(options->output);
	measureShatter(&settling, options, shatter);
	for (int32_t i = 0; assembly != NULL && i < shatter->pieceCount; ++i)
	{
		brPart part = brDefaultPart();
		brMesh** mesh = shownMesh(options, &shatter->pieces[i]);
		if (settlePiece(line, &settling, mesh, NULL) < 0)
		{
			brDestroyAssembly(assembly);
			return NULL;
		}
		part.mesh = brAssembly_AddMesh(assembly, *mesh);
		if (part.mesh >= 0)
		{
			*mesh = NULL; // it belongs to the assembly now
		}
		part.placement.p = brDMul(options->explode, brDSub(shatter->pieces[i].mass.center, middle));
		char name[64];
		snprintf(name, sizeof(name), "piece_%d", i);
		if (part.mesh < 0 || brAssembly_AddPart(assembly, name, &part) < 0)
		{
			brDestroyAssembly(assembly);
			assembly = NULL;
		}
	}
	tellSettling(line, &settling);
	return assembly;
}

// A file a piece, in place or moved apart.
static brResult saveSeparately(const CommandLine* line, ShatterOptions* options, brShatter* shatter, brDVec3 middle,
							   brReport* report)
{
	Settling settling = beginSettling(options->ending);
	measureShatter(&settling, options, shatter);
	brResult result = claimPieces(&options->outputs, shatter->pieceCount, options->ending, report);
	for (int32_t i = 0; result >= 0 && i < shatter->pieceCount; ++i)
	{
		brMesh** mesh = shownMesh(options, &shatter->pieces[i]);
		brAffine map = brMakeAffineIdentity();
		map.p = brDMul(options->explode, brDSub(shatter->pieces[i].mass.center, middle));
		brMesh_Transform(*mesh, &map);
		char path[1280];
		piecePath(path, sizeof(path), options->output, i, options->ending);
		result = settlePiece(line, &settling, mesh, report);
		result = result < 0 ? result : brSaveMesh(&line->context, *mesh, path, &options->save, report);
	}
	tellSettling(line, &settling);
	brResult removed =
		result < 0 ? result : removeOldPieces(&options->outputs, shatter->pieceCount, options->ending, report);
	return removed < 0 ? removed : result;
}

static brResult saveTogether(const CommandLine* line, const ShatterOptions* options, brShatter* shatter, brDVec3 middle,
							 brReport* report)
{
	brAssembly* assembly = assemblePieces(line, options, shatter, middle);
	if (assembly == NULL)
	{
		snprintf(report->text, sizeof(report->text), "there is no memory for %d pieces", shatter->pieceCount);
		return br_errorMemory;
	}
	brResult result = brSaveAssembly(&line->context, assembly, options->output, &options->save, report);
	brDestroyAssembly(assembly);
	return result;
}

static bool readShatterWords(CommandLine* line, ShatterOptions* options)
{
	const Option table[] = {
		{"output", 'o', option_output, &options->output, "FILE",
		 "where to write: one node a piece in .glb and .usda, one group a piece in .obj"},
		{"format", 0, option_text, &options->ending, "EXT", "a file a piece, of this ending; FILE is then a folder"},
		{"pieces", 'n', option_int, &options->pieces, "N", "how many sites (100)"},
		{"pattern", 'p', option_text, &options->pattern, "NAME",
		 "uniform, clustered, radial, grid, slices, impact or modal"},
		{"at", 0, option_vec3, &options->site.at, "x,y,z",
		 "where it is hit: clustered, radial, impact (the model's middle)"},
		{"energy", 0, option_double, &options->blow.energy, "J",
		 "of cracks from a blow at --at, as far as it lasts: the pattern impact, --pieces is a limit"},
		{"direction", 0, option_vec3, &options->blow.direction, "x,y,z", "of the blow (0,0,-1)"},
		{"speed", 0, option_double, &options->blow.speed, "V",
		 "of the blow: fast ones make more main cracks, in m/s (5)"},
		{"material", 0, option_text, &options->material, "NAME", "what the blow breaks (glass)"},
		{"radius", 0, option_double, &options->site.radius, "R", "of the cluster (by size)"},
		{"strength", 0, option_double, &options->site.strength, "S", "share of sites in the cluster, 0 to 1 (0.8)"},
		{"axis", 0, option_vec3, &options->site.axis, "x,y,z",
		 "radial: against the blow; site-map: across the picture; slices: along the row (0,0,1)"},
		{"jitter", 0, option_double, &options->site.jitter, "J", "grid, slices: 0 regular to 1 wild (0.5)"},
		{"site", 0, option_list, &options->sites, "x,y,z", "a site by hand instead of a pattern; may be given again"},
		{"sites", 0, option_input, &options->sitesFile, "FILE",
		 "sites by hand, any number: the vertices of a mesh file, which needs no faces"},
		{"site-map", 0, option_input, &options->siteMap, "FILE",
		 "sites where it is bright, instead of a pattern: .png laid across --axis, or voxels as .vtk"},
		{"stretch", 0, option_vec3, &options->shatter.stretch, "x,y,z",
		 "longer cells along an axis: splinters (1,1,1)"},
		{"along", 0, option_vec3, &options->shatter.along, "x,y,z",
		 "direction of the first number of --stretch (1,0,0)"},
		{"cutout", 0, option_input, &options->cutout, "FILE",
		 "pieces drawn by hand: bright regions of a .png between dark lines, across --axis"},
		{"cells", 0, option_int, &options->cells, "N", "modal: how many cells modes are made of (400)"},
		{"bonds", 0, option_text, &options->bondsPath, "FILE",
		 "write masses of the pieces, bonds between them and levels of clusters as .json"},
		{"smallest", 0, option_double, &options->shatter.smallest, "S",
		 "pieces below this share of the volume join a neighbor (0)"},
		{"density", 0, option_double, &options->shatter.density, "D", "for masses, in kg/m^3 (1000)"},
		{"explode", 0, option_double, &options->explode, "E",
		 "move pieces apart by E times their distance from the middle"},
		{"rough", 0, option_double, &options->shatter.roughness, "H",
		 "bumps on cut faces up to this height, in meters (0)"},
		{"rough-length", 0, option_double, &options->shatter.roughnessLength, "L", "size of the bumps (10 heights)"},
		{"cluster", 0, option_int, &options->shatter.clusterSize, "N", "gather about N neighbors at a time, in levels"},
		{"levels", 0, option_int, &options->shatter.levelCount, "N", "at most so many levels of clusters (8)"},
		{"hulls", 0, option_flag, &options->hulls, NULL, "write the convex hulls of the pieces instead"},
		{"triangulate", 0, option_flag, &options->save.triangulate, NULL, "split polygons into triangles"},
		UP_OPTIONS(&options->up),
		MEND_OPTIONS(&options->mend),
	};
	return readOptions(line, table, sizeof(table) / sizeof(table[0]), 1, 1);
}

// Whether cracks run from a hit, and what of.
static int checkBlowWords(const CommandLine* line, ShatterOptions* options)
{
	bool hasEnergy = !isnan(options->blow.energy);
	if (options->blow.energy <= 0.0)
	{
		return failUsage(line, "--energy takes joules above 0, not %g", options->blow.energy);
	}
	options->isModal = strcmp(options->pattern, "modal") == 0;
	options->isBlow = hasEnergy || options->site.pattern == br_sitesRadial || options->site.pattern == br_sitesImpact;
	if (!options->isBlow)
	{
		return exit_done;
	}
	if (options->sites.count > 0 || options->sitesFile != NULL || options->siteMap != NULL || options->cutout != NULL)
	{
		return failUsage(line,
						 "--site, --sites, --site-map and --cutout go with Voronoi cells, not with --energy and the "
						 "patterns impact, radial and modal");
	}
	if (findMaterial(line, options->material, &options->blow.material) != exit_done)
	{
		return exit_usage;
	}
	options->blow.density = options->shatter.density;
	options->blow.energy = hasEnergy ? options->blow.energy : -1.0;
	options->blow.pieces = options->pieces;
	options->blow.seed = line->seed;
	options->blow.makeHulls = options->hulls;
	options->blow.clusterSize = options->shatter.clusterSize;
	options->blow.levelCount = options->shatter.levelCount;
	if (!hasEnergy && options->site.pattern == br_sitesRadial)
	{
		options->blow.direction = brDNeg(options->site.axis);
	}
	return exit_done;
}

static int checkWords(const CommandLine* line, ShatterOptions* options)
{
	if (options->output == NULL)
	{
		return failUsage(line, "usage: brittle shatter %s", line->command->synopsis);
	}
	if (checkMendOptions(line, &options->mend) != exit_done)
	{
		return exit_usage;
	}
	if (!readPattern(options->pattern, &options->site.pattern))
	{
		return failUsage(line,
						 "there is no pattern '%s': uniform, clustered, radial, grid, slices, impact or "
						 "modal",
						 options->pattern);
	}
	if (options->ending != NULL && !canWriteEnding(options->ending))
	{
		return failUsage(line, "--format takes an ending that can be written, not '%s'", options->ending);
	}
	if (options->ending == NULL && !canWrite(line, options->output))
	{
		return exit_usage;
	}
	if (options->pieces < 1 || options->pieces > shatterMostSites)
	{
		return failUsage(line, "--pieces takes 1 to %d, not %d", shatterMostSites, options->pieces);
	}
	if ((options->sites.count > 0) + (options->sitesFile != NULL) + (options->siteMap != NULL) +
			(options->cutout != NULL) >
		1)
	{
		return failUsage(line, "give one of --site, --sites, --site-map and --cutout");
	}
	brDVec3 ignored;
	for (int32_t i = 0; i < options->sites.count; ++i)
	{
		if (!readSite(options->sites.items[i], &ignored) || !brDIsFinite(ignored))
		{
			return failUsage(line, "--site takes x,y,z, not '%s'", options->sites.items[i]);
		}
	}
	return checkBlowWords(line, options);
}

static int checkShatterWords(const CommandLine* line, ShatterOptions* options)
{
	int code = checkWords(line, options);
	options->site.count = options->pieces;
	options->site.seed = line->seed;
	options->shatter.makeHulls = options->hulls;
	options->shatter.roughnessSeed = line->seed;
	return code;
}

static void printShatter(const CommandLine* line, const char* path, int32_t siteCount, const brShatter* shatter)
{
	if (!line->json)
	{
		say(line, "%s: %d piece%s, %d bond%s", path, shatter->pieceCount, shatter->pieceCount == 1 ? "" : "s",
			shatter->bondCount, shatter->bondCount == 1 ? "" : "s");
		return;
	}
	Json json = beginJson();
	jsonText(&json, "file", path);
	jsonInt(&json, "sites", siteCount);
	jsonInt(&json, "pieces", shatter->pieceCount);
	jsonNumber(&json, "volume_in", shatter->volumeIn);
	jsonNumber(&json, "volume_out", shatter->volumeOut);
	jsonInt(&json, "bonds", shatter->bondCount);
	jsonInt(&json, "merged", shatter->mergedCount);
	jsonInt(&json, "crumbs", shatter->crumbCount);
	jsonInt(&json, "smoothed", shatter->smoothCount);
	jsonOpen(&json, "levels", '[');
	for (int32_t i = 0; i < shatter->levelCount; ++i)
	{
		jsonOpen(&json, NULL, '{');
		jsonInt(&json, "clusters", shatter->levels[i].clusterCount);
		jsonInt(&json, "bonds", shatter->levels[i].bondCount);
		jsonClose(&json, '}');
	}
	jsonClose(&json, ']');
	endJson(&json, line);
}

// Modes that carry most open first, as long as the energy lasts or until there are enough pieces.
static brResult breakByModes(const CommandLine* line, const ShatterOptions* options, const brMesh* mesh,
							 brShatter** outShatter, brReport* report)
{
	brModalDef def = brDefaultModalDef();
	def.material = options->blow.material;
	def.material.density = options->shatter.density;
	def.cells = options->cells;
	def.modes = options->pieces > def.modes ? options->pieces : def.modes;
	def.modes = def.modes > MODAL_MOST ? MODAL_MOST : def.modes;
	def.seed = line->seed;
	brModes* modes = NULL;
	brResult result = brCreateModes(&line->context, mesh, &def, &modes, report);
	if (result < 0)
	{
		return result;
	}
	brModalBlow blow = brDefaultModalBlow();
	blow.point = options->blow.at;
	blow.force = brDNormalize(options->blow.direction);
	blow.energy = options->blow.energy >= 0.0 ? options->blow.energy : INFINITY;
	blow.pieces = options->pieces > 2 ? options->pieces : 2;
	blow.mustBreak = true;
	double ratio = brModes_GetRatio(modes, &blow);
	blow.force = brDMul(ratio > 0.0 ? MODAL_HARD / ratio : 1.0, blow.force);
	result = brModes_Break(modes, &line->context, &blow, outShatter, report);
	brDestroyModes(modes);
	return result;
}

static brResult breakByPicture(const CommandLine* line, const ShatterOptions* options, const brMesh* mesh,
							   brShatter** outShatter, brReport* report)
{
	brScalarMap* picture = NULL;
	brResult result = brLoadScalarMap(&line->context, options->cutout, &picture, report);
	if (result < 0)
	{
		return result;
	}
	brCutoutDef def = brDefaultCutoutDef();
	def.picture = picture;
	def.axis = options->site.axis;
	def.density = options->shatter.density;
	result = brCreateCutout(&line->context, mesh, &def, outShatter, report);
	brDestroyScalarMap(picture);
	return result;
}

// Sites, pieces, files.
static brResult shatterMesh(const CommandLine* line, ShatterOptions* options, brGpu* gpu, const brMesh* mesh,
							brShatter** outShatter, brReport* report)
{
	brDBox3 box = brMesh_ComputeBounds(mesh);
	brDVec3 middle = brDLerp(box.lower, box.upper, 0.5);
	options->site.at = isnan(options->site.at.x) ? middle : options->site.at;
	brDVec3* sites = NULL;
	options->blow.at = options->site.at;
	bool isCells = !options->isBlow && options->cutout == NULL;
	brResult result = options->isModal          ? breakByModes(line, options, mesh, outShatter, report)
					  : options->cutout != NULL ? breakByPicture(line, options, mesh, outShatter, report)
					  : options->isBlow ? brCreateCascade(&line->context, mesh, &options->blow, outShatter, report)
										: makeSites(line, options, mesh, &sites, &options->shatter.siteCount, report);
	if (result >= 0 && isCells)
	{
		options->shatter.sites = sites;
		result = gpu != NULL ? brGpu_CreateShatter(gpu, &line->context, mesh, &options->shatter, outShatter, report)
							 : brCreateShatter(&line->context, mesh, &options->shatter, outShatter, report);
	}
	if (result >= 0 && options->bondsPath != NULL && !saveBonds(options->bondsPath, *outShatter, report))
	{
		result = br_errorFile;
	}
	if (result >= 0)
	{
		chooseUp(line, &options->up, line->positional[0], mesh,
				 options->ending != NULL ? options->ending : options->output, &options->save);
		result = options->ending != NULL ? saveSeparately(line, options, *outShatter, middle, report)
										 : saveTogether(line, options, *outShatter, middle, report);
	}
	free(sites);
	return result;
}

static int runShatter(CommandLine* line)
{
	ShatterOptions options = {.pattern = "uniform",
							  .pieces = 100,
							  .cells = 400,
							  .site = brDefaultSiteDef(),
							  .shatter = brDefaultShatterDef(),
							  .blow = brDefaultCascadeDef(),
							  .material = "glass",
							  .save = brDefaultSaveDef(),
							  .mend = defaultMendOptions()};
	options.blow.energy = NAN;
	options.site.at = brMakeDVec3(NAN, NAN, NAN); // the model's middle, once there is a model
	if (!readShatterWords(line, &options))
	{
		return line->exitCode;
	}
	if (checkShatterWords(line, &options) != exit_done)
	{
		return exit_usage;
	}
	brReport report = {0};
	if (options.ending != NULL && openPieces(&options.outputs, line, options.output, options.ending, &report) < 0)
	{
		return failData(line, &report);
	}
	brGpu* gpu = NULL;
	if (!openDevice(line, &gpu))
	{
		closeOutputs(&options.outputs);
		return exit_no;
	}
	if (!beginWork(line, "shattering"))
	{
		closeOutputs(&options.outputs);
		brCloseGpu(gpu);
		return exit_no;
	}
	brMesh* mesh = NULL;
	brShatter* shatter = NULL;
	brResult result = loadSolid(line, &options.mend, line->positional[0], &mesh, &report);
	if (result >= 0 && options.blow.energy > 0.0)
	{
		tellUnit(line, line->positional[0], mesh);
	}
	result = result >= 0 ? shatterMesh(line, &options, gpu, mesh, &shatter, &report) : result;
	endWork(line);
	closeOutputs(&options.outputs);
	sayRemark(line, result, &report);
	int exitCode = result < 0 ? failCall(line, &report) : exit_done;
	if (exitCode == exit_done)
	{
		printShatter(line, options.output, options.shatter.siteCount, shatter);
	}
	brDestroyShatter(shatter);
	brCloseGpu(gpu);
	brDestroyMesh(mesh);
	return exitCode;
}

const Command command_shatter = {
	"shatter",
	"breaks a solid into pieces: cracks from a blow, or Voronoi cells in patterns",
	"MESH -o FILE [--energy J] [--pieces N] [--pattern NAME] [--at x,y,z]",
	"Breaks a closed surface into closed pieces that fit together bit for bit, with an interior material and UVs in\n"
	"meters on the cut faces. --explode 0.5 shows them apart. By default pieces are Voronoi cells in a pattern. With\n"
	"--energy cracks run from --at as far as the energy lasts: small pieces at the hit, large ones far away.\n"
	"--pattern radial does so for panes; modal opens the cuts along which the object is weakest. --cutout cuts by a\n"
	"picture.",
	"brittle shatter vase.obj --pieces 80 --pattern clustered --at 0.1,0,0.2 --explode 0.3 -o vase.glb",
	runShatter,
	true,
};

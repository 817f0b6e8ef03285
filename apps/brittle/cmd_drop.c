// SPDX-License-Identifier: MIT

// One command from a mesh to a broken thing: `drop` lets it fall, `shoot` fires at it. Both write the scene that they
// made beside the results, to go on from.

#include "base/os.h"
#include "loading.h"
#include "made_of.h"
#include "mending.h"
#include "run_scene.h"
#include "system.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define DROP_SHORTEST 1e-5 // [m]
#define DROP_LONGEST 1e4   // [m]
#define DROP_THINNEST 1e-6 // [m] across; below it pieces are lost

// A file whose thing would be shorter or longer than this has some other unit than its kind says, and nothing tells
// which: a cup of 0.3 mm would have to fall for kilometers, one of 300 m breaks under itself. It gets the size of a
// vase.
#define DROP_LEAST_GUESS 1e-3 // [m]
#define DROP_MOST_GUESS 100.0 // [m]
#define DROP_VASE 0.3         // [m]
#define DROP_GRAVITY 9.81
#define DROP_AFTER 1.6       // played after the hit [s]
#define DROP_HEIGHT 1.5      // unless it takes more to break it [m]
#define DROP_TALLEST 100.0   // that is chosen without being asked for: marbles would have to fall for kilometers [m]
#define DROP_HIGHEST 10000.0 // [m]
#define SHOOT_LIGHTEST 1e-5  // [kg] a ball of a millimeter
#define SHOOT_HEAVIEST 1e12  // [kg]
#define SHOOT_FASTEST 1e6    // a world sets aside what is faster [m/s]
// Bodies of one material differ in strength: from so many times the height that breaks the mean one, nearly all break.
#define DROP_MARGIN 1.5
// A strong one is dropped again from so many times the height, so often.
#define DROP_AGAIN 1.6
#define DROP_TRIES 6
// Of a thing of many solids each breaks into so few pieces that all of them are about so many: ten thousand bodies take
// minutes.
#define DROP_PIECES 6000
#define DROP_PIECES_EACH 300      // more than this is not asked for; what a scene takes by itself
#define DROP_MANY 1000            // solids fall for minutes: near and fast, each may meet each
#define DROP_PIECES_FEW 20        // fewer than this are told
#define DROP_MATERIAL "porcelain" // of what is not called after another

typedef struct Thing
{
	char name[64];                    // of the scene and its files
	char model[BR_OS_MAX_PATH + 320]; // its entry under models
	brDVec3 size;                     // as it stands [m]
	brMesh* mesh;                     // as it stands, solid
	brCutResult* solids;              // those that do not touch each other, as they stand
	int32_t solidCount;
} Thing;

typedef struct DropOptions
{
	RunOptions run;
	const char* material; // null: by what the thing is called
	const char* ground;
	const char* method;
	double height, size, speed, mass, thicken; // height NaN: from where it breaks
	brDVec3 rotation, at, direction;
} DropOptions;

static void nameThing(Thing* thing, const char* path)
{
	const char* slash = brOs_LastSlash(path);
	const char* name = slash != NULL ? slash + 1 : path;
	const char* dot = strrchr(name, '.');
	int length = dot != NULL && dot > name ? (int)(dot - name) : (int)strlen(name);
	snprintf(thing->name, sizeof(thing->name), "%.*s", length < 39 ? length : 39, name);
}

// A text in double quotes, as YAML reads it.
static void quoteText(char* out, size_t bytes, const char* text)
{
	size_t used = 0;
	out[used++] = '"';
	for (; *text != 0 && used + 4 < bytes; ++text)
	{
		if (*text == '"' || *text == '\\')
		{
			out[used++] = '\\';
		}
		out[used++] = *text;
	}
	out[used++] = '"';
	out[used] = 0;
}

static double longestOf(brDVec3 size)
{
	return fmax(size.x, fmax(size.y, size.z));
}

static brQuat turnOf(const DropOptions* options)
{
	brQuat turn = brMakeQuatIdentity();
	const double angles[3] = {options->rotation.x, options->rotation.y, options->rotation.z};
	for (int k = 0; k < 3; ++k)
	{
		brDVec3 axis = brMakeDVec3(k == 0, k == 1, k == 2);
		turn = brQuat_Mul(brMakeQuatAxisAngle(axis, angles[k] * BR_PI / 180.0), turn);
	}
	return turn;
}

// The middle of a thing that is turned about the middle of its base and then lies on the ground, seen from there.
static brDVec3 middleOf(const Thing* thing, const DropOptions* options)
{
	brDBox3 box = brMesh_ComputeBounds(thing->mesh), turned = brMakeDBox3Empty();
	brDVec3 base = brMakeDVec3(0.5 * (box.lower.x + box.upper.x), 0.5 * (box.lower.y + box.upper.y), box.lower.z);
	for (int32_t v = 0; v < thing->mesh->vertexCount; ++v)
	{
		turned = brDBox3_Include(turned, brQuat_Rotate(turnOf(options), brDSub(thing->mesh->positions[v], base)));
	}
	brDVec3 middle = brDMul(0.5, brDAdd(turned.lower, turned.upper));
	return brMakeDVec3(middle.x, middle.y, middle.z - turned.lower.z);
}

static brQuat aroundZ(double degrees)
{
	return brMakeQuatAxisAngle(brMakeDVec3(0.0, 0.0, 1.0), degrees * BR_PI / 180.0);
}

// The level way through it that is shortest, as an angle from x in degrees; x itself unless another is clearly shorter.
// A pane is shot through and not at its edge.
static double shortestWay(const Thing* thing, const DropOptions* options)
{
	const double clearly = 0.8, step = 5.0;
	brQuat turn = turnOf(options);
	double shortest = INFINITY, straight = INFINITY, best = 0.0;
	for (double angle = 0.0; angle < 180.0; angle += step)
	{
		brDVec3 way = brQuat_InvRotate(turn, brQuat_Rotate(aroundZ(angle), brMakeDVec3(1.0, 0.0, 0.0)));
		double least = INFINITY, most = -INFINITY;
		for (int32_t v = 0; v < thing->mesh->vertexCount; ++v)
		{
			double along = brDDot(way, thing->mesh->positions[v]);
			least = fmin(least, along), most = fmax(most, along);
		}
		straight = angle == 0.0 ? most - least : straight;
		best = most - least < shortest ? angle : best;
		shortest = fmin(shortest, most - least);
	}
	return shortest < clearly * straight ? best : 0.0;
}

// The mesh as it will stand in the scene, and its size.
static void standThing(Thing* thing, const brMeshFrame* frame, double size)
{
	brDBox3 box = brMesh_ComputeBounds(thing->mesh);
	double longest = longestOf(brDSub(box.upper, box.lower)), scale = size > 0.0 ? size / longest : frame->unit;
	brAffine map = brMakeAffineIdentity();
	map.m.cx.x = scale;
	map.m.cy = frame->isYUp ? brMakeDVec3(0.0, 0.0, scale) : brMakeDVec3(0.0, scale, 0.0);
	map.m.cz = frame->isYUp ? brMakeDVec3(0.0, -scale, 0.0) : brMakeDVec3(0.0, 0.0, scale);
	brMesh_Transform(thing->mesh, &map);
	box = brMesh_ComputeBounds(thing->mesh);
	thing->size = brDSub(box.upper, box.lower);
}

// Mends it as the scene will. The note comes with the scene; a refusal names the option that helps.
static brResult mendThing(const CommandLine* line, const DropOptions* options, const char* path, double unit,
						  Thing* thing, brReport* report)
{
	brMesh* solid = NULL;
	brMendDef def = brDefaultMendDef();
	def.thickness = options->thicken / unit;
	brResult result = brMendMesh(&line->context, thing->mesh, &def, &solid, NULL, report);
	if (result == br_errorGeometry && strstr(report->text, "--thicken") == NULL)
	{
		char why[sizeof(report->text)];
		memcpy(why, report->text, sizeof(why));
		snprintf(report->text, sizeof(report->text), "%.200s: %.200s", path, why);
	}
	else if (result == br_errorGeometry && options->thicken == 0.0)
	{
		brDBox3 box = brMesh_ComputeBounds(thing->mesh);
		double thickness = 0.01 * unit * longestOf(brDSub(box.upper, box.lower));
		snprintf(report->text, sizeof(report->text),
				 "%.200s: the surface is a sheet that encloses nothing; --thicken %.2g makes it a plate of %.2g m",
				 path, thickness, thickness);
	}
	if (result >= 0)
	{
		brDestroyMesh(thing->mesh);
		thing->mesh = solid;
	}
	return result;
}

// Reads the file once, for its axes, its unit and its size; these go into the scene, so that it stays as it was made.
static brResult measureFile(const CommandLine* line, const DropOptions* options, const char* path, Thing* thing,
							brReport* report)
{
	brResult result = loadMesh(line, path, &thing->mesh, report);
	if (result < 0)
	{
		return result;
	}
	char full[BR_OS_MAX_PATH], quoted[BR_OS_MAX_PATH + 32], unit[64] = "", thicken[64] = "";
	if (!brOs_RealPath(path, full))
	{
		snprintf(full, sizeof(full), "%s", path);
	}
	quoteText(quoted, sizeof(quoted), full);
	brMeshFrame frame = brGuessMeshFrame(path, thing->mesh);
	brDBox3 box = brMesh_ComputeBounds(thing->mesh);
	double longest = longestOf(brDSub(box.upper, box.lower));
	if (!(longest > 0.0))
	{
		snprintf(report->text, sizeof(report->text), "%.300s holds no face with any extent: there is nothing to break",
				 path);
		return br_errorGeometry;
	}
	double asked = options->size, guess = longest * frame.unit;
	bool isOdd = isnan(asked) && !(guess >= DROP_LEAST_GUESS && guess <= DROP_MOST_GUESS);
	asked = isOdd ? DROP_VASE : asked;
	result = mendThing(line, options, path, asked > 0.0 ? asked / longest : frame.unit, thing, report);
	if (result < 0)
	{
		return result;
	}
	standThing(thing, &frame, asked);
	double length = longestOf(thing->size);
	if (!(length >= DROP_SHORTEST && length <= DROP_LONGEST))
	{
		snprintf(report->text, sizeof(report->text),
				 "%.300s is %.3g m long, which no fall or shot is worked out for; --size 0.3 makes it 0.3 m long", path,
				 length);
		return br_errorGeometry;
	}
	double thinnest = fmin(thing->size.x, fmin(thing->size.y, thing->size.z));
	if (!(thinnest >= DROP_THINNEST))
	{
		snprintf(report->text, sizeof(report->text),
				 "%.300s is %.2g m long and only %.2g m thick: too thin for a fall or a shot to be worked out", path,
				 length, thinnest);
		return br_errorGeometry;
	}
	asked > 0.0 ? snprintf(unit, sizeof(unit), "size: %.9g", asked)
				: snprintf(unit, sizeof(unit), "unit: %s",
						   frame.unit == 1.0    ? "m"
						   : frame.unit == 0.01 ? "cm"
												: "mm");
	if (options->thicken > 0.0)
	{
		snprintf(thicken, sizeof(thicken), ", thicken: %.9g", options->thicken);
	}
	snprintf(thing->model, sizeof(thing->model), "{file: %s, up: %s, %s%s, center: base}", quoted,
			 frame.isYUp ? "y" : "z", unit, thicken);
	if (isOdd)
	{
		say(line,
			"note: %s would be %.3g m long, so its unit is another one; it is taken as %g m long, --size sets another",
			path, guess, DROP_VASE);
	}
	else if (!frame.isStated)
	{
		say(line, "note: %s is taken as %s-up, %.3g x %.3g x %.3g m (%s); --size sets another length", path,
			frame.isYUp ? "y" : "z", thing->size.x, thing->size.y, thing->size.z, frame.reason);
	}
	return br_success;
}

static brResult measureModel(const CommandLine* line, const DropOptions* options, const char* name, Thing* thing,
							 brReport* report)
{
	brModelDef def = brDefaultModelDef(name);
	brResult result = brMakeModel(&line->context, &def, &thing->mesh, report);
	if (result < 0)
	{
		return result;
	}
	char size[64] = "";
	brMeshFrame frame = {.unit = 1.0};
	standThing(thing, &frame, options->size);
	if (options->size > 0.0)
	{
		snprintf(size, sizeof(size), ", size: %.9g", options->size);
	}
	snprintf(thing->model, sizeof(thing->model), "{make: %s%s, center: base}", name, size);
	return result;
}

static void freeThing(Thing* thing)
{
	brDestroyMesh(thing->mesh);
	brDestroyCutResult(thing->solids);
	thing->mesh = NULL, thing->solids = NULL;
}

// Most pieces that one solid may break into.
static int32_t piecesEach(const Thing* thing)
{
	int32_t pieces = DROP_PIECES / (thing->solidCount > 0 ? thing->solidCount : 1);
	return pieces < 2 ? 2 : pieces > DROP_PIECES_EACH ? DROP_PIECES_EACH : pieces;
}

// Solids that do not touch each other move on their own.
static brResult separateThing(const CommandLine* line, bool mayBreak, Thing* thing, brReport* report)
{
	brResult result = brSeparateMesh(&line->context, thing->mesh, &thing->solids, report);
	thing->solidCount = result >= 0 ? thing->solids->pieceCount : 0;
	if (thing->solidCount > 1)
	{
		say(line, "note: it is made of %d solids that do not touch, which move on their own%s", thing->solidCount,
			thing->solidCount > DROP_MANY ? "; so many take minutes" : "");
	}
	if (result >= 0 && mayBreak && piecesEach(thing) < DROP_PIECES_FEW)
	{
		say(line, "note: since they are so many, each breaks into at most %d pieces; pieces: in the scene sets another",
			(int)piecesEach(thing));
	}
	return result;
}

static const brMesh* largestSolid(const Thing* thing)
{
	const brCutPiece* largest = &thing->solids->pieces[0];
	for (int32_t i = 1; i < thing->solidCount; ++i)
	{
		const brCutPiece* solid = &thing->solids->pieces[i];
		largest = solid->volume > largest->volume ? solid : largest;
	}
	return largest->mesh;
}

// By the materials of its faces, else by its own name.
static void chooseMaterial(const CommandLine* line, DropOptions* options, const Thing* thing)
{
	const brMaterial* found = findMaterialInName(thing->name);
	for (int32_t i = thing->mesh->materialCount - 1; i >= 0; --i)
	{
		const brMaterial* named = findMaterialInName(thing->mesh->materials[i].name);
		found = named != NULL ? named : found;
	}
	options->material = found != NULL ? found->name : DROP_MATERIAL;
	if (found != NULL)
	{
		say(line, "note: it is taken as %s, by its name or that of its material; --material sets another", found->name);
	}
}

// Also fills in the material where none was asked for.
static brResult measureThing(const CommandLine* line, DropOptions* options, const char* word, Thing* thing,
							 brReport* report)
{
	memset(thing, 0, sizeof(*thing));
	nameThing(thing, word);
	bool isFile = brOs_FileInfo(word).kind != br_fileAbsent, isModel = !isFile && isModelName(word);
	if (!isFile && !isModel && strpbrk(word, "./\\") == NULL)
	{
		snprintf(report->text, sizeof(report->text),
				 "there is neither a file nor a built-in model '%.200s'; brittle make --list shows the models", word);
		return br_errorFile;
	}
	brResult result =
		isModel ? measureModel(line, options, word, thing, report) : measureFile(line, options, word, thing, report);
	if (result >= 0 && options->material == NULL)
	{
		chooseMaterial(line, options, thing);
	}
	return result < 0 ? result : separateThing(line, strcmp(options->method, "none") != 0, thing, report);
}

// The part of a scene that both commands have. Returns its length.
static int writeHead(char* text, size_t bytes, const DropOptions* options, const Thing* thing, const char* title,
					 double duration)
{
	char fracture[80];
	int32_t pieces = piecesEach(thing);
	snprintf(fracture, sizeof(fracture), "%s", options->method);
	if (pieces < DROP_PIECES_EACH && strcmp(options->method, "none") != 0)
	{
		snprintf(fracture, sizeof(fracture), "{method: %s, pieces: %d}", options->method, (int)pieces);
	}
	return snprintf(text, bytes,
					"# Made by brittle; play it again, changed or not, with: brittle run THIS_FILE\n"
					"scene: %s\nduration: %.4g\nground: %s\n\nmodels:\n  thing: %s\n\nbodies:\n  - name: %s\n"
					"    model: thing\n    material: %s\n    on: floor\n    rotation: [%.9g, %.9g, %.9g]\n"
					"    fracture: %s\n%s",
					title, duration, options->ground, thing->model, thing->name, options->material, options->rotation.x,
					options->rotation.y, options->rotation.z, fracture,
					thing->solidCount > 1 ? "    separate: true\n" : "");
}

// Pictures begin just before the hit. The poster shows the pieces before they are farther apart than the thing is long.
// `fall`: speed at which it comes from above.
static void writeCamera(char* text, size_t bytes, const Thing* thing, double azimuth, double hit, double fall,
						double apart)
{
	double size = longestOf(thing->size), later = fmin(0.2, fmax(0.03, 0.6 * size / apart));
	double before = fall > 0.0 ? fmin(0.03, 0.15 * size / fall) : 0.06;
	snprintf(text, bytes,
			 "\ncamera: {azimuth: %g, elevation: 16}\n"
			 "output: {poster_time: %.4g, sheet_from: %.4g, sheet_to: %.4g}\n",
			 azimuth, hit + later, fmax(0.0, hit - before), hit + 0.9);
}

// `ending` of the folder: what was shot at does not replace what was dropped.
static int playMade(CommandLine* line, const DropOptions* options, const Thing* thing, const char* ending,
					const char* text, const char* story)
{
	char path[2048];
	RunOptions run = options->run;
	char folder[1024];
	if (run.output == NULL)
	{
		snprintf(folder, sizeof(folder), "out/%s%s", thing->name, ending);
		run.output = folder;
	}
	snprintf(path, sizeof(path), "%s/%s.yaml", run.output, thing->name);
	run.sceneText = text;
	run.story = story;
	return runScene(line, &run, path);
}

// Else a scene that nobody wrote is said to be wrong.
static int checkGround(const CommandLine* line, const char* ground)
{
	char text[128];
	brReport report = {0};
	brScene* scene = NULL;
	int length = snprintf(text, sizeof(text), "ground: \"%.60s\"\n", ground);
	brResult result = brReadScene(&line->context, text, (size_t)length, "--ground", NULL, &scene, &report);
	brDestroyScene(scene);
	const char* why = strstr(report.text, "there is no material");
	return result < 0 && why != NULL ? failUsage(line, "--ground: %s", why) : exit_done;
}

static int checkDropWords(const CommandLine* line, const DropOptions* options)
{
	static const char* const methods[] = {"shatter", "crack", "none"};
	bool isMethod = false;
	for (size_t i = 0; i < sizeof(methods) / sizeof(methods[0]); ++i)
	{
		isMethod = isMethod || strcmp(options->method, methods[i]) == 0;
	}
	if (!isMethod)
	{
		return failUsage(line, "--method takes shatter, crack or none, not '%s'", options->method);
	}
	if (!isnan(options->height) && !(options->height >= 0.0 && options->height <= DROP_HIGHEST))
	{
		return failUsage(line, "--height takes 0 to 10000 m");
	}
	if ((!isnan(options->size) && !(options->size > 0.0)) || !(options->thicken >= 0.0))
	{
		return failUsage(line, "--size takes the longest side in meters, above 0, --thicken a thickness in meters");
	}
	if (options->speed >= SHOOT_FASTEST)
	{
		return failUsage(line, "--speed takes less than %g m/s", SHOOT_FASTEST);
	}
	bool isAimed = isnan(options->direction.x) || brDLengthSq(options->direction) > 0.0;
	if (!(options->speed > 0.0 && options->mass > 0.0 && isAimed))
	{
		return failUsage(line, "--speed and --mass are positive, --direction is not zero");
	}
	if (options->thicken > DROP_LONGEST || options->mass < SHOOT_LIGHTEST || options->mass > SHOOT_HEAVIEST)
	{
		return failUsage(line, "--thicken takes up to %g m, --mass %g to %g kg", DROP_LONGEST, SHOOT_LIGHTEST,
						 SHOOT_HEAVIEST);
	}
	if (!isnan(options->at.x) && !(brDLength(options->at) <= DROP_HIGHEST))
	{
		return failUsage(line, "--at takes a place within %g m", DROP_HIGHEST);
	}
	if (checkGround(line, options->ground) != exit_done)
	{
		return exit_usage;
	}
	brMaterial material;
	bool mustBreak = options->material != NULL && strcmp(options->method, "none") != 0;
	return mustBreak ? findMaterial(line, options->material, &material) : exit_done;
}

// Height from which the thing breaks, if it is as strong as most: where it touches first, by the model that decides in
// the world too. 0 if nobody can tell. [m]
static double breakingHeight(const CommandLine* line, const DropOptions* options, const Thing* thing)
{
	const brMaterial *material = brFindMaterial(options->material), *ground = brFindMaterial(options->ground);
	brImpactModelDef def = brDefaultImpactModelDef();
	brImpactModel* model = NULL;
	def.mesh = thing->solidCount > 1 ? largestSolid(thing) : thing->mesh;
	if (material == NULL || ground == NULL || strcmp(options->method, "none") == 0)
	{
		return 0.0;
	}
	def.material = *material;
	if (brCreateImpactModel(&line->context, &def, &model, NULL) < 0)
	{
		return 0.0;
	}
	brQuat turn = turnOf(options);
	brStrike strike = brImpactModel_Drop(model, brQuat_InvRotate(turn, brMakeDVec3(0.0, 0.0, -1.0)), ground);
	double energy = brImpactModel_ThresholdEnergy(model, &strike);
	brDestroyImpactModel(model);
	return energy / (DROP_GRAVITY * strike.mass);
}

// Two digits, upwards.
static double roundUp(double height)
{
	if (!(height > 0.0 && height < 1e100))
	{
		return height;
	}
	double step = 0.1; // by tens, since libm's powers differ between systems
	for (; 100.0 * step <= height; step *= 10.0)
	{
	}
	for (; 10.0 * step > height; step /= 10.0)
	{
	}
	return ceil(height / step) * step;
}

// Without a height given: the usual one, or one from which it breaks, which is told. `hint` is for a thing that does
// not, `outTries` tells how often to try from higher up.
static double chooseHeight(const CommandLine* line, const DropOptions* options, const Thing* thing, char hint[160],
						   int32_t* outTries)
{
	double breaks = breakingHeight(line, options, thing), enough = DROP_MARGIN * breaks;
	*outTries = 0;
	if (breaks > 0.0 && enough <= DROP_HIGHEST)
	{
		*outTries = isnan(options->height) && enough <= DROP_TALLEST ? DROP_TRIES : 0;
		snprintf(hint, 160, "; from about %g m its kind begins to break: --height %g", roundUp(breaks),
				 roundUp(enough));
	}
	else if (strcmp(options->method, "none") != 0)
	{
		snprintf(hint, 160, "; a hard --ground such as marble or concrete, or a brittle --material, may break it");
	}
	if (!isnan(options->height))
	{
		return options->height;
	}
	if (enough <= DROP_HEIGHT || enough > DROP_TALLEST)
	{
		return DROP_HEIGHT;
	}
	say(line, "note: from %g m it would hardly break, so it is dropped from %g m; --height sets another", DROP_HEIGHT,
		roundUp(enough));
	return roundUp(enough);
}

static int dropFrom(CommandLine* line, DropOptions* options, const Thing* thing, double height)
{
	static char text[BR_OS_MAX_PATH + 4096];
	char title[160], story[320];
	double fall = sqrt(2.0 * height / DROP_GRAVITY), size = longestOf(thing->size);
	snprintf(title, sizeof(title), "%s dropped from %.4g m", thing->name, height);
	int length = writeHead(text, sizeof(text), options, thing, title, ceil(10.0 * (fall + DROP_AFTER)) / 10.0);
	length += snprintf(text + length, sizeof(text) - (size_t)length, "    position: [0, 0, %.9g]\n", height);
	double speed = DROP_GRAVITY * fall;
	writeCamera(text + length, sizeof(text) - (size_t)length, thing, -65.0, fall, speed, speed);
	snprintf(story, sizeof(story), "%s (%s, %.3g m) fell %.4g m onto %s", thing->name, options->material, size, height,
			 options->ground);
	return playMade(line, options, thing, "", text, story);
}

static int dropThing(CommandLine* line, DropOptions* options, const char* word)
{
	Thing thing;
	brReport report = {0};
	if (measureThing(line, options, word, &thing, &report) < 0)
	{
		freeThing(&thing);
		return failData(line, &report);
	}
	char hint[160] = "";
	int32_t tries;
	double height = chooseHeight(line, options, &thing, hint, &tries);
	freeThing(&thing);
	options->run.hint = hint;
	for (int32_t i = 0; i < tries; ++i)
	{
		bool held = false;
		options->run.held = &held;
		int exitCode = dropFrom(line, options, &thing, height);
		if (!held)
		{
			return exitCode;
		}
		double higher = roundUp(DROP_AGAIN * height);
		say(line, "note: it held a fall from %g m, so it is dropped from %g m; --height sets another", height, higher);
		height = higher;
	}
	options->run.held = NULL;
	return dropFrom(line, options, &thing, height);
}

static DropOptions defaultDropOptions(void)
{
	return (DropOptions){
		.run = {.pictures = true},
		.ground = "marble",
		.method = "shatter",
		.height = NAN,
		.size = NAN,
		.speed = 60.0,
		.mass = 0.05,
		.rotation = {10.0, 6.0, 0.0},
		.at = {NAN, NAN, NAN},
		.direction = {NAN, NAN, NAN},
	};
}

int dropFile(CommandLine* line, const RunOptions* run, const char* path)
{
	DropOptions options = defaultDropOptions();
	options.run = *run;
	say(line, "note: %s is a mesh: it is dropped as brittle drop does; see brittle drop --help", path);
	return dropThing(line, &options, path);
}

static int runDrop(CommandLine* line)
{
	DropOptions options = defaultDropOptions();
	const Option table[] = {
		{"material", 'm', option_text, &options.material, "NAME",
		 "of the thing (that of its faces or its name, else porcelain)"},
		{"height", 0, option_double, &options.height, "H",
		 "of its lowest point above the ground [m] (1.5, or what it takes to break it)"},
		{"size", 0, option_double, &options.size, "L", "length of its longest side [m] (as the file has it)"},
		{"thicken", 0, option_double, &options.thicken, "T", "an open surface becomes walls of this thickness [m]"},
		{"ground", 0, option_text, &options.ground, "NAME", "material it falls on (marble)"},
		{"rotation", 0, option_vec3, &options.rotation, "x,y,z", "how it is turned, in degrees (10,6,0)"},
		{"method", 0, option_text, &options.method, "NAME", "shatter, crack or none (shatter)"},
		RUN_OPTIONS(&options.run),
	};
	if (!readOptions(line, table, sizeof(table) / sizeof(table[0]), 1, 1))
	{
		return line->exitCode;
	}
	int exitCode = checkDropWords(line, &options);
	return exitCode != exit_done ? exitCode : dropThing(line, &options, line->positional[0]);
}

const Command command_drop = {
	"drop",
	"drops a mesh and breaks it; no scene file needed",
	"MESH [--material NAME] [--height H] [--size L]",
	"MESH is a file or the name of a built-in model. Axes and unit are read or guessed, and printed; a mesh that is\n"
	"no clean solid is repaired. Makes a scene, plays it, and writes an animation, pictures, the energy balance and\n"
	"the scene as YAML, to be changed and played again.",
	"brittle drop vase --material porcelain --height 1.5",
	runDrop,
	true,
};

static int shootThing(CommandLine* line, DropOptions* options, const char* word)
{
	Thing thing;
	brReport report = {0};
	if (measureThing(line, options, word, &thing, &report) < 0)
	{
		freeThing(&thing);
		return failData(line, &report);
	}
	double size = longestOf(thing.size);
	double cube = 3.0 * options->mass / (4.0 * BR_PI * 7850.0), radius = 1.0;
	for (int32_t i = 0; i < 100; ++i) // Newton's: libm's roots differ between systems
	{
		radius -= (radius * radius * radius - cube) / (3.0 * radius * radius);
	}
	brDVec3 at = isnan(options->at.x) ? middleOf(&thing, options) : options->at, way = options->direction;
	double yaw = 0.0;
	if (!isnan(way.x))
	{
		way = brDNormalize(way);
		yaw = brAtan2(way.y, way.x) * 180.0 / BR_PI;
	}
	else if (at.z > radius)
	{
		yaw = shortestWay(&thing, options);
		way = yaw == 90.0 ? brMakeDVec3(0.0, 1.0, 0.0) : brQuat_Rotate(aroundZ(yaw), brMakeDVec3(1.0, 0.0, 0.0));
	}
	else // it lies flatter than the shot is wide: level, that would fly in the ground
	{
		way = brMakeDVec3(0.6, 0.0, -0.8);
	}
	freeThing(&thing);
	static char text[BR_OS_MAX_PATH + 4096];
	char title[160], story[320];
	brDVec3 start = brDMulAdd(at, -(0.75 * size + 0.5), way), velocity = brDMul(options->speed, way);
	double hit = (0.75 * size + 0.5 - 0.5 * size) / options->speed;
	snprintf(title, sizeof(title), "%s shot at %.4g m/s", thing.name, options->speed);
	int length = writeHead(text, sizeof(text), options, &thing, title, ceil(10.0 * (hit + DROP_AFTER)) / 10.0);
	length += snprintf(text + length, sizeof(text) - (size_t)length,
					   "  - name: shot\n    model: {make: icosphere, with: {diameter: %.6g}}\n    material: steel\n"
					   "    mass: %.6g\n    gravity_scale: 0\n    position: [%.9g, %.9g, %.9g]\n"
					   "    velocity: [%.9g, %.9g, %.9g]\n",
					   2.0 * radius, options->mass, start.x, start.y, start.z, velocity.x, velocity.y, velocity.z);
	double azimuth = yaw - 145.0; // the side that is hit is seen
	writeCamera(text + length, sizeof(text) - (size_t)length, &thing, azimuth, hit, 0.0, 3.0);
	snprintf(story, sizeof(story), "%s (%s, %.3g m) was hit by %.3g g at %.4g m/s", thing.name, options->material, size,
			 1e3 * options->mass, options->speed);
	options->run.hint = "; a higher --speed or --mass may break it";
	return playMade(line, options, &thing, "_shot", text, story);
}

static int runShoot(CommandLine* line)
{
	DropOptions options = defaultDropOptions();
	options.rotation = brMakeDVec3(0.0, 0.0, 0.0);
	const Option table[] = {
		{"at", 0, option_vec3, &options.at, "x,y,z", "where the shot is aimed; the base stands at 0,0,0 (the middle)"},
		{"speed", 0, option_double, &options.speed, "V", "of the shot [m/s] (60)"},
		{"mass", 0, option_double, &options.mass, "M", "of the shot, a ball of steel [kg] (0.05)"},
		{"direction", 0, option_vec3, &options.direction, "x,y,z",
		 "in which it flies (along x, through what is thin, down onto what lies flat)"},
		{"material", 'm', option_text, &options.material, "NAME",
		 "of the thing (that of its faces or its name, else porcelain)"},
		{"size", 0, option_double, &options.size, "L", "length of its longest side [m] (as the file has it)"},
		{"thicken", 0, option_double, &options.thicken, "T", "an open surface becomes walls of this thickness [m]"},
		{"ground", 0, option_text, &options.ground, "NAME", "material it stands on (marble)"},
		{"rotation", 0, option_vec3, &options.rotation, "x,y,z", "how it is turned, in degrees (0,0,0)"},
		{"method", 0, option_text, &options.method, "NAME", "shatter, crack or none (shatter)"},
		RUN_OPTIONS(&options.run),
	};
	if (!readOptions(line, table, sizeof(table) / sizeof(table[0]), 1, 1))
	{
		return line->exitCode;
	}
	int exitCode = checkDropWords(line, &options);
	return exitCode != exit_done ? exitCode : shootThing(line, &options, line->positional[0]);
}

const Command command_shoot = {
	"shoot",
	"fires a ball at a mesh that stands on the ground",
	"MESH [--at x,y,z] [--speed V] [--mass M]",
	"MESH is a file or the name of a built-in model; it stands on the ground with the middle of its base at 0,0,0.\n"
	"Files go to out/NAME_shot. All else is as in brittle drop.",
	"brittle shoot wine_glass --material glass --speed 60",
	runShoot,
	true,
};

// SPDX-License-Identifier: MIT
#include "base/os.h"
#include "loading.h"
#include "movie.h"
#include "outputs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define RADIANS_PER_DEGREE (BR_PI / 180.0)

typedef struct RenderJob
{
	brAssembly* assembly;
	brRenderDef def;
	const char* output;
	int32_t turntable; // pictures, or 0 for one
	bool inRow;        // files side by side
	bool guessesUp;    // neither the words nor the format tell
	Moment moment;
	MoviePlan movie;
} RenderJob;

// All files in one assembly: the meshes change hands, the parts follow.
static brResult addFile(CommandLine* line, const char* path, brAssembly* all, brReport* report)
{
	brAssembly* file = NULL;
	brResult result = loadAssembly(line, path, &(Moment)NO_MOMENT, false, &file, report);
	if (result < 0)
	{
		return result;
	}
	sayRemark(line, result, report);
	int32_t firstMesh = all->meshCount;
	int32_t firstTetMesh = all->tetMeshCount;
	int32_t moved = 0;
	for (; moved < file->meshCount && brAssembly_AddMesh(all, file->meshes[moved]) >= 0; ++moved)
	{
	}
	bool complete = moved == file->meshCount;
	file->meshCount -= moved;
	if (moved > 0)
	{
		memmove(file->meshes, file->meshes + moved, (size_t)file->meshCount * sizeof(brMesh*));
	}
	moved = 0;
	for (; complete && moved < file->tetMeshCount && brAssembly_AddTetMesh(all, file->tetMeshes[moved]) >= 0; ++moved)
	{
	}
	complete = complete && moved == file->tetMeshCount;
	file->tetMeshCount -= moved;
	if (moved > 0) // else the list may be null
	{
		memmove(file->tetMeshes, file->tetMeshes + moved, (size_t)file->tetMeshCount * sizeof(brTetMesh*));
	}
	for (int32_t i = 0; complete && i < file->partCount; ++i)
	{
		brPart part = file->parts[i];
		part.mesh += part.mesh >= 0 ? firstMesh : 0;
		part.tetMesh += part.tetMesh >= 0 ? firstTetMesh : 0;
		int32_t index = brAssembly_AddPart(all, NULL, &part);
		complete = index >= 0 &&
				   (part.keyCount == 0 || brAssembly_SetMotion(all, index, file->keys + part.firstKey, part.keyCount));
	}
	brDestroyAssembly(file);
	if (!complete)
	{
		snprintf(report->text, sizeof(report->text), "there is not enough memory");
		return br_errorMemory;
	}
	return br_success;
}

// Moves the parts from `firstPart` on along x so that they stand to the right of what was there before.
static brResult setBeside(CommandLine* line, brAssembly* all, int32_t firstPart, double* rightEdge, brReport* report)
{
	brAssembly added = *all; // borrows
	added.parts += firstPart;
	added.partCount -= firstPart;
	brMesh* surface = NULL;
	brResult result = brAssembly_Flatten(&added, &line->context, &surface, report);
	if (result < 0)
	{
		return result;
	}
	brDBox3 box = brMesh_ComputeBounds(surface);
	brDestroyMesh(surface);
	double width = box.upper.x - box.lower.x;
	if (!(width >= 0.0))
	{
		return br_success;
	}
	double left = firstPart == 0 ? box.lower.x : *rightEdge + 0.25 * width;
	for (int32_t i = firstPart; i < all->partCount; ++i)
	{
		all->parts[i].placement.p.x += left - box.lower.x;
	}
	*rightEdge = left + width;
	return br_success;
}

// Which way up the first file is, as drop and scenes take it.
static brResult guessUp(const CommandLine* line, RenderJob* job, brReport* report)
{
	const char* path = line->positional[0];
	brMesh* surface = NULL;
	brResult result = brAssembly_Flatten(job->assembly, &line->context, &surface, report);
	if (result < 0)
	{
		return result;
	}
	brMeshFrame frame = brGuessMeshFrame(path, surface);
	brDestroyMesh(surface);
	job->def.up = frame.isYUp ? brMakeDVec3(0.0, 1.0, 0.0) : brMakeDVec3(0.0, 0.0, 1.0);
	if (!frame.isStated)
	{
		say(line, "note: %s is drawn %s-up (%.*s); --up sets another", path, frame.isYUp ? "y" : "z",
			(int)strcspn(frame.reason, ";"), frame.reason);
	}
	return br_success;
}

// "picture.png" and 7 give "picture_007.png".
static void numberedName(char* buffer, size_t capacity, const char* path, int32_t number)
{
	const char* dot = strrchr(path, '.');
	const char* slash = brOs_LastSlash(path);
	int length = dot != NULL && (slash == NULL || dot > slash) ? (int)(dot - path) : (int)strlen(path);
	snprintf(buffer, capacity, "%.*s_%03d%s", length, path, number, path + length);
}

static brResult renderAll(CommandLine* line, RenderJob* job, brReport* report)
{
	size_t bytes = (size_t)4 * (size_t)job->def.width * (size_t)job->def.height;
	uint8_t* pixels = malloc(bytes);
	if (pixels == NULL)
	{
		snprintf(report->text, sizeof(report->text), "there is not enough memory for %d x %d pixels", job->def.width,
				 job->def.height);
		return br_errorMemory;
	}
	int32_t count = job->turntable > 0 ? job->turntable : 1;
	double azimuth = job->def.azimuth;
	brResult result = br_success;
	for (int32_t i = 0; i < count && result >= 0; ++i)
	{
		char name[1024];
		numberedName(name, sizeof(name), job->output, i);
		const char* path = job->turntable > 0 ? name : job->output;
		job->def.azimuth = azimuth + 2.0 * BR_PI * i / count;
		result = brRender(&line->context, job->assembly, &job->def, pixels, report);
		if (result >= 0)
		{
			result = brSavePng(&line->context, path, job->def.width, job->def.height, pixels, report);
		}
	}
	free(pixels);
	return result;
}

// What the words say that is not yet in the units of the def.
typedef struct RenderWords
{
	double azimuth, elevation, fieldOfView; // [degrees]
	const char* size;
	const char* up;
	const char* clip;
	const char* light;
} RenderWords;

static bool readRenderWords(CommandLine* line, RenderJob* job, RenderWords* words)
{
	brRenderDef* def = &job->def;
	const Option options[] = {
		{"output", 'o', option_output, &job->output, "FILE",
		 "where to write: .png, or a movie: .mp4, .webm, .webp, .gif"},
		{"size", 0, option_text, &words->size, "WxH", "pixels (default: 960x720)"},
		{"samples", 0, option_int, &def->samples, "N", "most rays per pixel; 4 is a draft, 16 is clean (default: 16)"},
		{"no-denoise", 0, option_not, &def->denoise, NULL, "leave the grain; 64 samples are clean then"},
		{"light", 0, option_text, &words->light, "SET", "studio, daylight or dark (default: studio)"},
		{"aperture", 0, option_double, &def->aperture, "D", "diameter of the lens [m]: what is out of focus blurs"},
		{"focus", 0, option_double, &def->focus, "D", "distance that is sharp [m] (default: the middle of the frame)"},
		{"shutter", 0, option_double, &def->shutter, "S", "what moves blurs over this time [s]"},
		{"azimuth", 0, option_double, &words->azimuth, "DEG", "camera around the up axis"},
		{"elevation", 0, option_double, &words->elevation, "DEG", "camera above the horizon"},
		{"fov", 0, option_double, &words->fieldOfView, "DEG", "vertical field of view"},
		{"zoom", 0, option_double, &def->zoom, "Z", "1 frames everything, 2 is twice as close"},
		{"up", 0, option_text, &words->up, "x|y|z", "up axis (default: as the file has it, else guessed and said)"},
		MOMENT_OPTIONS(&job->moment),
		{"from", 0, option_double, &job->movie.from, "S", "movies: first second (default: 0)"},
		{"to", 0, option_double, &job->movie.to, "S", "movies: last second (default: the end)"},
		{"fps", 0, option_double, &job->movie.framesPerSecond, "R", "movies: frames per second (default: 30)"},
		{"speed", 0, option_double, &job->movie.speed, "X", "movies: 0.25 is slow motion (default: 1)"},
		{"turntable", 0, option_int, &job->turntable, "N", "N pictures once round, numbered"},
		{"row", 0, option_flag, &job->inRow, NULL, "set the files side by side along x"},
		{"edges", 0, option_flag, &def->edges, NULL, "draw the polygon edges"},
		{"parts", 0, option_flag, &def->colorParts, NULL, "a color of its own for each part"},
		{"clip", 0, option_text, &words->clip, "nx,ny,nz,d", "leave out what lies in front of the plane n.x = d"},
		{"no-ground", 0, option_not, &def->ground, NULL, "no ground plane"},
		{"transparent", 0, option_flag, &def->transparentBackground, NULL, "transparent background"},
	};
	return readOptions(line, options, sizeof(options) / sizeof(options[0]), 1, 64);
}

static int checkRenderWords(const CommandLine* line, RenderJob* job, const RenderWords* words)
{
	brRenderDef* def = &job->def;
	char rest;
	if (job->output == NULL)
	{
		return failUsage(line, "usage: brittle render %s", line->command->synopsis);
	}
	const char *slash = brOs_LastSlash(job->output), *dot = strrchr(slash != NULL ? slash : job->output, '.');
	if (dot != NULL && strcmp(dot, ".png") != 0 && strcmp(dot, ".PNG") != 0 && !isMovie(job->output))
	{
		return failUsage(line, "%s: pictures are written as .png, movies as .mp4, .webm, .webp or .gif", job->output);
	}
	if (words->size != NULL && sscanf(words->size, "%dx%d%c", &def->width, &def->height, &rest) != 2)
	{
		return failUsage(line, "--size takes WxH, for instance 1280x720, not '%s'", words->size);
	}
	if (def->width < 16 || def->width > 16384 || def->height < 16 || def->height > 16384)
	{
		return failUsage(line, "--size takes 16x16 to 16384x16384");
	}
	if (def->samples < 1 || job->turntable < 0 || job->turntable > 10000 || !(def->zoom > 0.0) ||
		!(words->fieldOfView > 1.0 && words->fieldOfView < 150.0))
	{
		return failUsage(line,
						 "--samples and --zoom are positive, --turntable is 0 to 10000, --fov is between 1 and 150");
	}
	if (!(def->aperture >= 0.0 && def->focus >= 0.0 && def->shutter >= 0.0))
	{
		return failUsage(line, "--aperture, --focus and --shutter are 0 or more");
	}
	static const char* const lights[] = {"studio", "daylight", "dark"};
	int32_t light = 0;
	for (; words->light != NULL && light < 3 && strcmp(words->light, lights[light]) != 0; ++light)
	{
	}
	if (light == 3)
	{
		return failUsage(line, "--light takes studio, daylight or dark, not '%s'", words->light);
	}
	def->light = (brRenderLight)light;
	const MoviePlan* movie = &job->movie;
	bool isPlanned = movie->from >= 0.0 && movie->to >= movie->from && movie->framesPerSecond > 0.0 &&
					 movie->framesPerSecond <= 1000.0 && movie->speed > 0.0;
	if (!isPlanned)
	{
		return failUsage(line, "--from is 0 or later, --to after it, --fps up to 1000, --speed positive");
	}
	if (words->up != NULL && (strlen(words->up) != 1 || strchr("xyz", words->up[0]) == NULL))
	{
		return failUsage(line, "--up takes x, y or z, not '%s'", words->up);
	}
	def->clip = words->clip != NULL;
	brDVec3* n = &def->clipNormal;
	if (def->clip && (sscanf(words->clip, "%lf,%lf,%lf,%lf%c", &n->x, &n->y, &n->z, &def->clipOffset, &rest) != 4 ||
					  !(brDLength(*n) > 0.0)))
	{
		return failUsage(line, "--clip takes nx,ny,nz,d with a normal that is not zero, not '%s'", words->clip);
	}
	brFileFormat format = brFileFormat_FromPath(line->positional[0]);
	bool isGltf = format == br_formatGlb || format == br_formatGltf;
	char axis = words->up != NULL ? words->up[0] : isGltf ? 'y' : 'z';
	def->up = brMakeDVec3(axis == 'x', axis == 'y', axis == 'z');
	job->guessesUp = words->up == NULL && (format == br_formatObj || format == br_formatPly || format == br_formatStl ||
										   format == br_formatOff || format == br_formatUsda);
	def->azimuth = words->azimuth * RADIANS_PER_DEGREE;
	def->elevation = words->elevation * RADIANS_PER_DEGREE;
	def->fieldOfView = words->fieldOfView * RADIANS_PER_DEGREE;
	def->seed = line->seed;
	return exit_done;
}

// The camera of a recording, but for what the command line says otherwise.
static brResult useRecordedCamera(CommandLine* line, RenderJob* job, brReport* report)
{
	brRecording* recording = NULL;
	brResult result = brLoadRecording(&line->context, line->positional[0], &recording, report);
	if (result < 0)
	{
		return result;
	}
	brRenderDef plain = brDefaultRenderDef(), *def = &job->def;
	brRecordedCamera* camera = &recording->camera;
	if (camera->zoom > 0.0)
	{
		// The frame is found for the camera that there is in the end.
		bool isSized = def->width != plain.width || def->height != plain.height;
		camera->azimuth = fabs(def->azimuth - plain.azimuth) < 1e-12 ? camera->azimuth : def->azimuth;
		camera->elevation = fabs(def->elevation - plain.elevation) < 1e-12 ? camera->elevation : def->elevation;
		bool isPlain = fabs(def->fieldOfView - plain.fieldOfView) < 1e-12;
		camera->fieldOfView = isPlain ? camera->fieldOfView : def->fieldOfView;
		camera->zoom = def->zoom == plain.zoom ? camera->zoom : def->zoom;
		camera->width = isSized ? def->width : camera->width;
		camera->height = isSized ? def->height : camera->height;
		bool isMovieOfAll = isMovie(job->output) && job->movie.from == 0.0 && isinf(job->movie.to);
		double from = isMovieOfAll ? -INFINITY : isMovie(job->output) ? job->movie.from : def->time;
		double to = isMovie(job->output) ? job->movie.to : def->time;
		brRenderDef of = brMakeRecordingRenderDef(recording, from, to);
		// One frame for all pictures of a turn, that of each direction would be another size.
		const double start = camera->azimuth;
		for (int32_t i = 1; i < job->turntable; ++i)
		{
			camera->azimuth = start + 2.0 * BR_PI * i / job->turntable;
			of.frame = brDBox3_Union(of.frame, brMakeRecordingRenderDef(recording, from, to).frame);
		}
		def->azimuth = of.azimuth, def->elevation = of.elevation, def->fieldOfView = of.fieldOfView;
		def->zoom = of.zoom, def->width = of.width, def->height = of.height, def->frame = of.frame;
		def->samples = def->samples == plain.samples ? of.samples : def->samples;
		def->seed = line->hasSeed ? def->seed : of.seed;
		def->ground = def->ground && of.ground, def->groundHeight = of.groundHeight;
	}
	brDestroyRecording(recording);
	return br_success;
}

// The end of all motion, and of what comes and goes.
static double lastTime(const brAssembly* assembly)
{
	double last = 0.0;
	for (int32_t i = 0; i < assembly->partCount; ++i)
	{
		const brPart* part = &assembly->parts[i];
		double times[3] = {part->bornTime, part->goneTime, 0.0};
		times[2] = part->keyCount > 0 ? assembly->keys[part->firstKey + part->keyCount - 1].time : 0.0;
		for (int32_t k = 0; k < 3; ++k)
		{
			last = isfinite(times[k]) && times[k] > last ? times[k] : last;
		}
	}
	return last;
}

static brResult renderFiles(CommandLine* line, RenderJob* job, brReport* report)
{
	job->assembly = brCreateAssembly(&line->context);
	if (job->assembly == NULL)
	{
		return br_errorMemory;
	}
	brResult result = br_success;
	double rightEdge = 0.0;
	for (int32_t i = 0; i < line->positionalCount && result >= 0; ++i)
	{
		int32_t firstPart = job->assembly->partCount;
		result = addFile(line, line->positional[i], job->assembly, report);
		if (result >= 0 && i == 0 && job->guessesUp)
		{
			result = guessUp(line, job, report);
		}
		if (result >= 0 && job->inRow)
		{
			result = setBeside(line, job->assembly, firstPart, &rightEdge, report);
		}
	}
	job->def.time = job->moment.last ? lastTime(job->assembly) : isnan(job->moment.time) ? 0.0 : job->moment.time;
	if (result >= 0 && isRecording(line->positional[0]))
	{
		result = useRecordedCamera(line, job, report);
	}
	if (result >= 0 && isMovie(job->output))
	{
		job->movie.to = fmin(job->movie.to, lastTime(job->assembly));
		result = drawMovie(line, job->assembly, &job->def, job->output, &job->movie, report);
	}
	else if (result >= 0)
	{
		result = renderAll(line, job, report);
	}
	brDestroyAssembly(job->assembly);
	return result;
}

// Pictures all round: their names are ours, so those of somebody else are in the way, and those of an earlier turn with
// more pictures go.
static brResult renderTurn(CommandLine* line, RenderJob* job, brReport* report)
{
	OutputFolder outputs;
	const char* last;
	brResult result = openOutputsBeside(&outputs, line, job->output, &last, report);
	char name[1024];
	for (int32_t i = 0; i < job->turntable && result >= 0; ++i)
	{
		numberedName(name, sizeof(name), last, i);
		result = claimOutput(&outputs, name, report);
	}
	result = result < 0 ? result : saveOutputs(&outputs, report);
	result = result < 0 ? result : renderFiles(line, job, report);
	const char* dot = strrchr(last, '.');
	snprintf(name, sizeof(name), "%.*s_", dot != NULL ? (int)(dot - last) : (int)strlen(last), last);
	result = result < 0 ? result : removeOldOutputs(&outputs, name, dot != NULL ? dot : "", job->turntable, report);
	closeOutputs(&outputs);
	return result;
}

static int runRender(CommandLine* line)
{
	RenderJob job = {.def = brDefaultRenderDef(), .moment = NO_MOMENT, .movie = {0.0, INFINITY, 30.0, 1.0}};
	RenderWords words = {.azimuth = job.def.azimuth / RADIANS_PER_DEGREE,
						 .elevation = job.def.elevation / RADIANS_PER_DEGREE,
						 .fieldOfView = job.def.fieldOfView / RADIANS_PER_DEGREE};
	if (!readRenderWords(line, &job, &words))
	{
		return line->exitCode;
	}
	if (checkRenderWords(line, &job, &words) != exit_done)
	{
		return exit_usage;
	}
	if (!beginWork(line, "rendering"))
	{
		return exit_no;
	}
	brReport report = {0};
	brResult result = job.turntable > 0 ? renderTurn(line, &job, &report) : renderFiles(line, &job, &report);
	endWork(line);
	if (result < 0)
	{
		report.code = result;
		return failData(line, &report);
	}
	if (line->json)
	{
		Json json = beginJson();
		jsonText(&json, "file", job.output);
		jsonInt(&json, "width", job.def.width);
		jsonInt(&json, "height", job.def.height);
		jsonInt(&json, "pictures", job.turntable > 0 ? job.turntable : 1);
		endJson(&json, line);
	}
	return exit_done;
}

const Command command_render = {
	"render",
	"draws a picture or a movie of mesh files or of a recording",
	"FILE... -o PNG|MOVIE [--time S | --last] [--size WxH] [--turntable N] ...",
	"Soft or sharp light, a ground, a camera that frames what is there. Several files share one picture.\n"
	"A recording (.brec) is drawn from its scene's camera at its poster's size unless options say otherwise; as a\n"
	"movie (.mp4, .webm, .webp, .gif) it is played by ffmpeg's encoders.",
	"brittle render out/pane/pane.brec --time 0.4 -o pane.png",
	runRender,
	false,
};

// SPDX-License-Identifier: MIT
#include "base/os.h"
#include "command.h"
#include "movie.h"
#include "outputs.h"
#include "run_scene.h"
#include "system.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define CHECKPOINT_SECONDS 20.0 // BRITTLE_CHECKPOINT_SECONDS says otherwise
#define CHECKPOINT_SHARE 0.05   // of the time of a run at most: a checkpoint holds the recording so far

typedef struct RunJob
{
	CommandLine* line;
	RunOptions options;
	char folder[1024];
	char stem[256]; // of the scene file: its outputs are called so
	char path[1536];
	brScene* scene;
	brRun* run;
	brRecording* recording; // of the run, as its file has it
	brGpu* gpu;             // null: the CPU
	brContext quiet;        // does not stop half way: what was done is to be written after Ctrl-C too
	bool wasInterrupted;
	bool wasResumed;
	OutputFolder outputs;
	char files[16][64]; // for the answer
	int32_t fileCount;
} RunJob;

// DIR/NAME or DIR/STEM.ENDING; the buffer is used again by the next call.
static const char* outputPath(RunJob* job, const char* name, const char* ending)
{
	snprintf(job->path, sizeof(job->path), "%s/%s%s", job->folder, name != NULL ? name : job->stem, ending);
	return job->path;
}

static void noteFile(RunJob* job, const char* name, const char* ending)
{
	if (job->fileCount < (int32_t)(sizeof(job->files) / sizeof(job->files[0])))
	{
		snprintf(job->files[job->fileCount++], sizeof(job->files[0]), "%.40s%.20s", name != NULL ? name : job->stem,
				 ending);
	}
}

// "scenes/wine_glass.yaml" gives "wine_glass"; its outputs go to out/wine_glass unless -o says otherwise.
static bool nameOutputs(RunJob* job, const char* scene)
{
	const char* slash = brOs_LastSlash(scene);
	const char* name = slash != NULL ? slash + 1 : scene;
	const char* dot = strrchr(name, '.');
	size_t length = dot != NULL && dot > name ? (size_t)(dot - name) : strlen(name);
	if (length == 0 || length >= 40)
	{
		return false;
	}
	memcpy(job->stem, name, length);
	job->stem[length] = 0;
	int written = job->options.output != NULL ? snprintf(job->folder, sizeof(job->folder), "%s", job->options.output)
											  : snprintf(job->folder, sizeof(job->folder), "out/%s", job->stem);
	return written > 0 && (size_t)written < sizeof(job->folder) - 1;
}

// What the command line leaves of the scene's wishes.
static brSceneOutput wantedOutput(const RunJob* job)
{
	brSceneOutput output = job->scene->output;
	output.poster &= job->options.pictures;
	output.sheet &= job->options.pictures;
	output.video |= job->options.video;
	output.frames |= job->options.frames;
	return output;
}

static void frameName(char* outName, size_t bytes, int32_t frame)
{
	snprintf(outName, bytes, "frames/frame_%05d.png", (int)frame);
}

// All names that the run will write, claimed before it plays: what is in the way is told before the time is spent.
static brResult claimFiles(RunJob* job, brReport* report)
{
	brSceneOutput output = wantedOutput(job);
	const struct
	{
		const char *name, *ending;
		bool isWanted;
	} files[] = {
		{NULL, ".csv", output.csv},          {NULL, ".brec", output.brec},
		{NULL, ".glb", output.glb},          {NULL, ".usda", output.usda},
		{"poster", ".png", output.poster},   {"sheet", ".png", output.sheet},
		{NULL, ".mp4", output.video},        {NULL, ".partial.mp4", output.video},
		{"checkpoint", ".brcp", true},       {NULL, ".yaml", job->options.sceneText != NULL},
		{NULL, "_meshes.usda", output.usda},
	};
	brResult result = br_success;
	char name[320];
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]) && result >= 0; ++i)
	{
		snprintf(name, sizeof(name), "%s%s", files[i].name != NULL ? files[i].name : job->stem, files[i].ending);
		result = files[i].isWanted ? claimOutput(&job->outputs, name, report) : br_success;
	}
	for (int32_t i = 0; result >= 0 && output.frames && i <= brRun_GetFrameTotal(job->run); ++i)
	{
		frameName(name, sizeof(name), i);
		result = claimOutput(&job->outputs, name, report);
	}
	return result < 0 ? result : saveOutputs(&job->outputs, report);
}

static brResult loadScene(RunJob* job, const char* path, brReport* report)
{
	char seed[64], time[64];
	const char* items[sizeof(job->options.changes.items) / sizeof(job->options.changes.items[0]) + 2];
	brSceneChanges changes = {0, items};
	for (int32_t i = 0; i < job->options.changes.count; ++i)
	{
		items[changes.count++] = job->options.changes.items[i];
	}
	if (job->line->hasSeed)
	{
		snprintf(seed, sizeof(seed), "seed=%llu", (unsigned long long)job->line->seed);
		items[changes.count++] = seed;
	}
	if (job->options.time > 0.0)
	{
		snprintf(time, sizeof(time), "duration=%.17g", job->options.time);
		items[changes.count++] = time;
	}
	const char* text = job->options.sceneText;
	return text != NULL ? brReadScene(&job->line->context, text, strlen(text), path, &changes, &job->scene, report)
						: brLoadScene(&job->line->context, path, &changes, &job->scene, report);
}

// The scene that the command made, to go on from.
static brResult saveSceneText(RunJob* job, brReport* report)
{
	if (job->options.sceneText == NULL)
	{
		return br_success;
	}
	const char* text = job->options.sceneText;
	brResult result = brSaveBytes(&job->quiet, text, strlen(text), outputPath(job, NULL, ".yaml"), report);
	if (result < 0)
	{
		return result;
	}
	noteFile(job, NULL, ".yaml");
	return br_success;
}

static double checkpointPause(void)
{
	const char* given = getenv("BRITTLE_CHECKPOINT_SECONDS");
	return given != NULL && atof(given) > 0.0 ? atof(given) : CHECKPOINT_SECONDS;
}

// Plays until the end or Ctrl-C; leaves a checkpoint now and then.
static brResult playScene(RunJob* job, brReport* report)
{
	CommandLine* line = job->line;
	brResult result = br_success;
	double pause = checkpointPause(), lastSaved = secondsSinceStart(line);
	while (result >= 0 && !brRun_IsDone(job->run))
	{
		double progress = (double)brRun_GetFrameCount(job->run) / brRun_GetFrameTotal(job->run);
		if (line->context.cancel(progress, line->context.cancelUser))
		{
			job->wasInterrupted = true;
			break;
		}
		result = brRun_PlayFrame(job->run, report);
		double now = secondsSinceStart(line);
		if (result >= 0 && now - lastSaved > pause)
		{
			result = brRun_SaveCheckpoint(job->run, &job->quiet, outputPath(job, "checkpoint", ".brcp"), report);
			lastSaved = secondsSinceStart(line);
			bool isAsked = getenv("BRITTLE_CHECKPOINT_SECONDS") != NULL;
			pause = fmax(pause, isAsked ? 0.0 : (lastSaved - now) / CHECKPOINT_SHARE);
		}
	}
	return result;
}

// Pictures

// Of the whole action.
static brRenderDef cameraOf(const RunJob* job, int32_t width, int32_t height)
{
	brRenderDef def = brMakeRecordingRenderDef(job->recording, -INFINITY, INFINITY);
	def.width = width;
	def.height = height;
	return def;
}

static brResult savePoster(RunJob* job, const brAssembly* assembly, brReport* report)
{
	const brSceneOutput* output = &job->scene->output;
	double end = brRun_GetFrameCount(job->run) / job->scene->frameRate;
	double time = output->posterTime >= 0.0 ? fmin(output->posterTime, end) : 0.5 * end;
	brRenderDef def = brMakeRecordingRenderDef(job->recording, time, time);
	uint8_t* pixels = malloc((size_t)4 * (size_t)def.width * (size_t)def.height);
	if (pixels == NULL)
	{
		snprintf(report->text, sizeof(report->text), "there is not enough memory for the poster");
		return br_errorMemory;
	}
	brResult result = brRender(&job->line->context, assembly, &def, pixels, report);
	if (result >= 0)
	{
		result = brSavePng(&job->quiet, outputPath(job, "poster", ".png"), def.width, def.height, pixels, report);
		noteFile(job, "poster", ".png");
	}
	free(pixels);
	return result;
}

static brResult saveSheet(RunJob* job, const brAssembly* assembly, brReport* report)
{
	const brSceneOutput* output = &job->scene->output;
	double times[256];
	brRenderDef defs[256];
	int32_t count = output->sheetColumns * output->sheetRows;
	double end = brRun_GetFrameCount(job->run) / job->scene->frameRate;
	double to = output->sheetTo >= 0.0 ? fmin(output->sheetTo, end) : end, from = fmin(output->sheetFrom, to);
	brRecording_FindMoments(job->recording, from, to, times, count);
	for (int32_t i = 0; i < count; ++i)
	{
		defs[i] = brMakeRecordingRenderDef(job->recording, times[i], times[i]);
		defs[i].width = output->posterWidth / 2;
		defs[i].height = output->posterHeight / 2;
		defs[i].samples = (defs[i].samples + 1) / 2;
	}
	brResult result = brSaveContactSheet(&job->line->context, assembly, defs, count, output->sheetColumns,
										 outputPath(job, "sheet", ".png"), report);
	if (result >= 0)
	{
		noteFile(job, "sheet", ".png");
	}
	return result;
}

static brResult saveFrames(RunJob* job, const brAssembly* assembly, brReport* report)
{
	const brSceneOutput* output = &job->scene->output;
	brRenderDef def = cameraOf(job, output->videoWidth & ~1, output->videoHeight & ~1);
	def.samples = (def.samples + 1) / 2;
	uint8_t* pixels = malloc((size_t)4 * (size_t)def.width * (size_t)def.height);
	bool isReady = pixels != NULL && makeFolder(outputPath(job, "frames", ""));
	brResult result = isReady ? br_success : br_errorFile;
	if (!isReady)
	{
		snprintf(report->text, sizeof(report->text), "%.400s cannot be made", job->path);
	}
	int32_t count = brRun_GetFrameCount(job->run) + 1;
	for (int32_t i = 0; i < count && result >= 0; ++i)
	{
		if (job->line->context.cancel((double)i / count, job->line->context.cancelUser))
		{
			break; // those that are there are whole
		}
		char name[64];
		frameName(name, sizeof(name), i);
		def.time = i / job->scene->frameRate;
		brContext silent = job->quiet;
		silent.cancel = NULL;
		result = brRender(&silent, assembly, &def, pixels, report);
		result = result < 0 ? result
							: brSavePng(&job->quiet, outputPath(job, name, ""), def.width, def.height, pixels, report);
	}
	free(pixels);
	// What a longer run left here is not of this one.
	result = result < 0 ? result : removeOldOutputs(&job->outputs, "frames/frame_", ".png", count, report);
	if (result >= 0)
	{
		noteFile(job, "frames", "/");
	}
	return result;
}

#define VIDEO_RATE 30.0 // frames per second, unless the scene has fewer
#define VIDEO_SAMPLES 4 // the eye sees a frame for a moment only

static brResult saveVideo(RunJob* job, const brAssembly* assembly, brReport* report)
{
	const brSceneOutput* output = &job->scene->output;
	brRenderDef def = cameraOf(job, output->videoWidth, output->videoHeight);
	def.samples = def.samples < VIDEO_SAMPLES ? def.samples : VIDEO_SAMPLES;
	MoviePlan plan = {.to = brRun_GetFrameCount(job->run) / job->scene->frameRate,
					  .framesPerSecond = fmin(VIDEO_RATE, job->scene->frameRate),
					  .speed = 1.0};
	brResult result = drawMovie(job->line, assembly, &def, outputPath(job, NULL, ".mp4"), &plan, report);
	if (result == br_errorUnavailable)
	{
		say(job->line, "note: no video, since ffmpeg is not here or failed; --frames writes pictures");
		return br_success;
	}
	if (result >= 0)
	{
		noteFile(job, NULL, ".mp4");
	}
	return result;
}

// Files

// Who asks us to end does not wait for pictures: whole ones stay, and --resume draws the others.
static brResult savePictures(RunJob* job, brReport* report)
{
	brSceneOutput output = wantedOutput(job);
	if (endSignal() != 0 || (!output.poster && !output.sheet && !output.frames && !output.video))
	{
		return br_success;
	}
	brRecordingView view = brDefaultRecordingView();
	view.ground = false; // the renderer has one
	brAssembly* assembly = NULL;
	brResult result = brRecording_MakeAssembly(job->recording, &job->quiet, &view, &assembly, report);
	const struct
	{
		const char* what;
		bool isWanted;
		brResult (*save)(RunJob* job, const brAssembly* assembly, brReport* report);
	} works[] = {
		{"drawing the poster", output.poster, savePoster},
		{"drawing the contact sheet", output.sheet, saveSheet},
		{"drawing the frames", output.frames, saveFrames},
		{"drawing the video", output.video, saveVideo},
	};
	for (size_t i = 0; i < sizeof(works) / sizeof(works[0]) && result >= 0; ++i)
	{
		if (works[i].isWanted && endSignal() == 0)
		{
			nextWork(job->line, works[i].what);
			result = works[i].save(job, assembly, report);
		}
	}
	brDestroyAssembly(assembly);
	return result == br_errorCanceled ? br_success : result;
}

#define RUN_SPLIT_CORNERS 1000000 // of all meshes: their text is then about 30 MB, and motion is loaded without them

// Large runs go into two files, motion and meshes.
static brResult saveUsda(RunJob* job, const brAssembly* assembly, brSaveDef* save, brReport* report)
{
	int64_t corners = 0;
	char meshes[320];
	for (int32_t i = 0; i < assembly->meshCount; ++i)
	{
		corners += assembly->meshes[i]->cornerCount;
	}
	save->split = corners > RUN_SPLIT_CORNERS;
	snprintf(meshes, sizeof(meshes), "%s_meshes.usda", job->stem);
	brResult result = brSaveAssembly(&job->quiet, assembly, outputPath(job, NULL, ".usda"), save, report);
	noteFile(job, NULL, ".usda");
	if (save->split)
	{
		noteFile(job, NULL, "_meshes.usda");
	}
	else
	{
		removeOutput(&job->outputs, meshes); // of a larger run before, or none
		result = result < 0 ? result : saveOutputs(&job->outputs, report);
	}
	return result;
}

typedef struct StageTimes
{
	double broad, narrow, island, prepare, solve, finish, breaking, total, worst;
} StageTimes;

static StageTimes sumStages(const brRun* run)
{
	StageTimes sum = {0};
	int32_t count;
	const brRunStep* steps = brRun_GetSteps(run, &count);
	for (int32_t i = 0; i < count; ++i)
	{
		sum.broad += steps[i].broadSeconds;
		sum.narrow += steps[i].narrowSeconds;
		sum.island += steps[i].islandSeconds;
		sum.prepare += steps[i].prepareSeconds;
		sum.solve += steps[i].solveSeconds;
		sum.finish += steps[i].finishSeconds;
		sum.breaking += steps[i].breakSeconds;
		sum.total += steps[i].seconds;
		sum.worst = fmax(sum.worst, steps[i].seconds);
	}
	return sum;
}

// Where a longer --time would go on, unless playing all of it again is as quick: the file is larger than the recording.
static brResult keepCheckpoint(RunJob* job, brReport* report)
{
	const char* path = outputPath(job, "checkpoint", ".brcp");
	if (job->wasInterrupted || sumStages(job->run).total > checkpointPause())
	{
		return brRun_SaveCheckpoint(job->run, &job->quiet, path, report);
	}
	brOs_Remove(path); // its name stays on the list of outputs: --resume then begins at the start
	return br_success;
}

static brResult saveFiles(RunJob* job, brReport* report)
{
	const brSceneOutput* output = &job->scene->output;
	nextWork(job->line, "writing");
	brResult result = br_success;
	if (output->csv)
	{
		result = brRun_SaveStatistics(job->run, &job->quiet, outputPath(job, NULL, ".csv"), report);
		noteFile(job, NULL, ".csv");
	}
	const brRecording* recording = brRun_GetRecording(job->run);
	if (result >= 0 && output->brec)
	{
		const char* path = outputPath(job, NULL, ".brec");
		result = brSaveRecording(&job->quiet, recording, path, report);
		result = result < 0 ? result : brLoadRecording(&job->quiet, path, &job->recording, report);
		noteFile(job, NULL, ".brec");
	}
	else if (result >= 0)
	{
		result = brRoundRecording(&job->quiet, recording, &job->recording, report);
	}
	brAssembly* assembly = NULL;
	if (result >= 0 && (output->glb || output->usda))
	{
		brRecordingView view = brDefaultRecordingView();
		view.keyTolerance = BR_RECORDING_NEAR;
		result = brRecording_MakeAssembly(job->recording, &job->quiet, &view, &assembly, report);
	}
	brSaveDef save = brDefaultSaveDef();
	save.yUp = true;
	save.triangulate = true; // shards have concave faces, on which some readers of polygons stumble
	if (result >= 0 && output->glb)
	{
		brReport inner = {0};
		result = brSaveAssembly(&job->quiet, assembly, outputPath(job, NULL, ".glb"), &save, &inner);
		if (result == br_errorUnavailable)
		{
			say(job->line, "note: no .glb: %s", inner.text);
			result = br_success;
		}
		else
		{
			*report = inner;
			noteFile(job, NULL, ".glb");
		}
	}
	if (result >= 0 && output->usda)
	{
		result = saveUsda(job, assembly, &save, report);
	}
	brDestroyAssembly(assembly);
	// Before the pictures, which take longer than some systems wait until they kill.
	result = result < 0 ? result : keepCheckpoint(job, report);
	return result < 0 ? result : savePictures(job, report);
}

// What is said at the end

// Where the energy is and went, in joules: "in" is the sum of the others.
static void jsonBooks(Json* json, const brRun* run)
{
	int32_t count;
	const brRunStep* steps = brRun_GetSteps(run, &count);
	if (count == 0)
	{
		return;
	}
	const brRunStep* last = &steps[count - 1];
	jsonOpen(json, "energy", '{');
	jsonNumber(json, "in", last->energyIn);
	jsonNumber(json, "kinetic", last->kinetic);
	jsonNumber(json, "potential", last->potential);
	jsonNumber(json, "broken", last->energyBroken);
	jsonNumber(json, "friction", last->energyFriction);
	jsonNumber(json, "restitution", last->energyRestitution);
	jsonNumber(json, "damping", last->energyDamping);
	jsonNumber(json, "solver", last->energySolver);
	jsonClose(json, '}');
}

static void tellResult(RunJob* job)
{
	const brRun* run = job->run;
	StageTimes stages = sumStages(run);
	double played = brRun_GetFrameCount(run) / job->scene->frameRate;
	int32_t bodies = brWorld_GetBodyCount(brRun_GetWorld(job->run));
	if (job->line->json)
	{
		char hash[32];
		snprintf(hash, sizeof(hash), "%016llx", (unsigned long long)brWorld_ComputeHash(brRun_GetWorld(job->run)));
		Json json = beginJson();
		jsonText(&json, "scene", job->scene->title[0] != 0 ? job->scene->title : job->stem);
		jsonText(&json, "folder", job->folder);
		jsonInt(&json, "frames", brRun_GetFrameCount(run));
		jsonNumber(&json, "time", played);
		jsonInt(&json, "bodies", bodies);
		jsonInt(&json, "breaks", brRun_GetBreakCount(run));
		jsonInt(&json, "pieces", brRun_GetPieceCount(run));
		jsonText(&json, "hash", hash);
		brGpuInfo device = job->gpu != NULL ? brGpu_GetInfo(job->gpu) : (brGpuInfo){.name = "cpu"};
		jsonText(&json, "device", device.name);
		int32_t steps;
		brRun_GetSteps(run, &steps);
		jsonInt(&json, "steps", steps);
		jsonInt(&json, "device_steps", brRun_GetDeviceStepCount(run));
		jsonInt(&json, "device_breaks", brRun_GetDeviceBreakCount(run));
		jsonBool(&json, "interrupted", job->wasInterrupted);
		jsonBool(&json, "resumed", job->wasResumed);
		jsonNumber(&json, "simulation_seconds", stages.total);
		jsonNumber(&json, "worst_step_ms", 1e3 * stages.worst);
		jsonOpen(&json, "stages", '{');
		jsonNumber(&json, "broad", stages.broad);
		jsonNumber(&json, "narrow", stages.narrow);
		jsonNumber(&json, "islands", stages.island);
		jsonNumber(&json, "prepare", stages.prepare);
		jsonNumber(&json, "solve", stages.solve);
		jsonNumber(&json, "finish", stages.finish);
		jsonNumber(&json, "break", stages.breaking);
		jsonClose(&json, '}');
		jsonBooks(&json, run);
		jsonOpen(&json, "files", '[');
		for (int32_t i = 0; i < job->fileCount; ++i)
		{
			jsonText(&json, NULL, job->files[i]);
		}
		jsonClose(&json, ']');
		endJson(&json, job->line);
		return;
	}
	say(job->line, "%s: %d frames (%.2f s) in %.2f s, worst step %.1f ms; %d bodies, %d break%s, %d pieces%s",
		job->stem, brRun_GetFrameCount(run), played, stages.total, 1e3 * stages.worst, bodies, brRun_GetBreakCount(run),
		brRun_GetBreakCount(run) == 1 ? "" : "s", brRun_GetPieceCount(run),
		!job->wasInterrupted             ? ""
		: job->options.sceneText == NULL ? "; interrupted, --resume goes on"
										 : "; interrupted");
	if (job->wasInterrupted && job->options.sceneText != NULL)
	{
		say(job->line, "note: brittle run %s -o %s --resume goes on", outputPath(job, NULL, ".yaml"), job->folder);
	}
	if (job->options.story != NULL)
	{
		int32_t pieces = brRun_GetPieceCount(run);
		const char* end = job->wasInterrupted         ? " until it was stopped"
						  : job->options.hint != NULL ? job->options.hint
													  : "";
		pieces > 0 ? printf("%s and broke into %d pieces.\n", job->options.story, pieces)
				   : printf("%s and did not break%s.\n", job->options.story, end);
	}
	if (job->gpu != NULL)
	{
		say(job->line, "%d steps on the device as a whole, pairs of the others", brRun_GetDeviceStepCount(run));
	}
	for (int32_t i = 0; i < job->fileCount; ++i)
	{
		printf("%s/%s\n", job->folder, job->files[i]);
	}
}

// The run, new or from the checkpoint that an earlier one left.
static brResult beginRun(RunJob* job, brReport* report)
{
	brContext* context = &job->line->context;
	bool hasCheckpoint = brOs_FileInfo(outputPath(job, "checkpoint", ".brcp")).kind != br_fileAbsent;
	// A run that was killed before its first checkpoint has put its name on the list: the beginning is where to go on.
	bool isNew = !job->options.resume || (!hasCheckpoint && hasOutput(&job->outputs, "checkpoint.brcp"));
	brResult result = isNew ? brCreateRun(context, job->scene, &job->run, report)
							: brRestoreRun(context, job->scene, job->path, &job->run, report);
	if (result < 0)
	{
		return result;
	}
	job->wasResumed = !isNew;
	if (job->options.resume && isNew)
	{
		say(job->line, "note: the run before left no checkpoint; this one begins at the start");
	}
	if (job->gpu != NULL)
	{
		result = brRun_SetDevice(job->run, job->gpu, report);
	}
	return result < 0 ? result : claimFiles(job, report);
}

static brResult runAll(RunJob* job, const char* path, brReport* report)
{
	char partial[320];
	snprintf(partial, sizeof(partial), "%s.partial.mp4", job->stem);
	removeOutput(&job->outputs, partial); // half a video of a run that was killed
	sweepAsides(outputPath(job, "frames", ""));
	brResult result = loadScene(job, path, report);
	result = result < 0 ? result : beginRun(job, report);
	result = result < 0 ? result : saveSceneText(job, report);
	result = result < 0 ? result : playScene(job, report);
	if (result >= 0 && job->options.held != NULL && !job->wasInterrupted && brRun_GetPieceCount(job->run) == 0)
	{
		*job->options.held = true;
		return result;
	}
	return result < 0 ? result : saveFiles(job, report);
}

static bool isMeshFile(const char* path)
{
	switch (brFileFormat_FromPath(path))
	{
		case br_formatObj:
		case br_formatPly:
		case br_formatStl:
		case br_formatOff:
		case br_formatUsda:
			return true;
		default:
			return false;
	}
}

// All of stdin as text, malloced; null, with a reason, if that is too much or there is no memory.
static char* readInput(const char** outWhy)
{
	enum
	{
		most = 16 << 20 // as files of scenes
	};
	char* text = malloc(most + 1);
	size_t count = text != NULL ? fread(text, 1, most + 1, stdin) : 0;
	*outWhy = text == NULL ? "there is no memory for it" : count > most ? "it has more than 16 MiB" : NULL;
	if (*outWhy != NULL)
	{
		free(text);
		return NULL;
	}
	text[count] = 0;
	char* fit = realloc(text, count + 1);
	return fit != NULL ? fit : text;
}

// A scene from another program. Mesh files are looked for in the working folder, results are named "scene".
static int runInput(CommandLine* line, RunOptions* run)
{
	const char* why;
	char* text = readInput(&why);
	if (text == NULL)
	{
		brReport report = {.code = br_errorUnsupported};
		snprintf(report.text, sizeof(report.text), "the scene on stdin is not taken: %s", why);
		return failData(line, &report);
	}
	run->sceneText = text;
	int code = runScene(line, run, "scene.yaml");
	free(text);
	return code;
}

static int runRun(CommandLine* line)
{
	RunOptions run = {.pictures = true};
	const Option options[] = {
		{"time", 't', option_double, &run.time, "S", "seconds to play instead of the scene's duration"},
		{"set", 's', option_list, &run.changes, "KEY=VALUE",
		 "changes a value of the scene, as in models.glass.res=32; may be given again"},
		{"resume", 0, option_flag, &run.resume, NULL, "go on from the checkpoint in DIR"},
		RUN_OPTIONS(&run),
	};
	if (!readOptions(line, options, sizeof(options) / sizeof(options[0]), 1, 1))
	{
		return line->exitCode;
	}
	if (run.time < 0.0)
	{
		return failUsage(line, "--time takes seconds above 0");
	}
	if (strcmp(line->positional[0], "-") == 0)
	{
		return runInput(line, &run);
	}
	return isMeshFile(line->positional[0]) ? dropFile(line, &run, line->positional[0])
										   : runScene(line, &run, line->positional[0]);
}

int runScene(CommandLine* line, const RunOptions* options, const char* path)
{
	RunJob job = {.line = line, .options = *options};
	if (!nameOutputs(&job, path))
	{
		return failUsage(line, "the scene's name or the folder is empty or too long");
	}
	brReport report = {0};
	if (openOutputs(&job.outputs, line, job.folder, &report) < 0)
	{
		return failData(line, &report);
	}
	if (!openDevice(line, &job.gpu))
	{
		closeOutputs(&job.outputs);
		return exit_no;
	}
	if (!beginWork(line, "playing"))
	{
		closeOutputs(&job.outputs);
		brCloseGpu(job.gpu);
		return exit_no;
	}
	job.quiet = line->context;
	job.quiet.cancel = showProgress;
	brResult result = runAll(&job, path, &report);
	if (result >= 0 && (options->held == NULL || !*options->held))
	{
		tellResult(&job);
	}
	brDestroyRecording(job.recording);
	brDestroyRun(job.run);
	brDestroyScene(job.scene);
	brCloseGpu(job.gpu);
	closeOutputs(&job.outputs);
	endWork(line);
	if (result < 0)
	{
		report.code = result;
		return failData(line, &report);
	}
	return exit_done;
}

const Command command_run = {
	"run",
	"plays a scene: bodies move, collide and break; writes .glb, .usda, pictures and tables",
	"SCENE.yaml [-o DIR] [--time S] [--set KEY=VALUE] [--resume]",
	"Reads a scene (docs/scene.md; also glTF with KHR_physics_rigid_bodies), plays it and writes into DIR: an\n"
	"animated .glb and .usda, a .brec recording, a .csv with the energy balance of every step, a poster and a contact\n"
	"sheet. Ctrl-C or SIGTERM stops early, writes complete files of what was done and exits with 128 + the signal;\n"
	"--resume goes on from there, also with a longer --time. SCENE may be -, for one on stdin. Files in DIR that\n"
	"brittle did not write are never replaced.",
	"brittle run scenes/wine_glass.yaml -o out/wine_glass",
	runRun,
	true,
};

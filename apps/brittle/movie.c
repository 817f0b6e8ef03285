// SPDX-License-Identifier: MIT
#include "movie.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/types.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif
#ifndef _WIN32
#include <sys/wait.h>
#include <unistd.h>
#endif

#define MOVIE_MAX_WORDS 16
#define MOVIE_MAX_BATCH 16      // pictures that are drawn at the same time
#define MOVIE_MAX_FRAMES 64     // that wait for them: some show the same picture
#define MOVIE_PIXEL_BYTES 200.0 // that a picture takes while it is drawn, a pixel
#define MOVIE_BATCH_BYTES 1e9   // for all of them

typedef struct Movie
{
	char path[1600], partial[1640]; // written under the second name, which becomes the first
	size_t frameBytes;
	pid_t encoder;
	int pipe;
	bool isBroken;
} Movie;

// What ffmpeg is told for each ending.
static const struct
{
	const char* ending;
	const char* words[MOVIE_MAX_WORDS];
} s_movies[] = {
	{".mp4", {"-c:v", "libx264", "-preset", "fast", "-crf", "20", "-pix_fmt", "yuv420p", "-movflags", "+faststart"}},
	{".webm", {"-c:v", "libvpx-vp9", "-crf", "32", "-b:v", "0", "-pix_fmt", "yuv420p"}},
	{".webp", {"-c:v", "libwebp_anim", "-loop", "0", "-quality", "60", "-compression_level", "6"}},
	{".gif",
	 {"-filter_complex", "split[a][b];[a]palettegen=max_colors=128[p];[b][p]paletteuse=dither=bayer:bayer_scale=4",
	  "-loop", "0"}},
};

static int32_t movieKind(const char* path)
{
	const char* dot = strrchr(path, '.');
	for (size_t i = 0; dot != NULL && i < sizeof(s_movies) / sizeof(s_movies[0]); ++i)
	{
		if (strcasecmp(dot, s_movies[i].ending) == 0)
		{
			return (int32_t)i;
		}
	}
	return -1;
}

bool isMovie(const char* path)
{
	return movieKind(path) >= 0;
}

#ifndef _WIN32

// Starts ffmpeg. Sizes are even. False: it is not here.
static bool openMovie(Movie* movie, const char* path, int32_t width, int32_t height, double framesPerSecond)
{
	memset(movie, 0, sizeof(*movie));
	int32_t kind = movieKind(path);
	char size[32], rate[32];
	snprintf(size, sizeof(size), "%dx%d", width, height);
	snprintf(rate, sizeof(rate), "%.9g", framesPerSecond);
	snprintf(movie->path, sizeof(movie->path), "%s", path);
	// The ending stays last: ffmpeg goes by it.
	const char* ending = kind >= 0 ? s_movies[kind].ending : "";
	snprintf(movie->partial, sizeof(movie->partial), "%.*s.partial%s", (int)(strlen(movie->path) - strlen(ending)),
			 movie->path, ending);
	movie->frameBytes = (size_t)4 * (size_t)width * (size_t)height;
	const char* words[64] = {"ffmpeg", "-nostdin", "-y", "-loglevel", "error", "-f",     "rawvideo", "-pix_fmt", "rgba",
							 "-s",     size,       "-r", rate,        "-i",    "pipe:0", "-fflags",  "+bitexact"};
	int32_t count = 17, ends[2];
	for (int32_t i = 0; kind >= 0 && i < MOVIE_MAX_WORDS && s_movies[kind].words[i] != NULL; ++i)
	{
		words[count++] = s_movies[kind].words[i];
	}
	char target[sizeof(movie->partial) + 8]; // a name with a colon is not a protocol, one with a dash not an option
	snprintf(target, sizeof(target), "file:%s", movie->partial);
	words[count++] = target;
	if (kind < 0 || pipe(ends) != 0)
	{
		return false;
	}
	fcntl(ends[0], F_SETFD, FD_CLOEXEC); // not pipe2, which macOS lacks
	fcntl(ends[1], F_SETFD, FD_CLOEXEC);
	signal(SIGPIPE, SIG_IGN); // a dead encoder is seen when it is written to
	movie->encoder = fork();
	if (movie->encoder == 0)
	{
		dup2(ends[0], STDIN_FILENO);
		signal(SIGINT, SIG_IGN); // Ctrl-C ends the drawing; what was drawn becomes a movie
		execvp(words[0], (char* const*)words);
		_exit(127);
	}
	close(ends[0]);
	movie->pipe = ends[1];
	movie->isBroken = movie->encoder < 0;
	return !movie->isBroken;
}

// One frame of RGBA bytes.
static void addMovieFrame(Movie* movie, const uint8_t* pixels)
{
	for (size_t done = 0; done < movie->frameBytes && !movie->isBroken;)
	{
		ssize_t written = write(movie->pipe, pixels + done, movie->frameBytes - done);
		movie->isBroken = written < 0 && errno != EINTR;
		done += written > 0 ? (size_t)written : 0;
	}
}

// Waits for the file. False: ffmpeg failed, and there is none.
static bool closeMovie(Movie* movie)
{
	int status = 0;
	close(movie->pipe);
	pid_t ended;
	do
	{
		ended = waitpid(movie->encoder, &status, 0);
	} while (ended < 0 && errno == EINTR);
	bool isGood = ended == movie->encoder && WIFEXITED(status) && WEXITSTATUS(status) == 0 && !movie->isBroken &&
				  rename(movie->partial, movie->path) == 0;
	if (!isGood)
	{
		unlink(movie->partial);
	}
	return isGood;
}

#else

// No movies on Windows yet: --frames writes pictures.
static bool openMovie(Movie* movie, const char* path, int32_t width, int32_t height, double framesPerSecond)
{
	(void)movie, (void)path, (void)width, (void)height, (void)framesPerSecond;
	return false;
}

static void addMovieFrame(Movie* movie, const uint8_t* pixels)
{
	(void)movie, (void)pixels;
}

static bool closeMovie(Movie* movie)
{
	(void)movie;
	return false;
}

#endif

// Each frame asks for the same large blocks: they are kept, not given back to the system and cleared by it again.
static void keepMemory(void)
{
#ifdef __GLIBC__
	mallopt(M_MMAP_MAX, 0);
	mallopt(M_TRIM_THRESHOLD, INT32_MAX);
	mallopt(M_ARENA_MAX, 1); // all workers take from what is kept
#endif
}

// Whether two instants look the same: all parts there are in one are in the other, in the same place. With a shutter,
// also as it closes.
static bool areAlike(const brAssembly* assembly, double a, double b)
{
	for (int32_t i = 0; i < assembly->partCount; ++i)
	{
		const brPart* part = &assembly->parts[i];
		bool isThere = a >= part->bornTime && a < part->goneTime;
		if (isThere != (b >= part->bornTime && b < part->goneTime))
		{
			return false;
		}
		brTransform poses[2] = {brAssembly_FindPose(assembly, i, a), brAssembly_FindPose(assembly, i, b)};
		if (isThere && memcmp(&poses[0], &poses[1], sizeof(poses[0])) != 0)
		{
			return false;
		}
	}
	return true;
}

// Pictures that are drawn at the same time, each by one worker: what is serial in one goes on beside the others.
typedef struct MovieBatch
{
	brContext context; // without workers
	const brAssembly* assembly;
	brRenderDef defs[MOVIE_MAX_BATCH];
	uint8_t* pixels[MOVIE_MAX_BATCH + 1]; // the last one is the picture before this batch
	brResult results[MOVIE_MAX_BATCH];
	brReport reports[MOVIE_MAX_BATCH];
	int32_t pictures[MOVIE_MAX_FRAMES]; // of each frame of the movie that waits
	int32_t count, capacity, frameCount;
} MovieBatch;

static void drawBatch(int32_t begin, int32_t end, int32_t worker, void* user)
{
	(void)worker;
	MovieBatch* batch = user;
	for (int32_t i = begin; i < end; ++i)
	{
		batch->results[i] =
			brRender(&batch->context, batch->assembly, &batch->defs[i], batch->pixels[i], &batch->reports[i]);
	}
}

// Draws what waits, on all workers, and hands it to the encoder.
static brResult endBatch(MovieBatch* batch, brWorkers* workers, Movie* movie, brReport* report)
{
	if (batch->count > 1)
	{
		brParallelFor(workers, batch->count, 1, drawBatch, batch);
	}
	else if (batch->count == 1)
	{
		brContext all = batch->context;
		all.workers = workers;
		batch->results[0] = brRender(&all, batch->assembly, &batch->defs[0], batch->pixels[0], &batch->reports[0]);
	}
	for (int32_t i = 0; i < batch->count; ++i)
	{
		if (batch->results[i] < 0)
		{
			*report = batch->reports[i];
			return batch->results[i];
		}
	}
	for (int32_t i = 0; i < batch->frameCount; ++i)
	{
		int32_t picture = batch->pictures[i];
		addMovieFrame(movie, batch->pixels[picture >= 0 ? picture : batch->capacity]);
	}
	if (batch->count > 0)
	{
		uint8_t* last = batch->pixels[batch->count - 1];
		batch->pixels[batch->count - 1] = batch->pixels[batch->capacity];
		batch->pixels[batch->capacity] = last;
	}
	batch->count = 0;
	batch->frameCount = 0;
	return br_success;
}

static void destroyBatch(MovieBatch* batch)
{
	for (int32_t i = 0; batch != NULL && i <= MOVIE_MAX_BATCH; ++i)
	{
		free(batch->pixels[i]);
	}
	free(batch);
}

static MovieBatch* createBatch(const CommandLine* line, const brAssembly* assembly, const brRenderDef* def)
{
	MovieBatch* batch = calloc(1, sizeof(MovieBatch));
	if (batch == NULL)
	{
		return NULL;
	}
	batch->context = line->context;
	batch->context.cancel = NULL;
	batch->context.workers = NULL;
	batch->assembly = assembly;
	double pixelCount = (double)def->width * def->height;
	int32_t most = (int32_t)fmin(MOVIE_BATCH_BYTES / (MOVIE_PIXEL_BYTES * pixelCount), MOVIE_MAX_BATCH);
	int32_t workers = brWorkers_GetCount(line->context.workers);
	// Rather one picture by all workers than a few by some of them.
	batch->capacity = workers <= most && workers > 1 ? workers : 1;
	bool complete = true;
	for (int32_t i = 0; i <= batch->capacity; ++i)
	{
		batch->pixels[i] = malloc((size_t)4 * (size_t)def->width * (size_t)def->height);
		complete = complete && batch->pixels[i] != NULL;
	}
	if (!complete)
	{
		destroyBatch(batch);
		return NULL;
	}
	return batch;
}

brResult drawMovie(CommandLine* line, const brAssembly* assembly, const brRenderDef* def, const char* path,
				   const MoviePlan* plan, brReport* report)
{
	Movie movie;
	brRenderDef one = *def;
	one.width &= ~1; // the usual encoders want even numbers
	one.height &= ~1;
	keepMemory();
	MovieBatch* batch = createBatch(line, assembly, &one);
	if (batch == NULL || !openMovie(&movie, path, one.width, one.height, plan->framesPerSecond))
	{
		destroyBatch(batch);
		snprintf(report->text, sizeof(report->text), "there is no memory for the frames, or no process for ffmpeg");
		return br_errorMemory;
	}
	brResult result = br_success;
	double step = plan->speed / plan->framesPerSecond;
	int32_t count = (int32_t)fmin(floor((plan->to - plan->from) / step + 1e-6) + 1.0, 1e6);
	for (int32_t i = 0; i < count && result >= 0 && !movie.isBroken; ++i)
	{
		if (line->context.cancel((double)i / count, line->context.cancelUser))
		{
			break;
		}
		// At rest one frame is as the other.
		double time = plan->from + i * step;
		bool isDrawn = i > 0 && areAlike(assembly, one.time, time) &&
					   areAlike(assembly, one.time + one.shutter, time + one.shutter);
		if (!isDrawn)
		{
			one.time = time;
			batch->defs[batch->count++] = one;
		}
		batch->pictures[batch->frameCount++] = batch->count - 1;
		bool isFull = batch->count == batch->capacity || batch->frameCount == MOVIE_MAX_FRAMES;
		result = isFull || i == 0 ? endBatch(batch, line->context.workers, &movie, report) : br_success;
	}
	result = result < 0 ? result : endBatch(batch, line->context.workers, &movie, report);
	destroyBatch(batch);
	if (!closeMovie(&movie) && result >= 0)
	{
		snprintf(report->text, sizeof(report->text), "%.300s was not made: ffmpeg is not here or failed", path);
		return br_errorUnavailable;
	}
	return result;
}

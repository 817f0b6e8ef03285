// SPDX-License-Identifier: MIT
#include "movie.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif
#ifndef _WIN32
#include <sys/wait.h>
#include <unistd.h>
#endif

#define MOVIE_MAX_WORDS 16

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

bool openMovie(Movie* movie, const char* path, int32_t width, int32_t height, double framesPerSecond)
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

void addMovieFrame(Movie* movie, const uint8_t* pixels)
{
	for (size_t done = 0; done < movie->frameBytes && !movie->isBroken;)
	{
		ssize_t written = write(movie->pipe, pixels + done, movie->frameBytes - done);
		movie->isBroken = written < 0 && errno != EINTR;
		done += written > 0 ? (size_t)written : 0;
	}
}

bool closeMovie(Movie* movie)
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
bool openMovie(Movie* movie, const char* path, int32_t width, int32_t height, double framesPerSecond)
{
	(void)movie, (void)path, (void)width, (void)height, (void)framesPerSecond;
	return false;
}

void addMovieFrame(Movie* movie, const uint8_t* pixels)
{
	(void)movie, (void)pixels;
}

bool closeMovie(Movie* movie)
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
#endif
}

// Whether two instants look the same: all parts there are in one are in the other, in the same place. With a shutter, also as it closes.
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

brResult drawMovie(CommandLine* line, const brAssembly* assembly, const brRenderDef* def, const char* path,
				   const MoviePlan* plan, brReport* report)
{
	Movie movie;
	brRenderDef one = *def;
	one.width &= ~1; // the usual encoders want even numbers
	one.height &= ~1;
	brContext quiet = line->context;
	quiet.cancel = NULL;
	keepMemory();
	uint8_t* pixels = malloc((size_t)4 * (size_t)one.width * (size_t)one.height);
	if (pixels == NULL || !openMovie(&movie, path, one.width, one.height, plan->framesPerSecond))
	{
		free(pixels);
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
		one.time = isDrawn ? one.time : time;
		result = isDrawn ? br_success : brRender(&quiet, assembly, &one, pixels, report);
		if (result >= 0)
		{
			addMovieFrame(&movie, pixels);
		}
	}
	free(pixels);
	if (!closeMovie(&movie) && result >= 0)
	{
		snprintf(report->text, sizeof(report->text), "%.300s was not made: ffmpeg is not here or failed", path);
		return br_errorUnavailable;
	}
	return result;
}

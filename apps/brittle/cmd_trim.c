// SPDX-License-Identifier: MIT
#include "loading.h"
#include "outputs.h"

#include <math.h>

static brResult trimFile(CommandLine* line, double from, double to, double rate, int32_t every,
						 brRecording** outTrimmed, brReport* report)
{
	brRecording* recording = NULL;
	brResult result = brLoadRecording(&line->context, line->positional[0], &recording, report);
	if (result < 0)
	{
		return result;
	}
	rate = every > 1 ? recording->frameRate / every : rate;
	result = brTrimRecording(&line->context, recording, from, to, rate, outTrimmed, report);
	brDestroyRecording(recording);
	if (result < 0)
	{
		return result;
	}
	return brSaveRecording(&line->context, *outTrimmed, line->positional[1], report);
}

static int runTrim(CommandLine* line)
{
	double from = 0.0, to = INFINITY, rate = 0.0;
	int32_t every = 1;
	const Option options[] = {
		{"from", 0, option_double, &from, "S", "first second that is kept (default: 0)"},
		{"to", 0, option_double, &to, "S", "last second that is kept (default: the end)"},
		{"every", 0, option_int, &every, "N", "keep every N-th frame"},
		{"fps", 0, option_double, &rate, "R", "frames per second; poses between frames are interpolated"},
	};
	if (!readOptions(line, options, sizeof(options) / sizeof(options[0]), 2, 2))
	{
		return line->exitCode;
	}
	if (!isRecording(line->positional[0]) || !isRecording(line->positional[1]))
	{
		return failUsage(line, "both files are recordings (.brec); brittle convert makes other files of them");
	}
	if (!(from >= 0.0) || !(to > from) || every < 1 || rate < 0.0 || (every > 1 && rate > 0.0))
	{
		return failUsage(line,
						 "--from is 0 or later, --to after it, --every 1 or more, --fps positive and without --every");
	}
	if (!isSafeOutput(line, line->positional[1]) || !beginWork(line, "trimming"))
	{
		return exit_usage;
	}
	brReport report = {0};
	brRecording* trimmed = NULL;
	brResult result = trimFile(line, from, to, rate, every, &trimmed, &report);
	endWork(line);
	if (result < 0)
	{
		brDestroyRecording(trimmed);
		return failData(line, &report);
	}
	say(line, "%s: %d frames at %g a second, %d bodies", line->positional[1], trimmed->frameCount, trimmed->frameRate,
		trimmed->bodyCount);
	if (line->json)
	{
		Json json = beginJson();
		jsonText(&json, "output", line->positional[1]);
		jsonInt(&json, "frames", trimmed->frameCount);
		jsonNumber(&json, "frame_rate", trimmed->frameRate);
		jsonInt(&json, "bodies", trimmed->bodyCount);
		endJson(&json, line);
	}
	brDestroyRecording(trimmed);
	return exit_done;
}

const Command command_trim = {
	"trim",
	"cuts a part out of a recording, at its rate or another one",
	"IN.brec OUT.brec [--from S] [--to S] [--every N | --fps R]",
	"Keeps what happens between two times and begins at 0. Frames that fall on old ones keep their poses to the bit.",
	"brittle trim out/pane/pane.brec short.brec --from 0.1 --to 0.6 --fps 24",
	runTrim,
	false,
};

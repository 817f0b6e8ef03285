// SPDX-License-Identifier: MIT

// brittle view FILE: the page with the recording inside, one file that opens anywhere without a server.
//
// The page is made by `make viewer`; it is looked for beside the program, as installed, and in the build folder.

#include "command.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const char viewMark[] = "<!--RECORDING-->";

typedef struct ViewText
{
	char* bytes;
	size_t size;
} ViewText;

// The whole file, or null.
static bool viewRead(const char* path, ViewText* outText)
{
	FILE* file = fopen(path, "rb");
	if (file == NULL)
	{
		return false;
	}
	bool isRead = false;
	long size = fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
	outText->bytes = size >= 0 && size < (1l << 30) ? malloc((size_t)size + 1) : NULL;
	if (outText->bytes != NULL && fseek(file, 0, SEEK_SET) == 0)
	{
		outText->size = fread(outText->bytes, 1, (size_t)size, file);
		outText->bytes[outText->size] = '\0';
		isRead = outText->size == (size_t)size;
	}
	if (!isRead)
	{
		free(outText->bytes);
		outText->bytes = NULL;
	}
	fclose(file);
	return isRead;
}

static bool viewFindPage(ViewText* outPage)
{
	const char* named = getenv("BRITTLE_VIEWER");
	if (named != NULL)
	{
		return viewRead(named, outPage);
	}
	char program[1024];
	ssize_t length = readlink("/proc/self/exe", program, sizeof(program) - 1);
	program[length > 0 ? length : 0] = '\0';
	char* slash = strrchr(program, '/');
	if (slash == NULL)
	{
		return false;
	}
	*slash = '\0';
	static const char* const places[] = {"../share/brittle/viewer.html", "viewer.html"};
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); ++i)
	{
		char path[1200];
		snprintf(path, sizeof(path), "%s/%s", program, places[i]);
		if (viewRead(path, outPage))
		{
			return true;
		}
	}
	return false;
}

static void viewPutBase64(FILE* file, const unsigned char* bytes, size_t count)
{
	static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	for (size_t i = 0; i < count; i += 3)
	{
		uint32_t word = (uint32_t)bytes[i] << 16;
		word |= i + 1 < count ? (uint32_t)bytes[i + 1] << 8 : 0;
		word |= i + 2 < count ? (uint32_t)bytes[i + 2] : 0;
		char quad[4] = {letters[word >> 18], letters[word >> 12 & 63], letters[word >> 6 & 63], letters[word & 63]};
		quad[2] = i + 1 < count ? quad[2] : '=';
		quad[3] = i + 2 < count ? quad[3] : '=';
		fwrite(quad, 1, sizeof(quad), file);
	}
}

// What is safe between quotes of an attribute.
static void viewPutName(FILE* file, const char* name)
{
	for (; *name != '\0'; ++name)
	{
		*name == '"' || *name == '&' || *name == '<' ? fprintf(file, "&#%d;", *name) : fputc(*name, file);
	}
}

// Written aside and renamed, so that nothing half-written is left.
static int viewWrite(CommandLine* line, const char* path, const ViewText* page, const ViewText* recording,
					 const char* name)
{
	const char* mark = strstr(page->bytes, viewMark);
	if (mark == NULL)
	{
		return failDataText(line, "the viewer's page has no place for a recording; make viewer makes a good one");
	}
	char aside[1100];
	snprintf(aside, sizeof(aside), "%s.tmp", path);
	FILE* file = strlen(path) < 1024 ? fopen(aside, "wb") : NULL;
	if (file == NULL)
	{
		return failDataText(line, "%s cannot be written: %s", path, strerror(errno));
	}
	const char* rest = mark + strlen(viewMark);
	fwrite(page->bytes, 1, (size_t)(mark - page->bytes), file);
	fprintf(file, "<script type=\"application/octet-stream\" id=\"recording\" data-name=\"");
	viewPutName(file, name);
	fprintf(file, "\">");
	viewPutBase64(file, (const unsigned char*)recording->bytes, recording->size);
	fprintf(file, "</script>");
	fwrite(rest, 1, page->size - (size_t)(rest - page->bytes), file);
	bool isWritten = ferror(file) == 0;
	isWritten = fclose(file) == 0 && isWritten;
	if (!isWritten || rename(aside, path) != 0)
	{
		int error = errno;
		remove(aside);
		return failDataText(line, "%s cannot be written: %s", path, strerror(error));
	}
	return exit_done;
}

// Hands the page to whatever opens pages here. It is no failure if nothing does.
static bool viewOpen(const char* path)
{
	if (getenv("DISPLAY") == NULL && getenv("WAYLAND_DISPLAY") == NULL)
	{
		return false;
	}
	pid_t child = fork();
	if (child == 0)
	{
		execlp("xdg-open", "xdg-open", path, (char*)NULL);
		_exit(127);
	}
	int status = 0;
	return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static int runView(CommandLine* line)
{
	const char* output = NULL;
	bool stay = false;
	const Option options[] = {
		{"output", 'o', option_text, &output, "FILE.html", "the page (default: FILE with .html instead of its ending)"},
		{"no-open", 0, option_flag, &stay, NULL, "write the page and do not open it"},
	};
	if (!readOptions(line, options, sizeof(options) / sizeof(options[0]), 1, 1))
	{
		return line->exitCode;
	}
	const char* input = line->positional[0];
	const char* name = strrchr(input, '/') != NULL ? strrchr(input, '/') + 1 : input;
	const char* dot = strrchr(name, '.');
	if (dot == NULL || (strcmp(dot, ".brec") != 0 && strcmp(dot, ".glb") != 0))
	{
		return failUsage(line, "view takes a .brec or a .glb file, not '%s'", input);
	}
	char path[1024];
	if (output == NULL)
	{
		snprintf(path, sizeof(path), "%.*s.html", (int)(dot - input < 1000 ? dot - input : 1000), input);
		output = path;
	}
	if (!beginWork(line, "writing"))
	{
		return exit_no;
	}
	int exitCode = exit_no;
	ViewText page = {0}, recording = {0};
	brReport report = {0};
	brRecording* checked = NULL;
	if (!viewRead(input, &recording))
	{
		failDataText(line, "%s cannot be read: %s", input, strerror(errno));
	}
	else if (strcmp(dot, ".brec") == 0 &&
			 brReadRecording(&line->context, recording.bytes, recording.size, input, &checked, &report) < 0)
	{
		failData(line, &report);
	}
	else if (!viewFindPage(&page))
	{
		failDataText(line, "the viewer's page is not here: make viewer makes it, BRITTLE_VIEWER names it");
	}
	else
	{
		exitCode = viewWrite(line, output, &page, &recording, name);
	}
	endWork(line);
	if (exitCode == exit_done && line->json)
	{
		Json json = beginJson();
		jsonText(&json, "file", output);
		endJson(&json, line);
	}
	else if (exitCode == exit_done)
	{
		printf("%s\n", output);
	}
	if (exitCode == exit_done && !stay && !line->json && !viewOpen(output))
	{
		say(line, "open it in a browser: it needs no server");
	}
	brDestroyRecording(checked);
	free(page.bytes);
	free(recording.bytes);
	return exitCode;
}

const Command command_view = {
	"view",
	"a recording as a page to watch",
	"FILE.brec|FILE.glb [-o FILE.html]",
	"Writes one HTML file with the recording and the viewer inside and opens it in the browser. It plays anywhere,\n"
	"without a server or a network, so it can be sent as it is.",
	"brittle view out/wine_glass/wine_glass.brec",
	runView,
};

// SPDX-License-Identifier: MIT

// brittle view FILE: the page with the recording inside, one file that opens anywhere without a server.

#include "aside.h"
#include "base/os.h"
#include "command.h"
#include "outputs.h"
#include "page.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

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

// The default name is not the user's choice: only a page that we wrote is replaced.
static bool viewMayReplace(const char* path)
{
	PageText text = {0};
	if (!readPageFile(path, &text))
	{
		return true; // new, or not to be opened, which writing will tell
	}
	bool isOurs = strstr(text.bytes, "id=\"recording\" data-name=") != NULL;
	free(text.bytes);
	return isOurs;
}

// Written aside and renamed, so that nothing half-written is left.
static int viewWrite(CommandLine* line, const char* path, const PageText* page, const PageText* recording,
					 const char* name)
{
	size_t markLength;
	const char* mark = findPageMark(page, &markLength);
	if (mark == NULL)
	{
		return failDataText(line, "the viewer's page has no place for a recording; make viewer makes a good one");
	}
	Aside aside;
	if (!openAside(&aside, path))
	{
		return failDataText(line, "%s cannot be written: %s", path, strerror(errno));
	}
	FILE* file = aside.file;
	const char* rest = mark + markLength;
	fwrite(page->bytes, 1, (size_t)(mark - page->bytes), file);
	fprintf(file, "<script type=\"application/octet-stream\" id=\"recording\" data-name=\"");
	viewPutName(file, name);
	fprintf(file, "\">");
	viewPutBase64(file, (const unsigned char*)recording->bytes, recording->size);
	fprintf(file, "</script>");
	fwrite(rest, 1, page->size - (size_t)(rest - page->bytes), file);
	if (!finishAside(&aside, true))
	{
		return failDataText(line, "%s cannot be written: %s", path, strerror(errno));
	}
	return exit_done;
}

// Whether the page could show it. A build that cannot read .glb files takes it as it is.
static bool viewIsGlb(CommandLine* line, const PageText* text, const char* name, brReport* report)
{
	brAssembly* assembly = NULL;
	brResult result = brReadAssembly(&line->context, text->bytes, text->size, br_formatGlb, name, &assembly, report);
	brDestroyAssembly(assembly);
	return result >= 0 || result == br_errorUnavailable;
}

static int runView(CommandLine* line)
{
	const char* output = NULL;
	bool stay = false;
	const Option options[] = {
		{"output", 'o', option_output, &output, "FILE.html",
		 "the page (default: FILE with .html instead of its ending)"},
		{"no-open", 0, option_flag, &stay, NULL, "write the page and do not open it"},
	};
	if (!readOptions(line, options, sizeof(options) / sizeof(options[0]), 1, 1))
	{
		return line->exitCode;
	}
	const char* input = line->positional[0];
	const char* name = brOs_LastSlash(input) != NULL ? brOs_LastSlash(input) + 1 : input;
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
		if (!viewMayReplace(output))
		{
			return failDataText(line, "%s is there, and brittle view did not write it: say with -o where to write",
								output);
		}
	}
	if (!isSafeOutput(line, output))
	{
		return exit_usage;
	}
	if (!beginWork(line, "writing"))
	{
		return exit_no;
	}
	int exitCode = exit_no;
	PageText page = {0}, recording = {0};
	brReport report = {0};
	brRecording* checked = NULL;
	if (!readPageFile(input, &recording))
	{
		failDataText(line, "%s cannot be read: %s", input, strerror(errno));
	}
	else if (strcmp(dot, ".brec") == 0 &&
			 brReadRecording(&line->context, recording.bytes, recording.size, input, &checked, &report) < 0)
	{
		failData(line, &report);
	}
	else if (strcmp(dot, ".glb") == 0 && !viewIsGlb(line, &recording, input, &report))
	{
		failData(line, &report);
	}
	else if (!findPage(&page))
	{
		failDataText(line, "%s", pageIsMissing);
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
	if (exitCode == exit_done && !stay && !line->json && !openInBrowser(output))
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
	"makes a web page that plays a recording",
	"FILE.brec|FILE.glb [-o FILE.html]",
	"Writes one HTML file with the recording and the viewer inside and opens it in the browser. It plays anywhere,\n"
	"without a server or a network, so it can be sent as it is.",
	"brittle view out/wine_glass/wine_glass.brec",
	runView,
	false,
};

// SPDX-License-Identifier: MIT

// brittle serve SCENE.yaml: the world runs here, browsers watch, one of them drives.

#include "command.h"
#include "page.h"
#include "serve_socket.h"
#include "system.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#ifndef _WIN32
#include <unistd.h>
#endif

#define SERVE_PORT 7373
#define SERVE_TOKEN 32 // digits

static volatile sig_atomic_t serveStop;

static void serveOnSignal(int number)
{
	(void)number;
	serveStop = 1;
}

static bool serveIsToken(const char* text)
{
	return strlen(text) == SERVE_TOKEN && strspn(text, "0123456789abcdef") == SERVE_TOKEN;
}

// The file that remembers the token of a port until the user logs out, so that pages find a server that was started
// again. Nobody else can read the folder. False if there is none.
static bool serveTokenPath(int32_t port, char* path, size_t capacity)
{
#ifdef _WIN32
	(void)port, (void)path, (void)capacity;
	return false; // a new one with every start
#else
	const char* folder = getenv("XDG_RUNTIME_DIR");
	struct stat about;
	bool isOurs = folder != NULL && folder[0] == '/' && stat(folder, &about) == 0 && S_ISDIR(about.st_mode) &&
				  about.st_uid == getuid() && (about.st_mode & 077) == 0;
	return isOurs && port > 0 && snprintf(path, capacity, "%s/brittle-serve-%d", folder, port) < (int)capacity;
#endif
}

static bool serveReadToken(const char* path, char* token)
{
	int file = brOs_IsLink(path) ? -1 : brOs_OpenRead(path);
	int64_t count = file >= 0 ? brOs_Read(file, token, SERVE_TOKEN) : -1;
	if (file >= 0)
	{
		brOs_Close(file);
	}
	token[count > 0 ? count : 0] = 0;
	return serveIsToken(token);
}

static bool serveMakeToken(char* token)
{
	unsigned char bytes[SERVE_TOKEN / 2];
	if (!randomBytes(bytes, sizeof(bytes)))
	{
		return false;
	}
	for (size_t i = 0; i < sizeof(bytes); ++i)
	{
		snprintf(token + 2 * i, 3, "%02x", bytes[i]);
	}
	return true;
}

// Of the last time on this port, or a new one. That it could not be kept is no failure: the address then changes with
// every start.
static bool serveFindToken(int32_t port, char* token)
{
	char path[1024];
	bool hasPath = serveTokenPath(port, path, sizeof(path));
	if (hasPath && serveReadToken(path, token))
	{
		return true;
	}
	if (!serveMakeToken(token))
	{
		return false;
	}
	if (hasPath)
	{
		brOs_Remove(path);
		int file = open(path, O_WRONLY | O_CREAT | O_EXCL, 0600);
		if (file >= 0 && brOs_Write(file, token, SERVE_TOKEN) != SERVE_TOKEN)
		{
			brOs_Remove(path);
		}
		if (file >= 0)
		{
			brOs_Close(file);
		}
	}
	return true;
}

// The page with the word that there is a server behind it.
static bool serveMakePage(const PageText* page, PageText* outPage)
{
	static const char word[] = "<script type=\"text/plain\" id=\"live\"></script>";
	size_t markLength;
	const char* mark = findPageMark(page, &markLength);
	outPage->bytes = mark != NULL ? malloc(page->size + sizeof(word)) : NULL;
	if (outPage->bytes == NULL)
	{
		return false;
	}
	size_t before = (size_t)(mark - page->bytes), after = page->size - before - markLength;
	memcpy(outPage->bytes, page->bytes, before);
	memcpy(outPage->bytes + before, word, sizeof(word) - 1);
	memcpy(outPage->bytes + before + sizeof(word) - 1, mark + markLength, after);
	outPage->size = before + sizeof(word) - 1 + after;
	return true;
}

typedef struct ServeOpen
{
	CommandLine* line;
	const brScene* scene;
	const char* listen;
	const char* token;
	bool stay;
} ServeOpen;

static void serveOnOpen(int32_t port, void* user)
{
	const ServeOpen* open = user;
	char address[400];
	bool isAny = strcmp(open->listen, "0.0.0.0") == 0;
	snprintf(address, sizeof(address), "http://%s:%d/%s/", isAny ? "127.0.0.1" : open->listen, port, open->token);
	if (open->line->json)
	{
		Json json = beginJson();
		jsonText(&json, "scene", open->scene->title);
		jsonText(&json, "address", address);
		jsonInt(&json, "port", port);
		endJson(&json, open->line);
	}
	else
	{
		printf("%s\n", address);
		fflush(stdout);
		bool isOpen = !open->stay && openInBrowser(address);
		say(open->line, isOpen ? "Ctrl-C ends it" : "open this address in a browser; Ctrl-C ends it");
	}
	if (strncmp(open->listen, "127.", 4) != 0)
	{
		say(open->line, "note: the connection is not encrypted; whoever has the address can drive");
	}
}

static int serveRun(CommandLine* line, const brScene* scene, ServeDef* def, ServeOpen* open)
{
	brReport report = {0};
	brLive* live = NULL;
	PageText page = {0}, livePage = {0};
	int exitCode = exit_no;
	line->context.cancel = NULL;
	if (!findPage(&page))
	{
		failDataText(line, "%s", pageIsMissing);
	}
	else if (!serveMakePage(&page, &livePage))
	{
		failDataText(line, "the viewer's page has no place for a live world; make viewer makes a good one");
	}
	else if (brCreateLive(&line->context, scene, NULL, &live, &report) < 0)
	{
		failData(line, &report);
	}
	else
	{
		def->live = live;
		def->page = livePage.bytes;
		def->pageSize = livePage.size;
		def->onOpen = serveOnOpen;
		def->user = open;
		brResult result = serveLive(def, &report);
		brLiveStats stats = brLive_GetStats(live);
		exitCode = result < 0 ? failData(line, &report) : exit_done;
		if (exitCode == exit_done)
		{
			say(line, "%lld steps, %d breaks, %d pieces, %d balls", (long long)stats.step, stats.breaks, stats.pieces,
				stats.balls);
		}
	}
	brDestroyLive(live);
	free(page.bytes);
	free(livePage.bytes);
	return exitCode;
}

static int runServe(CommandLine* line)
{
	const char* address = "127.0.0.1";
	int32_t port = SERVE_PORT;
	bool stay = false;
	TextList changes = {0};
	const Option options[] = {
		{"listen", 0, option_text, &address, "ADDRESS", "of this machine; 0.0.0.0 is all of them (default: 127.0.0.1)"},
		{"port", 0, option_int, &port, "N", "1024 to 65535, or 0 for any that is free (default: 7373)"},
		{"no-open", 0, option_flag, &stay, NULL, "print the address and do not open a browser"},
		{"set", 0, option_list, &changes, "KEY=VALUE", "change a value of the scene; may be given again"},
	};
	if (!readOptions(line, options, sizeof(options) / sizeof(options[0]), 1, 1))
	{
		return line->exitCode;
	}
	if (port != 0 && (port < 1024 || port > 65535))
	{
		return failUsage(line, "--port takes 1024 to 65535 or 0, not %d", port);
	}
	if (strspn(address, "0123456789.") != strlen(address) || strlen(address) > 15)
	{
		return failUsage(line, "--listen takes an IPv4 address, not '%s'", address);
	}
	if (!serveIsBuiltIn)
	{
		return failDataText(line, "this program was built without libwebsockets, which serve needs: install "
								  "libwebsockets-dev and build again");
	}
	if (!beginWork(line, "loading"))
	{
		return exit_no;
	}
	onEndSignals(serveOnSignal);

	int exitCode = exit_no;
	char token[SERVE_TOKEN + 1] = "";
	brScene* scene = NULL;
	brReport report = {0};
	char seed[64];
	snprintf(seed, sizeof(seed), "seed=%llu", (unsigned long long)line->seed);
	const char* items[65];
	memcpy(items, changes.items, sizeof(changes.items));
	items[changes.count] = seed;
	brSceneChanges set = {changes.count + (line->hasSeed ? 1 : 0), items};
	if (brLoadScene(&line->context, line->positional[0], &set, &scene, &report) < 0)
	{
		failData(line, &report);
	}
	else if (!serveFindToken(port, token))
	{
		failDataText(line, "the system gives no random numbers: %s", strerror(errno));
	}
	else
	{
		ServeOpen open = {line, scene, address, token, stay};
		ServeDef def = {.listen = address, .port = port, .token = token, .stop = &serveStop};
		exitCode = serveRun(line, scene, &def, &open);
	}
	brDestroyScene(scene);
	endWork(line);
	return exitCode;
}

const Command command_serve = {
	"serve",
	"a world to watch and to break in the browser",
	"SCENE.yaml [--port N] [--listen ADDRESS]",
	"Runs the scene on and on and shows it live. Click to throw a ball, drag to move things; gravity, material, speed "
	"and a new\n"
	"beginning are in the panel. The browser that came first drives, others watch; when it goes the next one drives.\n"
	"Only this machine can connect unless --listen says otherwise, and only with the address that is printed.",
	"brittle serve scenes/live_plates.yaml",
	runServe,
	false,
};

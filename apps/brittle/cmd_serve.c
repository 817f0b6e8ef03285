// SPDX-License-Identifier: MIT

// brittle serve SCENE.yaml: the world runs here, browsers watch, one of them drives. brittle serve A.msh B.msh: tets
// that pass through each other.

#include "command.h"
#include "page.h"
#include "serve_socket.h"
#include "serve_tets.h"
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
	int64_t count = file >= 0 ? brOs_ReadAt(file, token, SERVE_TOKEN, 0) : -1;
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

// The page with the word that there is a server behind it, and of what.
static bool serveMakePage(const PageText* page, bool isTets, PageText* outPage)
{
	char word[64];
	size_t length = (size_t)snprintf(word, sizeof(word), "<script type=\"text/plain\" id=\"%s\"></script>",
									 isTets ? "live-tets" : "live");
	size_t markLength;
	const char* mark = findPageMark(page, &markLength);
	outPage->bytes = mark != NULL ? malloc(page->size + length + 1) : NULL;
	if (outPage->bytes == NULL)
	{
		return false;
	}
	size_t before = (size_t)(mark - page->bytes), after = page->size - before - markLength;
	memcpy(outPage->bytes, page->bytes, before);
	memcpy(outPage->bytes + before, word, length);
	memcpy(outPage->bytes + before + length, mark + markLength, after);
	outPage->size = before + length + after;
	return true;
}

typedef struct ServeOpen
{
	CommandLine* line;
	const char* title;
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
		jsonText(&json, "scene", open->title);
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

// brLive as a source

static int32_t joinLive(void* live)
{
	return brLive_Join(live);
}

static void leaveLive(void* live, int32_t client)
{
	brLive_Leave(live, client);
}

static brResult receiveLive(void* live, int32_t client, const void* bytes, size_t byteCount)
{
	return brLive_Receive(live, client, bytes, byteCount, NULL);
}

static brResult advanceLive(void* live, double seconds, brReport* report)
{
	return brLive_Advance(live, seconds, report);
}

static const void* peekLive(void* live, int32_t client, size_t* outByteCount)
{
	return brLive_PeekMessage(live, client, outByteCount);
}

static void popLive(void* live, int32_t client)
{
	brLive_PopMessage(live, client);
}

// Until it is told to stop. False: that was said.
static bool servePages(CommandLine* line, ServeDef* def, ServeOpen* open, bool isTets)
{
	PageText page = {0}, livePage = {0};
	brReport report = {0};
	bool isDone = false;
	line->context.cancel = NULL;
	if (!findPage(&page))
	{
		failDataText(line, "%s", pageIsMissing);
	}
	else if (!serveMakePage(&page, isTets, &livePage))
	{
		failDataText(line, "the viewer's page has no place for a live world; make viewer makes a good one");
	}
	else
	{
		def->page = livePage.bytes;
		def->pageSize = livePage.size;
		def->onOpen = serveOnOpen;
		def->user = open;
		isDone = serveLive(def, &report) >= 0;
		if (!isDone)
		{
			failData(line, &report);
		}
	}
	free(page.bytes);
	free(livePage.bytes);
	return isDone;
}

static int serveScene(CommandLine* line, const TextList* changes, ServeDef* def, ServeOpen* open)
{
	brReport report = {0};
	brScene* scene = NULL;
	brLive* live = NULL;
	char seed[64];
	snprintf(seed, sizeof(seed), "seed=%llu", (unsigned long long)line->seed);
	const char* items[65];
	memcpy(items, changes->items, sizeof(changes->items));
	items[changes->count] = seed;
	brSceneChanges set = {changes->count + (line->hasSeed ? 1 : 0), items};
	int exitCode = exit_no;
	brLiveDef liveDef = brDefaultLiveDef();
	if (!openDevice(line, &liveDef.gpu))
	{
		return exit_no;
	}
	if (brLoadScene(&line->context, line->positional[0], &set, &scene, &report) < 0 ||
		brCreateLive(&line->context, scene, &liveDef, &live, &report) < 0)
	{
		failData(line, &report);
	}
	else
	{
		open->title = scene->title;
		def->source = (ServeSource){live, joinLive, leaveLive, receiveLive, advanceLive, peekLive, popLive};
		if (servePages(line, def, open, false))
		{
			exitCode = exit_done;
			brLiveStats stats = brLive_GetStats(live);
			say(line, "%lld steps, %d breaks, %d pieces, %d balls", (long long)stats.step, stats.breaks, stats.pieces,
				stats.balls);
		}
	}
	brDestroyLive(live);
	brDestroyScene(scene);
	brCloseGpu(liveDef.gpu);
	return exitCode;
}

static int serveTets(CommandLine* line, brDVec3 move, ServeDef* def, ServeOpen* open)
{
	brReport report = {0};
	brGpu* gpu = NULL;
	TetServer* server = NULL;
	int exitCode = exit_no;
	if (!openDevice(line, &gpu))
	{
		return exit_no;
	}
	brResult result = createTetServer(line, move, gpu, &server, &report);
	if (result < 0)
	{
		result == br_errorMemory ? failDataText(line, "there is not enough memory") : failData(line, &report);
	}
	else
	{
		open->title = line->positional[0];
		def->source = tetServerSource(server);
		if (servePages(line, def, open, true))
		{
			double seconds;
			int64_t frames = tetServerFrames(server, &seconds);
			say(line, "%lld frames, %.3g ms each on average", (long long)frames, 1e3 * seconds);
			exitCode = exit_done;
		}
	}
	destroyTetServer(server);
	brCloseGpu(gpu);
	return exitCode;
}

static int runServe(CommandLine* line)
{
	const char* address = "127.0.0.1";
	int32_t port = SERVE_PORT;
	bool stay = false;
	TextList changes = {0};
	brDVec3 move = {0};
	const Option options[] = {
		{"listen", 0, option_text, &address, "ADDRESS", "of this machine; 0.0.0.0 is all of them (default: 127.0.0.1)"},
		{"port", 0, option_int, &port, "N", "1024 to 65535, or 0 for any that is free (default: 7373)"},
		{"no-open", 0, option_flag, &stay, NULL, "print the address and do not open a browser"},
		{"set", 0, option_list, &changes, "KEY=VALUE", "change a value of the scene; may be given again"},
		{"move", 0, option_vec3, &move, "x,y,z",
		 "of tet meshes: how far all but the first go, in m (default: through it)"},
	};
	if (!readOptions(line, options, sizeof(options) / sizeof(options[0]), 1, TET_STAGE_MOST))
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
	bool isTets = line->positionalCount > 1;
	if (isTets ? changes.count > 0 : brDLengthSq(move) > 0.0)
	{
		return failUsage(line, "--set goes with a scene, --move with two or more tet meshes");
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
	if (!serveFindToken(port, token))
	{
		failDataText(line, "the system gives no random numbers: %s", strerror(errno));
	}
	else
	{
		ServeOpen open = {line, NULL, address, token, stay};
		ServeDef def = {.listen = address, .port = port, .token = token, .stop = &serveStop};
		exitCode = isTets ? serveTets(line, move, &def, &open) : serveScene(line, &changes, &def, &open);
	}
	endWork(line);
	return exitCode;
}

const Command command_serve = {
	"serve",
	"runs a scene live in the browser: throw things, break them",
	"SCENE.yaml | A.msh B.msh... [--port N] [--listen ADDRESS]",
	"Runs the scene on and on and shows it live. Click to throw a ball, drag to move things; gravity, material, speed "
	"and a new\n"
	"beginning are in the panel. The browser that came first drives, others watch; when it goes the next one drives.\n"
	"Two or more tet meshes pass through each other instead, with the tets that meet in color; method, hash, test and "
	"device of the\n"
	"search are in the panel, the times of frames in a chart.\n"
	"Only this machine can connect unless --listen says otherwise, and only with the address that is printed.",
	"brittle serve scenes/live_plates.yaml",
	runServe,
	true,
};

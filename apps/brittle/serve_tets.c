// SPDX-License-Identifier: MIT
#include "serve_tets.h"
#include "brittle/crowding.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TETS_PERIOD 8.0 // [s] there and back
#define TETS_FASTEST 4.0
#define TETS_LONGEST_TICK 0.1 // [s] that a slow search may move things on
#define TETS_BRUTE_TESTS 5e8  // pairs of boxes that are tested in a second; a page should not wait longer
#define TETS_DEVICE_TIMES 100 // a device tests so many times more

enum
{
	tets_clients = 16,
	tets_message = 4, // kind, as in docs/live.md
	tets_speed = 6,
	tets_choose = 11,
	tets_head = 5, // bytes of a message before its text: the kind and how long the text is
};

// What the page may change, in this order.
enum
{
	choice_method,
	choice_hash,
	choice_test,
	choice_self,
	choice_device,
	choice_layers,
	choice_room,
	choice_count,
};

typedef struct Choice
{
	const char* name;
	const char* const* options;
	int32_t count;
} Choice;

static const char* const tetSelf[] = {"between them", "within them too"};
static const char* const tetDevices[] = {"processor", "device"};

// Of kdet: sizes of cells at most, and pairs a tet that the list has room for at first. The page shows the names.
static const char* const tetLayers[] = {"as sizes ask", "1", "2", "4", "8"};
static const char* const tetRooms[] = {"a guess", "1", "4", "16", "64"};
static const int32_t tetLayerCounts[] = {0, 1, 2, 4, 8}, tetRoomCounts[] = {0, 1, 4, 16, 64};

// `front` needs frames that know of each other: not here.
static const Choice tetChoices[choice_count] = {
	{"method", searchMethods, SEARCH_FRONT},
	{"hash", searchHashes, SEARCH_HASHES},
	{"test", searchTests, SEARCH_TESTS},
	{"pairs", tetSelf, 2},
	{"device", tetDevices, 2},
	{"layers", tetLayers, 5},
	{"k", tetRooms, 5},
};

typedef struct Message
{
	uint8_t* bytes;
	size_t size, capacity;
	bool failed;
} Message;

typedef struct TetClient
{
	bool isThere, isGreeted;
	int64_t seen; // number of the last frame it was given
} TetClient;

struct TetServer
{
	const CommandLine* line;
	TetStage stage;
	brGpu* gpu;
	brDVec3 start, way; // of what moves
	double time, speed;
	int32_t chosen[choice_count];
	bool isDue; // there is something new to search for
	int64_t frame;
	double seconds; // of all searches
	Message greeting, news;
	TetClient clients[tets_clients];
};

static void addBytes(Message* message, const void* bytes, size_t count)
{
	if (message->size + count > message->capacity)
	{
		size_t capacity = 2 * (message->size + count);
		uint8_t* more = realloc(message->bytes, capacity);
		message->failed = message->failed || more == NULL;
		message->bytes = more != NULL ? more : message->bytes;
		message->capacity = more != NULL ? capacity : message->capacity;
	}
	if (!message->failed)
	{
		memcpy(message->bytes + message->size, bytes, count);
		message->size += count;
	}
}

static void addWord(Message* message, uint32_t word)
{
	const uint8_t bytes[4] = {(uint8_t)word, (uint8_t)(word >> 8), (uint8_t)(word >> 16), (uint8_t)(word >> 24)};
	addBytes(message, bytes, 4);
}

static void addPoint(Message* message, brDVec3 point)
{
	const float values[3] = {(float)point.x, (float)point.y, (float)point.z};
	for (int32_t k = 0; k < 3; ++k)
	{
		uint32_t bits;
		memcpy(&bits, &values[k], 4);
		addWord(message, bits);
	}
}

// A text of JSON, then numbers follow.
static void beginMessage(Message* message, const char* text)
{
	const uint8_t kind = tets_message;
	message->size = 0;
	message->failed = false;
	addBytes(message, &kind, 1);
	addWord(message, (uint32_t)strlen(text));
	addBytes(message, text, strlen(text));
}

// What would end a text of JSON becomes a space.
static void plainText(const char* from, char* to, size_t capacity)
{
	snprintf(to, capacity, "%s", from);
	for (char* at = to; *at != 0; ++at)
	{
		*at = *at == '"' || *at == '\\' || (unsigned char)*at < ' ' ? ' ' : *at;
	}
}

// Names, choices, how crowded the tets are, and the surfaces as triangles of nine numbers.
static brResult makeGreeting(TetServer* server, brReport* report)
{
	char text[4096], name[256];
	const TetStage* stage = &server->stage;
	brKFreeness crowd = {0};
	const brTetMesh* const* list = (const brTetMesh* const*)stage->meshes;
	brResult result = brMeasureKFreeness(&server->line->context, list, stage->count, &crowd, report);
	const char* path = server->line->positional[0];
	const char* slash = strrchr(path, '/');
	plainText(slash != NULL ? slash + 1 : path, name, sizeof(name));
	brDVec3 from = server->start, to = brDAdd(server->start, server->way);
	int used =
		snprintf(text, sizeof(text),
				 "{\"title\":\"%s\",\"tets\":%d,\"k\":%d,\"ends\":[[%.9g,%.9g,%.9g],[%.9g,%.9g,%.9g]],\"choices\":[",
				 name, stage->tetCount, crowd.k, from.x, from.y, from.z, to.x, to.y, to.z);
	for (int32_t c = 0; c < choice_count; ++c)
	{
		int32_t count = c == choice_device && server->gpu == NULL ? 1 : tetChoices[c].count;
		used += snprintf(text + used, sizeof(text) - (size_t)used, "%s{\"name\":\"%s\",\"options\":[", c > 0 ? "," : "",
						 tetChoices[c].name);
		for (int32_t i = 0; i < count; ++i)
		{
			used += snprintf(text + used, sizeof(text) - (size_t)used, "%s\"%s\"", i > 0 ? "," : "",
							 tetChoices[c].options[i]);
		}
		used += snprintf(text + used, sizeof(text) - (size_t)used, "]}");
	}
	used += snprintf(text + used, sizeof(text) - (size_t)used, "],\"surfaces\":[");
	brMesh* surfaces[TET_STAGE_MOST] = {0};
	for (int32_t i = 0; i < stage->count && result >= 0; ++i)
	{
		result = brTetMesh_MakeSurface(stage->meshes[i], &server->line->context, &surfaces[i], report);
		used += snprintf(text + used, sizeof(text) - (size_t)used, "%s%d", i > 0 ? "," : "",
						 result >= 0 ? surfaces[i]->faceCount : 0);
	}
	snprintf(text + used, sizeof(text) - (size_t)used, "]}");
	beginMessage(&server->greeting, text);
	for (int32_t i = 0; i < stage->count && result >= 0; ++i)
	{
		for (int32_t c = 0; c < 3 * surfaces[i]->faceCount; ++c)
		{
			addPoint(&server->greeting, surfaces[i]->positions[surfaces[i]->corners[c]]);
		}
	}
	for (int32_t i = 0; i < stage->count; ++i)
	{
		brDestroyMesh(surfaces[i]);
	}
	return result < 0 ? result : server->greeting.failed ? br_errorMemory : br_success;
}

// Where things are, what was found and how long it took, and the nodes of tets that meet: first those of the first mesh.
static void makeNews(TetServer* server, brDVec3 offset, const TetMeeting* meeting, const char* said)
{
	const TetStage* stage = &server->stage;
	int32_t meeting1 = 0, meetingAll = 0;
	for (int32_t t = 0; t < stage->tetCount; ++t)
	{
		meetingAll += stage->marks[t];
		meeting1 += t < stage->meshes[0]->tetCount ? stage->marks[t] : 0;
	}
	char text[2048], plain[sizeof(((brReport*)0)->text)];
	plainText(said, plain, sizeof(plain));
	const brPairStages* stages = &meeting->stages;
	const int32_t* chosen = server->chosen;
	snprintf(
		text, sizeof(text),
		"{\"frame\":%lld,\"time\":%.9g,\"speed\":%.9g,\"offset\":[%.9g,%.9g,%.9g],\"seconds\":%.6g,\"stages\":[%.6g,"
		"%.6g,%.6g],\"pairs\":%lld,\"meeting\":[%d,%d],\"chosen\":[%d,%d,%d,%d,%d,%d,%d],\"said\":\"%s\"}",
		(long long)server->frame, server->time, server->speed, offset.x, offset.y, offset.z, meeting->seconds,
		stages->boxes + stages->sort + stages->build, stages->search, stages->narrow, (long long)meeting->pairs,
		meeting1, meetingAll - meeting1, chosen[0], chosen[1], chosen[2], chosen[3], chosen[4], chosen[5], chosen[6],
		plain);
	beginMessage(&server->news, text);
	int32_t first = 0;
	for (int32_t i = 0; i < stage->count; first += stage->meshes[i++]->tetCount)
	{
		for (int32_t t = 0; t < stage->meshes[i]->tetCount; ++t)
		{
			for (int32_t k = 0; k < 4 && stage->marks[first + t] != 0; ++k)
			{
				addPoint(&server->news, stage->meshes[i]->nodes[stage->meshes[i]->tets[t][k]]);
			}
		}
	}
}

// The calls of a source

static int32_t joinTets(void* user)
{
	TetServer* server = user;
	for (int32_t i = 0; i < tets_clients; ++i)
	{
		if (!server->clients[i].isThere)
		{
			server->clients[i] = (TetClient){.isThere = true, .seen = server->frame};
			server->isDue = true;
			return i;
		}
	}
	return -1;
}

static void leaveTets(void* user, int32_t client)
{
	((TetServer*)user)->clients[client].isThere = false;
}

static brResult receiveTets(void* user, int32_t client, const void* bytes, size_t byteCount)
{
	TetServer* server = user;
	const uint8_t* at = bytes;
	(void)client;
	if (byteCount == 3 && at[0] == tets_choose && at[1] < choice_count)
	{
		int32_t count = at[1] == choice_device && server->gpu == NULL ? 1 : tetChoices[at[1]].count;
		if (at[2] < count)
		{
			server->chosen[at[1]] = at[2];
			server->isDue = true;
			return br_success;
		}
	}
	if (byteCount == 5 && at[0] == tets_speed)
	{
		uint32_t bits = (uint32_t)at[1] | (uint32_t)at[2] << 8 | (uint32_t)at[3] << 16 | (uint32_t)at[4] << 24;
		float speed;
		memcpy(&speed, &bits, 4);
		if (speed >= 0.0f && (double)speed <= TETS_FASTEST)
		{
			server->speed = (double)speed;
			server->isDue = true;
			return br_success;
		}
	}
	return br_errorFormat;
}

// What was chosen, done. Brute force is refused where the page would stand still.
static brResult searchTets(TetServer* server, brDVec3 offset, TetMeeting* outMeeting, brReport* report)
{
	const int32_t* chosen = server->chosen;
	bool isDevice = chosen[choice_device] == 1;
	double tests = 0.5 * server->stage.tetCount * (double)server->stage.tetCount;
	double most = TETS_BRUTE_TESTS * (isDevice ? TETS_DEVICE_TIMES : 1);
	if (chosen[choice_method] == br_pairsBrute && tests > most)
	{
		snprintf(
			report->text, sizeof(report->text),
			"brute force would test %.2g billion pairs a frame, more than the %.2g billion that this page waits for",
			1e-9 * tests, 1e-9 * most);
		return br_errorLimit;
	}
	SearchWay way = {.method = chosen[choice_method],
					 .test = chosen[choice_test],
					 .kdet = {.hash = chosen[choice_hash],
							  .layers = tetLayerCounts[chosen[choice_layers]],
							  .pairsEach = tetRoomCounts[chosen[choice_room]]},
					 .bsp = brDefaultBspDef()};
	brCollideDef def = brDefaultCollideDef();
	brPairEngine* engine = NULL;
	brResult result = setSearch(&def, &way, &engine, report);
	def.enableSelf = chosen[choice_self] == 1;
	result = result < 0 ? result
						: meetTetStage(&server->stage, server->line, offset, &def, isDevice ? server->gpu : NULL,
									   outMeeting, report);
	brDestroyEngine(NULL, engine);
	return result;
}

static brResult advanceTets(void* user, double seconds, brReport* report)
{
	TetServer* server = user;
	if (server->speed == 0.0 && !server->isDue)
	{
		return br_success;
	}
	server->isDue = false;
	server->time += fmin(seconds, TETS_LONGEST_TICK) * server->speed;
	double share = 0.5 - 0.5 * brCos(2.0 * BR_PI * server->time / TETS_PERIOD);
	brDVec3 offset = brDMulAdd(server->start, share, server->way);
	TetMeeting meeting = {.pairs = -1};
	brReport own = {0};
	brResult result = searchTets(server, offset, &meeting, &own);
	if (result == br_errorMemory)
	{
		*report = own;
		return result;
	}
	if (result < 0) // a device does not know every test: the page says so, the next choice may be a better one
	{
		memset(server->stage.marks, 0, (size_t)server->stage.tetCount);
	}
	server->frame += 1;
	server->seconds += meeting.seconds;
	makeNews(server, offset, &meeting, result < 0 ? own.text : "");
	return server->news.failed ? br_errorMemory : br_success;
}

static const void* peekTets(void* user, int32_t client, size_t* outByteCount)
{
	TetServer* server = user;
	const TetClient* who = &server->clients[client];
	const Message* message = !who->isGreeted ? &server->greeting : who->seen < server->frame ? &server->news : NULL;
	*outByteCount = message != NULL ? message->size : 0;
	return message != NULL ? message->bytes : NULL;
}

// Whoever is slow gets the latest frame next, not all of them.
static void popTets(void* user, int32_t client)
{
	TetServer* server = user;
	TetClient* who = &server->clients[client];
	who->seen = who->isGreeted ? server->frame : who->seen;
	who->isGreeted = true;
}

ServeSource tetServerSource(TetServer* server)
{
	return (ServeSource){server, joinTets, leaveTets, receiveTets, advanceTets, peekTets, popTets};
}

static brDBox3 boundsOf(const brTetMesh* mesh)
{
	brDBox3 box = brMakeDBox3Empty();
	for (int32_t v = 0; v < mesh->nodeCount; ++v)
	{
		box = brDBox3_Include(box, mesh->nodes[v]);
	}
	return box;
}

// Through the middle of the first mesh along x, from beside it to its other side.
static void passThrough(TetServer* server)
{
	const double room = 0.55; // of both widths: half would be where they touch
	brDBox3 first = boundsOf(server->stage.meshes[0]), other = boundsOf(server->stage.meshes[1]);
	double far = room * (first.upper.x - first.lower.x + other.upper.x - other.lower.x);
	server->start = brDSub(brDLerp(first.lower, first.upper, 0.5), brDLerp(other.lower, other.upper, 0.5));
	server->start.x -= far;
	server->way = (brDVec3){2.0 * far, 0.0, 0.0};
}

brResult createTetServer(const CommandLine* line, brDVec3 move, brGpu* gpu, TetServer** outServer, brReport* report)
{
	TetServer* server = calloc(1, sizeof(*server));
	if (server == NULL)
	{
		return br_errorMemory;
	}
	server->line = line;
	server->gpu = gpu;
	server->speed = 1.0;
	server->way = move;
	server->chosen[choice_method] = br_pairsKdet;
	server->chosen[choice_device] = gpu != NULL;
	brResult result = loadTetStage(&server->stage, line, report);
	if (result >= 0 && !(brDLengthSq(move) > 0.0))
	{
		passThrough(server);
	}
	result = result < 0 ? result : makeGreeting(server, report);
	if (result < 0)
	{
		destroyTetServer(server);
		return result;
	}
	*outServer = server;
	return br_success;
}

void destroyTetServer(TetServer* server)
{
	if (server != NULL)
	{
		freeTetStage(&server->stage);
		free(server->greeting.bytes);
		free(server->news.bytes);
		free(server);
	}
}

int64_t tetServerFrames(const TetServer* server, double* outSeconds)
{
	*outSeconds = server->frame > 0 ? server->seconds / (double)server->frame : 0.0;
	return server->frame;
}

// SPDX-License-Identifier: MIT

// Messages from clients, from bytes: the first of each is who sends it and how many bytes follow. Malformed ones and
// those of a watcher leave a world that is the same as one that got none of them.

#include "brittle/live.h"
#include "live/command.h"

#include <stdlib.h>
#include <string.h>

// A glass that breaks takes a thousand times as long to make as the rest: only inputs that begin with a B get it.
static const char* const sceneTexts[2] = {
	"ground: marble\n"
	"bodies:\n"
	"  - {model: {make: box, with: {width: 0.2, depth: 0.2, height: 0.01}}, position: [0, 0, 0.1], fracture: {method: "
	"none}}\n"
	"  - {model: {make: box, with: {width: 0.1, depth: 0.1, height: 0.1}}, fracture: {method: none}}\n",
	"ground: marble\n"
	"bodies:\n"
	"  - {model: {make: box, with: {width: 0.2, depth: 0.2, height: 0.01}}, material: glass, "
	"position: [0, 0, 0.1], fracture: {method: shatter, pieces: 4}}\n"
	"  - {model: {make: box, with: {width: 0.1, depth: 0.1, height: 0.1}}, fracture: {method: none}}\n",
};

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

static void takeAll(brLive* live, int32_t client)
{
	size_t count;
	while (brLive_PeekMessage(live, client, &count) != NULL)
	{
		brLive_PopMessage(live, client);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
	static brScene* scenes[2]; // made once, for speed
	int32_t which = size > 0 && data[0] == 'B';
	const char* text = sceneTexts[which];
	if (scenes[which] == NULL && brReadScene(NULL, text, strlen(text), NULL, NULL, &scenes[which], NULL) < 0)
	{
		abort();
	}
	const brScene* scene = scenes[which];
	brLive *live = NULL, *twin = NULL;
	if (brCreateLive(NULL, scene, NULL, &live, NULL) < 0 || brCreateLive(NULL, scene, NULL, &twin, NULL) < 0)
	{
		abort();
	}
	int32_t driver = brLive_Join(live), watcher = brLive_Join(live);
	for (int32_t messages = 0; size > 0 && messages < 16; ++messages)
	{
		int32_t from = data[0] & 1 ? watcher : driver;
		size_t count = data[0] >> 1;
		data += 1;
		size -= 1;
		count = count < size ? count : size;
		brLiveCommand command;
		bool isGood = brLiveCommand_Decode(data, count, &command, NULL) >= 0;
		brResult result = brLive_Receive(live, from, data, count, NULL);
		if ((result == br_errorFormat) == isGood || (from == watcher && result == br_success))
		{
			abort();
		}
		if (result == br_success && brLive_Apply(twin, data, count, NULL) < 0)
		{
			abort();
		}
		data += count;
		size -= count;
		if (brLive_Advance(live, 0.0, NULL) < 0 || brLive_Step(live, NULL) < 0 || brLive_Step(twin, NULL) < 0)
		{
			abort();
		}
		takeAll(live, driver);
		takeAll(live, watcher);
	}
	if (brWorld_ComputeHash(brLive_GetWorld(live)) != brWorld_ComputeHash(brLive_GetWorld(twin)))
	{
		abort();
	}
	brDestroyLive(live);
	brDestroyLive(twin);
	return 0;
}

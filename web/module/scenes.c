// SPDX-License-Identifier: MIT

// Scenes: read from JSON or .glb, and live behind the protocol of docs/live.md.

#include "handles.h"
#include "memory_files.h"
#include "team.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

WEB_API const char* webModelName(int32_t index)
{
	const brModelInfo* info = brGetModelInfo(index);
	return info != NULL ? info->name : NULL;
}

WEB_API const char* webMaterialName(int32_t index)
{
	const brMaterial* material = brGetMaterial(index);
	return material != NULL ? material->name : NULL;
}

/// A file that scenes may name.
WEB_API int32_t webAddFile(const char* name, const void* bytes, size_t count)
{
	return webPutFile(name, bytes, count) ? 0 : webFail(br_errorMemory, "%.100s: there is no room for this file", name);
}

WEB_API int32_t webRemoveFile(const char* name)
{
	webDropFile(name);
	return 0;
}

/// A scene from a file that was added: .json, .yaml (JSON inside) or .glb.
WEB_API int32_t webLoadScene(const char* name)
{
	WebScene* scene = malloc(sizeof(WebScene));
	if (scene == NULL)
	{
		return webFail(br_errorMemory, "there is not enough memory");
	}
	brResult result = brLoadScene(webContext(), name, NULL, &scene->scene, &webReport);
	if (result < 0)
	{
		free(scene);
		return result;
	}
	scene->users = 1;
	return webPut(web_scene, scene);
}

/// Bodies, frame rate, duration, steps in a frame.
WEB_API int32_t webGetScene(int32_t handle, double* out)
{
	const WebScene* held = webGet(handle, web_scene);
	if (held == NULL)
	{
		return webReport.code;
	}
	const brScene* scene = held->scene;
	const double numbers[] = {scene->bodyCount, scene->frameRate, scene->duration, scene->stepsPerFrame};
	memcpy(out, numbers, sizeof(numbers));
	return 0;
}

int32_t webPutPlay(WebKind kind, WebPlay play)
{
	WebPlay* kept = malloc(sizeof(WebPlay));
	if (kept == NULL)
	{
		brDestroyRun(play.run);
		brDestroyLive(play.live);
		return webFail(br_errorMemory, "there is not enough memory");
	}
	*kept = play;
	play.scene->users += 1;
	return webPut(kind, kept);
}

static brLive* webGetLiveOf(int32_t handle)
{
	const WebPlay* play = webGet(handle, web_live);
	return play != NULL ? play->live : NULL;
}

WEB_API int32_t webMakeLive(int32_t handle, double stepSeconds)
{
	WebScene* scene = webGet(handle, web_scene);
	if (scene == NULL)
	{
		return webReport.code;
	}
	brLiveDef def = brDefaultLiveDef();
	def.stepSeconds = stepSeconds;
	brLive* live;
	brResult result = brCreateLive(webContext(), scene->scene, &def, &live, &webReport);
	return result < 0 ? result : webPutPlay(web_live, (WebPlay){.scene = scene, .live = live});
}

WEB_API int32_t webJoinLive(int32_t handle)
{
	brLive* live = webGetLiveOf(handle);
	if (live == NULL)
	{
		return webReport.code;
	}
	int32_t client = brLive_Join(live);
	return client >= 0 ? client : webFail(br_errorLimit, "there are too many clients");
}

WEB_API int32_t webReceiveLive(int32_t handle, int32_t client, const void* bytes, size_t count)
{
	brLive* live = webGetLiveOf(handle);
	return live != NULL ? brLive_Receive(live, client, bytes, count, &webReport) : webReport.code;
}

WEB_API int32_t webAdvanceLive(int32_t handle, double seconds)
{
	brLive* live = webGetLiveOf(handle);
	return live != NULL ? brLive_Advance(live, seconds, &webReport) : webReport.code;
}

WEB_API int32_t webStepLive(int32_t handle)
{
	brLive* live = webGetLiveOf(handle);
	return live != NULL ? brLive_Step(live, &webReport) : webReport.code;
}

WEB_API int32_t webApplyLive(int32_t handle, const void* bytes, size_t count)
{
	brLive* live = webGetLiveOf(handle);
	return live != NULL ? brLive_Apply(live, bytes, count, &webReport) : webReport.code;
}

/// The oldest message that waits: place and count; 1 if there is one.
WEB_API int32_t webPeekLive(int32_t handle, int32_t client, uint32_t* out)
{
	const brLive* live = webGetLiveOf(handle);
	if (live == NULL)
	{
		return webReport.code;
	}
	size_t count = 0;
	const void* message = brLive_PeekMessage(live, client, &count);
	out[0] = (uint32_t)(uintptr_t)message;
	out[1] = (uint32_t)count;
	return message != NULL;
}

WEB_API int32_t webPopLive(int32_t handle, int32_t client)
{
	brLive* live = webGetLiveOf(handle);
	if (live == NULL)
	{
		return webReport.code;
	}
	brLive_PopMessage(live, client);
	return 0;
}

WEB_API int32_t webHashLive(int32_t handle, uint64_t* out)
{
	const brLive* live = webGetLiveOf(handle);
	if (live == NULL)
	{
		return webReport.code;
	}
	*out = brWorld_ComputeHash(brLive_GetWorld(live));
	return 0;
}

/// Step, time, bodies, pieces, breaks.
WEB_API int32_t webGetLive(int32_t handle, double* out)
{
	const brLive* live = webGetLiveOf(handle);
	if (live == NULL)
	{
		return webReport.code;
	}
	brLiveStats stats = brLive_GetStats(live);
	const double numbers[] = {(double)stats.step, stats.time, stats.bodies, stats.pieces, stats.breaks};
	memcpy(out, numbers, sizeof(numbers));
	return 0;
}

/// The bodies where they are, as a file.
WEB_API int32_t webWriteLive(int32_t handle, const char* ending)
{
	const brLive* live = webGetLiveOf(handle);
	return live != NULL ? webWriteBodies(brLive_GetWorld(live), ending) : webReport.code;
}

// SPDX-License-Identifier: MIT

// Scenes that are played and recorded frame by frame.

#include "handles.h"
#include "memory_files.h"
#include "team.h"

#include <stdio.h>
#include <string.h>

static brRun* webGetRunOf(int32_t handle)
{
	const WebPlay* play = webGet(handle, web_run);
	return play != NULL ? play->run : NULL;
}

WEB_API int32_t webMakeRun(int32_t handle)
{
	WebScene* scene = webGet(handle, web_scene);
	if (scene == NULL)
	{
		return webReport.code;
	}
	brRun* run;
	brResult result = brCreateRun(webContext(), scene->scene, &run, &webReport);
	return result < 0 ? result : webPutPlay(web_run, (WebPlay){.scene = scene, .run = run});
}

/// One frame; 1 if the scene is over after it.
WEB_API int32_t webPlayFrame(int32_t handle)
{
	brRun* run = webGetRunOf(handle);
	if (run == NULL)
	{
		return webReport.code;
	}
	brResult result = brRun_PlayFrame(run, &webReport);
	return result < 0 ? result : brRun_IsDone(run);
}

/// Frames played, frames in all, breaks, pieces, bodies.
WEB_API int32_t webGetRun(int32_t handle, double* out)
{
	brRun* run = webGetRunOf(handle);
	if (run == NULL)
	{
		return webReport.code;
	}
	const double numbers[] = {brRun_GetFrameCount(run), brRun_GetFrameTotal(run), brRun_GetBreakCount(run),
							  brRun_GetPieceCount(run), brWorld_GetBodyCount(brRun_GetWorld(run))};
	memcpy(out, numbers, sizeof(numbers));
	return 0;
}

WEB_API int32_t webHashRun(int32_t handle, uint64_t* out)
{
	brRun* run = webGetRunOf(handle);
	if (run == NULL)
	{
		return webReport.code;
	}
	*out = brWorld_ComputeHash(brRun_GetWorld(run));
	return 0;
}

/// What happened so far as a file: "brec", or "glb" and "usda" with motion, y up.
WEB_API int32_t webWriteRun(int32_t handle, const char* ending)
{
	const brRun* run = webGetRunOf(handle);
	if (run == NULL)
	{
		return webReport.code;
	}
	char path[40];
	snprintf(path, sizeof(path), "/run.%.20s", ending);
	const brRecording* recording = brRun_GetRecording(run);
	brResult result = br_errorUnsupported;
	if (strcmp(ending, "brec") == 0)
	{
		result = brSaveRecording(webContext(), recording, path, &webReport);
	}
	else if (strcmp(ending, "glb") == 0 || strcmp(ending, "usda") == 0)
	{
		brAssembly* moving;
		brSaveDef def = brDefaultSaveDef();
		def.yUp = true;
		result = brRecording_MakeAssembly(recording, NULL, NULL, &moving, &webReport);
		if (result >= 0)
		{
			result = brSaveAssembly(webContext(), moving, path, &def, &webReport);
			brDestroyAssembly(moving);
		}
	}
	else
	{
		webFail(result, ".%.20s is no file that a run is written to: brec, glb or usda", ending);
	}
	if (result < 0)
	{
		return result;
	}
	WebBytes* bytes = webTakeFile(path);
	return bytes != NULL ? webPut(web_bytes, bytes) : webFail(br_errorMemory, "there is not enough memory");
}

// SPDX-License-Identifier: MIT
#include "scene/scene_gltf.h"
brResult brSceneReader_Gltf(brSceneReader* reader, const char* path)
{
	return brFail(reader->report, br_errorUnsupported, "%s: glTF scenes are not read yet", path);
}

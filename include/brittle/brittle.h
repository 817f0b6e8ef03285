// SPDX-License-Identifier: MIT
#pragma once

/// @file brittle.h
/// Everything. The small headers can be included alone and in any order.

#include "brittle/api.h"
#include "brittle/assembly.h"
#include "brittle/break.h"
#include "brittle/check.h"
#include "brittle/collide.h"
#include "brittle/context.h"
#include "brittle/crack.h"
#include "brittle/cut.h"
#include "brittle/elastic.h"
#include "brittle/gpu.h"
#include "brittle/info.h"
#include "brittle/io.h"
#include "brittle/live.h"
#include "brittle/material.h"
#include "brittle/math.h"
#include "brittle/mesh.h"
#include "brittle/models.h"
#include "brittle/motion.h"
#include "brittle/plot.h"
#include "brittle/recording.h"
#include "brittle/render.h"
#include "brittle/result.h"
#include "brittle/run.h"
#include "brittle/scene.h"
#include "brittle/shape.h"
#include "brittle/shatter.h"
#include "brittle/volume.h"
#include "brittle/world.h"

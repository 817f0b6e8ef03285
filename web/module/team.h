// SPDX-License-Identifier: MIT
#pragma once

#include "brittle/brittle.h"

/// What every call of the module lends to the library: its threads, if it was given any.
const brContext* webContext(void);

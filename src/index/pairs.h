// SPDX-License-Identifier: MIT
#pragma once
#include <stdint.h>
typedef struct brPair
{
	int32_t a, b;
} brPair;

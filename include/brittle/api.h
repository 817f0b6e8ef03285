// SPDX-License-Identifier: MIT
#pragma once

/// @file api.h
/// What every public header needs: linkage, version, and the marks that functions carry.
///
/// Conventions of the whole library: SI units, right-handed axes, no built-in up axis, faces counter-clockwise
/// seen from outside, column vectors, radians. Element counts are int32_t, -1 means none. Pointers may not be null
/// unless the comment says so.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BR_VERSION_MAJOR 0
#define BR_VERSION_MINOR 1
#define BR_VERSION_PATCH 0

#if defined(_WIN32) && defined(BR_SHARED)
#ifdef BR_BUILDING
#define BR_EXPORT __declspec(dllexport)
#else
#define BR_EXPORT __declspec(dllimport)
#endif
#elif defined(__GNUC__)
#define BR_EXPORT __attribute__((visibility("default")))
#else
#define BR_EXPORT
#endif

#ifdef __cplusplus
#define BR_API extern "C" BR_EXPORT
#define BR_LITERAL(T) T
#else
#define BR_API BR_EXPORT
#define BR_LITERAL(T) (T)
#endif

/// Marks a function whose signature may still change between minor versions.
#define BR_EXPERIMENTAL

/// printf-style argument checking where the compiler offers it.
#if defined(__GNUC__)
#define BR_PRINTF_LIKE(formatIndex, firstArgument) __attribute__((format(printf, formatIndex, firstArgument)))
#else
#define BR_PRINTF_LIKE(formatIndex, firstArgument)
#endif

// SPDX-License-Identifier: MIT
#pragma once

/// @file api.h
/// What every public header needs: linkage, version, and the marks that functions carry.
///
/// Conventions of the whole library: SI units, right-handed axes, no built-in up axis, faces counter-clockwise
/// seen from outside, column vectors, radians. Element counts are int32_t, -1 means none. Pointers may not be null
/// unless the comment says so. A null all the same is answered, never followed: calls that return a brResult answer
/// br_errorMisuse with a sentence, others none: a null pointer or id, zero, or false. Counts that go out through a
/// pointer are left out if it is null.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BR_VERSION_MAJOR 0
#define BR_VERSION_MINOR 2
#define BR_VERSION_PATCH 0

/// The version of these headers as one number: 200 for 0.2.0. Compare it with brGetVersionNumber of info.h.
#define BR_VERSION (BR_VERSION_MAJOR * 10000 + BR_VERSION_MINOR * 100 + BR_VERSION_PATCH)

/// The stamp that brDefaultXDef() writes into a def struct of `size` bytes. A call refuses a def with another stamp
/// (br_errorMisuse): it did not come from the default function, or the caller's struct has another layout. For bindings
/// that mirror a struct in another language: before you pass a def, compare its stamp with BR_STAMP_FOR of the
/// mirror's size.
#define BR_STAMP_FOR(size) (0x42000000u | (BR_VERSION_MAJOR * 100u + BR_VERSION_MINOR) << 16 | BR_CAST(uint32_t, size))

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

/// Marks a function that may change or go in any version, without a word in the migration table: research, comparison,
/// and parts that few programs use yet. It stands before BR_API and changes nothing in the build.
#define BR_EXPERIMENTAL

/// Casts that are quiet in C++ with -Wold-style-cast.
#ifdef __cplusplus
#define BR_CAST(T, value) static_cast<T>(value)
#else
#define BR_CAST(T, value) ((T)(value))
#endif

/// printf-style argument checking where the compiler offers it.
#if defined(__GNUC__)
#ifdef __MINGW32__ // where plain printf is the old one of Windows
#define BR_PRINTF_LIKE(formatIndex, firstArgument) __attribute__((format(gnu_printf, formatIndex, firstArgument)))
#else
#define BR_PRINTF_LIKE(formatIndex, firstArgument) __attribute__((format(printf, formatIndex, firstArgument)))
#endif
#else
#define BR_PRINTF_LIKE(formatIndex, firstArgument)
#endif

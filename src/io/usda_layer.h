// SPDX-License-Identifier: MIT
#pragma once

// A USD text file while it is read: prims in a tree, each with its fields, whose values stay text until somebody asks.
//
//     text -> prims and fields -> composed prims (a prim and what it inherits or references) -> values

#include "base/slots.h"
#include "io/formats.h"

/// A stretch of the file. Null `at`: there is none.
typedef struct brUsdaText
{
	const char* at;
	size_t length;
} brUsdaText;

typedef enum brUsdaFieldKind
{
	br_usdaValue,      // name = value; also rel
	br_usdaSamples,    // name.timeSamples = {...}
	br_usdaConnection, // name.connect = <path>
} brUsdaFieldKind;

typedef struct brUsdaField
{
	brUsdaText name, type, value, interpolation;
	brUsdaFieldKind kind;
	int32_t next; // of the same prim, or -1
} brUsdaField;

typedef struct brUsdaPrim
{
	brUsdaText name, type;
	brUsdaText displayName; // as its maker called it, or none
	int32_t parent;         // -1: at the top
	int32_t firstChild, lastChild, next;
	int32_t firstField, lastField;
	int32_t firstArc, lastArc;
	bool isClass, isOver, isOff;
} brUsdaPrim;

/// A prim of the same file that another takes everything from that it does not say itself.
typedef struct brUsdaArc
{
	brUsdaText path;
	int32_t next;
} brUsdaArc;

typedef struct brUsdaLayer
{
	const brReadJob* job;
	const char* end; // *end == 0
	BR_ARRAY(brUsdaPrim) prims;
	BR_ARRAY(brUsdaField) fields;
	BR_ARRAY(brUsdaArc) arcs;
	int32_t firstRoot, lastRoot;
	brSlots slots;        // prims by parent and name
	double metersPerUnit; // 0: the file does not say
	double timeCodesPerSecond;
	brUsdaText subLayers; // the list of files it is laid over, or none
	int32_t outsideArcs;  // references to other files
	int64_t oddValues;    // attributes that are not finite
	int32_t oddPrimvars;  // attributes of another length than their mesh needs
	int32_t skippedFaces;
} brUsdaLayer;

/// Reads the tree. brUsda_Close is due whatever it returns.
brResult brUsda_Open(brUsdaLayer* layer, const brReadJob* job);
void brUsda_Close(brUsdaLayer* layer);

/// "name:line: sentence" for a place in the file.
brResult brUsda_Fail(const brUsdaLayer* layer, const char* at, const char* format, ...) BR_PRINTF_LIKE(3, 4);

/// The text of the layer with the prims of its sublayers behind it, freed with BR_FREE(allocator, *outBytes, *outCount
/// + 1). `outLeft` counts files that could not be read.
brResult brUsda_JoinSubLayers(const brUsdaLayer* layer, uint8_t** outBytes, size_t* outCount, int32_t* outLeft);
/// Whether two prims at the top have the same name.
bool brUsda_HasTwins(const brUsdaLayer* layer);

bool brUsdaText_Is(brUsdaText text, const char* word);
/// Copies it, cut to the room; the rest of `target` is zero.
void brUsdaText_Copy(brUsdaText text, char* target, size_t capacity);
/// The name that people see.
void brUsdaPrim_CopyName(const brUsdaPrim* prim, char* target, size_t capacity);
/// What stands between quotes, at-signs or angle brackets at the start of a text.
brUsdaText brUsdaText_Unquote(brUsdaText text);

// Scanning: the place behind what begins at a place.

/// White space, separators and comments.
const char* brUsda_SkipSpace(const char* at, const char* end);
/// A string, an asset or a path. The end of the text if it does not close.
const char* brUsda_SkipQuoted(const char* at, const char* end);
/// One value: a quoted text, something in brackets, or a word. Null if the brackets do not close.
const char* brUsda_SkipValue(const char* at, const char* end);
bool brUsda_IsQuote(char c);

/// The child of that name, -1 if there is none; `parent` -1 means the top.
int32_t brUsda_FindChild(const brUsdaLayer* layer, int32_t parent, brUsdaText name);
/// The prim of a path "/a/b" or "/a/b.property", -1 if there is none.
int32_t brUsda_FindPath(const brUsdaLayer* layer, brUsdaText path);

/// A prim and what it is composed of, strongest first.
#define BR_USDA_MOST_SOURCES 8
typedef struct brUsdaNode
{
	int32_t prims[BR_USDA_MOST_SOURCES];
	int32_t count;
} brUsdaNode;

/// Adds a prim and the prims that it names.
void brUsdaNode_Add(brUsdaNode* node, const brUsdaLayer* layer, int32_t prim);
/// The child of that name, composed.
brUsdaNode brUsdaNode_Child(const brUsdaNode* node, const brUsdaLayer* layer, brUsdaText name);
brUsdaText brUsdaNode_Type(const brUsdaNode* node, const brUsdaLayer* layer);
/// The strongest field of that name and kind, or null.
const brUsdaField* brUsdaNode_Field(const brUsdaNode* node, const brUsdaLayer* layer, const char* name,
									brUsdaFieldKind kind);
/// The prim after `source` among all children, each name once; *source and *child start at 0 and -1. False at the end.
bool brUsdaNode_NextChild(const brUsdaNode* node, const brUsdaLayer* layer, int32_t* source, int32_t* child);

// Values. A null field has none: false, or an empty list, without a word.

typedef BR_ARRAY(double) brUsdaDoubles;
typedef BR_ARRAY(int32_t) brUsdaInts;

/// All numbers of a value, brackets and commas passed over; those of single precision are rounded as floats are.
/// Appends.
brResult brUsda_Numbers(const brUsdaLayer* layer, brUsdaText value, bool isDouble, brUsdaDoubles* outNumbers);
brResult brUsda_Ints(const brUsdaLayer* layer, brUsdaText value, brUsdaInts* outNumbers);
/// The value of a field, or of the first sample in time where it has no other.
brUsdaText brUsdaNode_Value(const brUsdaNode* node, const brUsdaLayer* layer, const char* name);
/// Walks through samples "{time: value, ...}": *at starts null. False at the end or at what is no sample.
bool brUsda_NextSample(const brUsdaLayer* layer, brUsdaText samples, const char** at, double* outTime,
					   brUsdaText* outValue);
/// Up to `count` numbers of a short value; how many there were.
int32_t brUsda_Tuple(const brUsdaLayer* layer, brUsdaText value, double* outNumbers, int32_t count);
/// Is it a type of double precision: point3d, double3, matrix4d...
bool brUsda_IsDouble(brUsdaText type);
/// Walks through the quoted strings or paths of a list, or of a single value: *at starts null.
bool brUsda_NextString(brUsdaText list, const char** at, brUsdaText* outText);

/// The faces of a Mesh prim with their attributes; null if it has none. `binding` is the material of what it hangs
/// under, or -1.
brResult brUsda_Mesh(brUsdaLayer* layer, const brUsdaNode* node, int32_t binding, brMesh** outMesh);

/// The material prim that a node is bound to, or `above`.
int32_t brUsda_Binding(const brUsdaLayer* layer, const brUsdaNode* node, int32_t above);

// SPDX-License-Identifier: MIT
#pragma once

// What a scene file says before anybody knows what it means: scalars, lists and maps, each with its file and line.
//
// A document may hold several files (includes). Nodes live in one arena and go all at once. An alias shares the node it
// names, so a document is small whatever it unfolds into; `weight` says how much that is, and the parser refuses too
// much.
//
//     text -> parser (YAML; parts of glTF) -> nodes -> brDoc_ReadMap with a table of fields -> structs

#include "base/array.h"
#include "base/memory.h"
#include "base/report.h"
#include "brittle/math.h"
#include "io/json.h"

typedef enum brDocKind
{
	br_docScalar = 0,
	br_docList = 1,
	br_docMap = 2,
} brDocKind;

typedef struct brDocNode
{
	brDocKind kind;
	int32_t file;                // into the document's files
	int32_t line;                // from 1
	bool isPlain;                // a scalar without quotes: may be a number
	const char* text;            // scalar: terminated, valid UTF-8
	int32_t count;               // list: items; map: pairs
	struct brDocNode** children; // list: [count]; map: [2 * count], key and value in turn
	int64_t weight;              // nodes that a walk from here would meet
} brDocNode;

typedef struct brDocument
{
	brAllocator allocator;
	brArena arena;
	BR_ARRAY(const char*) files; // names for messages, in the arena
} brDocument;

#define BR_DOC_MAX_DEPTH 64
#define BR_DOC_MAX_WEIGHT 2000000
#define BR_DOC_MAX_BYTES (16 << 20)

void brDoc_Init(brDocument* document, const brAllocator* allocator);
void brDoc_Destroy(brDocument* document);

/// Parses one YAML text and adds it as file `name`. The root is a map; an empty text gives an empty one.
brResult brDoc_ParseYaml(brDocument* document, const char* name, const void* bytes, size_t byteCount,
						 brDocNode** outRoot, brReport* report);

/// Parses a piece of YAML of any kind, for values given on the command line.
brResult brDoc_ParseValue(brDocument* document, const char* name, const char* text, brDocNode** outNode,
						  brReport* report);

/// JSON as nodes, so that the tables of YAML read it. Null without memory, or if `depth` gets too deep.
brDocNode* brDoc_FromJson(brDocument* document, const brJson* json, int32_t file, int32_t depth);

/// "file:line: sentence" with br_errorFormat. `node` may be null.
brResult brDoc_Fail(const brDocument* document, const brDocNode* node, brReport* report, const char* format, ...)
	BR_PRINTF_LIKE(4, 5);

/// Null without memory. `text` is copied.
brDocNode* brDoc_MakeNode(brDocument* document, brDocKind kind, int32_t file, int32_t line);
const char* brDoc_CopyText(brDocument* document, const char* text, size_t length);

/// The value of a key, or null; keys merged with "<<" come after a map's own.
brDocNode* brDoc_Find(const brDocNode* map, const char* key);

/// Replaces or adds the value at a dotted path ("models.glass.res", "bodies.0.velocity"), given as YAML.
brResult brDoc_Set(brDocument* document, brDocNode* root, const char* path, const char* value, brReport* report);

/// What to say after a word that is none of the names: "; did you mean NAME?", or, if none is near,
/// "; ", the words `lead`, and the list of them.
typedef struct brDocAdvice
{
	char text[280];
} brDocAdvice;
brDocAdvice brDoc_Advise(const char* word, const char* const* names, int32_t count, const char* lead);

// Fields: a map read into a struct by a table.

typedef enum brFieldKind
{
	br_fieldNumber,  // double
	br_fieldInteger, // int32_t
	br_fieldSeed,    // uint64_t
	br_fieldBool,    // bool
	br_fieldText,    // const char*, in the arena
	br_fieldVector,  // brDVec3
	br_fieldChoice,  // int32_t, index into choices
	br_fieldNode,    // const brDocNode*: read by hand
} brFieldKind;

typedef struct brField
{
	const char* name;
	brFieldKind kind;
	size_t offset;
	double lower, upper;        // numbers: closed range; `lower` exclusive when isOpen
	bool isOpen;                // the value must be above `lower`
	const char* const* choices; // ended by null
} brField;

/// Fills the members named in the map; the others keep their defaults. Unknown and repeated keys are refused, with the
/// nearest known name. `what` names the map in messages: "a body".
brResult brDoc_ReadMap(const brDocument* document, const brDocNode* map, const char* what, const brField* fields,
					   int32_t fieldCount, void* target, brReport* report);

/// The same for a reader with a document and a report, and a table of fields in sight.
#define BR_READ_MAP(reader, map, what, fields, target)                                                                 \
	brDoc_ReadMap(&(reader)->document, (map), (what), (fields), BR_COUNT(fields), (target), (reader)->report)

/// One value as a field: a word that stands where a map may stand too. The field's offset counts.
brResult brDoc_ReadField(const brDocument* document, const brDocNode* node, const brField* field, void* target,
						 brReport* report);

/// One value: `key` names it in messages.
bool brDoc_IsNumber(const brDocNode* node, double* outValue);
brResult brDoc_ReadVector(const brDocument* document, const brDocNode* node, const char* key, brDVec3* outValue,
						  brReport* report);

/// `count` finite numbers.
brResult brDoc_ReadNumbers(const brDocument* document, const brDocNode* node, const char* key, double* outValues,
						   int32_t count, brReport* report);

// SPDX-License-Identifier: MIT
#pragma once

// The text of a YAML file under a cursor: places, blanks, comments, and scalars of every style.
//
// Line ends are '\n' alone (brYaml_Begin makes them so) and a zero byte follows the text, so a look ahead never leaves
// it.

#include "scene/document.h"

typedef struct brYamlText
{
	brDocument* document;
	brReport* report;
	int32_t file;
	int32_t line; // of `at`, from 1
	const char* at;
	const char* lineStart; // of the line of `at`
	const char* end;
	BR_ARRAY(char) scratch; // the scalar that is being put together
} brYamlText;

/// Takes a copy of the bytes: UTF-8 without control characters.
brResult brYaml_Begin(brYamlText* text, const void* bytes, size_t byteCount);
void brYaml_End(brYamlText* text);

/// "file:line: this is not YAML: sentence" at the cursor.
brResult brYaml_Fail(const brYamlText* text, const char* sentence);

static inline int32_t brYaml_Column(const brYamlText* text)
{
	return (int32_t)(text->at - text->lineStart);
}

static inline bool brYaml_IsBlank(char c)
{
	return c == ' ' || c == '\t';
}

/// Blank, line end, or the end of the text.
static inline bool brYaml_IsGap(char c)
{
	return brYaml_IsBlank(c) || c == '\n' || c == 0;
}

static inline bool brYaml_IsFlowMark(char c)
{
	return c == ',' || c == '[' || c == ']' || c == '{' || c == '}';
}

/// "---" or "...", alone at the start of a line.
bool brYaml_IsDocumentMark(const brYamlText* text);

/// Moves over blanks, comments and line ends. True if the cursor is now on another line.
bool brYaml_SkipGaps(brYamlText* text);

/// Whether nothing but blanks lies in front of the cursor on its line; and whether a tab is among them.
bool brYaml_IsFirst(const brYamlText* text);
bool brYaml_IsTabbed(const brYamlText* text);

/// Scalars. Each leaves its text in `scratch`, terminated, and the cursor behind it.
///
/// Plain: as far as it goes on this line, and on lines indented by more than `indent` unless it turns out to be a key.
brResult brYaml_Plain(brYamlText* text, int32_t indent, bool isFlow, bool canBeKey);
brResult brYaml_SingleQuoted(brYamlText* text);
brResult brYaml_DoubleQuoted(brYamlText* text);

/// Behind | or >, which is `style`; the lines are indented by more than `indent`.
brResult brYaml_BlockScalar(brYamlText* text, char style, int32_t indent);

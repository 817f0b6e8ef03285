// SPDX-License-Identifier: MIT
#pragma once

// Reading text without copying it, numbers without the locale.
//
// A cursor walks over bytes it does not own and never leaves them: the byte at `end` must be readable and zero, which
// stops every scan, so the loops need no bounds test per character.

#include "io/number.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct brTextCursor
{
	const char* at;
	const char* end; // *end == 0
	int64_t line;    // of `at`, from 1
} brTextCursor;

static inline brTextCursor brMakeTextCursor(const void* bytes, size_t byteCount)
{
	return (brTextCursor){(const char*)bytes, (const char*)bytes + byteCount, 1};
}

/// The first character that is no blank or tab.
static inline const char* brText_AfterBlanks(const brTextCursor* cursor)
{
	const char* at = cursor->at;
	while (*at == ' ' || *at == '\t')
	{
		at += 1;
	}
	return at;
}

/// Blanks and tabs, not line ends.
static inline void brText_SkipBlanks(brTextCursor* cursor)
{
	cursor->at = brText_AfterBlanks(cursor);
}

/// At a line end ("\n", "\r\n", "\r") or at the end of the text.
static inline bool brText_AtLineEnd(const brTextCursor* cursor)
{
	return *cursor->at == '\n' || *cursor->at == '\r' || cursor->at >= cursor->end;
}

/// To the first character of the next line.
void brText_NextLine(brTextCursor* cursor);

/// Big texts are read in parts of about this many bytes, whatever the number of workers.
#define BR_TEXT_PART (1 << 20)

/// The end of a part of at least so many bytes that begins here: behind a line feed, or the end of the text.
const char* brText_PartEnd(const char* start, const char* end, int64_t bytes);

/// The first place of `part` in `bytes`, or null: what memmem is where there is one.
const char* brText_FindBytes(const char* bytes, size_t count, const char* part, size_t partCount);

/// All white space including line ends, and comments from `comment` to the line end (0: no comments).
void brText_SkipLines(brTextCursor* cursor, char comment);
static inline void brText_SkipSpace(brTextCursor* cursor, char comment)
{
	cursor->at = brText_AfterBlanks(cursor);
	if ((unsigned char)*cursor->at <= ' ' || *cursor->at == comment)
	{
		brText_SkipLines(cursor, comment);
	}
}

/// True and past the word if the text goes on with exactly this word followed by white space or the end.
bool brText_TakeWord(brTextCursor* cursor, const char* word);

/// A run of characters that are not white space; returns its length, 0 at white space or the end.
size_t brText_Word(brTextCursor* cursor, const char** outWord);

/// The rest of the line without blanks around it, for names that may hold blanks. Leaves the cursor at the line end.
size_t brText_RestOfLine(brTextCursor* cursor, const char** outText);

/// Passes over words, with all white space before them. False if there are fewer; the cursor is then at the end.
bool brText_SkipWords(brTextCursor* cursor, int64_t count);

/// Numbers, after blanks on the same line. True and past the number, or false with the cursor unmoved. Doubles and
/// floats are correctly rounded whatever the locale; "nan" and "inf" are read as such. Integers must fit. What follows
/// the number is the caller's to judge: "1.5x" reads as 1.5.
bool brText_Double(brTextCursor* cursor, double* outValue);
bool brText_Float(brTextCursor* cursor, float* outValue);
bool brText_Int64(brTextCursor* cursor, int64_t* outValue);

/// The numbers of faces: inline.
static inline bool brText_Int32(brTextCursor* cursor, int32_t* outValue)
{
	const char* at = brText_AfterBlanks(cursor);
	bool isNegative = *at == '-';
	at += *at == '-' || *at == '+';
	const char* digits = at;
	uint64_t limit = (uint64_t)INT32_MAX + isNegative;
	uint64_t value = 0;
	for (; (unsigned char)(*at - '0') < 10 && value <= limit;
		 ++at) // lengths repeat: a guess at each digit beats any trick
	{
		value = 10 * value + (uint64_t)(*at - '0');
	}
	if (at == digits || value > limit)
	{
		return false;
	}
	cursor->at = at;
	*outValue = isNegative ? (int32_t)(-(int64_t)value) : (int32_t)value;
	return true;
}

/// The same for indices that mostly have as many digits as the one before, which `*digits` tells.
static inline bool brText_Index(brTextCursor* cursor, int32_t* digits, int32_t* outValue)
{
	const char* at = brText_AfterBlanks(cursor);
	if (brScanFewDigits(&at, cursor->end, digits, outValue))
	{
		cursor->at = at;
		return true;
	}
	return brText_Int32(cursor, outValue);
}

/// Shortest text that reads back as the same bits; returns the length. `buffer` holds at least BR_NUMBER_CHARS.
#define BR_NUMBER_CHARS 32
int32_t brPrintDouble(char* buffer, double value);
int32_t brPrintFloat(char* buffer, float value);
int32_t brPrintInt(char* buffer, int64_t value);

// SPDX-License-Identifier: MIT
#include "io/text.h"

#include "io/number.h"

#include <string.h>

void brText_NextLine(brTextCursor* cursor)
{
	while (!brText_AtLineEnd(cursor))
	{
		cursor->at += 1;
	}
	if (cursor->at < cursor->end)
	{
		cursor->at += cursor->at[0] == '\r' && cursor->at[1] == '\n' ? 2 : 1;
		cursor->line += 1;
	}
}

void brText_SkipSpace(brTextCursor* cursor, char comment)
{
	while (cursor->at < cursor->end)
	{
		brText_SkipBlanks(cursor);
		bool isComment = comment != 0 && *cursor->at == comment;
		if (cursor->at >= cursor->end || !(isComment || brText_AtLineEnd(cursor)))
		{
			return;
		}
		brText_NextLine(cursor);
	}
}

size_t brText_Word(brTextCursor* cursor, const char** outWord)
{
	const char* start = cursor->at;
	while (cursor->at < cursor->end && (unsigned char)*cursor->at > ' ')
	{
		cursor->at += 1;
	}
	*outWord = start;
	return (size_t)(cursor->at - start);
}

bool brText_TakeWord(brTextCursor* cursor, const char* word)
{
	size_t length = strlen(word);
	if ((size_t)(cursor->end - cursor->at) < length || memcmp(cursor->at, word, length) != 0 ||
		(unsigned char)cursor->at[length] > ' ')
	{
		return false;
	}
	cursor->at += length;
	return true;
}

bool brText_Double(brTextCursor* cursor, double* outValue)
{
	const char* after = brScanDouble(brText_AfterBlanks(cursor), cursor->end, outValue);
	cursor->at = after != NULL ? after : cursor->at;
	return after != NULL;
}

bool brText_Float(brTextCursor* cursor, float* outValue)
{
	const char* after = brScanFloat(brText_AfterBlanks(cursor), cursor->end, outValue);
	cursor->at = after != NULL ? after : cursor->at;
	return after != NULL;
}

bool brText_Int64(brTextCursor* cursor, int64_t* outValue)
{
	const char* at = brText_AfterBlanks(cursor);
	bool isNegative = *at == '-';
	at += *at == '-' || *at == '+';
	const char* digits = at;
	uint64_t value = 0;
	for (; brIsDigit(*at) && at - digits < 18; ++at)
	{
		value = 10 * value + (uint64_t)(*at - '0');
	}
	uint64_t limit = (uint64_t)INT64_MAX + isNegative;
	for (; brIsDigit(*at); ++at) // from here on it may be too much
	{
		uint64_t digit = (uint64_t)(*at - '0');
		if (value > (limit - digit) / 10)
		{
			return false;
		}
		value = 10 * value + digit;
	}
	if (at == digits)
	{
		return false;
	}
	cursor->at = at;
	*outValue = isNegative ? (int64_t)(0 - value) : (int64_t)value;
	return true;
}

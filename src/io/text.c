// SPDX-License-Identifier: MIT
#include "io/text.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
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
	brTextCursor ahead = *cursor;
	brText_SkipBlanks(&ahead);
	char* end;
	double value = strtod(ahead.at, &end);
	if (end == ahead.at || brText_AtLineEnd(&ahead))
	{
		return false;
	}
	cursor->at = end;
	*outValue = value;
	return true;
}

bool brText_Int64(brTextCursor* cursor, int64_t* outValue)
{
	brTextCursor ahead = *cursor;
	brText_SkipBlanks(&ahead);
	char* end;
	errno = 0;
	long long value = strtoll(ahead.at, &end, 10);
	if (end == ahead.at || errno != 0 || brText_AtLineEnd(&ahead))
	{
		return false;
	}
	cursor->at = end;
	*outValue = value;
	return true;
}

bool brText_Int32(brTextCursor* cursor, int32_t* outValue)
{
	brTextCursor ahead = *cursor;
	int64_t value;
	if (!brText_Int64(&ahead, &value) || value < INT32_MIN || value > INT32_MAX)
	{
		return false;
	}
	*cursor = ahead;
	*outValue = (int32_t)value;
	return true;
}

int32_t brPrintDouble(char* buffer, double value)
{
	return snprintf(buffer, BR_NUMBER_CHARS, "%.17g", value);
}

int32_t brPrintFloat(char* buffer, float value)
{
	return snprintf(buffer, BR_NUMBER_CHARS, "%.9g", (double)value);
}

int32_t brPrintInt(char* buffer, int64_t value)
{
	return snprintf(buffer, BR_NUMBER_CHARS, "%lld", (long long)value);
}

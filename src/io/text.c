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

const char* brText_PartEnd(const char* start, const char* end, int64_t bytes)
{
	const char* at = end - start > bytes ? start + bytes : end;
	const char* feed = at < end ? memchr(at, '\n', (size_t)(end - at)) : NULL;
	return feed != NULL ? feed + 1 : end;
}

void brText_SkipLines(brTextCursor* cursor, char comment)
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

// How many bytes have their high bit set, and no other.
static inline int64_t textCountMarks(uint64_t marks)
{
	return (int64_t)((marks >> 7) * 0x0101010101010101u >> 56);
}

bool brText_SkipWords(brTextCursor* cursor, int64_t count)
{
	const char* at = cursor->at;
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	// Eight characters at once while more than four words are to go: their ends and the line ends are counted by masks
	// of the high bits of bytes. Carriage returns, which may or may not end a line of their own, are left to the
	// careful way.
	uint64_t low = 0x7F7F7F7F7F7F7F7Fu;
	for (; count > 4 && cursor->end - at >= 9; at += 8)
	{
		uint64_t word;
		memcpy(&word, at, sizeof(word));
		uint64_t notReturn = word ^ 0x0D0D0D0D0D0D0D0Du;
		if ((((notReturn & low) + low) | notReturn | low) != UINT64_MAX)
		{
			break;
		}
		uint64_t notFeed = word ^ 0x0A0A0A0A0A0A0A0Au;
		uint64_t feeds = ~(((notFeed & low) + low) | notFeed | low);
		uint64_t solid = (((word & low) + 0x5F5F5F5F5F5F5F5Fu) | word) & ~low; // more than a blank
		uint64_t next = (uint64_t)((unsigned char)at[8] > ' ') << 63;
		count -= textCountMarks(solid & ~(solid >> 8 | next));
		cursor->line += textCountMarks(feeds);
	}
#endif
	cursor->at = at;
	for (; count > 0; --count)
	{
		const char* word;
		brText_SkipSpace(cursor, 0);
		if (brText_Word(cursor, &word) == 0)
		{
			return false;
		}
	}
	return true;
}

size_t brText_RestOfLine(brTextCursor* cursor, const char** outText)
{
	brText_SkipBlanks(cursor);
	const char* start = cursor->at;
	while (!brText_AtLineEnd(cursor))
	{
		cursor->at += 1;
	}
	const char* end = cursor->at;
	while (end > start && (end[-1] == ' ' || end[-1] == '\t'))
	{
		end -= 1;
	}
	*outText = start;
	return (size_t)(end - start);
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

const char* brText_FindBytes(const char* bytes, size_t count, const char* part, size_t partCount)
{
	const char* end = bytes + count;
	for (const char* at = bytes; (size_t)(end - at) >= partCount; ++at)
	{
		at = memchr(at, part[0], (size_t)(end - at) - partCount + 1);
		if (at == NULL || memcmp(at, part, partCount) == 0)
		{
			return at;
		}
	}
	return NULL;
}

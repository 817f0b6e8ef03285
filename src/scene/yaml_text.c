// SPDX-License-Identifier: MIT
#include "scene/yaml_text.h"

#include "io/json_text.h"

#include <string.h>

brResult brYaml_Fail(const brYamlText* text, const char* sentence)
{
	brDocNode place = {.file = text->file, .line = text->line};
	return brDoc_Fail(text->document, &place, text->report, "this is not YAML: %s", sentence);
}

// One character of UTF-8 that a text may have; 0 if it may not.
static int32_t yamlCharacter(const char* at)
{
	unsigned char c = (unsigned char)*at;
	if (c < 0x80)
	{
		return (c >= ' ' && c != 0x7F) || c == '\t' || c == '\n' ? 1 : 0;
	}
	return brUtf8Length(at);
}

brResult brYaml_Begin(brYamlText* text, const void* bytes, size_t byteCount)
{
	text->line = 1;
	char* copy = brArena_Alloc(&text->document->arena, byteCount + 1);
	if (copy == NULL)
	{
		return brFailMemory(text->report);
	}
	const char* from = bytes;
	size_t used = 0;
	for (size_t i = byteCount >= 3 && memcmp(from, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0; i < byteCount; ++i)
	{
		bool isReturn = from[i] == '\r';
		copy[used++] = isReturn ? '\n' : from[i];
		i += isReturn && i + 1 < byteCount && from[i + 1] == '\n';
	}
	copy[used] = 0;
	text->at = copy, text->lineStart = copy, text->end = copy + used;
	for (const char* at = copy; at < text->end;)
	{
		int32_t length = yamlCharacter(at);
		if (length == 0)
		{
			return brYaml_Fail(text, (unsigned char)*at < 0x80 ? "there is a control character"
															   : "there is a byte that is not UTF-8");
		}
		text->line += *at == '\n';
		at += length;
	}
	text->line = 1;
	return br_success;
}

void brYaml_End(brYamlText* text)
{
	BR_FREE_ARRAY(&text->document->allocator, &text->scratch);
}

bool brYaml_IsDocumentMark(const brYamlText* text)
{
	return text->at == text->lineStart && (strncmp(text->at, "---", 3) == 0 || strncmp(text->at, "...", 3) == 0) &&
		   brYaml_IsGap(text->at[3]);
}

static void yamlNextLine(brYamlText* text)
{
	text->at += 1;
	text->lineStart = text->at;
	text->line += 1;
}

bool brYaml_SkipGaps(brYamlText* text)
{
	bool isOther = false;
	for (;; isOther = true)
	{
		while (brYaml_IsBlank(*text->at))
		{
			text->at += 1;
		}
		if (*text->at == '#' && (text->at == text->lineStart || brYaml_IsGap(text->at[-1])))
		{
			text->at += strcspn(text->at, "\n");
		}
		if (*text->at != '\n')
		{
			return isOther;
		}
		yamlNextLine(text);
	}
}

bool brYaml_IsFirst(const brYamlText* text)
{
	return strspn(text->lineStart, " \t") >= (size_t)(text->at - text->lineStart);
}

bool brYaml_IsTabbed(const brYamlText* text)
{
	return brYaml_IsFirst(text) && memchr(text->lineStart, '\t', (size_t)(text->at - text->lineStart)) != NULL;
}

static brResult yamlPut(brYamlText* text, const char* bytes, size_t count)
{
	if (count == 0)
	{
		return br_success;
	}
	if (!BR_RESERVE(&text->document->allocator, &text->scratch, (int64_t)count))
	{
		return brFailMemory(text->report);
	}
	memcpy(text->scratch.data + text->scratch.count, bytes, count);
	text->scratch.count += (int32_t)count;
	return br_success;
}

// Ends the scalar: its length is the count, a zero byte follows.
static brResult yamlFinish(brYamlText* text)
{
	brResult result = yamlPut(text, "", 1);
	text->scratch.count -= result >= 0;
	return result;
}

// At the blanks behind a word that ends its line: moves to the next line with content, and puts what the break stands
// for: one is a blank, more are line ends less one.
static brResult yamlFold(brYamlText* text)
{
	int32_t breaks = 0;
	for (;;)
	{
		while (brYaml_IsBlank(*text->at))
		{
			text->at += 1;
		}
		if (*text->at != '\n')
		{
			break;
		}
		yamlNextLine(text);
		breaks += 1;
	}
	brResult result = breaks == 1 ? yamlPut(text, " ", 1) : br_success;
	for (int32_t i = 1; i < breaks && result >= 0; ++i)
	{
		result = yamlPut(text, "\n", 1);
	}
	return result;
}

// Where a plain scalar's part on this line ends: before ": ", " #", the line end, and in flow before its marks.
static const char* yamlPlainEnd(const brYamlText* text, bool isFlow)
{
	const char* end = text->at;
	for (const char* at = text->at; *at != '\n' && *at != 0; ++at)
	{
		bool isColon = *at == ':' && (brYaml_IsGap(at[1]) || (isFlow && brYaml_IsFlowMark(at[1])));
		bool isComment = *at == '#' && at > text->at && brYaml_IsBlank(at[-1]);
		if (isColon || isComment || (isFlow && brYaml_IsFlowMark(*at)))
		{
			break;
		}
		end = brYaml_IsBlank(*at) ? end : at + 1;
	}
	return end;
}

brResult brYaml_Plain(brYamlText* text, int32_t indent, bool isFlow, bool canBeKey)
{
	text->scratch.count = 0;
	for (;;)
	{
		const char* end = yamlPlainEnd(text, isFlow);
		brResult result = yamlPut(text, text->at, (size_t)(end - text->at));
		if (result < 0)
		{
			return result;
		}
		text->at = end;
		const char* after = end + strspn(end, " \t");
		if (*after != '\n')
		{
			break; // a colon, a comment, a mark of flow, or the end of the text
		}
		// Does it go on below?
		brYamlText ahead = *text;
		while (*(ahead.at += strspn(ahead.at, " \t")) == '\n')
		{
			yamlNextLine(&ahead);
		}
		char c = *ahead.at;
		bool goesOn = c != 0 && c != '#' && (isFlow || brYaml_Column(&ahead) > indent) &&
					  !brYaml_IsDocumentMark(&ahead) && !(isFlow && brYaml_IsFlowMark(c)) &&
					  !(c == ':' && (brYaml_IsGap(ahead.at[1]) || (isFlow && brYaml_IsFlowMark(ahead.at[1]))));
		if (!goesOn)
		{
			break;
		}
		if (!isFlow && brYaml_IsTabbed(&ahead))
		{
			*text = ahead;
			return brYaml_Fail(text, "a tab cannot indent a line");
		}
		result = yamlFold(text);
		if (result < 0)
		{
			return result;
		}
		canBeKey = false;
	}
	if (!isFlow && !canBeKey && *text->at == ':')
	{
		return brYaml_Fail(text, "there is a second colon, or a line is indented too far");
	}
	return yamlFinish(text);
}

brResult brYaml_SingleQuoted(brYamlText* text)
{
	text->scratch.count = 0;
	text->at += 1;
	for (;;)
	{
		size_t length = strcspn(text->at, "'\n \t");
		brResult result = yamlPut(text, text->at, length);
		text->at += length;
		if (result >= 0 && text->at[0] == '\'' && text->at[1] == '\'')
		{
			result = yamlPut(text, "'", 1);
			text->at += 2;
		}
		else if (*text->at == '\'')
		{
			text->at += 1;
			return yamlFinish(text);
		}
		else if (*text->at == 0 || brYaml_IsDocumentMark(text))
		{
			return brYaml_Fail(text, "a quote is not closed");
		}
		else if (result >= 0)
		{
			size_t blanks = strspn(text->at, " \t");
			result = text->at[blanks] == '\n' ? yamlFold(text) : yamlPut(text, text->at, blanks);
			text->at += blanks > 0 && brYaml_IsBlank(*text->at) ? blanks : 0;
		}
		if (result < 0)
		{
			return result;
		}
	}
}

static brResult yamlPutCode(brYamlText* text, uint32_t code)
{
	char bytes[4];
	size_t count = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
	static const uint8_t heads[5] = {0, 0, 0xC0, 0xE0, 0xF0};
	for (size_t i = count; i-- > 1; code >>= 6)
	{
		bytes[i] = (char)(0x80 | (code & 63));
	}
	bytes[0] = (char)(heads[count] | code);
	return yamlPut(text, bytes, count);
}

// What follows a backslash, with the cursor on it.
static brResult yamlEscape(brYamlText* text)
{
	static const char letters[] = "abtnvfre\"/\\ \tN_LP";
	static const uint16_t codes[] = {7,   8,    9,   10,   11,   12,   13,     27,    '"',
									 '/', '\\', ' ', '\t', 0x85, 0xA0, 0x2028, 0x2029};
	char c = text->at[1];
	const char* letter = c != 0 ? strchr(letters, c) : NULL;
	if (letter != NULL)
	{
		text->at += 2;
		return yamlPutCode(text, codes[letter - letters]);
	}
	if (c == '\n') // the line goes on without a blank
	{
		text->at += 1;
		yamlNextLine(text);
		text->at += strspn(text->at, " \t");
		return br_success;
	}
	int32_t digits = c == 'x' ? 2 : c == 'u' ? 4 : c == 'U' ? 8 : 0;
	uint32_t code = 0;
	for (int32_t i = 0; i < digits; ++i)
	{
		char d = text->at[2 + i];
		uint32_t value = d >= '0' && d <= '9'   ? (uint32_t)(d - '0')
						 : d >= 'a' && d <= 'f' ? (uint32_t)(d - 'a') + 10
						 : d >= 'A' && d <= 'F' ? (uint32_t)(d - 'A') + 10
												: 16;
		if (value == 16)
		{
			return brYaml_Fail(text, "an escape wants hexadecimal digits");
		}
		code = code << 4 | value;
	}
	if (c == '0' || (digits > 0 && code == 0))
	{
		return brYaml_Fail(text, "the text holds a zero byte");
	}
	if (digits == 0 || (code >= 0xD800 && code < 0xE000) || code > 0x10FFFF)
	{
		return brYaml_Fail(text, "a backslash is followed by no escape");
	}
	text->at += 2 + digits;
	return yamlPutCode(text, code);
}

brResult brYaml_DoubleQuoted(brYamlText* text)
{
	text->scratch.count = 0;
	text->at += 1;
	for (;;)
	{
		size_t length = strcspn(text->at, "\"\\\n \t");
		brResult result = yamlPut(text, text->at, length);
		text->at += length;
		if (result < 0)
		{
			return result;
		}
		if (*text->at == '"')
		{
			text->at += 1;
			return yamlFinish(text);
		}
		if (*text->at == 0 || brYaml_IsDocumentMark(text))
		{
			return brYaml_Fail(text, "a quote is not closed");
		}
		if (*text->at == '\\')
		{
			result = yamlEscape(text);
		}
		else
		{
			size_t blanks = strspn(text->at, " \t");
			result = text->at[blanks] == '\n' ? yamlFold(text) : yamlPut(text, text->at, blanks);
			text->at += blanks > 0 && brYaml_IsBlank(*text->at) ? blanks : 0;
		}
		if (result < 0)
		{
			return result;
		}
	}
}

// The mark behind | or >: '+' keeps all line ends, '-' none; a digit is the indentation.
static brResult yamlBlockHeader(brYamlText* text, char* outChomp, int32_t* outIndent)
{
	*outChomp = 0, *outIndent = 0;
	for (; *text->at == '+' || *text->at == '-' || (*text->at >= '1' && *text->at <= '9'); ++text->at)
	{
		bool isDigit = *text->at >= '1';
		if (isDigit ? *outIndent != 0 : *outChomp != 0)
		{
			return brYaml_Fail(text, "a block of text has two marks of one kind");
		}
		*outChomp = isDigit ? *outChomp : *text->at;
		*outIndent = isDigit ? *text->at - '0' : *outIndent;
	}
	const char* after = text->at + strspn(text->at, " \t");
	if (*after == '#' && after > text->at)
	{
		after += strcspn(after, "\n");
	}
	if (*after != '\n' && *after != 0)
	{
		return brYaml_Fail(text, "a block of text begins on the next line");
	}
	text->at = after;
	if (*after == '\n')
	{
		yamlNextLine(text);
	}
	return br_success;
}

// The indentation of the first line that is not empty, or of a longer line of blanks above it.
static int32_t yamlFirstIndent(const brYamlText* text)
{
	size_t widest = 0;
	for (const char* at = text->at;;)
	{
		size_t blanks = strspn(at, " ");
		widest = blanks > widest ? blanks : widest;
		if (at[blanks] != '\n')
		{
			return (int32_t)widest;
		}
		at += blanks + 1;
	}
}

brResult brYaml_BlockScalar(brYamlText* text, char style, int32_t indent)
{
	text->scratch.count = 0;
	char chomp;
	int32_t given;
	brResult result = yamlBlockHeader(text, &chomp, &given);
	int32_t above = indent > 0 ? indent : 0;
	int32_t width = given > 0 ? above + given : yamlFirstIndent(text);
	width = width > indent ? width : indent + 1;
	int32_t pending = 0;                      // line ends that are not put yet
	bool hasContent = false, wasMore = false; // the line before began with a blank: it is not folded
	while (result >= 0 && *text->at != 0)
	{
		size_t blanks = strspn(text->at, " ");
		if (text->at[blanks] == '\n' && (int32_t)blanks <= width)
		{
			text->at += blanks;
			pending += 1;
			yamlNextLine(text);
			continue;
		}
		if ((int32_t)blanks < width || brYaml_IsDocumentMark(text))
		{
			break;
		}
		text->at += width;
		bool isMore = brYaml_IsBlank(*text->at);
		// A single break between two lines of folded text is a blank; of more, one goes.
		bool isFolded = style == '>' && hasContent && !isMore && !wasMore;
		if (isFolded && pending == 1)
		{
			result = yamlPut(text, " ", 1);
		}
		for (int32_t i = isFolded ? 1 : 0; i < pending && result >= 0; ++i)
		{
			result = yamlPut(text, "\n", 1);
		}
		size_t length = strcspn(text->at, "\n");
		result = result < 0 ? result : yamlPut(text, text->at, length);
		text->at += length;
		pending = 0, hasContent = true, wasMore = isMore;
		if (*text->at == '\n')
		{
			yamlNextLine(text);
			pending = 1;
		}
	}
	int32_t kept = chomp == '+' ? pending : chomp == '-' || !hasContent ? 0 : pending > 0;
	for (int32_t i = 0; i < kept && result >= 0; ++i)
	{
		result = yamlPut(text, "\n", 1);
	}
	return result < 0 ? result : yamlFinish(text);
}

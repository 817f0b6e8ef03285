// SPDX-License-Identifier: MIT
#include "base/report.h"

#include "base/memory.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

typedef struct ResultText
{
	brResult code;
	const char* name;
	const char* sentence;
} ResultText;

static const ResultText resultTexts[] = {
	{br_success, "br_success", "Done."},
	{br_remarkDropped, "br_remarkDropped", "Done, but something in the input was left out."},
	{br_remarkApproximate, "br_remarkApproximate", "Done, but the output holds less than the input."},
	{br_errorMisuse, "br_errorMisuse", "The call was made with arguments it does not take."},
	{br_errorMemory, "br_errorMemory", "There is not enough memory."},
	{br_errorCanceled, "br_errorCanceled", "The work was canceled."},
	{br_errorFile, "br_errorFile", "A file could not be opened, read or written."},
	{br_errorFormat, "br_errorFormat", "The content breaks the rules of its format."},
	{br_errorUnsupported, "br_errorUnsupported", "The content is valid but this build does not handle it."},
	{br_errorLimit, "br_errorLimit", "There are more elements than the limits allow."},
	{br_errorGeometry, "br_errorGeometry", "The shape does not allow it."},
	{br_errorUnavailable, "br_errorUnavailable", "An optional dependency or device is not available."},
};

static const ResultText* findResultText(brResult result)
{
	for (int32_t i = 0; i < BR_COUNT(resultTexts); ++i)
	{
		if (resultTexts[i].code == result)
		{
			return &resultTexts[i];
		}
	}
	return NULL;
}

const char* brResult_GetName(brResult result)
{
	const ResultText* text = findResultText(result);
	return text != NULL ? text->name : "unknown";
}

const char* brResult_Describe(brResult result)
{
	const ResultText* text = findResultText(result);
	return text != NULL ? text->sentence : "This is not a result code of the library.";
}

// Bytes of the UTF-8 character at `text`: 1 to 4, 0 if it is not one, -1 if it ends too early to tell.
static int sentenceCharacterBytes(const unsigned char* text)
{
	int bytes = text[0] < 0x80   ? 1
				: text[0] < 0xC2 ? 0
				: text[0] < 0xE0 ? 2
				: text[0] < 0xF0 ? 3
				: text[0] < 0xF5 ? 4
								 : 0;
	for (int i = 1; i < bytes; ++i)
	{
		if ((text[i] & 0xC0) != 0x80)
		{
			return text[i] == 0 ? -1 : 0;
		}
	}
	// Second bytes that would encode a shorter character, a surrogate or one beyond U+10FFFF
	bool isWrong = (text[0] == 0xE0 && text[1] < 0xA0) || (text[0] == 0xED && text[1] > 0x9F) ||
				   (text[0] == 0xF0 && text[1] < 0x90) || (text[0] == 0xF4 && text[1] > 0x8F);
	return bytes > 1 && isWrong ? 0 : bytes;
}

// File content quoted in a sentence may hold anything. What comes out is one line of valid UTF-8: control characters
// become blanks, other bytes that are no character become question marks, and one that the end cuts goes whole.
static void tidySentence(char* text, size_t capacity, int written)
{
	if (written < 0)
	{
		text[0] = 0;
	}
	bool isCut = written >= (int)capacity;
	for (unsigned char* at = (unsigned char*)text; *at != 0;)
	{
		int bytes = sentenceCharacterBytes(at);
		if (bytes < 0 && isCut)
		{
			*at = 0;
			return;
		}
		if (*at < 0x20 || *at == 0x7F)
		{
			*at = ' ';
		}
		else if (bytes <= 0)
		{
			*at = '?';
		}
		at += bytes > 1 ? bytes : 1;
	}
}

static void fillReport(brReport* report, brResult code, int64_t element, const char* format, va_list arguments)
{
	if (report == NULL)
	{
		return;
	}
	memset(report, 0, sizeof(*report));
	report->code = code;
	report->element = element;
	int written = vsnprintf(report->text, sizeof(report->text), format, arguments);
	tidySentence(report->text, sizeof(report->text), written);
}

brResult brFail(brReport* report, brResult code, const char* format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	fillReport(report, code, -1, format, arguments);
	va_end(arguments);
	return code;
}

brResult brFailAt(brReport* report, brResult code, int64_t element, const char* format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	fillReport(report, code, element, format, arguments);
	va_end(arguments);
	return code;
}

brResult brFailMemory(brReport* report)
{
	return brFail(report, br_errorMemory, "there is not enough memory");
}

brResult brSucceed(brReport* report)
{
	if (report != NULL)
	{
		memset(report, 0, sizeof(*report));
		report->element = -1;
	}
	return br_success;
}

void brLog(const brContext* context, brLogLevel level, const char* format, ...)
{
	if (context == NULL || context->log == NULL)
	{
		return;
	}
	char text[512];
	va_list arguments;
	va_start(arguments, format);
	int written = vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	tidySentence(text, sizeof(text), written);
	context->log(level, text, context->logUser);
}

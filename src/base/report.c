// SPDX-License-Identifier: MIT
#include "base/report.h"

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
	{br_errorCancelled, "br_errorCancelled", "The work was cancelled."},
	{br_errorFile, "br_errorFile", "A file could not be opened, read or written."},
	{br_errorFormat, "br_errorFormat", "The content breaks the rules of its format."},
	{br_errorUnsupported, "br_errorUnsupported", "The content is valid but this build does not handle it."},
	{br_errorLimit, "br_errorLimit", "There are more elements than the limits allow."},
	{br_errorGeometry, "br_errorGeometry", "The shape does not allow it."},
	{br_errorUnavailable, "br_errorUnavailable", "An optional dependency or device is not available."},
};

static const ResultText* findResultText(brResult result)
{
	for (size_t i = 0; i < sizeof(resultTexts) / sizeof(resultTexts[0]); ++i)
	{
		if (resultTexts[i].code == result)
		{
			return &resultTexts[i];
		}
	}
	return NULL;
}

const char* brResult_Name(brResult result)
{
	const ResultText* text = findResultText(result);
	return text != NULL ? text->name : "unknown";
}

const char* brResult_Describe(brResult result)
{
	const ResultText* text = findResultText(result);
	return text != NULL ? text->sentence : "This is not a result code of the library.";
}

// A text cut in the middle of a UTF-8 character loses that character whole; control characters would break the
// promise of one line, and file content quoted in a sentence may hold any.
static void tidySentence(char* text, size_t capacity, int written)
{
	if (written >= (int)capacity)
	{
		size_t end = capacity - 1;
		while (end > 0 && ((unsigned char)text[end - 1] & 0xC0) == 0x80)
		{
			end -= 1;
		}
		if (end > 0 && (unsigned char)text[end - 1] >= 0xC0)
		{
			end -= 1;
		}
		text[end] = 0;
	}
	for (char* c = text; *c != 0; ++c)
	{
		if ((unsigned char)*c < 0x20 || *c == 0x7F)
		{
			*c = ' ';
		}
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

// SPDX-License-Identifier: MIT
#include "io/base64.h"

static void base64PutGroup(brOutput* output, const uint8_t* bytes, int32_t count)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	uint32_t word = (uint32_t)bytes[0] << 16 | (uint32_t)(count > 1 ? bytes[1] : 0) << 8 | (count > 2 ? bytes[2] : 0);
	uint8_t* room = brOutput_Room(output, 4);
	room[0] = (uint8_t)digits[word >> 18 & 63];
	room[1] = (uint8_t)digits[word >> 12 & 63];
	room[2] = (uint8_t)(count > 1 ? digits[word >> 6 & 63] : '=');
	room[3] = (uint8_t)(count > 2 ? digits[word & 63] : '=');
	brOutput_Advance(output, 4);
}

void brBase64Encoder_Write(brBase64Encoder* encoder, const void* bytes, size_t byteCount)
{
	const uint8_t* at = bytes;
	const uint8_t* end = at + byteCount;
	while (encoder->restCount > 0 && encoder->restCount < 3 && at < end)
	{
		encoder->rest[encoder->restCount++] = *at++;
		if (encoder->restCount == 3)
		{
			base64PutGroup(encoder->output, encoder->rest, 3);
			encoder->restCount = 0;
		}
	}
	for (; end - at >= 3; at += 3)
	{
		base64PutGroup(encoder->output, at, 3);
	}
	while (at < end)
	{
		encoder->rest[encoder->restCount++] = *at++;
	}
}

void brBase64Encoder_Finish(brBase64Encoder* encoder)
{
	if (encoder->restCount > 0)
	{
		base64PutGroup(encoder->output, encoder->rest, encoder->restCount);
		encoder->restCount = 0;
	}
}

static inline int32_t base64Value(char c)
{
	if (c >= 'A' && c <= 'Z')
	{
		return c - 'A';
	}
	if (c >= 'a' && c <= 'z')
	{
		return c - 'a' + 26;
	}
	if (c >= '0' && c <= '9')
	{
		return c - '0' + 52;
	}
	return c == '+' || c == '-' ? 62 : c == '/' || c == '_' ? 63 : -1;
}

size_t brBase64_Decode(const char* text, const char* end, uint8_t* out, size_t count, const char** outStop)
{
	int8_t values[256];
	for (int32_t c = 0; c < 256; ++c)
	{
		values[c] = (int8_t)base64Value((char)c);
	}
	size_t used = 0;
	uint32_t group = 0;
	int32_t digits = 0;
	int32_t padding = 0;
	while (text < end && used < count)
	{
		// Four digits in a row, as nearly all are.
		while (digits == 0 && end - text >= 4 && count - used >= 3)
		{
			int32_t a = values[(uint8_t)text[0]], b = values[(uint8_t)text[1]];
			int32_t c = values[(uint8_t)text[2]], d = values[(uint8_t)text[3]];
			if ((a | b | c | d) < 0)
			{
				break;
			}
			out[used] = (uint8_t)(a << 2 | b >> 4);
			out[used + 1] = (uint8_t)(b << 4 | c >> 2);
			out[used + 2] = (uint8_t)(c << 6 | d);
			used += 3;
			text += 4;
		}
		if (text >= end || used >= count)
		{
			break;
		}
		int32_t value = values[(uint8_t)*text];
		if ((uint8_t)*text <= ' ')
		{
			text += 1;
			continue;
		}
		if (value < 0)
		{
			if (*text != '=' || digits < 2)
			{
				break;
			}
			padding += 1;
			value = 0;
		}
		group = group << 6 | (uint32_t)value;
		digits += 1;
		text += 1;
		if (digits == 4)
		{
			for (int32_t k = 0; k < 3 - padding && used < count; ++k)
			{
				out[used++] = (uint8_t)(group >> (16 - 8 * k));
			}
			group = 0, digits = 0, padding = 0;
		}
	}
	for (int32_t k = 0; k + 1 < digits - padding && text >= end && used < count; ++k)
	{
		out[used++] = (uint8_t)(group >> (6 * digits - 8 * (k + 1)));
	}
	*outStop = text;
	return used;
}

// SPDX-License-Identifier: MIT

// .usdz: a USD text in a zip archive, stored without compression with its bytes at a multiple of 64, so that programs
// can map it. The text is written beside the archive first, and goes when the archive is there.
//
//     local header, padded by an extra field | text | central directory | end record

#include "io/formats.h"

#include <stdio.h>
#include <string.h>

#define USDZ_ALIGN 64
#define USDZ_LOCAL_BYTES 30
#define USDZ_NAME "scene.usda"
#define USDZ_DATE 0x21 // 1 January 1980: the same scene gives the same bytes

static uint32_t usdzCrc(const uint8_t* bytes, size_t byteCount)
{
	uint32_t table[256];
	for (uint32_t i = 0; i < 256; ++i)
	{
		uint32_t value = i;
		for (int32_t k = 0; k < 8; ++k)
		{
			value = value & 1 ? 0xEDB88320u ^ value >> 1 : value >> 1;
		}
		table[i] = value;
	}
	uint32_t crc = UINT32_MAX;
	for (size_t i = 0; i < byteCount; ++i)
	{
		crc = table[(crc ^ bytes[i]) & 255] ^ crc >> 8;
	}
	return ~crc;
}

// Little-endian numbers of 2 and 4 bytes, as zip has them.
static void usdzPut(brOutput* output, uint32_t value, int32_t byteCount)
{
	uint8_t bytes[4] = {(uint8_t)value, (uint8_t)(value >> 8), (uint8_t)(value >> 16), (uint8_t)(value >> 24)};
	brOutput_Write(output, bytes, (size_t)byteCount);
}

// What the local header and the directory have in common: from the version to the length of the extra field.
static void usdzPutEntry(brOutput* output, uint32_t crc, uint32_t size, uint32_t extra)
{
	usdzPut(output, 10, 2); // version 1.0 reads it
	usdzPut(output, 0, 2);  // flags
	usdzPut(output, 0, 2);  // stored
	usdzPut(output, 0, 2);  // time
	usdzPut(output, USDZ_DATE, 2);
	usdzPut(output, crc, 4);
	usdzPut(output, size, 4);
	usdzPut(output, size, 4);
	usdzPut(output, (uint32_t)strlen(USDZ_NAME), 2);
	usdzPut(output, extra, 2);
}

static brResult usdzWrite(const brWriteJob* job, const uint8_t* text, size_t byteCount)
{
	static const uint8_t zeros[USDZ_ALIGN] = {0};
	size_t nameLength = strlen(USDZ_NAME), start = USDZ_LOCAL_BYTES + nameLength;
	// An extra field has an id and a length of two bytes each.
	size_t extra = USDZ_ALIGN - start % USDZ_ALIGN;
	extra += extra < 4 ? USDZ_ALIGN : 0;
	if (byteCount > UINT32_MAX - 1024)
	{
		return brFail(job->report, br_errorLimit, "%.100s would need more than 4 GB, where zip ends", job->path);
	}
	brOutput output;
	brResult result = brOutput_Open(&output, &job->allocator, job->path, job->report);
	if (result < 0)
	{
		return result;
	}
	uint32_t crc = usdzCrc(text, byteCount), size = (uint32_t)byteCount;
	usdzPut(&output, 0x04034B50u, 4);
	usdzPutEntry(&output, crc, size, (uint32_t)extra);
	brOutput_Text(&output, USDZ_NAME);
	usdzPut(&output, 0x1986, 2); // the id that USD's own writer uses for padding
	usdzPut(&output, (uint32_t)extra - 4, 2);
	brOutput_Write(&output, zeros, extra - 4);
	brOutput_Write(&output, text, byteCount);
	uint32_t directory = (uint32_t)(start + extra + byteCount);
	usdzPut(&output, 0x02014B50u, 4);
	usdzPut(&output, 10, 2); // made by
	usdzPutEntry(&output, crc, size, 0);
	usdzPut(&output, 0, 2); // comment, disk, attributes, place of the local header
	usdzPut(&output, 0, 2);
	usdzPut(&output, 0, 2);
	usdzPut(&output, 0, 4);
	usdzPut(&output, 0, 4);
	brOutput_Text(&output, USDZ_NAME);
	usdzPut(&output, 0x06054B50u, 4);
	usdzPut(&output, 0, 4); // disks
	usdzPut(&output, 1, 2);
	usdzPut(&output, 1, 2);
	usdzPut(&output, (uint32_t)(46 + nameLength), 4);
	usdzPut(&output, directory, 4);
	usdzPut(&output, 0, 2);
	return brOutput_Commit(&output, job->report);
}

brResult brWriteUsd(const brWriteJob* job)
{
	size_t length = strlen(job->path);
	if (length < 5 || (strcmp(job->path + length - 5, ".usdz") != 0 && strcmp(job->path + length - 5, ".USDZ") != 0))
	{
		return brWriteUsda(job);
	}
	char path[4096];
	if (snprintf(path, sizeof(path), "%s.layer", job->path) >= (int)sizeof(path))
	{
		return brFail(job->report, br_errorFile, "the name of the file is too long");
	}
	brWriteJob layer = *job;
	layer.path = path;
	brSaveDef whole = *job->def; // a package is one file
	whole.split = false;
	layer.def = &whole;
	brResult written = brWriteUsda(&layer);
	if (written < 0)
	{
		return written;
	}
	uint8_t* text = NULL;
	size_t byteCount = 0;
	brReport inner = {0};
	brResult result = brReadFile(job->context, &job->allocator, path, &text, &byteCount, &inner);
	remove(path);
	if (result < 0)
	{
		return brFail(job->report, result, "%.300s", inner.text);
	}
	result = usdzWrite(job, text, byteCount);
	BR_FREE(&job->allocator, text, byteCount + 1);
	return result < 0 ? result : written;
}

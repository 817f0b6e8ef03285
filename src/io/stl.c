// SPDX-License-Identifier: MIT

// STL, text and binary: triangles that repeat their positions. Equal positions are welded on reading, exactly, and
// numbered as they first appear. Normals in the file are passed over, and made from the triangles on writing.
//
// Several workers read a big text in parts of whole facets; vertices of the parts are welded in order, so that their
// numbers are those of one part. More than one solid, and whatever is wrong, makes us read it once more as one part,
// which knows its lines.
//
// A file is binary if its size says so, whatever its first word: many binary files start with "solid". Several named
// solids of a text file become groups. Text keeps doubles; binary is float, and has no names. Nothing else fits.

#include "base/hash.h"
#include "io/bytes.h"
#include "io/names.h"
#include "io/surface.h"
#include "io/text.h"
#include "mesh/weld.h"

#include <math.h>
#include <string.h>

#define STL_HEADER 84
#define STL_ROW 50
#define STL_BLOCK 64                // triangles
#define STL_PART (8 * BR_TEXT_PART) // bytes; each has its own memory of vertices seen
#define STL_HOLDS_BINARY 0
#define STL_HOLDS_TEXT (br_holdsDoubles | br_holdsGroups)

// Binary

// The three points of a row. False if a coordinate is not finite: its exponent is all ones.
static inline bool stlLoadPoints(const uint8_t* row, brDVec3 outPoints[3])
{
	uint32_t largest = 0;
	for (int32_t k = 0; k < 3; ++k)
	{
		uint32_t words[3];
		float p[3];
		for (int32_t i = 0; i < 3; ++i)
		{
			words[i] = brLoad32(row + 12 + 12 * k + 4 * i, brIsBigEndianHost());
			uint32_t magnitude = words[i] & 0x7FFFFFFFu;
			largest = magnitude > largest ? magnitude : largest;
		}
		memcpy(p, words, sizeof(p));
		outPoints[k] = (brDVec3){(double)p[0], (double)p[1], (double)p[2]};
	}
	return largest < 0x7F800000u;
}

static brResult stlFillBinary(const brReadJob* job, brPointWeld* weld, int32_t triangleCount, int32_t* corners)
{
	for (int32_t first = 0; first < triangleCount; first += STL_BLOCK)
	{
		int32_t count = triangleCount - first < STL_BLOCK ? triangleCount - first : STL_BLOCK;
		brDVec3 points[3 * STL_BLOCK];
		for (int32_t t = 0; t < count; ++t)
		{
			size_t byte = STL_HEADER + (size_t)STL_ROW * (size_t)(first + t);
			if (!stlLoadPoints(job->bytes + byte, points + 3 * t))
			{
				int32_t k = brDIsFinite(points[3 * t]) ? brDIsFinite(points[3 * t + 1]) ? 2 : 1 : 0;
				return brFailByte(job, byte + 12 + 12 * (size_t)k, "triangle %d has a coordinate that is not finite",
								  first + t);
			}
		}
		if (!brPointWeld_Add(weld, points, 3 * count, corners + 3 * (size_t)first))
		{
			return brFailMemory(job->report);
		}
		if ((first & 0xFFFF) == 0 && brCheckCancel(job, STL_HEADER + (size_t)STL_ROW * (size_t)first) < 0)
		{
			return br_errorCanceled;
		}
	}
	return br_success;
}

static brResult stlReadBinary(const brReadJob* job, brAssembly* assembly)
{
	const brAllocator* allocator = &job->allocator;
	if (job->byteCount < STL_HEADER)
	{
		return brFailByte(job, job->byteCount, "the file is shorter than the 84 bytes an STL file starts with");
	}
	uint32_t claimed = brLoad32(job->bytes + 80, brIsBigEndianHost());
	if ((uint64_t)claimed * STL_ROW > job->byteCount - STL_HEADER)
	{
		return brFailByte(job, job->byteCount, "the file ends within triangle %llu of %u",
						  (unsigned long long)((job->byteCount - STL_HEADER) / STL_ROW), claimed);
	}
	if (claimed > INT32_MAX / 3)
	{
		return brFail(job->report, br_errorLimit, "%.100s: %u triangles have more corners than 32 bits can count",
					  job->name, claimed);
	}
	int32_t triangleCount = (int32_t)claimed;

	// The mesh has all but its vertices from the start, which saves a copy of the corners.
	brPointWeld weld = {0};
	brMeshShape shape = {.faceCount = triangleCount, .cornerCount = 3 * triangleCount};
	brMesh* mesh = brAllocMesh(allocator, &shape);
	bool isReady = mesh != NULL && brPointWeld_Init(&weld, allocator, triangleCount / 2 + 16);
	brResult result = isReady ? stlFillBinary(job, &weld, triangleCount, mesh->corners) : brFailMemory(job->report);
	if (result >= 0 && mesh != NULL)
	{
		bool isAdopted = BR_ADOPT(allocator, &mesh->positions, &mesh->vertexCount, &weld.positions);
		result = isAdopted ? br_success : brFailMemory(job->report);
		for (int32_t t = 0; t < triangleCount; ++t)
		{
			mesh->faceStarts[t + 1] = 3 * (t + 1);
		}
	}
	brPointWeld_Free(&weld);
	if (result < 0)
	{
		brDestroyMesh(mesh);
		return result;
	}
	result = brAddReadMesh(job, assembly, mesh, NULL);
	size_t rest = job->byteCount - STL_HEADER - (size_t)triangleCount * STL_ROW;
	if (result >= 0 && rest >= STL_ROW)
	{
		return brFail(job->report, br_remarkDropped,
					  "%.100s: the count is %d triangles, the file has room for %zu: the rest is left out", job->name,
					  triangleCount, (size_t)triangleCount + rest / STL_ROW);
	}
	return result;
}

// Text

// A vertex is written about six times, in the same characters each time. Those read lately are found by their text,
// what stands behind "vertex" up to the end of the line, so that most are neither read nor welded again. Another text
// with the same hash takes the place.
#define STL_SEEN_BITS 14    // a megabyte, of which what comes back soon stays in the second cache
#define STL_SEEN_HEAD 6     // words of eight characters, the last filled up with zeros: floats end here
#define STL_SEEN_LONGEST 14 // words; doubles have up to nine

typedef struct StlSeen
{
	uint64_t head[STL_SEEN_HEAD];
	int32_t corner;
	int32_t length; // characters, 0: none
	int32_t taken;  // those up to the end of the third number
	int32_t unused; // a cache line
} StlSeen;

typedef struct StlSeenTail
{
	uint64_t words[STL_SEEN_LONGEST - STL_SEEN_HEAD];
} StlSeenTail;

// A stretch of whole facets.
typedef struct StlPart
{
	brReadJob job;
	const brAllocator* allocator;
	brTextCursor cursor;
	bool isFirst, isLast; // the solid begins here, and ends here
	brPointWeld weld;
	BR_ARRAY(int32_t) corners; // vertices, or ~c: the same as corner c
	BR_ARRAY(int32_t) faceEnds;
	BR_ARRAY(int32_t) faceGroups; // empty until a named solid appears
	brNames groups;
	brDVec3 pending[STL_BLOCK]; // points not welded yet
	int32_t pendingCorners[STL_BLOCK];
	int32_t pendingCount;
	int32_t group;
	StlSeen* seen;          // [1 << seenBits]
	StlSeenTail* seenTails; // of those that are longer
	int32_t seenBits;
	brResult result;

	int32_t firstFace, firstCorner; // in the file
	int32_t* vertices;              // [weld.positions.count] numbers in the file
} StlPart;

typedef struct StlReader
{
	const brReadJob* job;
	const brAllocator* allocator;
	StlPart* parts;
	int32_t partCount, partCapacity;
	int32_t firstPart; // of those that are read now
	brPointWeld weld;
	brMesh* mesh;
} StlReader;

// A word in lower case as one number, its first character lowest.
#define STL_WORD8(a, b, c, d, e, f, g, h)                                                                              \
	((uint64_t)(a) | (uint64_t)(b) << 8 | (uint64_t)(c) << 16 | (uint64_t)(d) << 24 | (uint64_t)(e) << 32 |            \
	 (uint64_t)(f) << 40 | (uint64_t)(g) << 48 | (uint64_t)(h) << 56)

#define STL_SOLID STL_WORD8('s', 'o', 'l', 'i', 'd', 0, 0, 0)
#define STL_FACET STL_WORD8('f', 'a', 'c', 'e', 't', 0, 0, 0)
#define STL_NORMAL STL_WORD8('n', 'o', 'r', 'm', 'a', 'l', 0, 0)
#define STL_OUTER STL_WORD8('o', 'u', 't', 'e', 'r', 0, 0, 0)
#define STL_LOOP STL_WORD8('l', 'o', 'o', 'p', 0, 0, 0, 0)
#define STL_VERTEX STL_WORD8('v', 'e', 'r', 't', 'e', 'x', 0, 0)
#define STL_ENDLOOP STL_WORD8('e', 'n', 'd', 'l', 'o', 'o', 'p', 0)
#define STL_ENDFACET STL_WORD8('e', 'n', 'd', 'f', 'a', 'c', 'e', 't')
#define STL_ENDSOLID STL_WORD8('e', 'n', 'd', 's', 'o', 'l', 'i', 'd')

// The next word is this one, in any case. Inlined: the words are known, and a triangle has fourteen.
__attribute__((always_inline)) static inline bool stlTakeWord(brTextCursor* cursor, uint64_t word)
{
	int32_t length = 8 - __builtin_clzll(word) / 8;
	int64_t left = cursor->end - cursor->at;
	if (left < length || (unsigned char)cursor->at[length] > ' ')
	{
		return false;
	}
	uint64_t mask = UINT64_MAX >> (64 - 8 * length), found = 0;
	if (left >= 8)
	{
		found = brLoad64((const uint8_t*)cursor->at, brIsBigEndianHost());
	}
	else
	{
		for (int32_t i = 0; i < length; ++i)
		{
			found |= (uint64_t)(uint8_t)cursor->at[i] << 8 * i;
		}
	}
	if (((found | 0x2020202020202020u) & mask) != word)
	{
		return false;
	}
	cursor->at += length;
	return true;
}

// As brText_Word, eight characters at once.
static inline void stlSkipWord(brTextCursor* cursor)
{
	while (cursor->end - cursor->at >= 8)
	{
		uint64_t word = brLoad64((const uint8_t*)cursor->at, brIsBigEndianHost());
		uint64_t ends = (word - 0x2121212121212121u) & ~word & 0x8080808080808080u;
		cursor->at += ends != 0 ? __builtin_ctzll(ends) / 8 : 8;
		if (ends != 0)
		{
			return;
		}
	}
	const char* rest;
	brText_Word(cursor, &rest);
}

// As brText_SkipSpace, with the common line end here.
static inline void stlSkipSpace(brTextCursor* cursor)
{
	for (; *cursor->at == ' ' || *cursor->at == '\t' || *cursor->at == '\n'; ++cursor->at)
	{
		cursor->line += *cursor->at == '\n';
	}
	if ((unsigned char)*cursor->at <= ' ')
	{
		brText_SkipLines(cursor, 0);
	}
}

static bool stlWeldPending(StlPart* part)
{
	if (part->pendingCount == 0)
	{
		return true;
	}
	int32_t vertices[STL_BLOCK];
	bool isDone = brPointWeld_Add(&part->weld, part->pending, part->pendingCount, vertices);
	for (int32_t i = 0; i < part->pendingCount && isDone; ++i)
	{
		part->corners.data[part->pendingCorners[i]] = vertices[i];
	}
	part->pendingCount = 0;
	return isDone;
}

// A text up to the end of its line, eight characters a word, the last filled up with zeros.
typedef struct StlLine
{
	uint64_t words[STL_SEEN_LONGEST];
	int32_t length;
} StlLine;

// The place of what stands at the cursor; null if that is too long, or too near to the end of the file.
static inline StlSeen* stlFindSeen(const StlPart* part, StlLine* line)
{
	const char* text = part->cursor.at;
	if (part->cursor.end - text < 8 * STL_SEEN_LONGEST)
	{
		return NULL;
	}
	uint64_t hash = BR_HASH_SEED;
	for (int32_t i = 0; i < STL_SEEN_LONGEST; ++i)
	{
		uint64_t word = brLoad64((const uint8_t*)text + 8 * i, brIsBigEndianHost());
		// The lowest byte less than a blank is certain; those above it may be none.
		uint64_t ends = (word - 0x2020202020202020u) & ~word & 0x8080808080808080u;
		int32_t bits = ends != 0 ? __builtin_ctzll(ends) & ~7 : 64;
		line->words[i] = bits < 64 ? word & (((uint64_t)1 << bits) - 1) : word;
		hash = brHashFold(hash ^ line->words[i], 0x9e3779b97f4a7c15u);
		if (bits < 64)
		{
			line->length = 8 * i + bits / 8;
			return &part->seen[hash >> (64 - part->seenBits)];
		}
	}
	return NULL;
}

static inline bool stlIsSeen(const StlPart* part, const StlSeen* seen, const StlLine* line)
{
	int32_t count = (line->length + 7) / 8;
	if (seen->length != line->length)
	{
		return false;
	}
	const uint64_t* tail = part->seenTails[seen - part->seen].words;
	uint64_t differs = 0;
	for (int32_t i = 0; i < count; ++i)
	{
		differs |= line->words[i] ^ (i < STL_SEEN_HEAD ? seen->head[i] : tail[i - STL_SEEN_HEAD]);
	}
	return differs == 0;
}

static void stlKeepSeen(StlPart* part, StlSeen* seen, const StlLine* line, int32_t corner, int32_t taken)
{
	seen->corner = corner, seen->length = line->length, seen->taken = taken;
	int32_t count = (line->length + 7) / 8, head = count < STL_SEEN_HEAD ? count : STL_SEEN_HEAD;
	memcpy(seen->head, line->words, (size_t)head * sizeof(uint64_t));
	memcpy(part->seenTails[seen - part->seen].words, line->words + head, (size_t)(count - head) * sizeof(uint64_t));
}

static brResult stlReadVertex(StlPart* part)
{
	double p[3];
	brText_SkipBlanks(&part->cursor);
	const char* text = part->cursor.at;
	StlLine line;
	StlSeen* seen = stlFindSeen(part, &line);
	if (seen != NULL && stlIsSeen(part, seen, &line))
	{
		part->cursor.at += seen->taken;
		return BR_PUSH(part->allocator, &part->corners, ~seen->corner) ? br_success : brFailMemory(part->job.report);
	}
	for (int32_t i = 0; i < 3; ++i)
	{
		brText_SkipSpace(&part->cursor, 0);
		if (!brText_Double(&part->cursor, &p[i]) || (unsigned char)*part->cursor.at > ' ')
		{
			return brFailLine(&part->job, part->cursor.line, "facet %d: three coordinates expected behind \"vertex\"",
							  part->faceEnds.count);
		}
	}
	brDVec3 point = {p[0], p[1], p[2]};
	if (!brDIsFinite(point))
	{
		return brFailLine(&part->job, part->cursor.line, "facet %d has a coordinate that is not finite",
						  part->faceEnds.count);
	}
	if (!BR_PUSH(part->allocator, &part->corners, -1))
	{
		return brFailMemory(part->job.report);
	}
	int32_t corner = part->corners.count - 1;
	if (seen != NULL && part->cursor.at - text <= line.length)
	{
		stlKeepSeen(part, seen, &line, corner, (int32_t)(part->cursor.at - text));
	}
	part->pending[part->pendingCount] = point;
	part->pendingCorners[part->pendingCount++] = corner;
	return part->pendingCount < STL_BLOCK || stlWeldPending(part) ? br_success : brFailMemory(part->job.report);
}

static brResult stlEndFacet(StlPart* part)
{
	int32_t count = part->faceEnds.count;
	int32_t size = part->corners.count - (count > 0 ? part->faceEnds.data[count - 1] : 0);
	if (size < 3)
	{
		return brFailLine(&part->job, part->cursor.line, "facet %d has %d vertices, three are needed", count, size);
	}
	if (!BR_PUSH(part->allocator, &part->faceEnds, part->corners.count))
	{
		return brFailMemory(part->job.report);
	}
	if (part->groups.list.count == 0)
	{
		return br_success;
	}
	int32_t missing = part->faceEnds.count - part->faceGroups.count;
	if (!BR_RESERVE(part->allocator, &part->faceGroups, missing))
	{
		return brFailMemory(part->job.report);
	}
	for (; missing > 1; --missing)
	{
		part->faceGroups.data[part->faceGroups.count++] = -1;
	}
	part->faceGroups.data[part->faceGroups.count++] = part->group;
	return br_success;
}

// The rest of the line is the name, blanks inside it too.
static brResult stlStartSolid(StlPart* part)
{
	const char* name;
	size_t length = brText_RestOfLine(&part->cursor, &name);
	part->group = -1;
	if (length > 0)
	{
		part->group = brNames_Add(&part->groups, part->allocator, name, length);
		return part->group >= 0 ? br_success : brFailMemory(part->job.report);
	}
	return br_success;
}

// Words are taken where they stand; the layout of lines means nothing but for names.
static brResult stlReadWords(StlPart* part)
{
	brTextCursor* cursor = &part->cursor;
	bool isInFacet = false;
	bool isInSolid = !part->isFirst;
	for (stlSkipSpace(cursor); cursor->at < cursor->end; stlSkipSpace(cursor))
	{
		brResult result = br_success;
		if (isInFacet && stlTakeWord(cursor, STL_VERTEX))
		{
			result = stlReadVertex(part);
		}
		else if (isInFacet && stlTakeWord(cursor, STL_ENDFACET))
		{
			result = stlEndFacet(part);
			isInFacet = false;
			if (result >= 0 && (part->faceEnds.count & 0xFFFF) == 0)
			{
				result = brCheckCancel(&part->job, (size_t)(cursor->at - (const char*)part->job.bytes));
			}
		}
		else if (isInFacet &&
				 (stlTakeWord(cursor, STL_OUTER) || stlTakeWord(cursor, STL_LOOP) || stlTakeWord(cursor, STL_ENDLOOP)))
		{
		}
		else if (isInSolid && !isInFacet && stlTakeWord(cursor, STL_FACET))
		{
			isInFacet = true;
			stlSkipSpace(cursor);
			for (int32_t skip = stlTakeWord(cursor, STL_NORMAL) ? 3 : 0; skip > 0; --skip)
			{
				stlSkipSpace(cursor);
				brTextCursor ahead = *cursor;
				if (stlTakeWord(&ahead, STL_OUTER))
				{
					break; // a normal cut short is no loss
				}
				stlSkipWord(cursor);
			}
		}
		else if (isInSolid && !isInFacet && part->isLast && stlTakeWord(cursor, STL_ENDSOLID))
		{
			isInSolid = false;
			while (!brText_AtLineEnd(cursor))
			{
				cursor->at += 1; // its name
			}
		}
		else if (!isInSolid && part->isFirst && stlTakeWord(cursor, STL_SOLID))
		{
			isInSolid = true;
			result = stlStartSolid(part);
		}
		else
		{
			const char* word;
			int64_t line = cursor->line;
			size_t length = brText_Word(cursor, &word);
			result = brFailLine(&part->job, line, "%s expected, \"%.*s\" found",
								isInFacet   ? "\"vertex\" or \"endfacet\""
								: isInSolid ? "\"facet\" or \"endsolid\""
											: "\"solid\"",
								(int)(length < 40 ? length : 40), word);
		}
		if (result < 0)
		{
			return result;
		}
	}
	if (isInSolid && (part->isLast || isInFacet))
	{
		if (part->faceEnds.count == 0 && !isInFacet)
		{
			return brFailLine(&part->job, cursor->line, "the file ends within the solid, before its first facet");
		}
		return brFailLine(&part->job, cursor->line, "the file ends within %s %d",
						  isInFacet ? "facet" : "the solid, after facet", part->faceEnds.count - !isInFacet);
	}
	return stlWeldPending(part) ? br_success : brFailMemory(part->job.report);
}

static bool stlOpenPart(StlPart* part)
{
	size_t bytes = (size_t)(part->cursor.end - part->cursor.at);
	for (part->seenBits = STL_SEEN_BITS; part->seenBits > 1 && sizeof(StlSeen) << part->seenBits > bytes;)
	{
		part->seenBits -= 1;
	}
	part->group = -1;
	part->seen = BR_ALLOC_ZERO(part->allocator, StlSeen, (int64_t)1 << part->seenBits);
	part->seenTails = BR_ALLOC(part->allocator, StlSeenTail, (int64_t)1 << part->seenBits);
	bool isReady = brPointWeld_Init(&part->weld, part->allocator, (int64_t)(bytes / 500));
	return isReady && part->seen != NULL && part->seenTails != NULL;
}

static void stlForgetSeen(StlPart* part)
{
	BR_FREE(part->allocator, part->seen, (int64_t)1 << part->seenBits);
	BR_FREE(part->allocator, part->seenTails, (int64_t)1 << part->seenBits);
	part->seen = NULL, part->seenTails = NULL;
}

static void stlReadParts(int32_t begin, int32_t end, int32_t worker, void* user)
{
	(void)worker;
	const StlReader* reader = user;
	for (int32_t i = reader->firstPart + begin; i < reader->firstPart + end; ++i)
	{
		StlPart* part = &reader->parts[i];
		part->result = stlOpenPart(part) ? stlReadWords(part) : brFailMemory(part->job.report);
		stlForgetSeen(part);
	}
}

// The end of the part that begins here: before a line that begins with "facet".
static const char* stlPartEnd(const char* start, const char* end)
{
	brTextCursor cursor = {brText_PartEnd(start, end, STL_PART), end, 0};
	while (cursor.at < end)
	{
		brTextCursor ahead = cursor;
		brText_SkipBlanks(&ahead);
		if (stlTakeWord(&ahead, STL_FACET))
		{
			break;
		}
		brText_NextLine(&cursor);
	}
	return cursor.at;
}

static bool stlMakeParts(StlReader* reader, bool isWhole)
{
	const brReadJob* job = reader->job;
	const char *at = (const char*)job->bytes, *end = at + job->byteCount;
	reader->partCapacity = isWhole ? 1 : (int32_t)(job->byteCount / STL_PART) + 1;
	reader->parts = BR_ALLOC_ZERO(reader->allocator, StlPart, reader->partCapacity);
	if (reader->parts == NULL)
	{
		return false;
	}
	do
	{
		StlPart* part = &reader->parts[reader->partCount++];
		part->allocator = reader->allocator;
		part->cursor = (brTextCursor){at, isWhole ? end : stlPartEnd(at, end), 1};
		part->isFirst = reader->partCount == 1;
		part->isLast = part->cursor.end == end;
		at = part->cursor.end;
	} while (at < end);
	for (int32_t i = 0; i < reader->partCount; ++i)
	{
		// Parts do not speak: what is wrong is said when all is read once more.
		StlPart* part = &reader->parts[i];
		part->job = *job;
		part->job.context = reader->partCount == 1 ? job->context : NULL;
		part->job.report = reader->partCount == 1 ? job->report : NULL;
	}
	return true;
}

// What a part has goes to its place in the mesh.
static void stlFillParts(int32_t begin, int32_t end, int32_t worker, void* user)
{
	(void)worker;
	const StlReader* reader = user;
	brMesh* mesh = reader->mesh;
	for (int32_t i = begin; i < end; ++i)
	{
		const StlPart* part = &reader->parts[i];
		int32_t* corners = mesh->corners + part->firstCorner;
		for (int32_t c = 0; c < part->corners.count; ++c)
		{
			int32_t corner = part->corners.data[c];
			corners[c] = corner >= 0 ? part->vertices[corner] : corners[~corner];
		}
		for (int32_t f = 0; f < part->faceEnds.count; ++f)
		{
			mesh->faceStarts[part->firstFace + f + 1] = part->firstCorner + part->faceEnds.data[f];
			if (mesh->faceGroups != NULL)
			{
				// Parts behind the first go on with its solid.
				int32_t group = f < part->faceGroups.count ? part->faceGroups.data[f] : -1;
				mesh->faceGroups[part->firstFace + f] = part->isFirst ? group : 0;
			}
		}
	}
}

static brResult stlBuildMesh(StlReader* reader)
{
	int64_t faces = 0, corners = 0;
	for (int32_t i = 0; i < reader->partCount; ++i)
	{
		StlPart* part = &reader->parts[i];
		int32_t count = part->weld.positions.count;
		part->firstFace = (int32_t)faces, part->firstCorner = (int32_t)corners;
		faces += part->faceEnds.count, corners += part->corners.count;
		part->vertices = BR_ALLOC(reader->allocator, int32_t, count);
		bool isWelded = part->vertices != NULL || count == 0;
		if (faces > INT32_MAX || corners > INT32_MAX || !isWelded ||
			!brPointWeld_Add(&reader->weld, part->weld.positions.data, count, part->vertices))
		{
			return brFailMemory(reader->job->report);
		}
	}
	const brNames* groups = &reader->parts[0].groups;
	brMeshShape shape = {
		.faceCount = (int32_t)faces,
		.cornerCount = (int32_t)corners,
		.groupCount = groups->list.count,
		.hasFaceGroups = groups->list.count > 0,
	};
	reader->mesh = brAllocMesh(reader->allocator, &shape);
	if (reader->mesh == NULL ||
		!BR_ADOPT(reader->allocator, &reader->mesh->positions, &reader->mesh->vertexCount, &reader->weld.positions))
	{
		return brFailMemory(reader->job->report);
	}
	if (shape.groupCount > 0)
	{
		memcpy(reader->mesh->groupNames, groups->list.data, (size_t)shape.groupCount * sizeof(brName));
	}
	brWorkers* workers = reader->job->context != NULL ? reader->job->context->workers : NULL;
	brParallelFor(workers, reader->partCount, 1, stlFillParts, reader);
	return br_success;
}

static void stlFree(StlReader* reader)
{
	for (int32_t i = 0; i < reader->partCount; ++i)
	{
		StlPart* part = &reader->parts[i];
		BR_FREE(reader->allocator, part->vertices, part->weld.positions.count);
		brPointWeld_Free(&part->weld);
		brNames_Free(&part->groups, reader->allocator);
		BR_FREE_ARRAY(reader->allocator, &part->corners);
		BR_FREE_ARRAY(reader->allocator, &part->faceEnds);
		BR_FREE_ARRAY(reader->allocator, &part->faceGroups);
	}
	BR_FREE(reader->allocator, reader->parts, reader->partCapacity);
	brPointWeld_Free(&reader->weld);
	brDestroyMesh(reader->mesh);
}

static brResult stlReadText(const brReadJob* job, brAssembly* assembly, bool isWhole)
{
	StlReader reader = {.job = job, .allocator = &job->allocator};
	bool isReady = brPointWeld_Init(&reader.weld, reader.allocator, (int64_t)(job->byteCount / 500)) &&
				   stlMakeParts(&reader, isWhole);
	brResult result = isReady ? br_success : brFailMemory(job->report);
	if (result >= 0)
	{
		result = brReadParts(job, reader.partCount, reader.partCount, &reader.firstPart, stlReadParts, &reader);
	}
	brResult trouble = br_success;
	for (int32_t i = 0; i < reader.partCount && result >= 0 && trouble >= 0; ++i)
	{
		trouble = reader.parts[i].result;
	}
	if (trouble < 0 && trouble != br_errorMemory && reader.partCount > 1)
	{
		stlFree(&reader);
		return stlReadText(job, assembly, true);
	}
	result = trouble >= 0 || result < 0 ? result : reader.partCount > 1 ? brFailMemory(job->report) : trouble;
	result = result >= 0 ? stlBuildMesh(&reader) : result;
	if (result >= 0)
	{
		brMesh* mesh = reader.mesh;
		reader.mesh = NULL;
		result = brAddReadMesh(job, assembly, mesh, NULL);
	}
	stlFree(&reader);
	return result;
}

// Text starts with "solid" and has no zero byte near its start, where a binary file has its count.
static bool stlIsText(const brReadJob* job)
{
	if (job->byteCount >= STL_HEADER)
	{
		uint64_t exact = STL_HEADER + (uint64_t)brLoad32(job->bytes + 80, brIsBigEndianHost()) * STL_ROW;
		if (exact == job->byteCount)
		{
			return false;
		}
	}
	brTextCursor cursor = brMakeTextCursor(job->bytes, job->byteCount);
	brText_SkipSpace(&cursor, 0);
	size_t looked = job->byteCount < 512 ? job->byteCount : 512;
	return stlTakeWord(&cursor, STL_SOLID) && memchr(job->bytes, 0, looked) == NULL;
}

brResult brReadStl(const brReadJob* job, brAssembly* assembly)
{
	return stlIsText(job) ? stlReadText(job, assembly, !brReadJob_IsShared(job)) : stlReadBinary(job, assembly);
}

// Writing

static brVec3 stlNormal(const brMesh* mesh, int32_t face)
{
	const int32_t* corners = mesh->corners + mesh->faceStarts[face];
	brDVec3 a = mesh->positions[corners[0]];
	brDVec3 ab = brDSub(mesh->positions[corners[1]], a);
	brDVec3 ac = brDSub(mesh->positions[corners[2]], a);
	brDVec3 normal = brDCross(ab, ac);
	double length = brDLength(normal);
	bool isUsable = length > 0.0 && isfinite(length);
	return isUsable ? brToVec3(brDMul(1.0 / length, normal)) : (brVec3){0.0f, 0.0f, 0.0f};
}

static void stlStorePoint(uint8_t* bytes, brVec3 point)
{
	uint32_t words[3];
	memcpy(words, &point, sizeof(words));
	for (int32_t i = 0; i < 3; ++i)
	{
		brStore32(bytes + 4 * i, words[i], brIsBigEndianHost());
	}
}

static void stlWriteBinary(brOutput* output, const brMesh* mesh)
{
	uint8_t header[STL_HEADER] = "binary STL"; // not "solid": that would read as text to some
	brStore32(header + 80, (uint32_t)mesh->faceCount, brIsBigEndianHost());
	brOutput_Write(output, header, sizeof(header));
	for (int32_t f = 0; f < mesh->faceCount; ++f)
	{
		uint8_t* row = brOutput_Room(output, STL_ROW);
		stlStorePoint(row, stlNormal(mesh, f));
		for (int32_t k = 0; k < 3; ++k)
		{
			stlStorePoint(row + 12 + 12 * k, brToVec3(mesh->positions[mesh->corners[mesh->faceStarts[f] + k]]));
		}
		row[48] = 0, row[49] = 0;
		brOutput_Advance(output, STL_ROW);
	}
}

// Copies without the terminator.
static char* stlPut(char* at, const char* text)
{
	while (*text != 0)
	{
		*at++ = *text++;
	}
	return at;
}

static void stlWriteFacet(brOutput* output, const brMesh* mesh, int32_t face)
{
	char* room = (char*)brOutput_Room(output, 1024);
	char* at = room;
	brVec3 normal = stlNormal(mesh, face);
	at = stlPut(at, "facet normal");
	for (int32_t i = 0; i < 3; ++i)
	{
		*at++ = ' ';
		at += brPrintFloat(at, (&normal.x)[i]);
	}
	at = stlPut(at, "\n\touter loop\n");
	for (int32_t k = 0; k < 3; ++k)
	{
		const double* p = &mesh->positions[mesh->corners[mesh->faceStarts[face] + k]].x;
		at = stlPut(at, "\t\tvertex");
		for (int32_t i = 0; i < 3; ++i)
		{
			*at++ = ' ';
			at += brPrintDouble(at, p[i]);
		}
		*at++ = '\n';
	}
	at = stlPut(at, "\tendloop\nendfacet\n");
	brOutput_Advance(output, (size_t)(at - room));
}

// A new solid whenever the group changes: faces stay in their order.
static void stlWriteText(brOutput* output, const brMesh* mesh, const brNames* groups)
{
	int32_t group = -2;
	const char* name = "";
	for (int32_t f = 0; f < mesh->faceCount; ++f)
	{
		int32_t next = mesh->faceGroups != NULL ? mesh->faceGroups[f] : -1;
		if (next != group)
		{
			if (group != -2)
			{
				brOutput_Format(output, *name != 0 ? "endsolid %s\n" : "endsolid%s\n", name);
			}
			name = next >= 0 && next < groups->list.count ? groups->list.data[next].text : "";
			brOutput_Format(output, *name != 0 ? "solid %s\n" : "solid%s\n", name);
			group = next;
		}
		stlWriteFacet(output, mesh, f);
	}
	brOutput_Text(output, mesh->faceCount == 0 ? "solid\n" : "");
	brOutput_Format(output, *name != 0 ? "endsolid %s\n" : "endsolid%s\n", name);
}

static bool stlNameGroups(const brWriteJob* job, const brMesh* mesh, brNames* groups)
{
	for (int32_t g = 0; g < mesh->groupCount; ++g)
	{
		if (!brNames_AddUnique(groups, &job->allocator, mesh->groupNames[g], "group"))
		{
			return false;
		}
	}
	return true;
}

// Coordinates beyond float have no place in a binary file.
static bool stlFits(const brMesh* mesh)
{
	for (int32_t v = 0; v < mesh->vertexCount; ++v)
	{
		brVec3 p = brToVec3(mesh->positions[v]);
		if (!isfinite(p.x) || !isfinite(p.y) || !isfinite(p.z))
		{
			return false;
		}
	}
	return true;
}

brResult brWriteStl(const brWriteJob* job)
{
	uint32_t holds = job->def->ascii ? STL_HOLDS_TEXT : STL_HOLDS_BINARY;
	brSurface surface;
	brNames groups = {0};
	brOutput output;
	brResult result = brSurface_Open(&surface, job, holds);
	if (result >= 0 && !job->def->ascii && !stlFits(surface.mesh))
	{
		result = brFail(job->report, br_errorLimit, "%.100s: a coordinate is too large for the floats of binary STL",
						job->path);
	}
	if (result >= 0 && job->def->ascii && !stlNameGroups(job, surface.mesh, &groups))
	{
		result = brFailMemory(job->report);
	}
	if (result >= 0)
	{
		result = brOutput_Open(&output, &job->allocator, job->path, job->report);
	}
	if (result >= 0)
	{
		job->def->ascii ? stlWriteText(&output, surface.mesh, &groups) : stlWriteBinary(&output, surface.mesh);
		result = brOutput_Commit(&output, job->report);
	}
	if (result >= 0)
	{
		result = brSurface_Remark(&surface, job, holds);
	}
	brNames_Free(&groups, &job->allocator);
	brSurface_Close(&surface, job);
	return result;
}

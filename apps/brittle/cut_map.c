// SPDX-License-Identifier: MIT
#include "cut_map.h"

#include "aside.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

// A vertex of what was cut or of what cut it. The cutter does not move them, so places tell who is who.
typedef struct KnownVertex
{
	brDVec3 place;
	int32_t cutter; // -1: the source
	int32_t index;
} KnownVertex;

// An edge of a face, from corner to corner.
typedef struct HalfEdge
{
	int32_t from, to;
	int32_t corner; // of the mesh
} HalfEdge;

// Half-edges of a piece by corner, and who is on their other side.
typedef struct PieceEdges
{
	HalfEdge* sorted; // [cornerCount] by from, to, corner
	int32_t* twins;   // [cornerCount] corner where the half-edge back begins, -1: none
	int32_t* faces;   // [cornerCount] face of a corner
	bool* isUsed;     // [cornerCount] in a loop already
} PieceEdges;

static int comparePlaces(brDVec3 a, brDVec3 b)
{
	return a.x != b.x ? (a.x > b.x) - (a.x < b.x) : a.y != b.y ? (a.y > b.y) - (a.y < b.y) : (a.z > b.z) - (a.z < b.z);
}

// By place; the source first, then cutters in order.
static int compareKnown(const void* left, const void* right)
{
	const KnownVertex *p = left, *q = right;
	int places = comparePlaces(p->place, q->place);
	return places != 0              ? places
		   : p->cutter != q->cutter ? (p->cutter > q->cutter) - (p->cutter < q->cutter)
									: (p->index > q->index) - (p->index < q->index);
}

static int compareEdges(const void* left, const void* right)
{
	const HalfEdge *p = left, *q = right;
	return p->from != q->from ? (p->from > q->from) - (p->from < q->from)
		   : p->to != q->to   ? (p->to > q->to) - (p->to < q->to)
							  : (p->corner > q->corner) - (p->corner < q->corner);
}

static KnownVertex* listVertices(const brMesh* source, const brMesh* const* cutters, int32_t cutterCount,
								 size_t* outCount)
{
	size_t count = (size_t)source->vertexCount;
	for (int32_t c = 0; c < cutterCount; ++c)
	{
		count += (size_t)cutters[c]->vertexCount;
	}
	KnownVertex* known = malloc(count * sizeof(KnownVertex) + 1);
	*outCount = 0;
	for (int32_t c = -1; c < cutterCount && known != NULL; ++c)
	{
		const brMesh* mesh = c < 0 ? source : cutters[c];
		for (int32_t v = 0; v < mesh->vertexCount; ++v)
		{
			known[(*outCount)++] = (KnownVertex){mesh->positions[v], c, v};
		}
	}
	if (known != NULL)
	{
		qsort(known, count, sizeof(KnownVertex), compareKnown);
	}
	return known;
}

// The first known vertex at a place, or null.
static const KnownVertex* findVertex(const KnownVertex* known, size_t count, brDVec3 place)
{
	size_t low = 0, high = count;
	while (low < high)
	{
		size_t middle = low + (high - low) / 2;
		bool isBefore = comparePlaces(known[middle].place, place) < 0;
		low = isBefore ? middle + 1 : low;
		high = isBefore ? high : middle;
	}
	return low < count && comparePlaces(known[low].place, place) == 0 ? &known[low] : NULL;
}

static int32_t nextCorner(const brMesh* mesh, const PieceEdges* edges, int32_t corner)
{
	int32_t face = edges->faces[corner];
	return corner + 1 < mesh->faceStarts[face + 1] ? corner + 1 : mesh->faceStarts[face];
}

static bool openEdges(const brMesh* mesh, PieceEdges* edges)
{
	int32_t cornerCount = mesh->faceStarts[mesh->faceCount];
	size_t room = (size_t)cornerCount + 1;
	*edges = (PieceEdges){malloc(room * sizeof(HalfEdge)), malloc(room * sizeof(int32_t)),
						  malloc(room * sizeof(int32_t)), calloc(room, sizeof(bool))};
	if (edges->sorted == NULL || edges->twins == NULL || edges->faces == NULL || edges->isUsed == NULL)
	{
		return false;
	}
	for (int32_t f = 0; f < mesh->faceCount; ++f)
	{
		for (int32_t c = mesh->faceStarts[f]; c < mesh->faceStarts[f + 1]; ++c)
		{
			edges->faces[c] = f;
			edges->twins[c] = -1;
		}
	}
	for (int32_t c = 0; c < cornerCount; ++c)
	{
		edges->sorted[c] = (HalfEdge){mesh->corners[c], mesh->corners[nextCorner(mesh, edges, c)], c};
	}
	qsort(edges->sorted, (size_t)cornerCount, sizeof(HalfEdge), compareEdges);
	// Where an edge is there more than once, the first way goes with the first back.
	for (int32_t i = 0; i < cornerCount; ++i)
	{
		const HalfEdge* edge = &edges->sorted[i];
		HalfEdge back = {edge->to, edge->from, -1};
		int32_t low = 0, high = cornerCount;
		while (low < high)
		{
			int32_t middle = low + (high - low) / 2;
			bool isBefore = compareEdges(&edges->sorted[middle], &back) < 0;
			low = isBefore ? middle + 1 : low;
			high = isBefore ? high : middle;
		}
		int32_t same = i;
		while (same > 0 && edges->sorted[same - 1].from == edge->from && edges->sorted[same - 1].to == edge->to)
		{
			same -= 1;
		}
		int32_t at = low + (i - same);
		bool isThere = at < cornerCount && edges->sorted[at].from == back.from && edges->sorted[at].to == back.to;
		edges->twins[edge->corner] = isThere ? edges->sorted[at].corner : -1;
	}
	return true;
}

static void closeEdges(PieceEdges* edges)
{
	free(edges->sorted);
	free(edges->twins);
	free(edges->faces);
	free(edges->isUsed);
}

// Whether a half-edge is of a cap with a face of the source on its other side.
static bool isSeam(const brCutPiece* piece, const PieceEdges* edges, int32_t corner)
{
	int32_t twin = edges->twins[corner];
	return twin >= 0 && piece->faceKinds[edges->faces[corner]] != br_faceSource &&
		   piece->faceKinds[edges->faces[twin]] == br_faceSource;
}

// The next half-edge of the seam: around the vertex through caps, until a face of the source is on the other side. -1:
// the seam ends at a border.
static int32_t nextOnSeam(const brCutPiece* piece, const PieceEdges* edges, int32_t corner)
{
	int32_t cornerCount = piece->mesh->faceStarts[piece->mesh->faceCount];
	int32_t at = nextCorner(piece->mesh, edges, corner);
	for (int32_t turns = 0; at >= 0 && turns < cornerCount; ++turns)
	{
		if (isSeam(piece, edges, at))
		{
			return at;
		}
		int32_t twin = edges->twins[at];
		at = twin >= 0 ? nextCorner(piece->mesh, edges, twin) : -1;
	}
	return -1;
}

// Loops of vertices around the caps of a piece, each once.
static void writeSeams(FILE* file, const brCutPiece* piece, PieceEdges* edges)
{
	int32_t cornerCount = piece->mesh->faceStarts[piece->mesh->faceCount];
	bool isFirst = true;
	for (int32_t c = 0; c < cornerCount; ++c)
	{
		if (edges->isUsed[c] || !isSeam(piece, edges, c))
		{
			continue;
		}
		fputs(isFirst ? "[" : ",[", file);
		isFirst = false;
		bool isStart = true;
		for (int32_t at = c; at >= 0 && !edges->isUsed[at]; at = nextOnSeam(piece, edges, at))
		{
			edges->isUsed[at] = true;
			fprintf(file, "%s%d", isStart ? "" : ",", piece->mesh->corners[at]);
			isStart = false;
		}
		fputs("]", file);
	}
}

static bool writePiece(FILE* file, const brCutPiece* piece, const KnownVertex* known, size_t knownCount)
{
	static const char* const kinds[] = {"source", "cap_positive", "cap_negative"}; // as brCutFaceKind
	fprintf(file, "{\"side\":%d,\"closed\":%s,\"faces\":[", piece->side, piece->isClosed ? "true" : "false");
	for (int32_t f = 0; f < piece->mesh->faceCount; ++f)
	{
		fprintf(file, "%s[\"%s\",%d,%d]", f > 0 ? "," : "", kinds[piece->faceKinds[f]], piece->faceCutters[f],
				piece->faceParents[f]);
	}
	fputs("],\"vertices\":[", file);
	for (int32_t v = 0; v < piece->mesh->vertexCount; ++v)
	{
		const KnownVertex* who = findVertex(known, knownCount, piece->mesh->positions[v]);
		const char* kind = who == NULL ? "new" : who->cutter < 0 ? "source" : "cutter";
		fprintf(file, "%s[\"%s\",%d,%d]", v > 0 ? "," : "", kind, who != NULL ? who->cutter : -1,
				who != NULL ? who->index : -1);
	}
	fputs("],\"seams\":[", file);
	PieceEdges edges;
	bool isGood = openEdges(piece->mesh, &edges);
	if (isGood)
	{
		writeSeams(file, piece, &edges);
	}
	closeEdges(&edges);
	fputs("]}", file);
	return isGood;
}

bool saveCutMap(const char* path, const brCutResult* cut, const brMesh* source, const brMesh* const* cutters,
				int32_t cutterCount, brReport* report)
{
	size_t knownCount = 0;
	KnownVertex* known = listVertices(source, cutters, cutterCount, &knownCount);
	Aside aside;
	bool isOpen = openAside(&aside, path), isGood = isOpen && known != NULL;
	for (int32_t i = 0; isGood && i < cut->pieceCount; ++i)
	{
		fputs(i == 0 ? "{\"pieces\":[\n" : ",\n", aside.file);
		isGood = writePiece(aside.file, &cut->pieces[i], known, knownCount);
	}
	free(known);
	if (isOpen)
	{
		fputs(cut->pieceCount > 0 ? "]}\n" : "{\"pieces\":[]}\n", aside.file);
		isGood = finishAside(&aside, isGood && ferror(aside.file) == 0) && isGood;
	}
	if (!isGood)
	{
		snprintf(report->text, sizeof(report->text), "%.300s cannot be written (%s)", path, strerror(errno));
	}
	return isGood;
}

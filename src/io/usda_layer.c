// SPDX-License-Identifier: MIT

// USD text as a tree of prims. One pass over the file finds prims, fields and where values begin and end; values are
// passed over by their brackets and read when they are needed. Of a variant set the chosen variant is part of the prim.
// References to other files are counted, not followed.

#include "io/usda_layer.h"
#include "io/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

// Prims below prims; a file that nests deeper is no scene.
#define USDA_MOST_DEPTH 200
// Brackets inside brackets of one value.
#define USDA_MOST_BRACKETS 64

typedef struct UsdaParser
{
	brUsdaLayer* layer;
	const char* at;
	const char* end;
	brResult result; // the first failure; later calls do nothing
} UsdaParser;

brResult brUsda_Fail(const brUsdaLayer* layer, const char* at, const char* format, ...)
{
	char text[300];
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	int64_t line = 1;
	for (const char* c = (const char*)layer->job->bytes; c < at; ++c)
	{
		line += *c == '\n';
	}
	return brFailLine(layer->job, line, "%s", text);
}

// Small texts

bool brUsdaText_Is(brUsdaText text, const char* word)
{
	return text.at != NULL && strlen(word) == text.length && memcmp(text.at, word, text.length) == 0;
}

void brUsdaText_Copy(brUsdaText text, char* target, size_t capacity)
{
	memset(target, 0, capacity);
	size_t length = text.length < capacity - 1 ? text.length : capacity - 1;
	while (length < text.length && length > 0 && ((unsigned char)text.at[length] & 0xC0) == 0x80)
	{
		length -= 1; // not inside a character
	}
	for (size_t i = 0; i < length && text.at[i] != 0; ++i)
	{
		target[i] = text.at[i];
	}
}

brUsdaText brUsdaText_Unquote(brUsdaText text)
{
	if (text.at == NULL || text.length < 2)
	{
		return (brUsdaText){0};
	}
	char open = text.at[0], close = open == '<' ? '>' : open;
	if (open != '<' && open != '"' && open != '\'' && open != '@')
	{
		return (brUsdaText){0};
	}
	bool isLong = open != '<' && text.length >= 6 && text.at[1] == open && text.at[2] == open;
	size_t fence = isLong ? 3 : 1;
	const char* from = text.at + fence;
	const char* to = from;
	const char* end = text.at + text.length;
	while (to < end && *to != close)
	{
		to += *to == '\\' && open != '@' && open != '<' && to + 1 < end ? 2 : 1;
	}
	return (brUsdaText){from, (size_t)(to - from)};
}

void brUsdaPrim_CopyName(const brUsdaPrim* prim, char* target, size_t capacity)
{
	if (prim->displayName.at == NULL)
	{
		brUsdaText_Copy(prim->name, target, capacity);
		return;
	}
	brUsdaText_Copy(prim->displayName, target, capacity);
	char* to = target;
	for (const char* from = target; *from != 0; ++from)
	{
		from += *from == '\\' && from[1] != 0;
		*to++ = *from;
	}
	memset(to, 0, (size_t)(target + capacity - to));
}

// Scanning

static bool usdaIsWordChar(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == ':' ||
		   c == '.' || c == '[' || c == ']' || c == '!' || (unsigned char)c >= 0x80;
}

// White space, separators and comments.
const char* brUsda_SkipSpace(const char* at, const char* end)
{
	while (at < end)
	{
		if ((unsigned char)*at <= ' ' || *at == ';')
		{
			at += 1;
		}
		else if (*at == '#' || (*at == '/' && at[1] == '/'))
		{
			while (at < end && *at != '\n' && *at != '\r')
			{
				at += 1;
			}
		}
		else if (*at == '/' && at[1] == '*')
		{
			at += 2;
			while (at < end && !(at[0] == '*' && at[1] == '/'))
			{
				at += 1;
			}
			at = at < end ? at + 2 : end;
		}
		else
		{
			break;
		}
	}
	return at;
}

// Past a string, an asset or a path. The end of the text if it does not close.
const char* brUsda_SkipQuoted(const char* at, const char* end)
{
	char open = *at, close = open == '<' ? '>' : open;
	size_t fence = open != '<' && at[1] == open && at[2] == open ? 3 : 1;
	at += fence;
	while (at < end)
	{
		if (*at == '\\' && open != '@' && open != '<' && at + 1 < end)
		{
			at += 2;
			continue;
		}
		if (*at == close && (fence == 1 || (at[1] == close && at[2] == close)))
		{
			return at + fence;
		}
		at += 1;
	}
	return end;
}

bool brUsda_IsQuote(char c)
{
	return c == '"' || c == '\'' || c == '@' || c == '<';
}

// Past one value: a quoted text, something in brackets, or a word. Null if the brackets do not close.
const char* brUsda_SkipValue(const char* at, const char* end)
{
	if (brUsda_IsQuote(*at))
	{
		const char* after = brUsda_SkipQuoted(at, end);
		return *at == '@' && *after == '<' ? brUsda_SkipQuoted(after, end) : after;
	}
	if (*at != '(' && *at != '[' && *at != '{')
	{
		while (at < end && (usdaIsWordChar(*at) || *at == '-' || *at == '+') && *at != ']')
		{
			at += 1;
		}
		return at;
	}
	char closers[USDA_MOST_BRACKETS];
	int32_t depth = 0;
	while (at < end)
	{
		char c = *at;
		if (brUsda_IsQuote(c))
		{
			at = brUsda_SkipQuoted(at, end);
			continue;
		}
		if (c == '#')
		{
			at = brUsda_SkipSpace(at, end);
			continue;
		}
		at += 1;
		if (c == '(' || c == '[' || c == '{')
		{
			if (depth == USDA_MOST_BRACKETS)
			{
				return NULL;
			}
			closers[depth++] = (char)(c == '(' ? ')' : c + 2);
		}
		else if (c == ')' || c == ']' || c == '}')
		{
			if (closers[--depth] != c)
			{
				return NULL;
			}
			if (depth == 0)
			{
				return at;
			}
		}
	}
	return NULL;
}

static char usdaPeek(UsdaParser* p)
{
	p->at = brUsda_SkipSpace(p->at, p->end);
	return p->at < p->end ? *p->at : 0;
}

static bool usdaFail(UsdaParser* p, const char* sentence)
{
	if (p->result >= 0)
	{
		p->result = brUsda_Fail(p->layer, p->at, "%s", sentence);
	}
	return false;
}

static bool usdaFailMemory(UsdaParser* p)
{
	p->result = p->result < 0 ? p->result : brFailMemory(p->layer->job->report);
	return false;
}

static bool usdaTakeValue(UsdaParser* p, brUsdaText* out)
{
	usdaPeek(p);
	const char* after = p->at < p->end ? brUsda_SkipValue(p->at, p->end) : NULL;
	if (after == NULL || after == p->at)
	{
		return usdaFail(p, after == NULL ? "a value does not end" : "a value is expected");
	}
	*out = (brUsdaText){p->at, (size_t)(after - p->at)};
	p->at = after;
	return true;
}

// Words on one line; the last two of them. How many there were.
static int32_t usdaTakeWords(UsdaParser* p, brUsdaText* outBefore, brUsdaText* outLast)
{
	int32_t count = 0;
	for (;;)
	{
		while (p->at < p->end && (*p->at == ' ' || *p->at == '\t'))
		{
			p->at += 1;
		}
		const char* from = p->at;
		while (p->at < p->end && usdaIsWordChar(*p->at))
		{
			p->at += 1;
		}
		if (p->at == from)
		{
			return count;
		}
		*outBefore = *outLast;
		*outLast = (brUsdaText){from, (size_t)(p->at - from)};
		count += 1;
	}
}

// The next "key = value" inside the parentheses of metadata; false behind the closing one, or after a failure.
static bool usdaNextEntry(UsdaParser* p, brUsdaText* outKey, brUsdaText* outValue)
{
	for (;;)
	{
		char c = usdaPeek(p);
		if (c == ')' || c == 0)
		{
			p->at += c == ')';
			return c == ')' ? false : usdaFail(p, "the file ends inside parentheses");
		}
		brUsdaText word = {0};
		if (brUsda_IsQuote(c))
		{
			if (!usdaTakeValue(p, &word)) // a comment
			{
				return false;
			}
			continue;
		}
		brUsdaText before = {0};
		*outKey = (brUsdaText){0};
		if (usdaTakeWords(p, &before, outKey) == 0)
		{
			return usdaFail(p, "a key is expected");
		}
		if (usdaPeek(p) == '=')
		{
			p->at += 1;
			return usdaTakeValue(p, outValue);
		}
	}
}

// Prims and fields

static int32_t usdaAddPrim(UsdaParser* p, brUsdaPrim prim)
{
	brUsdaLayer* layer = p->layer;
	int32_t number = layer->prims.count;
	prim.firstChild = prim.lastChild = prim.next = prim.firstField = prim.lastField = prim.firstArc = prim.lastArc = -1;
	if (!BR_PUSH(&layer->job->allocator, &layer->prims, prim))
	{
		usdaFailMemory(p);
		return -1;
	}
	int32_t* first = prim.parent >= 0 ? &layer->prims.data[prim.parent].firstChild : &layer->firstRoot;
	int32_t* last = prim.parent >= 0 ? &layer->prims.data[prim.parent].lastChild : &layer->lastRoot;
	*(*last >= 0 ? &layer->prims.data[*last].next : first) = number;
	*last = number;
	return number;
}

static bool usdaAddArcs(UsdaParser* p, int32_t prim, brUsdaText value)
{
	brUsdaLayer* layer = p->layer;
	const char* end = value.at + value.length;
	for (const char* at = value.at; at < end;)
	{
		if (!brUsda_IsQuote(*at))
		{
			at += 1;
			continue;
		}
		const char* after = brUsda_SkipQuoted(at, end);
		bool isOutside = *at == '@' && after - at > 2;
		if (*at == '<' || (*at == '@' && !isOutside && after < end && *after == '<'))
		{
			at = *at == '@' ? after : at;
			after = brUsda_SkipQuoted(at, end);
			int32_t number = layer->arcs.count;
			brUsdaArc arc = {brUsdaText_Unquote((brUsdaText){at, (size_t)(after - at)}), -1};
			if (!BR_PUSH(&layer->job->allocator, &layer->arcs, arc))
			{
				return usdaFailMemory(p);
			}
			brUsdaPrim* owner = &layer->prims.data[prim];
			*(owner->lastArc >= 0 ? &layer->arcs.data[owner->lastArc].next : &owner->firstArc) = number;
			owner->lastArc = number;
		}
		else if (isOutside)
		{
			layer->outsideArcs += 1;
			after = after < end && *after == '<' ? brUsda_SkipQuoted(after, end) : after;
		}
		at = after;
	}
	return true;
}

// Metadata of a prim. `outVariants` is the dictionary of chosen variants.
static bool usdaParsePrimData(UsdaParser* p, int32_t prim, brUsdaText* outVariants)
{
	brUsdaText key, value;
	p->at += 1;
	while (usdaNextEntry(p, &key, &value))
	{
		bool isArc = brUsdaText_Is(key, "references") || brUsdaText_Is(key, "inherits") ||
					 brUsdaText_Is(key, "payload") || brUsdaText_Is(key, "specializes");
		if (isArc && !usdaAddArcs(p, prim, value))
		{
			return false;
		}
		if (brUsdaText_Is(key, "active") && brUsdaText_Is(value, "false"))
		{
			p->layer->prims.data[prim].isOff = true;
		}
		if (brUsdaText_Is(key, "displayName"))
		{
			p->layer->prims.data[prim].displayName = brUsdaText_Unquote(value);
		}
		*outVariants = brUsdaText_Is(key, "variants") ? value : *outVariants;
	}
	return p->result >= 0;
}

static bool usdaParseField(UsdaParser* p, int32_t prim)
{
	brUsdaLayer* layer = p->layer;
	brUsdaField field = {.kind = br_usdaValue, .next = -1};
	usdaPeek(p);
	if (usdaTakeWords(p, &field.type, &field.name) == 0)
	{
		return usdaFail(p, "a prim or a property is expected");
	}
	static const struct
	{
		const char* ending;
		brUsdaFieldKind kind;
	} endings[] = {{".timeSamples", br_usdaSamples}, {".connect", br_usdaConnection}};
	for (int32_t i = 0; i < BR_COUNT(endings); ++i)
	{
		size_t length = strlen(endings[i].ending);
		if (field.name.length > length &&
			memcmp(field.name.at + field.name.length - length, endings[i].ending, length) == 0)
		{
			field.name.length -= length;
			field.kind = endings[i].kind;
		}
	}
	const char* before = p->at;
	if (usdaPeek(p) == '=')
	{
		p->at += 1;
		if (!usdaTakeValue(p, &field.value))
		{
			return false;
		}
		before = p->at;
	}
	if (usdaPeek(p) == '(')
	{
		brUsdaText key, value;
		p->at += 1;
		while (usdaNextEntry(p, &key, &value))
		{
			field.interpolation = brUsdaText_Is(key, "interpolation") ? brUsdaText_Unquote(value) : field.interpolation;
		}
	}
	else
	{
		p->at = before;
	}
	if (field.value.at == NULL || brUsdaText_Is(field.value, "None") || p->result < 0)
	{
		return p->result >= 0;
	}
	int32_t number = layer->fields.count;
	if (!BR_PUSH(&layer->job->allocator, &layer->fields, field))
	{
		return usdaFailMemory(p);
	}
	brUsdaPrim* owner = &layer->prims.data[prim];
	*(owner->lastField >= 0 ? &layer->fields.data[owner->lastField].next : &owner->firstField) = number;
	owner->lastField = number;
	return true;
}

static bool usdaParseBody(UsdaParser* p, int32_t prim, brUsdaText variants, int32_t depth);

static bool usdaStartsWith(UsdaParser* p, const char* word)
{
	size_t length = strlen(word);
	bool isIt = (size_t)(p->end - p->at) > length && memcmp(p->at, word, length) == 0 && !usdaIsWordChar(p->at[length]);
	p->at += isIt ? length : 0;
	return isIt;
}

// The variant of a set that a dictionary {string set = "variant"} chooses.
static brUsdaText usdaChosen(UsdaParser* p, brUsdaText variants, brUsdaText set)
{
	if (variants.at == NULL)
	{
		return (brUsdaText){0};
	}
	UsdaParser inner = {p->layer, variants.at + 1, variants.at + variants.length, br_success};
	while (inner.at < inner.end)
	{
		brUsdaText type = {0}, name = {0};
		inner.at = brUsda_SkipSpace(inner.at, inner.end);
		const char* from = inner.at;
		usdaTakeWords(&inner, &type, &name);
		inner.at = brUsda_SkipSpace(inner.at, inner.end);
		inner.at += inner.at < inner.end && (*inner.at == '=' || inner.at == from);
		inner.at = brUsda_SkipSpace(inner.at, inner.end);
		if (inner.at < inner.end && *inner.at == '"')
		{
			const char* after = brUsda_SkipQuoted(inner.at, inner.end);
			brUsdaText value = brUsdaText_Unquote((brUsdaText){inner.at, (size_t)(after - inner.at)});
			if (name.at != NULL && name.length == set.length && memcmp(name.at, set.at, set.length) == 0)
			{
				return value;
			}
			inner.at = after;
		}
	}
	return (brUsdaText){0};
}

// variantSet "name" = { "variant" (...) { ... } ... }
static bool usdaParseVariants(UsdaParser* p, int32_t prim, brUsdaText variants, int32_t depth)
{
	brUsdaText set, name, block;
	usdaPeek(p);
	if (!usdaTakeValue(p, &set) || usdaPeek(p) != '=')
	{
		return usdaFail(p, "a variant set needs a name and '='");
	}
	p->at += 1;
	if (usdaPeek(p) != '{')
	{
		return usdaFail(p, "a variant set needs a block");
	}
	p->at += 1;
	brUsdaText chosen = usdaChosen(p, variants, brUsdaText_Unquote(set));
	while (usdaPeek(p) != '}')
	{
		brUsdaText inner = {0};
		if (!usdaTakeValue(p, &name))
		{
			return false;
		}
		if (usdaPeek(p) == '(' && !usdaTakeValue(p, &inner))
		{
			return false;
		}
		if (usdaPeek(p) != '{')
		{
			return usdaFail(p, "a variant needs a block");
		}
		brUsdaText own = brUsdaText_Unquote(name);
		bool isChosen =
			chosen.at != NULL && own.length == chosen.length && memcmp(own.at, chosen.at, chosen.length) == 0;
		p->at += isChosen;
		if (isChosen ? !usdaParseBody(p, prim, variants, depth + 1) : !usdaTakeValue(p, &block))
		{
			return false;
		}
	}
	p->at += 1;
	return true;
}

// Behind "def", "over" or "class".
static bool usdaParsePrim(UsdaParser* p, int32_t parent, brUsdaPrim prim, int32_t depth)
{
	brUsdaText before = {0}, name, variants = {0};
	usdaTakeWords(p, &before, &prim.type);
	if ((usdaPeek(p) != '"' && *p->at != '\'') || !usdaTakeValue(p, &name))
	{
		return usdaFail(p, "a prim needs a name in quotes");
	}
	prim.name = brUsdaText_Unquote(name);
	prim.parent = parent;
	int32_t number = usdaAddPrim(p, prim);
	if (number < 0 || (usdaPeek(p) == '(' && !usdaParsePrimData(p, number, &variants)))
	{
		return false;
	}
	if (usdaPeek(p) != '{')
	{
		return usdaFail(p, "a prim needs a block in braces");
	}
	p->at += 1;
	return usdaParseBody(p, number, variants, depth + 1);
}

// Up to the closing brace, or to the end of the file at the top.
static bool usdaParseBody(UsdaParser* p, int32_t prim, brUsdaText variants, int32_t depth)
{
	if (depth > USDA_MOST_DEPTH)
	{
		return usdaFail(p, "prims nest too deep");
	}
	for (;;)
	{
		char c = usdaPeek(p);
		if (c == 0)
		{
			return prim < 0 || usdaFail(p, "the file ends inside a prim");
		}
		if (c == '}')
		{
			p->at += 1;
			return prim >= 0 || usdaFail(p, "a brace closes nothing");
		}
		brUsdaPrim fresh = {0};
		bool isGood;
		if (usdaStartsWith(p, "def"))
		{
			isGood = usdaParsePrim(p, prim, fresh, depth);
		}
		else if (usdaStartsWith(p, "over"))
		{
			fresh.isOver = true;
			isGood = usdaParsePrim(p, prim, fresh, depth);
		}
		else if (usdaStartsWith(p, "class"))
		{
			fresh.isClass = true;
			isGood = usdaParsePrim(p, prim, fresh, depth);
		}
		else if (prim >= 0 && usdaStartsWith(p, "variantSet"))
		{
			isGood = usdaParseVariants(p, prim, variants, depth);
		}
		else if (prim < 0)
		{
			brUsdaText type = {0}, name = {0}; // reorder rootPrims = [...]
			isGood = usdaTakeWords(p, &type, &name) > 0 && usdaPeek(p) == '=';
			p->at += isGood;
			isGood = isGood ? usdaTakeValue(p, &name) : usdaFail(p, "a prim is expected");
		}
		else
		{
			isGood = usdaParseField(p, prim);
		}
		if (!isGood || p->result < 0)
		{
			return false;
		}
	}
}

static void usdaParseLayerData(UsdaParser* p)
{
	brUsdaText key, value;
	double frames = 0.0, number;
	p->at += 1;
	while (usdaNextEntry(p, &key, &value))
	{
		p->layer->subLayers = brUsdaText_Is(key, "subLayers") ? value : p->layer->subLayers;
		if (brUsda_Tuple(p->layer, value, &number, 1) != 1 || !(number > 0.0 && number < 1e9))
		{
			continue;
		}
		p->layer->metersPerUnit = brUsdaText_Is(key, "metersPerUnit") ? number : p->layer->metersPerUnit;
		p->layer->timeCodesPerSecond = brUsdaText_Is(key, "timeCodesPerSecond") ? number : p->layer->timeCodesPerSecond;
		frames = brUsdaText_Is(key, "framesPerSecond") ? number : frames;
	}
	if (p->layer->timeCodesPerSecond == 0.0)
	{
		p->layer->timeCodesPerSecond = frames > 0.0 ? frames : 24.0;
	}
}

// Prims by name

static uint64_t usdaHash(int32_t parent, brUsdaText name)
{
	uint64_t hash = 0xcbf29ce484222325u ^ (uint64_t)(parent + 1) * 0x9E3779B97F4A7C15u;
	for (size_t i = 0; i < name.length; ++i)
	{
		hash = (hash ^ (unsigned char)name.at[i]) * 0x100000001b3u;
	}
	return hash ^ hash >> 29;
}

static bool usdaMakeTable(brUsdaLayer* layer)
{
	brSlots* slots = &layer->slots;
	if (!brSlots_Init(slots, &layer->job->allocator, layer->prims.count))
	{
		return false;
	}
	for (int32_t i = 0; i < layer->prims.count; ++i)
	{
		const brUsdaPrim* prim = &layer->prims.data[i];
		if (brUsda_FindChild(layer, prim->parent, prim->name) >= 0)
		{
			continue; // the first of that name counts
		}
		int64_t slot = brSlots_First(slots, usdaHash(prim->parent, prim->name));
		while (slots->values[slot] >= 0)
		{
			slot = brSlots_Next(slots, slot);
		}
		slots->values[slot] = i;
	}
	return true;
}

int32_t brUsda_FindChild(const brUsdaLayer* layer, int32_t parent, brUsdaText name)
{
	const brSlots* slots = &layer->slots;
	int64_t slot = brSlots_First(slots, usdaHash(parent, name));
	for (; slots->values[slot] >= 0; slot = brSlots_Next(slots, slot))
	{
		const brUsdaPrim* prim = &layer->prims.data[slots->values[slot]];
		if (prim->parent == parent && prim->name.length == name.length &&
			memcmp(prim->name.at, name.at, name.length) == 0)
		{
			return slots->values[slot];
		}
	}
	return -1;
}

int32_t brUsda_FindPath(const brUsdaLayer* layer, brUsdaText path)
{
	int32_t prim = -1;
	const char* end = path.at != NULL ? path.at + path.length : NULL;
	for (const char* at = path.at; at != NULL && at < end && *at == '/';)
	{
		const char* from = ++at;
		while (at < end && *at != '/' && *at != '.')
		{
			at += 1;
		}
		prim = brUsda_FindChild(layer, prim, (brUsdaText){from, (size_t)(at - from)});
		if (prim < 0)
		{
			return -1;
		}
	}
	return prim;
}

static uint32_t usdaLittle(const uint8_t* bytes, int32_t count)
{
	uint32_t value = 0;
	for (int32_t i = count - 1; i >= 0; --i)
	{
		value = value << 8 | bytes[i];
	}
	return value;
}

// The first file of a package (.usdz), which is its root: stored, never compressed. Null if it is no text.
static const char* usdaOfPackage(const uint8_t* bytes, size_t byteCount, size_t* outCount)
{
	uint32_t method = usdaLittle(bytes + 8, 2), size = usdaLittle(bytes + 18, 4);
	size_t start = 30 + (size_t)usdaLittle(bytes + 26, 2) + usdaLittle(bytes + 28, 2);
	if (method != 0 || start > byteCount || size > byteCount - start)
	{
		return NULL;
	}
	*outCount = size;
	return (const char*)bytes + start;
}

brResult brUsda_Open(brUsdaLayer* layer, const brReadJob* job)
{
	*layer = (brUsdaLayer){.job = job, .firstRoot = -1, .lastRoot = -1};
	const char* text = (const char*)job->bytes;
	size_t count = job->byteCount;
	if (count >= 30 && memcmp(text, "PK\3\4", 4) == 0)
	{
		text = usdaOfPackage(job->bytes, job->byteCount, &count);
		if (text == NULL)
		{
			return brFail(job->report, br_errorFormat, "%.100s: the package is damaged or compressed", job->name);
		}
	}
	layer->end = text + count;
	if (count >= 8 && memcmp(text, "PXR-USDC", 8) == 0)
	{
		return brFail(job->report, br_errorUnsupported,
					  "%.100s: this is binary USD; save it as text (.usda), or as .glb", job->name);
	}
	if (count < 5 || memcmp(text, "#usda", 5) != 0)
	{
		return brFailLine(job, 1, "the file does not begin with #usda");
	}
	UsdaParser p = {layer, text, layer->end, br_success};
	if (usdaPeek(&p) == '(')
	{
		usdaParseLayerData(&p);
	}
	layer->timeCodesPerSecond = layer->timeCodesPerSecond > 0.0 ? layer->timeCodesPerSecond : 24.0;
	if (p.result >= 0)
	{
		usdaParseBody(&p, -1, (brUsdaText){0}, 0);
	}
	if (p.result >= 0 && !usdaMakeTable(layer))
	{
		usdaFailMemory(&p);
	}
	return p.result;
}

void brUsda_Close(brUsdaLayer* layer)
{
	const brAllocator* allocator = &layer->job->allocator;
	BR_FREE_ARRAY(allocator, &layer->prims);
	BR_FREE_ARRAY(allocator, &layer->fields);
	BR_FREE_ARRAY(allocator, &layer->arcs);
	brSlots_Free(&layer->slots, allocator);
}

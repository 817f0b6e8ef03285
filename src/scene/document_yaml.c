// SPDX-License-Identifier: MIT

// YAML to nodes: block and flow maps and lists, every style of scalar, anchors, aliases and merges, as YAML 1.1 has
// them. Depth is bounded, and so is what aliases unfold into. Keys are scalars, a file has one document, tags and
// directives are passed over.

#include "scene/document.h"
#include "scene/yaml_text.h"

#include <string.h>

// A list or map that is still open.
typedef struct YamlOpen
{
	brDocNode* node;
	int32_t firstChild; // into the parser's list of children
	const char* anchor; // or null
} YamlOpen;

typedef struct YamlAnchor
{
	const char* name;
	brDocNode* node;
} YamlAnchor;

typedef struct YamlJob
{
	brDocument* document;
	brReport* report; // not null
	int32_t file;
	brYamlText text;
	YamlOpen open[BR_DOC_MAX_DEPTH];
	int32_t depth;
	BR_ARRAY(brDocNode*) children; // of all open nodes, innermost last
	BR_ARRAY(YamlAnchor) anchors;
	brDocNode* root;
	const char* mapAnchor; // of the block map that begins next, or null
	int32_t keyColumn;     // where properties in front of its first key begin, or -1
} YamlJob;

static brResult yamlRemember(YamlJob* job, const char* anchor, brDocNode* node)
{
	bool done = anchor == NULL || BR_PUSH(&job->document->allocator, &job->anchors, (YamlAnchor){anchor, node});
	return done ? br_success : brFailMemory(job->report);
}

// A complete node goes to the list or map that is open, or is the root.
static brResult yamlDeliver(YamlJob* job, brDocNode* node)
{
	if (job->depth == 0)
	{
		if (job->root != NULL)
		{
			return brDoc_Fail(job->document, node, job->report, "a scene is one YAML document, here begins another");
		}
		job->root = node;
		return br_success;
	}
	const YamlOpen* open = &job->open[job->depth - 1];
	bool isKey = open->node->kind == br_docMap && (job->children.count - open->firstChild) % 2 == 0;
	if (isKey && node->kind != br_docScalar)
	{
		return brDoc_Fail(job->document, node, job->report, "a key is a word, not a list or a map");
	}
	if (!isKey && open->node->kind == br_docMap && node->kind != br_docMap &&
		strcmp(job->children.data[job->children.count - 1]->text, "<<") == 0)
	{
		return brDoc_Fail(job->document, node, job->report, "what is merged with << is a map");
	}
	open->node->weight += node->weight;
	if (open->node->weight > BR_DOC_MAX_WEIGHT)
	{
		return brDoc_Fail(job->document, node, job->report, "the file unfolds into more than %d values",
						  BR_DOC_MAX_WEIGHT);
	}
	return BR_PUSH(&job->document->allocator, &job->children, node) ? br_success : brFailMemory(job->report);
}

static brResult yamlOpen(YamlJob* job, brDocKind kind, int32_t line, const char* anchor)
{
	brDocNode* node = brDoc_MakeNode(job->document, kind, job->file, line);
	if (node == NULL)
	{
		return brFailMemory(job->report);
	}
	if (job->depth == BR_DOC_MAX_DEPTH)
	{
		return brDoc_Fail(job->document, node, job->report, "lists and maps are nested deeper than %d",
						  BR_DOC_MAX_DEPTH);
	}
	job->open[job->depth++] = (YamlOpen){node, job->children.count, anchor};
	return br_success;
}

static brResult yamlClose(YamlJob* job)
{
	YamlOpen open = job->open[--job->depth];
	int32_t count = job->children.count - open.firstChild;
	open.node->count = open.node->kind == br_docMap ? count / 2 : count;
	open.node->children = brArena_AllocArray(&job->document->arena, count, sizeof(brDocNode*));
	if (open.node->children == NULL)
	{
		return brFailMemory(job->report);
	}
	if (count > 0)
	{
		memcpy(open.node->children, job->children.data + open.firstChild, (size_t)count * sizeof(brDocNode*));
	}
	job->children.count = open.firstChild;
	brResult result = yamlRemember(job, open.anchor, open.node);
	return result < 0 ? result : yamlDeliver(job, open.node);
}

// The scalar in `scratch`.
static brResult yamlScalar(YamlJob* job, int32_t line, bool isPlain, const char* anchor)
{
	brDocNode* node = brDoc_MakeNode(job->document, br_docScalar, job->file, line);
	const char* text =
		node != NULL ? brDoc_CopyText(job->document, job->text.scratch.data, (size_t)job->text.scratch.count) : NULL;
	if (text == NULL)
	{
		return brFailMemory(job->report);
	}
	node->text = text;
	node->isPlain = isPlain;
	brResult result = yamlRemember(job, anchor, node);
	return result < 0 ? result : yamlDeliver(job, node);
}

// Nothing where a value could be.
static brResult yamlEmpty(YamlJob* job, int32_t line, const char* anchor)
{
	brDocNode* node = brDoc_MakeNode(job->document, br_docScalar, job->file, line);
	if (node == NULL)
	{
		return brFailMemory(job->report);
	}
	node->text = "";
	node->isPlain = true;
	brResult result = yamlRemember(job, anchor, node);
	return result < 0 ? result : yamlDeliver(job, node);
}

// The name behind & or *, or null with a sentence.
static const char* yamlName(YamlJob* job)
{
	const char* start = ++job->text.at;
	while (!brYaml_IsGap(*job->text.at) && !brYaml_IsFlowMark(*job->text.at))
	{
		job->text.at += 1;
	}
	if (job->text.at == start)
	{
		brYaml_Fail(&job->text, "& and * are followed by a name");
		return NULL;
	}
	const char* name = brDoc_CopyText(job->document, start, (size_t)(job->text.at - start));
	if (name == NULL)
	{
		brFailMemory(job->report);
	}
	return name;
}

static brResult yamlFailed(const YamlJob* job)
{
	return job->report->code;
}

static brResult yamlAlias(YamlJob* job)
{
	int32_t line = job->text.line;
	const char* name = yamlName(job);
	if (name == NULL)
	{
		return yamlFailed(job);
	}
	// Of two anchors with one name the later counts. Only complete nodes are in the list, so there are no cycles.
	for (int32_t i = job->anchors.count - 1; i >= 0; --i)
	{
		if (strcmp(job->anchors.data[i].name, name) == 0)
		{
			return yamlDeliver(job, job->anchors.data[i].node);
		}
	}
	brDocNode place = {.file = job->file, .line = line};
	return brDoc_Fail(job->document, &place, job->report, "*%s names no complete value above", name);
}

// An anchor and a tag in front of a value, in any order, with the gaps behind them. Tags say nothing to us.
static brResult yamlProperties(YamlJob* job, const char** outAnchor, bool* outIsNewLine)
{
	while (*job->text.at == '&' || *job->text.at == '!')
	{
		if (*job->text.at == '!')
		{
			job->text.at += strcspn(job->text.at, " \t\n");
		}
		else if (*outAnchor != NULL)
		{
			return brYaml_Fail(&job->text, "a value has two anchors");
		}
		else if ((*outAnchor = yamlName(job)) == NULL)
		{
			return yamlFailed(job);
		}
		if (!brYaml_IsGap(*job->text.at) && !brYaml_IsFlowMark(*job->text.at))
		{
			return brYaml_Fail(&job->text, "a blank is missing");
		}
		*outIsNewLine = brYaml_SkipGaps(&job->text) || *outIsNewLine;
	}
	return br_success;
}

// Whether a plain scalar may begin so.
static bool yamlBeginsPlain(const brYamlText* text, bool isFlow)
{
	char c = text->at[0], next = text->at[1];
	if (c == '-' || c == '?' || c == ':')
	{
		return !brYaml_IsGap(next) && !(isFlow && (brYaml_IsFlowMark(next) || c != '-'));
	}
	return strchr(",[]{}#&*!|>'\"%@`", c) == NULL;
}

// A scalar of any style but block.
static brResult yamlFlatScalar(YamlJob* job, int32_t indent, bool isFlow, bool canBeKey, bool* outIsPlain)
{
	brYamlText* text = &job->text;
	*outIsPlain = *text->at != '"' && *text->at != '\'';
	if (!*outIsPlain)
	{
		return *text->at == '"' ? brYaml_DoubleQuoted(text) : brYaml_SingleQuoted(text);
	}
	if (!yamlBeginsPlain(text, isFlow))
	{
		return brYaml_Fail(text, *text->at == 0 ? "a value is missing" : "no value begins with this character");
	}
	return brYaml_Plain(text, indent, isFlow, canBeKey);
}

static brResult yamlFlowNode(YamlJob* job);

// The part of a pair behind its key: a colon with a value, or nothing.
static brResult yamlFlowValue(YamlJob* job)
{
	brYaml_SkipGaps(&job->text);
	if (*job->text.at != ':')
	{
		return yamlEmpty(job, job->text.line, NULL);
	}
	job->text.at += 1;
	brYaml_SkipGaps(&job->text);
	bool isEmpty = *job->text.at == ',' || *job->text.at == '}' || *job->text.at == ']';
	return isEmpty ? yamlEmpty(job, job->text.line, NULL) : yamlFlowNode(job);
}

// A list item that is a key makes a map of one pair: [a: 1]. The key was delivered already; it moves into the map.
static brResult yamlFlowSinglePair(YamlJob* job, int32_t line)
{
	brDocNode* key = job->children.data[--job->children.count];
	job->open[job->depth - 1].node->weight -= key->weight;
	brResult result = yamlOpen(job, br_docMap, line, NULL);
	result = result < 0 ? result : yamlDeliver(job, key);
	result = result < 0 ? result : yamlFlowValue(job);
	return result < 0 ? result : yamlClose(job);
}

static brResult yamlFlowItem(YamlJob* job, bool isMap)
{
	int32_t line = job->text.line;
	bool isNamed = *job->text.at != ':'; // {: 1} has an empty key
	brResult result = isNamed ? yamlFlowNode(job) : yamlEmpty(job, line, NULL);
	if (result < 0)
	{
		return result;
	}
	if (isMap)
	{
		return yamlFlowValue(job);
	}
	brYaml_SkipGaps(&job->text);
	return *job->text.at == ':' ? yamlFlowSinglePair(job, line) : br_success;
}

static brResult yamlFlowCollection(YamlJob* job, const char* anchor)
{
	bool isMap = *job->text.at == '{';
	char close = isMap ? '}' : ']';
	brResult result = yamlOpen(job, isMap ? br_docMap : br_docList, job->text.line, anchor);
	if (result < 0)
	{
		return result;
	}
	job->text.at += 1;
	for (brYaml_SkipGaps(&job->text); *job->text.at != close; brYaml_SkipGaps(&job->text))
	{
		if (brYaml_IsDocumentMark(&job->text) || *job->text.at == 0)
		{
			return brYaml_Fail(&job->text, isMap ? "a } is missing" : "a ] is missing");
		}
		result = yamlFlowItem(job, isMap);
		if (result < 0)
		{
			return result;
		}
		brYaml_SkipGaps(&job->text);
		if (*job->text.at != ',' && *job->text.at != close)
		{
			return brYaml_Fail(&job->text, isMap ? "a comma or } is missing" : "a comma or ] is missing");
		}
		job->text.at += *job->text.at == ',';
	}
	job->text.at += 1;
	return yamlClose(job);
}

static brResult yamlFlowNode(YamlJob* job)
{
	const char* anchor = NULL;
	bool isNewLine = false, isPlain = false;
	brResult result = yamlProperties(job, &anchor, &isNewLine);
	if (result < 0)
	{
		return result;
	}
	int32_t line = job->text.line;
	switch (*job->text.at)
	{
		case '*':
			return yamlAlias(job);
		case '[':
		case '{':
			return yamlFlowCollection(job, anchor);
		case ',':
		case ']':
		case '}':
		case ':':
			return anchor != NULL ? yamlEmpty(job, line, anchor) : brYaml_Fail(&job->text, "a value is missing");
		default:
			result = yamlFlatScalar(job, 0, true, true, &isPlain);
			return result < 0 ? result : yamlScalar(job, line, isPlain, anchor);
	}
}

// What a block value may be, by its place.
typedef struct YamlPlace
{
	int32_t indent;      // of the parent: the value is indented by more
	bool canBeBlock;     // a map or list may begin here
	bool canBeListAlong; // on a line of its own, a list may begin at the parent's own indentation
} YamlPlace;

static brResult yamlBlockNode(YamlJob* job, YamlPlace place);

// Whether "- " begins here.
static bool yamlIsDash(const brYamlText* text)
{
	return text->at[0] == '-' && brYaml_IsGap(text->at[1]);
}

// The end, or "---" and "...".
static bool yamlIsOver(const brYamlText* text)
{
	return *text->at == 0 || brYaml_IsDocumentMark(text);
}

// Moves to the next entry of a block at `column`. False if the block ends here, or with a failure.
static bool yamlNextEntry(YamlJob* job, int32_t column, brResult* result)
{
	brYamlText* text = &job->text;
	brYaml_SkipGaps(text);
	bool isNewLine = brYaml_IsFirst(text);
	int32_t at = brYaml_Column(text);
	if (yamlIsOver(text) || (at < column && isNewLine))
	{
		return false;
	}
	if (brYaml_IsTabbed(text))
	{
		*result = brYaml_Fail(text, "a tab cannot indent a line");
		return false;
	}
	if (!isNewLine || at != column)
	{
		*result = brYaml_Fail(text, isNewLine ? "this line is indented unlike those above"
											  : "something follows a value on its line");
		return false;
	}
	return true;
}

static brResult yamlBlockList(YamlJob* job, const char* anchor)
{
	int32_t column = brYaml_Column(&job->text);
	brResult result = yamlOpen(job, br_docList, job->text.line, anchor);
	do
	{
		if (result < 0 || !yamlIsDash(&job->text))
		{
			break; // at a key: the list lay along its map
		}
		job->text.at += 1;
		result = yamlBlockNode(job, (YamlPlace){column, true, false});
	} while (result >= 0 && yamlNextEntry(job, column, &result));
	return result < 0 ? result : yamlClose(job);
}

// A block map whose first key is in `scratch`, with the cursor on its colon.
static brResult yamlBlockMap(YamlJob* job, int32_t column, int32_t line, bool isPlain, const char* keyAnchor)
{
	brResult result = yamlOpen(job, br_docMap, line, job->mapAnchor);
	job->mapAnchor = NULL;
	for (bool isMore = true; isMore && result >= 0;)
	{
		result = yamlScalar(job, line, isPlain, keyAnchor);
		if (result < 0)
		{
			return result;
		}
		job->text.at += 1;
		result = yamlBlockNode(job, (YamlPlace){column, false, true});
		if (result < 0 || !yamlNextEntry(job, column, &result))
		{
			break;
		}
		// The next key.
		bool isNewLine = false;
		keyAnchor = NULL;
		result = yamlProperties(job, &keyAnchor, &isNewLine);
		if (result < 0)
		{
			return result;
		}
		line = job->text.line;
		if (yamlIsDash(&job->text) || (*job->text.at == '?' && brYaml_IsGap(job->text.at[1])) || *job->text.at == '[' ||
			*job->text.at == '{')
		{
			return brYaml_Fail(&job->text, "a key is a word");
		}
		result = yamlFlatScalar(job, INT32_MAX, false, true, &isPlain);
		if (result < 0)
		{
			return result;
		}
		job->text.at += strspn(job->text.at, " \t");
		if (*job->text.at != ':' || !brYaml_IsGap(job->text.at[1]) || line != job->text.line)
		{
			return brYaml_Fail(&job->text, "a colon and a blank are missing behind a key");
		}
	}
	return result < 0 ? result : yamlClose(job);
}

// A scalar, or a map if a colon follows it.
static brResult yamlBlockScalarOrMap(YamlJob* job, YamlPlace place, const char* anchor, bool isAnchorAbove)
{
	brYamlText* text = &job->text;
	int32_t line = text->line, column = brYaml_Column(text);
	bool isPlain = false;
	brResult result = yamlFlatScalar(job, place.indent, false, place.canBeBlock, &isPlain);
	if (result < 0)
	{
		return result;
	}
	const char* after = text->at + strspn(text->at, " \t");
	bool isKey = *after == ':' && brYaml_IsGap(after[1]);
	if (!isKey)
	{
		return yamlScalar(job, line, isPlain, anchor);
	}
	if (!place.canBeBlock || line != text->line)
	{
		return brYaml_Fail(text, "there is a second colon, or a line is indented too far");
	}
	text->at = after;
	// An anchor on the line of the key is the key's, one above is the map's.
	job->mapAnchor = isAnchorAbove ? anchor : NULL;
	int32_t start = job->keyColumn >= 0 ? job->keyColumn : column;
	job->keyColumn = -1;
	return yamlBlockMap(job, start, line, isPlain, isAnchorAbove ? NULL : anchor);
}

static brResult yamlBlockNode(YamlJob* job, YamlPlace place)
{
	brYamlText* text = &job->text;
	int32_t lineAbove = text->line;
	bool isNewLine = brYaml_SkipGaps(text);
	const char* anchor = NULL;
	int32_t propertyColumn = *text->at == '&' || *text->at == '!' ? brYaml_Column(text) : -1;
	bool isAnchorAbove = false;
	if (!isNewLine || brYaml_Column(text) > place.indent)
	{
		brResult result = yamlProperties(job, &anchor, &isAnchorAbove);
		if (result < 0)
		{
			return result;
		}
	}
	isNewLine = isNewLine || isAnchorAbove;
	place.canBeBlock = place.canBeBlock || isNewLine;
	int32_t column = brYaml_Column(text);
	bool isAlong = isNewLine && place.canBeListAlong && column == place.indent && yamlIsDash(text);
	if (yamlIsOver(text) || (isNewLine && column <= place.indent && !isAlong))
	{
		return yamlEmpty(job, lineAbove, anchor);
	}
	if (brYaml_IsTabbed(text) && *text->at != '[' && *text->at != '{')
	{
		return brYaml_Fail(text, "a tab cannot indent a line");
	}
	char c = *text->at;
	if (yamlIsDash(text))
	{
		return place.canBeBlock ? yamlBlockList(job, anchor) : brYaml_Fail(text, "a list begins on a line of its own");
	}
	if (c == '?' && brYaml_IsGap(text->at[1]))
	{
		return brYaml_Fail(text, "a key is a word");
	}
	if (c == '*')
	{
		return yamlAlias(job);
	}
	if (c == '[' || c == '{')
	{
		return yamlFlowCollection(job, anchor);
	}
	if (c == '|' || c == '>')
	{
		int32_t line = text->line;
		text->at += 1;
		brResult result = brYaml_BlockScalar(text, c, place.indent);
		return result < 0 ? result : yamlScalar(job, line, false, anchor);
	}
	job->keyColumn = isAnchorAbove ? -1 : propertyColumn;
	return yamlBlockScalarOrMap(job, place, anchor, isAnchorAbove);
}

// The one document of a text, between its marks.
static brResult yamlDocument(YamlJob* job)
{
	brYamlText* text = &job->text;
	brYaml_SkipGaps(text);
	while (*text->at == '%' && text->at == text->lineStart) // directives, which say nothing to us
	{
		text->at += strcspn(text->at, "\n");
		brYaml_SkipGaps(text);
	}
	if (strncmp(text->at, "---", 3) == 0 && brYaml_IsDocumentMark(text))
	{
		text->at += 3;
	}
	else if (*text->at == 0)
	{
		return br_success;
	}
	brResult result = yamlBlockNode(job, (YamlPlace){-1, true, false});
	if (result < 0)
	{
		return result;
	}
	brYaml_SkipGaps(text);
	if (!yamlIsOver(text))
	{
		return brYaml_Fail(text, brYaml_IsFirst(text) ? "this line is indented unlike those above"
													  : "something follows a value on its line");
	}
	while (strncmp(text->at, "...", 3) == 0)
	{
		text->at += 3;
		brYaml_SkipGaps(text);
	}
	brDocNode place = {.file = job->file, .line = text->line};
	return *text->at == 0
			   ? br_success
			   : brDoc_Fail(job->document, &place, job->report, "a scene is one YAML document, here begins another");
}

static brResult yamlParse(brDocument* document, const char* name, const void* bytes, size_t byteCount,
						  brDocNode** outRoot, brReport* report)
{
	brReport own = {0};
	report = report != NULL ? report : &own;
	YamlJob job = {.document = document, .report = report, .file = document->files.count, .keyColumn = -1};
	job.text = (brYamlText){.document = document, .report = report, .file = job.file};
	const char* ownName = brDoc_CopyText(document, name, strlen(name));
	if (ownName == NULL || !BR_PUSH(&document->allocator, &document->files, ownName))
	{
		return brFailMemory(report);
	}
	if (byteCount > BR_DOC_MAX_BYTES)
	{
		return brFail(report, br_errorLimit, "%s: a scene file has at most %d MiB", name, BR_DOC_MAX_BYTES >> 20);
	}
	brResult result = brYaml_Begin(&job.text, bytes, byteCount);
	if (result >= 0)
	{
		result = yamlDocument(&job);
	}
	brYaml_End(&job.text);
	BR_FREE_ARRAY(&document->allocator, &job.children);
	BR_FREE_ARRAY(&document->allocator, &job.anchors);
	if (result >= 0)
	{
		*outRoot = job.root;
	}
	return result;
}

brResult brDoc_ParseYaml(brDocument* document, const char* name, const void* bytes, size_t byteCount,
						 brDocNode** outRoot, brReport* report)
{
	brDocNode* root = NULL;
	brResult result = yamlParse(document, name, bytes, byteCount, &root, report);
	if (result < 0)
	{
		return result;
	}
	bool isEmpty = root == NULL || (root->kind == br_docScalar && root->isPlain && root->text[0] == 0);
	if (isEmpty)
	{
		root = brDoc_MakeNode(document, br_docMap, document->files.count - 1, 1);
	}
	if (root == NULL)
	{
		return brFailMemory(report);
	}
	if (root->kind != br_docMap)
	{
		return brDoc_Fail(document, root, report, "a scene is a map of keys and values");
	}
	*outRoot = root;
	return br_success;
}

brResult brDoc_ParseValue(brDocument* document, const char* name, const char* text, brDocNode** outNode,
						  brReport* report)
{
	brDocNode* root = NULL;
	brResult result = yamlParse(document, name, text, strlen(text), &root, report);
	if (result < 0)
	{
		return result;
	}
	if (root == NULL)
	{
		return brFail(report, br_errorFormat, "%s: there is no value", name);
	}
	*outNode = root;
	return br_success;
}

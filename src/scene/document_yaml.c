// SPDX-License-Identifier: MIT

// YAML to nodes, by libyaml's events: no recursion, bounded depth, and a bound on what aliases unfold into.

#include "scene/document.h"

#include <string.h>

#ifdef BR_HAVE_YAML

#include <yaml.h>

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
	brReport* report;
	int32_t file;
	YamlOpen open[BR_DOC_MAX_DEPTH];
	int32_t depth;
	BR_ARRAY(brDocNode*) children; // of all open nodes, innermost last
	BR_ARRAY(YamlAnchor) anchors;
	brDocNode* root;
} YamlJob;

static brDocNode* yamlNode(YamlJob* job, brDocKind kind, const yaml_event_t* event)
{
	size_t line = event->start_mark.line + 1;
	return brDoc_MakeNode(job->document, kind, job->file, line < INT32_MAX ? (int32_t)line : 0);
}

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

static brResult yamlOpen(YamlJob* job, brDocKind kind, const yaml_event_t* event, const yaml_char_t* anchor)
{
	brDocNode* node = yamlNode(job, kind, event);
	const char* name = NULL;
	if (node != NULL && anchor != NULL)
	{
		name = brDoc_CopyText(job->document, (const char*)anchor, strlen((const char*)anchor));
	}
	if (node == NULL || (anchor != NULL && name == NULL))
	{
		return brFailMemory(job->report);
	}
	if (job->depth == BR_DOC_MAX_DEPTH)
	{
		return brDoc_Fail(job->document, node, job->report, "lists and maps are nested deeper than %d",
						  BR_DOC_MAX_DEPTH);
	}
	job->open[job->depth++] = (YamlOpen){node, job->children.count, name};
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

static brResult yamlScalar(YamlJob* job, const yaml_event_t* event)
{
	brDocNode* node = yamlNode(job, br_docScalar, event);
	const char* text =
		node != NULL ? brDoc_CopyText(job->document, (const char*)event->data.scalar.value, event->data.scalar.length)
					 : NULL;
	const yaml_char_t* anchor = event->data.scalar.anchor;
	const char* name = anchor != NULL && text != NULL
						   ? brDoc_CopyText(job->document, (const char*)anchor, strlen((const char*)anchor))
						   : NULL;
	if (text == NULL || (anchor != NULL && name == NULL))
	{
		return brFailMemory(job->report);
	}
	node->text = text;
	node->isPlain = event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
	if (strlen(text) != event->data.scalar.length)
	{
		return brDoc_Fail(job->document, node, job->report, "the text holds a zero byte");
	}
	brResult result = yamlRemember(job, name, node);
	return result < 0 ? result : yamlDeliver(job, node);
}

static brResult yamlAlias(YamlJob* job, const yaml_event_t* event)
{
	const char* name = (const char*)event->data.alias.anchor;
	// Of two anchors with one name the later counts. Only complete nodes are in the list, so there are no cycles.
	for (int32_t i = job->anchors.count - 1; i >= 0; --i)
	{
		if (strcmp(job->anchors.data[i].name, name) == 0)
		{
			return yamlDeliver(job, job->anchors.data[i].node);
		}
	}
	brDocNode* place = yamlNode(job, br_docScalar, event);
	return place == NULL ? brFailMemory(job->report)
						 : brDoc_Fail(job->document, place, job->report, "*%s names no complete value above", name);
}

static brResult yamlTake(YamlJob* job, const yaml_event_t* event)
{
	switch (event->type)
	{
		case YAML_SCALAR_EVENT:
			return yamlScalar(job, event);
		case YAML_ALIAS_EVENT:
			return yamlAlias(job, event);
		case YAML_SEQUENCE_START_EVENT:
			return yamlOpen(job, br_docList, event, event->data.sequence_start.anchor);
		case YAML_MAPPING_START_EVENT:
			return yamlOpen(job, br_docMap, event, event->data.mapping_start.anchor);
		case YAML_SEQUENCE_END_EVENT:
		case YAML_MAPPING_END_EVENT:
			return yamlClose(job);
		default:
			return br_success;
	}
}

// What libyaml found wrong, as one of our sentences.
static brResult yamlFailSyntax(const YamlJob* job, const yaml_parser_t* parser)
{
	if (parser->error == YAML_MEMORY_ERROR)
	{
		return brFailMemory(job->report);
	}
	bool isReader = parser->error == YAML_READER_ERROR; // bytes that are no UTF-8: there is an offset, no line
	brDocNode place = {.file = job->file, .line = isReader ? 0 : (int32_t)parser->problem_mark.line + 1};
	return brDoc_Fail(job->document, &place, job->report, "this is not YAML: %s",
					  parser->problem != NULL ? parser->problem : "unknown error");
}

static brResult yamlParse(brDocument* document, const char* name, const void* bytes, size_t byteCount,
						  brDocNode** outRoot, brReport* report)
{
	YamlJob job = {.document = document, .report = report, .file = document->files.count};
	const char* ownName = brDoc_CopyText(document, name, strlen(name));
	if (ownName == NULL || !BR_PUSH(&document->allocator, &document->files, ownName))
	{
		return brFailMemory(report);
	}
	if (byteCount > BR_DOC_MAX_BYTES)
	{
		return brFail(report, br_errorLimit, "%s: a scene file has at most %d MiB", name, BR_DOC_MAX_BYTES >> 20);
	}
	yaml_parser_t parser;
	if (!yaml_parser_initialize(&parser))
	{
		return brFailMemory(report);
	}
	yaml_parser_set_input_string(&parser, bytes, byteCount);
	yaml_parser_set_encoding(&parser, YAML_UTF8_ENCODING);
	brResult result = br_success;
	bool isDone = false;
	while (result >= 0 && !isDone)
	{
		yaml_event_t event;
		if (!yaml_parser_parse(&parser, &event))
		{
			result = yamlFailSyntax(&job, &parser);
			break;
		}
		isDone = event.type == YAML_STREAM_END_EVENT;
		result = yamlTake(&job, &event);
		yaml_event_delete(&event);
	}
	yaml_parser_delete(&parser);
	BR_FREE_ARRAY(&document->allocator, &job.children);
	BR_FREE_ARRAY(&document->allocator, &job.anchors);
	if (result >= 0)
	{
		*outRoot = job.root;
	}
	return result;
}

#else

// Without libyaml a scene is JSON, which is YAML too.
static brResult yamlParse(brDocument* document, const char* name, const void* bytes, size_t byteCount,
						  brDocNode** outRoot, brReport* report)
{
	const char* ownName = brDoc_CopyText(document, name, strlen(name));
	if (ownName == NULL || !BR_PUSH(&document->allocator, &document->files, ownName))
	{
		return brFailMemory(report);
	}
	int32_t file = document->files.count - 1;
	const brJson* json = NULL;
	brReport found = {0};
	brResult result = brJson_Parse(&document->arena, bytes, byteCount, &json, &found);
	if (result == br_errorFormat)
	{
		brDocNode place = {.file = file, .line = (int32_t)found.line};
		return brDoc_Fail(document, &place, report, "%s (this build has no libyaml and reads scenes as JSON)",
						  found.text);
	}
	brDocNode* root = result >= 0 ? brDoc_FromJson(document, json, file, 0) : NULL;
	if (root == NULL)
	{
		return brFail(report, br_errorLimit, "%s: there is no memory, or lists and maps are nested deeper than %d",
					  name, BR_DOC_MAX_DEPTH);
	}
	if (root->weight > BR_DOC_MAX_WEIGHT)
	{
		return brDoc_Fail(document, root, report, "the file has more than %d values", BR_DOC_MAX_WEIGHT);
	}
	*outRoot = root;
	return br_success;
}

#endif

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

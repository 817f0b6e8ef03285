// SPDX-License-Identifier: MIT
#include "dataset_store.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define STORE_WORK ".brittle_work"

enum
{
	tarBlock = 512,
	storeCopyBytes = 1 << 16,
};

static brResult storeFail(brReport* report, const char* path)
{
#ifdef EDQUOT
	bool isFull = errno == ENOSPC || errno == EDQUOT; // a user's share of it may be full too
#else
	bool isFull = errno == ENOSPC;
#endif
	snprintf(report->text, sizeof(report->text), "%.400s cannot be written: %s%s", path, strerror(errno),
			 isFull ? "; when there is room, --resume goes on from here" : "");
	return report->code = br_errorFile;
}

// Files

brResult openWhole(WholeFile* whole, const char* path, brReport* report)
{
	snprintf(whole->path, sizeof(whole->path), "%s", path);
	snprintf(whole->aside, sizeof(whole->aside), "%s.%lld.tmp", path, (long long)brOs_ProcessId());
	whole->file = brOs_OpenStream(whole->aside, "wb");
	return whole->file != NULL ? br_success : storeFail(report, path);
}

void dropWhole(WholeFile* whole)
{
	if (whole->file != NULL)
	{
		fclose(whole->file);
		whole->file = NULL;
		brOs_Remove(whole->aside);
	}
}

brResult closeWhole(WholeFile* whole, bool isSynced, brReport* report)
{
	bool isGood = fflush(whole->file) == 0 && ferror(whole->file) == 0;
	isGood = isGood && (!isSynced || brOs_Sync(fileno(whole->file)) == 0);
	int error = errno;
	isGood = fclose(whole->file) == 0 && isGood;
	whole->file = NULL;
	isGood = isGood && brOs_Rename(whole->aside, whole->path) == 0;
	if (!isGood)
	{
		errno = error != 0 ? error : errno;
		brResult result = storeFail(report, whole->path);
		brOs_Remove(whole->aside);
		return result;
	}
	return br_success;
}

static brResult saveSmall(const char* path, const void* bytes, size_t byteCount, brReport* report)
{
	WholeFile whole;
	brResult result = openWhole(&whole, path, report);
	if (result < 0)
	{
		return result;
	}
	errno = 0;
	fwrite(bytes, 1, byteCount, whole.file);
	return closeWhole(&whole, false, report);
}

// The whole of a file in memory, terminated; null if it is not there or there is no memory.
static char* readAll(const char* path, size_t* outBytes)
{
	FILE* file = brOs_OpenStream(path, "rb");
	if (file == NULL)
	{
		return NULL;
	}
	int64_t bytes = brOs_OpenFileInfo(fileno(file)).bytes;
	char* text = bytes >= 0 ? malloc((size_t)bytes + 1) : NULL;
	size_t got = text != NULL ? fread(text, 1, (size_t)bytes, file) : 0;
	fclose(file);
	if (text != NULL)
	{
		text[got] = 0;
	}
	*outBytes = got;
	return text;
}

// Words of eight bytes, each mixed in by a multiplication: tells whether what is read is what was written.
static uint64_t storeHash(const uint8_t* bytes, size_t count)
{
	uint64_t hash = 0x9e3779b97f4a7c15u ^ count;
	for (size_t i = 0; i < count; i += 8)
	{
		uint64_t word = 0;
		memcpy(&word, bytes + i, count - i < 8 ? count - i : 8);
		hash = (hash ^ word) * 0xff51afd7ed558ccdu;
		hash ^= hash >> 32;
	}
	return hash;
}

// Paths

int32_t shardSize(const Dataset* dataset, int32_t shard)
{
	int64_t first = (int64_t)shard * dataset->info.samplesPerShard;
	int64_t left = dataset->info.sampleCount - first;
	return (int32_t)(left < dataset->info.samplesPerShard ? left : dataset->info.samplesPerShard);
}

void shardPath(const Dataset* dataset, int32_t shard, const char* ending, char* outPath, size_t bytes)
{
	snprintf(outPath, bytes, "%s/shard-%06d.%s", dataset->folder, (int)shard, ending);
}

static void partPath(const Dataset* dataset, int32_t index, char* outPath, size_t bytes)
{
	snprintf(outPath, bytes, "%s/" STORE_WORK "/%09d.part", dataset->folder, (int)index);
}

bool isShardDone(const Dataset* dataset, int32_t shard)
{
	char path[1280];
	shardPath(dataset, shard, "jsonl", path, sizeof(path));
	return brOs_FileInfo(path).kind == br_fileRegular;
}

// The folder

static bool isFolderEmpty(const char* path)
{
	brFolderNames* names = brOs_OpenFolder(path);
	bool isEmpty = names == NULL || brOs_NextName(names) == NULL;
	brOs_CloseFolder(names);
	return isEmpty;
}

// What two runs must agree on to go on with each other's samples.
static void describe(const Dataset* dataset, char* out, size_t bytes)
{
	snprintf(out, bytes,
			 "{\"format\":1,\"made_by\":\"brittle %s\",\"recipe_hash\":\"%016llx\",\"samples\":%d,\"shards\":%d}\n",
			 brGetVersion(), (unsigned long long)dataset->info.hash, (int)dataset->info.sampleCount,
			 (int)dataset->shardCount);
}

static brResult compareDescription(const Dataset* dataset, const char* path, brReport* report)
{
	char ours[512];
	size_t bytes;
	describe(dataset, ours, sizeof(ours));
	char* theirs = readAll(path, &bytes);
	bool isSame = theirs != NULL && strcmp(ours, theirs) == 0;
	free(theirs);
	if (isSame)
	{
		return br_success;
	}
	snprintf(
		report->text, sizeof(report->text),
		"%.300s was begun with another recipe, other mesh files or another version of brittle: its samples would not "
		"fit together; take another folder",
		dataset->folder);
	return report->code = br_errorFile;
}

static brResult lockPart(Dataset* dataset, brReport* report)
{
	char path[1280];
	snprintf(path, sizeof(path), "%s/" STORE_WORK "/lock-%d-of-%d", dataset->folder, dataset->part + 1,
			 dataset->partCount);
	dataset->lock = brOs_OpenLocked(path);
	if (dataset->lock >= 0)
	{
		return br_success;
	}
	if (errno != EEXIST)
	{
		return storeFail(report, path);
	}
	snprintf(report->text, sizeof(report->text), "another brittle dataset is at work in %.300s", dataset->folder);
	return report->code = br_errorFile;
}

brResult openDataset(Dataset* dataset, const char* recipePath, bool isResumed, brReport* report)
{
	char path[1280], work[1280], text[512];
	snprintf(path, sizeof(path), "%s/dataset.json", dataset->folder);
	snprintf(work, sizeof(work), "%s/" STORE_WORK, dataset->folder);
	bool isBegun = brOs_FileInfo(path).kind == br_fileRegular;
	if (!isBegun && !isFolderEmpty(dataset->folder))
	{
		snprintf(report->text, sizeof(report->text), "%.300s is not empty and no data set: take another folder",
				 dataset->folder);
		return report->code = br_errorFile;
	}
	if (isBegun && !isResumed)
	{
		snprintf(report->text, sizeof(report->text), "there is a data set in %.300s: --resume goes on with it",
				 dataset->folder);
		return report->code = br_errorFile;
	}
	brResult result = isBegun ? compareDescription(dataset, path, report) : br_success;
	if (result < 0)
	{
		return result;
	}
	errno = 0;
	if (!makeFolder(work))
	{
		return storeFail(report, work);
	}
	result = lockPart(dataset, report);
	size_t bytes = 0;
	char* recipe = result >= 0 && !isBegun ? readAll(recipePath, &bytes) : NULL;
	if (recipe != NULL)
	{
		char copy[1280];
		snprintf(copy, sizeof(copy), "%s/recipe.yaml", dataset->folder);
		result = saveSmall(copy, recipe, bytes, report);
		free(recipe);
	}
	if (result >= 0 && !isBegun)
	{
		describe(dataset, text, sizeof(text));
		result = saveSmall(path, text, strlen(text), report);
	}
	return result;
}

brResult joinDataset(Dataset* dataset, brReport* report)
{
	char path[1280];
	dataset->lock = -1;
	snprintf(path, sizeof(path), "%s/dataset.json", dataset->folder);
	for (int32_t i = 0; i < 600 && brOs_FileInfo(path).kind != br_fileRegular; ++i)
	{
		sleepFor(0.1); // a network's file system shows files late
	}
	return compareDescription(dataset, path, report);
}

void closeDataset(Dataset* dataset)
{
	if (dataset->lock < 0)
	{
		return;
	}
	char path[1280];
	snprintf(path, sizeof(path), "%s/" STORE_WORK "/lock-%d-of-%d", dataset->folder, dataset->part + 1,
			 dataset->partCount);
	brOs_Remove(path);
	brOs_Close(dataset->lock);
	snprintf(path, sizeof(path), "%s/" STORE_WORK, dataset->folder);
	removeFolder(path); // if nothing waits there
}

// Parts: "brittle-part ROWBYTES TARBYTES HASH\n", the row, the members of the tar.

typedef struct Part
{
	char* bytes; // of the whole file
	const char* row;
	size_t rowBytes;
	const char* tar;
	size_t tarBytes;
} Part;

static bool readPart(const Dataset* dataset, int32_t index, Part* part)
{
	char path[1280];
	size_t bytes = 0;
	partPath(dataset, index, path, sizeof(path));
	*part = (Part){.bytes = readAll(path, &bytes)};
	unsigned long long rowBytes = 0, tarBytes = 0, hash = 0;
	int head = 0;
	bool isGood = part->bytes != NULL &&
				  sscanf(part->bytes, "brittle-part %llu %llu %llx\n%n", &rowBytes, &tarBytes, &hash, &head) == 3 &&
				  head > 0;
	isGood = isGood && rowBytes < bytes && tarBytes < bytes && (size_t)head + rowBytes + tarBytes == bytes;
	isGood = isGood && storeHash((const uint8_t*)part->bytes + head, rowBytes + tarBytes) == hash;
	if (!isGood)
	{
		free(part->bytes);
		part->bytes = NULL;
		return false;
	}
	part->row = part->bytes + head;
	part->rowBytes = rowBytes;
	part->tar = part->row + rowBytes;
	part->tarBytes = tarBytes;
	return true;
}

// What a process that was killed left half written, if it is of our shards: other parts may be at work beside us.
static void sweepFolder(const Dataset* dataset, const char* folder)
{
	brFolderNames* names = brOs_OpenFolder(folder);
	for (const char* name = names != NULL ? brOs_NextName(names) : NULL; name != NULL; name = brOs_NextName(names))
	{
		int number = -1;
		size_t length = strlen(name);
		bool isAside = length > 4 && strcmp(name + length - 4, ".tmp") == 0;
		int32_t shard = sscanf(name, "shard-%6d.", &number) == 1  ? number
						: sscanf(name, "%9d.part.", &number) == 1 ? number / dataset->info.samplesPerShard
																  : -1;
		if (isAside && shard >= 0 && shard % dataset->partCount == dataset->part)
		{
			char path[2560];
			snprintf(path, sizeof(path), "%s/%s", folder, name);
			brOs_Remove(path);
		}
	}
	brOs_CloseFolder(names);
}

brResult findParts(const Dataset* dataset, uint8_t* outDone, brReport* report)
{
	char folder[1280], path[2560];
	snprintf(folder, sizeof(folder), "%s/" STORE_WORK, dataset->folder);
	sweepFolder(dataset, dataset->folder);
	sweepFolder(dataset, folder);
	brFolderNames* names = brOs_OpenFolder(folder);
	if (names == NULL)
	{
		return storeFail(report, folder);
	}
	for (const char* name = brOs_NextName(names); name != NULL; name = brOs_NextName(names))
	{
		int index = -1, end = 0;
		bool isPart = sscanf(name, "%9d.part%n", &index, &end) == 1 && end > 0 && name[end] == 0;
		if (!isPart || index < 0 || index >= dataset->info.sampleCount)
		{
			continue;
		}
		int32_t shard = index / dataset->info.samplesPerShard;
		if (shard % dataset->partCount != dataset->part)
		{
			continue;
		}
		Part part;
		bool isGood = !isShardDone(dataset, shard) && readPart(dataset, index, &part);
		if (isGood)
		{
			outDone[index] = 1;
			free(part.bytes);
			continue;
		}
		snprintf(path, sizeof(path), "%s/%s", folder, name);
		brOs_Remove(path);
	}
	brOs_CloseFolder(names);
	return br_success;
}

// Samples

typedef struct Bytes
{
	uint8_t* data;
	size_t count, capacity;
	bool failed;
} Bytes;

static void addBytes(Bytes* bytes, const void* data, size_t count)
{
	if (bytes->count + count > bytes->capacity && !bytes->failed)
	{
		size_t capacity = 2 * (bytes->count + count);
		uint8_t* grown = realloc(bytes->data, capacity);
		bytes->failed = grown == NULL;
		bytes->data = grown != NULL ? grown : bytes->data;
		bytes->capacity = grown != NULL ? capacity : bytes->capacity;
	}
	if (!bytes->failed && count > 0)
	{
		memcpy(bytes->data + bytes->count, data, count);
		bytes->count += count;
	}
}

// One member of a tar (ustar) with no owner and no time: the same sample gives the same bytes.
static void addMember(Bytes* tar, const char* key, const char* ending, const void* data, size_t count)
{
	char header[tarBlock] = {0};
	static const char zeros[tarBlock] = {0};
	snprintf(header, 100, "%s.%s", key, ending);
	memcpy(header + 100, "0000644", 8);
	memcpy(header + 108, "0000000", 8);
	memcpy(header + 116, "0000000", 8);
	snprintf(header + 124, 12, "%011llo", (unsigned long long)count);
	memcpy(header + 136, "00000000000", 12);
	memset(header + 148, ' ', 8); // the sum counts itself as blanks
	header[156] = '0';
	memcpy(header + 257, "ustar", 6);
	memcpy(header + 263, "00", 2);
	unsigned sum = 0;
	for (int32_t i = 0; i < tarBlock; ++i)
	{
		sum += (unsigned char)header[i];
	}
	snprintf(header + 148, 7, "%06o", sum);
	addBytes(tar, header, sizeof(header));
	addBytes(tar, data, count);
	addBytes(tar, zeros, (tarBlock - count % tarBlock) % tarBlock);
}

// A folder a sample, as in Breaking Bad; complete when its row is there.
static brResult saveFolder(const Dataset* dataset, const brSample* sample, const brSampleFiles* files, brReport* report)
{
	char folder[1280], path[2560];
	snprintf(folder, sizeof(folder), "%s/%s/fractured_%d", dataset->folder, sample->objectName,
			 (int)(sample->index / dataset->info.objectCount));
	errno = 0;
	if (!makeFolder(folder))
	{
		return storeFail(report, folder);
	}
	brResult result = br_success;
	for (int32_t i = 0; i < files->count && result >= 0; ++i)
	{
		const brSampleFile* file = &files->files[i];
		bool isBare = strcmp(file->ending, "json") == 0;
		snprintf(path, sizeof(path), "%s/%s%s", folder, isBare ? "sample." : "", file->ending);
		result = saveSmall(path, file->bytes, file->byteCount, report);
	}
	return result;
}

static brResult savePart(const Dataset* dataset, int32_t index, const char* row, const Bytes* tar, brReport* report)
{
	char path[1280], head[128], tail[128] = "}\n";
	int32_t shard = index / dataset->info.samplesPerShard;
	if (!dataset->info.isFolders)
	{
		snprintf(tail, sizeof(tail), ",\"shard\":\"shard-%06d.tar\",\"bytes\":%llu,\"hash\":\"%016llx\"}\n", (int)shard,
				 (unsigned long long)tar->count, (unsigned long long)storeHash(tar->data, tar->count));
	}
	Bytes body = {0};
	addBytes(&body, row, strlen(row) - 1); // without its brace
	addBytes(&body, tail, strlen(tail));
	size_t rowBytes = body.count;
	addBytes(&body, tar->data, tar->count);
	if (body.failed || tar->failed)
	{
		free(body.data);
		snprintf(report->text, sizeof(report->text), "there is no memory for sample %d", (int)index);
		return report->code = br_errorMemory;
	}
	snprintf(head, sizeof(head), "brittle-part %llu %llu %llx\n", (unsigned long long)rowBytes,
			 (unsigned long long)tar->count, (unsigned long long)storeHash(body.data, body.count));
	partPath(dataset, index, path, sizeof(path));
	WholeFile whole;
	brResult result = openWhole(&whole, path, report);
	if (result >= 0)
	{
		errno = 0;
		fwrite(head, 1, strlen(head), whole.file);
		fwrite(body.data, 1, body.count, whole.file);
		result = closeWhole(&whole, false, report);
	}
	free(body.data);
	return result;
}

// A row for a sample that could not be made.
static void failedRow(const Dataset* dataset, int32_t index, const brReport* why, char* out, size_t bytes)
{
	char text[sizeof(why->text)];
	size_t used = 0;
	for (const char* c = why->text; *c != 0 && used + 2 < sizeof(text); ++c)
	{
		text[used++] = *c == '"' || *c == '\\' || (unsigned char)*c < 32 ? '\'' : *c;
	}
	text[used] = 0;
	snprintf(out, bytes, "{\"key\":\"%09d\",\"index\":%d,\"object\":\"%s\",\"pieces\":0,\"error\":\"%s\"}", (int)index,
			 (int)index, brRecipe_GetObjectName(dataset->recipe, index % dataset->info.objectCount), text);
}

static int32_t methodNumber(const char* method)
{
	static const char* const names[] = {"shatter", "crack", "drop", "shoot"};
	for (int32_t i = 0; i < 4; ++i)
	{
		if (strcmp(names[i], method) == 0)
		{
			return i;
		}
	}
	return -1;
}

brResult saveSample(const Dataset* dataset, const brContext* context, int32_t index, SampleOutcome* outOutcome,
					brReport* report)
{
	brSample* sample = NULL;
	brSampleFiles* files = NULL;
	brReport inner = {0};
	int64_t start = brOs_Nanoseconds();
	Bytes tar = {0};
	char key[16], row[1536];
	snprintf(key, sizeof(key), "%09d", (int)index);
	*outOutcome = (SampleOutcome){.method = -1};
	brResult result = brRecipe_MakeSample(dataset->recipe, context, index, &sample, &inner);
	result = result < 0 ? result : brSample_MakeFiles(sample, context, dataset->info.isFolders, &files, &inner);
	if (result == br_errorCanceled || result == br_errorMemory)
	{
		*report = inner;
		brDestroySample(sample);
		return result;
	}
	if (result < 0)
	{
		failedRow(dataset, index, &inner, row, sizeof(row));
		result = br_success;
	}
	else if (dataset->info.isFolders)
	{
		result = saveFolder(dataset, sample, files, report);
	}
	for (int32_t i = 0; files != NULL && !dataset->info.isFolders && i < files->count; ++i)
	{
		addMember(&tar, key, files->files[i].ending, files->files[i].bytes, files->files[i].byteCount);
	}
	result = result < 0 ? result : savePart(dataset, index, files != NULL ? files->row : row, &tar, report);
	if (sample != NULL)
	{
		outOutcome->method = methodNumber(sample->method);
		outOutcome->pieces = sample->pieceCount;
	}
	outOutcome->bytes = (int64_t)tar.count;
	outOutcome->seconds = 1e-9 * (double)(brOs_Nanoseconds() - start);
	free(tar.data);
	brDestroySampleFiles(files);
	brDestroySample(sample);
	return result;
}

// Shards

static brResult copyParts(const Dataset* dataset, int32_t shard, FILE* tar, FILE* rows, brReport* report)
{
	int32_t first = shard * dataset->info.samplesPerShard, count = shardSize(dataset, shard);
	for (int32_t i = first; i < first + count; ++i)
	{
		Part part;
		if (!readPart(dataset, i, &part))
		{
			snprintf(report->text, sizeof(report->text), "sample %d is damaged in %.300s: run it again with --resume",
					 (int)i, dataset->folder);
			return report->code = br_errorFile;
		}
		fwrite(part.row, 1, part.rowBytes, rows);
		if (tar != NULL)
		{
			fwrite(part.tar, 1, part.tarBytes, tar);
		}
		free(part.bytes);
	}
	return br_success;
}

brResult saveShard(const Dataset* dataset, int32_t shard, brReport* report)
{
	char tarPath[1280], rowsPath[1280], path[1280];
	static const char zeros[2 * tarBlock] = {0};
	WholeFile tar = {0}, rows = {0};
	bool hasTar = !dataset->info.isFolders;
	shardPath(dataset, shard, "tar", tarPath, sizeof(tarPath));
	shardPath(dataset, shard, "jsonl", rowsPath, sizeof(rowsPath));
	brResult result = hasTar ? openWhole(&tar, tarPath, report) : br_success;
	result = result < 0 ? result : openWhole(&rows, rowsPath, report);
	errno = 0;
	result = result < 0 ? result : copyParts(dataset, shard, tar.file, rows.file, report);
	if (result >= 0 && hasTar)
	{
		fwrite(zeros, 1, sizeof(zeros), tar.file);
		result = closeWhole(&tar, true, report);
	}
	if (result >= 0)
	{
		result = closeWhole(&rows, true, report);
	}
	dropWhole(&tar);
	dropWhole(&rows);
	for (int32_t i = 0; i < shardSize(dataset, shard) && result >= 0; ++i)
	{
		partPath(dataset, shard * dataset->info.samplesPerShard + i, path, sizeof(path));
		brOs_Remove(path);
	}
	return result;
}

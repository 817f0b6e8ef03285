// SPDX-License-Identifier: MIT

// The whole state as one block: header, def, bodies, joints, contacts, pairs, shapes, what can break. Structs go as
// they are in memory, so a block is for the same build on the same kind of machine; the version and the sizes of the
// structs say so.

#include "world/snapshot.h"
#include "base/assert.h"
#include "base/hash.h"
#include "world/world_state.h"

#include <string.h>

#define SNAPSHOT_MAGIC 0x646c726f57724200u // "\0BrWorld"
#define SNAPSHOT_VERSION 12

static uint32_t snapshotStructBytes(void)
{
	return (uint32_t)(sizeof(brWorldDef) + 3 * sizeof(brBody) + 5 * sizeof(brJoint) + 7 * sizeof(brContact) +
					  11 * sizeof(brContactPair) + 13 * sizeof(brMoreManifolds));
}

static size_t snapshotFixedBytes(const brSnapshotHeader* header)
{
	// Counts are 32 bits and not negative, structs below 1 KiB: no overflow in 64 bits.
	return sizeof(brSnapshotHeader) + sizeof(brWorldDef) + sizeof(brBody) * (size_t)header->bodies +
		   sizeof(brJoint) * (size_t)header->joints + sizeof(brContact) * (size_t)header->contacts +
		   sizeof(brMoreManifolds) * (size_t)header->more + sizeof(brContactPair) * (size_t)header->pairs;
}

// Shapes: users and byte count (0: a free slot), then the bytes.
typedef struct SnapshotShape
{
	uint64_t byteCount;
	int64_t users;
} SnapshotShape;

static char* snapshotPut(char* at, const void* data, size_t bytes)
{
	if (bytes > 0)
	{
		memcpy(at, data, bytes);
	}
	return at + bytes;
}

size_t brWorld_Save(const brWorld* world, void* outBytes, size_t capacity)
{
	if (world == NULL)
	{
		return 0;
	}
	const brDynamics* dynamics = &world->dynamics;
	brSnapshotHeader header;
	memset(&header, 0, sizeof(header));
	header.magic = SNAPSHOT_MAGIC;
	header.version = SNAPSHOT_VERSION;
	header.structBytes = snapshotStructBytes();
	header.bodies = dynamics->bodies.count;
	header.joints = dynamics->joints.count;
	header.contacts = dynamics->contacts.count;
	header.more = dynamics->more.count;
	header.pairs = dynamics->pairs.count;
	header.shapes = dynamics->shapes.count;
	header.freeBody = dynamics->freeBody;
	header.freeContact = dynamics->freeContact;
	header.freeMore = dynamics->freeMore;
	header.freeJoint = dynamics->freeJoint;
	header.books = dynamics->books;
	size_t total = snapshotFixedBytes(&header);
	for (int32_t i = 0; i < dynamics->shapes.count; ++i)
	{
		const brShape* shape = dynamics->shapes.data[i].shape;
		total += sizeof(SnapshotShape) + (shape != NULL ? (size_t)shape->byteCount : 0);
	}
	header.breakBytes = brBreaking_Save(&world->breaking, NULL);
	total += (size_t)header.breakBytes;
	if (outBytes == NULL || capacity < total)
	{
		return total;
	}
	header.byteCount = total;
	char* start = outBytes;
	char* at = start + sizeof(header);
	at = snapshotPut(at, &dynamics->def, sizeof(brWorldDef));
	at = snapshotPut(at, dynamics->bodies.data, sizeof(brBody) * (size_t)header.bodies);
	at = snapshotPut(at, dynamics->joints.data, sizeof(brJoint) * (size_t)header.joints);
	at = snapshotPut(at, dynamics->contacts.data, sizeof(brContact) * (size_t)header.contacts);
	at = snapshotPut(at, dynamics->more.data, sizeof(brMoreManifolds) * (size_t)header.more);
	at = snapshotPut(at, dynamics->pairs.data, sizeof(brContactPair) * (size_t)header.pairs);
	for (int32_t i = 0; i < dynamics->shapes.count; ++i)
	{
		const brShapeEntry* entry = &dynamics->shapes.data[i];
		SnapshotShape shape = {entry->shape != NULL ? entry->shape->byteCount : 0, entry->users};
		at = snapshotPut(at, &shape, sizeof(shape));
		if (entry->shape != NULL)
		{
			at = snapshotPut(at, &entry->shape->version, (size_t)shape.byteCount);
		}
	}
	brBreaking_Save(&world->breaking, at);
	header.hash = brHashFile(&header, sizeof(header), offsetof(brSnapshotHeader, hash), start + sizeof(header),
							 total - sizeof(header));
	memcpy(start, &header, sizeof(header));
	return total;
}

#define SNAPSHOT_GET(allocator, array, at, number)                                                                     \
	(BR_RESERVE((allocator), (array), (number)) &&                                                                     \
	 ((number) == 0 || memcpy((array)->data, (at), sizeof(*(array)->data) * (size_t)(number)) != NULL) &&              \
	 ((array)->count = (number), (at) += sizeof(*(array)->data) * (size_t)(number), true))

static brResult snapshotRead(brDynamics* dynamics, const brSnapshotHeader* header, const char* at, const char* end,
							 brReport* report)
{
	const brAllocator* allocator = &dynamics->allocator;
	at += sizeof(brSnapshotHeader) + sizeof(brWorldDef);
	if (!SNAPSHOT_GET(allocator, &dynamics->bodies, at, header->bodies) ||
		!SNAPSHOT_GET(allocator, &dynamics->joints, at, header->joints) ||
		!SNAPSHOT_GET(allocator, &dynamics->contacts, at, header->contacts) ||
		!SNAPSHOT_GET(allocator, &dynamics->more, at, header->more) ||
		!SNAPSHOT_GET(allocator, &dynamics->pairs, at, header->pairs))
	{
		return brFailMemory(report);
	}
	for (int32_t i = 0; i < header->shapes; ++i)
	{
		SnapshotShape shape;
		if ((size_t)(end - at) < sizeof(shape))
		{
			return brFail(report, br_errorFormat, "the snapshot ends inside shape %d", i);
		}
		memcpy(&shape, at, sizeof(shape));
		at += sizeof(shape);
		if (shape.byteCount > (uint64_t)(end - at))
		{
			return brFail(report, br_errorFormat, "the snapshot ends inside shape %d", i);
		}
		brShapeEntry entry = {NULL, 0, 0};
		brResult result = shape.byteCount > 0
							  ? brReadShape(allocator, at, (size_t)shape.byteCount, &entry.shape, report)
							  : br_success;
		if (result < 0)
		{
			return result;
		}
		entry.hash = entry.shape != NULL ? entry.shape->hash : 0;
		if (!BR_PUSH(allocator, &dynamics->shapes, entry))
		{
			brDestroyShape(entry.shape);
			return brFailMemory(report);
		}
		at += shape.byteCount;
	}
	dynamics->freeBody = header->freeBody;
	dynamics->freeContact = header->freeContact;
	dynamics->freeMore = header->freeMore;
	dynamics->freeJoint = header->freeJoint;
	dynamics->books = header->books;
	return brCheckSnapshot(dynamics, report);
}

brResult brRestoreWorld(const brContext* context, const void* bytes, size_t byteCount, brWorld** outWorld,
						brReport* report)
{
	brSnapshotHeader header;
	brWorldDef def;
	if (bytes == NULL || outWorld == NULL)
	{
		return brFail(report, br_errorMisuse, "a snapshot needs bytes and a place for the world");
	}
	if (byteCount < sizeof(header) + sizeof(def))
	{
		return brFail(report, br_errorFormat, "a snapshot of %zu bytes is too short", byteCount);
	}
	memcpy(&header, bytes, sizeof(header));
	memcpy(&def, (const char*)bytes + sizeof(header), sizeof(def));
	if (header.magic != SNAPSHOT_MAGIC || header.version != SNAPSHOT_VERSION ||
		header.structBytes != snapshotStructBytes())
	{
		return brFail(report, br_errorUnsupported, "this is no snapshot of this build of the library");
	}
	if (header.bodies < 0 || header.joints < 0 || header.contacts < 0 || header.more < 0 || header.pairs < 0 ||
		header.shapes < 0 || header.byteCount != byteCount || snapshotFixedBytes(&header) > byteCount ||
		header.breakBytes > byteCount - snapshotFixedBytes(&header) ||
		header.hash != brHashFile(&header, sizeof(header), offsetof(brSnapshotHeader, hash),
								  (const char*)bytes + sizeof(header), byteCount - sizeof(header)))
	{
		return brFail(report, br_errorFormat, "the snapshot is damaged");
	}
	const bool* switches[] = {&def.enableSleep, &def.enableRecycle, &def.enableSweep};
	for (size_t i = 0; i < sizeof(switches) / sizeof(switches[0]); ++i)
	{
		if (!brAreBools(switches[i], 1))
		{
			return brFail(report, br_errorFormat, "the def of the snapshot is damaged");
		}
	}
	brWorld* world = NULL;
	brResult result = brCreateWorld(context, &def, &world, report);
	if (result < 0)
	{
		return result;
	}
	const char* breakBytes = (const char*)bytes + (byteCount - header.breakBytes);
	result = snapshotRead(&world->dynamics, &header, bytes, breakBytes, report);
	result = result < 0 ? result : brBreaking_Restore(world, breakBytes, (size_t)header.breakBytes, report);
	if (result < 0)
	{
		brDestroyWorld(world);
		return result;
	}
	*outWorld = world;
	return brSucceed(report);
}

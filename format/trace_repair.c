/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "format/trace_repair.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/sorted.h"
#include "format/chunk.h"

/* Reads a chunk's stored bytes; -EBADMSG if they are damaged. */
static int stored_read(struct trace_repair *repair, const struct trace_chunk *chunk)
{
	size_t length = rwk_chunk_stored_length(&chunk->header);
	uint8_t *grown;
	int r;

	if (chunk->offset == TRACE_CHUNK_LOST)
		return -EBADMSG;
	if (length > repair->stored_room) {
		grown = realloc(repair->stored, length);
		if (!grown)
			return -ENOMEM;
		repair->stored = grown;
		repair->stored_room = length;
	}
	r = trace_scan_read(repair->scan->io, repair->scan->fd, repair->stored, length,
			    chunk->offset + sizeof(chunk->header));
	if (r < 0)
		return r == -ENODATA ? -EBADMSG : r;
	return rwk_chunk_whole(&chunk->header, repair->stored) ? 0 : -EBADMSG;
}

/* Fills repair->parity from a PARITY chunk. */
static int group_read(struct trace_repair *repair, const struct trace_chunk *chunk)
{
	int r;

	if (chunk->header.codec != RWK_CODEC_NONE || chunk->header.stored_size != chunk->header.raw_size)
		return -EBADMSG;
	r = stored_read(repair, chunk);
	return r < 0 ? r : parity_unpack(&repair->parity, repair->stored, chunk->header.stored_size);
}

static int order(const struct trace_chunk *a, uint32_t section, uint64_t sequence)
{
	if (a->section != section)
		return a->section < section ? -1 : 1;
	return a->header.sequence < sequence ? -1 : a->header.sequence > sequence;
}

static int chunk_compare(const void *left, const void *right)
{
	const struct trace_chunk *b = right;

	return order(left, b->section, b->header.sequence);
}

static struct trace_chunk *chunk_find(struct trace_scan *scan, size_t count, uint32_t section, uint64_t sequence)
{
	struct trace_chunk *chunks = scan->chunks.items;
	size_t place = SORTED_FIRST(i, count, order(&chunks[i], section, sequence) >= 0);

	return place < count && !order(&chunks[place], section, sequence) ? &chunks[place] : NULL;
}

/* --- lost chunks ---------------------------------------------------------------------------------- */

/* Members of the group in repair->parity that the scan did not find. */
static int lost_add(struct trace_repair *repair, size_t count, uint32_t section)
{
	int r = 0;

	for (uint32_t i = 0; i < repair->parity.count && r >= 0; i++) {
		struct trace_chunk lost = {TRACE_CHUNK_LOST, section, repair->parity.members[i]};

		if (!chunk_find(repair->scan, count, section, lost.header.sequence))
			r = array_push(&repair->scan->chunks, lost);
	}
	return r;
}

/* A hostile file may have a number twice: the first one is used. */
static void sort_unique(struct trace_scan *scan)
{
	size_t kept = 0;

	qsort(scan->chunks.items, scan->chunks.count, sizeof(*scan->chunks.items), chunk_compare);
	for (size_t i = 0; i < scan->chunks.count; i++)
		if (!kept || chunk_compare(&scan->chunks.items[kept - 1], &scan->chunks.items[i]))
			scan->chunks.items[kept++] = scan->chunks.items[i];
	scan->chunks.count = kept;
}

static int lost_find(struct trace_repair *repair)
{
	struct trace_scan *scan = repair->scan;
	size_t count = scan->chunks.count;
	int r = 0;

	for (size_t i = 0; i < count && r >= 0; i++) {
		struct trace_chunk chunk = scan->chunks.items[i];

		if (chunk.header.type != RWK_CHUNK_PARITY)
			continue;
		r = group_read(repair, &chunk);
		if (r >= 0)
			r = lost_add(repair, count, chunk.section);
		else if (r == -EBADMSG)
			r = 0; /* a group without protection */
	}
	if (r >= 0 && scan->chunks.count != count)
		sort_unique(scan);
	return r;
}

/* --- groups --------------------------------------------------------------------------------------- */

static bool is_member(const struct trace_chunk *chunk, const struct rwk_chunk_header *member)
{
	return chunk && chunk->header.type == member->type && chunk->header.stored_size == member->stored_size &&
	       chunk->header.payload_crc == member->payload_crc;
}

static void group_claim(struct trace_repair *repair, uint32_t number, uint32_t section)
{
	struct trace_scan *scan = repair->scan;

	for (uint32_t i = 0; i < repair->parity.count; i++) {
		const struct rwk_chunk_header *member = &repair->parity.members[i];
		struct trace_chunk *chunk = chunk_find(scan, scan->chunks.count, section, member->sequence);

		if (is_member(chunk, member) && !repair->group_of[chunk - scan->chunks.items])
			repair->group_of[chunk - scan->chunks.items] = number + 1;
	}
}

static int groups_find(struct trace_repair *repair)
{
	struct trace_scan *scan = repair->scan;
	int r = 0;

	repair->group_of = calloc(scan->chunks.count + 1, sizeof(*repair->group_of));
	if (!repair->group_of)
		return -ENOMEM;
	for (size_t i = 0; i < scan->chunks.count && r >= 0; i++) {
		if (scan->chunks.items[i].header.type != RWK_CHUNK_PARITY)
			continue;
		r = group_read(repair, &scan->chunks.items[i]);
		if (r >= 0)
			group_claim(repair, (uint32_t)i, scan->chunks.items[i].section);
		if (r != -EBADMSG)
			continue;
		repair->group_of[i] = TRACE_REPAIR_BROKEN;
		r = 0;
	}
	return r;
}

int trace_repair_init(struct trace_repair *repair, struct trace_scan *scan)
{
	int r;

	*repair = (struct trace_repair){.scan = scan};
	r = parity_init(&repair->parity);
	if (r >= 0)
		r = lost_find(repair);
	return r < 0 ? r : groups_find(repair);
}

void trace_repair_deinit(struct trace_repair *repair)
{
	parity_deinit(&repair->parity);
	free(repair->group_of);
	free(repair->stored);
	*repair = (struct trace_repair){0};
}

/* --- recovery ------------------------------------------------------------------------------------- */

static int others_remove(struct trace_repair *repair, const struct trace_chunk *lost)
{
	struct trace_scan *scan = repair->scan;

	for (uint32_t i = 0; i < repair->parity.count; i++) {
		const struct rwk_chunk_header *member = &repair->parity.members[i];
		const struct trace_chunk *chunk;
		int r;

		if (member->sequence == lost->header.sequence)
			continue;
		chunk = chunk_find(scan, scan->chunks.count, lost->section, member->sequence);
		r = is_member(chunk, member) ? stored_read(repair, chunk) : -EBADMSG;
		if (r < 0)
			return r;
		parity_remove(&repair->parity, repair->stored, rwk_chunk_stored_length(member));
	}
	return 0;
}

int trace_repair_load(struct trace_repair *repair, const struct trace_chunk *chunk, void *buffer)
{
	uint32_t group = repair->group_of[chunk - repair->scan->chunks.items];
	int r = -EBADMSG;

	if (group && group != TRACE_REPAIR_BROKEN)
		r = group_read(repair, &repair->scan->chunks.items[group - 1]);
	if (r >= 0)
		r = others_remove(repair, chunk);
	return r < 0 ? r : rwk_chunk_unpack(&chunk->header, repair->parity.bytes, buffer);
}

/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "format/snapshot_code.h"

#include <errno.h>
#include <string.h>

#include "common/byte_cursor.h"
#include "format/varint.h"

/* A run of words: varint (count << 2 | kind), then the words themselves where they are literal. */
enum run { RUN_ZERO, RUN_SAME, RUN_LITERAL, RUN_BITS = 2, RUN_MASK = 3 };

/* Where the key's words lie, seen from the snapshot's: word i is the key's word i + shift, of those in [from, to). */
struct overlap {
	const uint64_t *words; /* the key's, moved by the shift */
	uint32_t from, to;
};

static struct overlap find_overlap(uint64_t address, uint32_t count, const struct snapshot *key)
{
	struct overlap overlap = {0};
	uint64_t end = address + (uint64_t)count * SNAPSHOT_WORD, key_end;

	if (!key || (key->address - address) % SNAPSHOT_WORD)
		return overlap;
	key_end = key->address + (uint64_t)key->count * SNAPSHOT_WORD;
	if (end < address || key_end < key->address || key->address >= end || address >= key_end)
		return overlap;
	overlap.from = key->address > address ? (uint32_t)((key->address - address) / SNAPSHOT_WORD) : 0;
	overlap.to = key_end < end ? (uint32_t)((key_end - address) / SNAPSHOT_WORD) : count;
	overlap.words = key->words + (address > key->address ? (address - key->address) / SNAPSHOT_WORD : 0);
	return overlap;
}

static bool is_same(const struct overlap *overlap, const struct snapshot *snapshot, uint32_t i)
{
	return i >= overlap->from && i < overlap->to && overlap->words[i - overlap->from] == snapshot->words[i];
}

static uint8_t *run_put(uint8_t *at, enum run run, uint32_t count)
{
	return varint_put(at, (uint64_t)count << RUN_BITS | run);
}

static uint8_t *registers_put(const struct snapshot *snapshot, const struct snapshot *key, uint8_t *at)
{
	for (unsigned int i = 0; i < RWK_MAX_REGISTERS; i++)
		if (snapshot->known >> i & 1)
			at = zigzag_put(at, snapshot->registers[i] - (key && key->known >> i & 1 ? key->registers[i] : 0));
	return at;
}

/* What the words from i on are, and how many of them. */
static enum run find_run(const struct snapshot *snapshot, const struct overlap *overlap, uint32_t i, uint32_t *ret_end)
{
	uint32_t end = i;
	enum run run = RUN_LITERAL;

	if (is_same(overlap, snapshot, i)) {
		run = RUN_SAME;
		while (end < snapshot->count && is_same(overlap, snapshot, end))
			end++;
	} else if (!snapshot->words[i]) {
		run = RUN_ZERO;
		while (end < snapshot->count && !snapshot->words[end] && !is_same(overlap, snapshot, end))
			end++;
	} else {
		while (end < snapshot->count && snapshot->words[end] && !is_same(overlap, snapshot, end))
			end++;
	}
	*ret_end = end;
	return run;
}

void snapshot_encode(const struct snapshot *snapshot, const struct snapshot *key, uint8_t *registers, uint8_t *stack,
		     struct snapshot_coded *ret_coded)
{
	struct overlap overlap = find_overlap(snapshot->address, snapshot->count, key);
	uint8_t *at = stack, *behind = stack; /* behind: up to where there is more than zeros */
	uint32_t end;

	*ret_coded = (struct snapshot_coded){.registers = (size_t)(registers_put(snapshot, key, registers) - registers)};
	for (uint32_t i = 0; i < snapshot->count; i = end) {
		enum run run = find_run(snapshot, &overlap, i, &end);

		at = run_put(at, run, end - i);
		if (run == RUN_ZERO)
			continue;
		if (run == RUN_LITERAL) {
			memcpy(at, &snapshot->words[i], (size_t)(end - i) * SNAPSHOT_WORD);
			at += (size_t)(end - i) * SNAPSHOT_WORD;
			ret_coded->literal += end - i;
		}
		ret_coded->filled += end - i;
		behind = at;
	}
	ret_coded->stack = (size_t)(behind - stack);
}

static int take_registers(const struct event_snapshot *record, const struct snapshot *key, struct snapshot *snapshot)
{
	struct byte_cursor cursor = byte_cursor_make(record->registers.bytes, record->registers.length);

	for (unsigned int i = 0; i < RWK_MAX_REGISTERS; i++)
		if (record->known >> i & 1)
			snapshot->registers[i] = (uint64_t)byte_cursor_zigzag(&cursor) +
						 (key && key->known >> i & 1 ? key->registers[i] : 0);
	return cursor.bad ? -EBADMSG : 0;
}

static int take_run(struct byte_cursor *cursor, const struct overlap *overlap, uint64_t *words, uint32_t at, uint32_t room,
		    uint32_t *ret_count)
{
	uint64_t code = byte_cursor_varint(cursor), count = code >> RUN_BITS;
	const uint8_t *bytes;

	if (cursor->bad || count > room)
		return -EBADMSG;
	switch ((enum run)(code & RUN_MASK)) {
	case RUN_ZERO:
		memset(words + at, 0, count * SNAPSHOT_WORD);
		break;
	case RUN_SAME:
		if (at < overlap->from || at + count > overlap->to)
			return -EBADMSG;
		memcpy(words + at, overlap->words + (at - overlap->from), count * SNAPSHOT_WORD);
		break;
	case RUN_LITERAL:
		bytes = byte_cursor_bytes(cursor, count * SNAPSHOT_WORD);
		if (!bytes)
			return -EBADMSG;
		memcpy(words + at, bytes, count * SNAPSHOT_WORD);
		break;
	default:
		return -EBADMSG;
	}
	*ret_count = (uint32_t)count;
	return 0;
}

static int take_words(const struct event_snapshot *record, const struct overlap *overlap, uint64_t *words, uint32_t count)
{
	struct byte_cursor cursor = byte_cursor_make(record->stack.bytes, record->stack.length);
	uint32_t at = 0, taken;

	while (byte_cursor_left(&cursor)) {
		int r = take_run(&cursor, overlap, words, at, count - at, &taken);

		if (r < 0)
			return r;
		at += taken;
	}
	memset(words + at, 0, (size_t)(count - at) * SNAPSHOT_WORD);
	return 0;
}

int snapshot_decode(const struct event_snapshot *record, const struct snapshot *key, uint64_t *words,
		    struct snapshot *ret_snapshot)
{
	uint32_t count = record->size / SNAPSHOT_WORD;
	struct overlap overlap;
	int r;

	if (record->size % SNAPSHOT_WORD || record->address % SNAPSHOT_WORD || record->size > RWK_MAX_SNAPSHOT)
		return -EBADMSG;
	*ret_snapshot = (struct snapshot){
		.time = record->time, .flags = record->flags, .known = record->known,
		.address = record->address, .words = words, .count = count, .more = record->more};
	overlap = find_overlap(record->address, count, key);
	r = take_registers(record, key, ret_snapshot);
	return r < 0 ? r : take_words(record, &overlap, words, count);
}

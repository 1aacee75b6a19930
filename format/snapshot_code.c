/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "format/snapshot_code.h"

#include <errno.h>
#include <string.h>

#include "common/bytes.h"
#include "format/varint.h"

/* A run of words: varint (count << 2 | kind), followed by the words if they are literal. */
enum run { RUN_ZERO, RUN_SAME, RUN_LITERAL, RUN_BITS = 2, RUN_MASK = 3 };

/* The key's words relative to the snapshot's: word i is the key's word i + shift, for those in [from, to). */
struct overlap {
	const uint64_t *words; /* the key's words, moved by the shift */
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

/* Bit i: the kind of word i. */
struct kinds {
	uint64_t *same; /* the key's */
	uint64_t zero[SNAPSHOT_BLOCKS], literal[SNAPSHOT_BLOCKS];
};

enum { BLOCK = 64 }; /* words per element of a bitmap */

/* Bit i: a[i] == b[i]. Mostly all are, which memcmp() finds several times as fast: a stack changes at its top. */
static uint64_t compare(const uint64_t *a, const uint64_t *b, uint32_t count)
{
	uint64_t bits = 0;

	if (!memcmp(a, b, count * sizeof(*a)))
		return UINT64_MAX >> (BLOCK - count);
	for (uint32_t i = 0; i < count; i++)
		bits |= (uint64_t)(a[i] == b[i]) << i;
	return bits;
}

static void find_same(const struct snapshot *snapshot, const struct overlap *overlap, uint64_t *same)
{
	uint32_t end;

	for (uint32_t i = overlap->from; i < overlap->to; i = end) {
		end = (i / BLOCK + 1) * BLOCK;
		if (end > overlap->to)
			end = overlap->to;
		same[i / BLOCK] |= compare(snapshot->words + i, overlap->words + (i - overlap->from), end - i)
				   << i % BLOCK;
	}
}

/* kinds->same is already set. */
static void find_zero(const struct snapshot *snapshot, struct kinds *kinds)
{
	static const uint64_t zeros[BLOCK];

	for (uint32_t i = 0; i < snapshot->count; i += BLOCK) {
		uint32_t left = snapshot->count - i;

		if (~kinds->same[i / BLOCK])
			kinds->zero[i / BLOCK] = compare(snapshot->words + i, zeros,
							 left < BLOCK ? left : BLOCK);
	}
}

static void find_kinds(const struct snapshot *snapshot, const struct overlap *overlap, struct kinds *kinds)
{
	uint32_t blocks = (snapshot->count + BLOCK - 1) / BLOCK;

	memset(kinds->same, 0, blocks * sizeof(*kinds->same));
	memset(kinds->zero, 0, blocks * sizeof(*kinds->zero));
	find_same(snapshot, overlap, kinds->same);
	find_zero(snapshot, kinds);
	for (uint32_t i = 0; i < blocks; i++) {
		kinds->zero[i] &= ~kinds->same[i];
		kinds->literal[i] = ~(kinds->same[i] | kinds->zero[i]);
	}
}

/* The first word from i on whose bit is not set, at most count. */
static uint32_t run_end(const uint64_t *bits, uint32_t i, uint32_t count)
{
	uint64_t rest = ~bits[i / BLOCK] >> i % BLOCK;

	if (rest)
		i += (uint32_t)__builtin_ctzll(rest);
	else
		for (i = (i / BLOCK + 1) * BLOCK; i < count; i += BLOCK)
			if (~bits[i / BLOCK]) {
				i += (uint32_t)__builtin_ctzll(~bits[i / BLOCK]);
				break;
			}
	return i < count ? i : count;
}

static uint8_t *run_put(uint8_t *at, enum run run, uint32_t count)
{
	return varint_put(at, (uint64_t)count << RUN_BITS | run);
}

static uint8_t *registers_put(const struct snapshot *snapshot, const struct snapshot *key, uint8_t *at)
{
	for (unsigned int i = 0; i < RWK_MAX_REGISTERS; i++) {
		bool in_both = key && key->known >> i & 1;

		if (snapshot->known >> i & 1)
			at = zigzag_put(at, snapshot->registers[i] - (in_both ? key->registers[i] : 0));
	}
	return at;
}

/* The kind of the words from i on, and the end of the run. */
static enum run find_run(const struct kinds *kinds, uint32_t i, uint32_t count, uint32_t *ret_end)
{
	enum run run = kinds->same[i / BLOCK] >> i % BLOCK & 1   ? RUN_SAME
		       : kinds->zero[i / BLOCK] >> i % BLOCK & 1 ? RUN_ZERO
								 : RUN_LITERAL;

	*ret_end = run_end(run == RUN_SAME ? kinds->same : run == RUN_ZERO ? kinds->zero : kinds->literal, i, count);
	return run;
}

void snapshot_encode(const struct snapshot *snapshot, const struct snapshot *key, uint8_t *registers, uint8_t *stack,
		     struct snapshot_coded *ret_coded)
{
	struct overlap overlap = find_overlap(snapshot->address, snapshot->count, key);
	struct kinds kinds = {.same = ret_coded->same};
	uint8_t *at = stack, *behind = stack; /* the end of the last run that is not zeros */
	uint32_t end;

	find_kinds(snapshot, &overlap, &kinds);
	ret_coded->registers = (size_t)(registers_put(snapshot, key, registers) - registers);
	ret_coded->literal = ret_coded->filled = 0;
	for (uint32_t i = 0; i < snapshot->count; i = end) {
		enum run run = find_run(&kinds, i, snapshot->count, &end);

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

static int take_run(struct byte_cursor *cursor, const struct overlap *overlap, uint64_t *words,
		    uint32_t at, uint32_t room, uint32_t *ret_count)
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
		if (count) /* without a key there are no words at all */
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

static int take_words(const struct event_snapshot *record, const struct overlap *overlap,
		      uint64_t *words, uint32_t count)
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

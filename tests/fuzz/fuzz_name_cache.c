/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The decoders of the cache's frames and symbols on any bytes, after a correct checksum: what they
 * accept is in bounds, and is unchanged after being written and read again.
 */
#include "report/resolve/cache/name_blob.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

enum { SEED = 7, CHECKSUM_SIZE = 8 };

static void fuzz_require(bool condition)
{
	if (!condition)
		abort();
}

/* The input, preceded by its checksum. */
static struct name_blob seal(const uint8_t *bytes, size_t length)
{
	struct name_blob blob = {.bytes = malloc(CHECKSUM_SIZE + length), .size = CHECKSUM_SIZE + length};
	uint64_t sum = name_checksum(SEED, bytes, length);

	if (!blob.bytes)
		abort();
	for (int i = 0; i < CHECKSUM_SIZE; i++)
		blob.bytes[i] = (uint8_t)(sum >> (8 * i));
	if (length)
		memcpy(blob.bytes + CHECKSUM_SIZE, bytes, length);
	return blob;
}

static struct name_frames *new_frames(void)
{
	const struct build_id id = {.length = 20};
	struct name_source source;
	struct name_frames *frames;

	name_source_start(&source, 1, "fuzz");
	if (name_frames_create(&id, "fuzz", &source, &frames) < 0)
		abort();
	return frames;
}

static bool same_text(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

/* Every address in one has the same levels in the other. */
static void compare_frames(const struct name_frames *one, const struct name_frames *two)
{
	fuzz_require(one->items.count == two->items.count);
	for (size_t i = 0; i < one->items.count; i++) {
		const struct name_frame *frame = &one->items.items[i];
		const struct line_level *mine = frame->levels, *levels;
		size_t count;

		fuzz_require(name_frames_find(two, frame->address, &levels, &count) && count == frame->count);
		for (size_t j = 0; j < count; j++)
			fuzz_require(same_text(mine[j].function, levels[j].function) &&
				     same_text(mine[j].file, levels[j].file) &&
				     mine[j].line == levels[j].line);
	}
}

static void check_frames(const uint8_t *bytes, size_t length)
{
	struct name_blob blob = seal(bytes, length), again;
	struct name_frames *frames = new_frames(), *copy = new_frames();

	if (!name_blob_to_frames(blob.bytes, blob.size, SEED, frames)) {
		fuzz_require(!name_blob_from_frames(frames, SEED, &again));
		fuzz_require(!name_blob_to_frames(again.bytes, again.size, SEED, copy));
		compare_frames(frames, copy);
		fuzz_require(name_blob_to_frames(again.bytes, again.size, SEED + 1, copy) == -EBADMSG);
		name_blob_deinit(&again);
	}
	name_frames_destroy(frames);
	name_frames_destroy(copy);
	name_blob_deinit(&blob);
}

static void check_symbols(const uint8_t *bytes, size_t length)
{
	struct name_blob blob = seal(bytes, length), again;
	struct symbol_list list = {0}, copy = {0};

	if (!name_blob_to_symbols(blob.bytes, blob.size, SEED, &list)) {
		fuzz_require(!name_blob_from_symbols(&list, SEED, &again));
		fuzz_require(!name_blob_to_symbols(again.bytes, again.size, SEED, &copy));
		fuzz_require(list.symbols.count == copy.symbols.count && list.names.count == copy.names.count);
		for (size_t i = 0; i < list.symbols.count; i++)
			fuzz_require(list.symbols.items[i].address == copy.symbols.items[i].address &&
				     list.symbols.items[i].size == copy.symbols.items[i].size &&
				     !strcmp(list.names.items + list.symbols.items[i].name,
					     copy.names.items + copy.symbols.items[i].name));
		name_blob_deinit(&again);
	} else {
		fuzz_require(!list.symbols.count && !list.names.count);
	}
	symbol_list_deinit(&list);
	symbol_list_deinit(&copy);
	name_blob_deinit(&blob);
}

/* The first byte chooses. */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
	if (!length)
		return 0;
	if (bytes[0] & 1)
		check_symbols(bytes + 1, length - 1);
	else
		check_frames(bytes + 1, length - 1);
	return 0;
}

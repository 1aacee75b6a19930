/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "record/pick/code_pick.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/byte_buffer.h"
#include "common/cleanup.h"
#include "common/elf/call_code.h"
#include "common/sorted.h"

enum {
	BLOCK = 1 << 16,       /* bytes that are read at a time */
	PROLOGUE_MOST = 256,   /* in which a function sets up its frame record, if at all */
	RETURN_BYTES = 4,      /* at an address, enough to recognize a return */
	SMALL_FUNCTION = 256,  /* kept whole if it jumps to another function */
	TEXT_MOST = 4 << 20,
	WINDOW_HEAD_MOST = 16, /* bytes: two varints with some reserve */
};

struct code_block { /* what was read last */
	uint64_t address;
	size_t size;
	uint8_t bytes[BLOCK];
};

/* Returns how many of the `size` bytes at the address exist; they stay in the block until the next call. */
static size_t look_at_code(const struct code_pick *pick, struct code_block *block, uint64_t address, size_t size,
			   const uint8_t **ret_bytes)
{
	uint64_t at = address - block->address;

	if (at > block->size || size > block->size - at) {
		block->address = address;
		block->size = elf_file_code(pick->file, address, BLOCK, block->bytes);
		at = 0;
	}
	*ret_bytes = block->bytes + at;
	return size < block->size - at ? size : block->size - at;
}

/* Reads all bytes, or none. */
static bool read_code(const struct code_pick *pick, struct code_block *block, uint64_t address,
		      size_t size, uint8_t *bytes)
{
	const uint8_t *found;

	if (look_at_code(pick, block, address, size, &found) < size)
		return false;
	memcpy(bytes, found, size);
	return true;
}

static int add_window(struct code_pick *pick, uint64_t address, uint64_t size)
{
	const struct code_window window = {.address = address, .size = (uint32_t)size};

	return array_push(&pick->windows, window) < 0 ? -ENOMEM : 0;
}

/* The symbol that holds the address; if there are several, one that begins last. NULL: none. */
static const struct elf_symbol *symbol_at(const struct code_pick *pick, uint64_t address)
{
	size_t above = SORTED_FIRST(i, pick->symbol_count, pick->symbols[i].address > address);
	const struct elf_symbol *symbol = above ? &pick->symbols[above - 1] : NULL;

	return symbol && address - symbol->address < symbol->size ? symbol : NULL;
}

/* --- calls, and where they lead --- */

/* A PLT entry or the like: a small function that jumps to another. */
static int add_target(struct code_pick *pick, struct code_block *block, uint64_t target)
{
	uint16_t machine = elf_file_machine(pick->file);
	const struct elf_symbol *symbol = symbol_at(pick, target);
	uint8_t bytes[SMALL_FUNCTION];
	uint64_t unused, size;

	if (read_code(pick, block, target, JUMP_CODE_BYTES, bytes) && jump_code_at(machine, bytes, target, &unused))
		return add_window(pick, target, JUMP_CODE_BYTES);
	size = symbol && symbol->address == target ? symbol->size : 0;
	if (!size || size > SMALL_FUNCTION || !read_code(pick, block, target, size, bytes) ||
	    (!jump_code_leads(machine, bytes, size, target, 0, target - 1) &&
	     !jump_code_leads(machine, bytes, size, target, target + size, UINT64_MAX)))
		return 0;
	return add_window(pick, target, size < JUMP_CODE_BYTES ? JUMP_CODE_BYTES : size);
}

static int compare(const void *left, const void *right)
{
	const uint64_t *a = left, *b = right;

	return *a < *b ? -1 : *a > *b;
}

static int add_targets(struct code_pick *pick, struct code_block *block, uint64_t *targets, size_t count)
{
	int r = 0;

	if (count)
		qsort(targets, count, sizeof(*targets), compare);
	for (size_t i = 0; !r && i < count; i++)
		if (!i || targets[i] != targets[i - 1])
			r = add_target(pick, block, targets[i]);
	return r;
}

int code_pick_calls(struct code_pick *pick, const uint64_t *hits, size_t count)
{
	_cleanup_free_ struct code_block *block = calloc(1, sizeof(*block));
	_cleanup_free_ uint64_t *targets = malloc((count + 1) * sizeof(*targets));
	uint16_t machine = elf_file_machine(pick->file);
	uint8_t bytes[CALL_CODE_BYTES];
	struct call_code call;
	size_t target_count = 0;
	int r = block && targets ? 0 : -ENOMEM;

	for (size_t i = 0; !r && i < count && hits[i] < UINT64_MAX; i++) {
		uint64_t address = hits[i] + 1;

		if (!read_code(pick, block, address - CALL_CODE_BYTES, CALL_CODE_BYTES, bytes) ||
		    !call_code_before(machine, bytes, address, &call))
			continue;
		r = add_window(pick, address - CALL_CODE_BYTES, CALL_CODE_BYTES);
		if (call.direct)
			targets[target_count++] = call.target;
	}
	return r ? r : add_targets(pick, block, targets, target_count);
}

/* --- functions --- */

int code_pick_functions(struct code_pick *pick, const uint64_t *hits, size_t count)
{
	int r = 0;

	for (size_t i = 0; !r && i < count && hits[i] < UINT64_MAX; i++) {
		const struct elf_symbol *symbol = symbol_at(pick, hits[i]);
		uint64_t most = symbol ? symbol->size < PROLOGUE_MOST ? symbol->size : PROLOGUE_MOST : 0;

		r = add_window(pick, hits[i] + 1 - CALL_CODE_BYTES, CALL_CODE_BYTES + RETURN_BYTES);
		if (!r && most)
			r = add_window(pick, symbol->address, most);
	}
	return r;
}

/* --- the text --- */

static int compare_windows(const void *left, const void *right)
{
	const struct code_window *a = left, *b = right;

	return a->address != b->address ? a->address < b->address ? -1 : 1 : 0;
}

static uint64_t end_of(const struct code_window *window)
{
	return window->address + window->size;
}

/* Sorts the windows and joins those that touch. */
static void join(struct code_pick *pick)
{
	struct code_window *windows = pick->windows.items;
	size_t kept = 0;

	if (pick->windows.count)
		qsort(windows, pick->windows.count, sizeof(*windows), compare_windows);
	for (size_t i = 0; i < pick->windows.count; i++) {
		if (!kept || windows[i].address > end_of(&windows[kept - 1]))
			windows[kept++] = windows[i];
		else if (end_of(&windows[i]) > end_of(&windows[kept - 1]))
			windows[kept - 1].size = (uint32_t)(end_of(&windows[i]) - windows[kept - 1].address);
	}
	pick->windows.count = kept;
}

static void write_windows(const struct code_pick *pick, struct code_block *block, struct byte_buffer *buffer)
{
	uint64_t end = 0;

	byte_buffer_varint(buffer, elf_file_entry(pick->file));
	for (size_t i = 0; i < pick->windows.count; i++) {
		const struct code_window *window = &pick->windows.items[i];
		const uint8_t *bytes;
		size_t size = look_at_code(pick, block, window->address, window->size, &bytes);

		if (!size)
			continue; /* an address that is not in code */
		byte_buffer_varint(buffer, window->address - end);
		byte_buffer_string(buffer, bytes, size);
		end = window->address + size;
	}
}

int code_pick_write(struct code_pick *pick, struct elf_section_bytes *ret_bytes)
{
	_cleanup_free_ struct code_block *block = calloc(1, sizeof(*block));
	_cleanup_free_ uint8_t *bytes = NULL;
	struct byte_buffer buffer = {.room = WINDOW_HEAD_MOST};

	join(pick);
	for (size_t i = 0; i < pick->windows.count; i++)
		buffer.room += WINDOW_HEAD_MOST + pick->windows.items[i].size;
	if (!pick->windows.count || buffer.room > TEXT_MOST)
		return 0;
	bytes = buffer.bytes = malloc(buffer.room);
	if (!bytes || !block)
		return -ENOMEM;
	write_windows(pick, block, &buffer);
	*ret_bytes = (struct elf_section_bytes){.bytes = steal_ptr(bytes), .size = buffer.used};
	return 0;
}

void code_pick_deinit(struct code_pick *pick)
{
	array_free(&pick->windows);
}

/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "record/pick/symbol_pick.h"

#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/elf/cfi_functions.h"
#include "common/elf/symbol_rank.h"
#include "common/sorted.h"

enum { LOOK_BACK = 64 }; /* symbols nested more deeply than this are not found */

static int symbol_compare(const void *left, const void *right)
{
	const struct elf_symbol *a = left, *b = right;

	if (a->address != b->address)
		return a->address < b->address ? -1 : 1;
	return a->name < b->name ? -1 : a->name > b->name;
}

static unsigned int rank(const struct elf_symbol *symbol)
{
	return symbol_rank(symbol->size, symbol->binding);
}

void symbol_pick_drop_lesser(struct elf_symbols *symbols)
{
	size_t kept = 0;

	if (symbols->count)
		qsort(symbols->items, symbols->count, sizeof(*symbols->items), symbol_compare);
	for (size_t i = 0, end; i < symbols->count; i = end) {
		const uint64_t address = symbols->items[i].address;
		unsigned int best = rank(&symbols->items[i]);

		for (end = i + 1; end < symbols->count && symbols->items[end].address == address; end++)
			best = rank(&symbols->items[end]) < best ? rank(&symbols->items[end]) : best;
		for (size_t k = i; k < end; k++)
			if (rank(&symbols->items[k]) == best)
				symbols->items[kept++] = symbols->items[k];
	}
	symbols->count = kept;
}

void symbol_pick_prepare(struct elf_symbol *symbols, size_t count)
{
	uint64_t next = 0;
	bool known = false;

	qsort(symbols, count, sizeof(*symbols), symbol_compare);
	for (size_t i = count; i-- > 0;) {
		if (i + 1 < count && symbols[i + 1].address != symbols[i].address) {
			next = symbols[i + 1].address;
			known = true;
		}
		if (!symbols[i].size)
			symbols[i].size = known ? next - symbols[i].address : 1;
	}
}

/* The symbols [*ret_stop, end) are those that may hold the address. */
static size_t candidates_end(const struct elf_symbol *symbols, size_t count, uint64_t address, size_t *ret_stop)
{
	size_t end = SORTED_FIRST(i, count, symbols[i].address > address);

	*ret_stop = end > LOOK_BACK ? end - LOOK_BACK : 0;
	return end;
}

bool symbol_pick_holds(const struct elf_symbol *symbols, size_t count, uint64_t address)
{
	size_t stop, end = candidates_end(symbols, count, address, &stop);

	for (size_t i = end; i-- > stop;)
		if (address - symbols[i].address < symbols[i].size)
			return true;
	return false;
}

void symbol_pick_mark(const struct elf_symbol *symbols, size_t count, const uint64_t *hits,
		      size_t hit_count, bool *keep)
{
	for (size_t h = 0; h < hit_count; h++) {
		size_t stop, end = candidates_end(symbols, count, hits[h], &stop);

		for (size_t i = end; i-- > stop;)
			if (hits[h] - symbols[i].address < symbols[i].size)
				keep[i] = true;
	}
}

/* --- functions without a symbol --- */

/* UINT64_MAX marks an address outside all segments. */
static bool all_named(const struct elf_symbols *symbols, const uint64_t *hits, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (hits[i] != UINT64_MAX && !symbol_pick_holds(symbols->items, symbols->count, hits[i]))
			return false;
	return true;
}

/* Hits ascend, so those of one function are consecutive. */
static int find_functions(const struct cfi_functions *functions, const uint64_t *hits, size_t count,
			  const struct elf_symbols *symbols, struct elf_symbols *found)
{
	const struct cfi_function *last = NULL;

	found->items = calloc(count + 1, sizeof(*found->items));
	found->names = calloc(1, 1);
	found->names_size = 1;
	if (!found->items || !found->names)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++) {
		const struct cfi_function *function = cfi_functions_find(functions, hits[i]);

		if (!function || function == last || symbol_pick_holds(symbols->items, symbols->count, hits[i]))
			continue;
		last = function;
		found->items[found->count++] = (struct elf_symbol){
			.address = function->start, .size = function->end - function->start, .type = STT_FUNC};
	}
	return 0;
}

int function_pick_add(const struct elf_file *file, const uint64_t *hits, size_t hit_count, struct elf_symbols *symbols)
{
	_cleanup_(cfi_functions_deinit) struct cfi_functions functions = {0};
	_cleanup_(elf_symbols_deinit) struct elf_symbols found = {0};
	int r;

	symbol_pick_prepare(symbols->items, symbols->count);
	if (all_named(symbols, hits, hit_count))
		return 0;
	r = cfi_functions_of_file(file, &functions);
	if (r < 0)
		return r == -ENOMEM ? r : 0; /* even without them, a module is worth its names */
	r = find_functions(&functions, hits, hit_count, symbols, &found);
	return r < 0 ? r : elf_symbols_append(symbols, &found);
}

/* --- debug files --- */

static const char FOLDER[] = "/usr/lib/debug/.build-id/";
_Static_assert(DEBUG_PICK_PATH >= sizeof(FOLDER) + 2 * BUILD_ID_MAX + sizeof("/.debug"), "room for the longest id");

bool debug_pick_path(const struct build_id *id, char path[DEBUG_PICK_PATH])
{
	int at = snprintf(path, DEBUG_PICK_PATH, "%s", FOLDER);

	if (id->length < 2 || id->length > BUILD_ID_MAX)
		return false;
	for (size_t i = 0; i < id->length; i++)
		at += snprintf(path + at, (size_t)(DEBUG_PICK_PATH - at), "%s%02x", i == 1 ? "/" : "", id->bytes[i]);
	(void)snprintf(path + at, (size_t)(DEBUG_PICK_PATH - at), ".debug");
	return true;
}

/* Keeps only those that hold a hit. */
static int keep_hit(struct elf_symbols *symbols, const uint64_t *hits, size_t hit_count)
{
	_cleanup_free_ bool *keep = calloc(symbols->count + 1, sizeof(*keep));
	size_t kept = 0;

	if (!keep)
		return -ENOMEM;
	symbol_pick_drop_lesser(symbols);
	symbol_pick_prepare(symbols->items, symbols->count);
	symbol_pick_mark(symbols->items, symbols->count, hits, hit_count, keep);
	for (size_t i = 0; i < hit_count; i++)
		if (hits[i] != UINT64_MAX)
			symbol_pick_mark(symbols->items, symbols->count, &(uint64_t){hits[i] + 1}, 1, keep);
	for (size_t i = 0; i < symbols->count; i++)
		if (keep[i])
			symbols->items[kept++] = symbols->items[i];
	symbols->count = kept;
	return 0;
}

/* Puts the remaining names next to each other, so that the rest of a large table is not kept. */
static int pack_names(struct elf_symbols *symbols)
{
	_cleanup_free_ char *names = NULL;
	size_t size = 1, at = 0;

	for (size_t i = 0; i < symbols->count; i++)
		size += strlen(symbols->names + symbols->items[i].name) + 1;
	names = calloc(size, 1);
	if (!names)
		return -ENOMEM;
	for (size_t i = 0; i < symbols->count; i++) {
		const char *name = symbols->names + symbols->items[i].name;
		size_t length = strlen(name) + 1;

		memcpy(names + at, name, length);
		symbols->items[i].name = (uint32_t)at;
		at += length;
	}
	free(symbols->names);
	symbols->names = steal_ptr(names);
	symbols->names_size = size;
	return 0;
}

int debug_pick_add(int fd, const struct build_id *id, const uint64_t *hits, size_t hit_count,
		   struct elf_symbols *symbols)
{
	_cleanup_(elf_symbols_deinit) struct elf_symbols more = {0};
	_cleanup_(elf_file_cleanup) struct elf_file *file = NULL;
	int r = elf_file_create(fd, &file);

	if (r || !id->length || !elf_file_has_build_id(file, id) || !elf_file_has_symtab(file) ||
	    elf_file_symbols(file, &more))
		return r == -ENOMEM ? r : 0;
	r = keep_hit(&more, hits, hit_count);
	if (!r)
		r = pack_names(&more);
	return r ? r : elf_symbols_append(symbols, &more);
}

/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "record/pick/function_pick.h"

#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/elf/cfi_functions.h"
#include "record/pick/symbol_pick.h"

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

/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "record/pick/symbol_pick.h"

#include <stdlib.h>

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

/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "record/symbol_pick.h"

#include <stdlib.h>

enum { LOOK_BACK = 64 }; /* symbols nested deeper than this are given up */

static int symbol_compare(const void *left, const void *right)
{
	const struct elf_symbol *a = left, *b = right;

	if (a->address != b->address)
		return a->address < b->address ? -1 : 1;
	return a->name < b->name ? -1 : a->name > b->name;
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

static size_t last_at_or_below(const struct elf_symbol *symbols, size_t count, uint64_t address)
{
	size_t low = 0, high = count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (symbols[middle].address <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low; /* one past it; 0: none */
}

void symbol_pick_mark(const struct elf_symbol *symbols, size_t count, const uint64_t *hits, size_t hit_count, bool *keep)
{
	for (size_t h = 0; h < hit_count; h++) {
		size_t end = last_at_or_below(symbols, count, hits[h]);
		size_t stop = end > LOOK_BACK ? end - LOOK_BACK : 0;

		for (size_t i = end; i-- > stop;)
			if (hits[h] - symbols[i].address < symbols[i].size)
				keep[i] = true;
	}
}

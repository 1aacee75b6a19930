/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "record/pick/variable_pick.h"

#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"

/* --- where a place is, by the file's segments --- */

static const struct elf_segment *last_segment(const struct elf_segment *segments, size_t count)
{
	const struct elf_segment *last = NULL;

	for (size_t i = 0; i < count; i++)
		if (!last || segments[i].address > last->address)
			last = &segments[i];
	return last;
}

/* Link-time address; UINT64_MAX: not in writable data. Memory that is not in the file follows what is. */
static uint64_t address_of(uint64_t place, const struct elf_segment *segments, size_t count)
{
	const struct elf_segment *last = last_segment(segments, count);
	const uint64_t offset = place & ~VARIABLE_PICK_LAST;

	if (place & VARIABLE_PICK_LAST)
		return last && last->flags & PF_W && offset < last->memory_size ? last->address + offset : UINT64_MAX;
	for (size_t i = 0; i < count; i++)
		if (segments[i].flags & PF_W && offset >= segments[i].file_offset &&
		    offset - segments[i].file_offset < segments[i].memory_size)
			return segments[i].address + (offset - segments[i].file_offset);
	return UINT64_MAX;
}

/* --- its variable --- */

static bool is_better(const struct elf_symbols *symbols, const struct elf_symbol *one, const struct elf_symbol *other)
{
	if (one->size != other->size)
		return one->size < other->size;
	if ((one->binding == STB_LOCAL) != (other->binding == STB_LOCAL))
		return other->binding == STB_LOCAL;
	return strcmp(symbols->names + one->name, symbols->names + other->name) < 0;
}

static const struct elf_symbol *find(const struct elf_symbols *symbols, uint64_t address)
{
	const struct elf_symbol *best = NULL;

	for (size_t i = 0; i < symbols->count && address != UINT64_MAX; i++) {
		const struct elf_symbol *symbol = &symbols->items[i];

		if (address - symbol->address < symbol->size && (!best || is_better(symbols, symbol, best)))
			best = symbol;
	}
	return best;
}

static int read_variables(const struct elf_file *file, int debug, struct elf_symbols *ret_symbols)
{
	_cleanup_(elf_file_cleanup) struct elf_file *other = NULL;
	_cleanup_(elf_symbols_deinit) struct elf_symbols more = {0};
	struct build_id id;
	int r = elf_file_variables(file, ret_symbols);

	if (r < 0 || debug < 0 || elf_file_has_symtab(file))
		return r;
	elf_file_build_id(file, &id);
	if (!id.length || elf_file_create(debug, &other) || !elf_file_has_build_id(other, &id) ||
	    elf_file_variables(other, &more))
		return 0;
	return elf_symbols_append(ret_symbols, &more);
}

static int keep(const struct elf_symbols *symbols, const struct elf_symbol *symbol, uint64_t address, uint64_t place,
		struct elf_symbols *found)
{
	char *name = symbols->names + symbol->name;
	struct elf_symbol item = {.address = place, .size = address - symbol->address};
	const struct elf_symbols one = {.items = &item, .count = 1, .names = name,
					.names_size = strlen(name) + 1};

	return elf_symbols_append(found, &one);
}

int variable_pick(const struct elf_file *file, int debug, const uint64_t *places, size_t count,
		  struct elf_symbols *ret_found)
{
	_cleanup_(elf_symbols_deinit) struct elf_symbols symbols = {0}, found = {0};
	const struct elf_segment *segments;
	size_t segment_count = elf_file_segments(file, &segments);
	int r = read_variables(file, debug, &symbols);

	for (size_t i = 0; i < count && !r; i++) {
		const uint64_t address = address_of(places[i], segments, segment_count);
		const struct elf_symbol *symbol = find(&symbols, address);

		if (symbol)
			r = keep(&symbols, symbol, address, places[i], &found);
	}
	if (r < 0)
		return r;
	*ret_found = found;
	found = (struct elf_symbols){0};
	return 0;
}

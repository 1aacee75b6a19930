/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/resolve/symbol/symbol_index.h"

#include <elf.h>
#include <string.h>

#include "common/array.h"
#include "common/cleanup.h"
#include "common/elf/symbol_rank.h"
#include "report/resolve/symbol/address_buckets.h"
#include "report/resolve/symbol/pretty_name.h"

static int add_name(struct symbol_list *list, const void *name, size_t length, uint32_t *ret_offset)
{
	size_t offset = list->names.count;

	if (offset + length + 1 > UINT32_MAX || array_reserve(&list->names, offset + length + 1) < 0)
		return -ENOMEM;
	memcpy(list->names.items + offset, name, length);
	list->names.items[offset + length] = '\0';
	list->names.count += length + 1;
	*ret_offset = (uint32_t)offset;
	return 0;
}

int symbol_list_add(struct symbol_list *list, uint64_t address, uint64_t size, const void *name,
		    size_t length)
{
	struct raw_symbol symbol = {.address = address, .size = size, .binding = STB_GLOBAL};
	int r = add_name(list, name, length, &symbol.name);

	return r < 0 ? r : array_push(&list->symbols, symbol);
}

int symbol_list_add_symbols(struct symbol_list *list, const struct elf_symbols *symbols, uint64_t base)
{
	size_t offset = list->names.count;

	if (offset + symbols->names_size > UINT32_MAX ||
	    array_reserve(&list->names, offset + symbols->names_size) < 0 ||
	    array_reserve(&list->symbols, list->symbols.count + symbols->count) < 0)
		return -ENOMEM;
	if (symbols->names_size)
		memcpy(list->names.items + offset, symbols->names, symbols->names_size);
	list->names.count += symbols->names_size;
	for (size_t i = 0; i < symbols->count; i++) {
		const struct elf_symbol *symbol = &symbols->items[i];

		if (symbol->name >= symbols->names_size || !symbols->names[symbol->name])
			continue;
		list->symbols.items[list->symbols.count++] =
			(struct raw_symbol){.address = symbol->address - base,
					    .size = symbol->size,
					    .name = (uint32_t)offset + symbol->name,
					    .binding = symbol->binding};
	}
	return 0;
}

int symbol_list_add_elf(struct symbol_list *list, const struct elf_file *elf, uint64_t base)
{
	_cleanup_(elf_symbols_deinit) struct elf_symbols symbols = {0};
	int r = elf_file_symbols(elf, &symbols);

	return r < 0 ? r : symbol_list_add_symbols(list, &symbols, base);
}

void symbol_list_deinit(struct symbol_list *list)
{
	array_free(&list->symbols);
	array_free(&list->names);
}

/* How many symbols back to search for an enclosing one; the last symbol ends with its page if it has no size. */
enum { NESTING_MAX = 16, PAGE = 4096 };

struct symbol_index {
	uint64_t *starts; /* ascending, separate from the rest: searching touches nothing else */
	struct symbol_rest {
		uint64_t end;
		uint32_t name;
	} *rest;
	char **pretty; /* entries: NULL if not made yet; the name itself if it is not mangled */
	size_t count;
	struct address_buckets buckets; /* of the starts */
	char *text;
};

static int sort_symbols(const struct symbol_list *list, struct radix_key **ret_keys)
{
	_cleanup_free_ struct radix_key *keys = calloc(list->symbols.count + 1, sizeof(*keys));
	int r;

	if (!keys)
		return -ENOMEM;
	for (size_t i = 0; i < list->symbols.count; i++)
		keys[i] = (struct radix_key){.key = list->symbols.items[i].address, .number = (uint32_t)i};
	r = radix_sort(&keys, list->symbols.count);
	if (!r)
		*ret_keys = steal_ptr(keys);
	return r;
}

/* --- choosing the best of several at one address --- */

static size_t underscores(const char *name)
{
	return strspn(name, "_");
}

static int compare_names(const char *a, const char *b)
{
	size_t of_a = underscores(a), of_b = underscores(b);

	if (of_a != of_b)
		return of_a < of_b ? -1 : 1;
	of_a = strlen(a);
	of_b = strlen(b);
	if (of_a != of_b)
		return of_a > of_b ? -1 : 1;
	return strcmp(a, b);
}

/* Negative: `a` is the better one. */
static int compare_aliases(const struct symbol_list *list, const struct raw_symbol *a,
			   const struct raw_symbol *b)
{
	unsigned int of_a = symbol_rank(a->size, a->binding), of_b = symbol_rank(b->size, b->binding);

	if (of_a != of_b)
		return of_a < of_b ? -1 : 1;
	return compare_names(list->names.items + a->name, list->names.items + b->name);
}

static void keep_best(struct symbol_index *index, const struct symbol_list *list,
		      const struct radix_key *keys)
{
	size_t count = list->symbols.count;

	for (size_t i = 0; i < count;) {
		const struct raw_symbol *best = &list->symbols.items[keys[i].number];
		size_t first = i;

		for (i++; i < count && keys[i].key == keys[first].key; i++) {
			const struct raw_symbol *other = &list->symbols.items[keys[i].number];

			if (compare_aliases(list, other, best) < 0)
				best = other;
		}
		index->starts[index->count] = best->address;
		index->rest[index->count].name = best->name;
		if (__builtin_add_overflow(best->address, best->size, &index->rest[index->count].end))
			index->rest[index->count].end = UINT64_MAX;
		index->count++;
	}
}

static void close_gaps(struct symbol_index *index)
{
	for (size_t i = 0; i < index->count; i++) {
		if (index->rest[i].end != index->starts[i])
			continue;
		index->rest[i].end = i + 1 < index->count ? index->starts[i + 1] :
							    (index->starts[i] | (PAGE - 1)) + 1;
	}
}

int symbol_index_create(struct symbol_list *list, struct symbol_index **ret_index)
{
	_cleanup_free_ struct radix_key *keys = NULL;
	struct symbol_index *index = calloc(1, sizeof(*index));
	size_t room = list->symbols.count + 1;
	int r = index ? sort_symbols(list, &keys) : -ENOMEM;

	if (!r) {
		index->starts = calloc(room, sizeof(*index->starts));
		index->rest = calloc(room, sizeof(*index->rest));
		r = index->starts && index->rest ? 0 : -ENOMEM;
	}
	if (r < 0) {
		symbol_index_destroy(index);
		return r;
	}
	keep_best(index, list, keys);
	close_gaps(index);
	r = address_buckets_init(&index->buckets, index->starts, index->count);
	if (r < 0) {
		symbol_index_destroy(index);
		return r;
	}
	index->text = list->names.items;
	list->names.items = NULL;
	list->names.count = list->names.capacity = 0;
	symbol_list_deinit(list);
	*ret_index = index;
	return 0;
}

void symbol_index_destroy(struct symbol_index *index)
{
	if (!index)
		return;
	for (size_t i = 0; index->pretty && i < index->count; i++)
		if (index->pretty[i] != index->text + index->rest[i].name)
			free(index->pretty[i]);
	free(index->pretty);
	free(index->starts);
	free(index->rest);
	address_buckets_deinit(&index->buckets);
	free(index->text);
	free(index);
}

bool symbol_index_find(const struct symbol_index *index, uint64_t address, uint32_t *ret_symbol)
{
	size_t at;

	if (!address_buckets_find(&index->buckets, index->starts, index->count, address, &at))
		return false;
	for (size_t back = 0; back < NESTING_MAX && back <= at; back++)
		if (address < index->rest[at - back].end) {
			*ret_symbol = (uint32_t)(at - back);
			return true;
		}
	return false;
}

uint64_t symbol_index_start(const struct symbol_index *index, uint32_t symbol)
{
	return index->starts[symbol];
}

uint64_t symbol_index_end(const struct symbol_index *index, uint32_t symbol)
{
	return index->rest[symbol].end;
}

const char *symbol_index_name(const struct symbol_index *index, uint32_t symbol)
{
	return index->text + index->rest[symbol].name;
}

const char *symbol_index_pretty_name(struct symbol_index *index, uint32_t symbol, bool full)
{
	char *name = index->text + index->rest[symbol].name;

	if (!index->pretty)
		index->pretty = calloc(index->count, sizeof(*index->pretty));
	if (!index->pretty)
		return name;
	if (!index->pretty[symbol]) {
		char *text = pretty_name(name, full);

		index->pretty[symbol] = text ? text : name;
	}
	return index->pretty[symbol];
}

size_t symbol_index_count(const struct symbol_index *index)
{
	return index->count;
}

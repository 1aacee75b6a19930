/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/resolve/symbol/symbol_index.h"

#include <string.h>

#include "common/cleanup.h"
#include "common/elf/symbol_rank.h"
#include "common/radix_sort.h"
#include "report/resolve/symbol/address_buckets.h"
#include "report/resolve/symbol/pretty_name.h"

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

/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Copies the symbols that contain an address of a stack, and those that tell where these symbols end. */
#include <errno.h>
#include <stdlib.h>

#include "common/cleanup.h"
#include "report/tool/condense_parts.h"

struct gathered_symbols { /* of one record; texts point into the payload, as in the record */
	ARRAY(struct event_symbol) symbols;
	bool *kept;
};

static void cleanup_symbols(struct gathered_symbols *gathered)
{
	array_free(&gathered->symbols);
	free(gathered->kept);
}

static int gather(struct event *event, struct gathered_symbols *gathered)
{
	struct event_symbol symbol;
	uint64_t address = 0;
	int r;

	while ((r = event_next_symbol(event, &address, &symbol)) > 0)
		if (array_push(&gathered->symbols, symbol) < 0)
			return -ENOMEM;
	if (r < 0)
		return r == -EBADMSG ? -EINVAL : r;
	gathered->kept = calloc(gathered->symbols.count + 1, sizeof(*gathered->kept));
	return gathered->kept ? 0 : -ENOMEM;
}

struct hits { /* the addresses of one module, or of one process's memory without a file */
	const struct condense_used *used;
	enum used_kind kind;
	uint32_t owner;
};

/* Addresses of callers are after the call: the last one may be the end of the function. */
static bool is_hit(const struct hits *hits, uint64_t first, uint64_t end)
{
	return condense_used_any(hits->used, hits->kind, hits->owner, first, end);
}

static bool is_within(const struct hits *hits, const struct event_symbol *symbol)
{
	uint64_t end;

	if (__builtin_add_overflow(symbol->address, symbol->size, &end))
		end = UINT64_MAX;
	return symbol->size && is_hit(hits, symbol->address, end);
}

/* The next symbol, from `from` on, that has a name, or that has none; the count if there are no more. */
static size_t find_next(const struct gathered_symbols *gathered, size_t from, bool named)
{
	while (from < gathered->symbols.count && (gathered->symbols.items[from].name.length != 0) != named)
		from++;
	return from;
}

/*
 * Keeps the symbols around a hit and the last ones before it, which are the limit for a symbol
 * without a size. If these have no size themselves, the next symbols are kept too, because they end
 * them. Symbols without a name are functions from a table of their own.
 */
static void mark(const struct hits *hits, struct gathered_symbols *gathered, bool named)
{
	const struct event_symbol *symbols = gathered->symbols.items;
	size_t count = gathered->symbols.count;
	bool extends = false; /* the previous symbols are hit and have no size */

	for (size_t i = find_next(gathered, 0, named), next; i < count; i = next) {
		bool hit, sized = true;

		for (next = i; next < count && symbols[next].address == symbols[i].address;)
			next = find_next(gathered, next + 1, named);
		hit = is_hit(hits, symbols[i].address, next < count ? symbols[next].address : UINT64_MAX);
		for (size_t k = i; k < next; k = find_next(gathered, k + 1, named)) {
			gathered->kept[k] = hit || extends || is_within(hits, &symbols[k]);
			sized &= symbols[k].size != 0;
		}
		extends = hit && !sized;
	}
}

/* If nothing in a table was hit, it must not become empty: a reader would think that it is missing. */
static size_t keep_marked(struct gathered_symbols *gathered)
{
	struct event_symbol *symbols = gathered->symbols.items;
	size_t kept = 0;

	for (size_t i = 0; i < gathered->symbols.count; i++)
		if (gathered->kept[i])
			symbols[kept++] = symbols[i];
	return kept || !gathered->symbols.count ? kept : 1;
}

/* Without segments, the addresses of the hits cannot be compared with the file's symbols. */
static int find_hits(struct condensing *condensing, const struct event *event, struct hits *ret_hits, bool *ret_all)
{
	const struct profile *profile = condensing->profile;
	int r = 0;

	*ret_hits = (struct hits){.used = &condensing->used, .kind = USED_JIT};
	*ret_all = false;
	if (event->kind == EVENT_PERF_MAP) {
		ret_hits->owner = event->perf_map.tgid;
		return 0;
	}
	ret_hits->kind = USED_CODE;
	r = chain_section_module(&condensing->context, event->embed_symbols.module, &ret_hits->owner);
	if (!r)
		*ret_all = !profile->modules.items.items[ret_hits->owner]->link_time;
	return r;
}

int condense_take_symbols(struct condensing *condensing, struct event *event)
{
	_cleanup_(cleanup_symbols) struct gathered_symbols gathered = {0};
	struct hits hits;
	size_t count;
	bool all;
	int r = gather(event, &gathered);

	if (!r)
		r = find_hits(condensing, event, &hits, &all);
	if (r < 0)
		return r;
	count = gathered.symbols.count;
	if (!all) {
		mark(&hits, &gathered, true);
		mark(&hits, &gathered, false);
		count = keep_marked(&gathered);
	}
	return count ? condense_write_symbols(condensing, event, gathered.symbols.items, count) : 0;
}

/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The names of what is in the stacks, and no others: symbols of modules and of JIT code, and source lines. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "report/profile/gather/chain.h"
#include "report/scrub/scrub_internal.h"

/* --- what was hit --- */

int scrub_note_hit(struct scrub *scrub, uint32_t process, const struct mapping *mapping, uint64_t address, bool caller)
{
	struct profile_frame frame = {.address = address, .caller = caller};
	struct scrub_hit hit = {.module = mapping->module, .mapped = address, .caller = caller};
	const struct trace_module *module = trace_model_module(scrub->model, mapping->module);
	int r = module ? chain_mapped_frame(scrub->context, process, mapping, &frame) : 0;

	if (r < 0 || !frame.module)
		return r;
	hit.number = frame.module;
	hit.address = frame.address;
	if (module->kind != MODULE_ANONYMOUS)
		hit.mapped = 0; /* the same for all processes */
	r = hash_map_add(&scrub->hit_table, &hit, sizeof(hit), 0, NULL);
	return r <= 0 ? r : array_push(&scrub->hits, hit);
}

/* --- their symbols --- */

struct named { /* one symbol of one module, or of one process's JIT code */
	uint32_t module, tgid; /* tgid 0: a module's symbol */
	struct event_symbol symbol;
};

typedef ARRAY(struct named) named_list;

static const struct module *module_of(const struct scrub *scrub, const struct scrub_hit *hit)
{
	return scrub->context->profile->modules.items.items[hit->number];
}

/* JIT code has addresses of the process. Its symbol moves with the run around it, and is cut at its ends. */
static bool move_symbol(const struct scrub *scrub, const struct scrub_hit *hit, struct event_symbol *symbol)
{
	const struct scrub_run *run = scrub_places_run(&scrub->places, hit->mapped);
	uint64_t end = symbol->address + symbol->size;

	if (!scrub_wants(scrub, SCRUB_ADDRESSES))
		return true;
	if (!run)
		return false;
	if (symbol->address < run->start)
		symbol->address = run->start;
	if (end > run->end || end < symbol->address)
		end = run->end;
	symbol->size = end - symbol->address;
	symbol->address = symbol->address - run->start + run->base;
	return true;
}

static int add(struct scrub *scrub, const struct scrub_hit *hit, struct event_symbol symbol, named_list *list)
{
	const uint32_t tgid = module_of(scrub, hit)->tgid;
	struct named named = {.module = tgid ? 0 : hit->module};
	int r = scrub_function(scrub, trace_model_module(scrub->model, hit->module), &symbol.name, &named.symbol.name);

	if (r < 0)
		return r;
	named.symbol.address = symbol.address;
	named.symbol.size = symbol.size;
	if (tgid) {
		r = scrub_pid(scrub, tgid, &named.tgid);
		if (r < 0 || !move_symbol(scrub, hit, &named.symbol))
			return r;
	}
	return array_push(list, named);
}

/* The function at the address or, if it has no name, where it starts. */
static int find_symbol(struct scrub *scrub, const struct scrub_hit *hit, named_list *list)
{
	struct modules *modules = &scrub->context->profile->modules;
	struct event_symbol symbol = {.name = {"", 0}};
	struct module_symbol found;
	int r = modules_find_symbol(modules, hit->number, hit->address, hit->caller, &found);

	if (r > 0) {
		const char *name = symbol_index_name(found.index, found.symbol);

		symbol.address = found.start;
		symbol.size = symbol_index_end(found.index, found.symbol) - found.start;
		symbol.name = (struct event_text){name, (uint32_t)strnlen(name, RWK_MAX_STRING)};
	} else if (!r) {
		r = modules_find_function(modules, hit->number, hit->address, hit->caller, &symbol.address,
					  &symbol.size);
		symbol.size -= symbol.address;
	}
	return r <= 0 ? r : add(scrub, hit, symbol, list);
}

static int compare_named(const void *left, const void *right)
{
	const struct named *l = left, *r = right;

	if (l->module != r->module)
		return l->module < r->module ? -1 : 1;
	if (l->tgid != r->tgid)
		return l->tgid < r->tgid ? -1 : 1;
	if (l->symbol.address != r->symbol.address)
		return l->symbol.address < r->symbol.address ? -1 : 1;
	return (l->symbol.name.length > 0) - (r->symbol.name.length > 0);
}

static bool is_same_place(const struct named *one, const struct named *other)
{
	return !compare_named(one, other);
}

/* --- writing --- */

/* The addresses are link-time addresses only if the trace has the segments, which may be from a local file. */
static int add_segments(struct scrub *scrub, struct event_log *log, const struct scrub_hit *hit)
{
	const struct trace_module *known = trace_model_module(scrub->model, hit->module);
	const struct module *module = module_of(scrub, hit);
	const struct event_embed_module embed = {.module = hit->module, .status = EMBED_MIN,
						 .segment_count = (uint32_t)module->segment_count,
						 .segments = module->segments};

	if (!module->link_time || known->segment_count)
		return 0;
	return event_log_add_embed_module(log, &embed);
}

static int add_group(struct event_log *log, const struct named *group, size_t count)
{
	_cleanup_free_ struct event_symbol *symbols = calloc(count, sizeof(*symbols));
	size_t kept = 0;

	if (!symbols)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++)
		if (!i || !is_same_place(&group[i - 1], &group[i]))
			symbols[kept++] = group[i].symbol;
	return group->tgid ? event_log_add_perf_map(log, group->tgid, symbols, kept) :
			     event_log_add_embed_symbols(log, group->module, symbols, kept);
}

static int add_all(struct event_log *log, named_list *list)
{
	int r = 0;

	if (list->count)
		qsort(list->items, list->count, sizeof(*list->items), compare_named);
	for (size_t first = 0, end; first < list->count && r >= 0; first = end) {
		const struct named *group = &list->items[first];

		for (end = first + 1; end < list->count; end++)
			if (list->items[end].module != group->module || list->items[end].tgid != group->tgid)
				break;
		r = add_group(log, group, end - first);
	}
	return r;
}

static int compare_hits(const void *left, const void *right)
{
	const struct scrub_hit *l = left, *r = right;

	return (l->module > r->module) - (l->module < r->module);
}

int scrub_add_symbols(struct scrub *scrub, struct event_log *log)
{
	const struct scrub_hit *hits = scrub->hits.items;
	named_list list = {0};
	int r = 0;

	if (scrub->hits.count)
		qsort(scrub->hits.items, scrub->hits.count, sizeof(*hits), compare_hits);
	for (size_t i = 0; i < scrub->hits.count && r >= 0; i++) {
		r = find_symbol(scrub, &hits[i], &list);
		if (r >= 0 && (!i || hits[i - 1].module != hits[i].module))
			r = add_segments(scrub, log, &hits[i]);
	}
	if (r >= 0)
		r = add_all(log, &list);
	array_free(&list);
	return r < 0 ? r : 0;
}

/* --- source lines --- */

static int take_level(struct scrub *scrub, const struct trace_module *module, struct event_line_level *level)
{
	const struct event_line_level given = *level;
	bool hides = scrub_wants(scrub, SCRUB_SOURCES) && !scrub_is_public(scrub, module);
	int r = scrub_function(scrub, module, &given.function, &level->function);

	/* The kernel's names are public, but the folder that it was built in is not. */
	if (module->kind == MODULE_KERNEL || module->kind == MODULE_KERNEL_MODULE)
		hides = scrub_wants(scrub, SCRUB_SOURCES) && !scrub_is_common_kernel(scrub);
	return r < 0 || !hides ? r : scrub_path(scrub, PSEUDONYM_SOURCE, &given.file, &level->file);
}

int scrub_lines(struct scrub *scrub, uint32_t id, struct event_line *lines, size_t count)
{
	const struct trace_module *module = trace_model_module(scrub->model, id);
	size_t levels = 0;

	if (!module)
		return 0;
	for (size_t i = 0; i < count; i++)
		levels += lines[i].level_count;
	scrub->levels.count = 0;
	if (array_reserve(&scrub->levels, levels) < 0)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++) {
		struct event_line_level *copy = scrub->levels.items + scrub->levels.count;

		for (uint32_t k = 0; k < lines[i].level_count; k++) {
			int r;

			copy[k] = lines[i].levels[k];
			r = take_level(scrub, module, &copy[k]);
			if (r < 0)
				return r;
		}
		scrub->levels.count += lines[i].level_count;
		lines[i].levels = copy;
	}
	return 1;
}

/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The functions that contain an address of a stack, and no others, from whatever knows their
 * names: the trace, or files of this machine. Functions without a name are written, too.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/cleanup.h"
#include "report/tool/condense_parts.h"

struct found { /* of one module, or of one process's memory without a file */
	uint32_t module, tgid; /* tgid 0: a module's */
	struct event_symbol symbol;
};

typedef ARRAY(struct found) found_list;

static const struct module *module_of(const struct condensing *condensing, const struct condense_code *code)
{
	return condensing->profile->modules.items.items[code->number];
}

/* A symbol of an index or, without one, a function of which only [start, end) is known. */
static int add(struct condensing *condensing, const struct condense_code *code, const struct module_symbol *named,
	       uint64_t start, uint64_t end, found_list *list)
{
	const uint32_t tgid = module_of(condensing, code)->tgid;
	const char *name = named ? symbol_index_name(named->index, named->symbol) : "";
	const struct found found = {.module = tgid ? 0 : code->module, .tgid = tgid,
				    .symbol = {.address = start, .size = end - start,
					       .name = {name, (uint32_t)strnlen(name, RWK_MAX_STRING)}}};

	return array_push(list, found);
}

/* The function at the address or, if it has no name, where it starts. `caller`: of the byte before it. */
static int find(struct condensing *condensing, const struct condense_code *code, bool caller, found_list *list,
		bool *any)
{
	struct modules *modules = &condensing->profile->modules;
	struct module_symbol found;
	uint64_t start, end;
	int r = modules_find_symbol(modules, code->number, code->address, caller, &found);

	if (r > 0) {
		*any = true;
		return add(condensing, code, &found, found.start, symbol_index_end(found.index, found.symbol), list);
	}
	if (!r)
		r = modules_find_function(modules, code->number, code->address, caller, &start, &end);
	return r <= 0 ? r : add(condensing, code, NULL, start, end, list);
}

/* If no symbol of the trace was hit, one stays: without any, a reader would think that the file had none. */
static int add_one(struct condensing *condensing, const struct condense_code *code, found_list *list)
{
	struct symbol_index *index = module_of(condensing, code)->embedded;
	const struct module_symbol first = {.index = index};

	if (!index || !symbol_index_count(index))
		return 0;
	return add(condensing, code, &first, symbol_index_start(index, 0), symbol_index_end(index, 0), list);
}

static int compare_found(const void *left, const void *right)
{
	const struct found *l = left, *r = right;

	return COMPARE(l->module, r->module) ?: COMPARE(l->tgid, r->tgid) ?:
	       COMPARE(l->symbol.address, r->symbol.address) ?:
	       COMPARE(l->symbol.name.length > 0, r->symbol.name.length > 0);
}

/* --- writing --- */

/* Addresses are link-time addresses only if the trace has the segments, which may be from a local file. */
static int add_segments(struct condensing *condensing, const struct condense_code *code)
{
	const struct trace_module *known = trace_model_module(condensing->model, code->module);
	const struct module *module = module_of(condensing, code);
	struct event event = {.kind = EVENT_EMBED_MODULE,
			      .embed_module = {.module = code->module, .status = EMBED_MIN,
					       .segment_count = (uint32_t)module->segment_count,
					       .segments = module->segments}};

	if (!module->link_time || !known || known->segment_count)
		return 0;
	return condense_taken(condensing, condense_write(condensing, &event));
}

static bool is_kernel(const struct condensing *condensing, uint32_t id)
{
	const struct trace_module *module = id ? trace_model_module(condensing->model, id) : NULL;

	return module && (module->kind == MODULE_KERNEL || module->kind == MODULE_KERNEL_MODULE ||
			  module->kind == MODULE_BPF || module->kind == MODULE_KERNEL_OTHER);
}

static int write_kernel(struct condensing *condensing, uint32_t module, const struct event_symbol *symbols,
			size_t count)
{
	int r = 0;

	for (size_t i = 0; i < count && r >= 0; i++) {
		struct event event = {.kind = EVENT_KERNEL_SYMBOL,
				      .kernel_symbol = {.module = module, .offset = symbols[i].address,
							.size = symbols[i].size, .name = symbols[i].name}};

		r = condense_taken(condensing, condense_write(condensing, &event));
	}
	return r;
}

static int write_group(struct condensing *condensing, const struct found *group, size_t count)
{
	_cleanup_free_ struct event_symbol *symbols = calloc(count, sizeof(*symbols));
	size_t kept = 0;

	if (!symbols)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++)
		if (!i || compare_found(&group[i - 1], &group[i]))
			symbols[kept++] = group[i].symbol;
	if (is_kernel(condensing, group->module))
		return write_kernel(condensing, group->module, symbols, kept);
	return condense_taken(condensing,
			      condense_write_symbols(condensing, group->module, group->tgid, symbols, kept));
}

static int write_all(struct condensing *condensing, found_list *list)
{
	int r = 0;

	if (list->count)
		qsort(list->items, list->count, sizeof(*list->items), compare_found);
	for (size_t first = 0, end; first < list->count && r >= 0; first = end) {
		const struct found *group = &list->items[first];

		for (end = first + 1; end < list->count; end++)
			if (list->items[end].module != group->module || list->items[end].tgid != group->tgid)
				break;
		r = write_group(condensing, group, end - first);
	}
	return r;
}

static int compare_code(const void *left, const void *right)
{
	const struct condense_code *l = left, *r = right;

	return COMPARE(l->module, r->module);
}

int condense_symbols(struct condensing *condensing)
{
	const struct condense_code *code = condensing->code.items;
	found_list list = {0};
	bool any = false;
	int r = 0;

	if (condensing->code.count)
		qsort(condensing->code.items, condensing->code.count, sizeof(*code), compare_code);
	for (size_t i = 0; i < condensing->code.count && r >= 0; i++) {
		r = find(condensing, &code[i], false, &list, &any);
		if (r >= 0)
			r = find(condensing, &code[i], true, &list, &any);
		if (r < 0 || (i + 1 < condensing->code.count && code[i + 1].module == code[i].module))
			continue;
		r = any ? 0 : add_one(condensing, &code[i], &list);
		any = false;
		if (r >= 0)
			r = add_segments(condensing, &code[i]);
	}
	if (r >= 0)
		r = write_all(condensing, &list);
	array_free(&list);
	return r < 0 ? r : 0;
}

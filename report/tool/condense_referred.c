/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What events refer to. A mapping is kept if one of its pages was hit in its process or in a
 * descendant, and so are the forks, execs and exits on the way. Everything that a reader looks up
 * for the events is found as before.
 */
#include "common/hash.h"
#include "report/tool/condense_parts.h"

enum { PAGE_BITS = 12 };

uint64_t condense_build_id_hash(const struct trace_module *module)
{
	uint64_t hash = hash_mix(module->build_id.length + 1);

	for (size_t i = 0; i < module->build_id.length; i++)
		hash = hash_mix(hash ^ module->build_id.bytes[i]);
	return module->build_id.length ? hash : 0;
}

/* --- after the last event --- */

static int add_processes(struct condense_used *used)
{
	size_t count = used->items.count;
	int r = 0;

	for (size_t i = 0; i < count && r >= 0; i++)
		if (used->items.items[i].owner >> 32 == USED_PROCESS)
			r = condense_used_add(used, USED_LINEAGE, (uint32_t)used->items.items[i].owner, 0);
	return r < 0 ? r : 0;
}

/* A child is forked after its parent, so one backward pass finds all ancestors. */
static int add_ancestors(struct condense_used *used, const struct timeline *timeline)
{
	int r = 0;

	for (size_t i = timeline->entries.count; i-- > 0 && r >= 0;) {
		const struct timeline_entry *entry = &timeline->entries.items[i];

		if (entry->kind == TIMELINE_FORK && condense_used_has(used, USED_LINEAGE, entry->tgid, 0))
			r = condense_used_add(used, USED_LINEAGE, entry->other, 0);
	}
	return r < 0 ? r : 0;
}

/* Distinguishes the mappings of a process. */
static uint64_t mapping_key(uint64_t time, uint64_t start)
{
	return time ^ hash_mix(start + 1);
}

/* If no mapping of a process was hit, its first one is kept, so that the process is known. */
static int add_first(struct condense_used *used, const struct timeline_entry *entry)
{
	int r = condense_used_add(used, USED_BLIND, entry->tgid, 1);

	if (r <= 0 || entry->kind != TIMELINE_MAP)
		return r;
	r = condense_used_add(used, USED_MODULE, entry->other, 0);
	return r < 0 ? r : condense_used_add(used, USED_PAGE, entry->other, entry->start >> PAGE_BITS);
}

static int add_mapping(struct condense_used *used, const struct timeline_entry *entry)
{
	int r = 0;

	if (condense_used_has(used, USED_BLIND, entry->tgid, 0))
		r = add_first(used, entry);
	if (r >= 0 && entry->kind == TIMELINE_MAP && entry->time &&
	    condense_used_has(used, USED_LINEAGE, entry->tgid, 0))
		r = condense_used_add(used, USED_LATE, entry->tgid, mapping_key(entry->time, entry->start));
	return r;
}

int condense_settle(struct condensing *condensing)
{
	const struct timeline *timeline = &condensing->model->timeline;
	int r = add_processes(&condensing->used);

	if (!r)
		r = add_ancestors(&condensing->used, timeline);
	for (size_t i = 0; i < timeline->entries.count && r >= 0; i++)
		r = add_mapping(&condensing->used, &timeline->entries.items[i]);
	if (r < 0)
		return r;
	condense_used_sort(&condensing->used);
	return 0;
}

/* --- records --- */

static bool is_lineage(const struct condensing *condensing, uint32_t tgid)
{
	return condense_used_has(&condensing->used, USED_LINEAGE, tgid, 0);
}

/* Another module of the same file may have brought its symbols. */
static bool is_module(const struct condensing *condensing, uint32_t id)
{
	const struct trace_module *module = trace_model_module(condensing->model, id);
	uint64_t hash = module ? condense_build_id_hash(module) : 0;

	if (condense_used_has(&condensing->used, USED_MODULE, id, 0))
		return true;
	return hash && (module->segment_count || module->line_chunks.count) &&
	       condense_used_has(&condensing->used, USED_BUILD_ID, 0, hash);
}

/*
 * Mappings from before the recording are valid from the beginning of time, unless something else is
 * known about the process from before they were read. That may be dropped here, so a mapping that
 * starts at a later time must say so itself.
 */
static bool is_mapping(const struct condensing *condensing, struct event_mapping *mapping)
{
	const struct condense_used *used = &condensing->used;
	uint64_t last;

	if (!mapping->length || __builtin_add_overflow(mapping->start, mapping->length - 1, &last) ||
	    !is_lineage(condensing, mapping->tgid) ||
	    !condense_used_any(used, USED_PAGE, mapping->module, mapping->start >> PAGE_BITS, last >> PAGE_BITS))
		return false;
	if (mapping->flags & MAPPING_INITIAL &&
	    condense_used_has(used, USED_LATE, mapping->tgid, mapping_key(mapping->time, mapping->start)))
		mapping->flags &= ~(uint64_t)MAPPING_INITIAL;
	return true;
}

/* The name is not needed, because the tasks of the events have it. All that matters is the new address space. */
static bool is_exec(const struct condensing *condensing, struct event_comm *comm)
{
	comm->comm.length = 0;
	return comm->flags & COMM_EXEC && is_lineage(condensing, comm->tgid);
}

/* A return address may be the first byte after the function. */
static bool is_kernel_symbol(const struct condensing *condensing, const struct event_kernel_symbol *symbol)
{
	uint64_t last;

	if (!symbol->size)
		return is_module(condensing, symbol->module);
	if (__builtin_add_overflow(symbol->offset, symbol->size, &last))
		last = UINT64_MAX;
	return condense_used_any(&condensing->used, USED_KERNEL, symbol->module, symbol->offset, last);
}

bool condense_is_referred(struct condensing *condensing, struct event *event)
{
	switch (event->kind) {
	case EVENT_MODULE:
		return is_module(condensing, event->module.id);
	case EVENT_MAPPING:
		return is_mapping(condensing, &event->mapping);
	case EVENT_FORK:
		return event->fork.tgid != event->fork.parent_tgid && is_lineage(condensing, event->fork.tgid);
	case EVENT_COMM:
		return is_exec(condensing, &event->comm);
	case EVENT_EXIT:
		return event->exit.tgid == event->exit.tid && is_lineage(condensing, event->exit.tgid);
	case EVENT_KERNEL_SYMBOL:
		return is_kernel_symbol(condensing, &event->kernel_symbol);
	case EVENT_OBJECT:
		return condense_used_has(&condensing->used, USED_OBJECT, event->object.number, 0);
	case EVENT_EMBED_MODULE:
		return is_module(condensing, event->embed_module.module);
	case EVENT_EMBED_LINES:
		return is_module(condensing, event->embed_lines.module);
	default:
		return true;
	}
}

/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What events refer to. A mapping is kept if its module was hit, in its process or a descendant, and
 * so are the forks, execs and exits on the way. Everything that a reader looks up for the events is
 * found as before.
 */
#include <string.h>

#include "common/hash_map.h"
#include "report/tool/condense_parts.h"

struct use {
	uint32_t use, owner;
	uint64_t value;
};

int condense_use(struct condensing *condensing, enum condense_use use, uint32_t owner, uint64_t value)
{
	const struct use key = {use, owner, value};

	return hash_map_add(&condensing->used, &key, sizeof(key), 0, NULL);
}

bool condense_is_used(const struct condensing *condensing, enum condense_use use, uint32_t owner, uint64_t value)
{
	const struct use key = {use, owner, value};

	return hash_map_find(&condensing->used, &key, sizeof(key));
}

int condense_use_code(struct condensing *condensing, uint32_t id, uint32_t number, uint64_t address)
{
	const struct trace_module *module = trace_model_module(condensing->model, id);
	int r = condense_use(condensing, USE_MODULE, id, 0);

	if (r > 0 && module && module->build_id.length)
		r = hash_map_add(&condensing->build_ids, module->build_id.bytes, module->build_id.length, 0, NULL);
	if (r < 0 || !module || !number)
		return r < 0 ? r : 0;
	r = condense_use(condensing, USE_CODE, number, address);
	return r <= 0 ? r : array_push(&condensing->code, ((struct condense_code){id, number, address}));
}

int condense_use_kernel(struct condensing *condensing, uint32_t id, uint64_t offset)
{
	uint32_t number = 0;
	int r = trace_model_module(condensing->model, id) ?
			chain_section_module(&condensing->context, id, &number) : 0;

	return r < 0 ? r : condense_use_code(condensing, id, number, offset);
}

int condense_use_object(struct condensing *condensing, uint32_t number)
{
	const struct trace_object *object = number ? trace_model_object(condensing->model, number) : NULL;
	int r = object ? condense_use(condensing, USE_OBJECT, number, 0) : 0;

	if (r <= 0 || object->about.kind != OBJECT_WORK)
		return r < 0 ? r : 0;
	return condense_use_kernel(condensing, object->about.module, object->about.place);
}

/* --- after the last event --- */

/* A child is forked after its parent, so one backward pass finds all ancestors. */
static int add_ancestors(struct condensing *condensing, const struct timeline *timeline)
{
	int r = 0;

	for (size_t i = timeline->entries.count; i-- > 0 && r >= 0;) {
		const struct timeline_entry *entry = &timeline->entries.items[i];

		if (entry->kind == TIMELINE_FORK && condense_is_used(condensing, USE_LINEAGE, entry->tgid, 0))
			r = condense_use(condensing, USE_LINEAGE, entry->other, 0);
	}
	return r < 0 ? r : 0;
}

/* Distinguishes the mappings of a process. */
static uint64_t mapping_key(uint64_t time, uint64_t start)
{
	return time ^ hash_mix(start + 1);
}

/* If no mapping of a process was hit, its first one is kept, so that the process is known. */
static int add_first(struct condensing *condensing, const struct timeline_entry *entry)
{
	int r = condense_use(condensing, USE_BLIND, entry->tgid, 1);

	return r <= 0 || entry->kind != TIMELINE_MAP ? r : condense_use(condensing, USE_MODULE, entry->other, 0);
}

static int add_mapping(struct condensing *condensing, const struct timeline_entry *entry)
{
	int r = 0;

	if (condense_is_used(condensing, USE_BLIND, entry->tgid, 0))
		r = add_first(condensing, entry);
	if (r >= 0 && entry->kind == TIMELINE_MAP && entry->time &&
	    condense_is_used(condensing, USE_LINEAGE, entry->tgid, 0))
		r = condense_use(condensing, USE_LATE, entry->tgid, mapping_key(entry->time, entry->start));
	return r;
}

int condense_settle(struct condensing *condensing)
{
	const struct timeline *timeline = &condensing->model->timeline;
	int r = add_ancestors(condensing, timeline);

	for (size_t i = 0; i < timeline->entries.count && r >= 0; i++)
		r = add_mapping(condensing, &timeline->entries.items[i]);
	return r < 0 ? r : 0;
}

/* --- records --- */

static bool is_lineage(const struct condensing *condensing, uint32_t tgid)
{
	return condense_is_used(condensing, USE_LINEAGE, tgid, 0);
}

/* Another module of the same file may have brought its symbols. */
static bool is_module(const struct condensing *condensing, uint32_t id)
{
	const struct trace_module *module = trace_model_module(condensing->model, id);

	if (condense_is_used(condensing, USE_MODULE, id, 0))
		return true;
	return module && module->build_id.length && (module->segment_count || module->line_chunks.count) &&
	       hash_map_find(&condensing->build_ids, module->build_id.bytes, module->build_id.length);
}

/*
 * Mappings from before the recording are valid from the beginning of time, unless something else is
 * known about the process from before they were read. That may be dropped here, so a mapping that
 * starts at a later time must say so itself.
 */
static bool is_mapping(const struct condensing *condensing, struct event_mapping *mapping)
{
	if (!is_lineage(condensing, mapping->tgid) || !condense_is_used(condensing, USE_MODULE, mapping->module, 0))
		return false;
	if (condense_is_used(condensing, USE_LATE, mapping->tgid, mapping_key(mapping->time, mapping->start)))
		mapping->flags &= ~(uint64_t)MAPPING_INITIAL;
	return true;
}

/* The name is not needed, because the tasks of the events have it. All that matters is the new address space. */
static bool is_exec(const struct condensing *condensing, struct event_comm *comm)
{
	comm->comm.length = 0;
	return comm->flags & COMM_EXEC && is_lineage(condensing, comm->tgid);
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
	case EVENT_OBJECT:
		return condense_is_used(condensing, USE_OBJECT, event->object.number, 0);
	case EVENT_EMBED_MODULE:
		return is_module(condensing, event->embed_module.module);
	case EVENT_EMBED_LINES:
		return is_module(condensing, event->embed_lines.module);
	default:
		return true;
	}
}

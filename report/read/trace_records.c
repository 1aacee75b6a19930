/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/read/trace_records.h"

#include <string.h>

#include "format/limits.h"
#include "report/read/trace_lists.h"

enum { METAS_MAX = 64 }; /* each new one is compared to all */

static int keep_text(struct trace_model *model, const struct event_text *text, const char **ret_text)
{
	return text_pool_add(&model->texts, text->bytes, text->length, ret_text);
}

/* --- finding existing items --- */

struct wanted {
	const struct trace_model *model;
	uint64_t a, b;
};

static bool same_module(const void *context, uint32_t number)
{
	const struct wanted *wanted = context;

	return wanted->model->modules.items[number].id == wanted->a;
}

static bool same_symbol(const void *context, uint32_t number)
{
	const struct wanted *wanted = context;
	const struct kernel_symbol *symbol = &wanted->model->kernel_symbols.items[number];

	return symbol->module == wanted->a && symbol->offset == wanted->b;
}

static uint64_t loss_key(const struct event_loss *loss)
{
	return (uint64_t)loss->source << 32 | loss->cause;
}

static bool same_loss(const void *context, uint32_t number)
{
	const struct wanted *wanted = context;
	const struct event_loss *loss = &wanted->model->losses.items[number];

	return loss_key(loss) == wanted->a && loss->cpu == wanted->b;
}

static bool same_perf_map(const void *context, uint32_t number)
{
	const struct wanted *wanted = context;

	return wanted->model->perf_maps.items[number].tgid == wanted->a;
}

static bool same_probe(const void *context, uint32_t number)
{
	const struct wanted *wanted = context;

	return wanted->model->probes.items[number].id == wanted->a;
}

/* The slot for the key (a, b), NULL: out of memory. */
static struct index_slot *find(struct index_table *table, index_equal *equal, const struct wanted *wanted,
			       uint32_t *ret_hash)
{
	*ret_hash = index_table_hash(table, wanted->a, wanted->b);
	return index_table_find(table, *ret_hash, equal, wanted);
}

/* Finds an item or appends it; for arrays of plain items with a key of two numbers. */
#define FIND_OR_PUSH(model, array, table, equal, key_a, key_b, ret_item, ...)                                          \
	({                                                                                                             \
		struct wanted wanted_ = {.model = (model), .a = (key_a), .b = (key_b)};                                \
		uint32_t hash_;                                                                                        \
		struct index_slot *slot_ = find(&(model)->table, equal, &wanted_, &hash_);                             \
		int r_ = slot_ ? 0 : -ENOMEM;                                                                          \
                                                                                                                       \
		if (!r_ && !slot_->number) {                                                                           \
			r_ = array_push(&(model)->array, __VA_ARGS__);                                                 \
			if (!r_)                                                                                       \
				index_table_set(&(model)->table, slot_, hash_, (uint32_t)((model)->array.count - 1));  \
		}                                                                                                      \
		if (!r_)                                                                                               \
			*(ret_item) = &(model)->array.items[slot_->number - 1];                                        \
		r_;                                                                                                    \
	})

struct trace_module *trace_model_module(const struct trace_model *model, uint32_t id)
{
	struct wanted wanted = {.model = model, .a = id};
	uint32_t hash = index_table_hash(&model->module_table, id, 0);
	const struct index_slot *slot = index_table_lookup(&model->module_table, hash, same_module, &wanted);

	return slot ? &model->modules.items[slot->number - 1] : NULL;
}

struct trace_perf_map *trace_model_perf_map(const struct trace_model *model, uint32_t tgid)
{
	struct wanted wanted = {.model = model, .a = tgid};
	uint32_t hash = index_table_hash(&model->perf_map_table, tgid, 0);
	const struct index_slot *slot = index_table_lookup(&model->perf_map_table, hash,
							   same_perf_map, &wanted);

	return slot ? &model->perf_maps.items[slot->number - 1] : NULL;
}

const char *trace_model_kernel_function(const struct trace_model *model, uint32_t module, uint64_t offset)
{
	struct wanted wanted = {.model = model, .a = module, .b = offset};
	uint32_t hash = index_table_hash(&model->symbol_table, module, offset);
	const struct index_slot *slot = index_table_lookup(&model->symbol_table, hash, same_symbol, &wanted);

	return slot ? model->kernel_symbols.items[slot->number - 1].name : NULL;
}

const struct trace_probe *trace_model_probe(const struct trace_model *model, uint32_t id)
{
	struct wanted wanted = {.model = model, .a = id};
	uint32_t hash = index_table_hash(&model->probe_table, id, 0);
	const struct index_slot *slot = index_table_lookup(&model->probe_table, hash, same_probe, &wanted);

	return slot ? &model->probes.items[slot->number - 1] : NULL;
}

static int find_module(struct trace_model *model, uint32_t id, struct trace_module **ret_module)
{
	if (id == 0 || id > RWK_MAX_MODULES) {
		model->unknown_records++;
		return 0;
	}
	return FIND_OR_PUSH(model, modules, module_table, same_module, id, 0, ret_module,
			    (struct trace_module){.id = id, .path = ""});
}

/* --- who, where, when --- */

static int add_meta(struct trace_model *model, uint32_t chunk, const struct event *event)
{
	struct trace_meta meta;
	int r = keep_text(model, &event->meta.key, &meta.key);

	(void)chunk;
	if (!r)
		r = keep_text(model, &event->meta.value, &meta.value);
	if (r < 0)
		return r;
	for (size_t i = 0; i < model->metas.count; i++)
		if (model->metas.items[i].key == meta.key) { /* equal texts have the same pointer */
			model->metas.items[i].value = meta.value;
			return 0;
		}
	if (model->metas.count == METAS_MAX) {
		model->unknown_records++;
		return 0;
	}
	return array_push(&model->metas, meta);
}

static int add_clock(struct trace_model *model, uint32_t chunk, const struct event *event)
{
	(void)chunk;
	return array_push(&model->clocks, event->clock);
}

static int add_source(struct trace_model *model, uint32_t chunk, const struct event *event)
{
	struct trace_source source = {.event = event->source};
	uint16_t *place;
	int r = keep_text(model, &event->source.name, &source.name);

	(void)chunk;
	if (r < 0)
		return r;
	if (source.event.id == 0 || source.event.id > RWK_MAX_SOURCES) {
		model->unknown_records++;
		return 0;
	}
	place = &model->source_places[source.event.id];
	if (*place) {
		model->sources.items[*place - 1] = source;
		return 0;
	}
	*place = (uint16_t)(model->sources.count + 1);
	return array_push(&model->sources, source);
}

/* --- probes --- */

static int find_probe(struct trace_model *model, uint32_t id, struct trace_probe **ret_probe)
{
	if (id == 0 || id > RWK_MAX_PROBES) {
		model->unknown_records++;
		return 0;
	}
	return FIND_OR_PUSH(model, probes, probe_table, same_probe, id, 0, ret_probe,
			    (struct trace_probe){.id = id, .name = ""});
}

static int add_probe(struct trace_model *model, uint32_t chunk, const struct event *event)
{
	const struct event_probe *record = &event->probe;
	struct trace_probe *probe = NULL;
	int r = find_probe(model, record->id, &probe);

	(void)chunk;
	if (r < 0 || !probe)
		return r;
	probe->source = record->source;
	probe->hook = record->hook;
	return keep_text(model, &record->name, &probe->name);
}

static int add_probe_hits(struct trace_model *model, uint32_t chunk, const struct event *event)
{
	const struct event_probe_hits *record = &event->probe_hits;
	struct trace_probe *probe = NULL;
	int r = find_probe(model, record->probe, &probe);

	(void)chunk;
	if (r < 0 || !probe)
		return r;
	/* If chunks are missing, file order is not time order. */
	if (!probe->counted || record->time >= probe->hits.time)
		probe->hits = *record;
	if (record->time <= model->window.since)
		probe->before = *record;
	probe->counted = true;
	return 0;
}

/* --- modules and kernel symbols --- */

static int add_module(struct trace_model *model, uint32_t chunk, const struct event *event)
{
	const struct event_module *record = &event->module;
	struct trace_module *module = NULL;
	const char *path;
	int r = find_module(model, record->id, &module);

	(void)chunk;
	if (r < 0 || !module)
		return r;
	r = keep_text(model, &record->path, &path);
	if (r < 0)
		return r;
	module->kind = record->kind;
	module->path = path;
	module->device = record->device;
	module->inode = record->inode;
	module->base = record->base;
	module->flags = record->flags;
	module->build_id = build_id_of(record->build_id.bytes, record->build_id.length);
	return 0;
}

static int add_kernel_symbol(struct trace_model *model, uint32_t chunk, const struct event *event)
{
	const struct event_kernel_symbol *record = &event->kernel_symbol;
	struct kernel_symbol *symbol, fresh = {.module = record->module, .offset = record->offset};
	int r = FIND_OR_PUSH(model, kernel_symbols, symbol_table, same_symbol, record->module,
			     record->offset, &symbol, fresh);

	(void)chunk;
	if (r < 0)
		return r;
	symbol->size = record->size;
	return keep_text(model, &record->name, &symbol->name);
}

/* --- address spaces --- */

static int add_mapping(struct trace_model *model, uint32_t chunk, const struct event *event)
{
	const struct event_mapping *record = &event->mapping;
	struct timeline_entry entry = {
		.time = record->time,
		.kind = record->flags & MAPPING_INITIAL ? TIMELINE_MAP_BEFORE : TIMELINE_MAP,
		.tgid = record->tgid,
		.other = record->module,
		.start = record->start,
		.length = record->length,
		.file_offset = record->file_offset,
	};

	(void)chunk;
	if (record->flags & MAPPING_COPIED) {
		if (array_push(&model->copied,
			       (struct copied_code){.module = record->module, .tgid = record->tgid}) < 0)
			return -ENOMEM;
		entry.note = (uint32_t)model->copied.count;
	}
	return timeline_add(&model->timeline, &entry);
}

static int add_fork(struct trace_model *model, uint32_t chunk, const struct event *event)
{
	const struct event_fork *record = &event->fork;
	struct timeline_entry entry = {.time = record->time, .kind = TIMELINE_FORK,
				       .tgid = record->tgid, .other = record->parent_tgid};

	(void)chunk;
	return record->tgid == record->parent_tgid ? 0 : timeline_add(&model->timeline, &entry);
}

static int add_comm(struct trace_model *model, uint32_t chunk, const struct event *event)
{
	const struct event_comm *record = &event->comm;
	struct timeline_entry entry = {.time = record->time, .kind = TIMELINE_EXEC, .tgid = record->tgid};

	struct trace_comm comm = {.time = record->time, .tgid = record->tgid};
	int r = record->tid == record->tgid ? keep_text(model, &record->comm, &comm.comm) : 0;

	(void)chunk;
	if (!r && comm.comm && *comm.comm)
		r = array_push(&model->comms, comm);
	return r < 0 || !(record->flags & COMM_EXEC) ? r : timeline_add(&model->timeline, &entry);
}

static int add_exit(struct trace_model *model, uint32_t chunk, const struct event *event)
{
	const struct event_exit *record = &event->exit;
	struct timeline_entry entry = {.time = record->time, .kind = TIMELINE_EXIT, .tgid = record->tgid};

	(void)chunk;
	return record->tgid == record->tid ? timeline_add(&model->timeline, &entry) : 0;
}

static int add_maps_unavailable(struct trace_model *model, uint32_t chunk, const struct event *event)
{
	(void)chunk;
	return array_push(&model->maps_unavailable, event->maps_unavailable);
}

/* --- losses and cost --- */

static int add_loss(struct trace_model *model, uint32_t chunk, const struct event *event)
{
	struct event_loss *loss;
	uint64_t *before;
	int r = FIND_OR_PUSH(model, losses, loss_table, same_loss, loss_key(&event->loss),
			     event->loss.cpu, &loss, event->loss);

	(void)chunk;
	if (!r && model->losses_before.count < model->losses.count)
		r = array_push(&model->losses_before, (uint64_t){0});
	if (r < 0)
		return r;
	before = &model->losses_before.items[loss - model->losses.items];
	/* Totals only grow; if chunks are missing, file order is not time order. */
	if (event->loss.total > loss->total)
		*loss = event->loss;
	if (event->loss.time <= model->window.since && event->loss.total > *before)
		*before = event->loss.total;
	return 0;
}

static int add_cost(struct trace_model *model, uint32_t chunk, const struct event *event)
{
	(void)chunk;
	if (event->cost.time >= model->cost.time)
		model->cost = event->cost;
	if (event->cost.time <= model->window.since)
		model->cost_before = event->cost;
	return 0;
}

/* --- embedded --- */

static int add_embed_module(struct trace_model *model, uint32_t chunk, const struct event *event)
{
	const struct event_embed_module *record = &event->embed_module;
	struct event_segment *segments = NULL;
	struct trace_module *module = NULL;
	int r = find_module(model, record->module, &module);

	(void)chunk;
	if (r < 0 || !module)
		return r;
	if (record->segment_count) {
		segments = calloc(record->segment_count, sizeof(*segments));
		if (!segments)
			return -ENOMEM;
		memcpy(segments, record->segments, record->segment_count * sizeof(*segments));
	}
	free(module->segments);
	module->segments = segments;
	module->segment_count = record->segment_count;
	module->embed_status = record->status;
	module->machine = record->machine;
	return 0;
}

/* Adds the chunk once, even if it has several records. */
static int note_chunk(void *list, uint32_t chunk)
{
	chunk_list *chunks = list;

	if (chunks->count && chunks->items[chunks->count - 1] == chunk)
		return 0;
	return array_push(chunks, chunk);
}

static int add_embed_symbols(struct trace_model *model, uint32_t chunk, const struct event *event)
{
	struct trace_module *module = NULL;
	int r = find_module(model, event->embed_symbols.module, &module);

	return r < 0 || !module ? r : note_chunk(&module->symbol_chunks, chunk);
}

static int add_embed_unwind(struct trace_model *model, uint32_t chunk, const struct event *event)
{
	const bool mini = event->embed_unwind.section == UNWIND_MINI_DEBUG_INFO;
	struct trace_module *module = NULL;
	int r = find_module(model, event->embed_unwind.module, &module);

	return r < 0 || !module ? r : note_chunk(mini ? &module->mini_chunks : &module->unwind_chunks, chunk);
}

static int add_embed_lines(struct trace_model *model, uint32_t chunk, const struct event *event)
{
	struct trace_module *module = NULL;
	int r = find_module(model, event->embed_lines.module, &module);

	return r < 0 || !module ? r : note_chunk(&module->line_chunks, chunk);
}

static int add_perf_map(struct trace_model *model, uint32_t chunk, const struct event *event)
{
	struct trace_perf_map *map, fresh = {.tgid = event->perf_map.tgid};
	int r = FIND_OR_PUSH(model, perf_maps, perf_map_table, same_perf_map, fresh.tgid, 0, &map, fresh);

	return r < 0 ? r : note_chunk(&map->chunks, chunk);
}

int trace_records_add_perf_maps(struct trace_model *model, const struct trace_model *addition)
{
	int r = 0;

	for (size_t i = 0; i < addition->perf_maps.count && !r; i++) {
		const struct trace_perf_map *from = &addition->perf_maps.items[i];
		const struct event event = {.perf_map.tgid = from->tgid};

		for (size_t k = 0; k < from->chunks.count && !r; k++)
			r = add_perf_map(model, from->chunks.items[k], &event);
	}
	return r;
}

typedef int add_record(struct trace_model *model, uint32_t chunk, const struct event *event);

int trace_model_add_record(struct trace_model *model, uint32_t chunk, const struct event *event)
{
	static add_record *const add[] = {
		[EVENT_META] = add_meta,
		[EVENT_CLOCK] = add_clock,
		[EVENT_SOURCE] = add_source,
		[EVENT_PROBE] = add_probe,
		[EVENT_PROBE_HITS] = add_probe_hits,
		[EVENT_MODULE] = add_module,
		[EVENT_MAPPING] = add_mapping,
		[EVENT_FORK] = add_fork,
		[EVENT_COMM] = add_comm,
		[EVENT_EXIT] = add_exit,
		[EVENT_KERNEL_SYMBOL] = add_kernel_symbol,
		[EVENT_LOSS] = add_loss,
		[EVENT_COST] = add_cost,
		[EVENT_MAPS_UNAVAILABLE] = add_maps_unavailable,
		[EVENT_UNSURE] = trace_lists_unsure,
		[EVENT_COUNTER] = trace_lists_counter,
		[EVENT_EMBED_MODULE] = add_embed_module,
		[EVENT_EMBED_SYMBOLS] = add_embed_symbols,
		[EVENT_PERF_MAP] = add_perf_map,
		[EVENT_EMBED_UNWIND] = add_embed_unwind,
		[EVENT_EMBED_LINES] = add_embed_lines,
		[EVENT_WINDOW] = trace_lists_window,
		[EVENT_TRIGGER] = trace_lists_trigger,
		[EVENT_BUDGET] = trace_lists_budget,
		[EVENT_OBJECT] = trace_lists_object,
		[EVENT_OBJECT_NAME] = trace_lists_object_name,
		[EVENT_CGROUP] = trace_lists_cgroup,
	};

	if ((size_t)event->kind >= sizeof(add) / sizeof(add[0]) || !add[event->kind])
		return 0;
	return add[event->kind](model, chunk, event);
}

/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/read/trace_records.h"

#include <errno.h>
#include <string.h>

#include "format/call_names.h"
#include "format/limits.h"

enum { TRIGGERS_MAX = 65536, BUDGETS_MAX = 65536 };
enum { METAS_MAX = 64, UNSURE_MAX = 4096, COUNTERS_MAX = 2 * RWK_MAX_CPUS }; /* each new one is compared to all */

/* --- finding items by a key of one or two numbers --- */

enum { MODULES, SYMBOLS, LOSSES, PERF_MAPS, PROBES, OBJECTS, CGROUPS }; /* trace_model.tables */

struct wanted {
	const struct trace_model *model;
	uint64_t a, b;
};

static bool same_module(const void *context, uint32_t number)
{
	const struct wanted *wanted = context;

	return wanted->model->modules.items[number].id == wanted->a;
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

static bool same_object(const void *context, uint32_t number)
{
	const struct wanted *wanted = context;

	return wanted->model->objects.items[number].about.number == wanted->a;
}

static bool same_cgroup(const void *context, uint32_t number)
{
	const struct wanted *wanted = context;

	return wanted->model->cgroups.items[number].id == wanted->a;
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

/* Finds an item, or returns NULL. */
#define FIND(model, array, table, equal, key_a, key_b)                                                             \
	({                                                                                                         \
		const struct wanted wanted_ = {(model), (key_a), (key_b)};                                         \
		const struct index_slot *slot_ = index_table_lookup(                                               \
			&(model)->tables[table], index_table_hash(&(model)->tables[table], wanted_.a, wanted_.b), equal, &wanted_); \
                                                                                                                   \
		slot_ ? &(model)->array.items[slot_->number - 1] : NULL;                                           \
	})

/* Finds an item or appends it. */
#define FIND_OR_PUSH(model, array, table, equal, key_a, key_b, ret_item, ...)                                      \
	({                                                                                                         \
		const struct wanted wanted_ = {(model), (key_a), (key_b)};                                         \
		uint32_t number_;                                                                                  \
		int r_ = index_table_add(&(model)->tables[table], index_table_hash(&(model)->tables[table], wanted_.a, wanted_.b), \
					 equal, &wanted_, (uint32_t)(model)->array.count, &number_);               \
                                                                                                                   \
		if (r_ > 0)                                                                                        \
			r_ = array_push(&(model)->array, __VA_ARGS__);                                             \
		if (!r_)                                                                                           \
			*(ret_item) = &(model)->array.items[number_];                                              \
		r_;                                                                                                \
	})

struct trace_module *trace_model_module(const struct trace_model *model, uint32_t id)
{
	return FIND(model, modules, MODULES, same_module, id, 0);
}

struct trace_perf_map *trace_model_perf_map(const struct trace_model *model, uint32_t tgid)
{
	return FIND(model, perf_maps, PERF_MAPS, same_perf_map, tgid, 0);
}

const struct trace_probe *trace_model_probe(const struct trace_model *model, uint32_t id)
{
	return FIND(model, probes, PROBES, same_probe, id, 0);
}

struct trace_object *trace_model_object(const struct trace_model *model, uint32_t number)
{
	return FIND(model, objects, OBJECTS, same_object, number, 0);
}

const struct trace_cgroup *trace_model_cgroup(const struct trace_model *model, uint64_t id)
{
	return FIND(model, cgroups, CGROUPS, same_cgroup, id, 0);
}

const char *trace_model_kernel_function(const struct trace_model *model, uint32_t module, uint64_t offset)
{
	const struct kernel_symbol *symbol = FIND(model, kernel_symbols, SYMBOLS, same_symbol, module, offset);

	return symbol ? symbol->name : NULL;
}

/* Records that are not used. */
static int skip(struct trace_model *model)
{
	model->unknown_records++;
	return 0;
}

/* These find or add an item. It is NULL if the number is invalid. */

static int find_module(struct trace_model *model, uint32_t id, struct trace_module **ret_module)
{
	*ret_module = NULL;
	if (id == 0 || id > RWK_MAX_MODULES)
		return skip(model);
	return FIND_OR_PUSH(model, modules, MODULES, same_module, id, 0, ret_module,
			    (struct trace_module){.id = id, .path = ""});
}

static int find_probe(struct trace_model *model, uint32_t id, struct trace_probe **ret_probe)
{
	*ret_probe = NULL;
	if (id == 0 || id > RWK_MAX_PROBES)
		return skip(model);
	return FIND_OR_PUSH(model, probes, PROBES, same_probe, id, 0, ret_probe,
			    (struct trace_probe){.id = id, .name = ""});
}

static int find_object(struct trace_model *model, uint32_t number, struct trace_object **ret_object)
{
	*ret_object = NULL;
	if (number == 0 || number > RWK_MAX_OBJECTS)
		return skip(model);
	return FIND_OR_PUSH(model, objects, OBJECTS, same_object, number, 0, ret_object,
			    (struct trace_object){.about = {.number = number}, .path = ""});
}

static int intern_text(struct trace_model *model, const struct event_text *text, const char **ret_text)
{
	return text_pool_add(&model->texts, text->bytes, text->length, ret_text);
}

/* --- what waits were for --- */

size_t trace_model_call_name(const struct trace_model *model, uint64_t call, const char **ret_name)
{
	const char *machine = trace_model_meta(model, "machine");
	bool compat = (call & ((1 << WAIT_CALL_BITS) - 1)) == WAIT_IN_COMPAT_CALL;

	return call_name(call_table_of(machine ? machine : "", compat), call >> WAIT_CALL_BITS, ret_name);
}

static int add_object(struct trace_model *model, const struct event *event)
{
	struct trace_object *object;
	int r = find_object(model, event->object.number, &object);

	if (r < 0 || !object)
		return r;
	object->about = event->object;
	object->about.name = (struct event_text){0}; /* it is valid during this call only */
	if (object->about.kind != OBJECT_LOCK && object->about.kind != OBJECT_BLOCK)
		return 0;
	return intern_text(model, &event->object.name, &object->path);
}

static bool is_address(const struct event_text *text)
{
	return text->length == RWK_MAX_ADDRESS;
}

static int add_object_name(struct trace_model *model, const struct event *event)
{
	const struct event_object_name *name = &event->object_name;
	struct trace_object *object;
	int r = find_object(model, name->number, &object);

	if (r < 0 || !object)
		return r;
	object->has_addresses = is_address(&name->address) && is_address(&name->peer_address);
	if (object->has_addresses) {
		memcpy(object->address, name->address.bytes, RWK_MAX_ADDRESS);
		memcpy(object->peer_address, name->peer_address.bytes, RWK_MAX_ADDRESS);
	}
	return intern_text(model, &name->path, &object->path);
}

/* --- control groups --- */

static int add_cgroup(struct trace_model *model, const struct event *event)
{
	const struct event_cgroup *record = &event->cgroup;
	struct trace_cgroup *cgroup;
	int r = FIND_OR_PUSH(model, cgroups, CGROUPS, same_cgroup, record->id, 0, &cgroup,
			     (struct trace_cgroup){.id = record->id, .path = ""});

	if (r < 0)
		return r;
	if (record->flags & CGROUP_REMOVED)
		cgroup->removed = record->time;
	else
		cgroup->made = record->time;
	cgroup->initial |= !!(record->flags & CGROUP_INITIAL);
	if (!record->path.length)
		return 0;
	return intern_text(model, &record->path, &cgroup->path);
}

/* --- the recording's own --- */

/* A linear search is enough: the recorder limits their number. */
static int add_unsure(struct trace_model *model, const struct event *event)
{
	const struct event_unsure *record = &event->unsure;

	for (size_t i = 0; i < model->unsure.count; i++) {
		struct event_unsure *known = &model->unsure.items[i];

		if (known->cpu != record->cpu || known->time != record->time)
			continue;
		if (record->until > known->until)
			*known = *record;
		return 0;
	}
	if (model->unsure.count == UNSURE_MAX)
		return skip(model);
	return array_push(&model->unsure, *record);
}

static int add_window(struct trace_model *model, const struct event *event)
{
	model->window = event->window;
	return 0;
}

static int add_trigger(struct trace_model *model, const struct event *event)
{
	struct trace_trigger trigger = {.about = event->trigger};
	const struct event_text *rule = &event->trigger.rule, *comm = &event->trigger.comm;
	int r;

	if (model->triggers.count == TRIGGERS_MAX)
		return skip(model);
	r = intern_text(model, rule, &trigger.rule);
	if (!r)
		r = intern_text(model, comm, &trigger.comm);
	return r < 0 ? r : array_push(&model->triggers, trigger);
}

/* A record that is older than the previous one is damaged, or from another section's time. */
static int add_budget(struct trace_model *model, const struct event *event)
{
	const size_t count = model->budgets.count;
	const struct event_budget *last = count ? &model->budgets.items[count - 1] : NULL;

	if (count == BUDGETS_MAX || (last && event->budget.time < last->time))
		return skip(model);
	return last && last->step == event->budget.step ? 0 : array_push(&model->budgets, event->budget);
}

const struct trace_trigger *trace_model_reason(const struct trace_model *model)
{
	for (size_t i = model->window.dump ? model->triggers.count : 0; i-- > 0;)
		if (model->triggers.items[i].about.dump == model->window.dump)
			return &model->triggers.items[i];
	return NULL;
}

static int add_counter(struct trace_model *model, const struct event *event)
{
	const struct event_counter *record = &event->counter;
	counter_list *list = record->time <= model->window.since ? &model->counters_before : &model->counters;

	for (size_t i = list->count; i-- > 0;) { /* usually it is the last one, or there is none */
		struct event_counter *known = &list->items[i];

		if (known->source != record->source || known->cpu != record->cpu)
			continue;
		if (record->time >= known->time)
			*known = *record;
		return 0;
	}
	if (list->count == COUNTERS_MAX)
		return skip(model);
	return array_push(list, *record);
}

/* --- who, where, when --- */

static int add_meta(struct trace_model *model, const struct event *event)
{
	struct trace_meta meta;
	int r = intern_text(model, &event->meta.key, &meta.key);

	if (!r)
		r = intern_text(model, &event->meta.value, &meta.value);
	if (r < 0)
		return r;
	for (size_t i = 0; i < model->metas.count; i++)
		if (model->metas.items[i].key == meta.key) { /* equal texts have the same pointer */
			model->metas.items[i].value = meta.value;
			return 0;
		}
	if (model->metas.count == METAS_MAX)
		return skip(model);
	return array_push(&model->metas, meta);
}

static int add_clock(struct trace_model *model, const struct event *event)
{
	return array_push(&model->clocks, event->clock);
}

static int add_source(struct trace_model *model, const struct event *event)
{
	struct trace_source source = {.event = event->source};
	uint16_t *place;
	int r = intern_text(model, &event->source.name, &source.name);

	if (r < 0)
		return r;
	if (source.event.id == 0 || source.event.id > RWK_MAX_SOURCES)
		return skip(model);
	place = &model->source_places[source.event.id];
	if (*place) {
		model->sources.items[*place - 1] = source;
		return 0;
	}
	*place = (uint16_t)(model->sources.count + 1);
	return array_push(&model->sources, source);
}

/* --- probes --- */

static int add_probe(struct trace_model *model, const struct event *event)
{
	const struct event_probe *record = &event->probe;
	struct trace_probe *probe;
	int r = find_probe(model, record->id, &probe);

	if (r < 0 || !probe)
		return r;
	probe->source = record->source;
	probe->hook = record->hook;
	return intern_text(model, &record->name, &probe->name);
}

static int add_probe_hits(struct trace_model *model, const struct event *event)
{
	const struct event_probe_hits *record = &event->probe_hits;
	struct trace_probe *probe;
	int r = find_probe(model, record->probe, &probe);

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

static int add_module(struct trace_model *model, const struct event *event)
{
	const struct event_module *record = &event->module;
	struct trace_module *module;
	const char *path;
	int r = find_module(model, record->id, &module);

	if (r < 0 || !module)
		return r;
	r = intern_text(model, &record->path, &path);
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

static int add_kernel_symbol(struct trace_model *model, const struct event *event)
{
	const struct event_kernel_symbol *record = &event->kernel_symbol;
	struct kernel_symbol *symbol, fresh = {.module = record->module, .offset = record->offset};
	int r = FIND_OR_PUSH(model, kernel_symbols, SYMBOLS, same_symbol, record->module,
			     record->offset, &symbol, fresh);

	if (r < 0)
		return r;
	symbol->size = record->size;
	return intern_text(model, &record->name, &symbol->name);
}

/* --- address spaces --- */

static int add_mapping(struct trace_model *model, const struct event *event)
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

	if (record->flags & MAPPING_COPIED) {
		if (array_push(&model->copied,
			       (struct copied_code){.module = record->module, .tgid = record->tgid}) < 0)
			return -ENOMEM;
		entry.note = (uint32_t)model->copied.count;
	}
	return timeline_add(&model->timeline, &entry);
}

static int add_fork(struct trace_model *model, const struct event *event)
{
	const struct event_fork *record = &event->fork;
	struct timeline_entry entry = {.time = record->time, .kind = TIMELINE_FORK,
				       .tgid = record->tgid, .other = record->parent_tgid};
	const struct trace_comm born = {.time = record->time, .tgid = record->tgid};

	if (record->tgid == record->parent_tgid)
		return 0;
	return array_push(&model->comms, born) < 0 ? -ENOMEM : timeline_add(&model->timeline, &entry);
}

static int add_comm(struct trace_model *model, const struct event *event)
{
	const struct event_comm *record = &event->comm;
	struct timeline_entry entry = {.time = record->time, .kind = TIMELINE_EXEC, .tgid = record->tgid};

	struct trace_comm comm = {.time = record->time, .tgid = record->tgid};
	int r = record->tid == record->tgid ? intern_text(model, &record->comm, &comm.comm) : 0;

	if (!r && comm.comm && *comm.comm)
		r = array_push(&model->comms, comm);
	return r < 0 || !(record->flags & COMM_EXEC) ? r : timeline_add(&model->timeline, &entry);
}

static int add_exit(struct trace_model *model, const struct event *event)
{
	const struct event_exit *record = &event->exit;
	struct timeline_entry entry = {.time = record->time, .kind = TIMELINE_EXIT, .tgid = record->tgid};

	return record->tgid == record->tid ? timeline_add(&model->timeline, &entry) : 0;
}

static int add_maps_unavailable(struct trace_model *model, const struct event *event)
{
	return array_push(&model->maps_unavailable, event->maps_unavailable);
}

/* --- losses and cost --- */

static int add_loss(struct trace_model *model, const struct event *event)
{
	struct event_loss *loss;
	uint64_t *before;
	int r = FIND_OR_PUSH(model, losses, LOSSES, same_loss, loss_key(&event->loss),
			     event->loss.cpu, &loss, event->loss);

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

static int add_cost(struct trace_model *model, const struct event *event)
{
	if (event->cost.time >= model->cost.time)
		model->cost = event->cost;
	if (event->cost.time <= model->window.since)
		model->cost_before = event->cost;
	return 0;
}

/* --- embedded --- */

static int add_embed_module(struct trace_model *model, const struct event *event)
{
	const struct event_embed_module *record = &event->embed_module;
	struct event_segment *segments = NULL;
	struct trace_module *module;
	int r = find_module(model, record->module, &module);

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
static int add_chunk(void *list, uint32_t chunk)
{
	chunk_list *chunks = list;

	if (chunks->count && chunks->items[chunks->count - 1] == chunk)
		return 0;
	return array_push(chunks, chunk);
}

static int add_embed_symbols(struct trace_model *model, const struct event *event)
{
	struct trace_module *module;
	int r = find_module(model, event->embed_symbols.module, &module);

	return r < 0 || !module ? r : add_chunk(&module->symbol_chunks, model->chunk);
}

static int add_embed_unwind(struct trace_model *model, const struct event *event)
{
	const bool mini = event->embed_unwind.section == UNWIND_MINI_DEBUG_INFO;
	struct trace_module *module;
	int r = find_module(model, event->embed_unwind.module, &module);

	return r < 0 || !module ? r : add_chunk(mini ? &module->mini_chunks : &module->unwind_chunks, model->chunk);
}

static int add_embed_lines(struct trace_model *model, const struct event *event)
{
	struct trace_module *module;
	int r = find_module(model, event->embed_lines.module, &module);

	return r < 0 || !module ? r : add_chunk(&module->line_chunks, model->chunk);
}

static int add_perf_map(struct trace_model *model, const struct event *event)
{
	struct trace_perf_map *map, fresh = {.tgid = event->perf_map.tgid};
	int r = FIND_OR_PUSH(model, perf_maps, PERF_MAPS, same_perf_map, fresh.tgid, 0, &map, fresh);

	return r < 0 ? r : add_chunk(&map->chunks, model->chunk);
}

int trace_records_add_perf_maps(struct trace_model *model, const struct trace_model *addition)
{
	int r = 0;

	for (size_t i = 0; i < addition->perf_maps.count && !r; i++) {
		const struct trace_perf_map *from = &addition->perf_maps.items[i];
		const struct event event = {.perf_map.tgid = from->tgid};

		for (size_t k = 0; k < from->chunks.count && !r; k++) {
			model->chunk = from->chunks.items[k];
			r = add_perf_map(model, &event);
		}
	}
	return r;
}

typedef int add_record(struct trace_model *model, const struct event *event);

int trace_model_add_record(struct trace_model *model, const struct event *event)
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
		[EVENT_UNSURE] = add_unsure,
		[EVENT_COUNTER] = add_counter,
		[EVENT_EMBED_MODULE] = add_embed_module,
		[EVENT_EMBED_SYMBOLS] = add_embed_symbols,
		[EVENT_PERF_MAP] = add_perf_map,
		[EVENT_EMBED_UNWIND] = add_embed_unwind,
		[EVENT_EMBED_LINES] = add_embed_lines,
		[EVENT_WINDOW] = add_window,
		[EVENT_TRIGGER] = add_trigger,
		[EVENT_BUDGET] = add_budget,
		[EVENT_OBJECT] = add_object,
		[EVENT_OBJECT_NAME] = add_object_name,
		[EVENT_CGROUP] = add_cgroup,
	};

	if ((size_t)event->kind >= sizeof(add) / sizeof(add[0]) || !add[event->kind])
		return 0;
	return add[event->kind](model, event);
}

/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/read/trace_model.h"

#include <errno.h>
#include <string.h>

#include "format/call_names.h"
#include "report/read/trace_file.h"
#include "report/read/trace_lists.h"
#include "report/read/trace_records.h"

int trace_model_init(struct trace_model *model, struct trace_file *file, uint32_t section)
{
	struct index_table *tables[] = {&model->module_table, &model->symbol_table, &model->loss_table,
					&model->perf_map_table, &model->probe_table, &model->object_table,
					&model->cgroup_table};
	int r;

	*model = (struct trace_model){.file = file, .section = section, .host = "", .boot_id = ""};
	r = text_pool_init(&model->texts);
	if (!r)
		r = timeline_init(&model->timeline);
	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]) && !r; i++)
		r = index_table_init(tables[i]);
	return r;
}

static void deinit_tables(struct trace_model *model)
{
	index_table_deinit(&model->module_table);
	index_table_deinit(&model->symbol_table);
	index_table_deinit(&model->loss_table);
	index_table_deinit(&model->perf_map_table);
	index_table_deinit(&model->probe_table);
	index_table_deinit(&model->object_table);
	index_table_deinit(&model->cgroup_table);
}

void trace_model_deinit(struct trace_model *model)
{
	for (size_t i = 0; i < model->modules.count; i++) {
		free(model->modules.items[i].segments);
		array_free(&model->modules.items[i].symbol_chunks);
		array_free(&model->modules.items[i].unwind_chunks);
		array_free(&model->modules.items[i].mini_chunks);
		array_free(&model->modules.items[i].line_chunks);
	}
	for (size_t i = 0; i < model->perf_maps.count; i++)
		array_free(&model->perf_maps.items[i].chunks);
	array_free(&model->metas);
	array_free(&model->clocks);
	array_free(&model->sources);
	array_free(&model->probes);
	array_free(&model->modules);
	array_free(&model->kernel_symbols);
	array_free(&model->perf_maps);
	array_free(&model->objects);
	array_free(&model->cgroups);
	array_free(&model->losses);
	array_free(&model->counters);
	array_free(&model->maps_unavailable);
	array_free(&model->copied);
	array_free(&model->unsure);
	array_free(&model->triggers);
	array_free(&model->regimes);
	unsure_times_deinit(&model->unsure_times);
	array_free(&model->lost_ranges);
	timeline_deinit(&model->timeline);
	text_pool_deinit(&model->texts);
	deinit_tables(model);
}

/* --- chunks --- */

static void count_chunk(struct trace_model *model, const struct rwk_chunk_header *header)
{
	uint32_t type = header->type < CHUNK_TYPES ? header->type : 0;
	struct chunk_statistics *statistics = &model->statistics[type];

	statistics->chunks++;
	statistics->stored_bytes += header->stored_size;
	statistics->raw_bytes += header->raw_size;
	if (!header->last_time)
		return;
	if (!model->last_time || header->first_time < model->first_time)
		model->first_time = header->first_time;
	if (header->last_time > model->last_time)
		model->last_time = header->last_time;
}

static int take_records(struct trace_model *model, uint32_t number, struct event_decoder *decoder)
{
	struct event event;
	int r;

	while ((r = event_decoder_next(decoder, &event)) > 0) {
		r = trace_model_add_record(model, number, &event);
		if (r < 0)
			return r;
	}
	model->unknown_records += event_decoder_unknown(decoder);
	if (r != -EBADMSG)
		return r;
	model->malformed_chunks++;
	return 0;
}

int trace_model_add_chunk(struct trace_model *model, uint32_t number, const void *payload,
			  struct event_decoder *decoder)
{
	const struct rwk_chunk_header *header = &model->file->chunks[number].header;

	if (!model->end_chunk)
		model->first_chunk = number;
	model->end_chunk = number + 1;
	count_chunk(model, header);
	if (!payload)
		return 0;
	event_decoder_start(decoder, payload, header->raw_size);
	return take_records(model, number, decoder);
}

/* --- the end --- */

/* Chunks have sequence numbers; a gap between two of them is lost. */
static int find_lost_ranges(struct trace_model *model)
{
	const struct rwk_chunk_header *previous = NULL;

	for (size_t i = model->first_chunk; i < model->end_chunk; i++) {
		const struct trace_chunk *chunk = &model->file->chunks[i];
		uint64_t expected = previous ? previous->sequence + 1 : 0;

		if (chunk->section != model->section)
			continue;
		if (chunk->header.sequence > expected) {
			struct lost_range range = {.from = previous ? previous->first_time : 0,
						   .to = chunk->header.last_time,
						   .chunks = chunk->header.sequence - expected};

			if (array_push(&model->lost_ranges, range) < 0)
				return -ENOMEM;
		}
		previous = &chunk->header;
	}
	return 0;
}

static int compare_clocks(const void *one, const void *two)
{
	const struct event_clock *a = one, *b = two;

	if (a->time != b->time)
		return a->time < b->time ? -1 : 1;
	return a->realtime < b->realtime ? -1 : a->realtime > b->realtime;
}

static void find_limits(struct trace_model *model)
{
	for (size_t i = 0; i < model->sources.count; i++) {
		const struct event_source *source = &model->sources.items[i].event;

		if (!model->start || (source->start && source->start < model->start))
			model->start = source->start;
		if (source->stop > source->start && source->stop > model->stop)
			model->stop = source->stop;
	}
	if (!model->start)
		model->start = model->first_time;
	if (!model->stop)
		model->stop = model->last_time;
}

int trace_model_finish(struct trace_model *model)
{
	const char *host = trace_model_meta(model, "hostname"), *boot_id = trace_model_meta(model, "boot_id");
	int r;

	model->host = host ? host : "";
	model->boot_id = boot_id ? boot_id : "";
	if (model->clocks.count)
		qsort(model->clocks.items, model->clocks.count, sizeof(*model->clocks.items), compare_clocks);
	find_limits(model);
	r = find_lost_ranges(model);
	if (!r)
		r = unsure_times_make(&model->unsure_times, model->unsure.items, model->unsure.count);
	return r < 0 ? r : timeline_rewind(&model->timeline);
}

/* --- queries --- */

const struct trace_source *trace_model_source(const struct trace_model *model, uint32_t id)
{
	uint32_t place = id <= RWK_MAX_SOURCES ? model->source_places[id] : 0;

	return place ? &model->sources.items[place - 1] : NULL;
}

const char *trace_model_meta(const struct trace_model *model, const char *key)
{
	for (size_t i = 0; i < model->metas.count; i++)
		if (!strcmp(model->metas.items[i].key, key))
			return model->metas.items[i].value;
	return NULL;
}

/* The last reading before the time, else the first one after it. */
uint64_t trace_model_realtime(const struct trace_model *model, uint64_t time)
{
	size_t low = 0, count = model->clocks.count;

	if (!count)
		return 0;
	while (count > 1) {
		size_t half = count / 2;

		low += model->clocks.items[low + half].time <= time ? half : 0;
		count -= half;
	}
	return model->clocks.items[low].realtime + (time - model->clocks.items[low].time);
}

/* --- lists --- */

enum { TRIGGERS_MAX = 65536, REGIMES_MAX = 65536 };
enum { UNSURE_MAX = 4096, COUNTERS_MAX = 2 * RWK_MAX_CPUS }; /* each new one is compared to all */

/* --- what waits were for --- */

struct wanted {
	const struct trace_model *model;
	uint32_t number;
};

static bool same_object(const void *context, uint32_t place)
{
	const struct wanted *wanted = context;

	return wanted->model->objects.items[place].about.number == wanted->number;
}

struct trace_object *trace_model_object(const struct trace_model *model, uint32_t number)
{
	const struct wanted wanted = {model, number};
	uint32_t hash = index_table_hash(&model->object_table, number, 0);
	const struct index_slot *slot = index_table_lookup(&model->object_table, hash, same_object, &wanted);

	return slot ? &model->objects.items[slot->number - 1] : NULL;
}

size_t trace_model_call_name(const struct trace_model *model, uint64_t call, const char **ret_name)
{
	const char *machine = trace_model_meta(model, "machine");
	bool compat = (call & ((1 << WAIT_CALL_BITS) - 1)) == WAIT_IN_COMPAT_CALL;

	return call_name(call_table_of(machine ? machine : "", compat), call >> WAIT_CALL_BITS, ret_name);
}

/* *ret_object is NULL if the number is none. */
static int find(struct trace_model *model, uint32_t number, struct trace_object **ret_object)
{
	const struct wanted wanted = {model, number};
	uint32_t hash = index_table_hash(&model->object_table, number, 0);
	struct index_slot *slot;

	*ret_object = NULL;
	if (!number || number > RWK_MAX_OBJECTS) {
		model->unknown_records++;
		return 0;
	}
	slot = index_table_find(&model->object_table, hash, same_object, &wanted);
	if (!slot)
		return -ENOMEM;
	if (!slot->number) {
		if (array_push(&model->objects, (struct trace_object){.about = {.number = number}, .path = "",
									.variable = ""}) < 0)
			return -ENOMEM;
		index_table_set(&model->object_table, slot, hash, (uint32_t)(model->objects.count - 1));
	}
	*ret_object = &model->objects.items[slot->number - 1];
	return 0;
}

int trace_lists_object(struct trace_model *model, uint32_t chunk, const struct event *event)
{
	struct trace_object *object;
	int r = find(model, event->object.number, &object);

	(void)chunk;
	if (r < 0 || !object || (*object->variable && !event->object.name.length)) /* known already */
		return r;
	object->about = event->object;
	object->about.name = (struct event_text){0}; /* it is valid for now only */
	if (object->about.kind == OBJECT_FUTEX || object->about.kind == OBJECT_BLOCK ||
	    object->about.kind == OBJECT_PAGE)
		return text_pool_add(&model->texts, event->object.name.bytes, event->object.name.length,
				     &object->variable);
	if (object->about.kind != OBJECT_LOCK)
		return 0;
	return text_pool_add(&model->texts, event->object.name.bytes, event->object.name.length, &object->path);
}

static bool is_address(const struct event_text *text)
{
	return text->length == RWK_MAX_ADDRESS;
}

int trace_lists_object_name(struct trace_model *model, uint32_t chunk, const struct event *event)
{
	const struct event_object_name *name = &event->object_name;
	struct trace_object *object;
	int r = find(model, name->number, &object);

	(void)chunk;
	if (r < 0 || !object)
		return r;
	object->has_addresses = is_address(&name->address) && is_address(&name->peer_address);
	if (object->has_addresses) {
		memcpy(object->address, name->address.bytes, RWK_MAX_ADDRESS);
		memcpy(object->peer_address, name->peer_address.bytes, RWK_MAX_ADDRESS);
	}
	return text_pool_add(&model->texts, name->path.bytes, name->path.length, &object->path);
}

/* --- control groups --- */

struct wanted_cgroup {
	const struct trace_model *model;
	uint64_t id;
};

static bool same_cgroup(const void *context, uint32_t place)
{
	const struct wanted_cgroup *wanted = context;

	return wanted->model->cgroups.items[place].id == wanted->id;
}

const struct trace_cgroup *trace_model_cgroup(const struct trace_model *model, uint64_t id)
{
	const struct wanted_cgroup wanted = {model, id};
	uint32_t hash = index_table_hash(&model->cgroup_table, id, 0);
	const struct index_slot *slot = index_table_lookup(&model->cgroup_table, hash, same_cgroup, &wanted);

	return slot ? &model->cgroups.items[slot->number - 1] : NULL;
}

static int find_cgroup(struct trace_model *model, uint64_t id, struct trace_cgroup **ret_cgroup)
{
	const struct wanted_cgroup wanted = {model, id};
	uint32_t hash = index_table_hash(&model->cgroup_table, id, 0);
	struct index_slot *slot = index_table_find(&model->cgroup_table, hash, same_cgroup, &wanted);

	if (!slot)
		return -ENOMEM;
	if (!slot->number) {
		if (array_push(&model->cgroups, (struct trace_cgroup){.id = id, .path = "", .name = ""}) < 0)
			return -ENOMEM;
		index_table_set(&model->cgroup_table, slot, hash, (uint32_t)(model->cgroups.count - 1));
	}
	*ret_cgroup = &model->cgroups.items[slot->number - 1];
	return 0;
}

int trace_lists_cgroup(struct trace_model *model, uint32_t chunk, const struct event *event)
{
	const struct event_cgroup *record = &event->cgroup;
	struct trace_cgroup *cgroup;
	int r = find_cgroup(model, record->id, &cgroup);

	(void)chunk;
	if (r < 0)
		return r;
	if (record->flags & CGROUP_REMOVED)
		cgroup->removed = record->time;
	else
		cgroup->made = record->time;
	cgroup->initial |= !!(record->flags & CGROUP_INITIAL);
	if (!record->path.length)
		return 0;
	return text_pool_add(&model->texts, record->path.bytes, record->path.length, &cgroup->path);
}

int trace_lists_cgroup_name(struct trace_model *model, uint32_t chunk, const struct event *event)
{
	const struct event_cgroup_name *record = &event->cgroup_name;
	struct trace_cgroup *cgroup;
	int r = find_cgroup(model, record->id, &cgroup);

	(void)chunk;
	if (r < 0)
		return r;
	return text_pool_add(&model->texts, record->name.bytes, record->name.length, &cgroup->name);
}

/* --- the recording's own --- */

/* There are few: the recorder limits them. */
int trace_lists_unsure(struct trace_model *model, uint32_t chunk, const struct event *event)
{
	const struct event_unsure *record = &event->unsure;

	(void)chunk;
	for (size_t i = 0; i < model->unsure.count; i++) {
		struct event_unsure *known = &model->unsure.items[i];

		if (known->cpu != record->cpu || known->time != record->time)
			continue;
		if (record->until > known->until)
			*known = *record;
		return 0;
	}
	if (model->unsure.count == UNSURE_MAX) {
		model->unknown_records++;
		return 0;
	}
	return array_push(&model->unsure, *record);
}

int trace_lists_window(struct trace_model *model, uint32_t chunk, const struct event *event)
{
	(void)chunk;
	model->window = event->window;
	return 0;
}

int trace_lists_trigger(struct trace_model *model, uint32_t chunk, const struct event *event)
{
	struct trace_trigger trigger = {.about = event->trigger};
	const struct event_text *rule = &event->trigger.rule, *comm = &event->trigger.comm;
	int r;

	(void)chunk;
	if (model->triggers.count == TRIGGERS_MAX) {
		model->unknown_records++;
		return 0;
	}
	r = text_pool_add(&model->texts, rule->bytes, rule->length, &trigger.rule);
	if (!r)
		r = text_pool_add(&model->texts, comm->bytes, comm->length, &trigger.comm);
	return r < 0 ? r : array_push(&model->triggers, trigger);
}

/* One that is older than the one before is damaged, or from another section's time. */
int trace_lists_regime(struct trace_model *model, uint32_t chunk, const struct event *event)
{
	const size_t count = model->regimes.count;

	(void)chunk;
	if (count == REGIMES_MAX || (count && event->regime.time < model->regimes.items[count - 1].time)) {
		model->unknown_records++;
		return 0;
	}
	return array_push(&model->regimes, event->regime);
}

const struct trace_trigger *trace_model_reason(const struct trace_model *model)
{
	for (size_t i = model->window.dump ? model->triggers.count : 0; i-- > 0;)
		if (model->triggers.items[i].about.dump == model->window.dump)
			return &model->triggers.items[i];
	return NULL;
}

int trace_lists_counter(struct trace_model *model, uint32_t chunk, const struct event *event)
{
	const struct event_counter *record = &event->counter;

	(void)chunk;
	for (size_t i = model->counters.count; i-- > 0;) { /* most often the last or no other */
		struct event_counter *known = &model->counters.items[i];

		if (known->source != record->source || known->cpu != record->cpu)
			continue;
		if (record->time >= known->time)
			*known = *record;
		return 0;
	}
	if (model->counters.count == COUNTERS_MAX) {
		model->unknown_records++;
		return 0;
	}
	return array_push(&model->counters, *record);
}

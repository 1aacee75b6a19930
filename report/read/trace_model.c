/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/read/trace_model.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/bytes.h"
#include "common/cleanup.h"
#include "common/hash_map.h"
#include "report/read/trace_file.h"
#include "report/read/trace_records.h"

/* --- times in which names are unreliable --- */

static int compare_spans(const void *one, const void *two)
{
	const struct unsure_span *a = one, *b = two;

	return COMPARE(a->from, b->from);
}

/* Merges overlapping spans. */
static void join(struct unsure_times *times)
{
	struct unsure_span *spans = times->spans.items;
	size_t kept = 0;

	for (size_t i = 1; i < times->spans.count; i++) {
		if (spans[i].from > spans[kept].until)
			spans[++kept] = spans[i];
		else if (spans[i].until > spans[kept].until)
			spans[kept].until = spans[i].until;
	}
	if (times->spans.count)
		times->spans.count = kept + 1;
}

static int make_unsure_times(struct trace_model *model)
{
	struct unsure_times *times = &model->unsure_times;

	for (size_t i = 0; i < model->unsure.count; i++)
		if (array_push(&times->spans, (struct unsure_span){model->unsure.items[i].time,
								   model->unsure.items[i].until}) < 0)
			return -ENOMEM;
	if (times->spans.count)
		qsort(times->spans.items, times->spans.count, sizeof(*times->spans.items), compare_spans);
	join(times);
	return 0;
}

bool unsure_times_lack(const struct event_unsure *records, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (records[i].cause != UNSURE_AWAY)
			return true;
	return false;
}

bool unsure_times_hold(const struct unsure_times *times, uint64_t time)
{
	size_t place = SORTED_FIRST(i, times->spans.count, times->spans.items[i].until >= time);

	return place < times->spans.count && times->spans.items[place].from <= time;
}

/* --- the model --- */

int trace_model_init(struct trace_model *model, struct trace_file *file, uint32_t section)
{
	int r;

	*model = (struct trace_model){.file = file, .section = section, .host = "", .boot_id = ""};
	r = text_pool_init(&model->texts);
	if (!r)
		r = timeline_init(&model->timeline);
	for (size_t i = 0; i < MODEL_TABLES && !r; i++)
		r = index_table_init(&model->tables[i]);
	return r;
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
	array_free(&model->comms);
	array_free(&model->losses);
	array_free(&model->counters);
	array_free(&model->counters_before);
	array_free(&model->losses_before);
	array_free(&model->maps_unavailable);
	array_free(&model->copied);
	array_free(&model->unsure);
	array_free(&model->triggers);
	array_free(&model->budgets);
	array_free(&model->unsure_times.spans);
	array_free(&model->lost_ranges);
	timeline_deinit(&model->timeline);
	text_pool_deinit(&model->texts);
	for (size_t i = 0; i < MODEL_TABLES; i++)
		index_table_deinit(&model->tables[i]);
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

static int read_records(struct trace_model *model, struct event_decoder *decoder)
{
	struct event event;
	int r;

	while ((r = event_decoder_next(decoder, &event)) > 0) {
		r = trace_model_add_record(model, &event);
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
	model->chunk = number;
	event_decoder_start(decoder, payload, header->raw_size);
	return read_records(model, decoder);
}

/* --- the end --- */

/* Chunks have sequence numbers; those missing between two chunks are lost. */
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

	return COMPARE(a->time, b->time) ?: COMPARE(a->realtime, b->realtime);
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

static void subtract(uint64_t *total, uint64_t before)
{
	*total -= before < *total ? before : *total;
}

static void subtract_counter(const struct trace_model *model, const struct event_counter *before)
{
	for (size_t i = 0; i < model->counters.count; i++) {
		struct event_counter *counter = &model->counters.items[i];

		if (counter->source != before->source || counter->cpu != before->cpu)
			continue;
		subtract(&counter->counted, before->counted);
		subtract(&counter->seen, before->seen);
		subtract(&counter->missed, before->missed);
		subtract(&counter->missed_idle, before->missed_idle);
		subtract(&counter->enabled, before->enabled);
		subtract(&counter->running, before->running);
		subtract(&counter->throttled, before->throttled);
	}
}

/* A dump: what was counted before it, and when its sources ran (FORMAT.md §5, WINDOW). */
static void cut_to_window(struct trace_model *model)
{
	const struct event_window *window = &model->window;
	struct event_cost *cost = &model->cost;

	for (size_t i = 0; i < model->losses.count; i++)
		subtract(&model->losses.items[i].total, model->losses_before.items[i]);
	for (size_t i = 0; i < model->counters_before.count; i++)
		subtract_counter(model, &model->counters_before.items[i]);
	for (size_t i = 0; i < model->probes.count; i++) {
		subtract(&model->probes.items[i].hits.hits, model->probes.items[i].before.hits);
		subtract(&model->probes.items[i].hits.skipped, model->probes.items[i].before.skipped);
		subtract(&model->probes.items[i].hits.missed, model->probes.items[i].before.missed);
	}
	subtract(&cost->user_ns, model->cost_before.user_ns);
	subtract(&cost->system_ns, model->cost_before.system_ns);
	subtract(&cost->bpf_ns, model->cost_before.bpf_ns);
	subtract(&cost->written, model->cost_before.written);
	for (size_t i = 0; i < model->sources.count; i++) {
		struct event_source *source = &model->sources.items[i].event;
		const bool runs = source->stop <= source->start;

		source->start = source->start < window->since ? window->since : source->start;
		source->stop = runs ? window->until : source->stop;
		source->stop = source->stop < source->start ? source->start : source->stop;
	}
}

int trace_model_finish(struct trace_model *model)
{
	const char *host = trace_model_meta(model, "hostname"), *boot_id = trace_model_meta(model, "boot_id");
	int r;

	model->host = host ? host : "";
	model->boot_id = boot_id ? boot_id : "";
	if (model->clocks.count)
		qsort(model->clocks.items, model->clocks.count, sizeof(*model->clocks.items), compare_clocks);
	if (model->window.dump)
		cut_to_window(model);
	find_limits(model);
	r = find_lost_ranges(model);
	if (!r)
		r = make_unsure_times(model);
	return r < 0 ? r : timeline_rewind(&model->timeline);
}

/* --- what another section adds --- */

enum { FILE_KEY_MAX = RWK_MAX_STRING + 16 };

/* The length of the key; 0: it is no file, or the kernel did not say which. */
static size_t make_file_key(const struct trace_module *module, uint8_t out[static FILE_KEY_MAX])
{
	struct byte_buffer key = {.bytes = out, .room = FILE_KEY_MAX};

	if (module->kind != MODULE_FILE || !module->inode)
		return 0;
	byte_buffer_uint(&key, module->device, 8);
	byte_buffer_uint(&key, module->inode, 8);
	byte_buffer_bytes(&key, module->path, strlen(module->path));
	return key.full ? 0 : key.used;
}

/* Maps each file to its place in the addition, plus 1; 0: the file has several build-ids. */
static int gather_build_ids(struct hash_map *ids, const struct trace_model *addition)
{
	uint8_t key[FILE_KEY_MAX];
	int r = 0;

	for (size_t i = 0; i < addition->modules.count && r >= 0; i++) {
		const struct trace_module *module = &addition->modules.items[i];
		size_t length = module->build_id.length ? make_file_key(module, key) : 0;
		uint64_t *place;

		r = length ? hash_map_add(ids, key, length, i + 1, &place) : 1;
		if (!r && *place && !build_id_equal(&addition->modules.items[*place - 1].build_id, &module->build_id))
			*place = 0;
	}
	return r < 0 ? r : 0;
}

static int add_build_ids(struct trace_model *model, const struct trace_model *addition)
{
	_cleanup_(hash_map_deinit) struct hash_map ids = {0};
	uint8_t key[FILE_KEY_MAX];
	int r = hash_map_init(&ids);

	if (!r)
		r = gather_build_ids(&ids, addition);
	for (size_t i = 0; i < model->modules.count && !r; i++) {
		struct trace_module *module = &model->modules.items[i];
		size_t length = module->build_id.length ? 0 : make_file_key(module, key);
		const uint64_t *place = length ? hash_map_find(&ids, key, length) : NULL;

		if (place && *place)
			module->build_id = addition->modules.items[*place - 1].build_id;
	}
	return r;
}

int trace_model_add_section(struct trace_model *model, const struct trace_model *addition)
{
	int r = trace_records_add_perf_maps(model, addition);

	return r < 0 ? r : add_build_ids(model, addition);
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

/* Uses the last reading before the time, else the first one after it. */
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

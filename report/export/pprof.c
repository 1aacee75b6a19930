/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * --export pprof: the sums of all sources as a profile.proto, compressed by gzip. The types of values are the same
 * whatever the trace contains, because pprof merges and compares only profiles with equal types.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "common/array.h"
#include "common/cleanup.h"
#include "common/hash_map.h"
#include "common/log.h"
#include "common/time_units.h"
#include "report/export/pprof_places.h"
#include "report/file/pack.h"
#include "report/profile/profile.h"
#include "report/profile/profile_account.h"
#include "report/view/groups.h"
#include "report/view/object_text.h"
#include "report/view/page.h"
#include "report/view/view.h"
#include "report/view/wait_text.h"
#include "report/view/waits.h"

/* --- rows --- */

/*
 * The samples of a pprof profile: rows with the same call chain and the same labels are one. Waits
 * for different objects are different samples if there are not too many objects; else only waits
 * for different kinds of objects.
 */

enum { PPROF_NO_CLASS = UINT8_MAX };

struct pprof_row {
	uint32_t source, node, task;
	uint8_t wait_class; /* enum wait_class; PPROF_NO_CLASS: not a wait */
	char state;	    /* of a walked task; else 0 */
	uint8_t object_kind; /* of a wait, or a walked task: enum object_kind */
	uint32_t object;     /* likewise: a number of `texts`; OBJECT_NO_TEXT: only the kind is used */
	uint64_t samples, weight;
};

struct pprof_rows {
	struct waits waits;
	struct object_texts texts;
	ARRAY(struct pprof_row) rows;
	struct hash_map known;
};

static int add(struct pprof_rows *rows, struct pprof_row row)
{
	const uint32_t key[] = {row.source, row.node, row.task, row.wait_class, (uint32_t)row.state, row.object,
				row.object_kind};
	uint64_t *number;
	int r = hash_map_add(&rows->known, key, sizeof(key), rows->rows.count, &number);

	if (r > 0)
		return array_push(&rows->rows, row);
	if (r < 0)
		return r;
	rows->rows.items[*number].samples += row.samples;
	rows->rows.items[*number].weight += row.weight;
	return 0;
}

static int add_wait(struct pprof_rows *rows, const struct profile_wait *wait, bool few_objects)
{
	struct pprof_row row = {.source = wait->source, .node = wait->node, .task = wait->task,
				.wait_class = wait->wait_class, .object = OBJECT_NO_TEXT, .samples = 1,
				.weight = wait->weight};
	const uint32_t thing = wait->object;
	int r = few_objects ? object_texts_find(&rows->texts, thing, &row.object) : 0;

	if (thing)
		row.object_kind = rows->waits.objects[thing].kind;
	return r < 0 ? r : add(rows, row);
}

/* Waits are added one by one: the sums of the profile have neither their classes nor what they were for. */
static int add_waits(struct pprof_rows *rows, uint32_t source)
{
	const bool few_objects = object_texts_are_few(&rows->texts);
	int r = 0;

	for (size_t i = 0; i < rows->waits.count && !r; i++) {
		const struct profile_wait *wait = &rows->waits.items[i];

		if (wait->source == source && wait_is_shown(wait))
			r = add_wait(rows, wait, few_objects);
	}
	return r;
}

static int add_walked(struct pprof_rows *rows, struct profile *profile, uint32_t source)
{
	const struct profile_walk_task *walked;
	const bool few_objects = object_texts_are_few(&rows->texts);
	size_t count = profile_walk_tasks(profile, &walked);
	int r = 0;

	for (size_t i = 0; i < count && !r; i++) {
		struct pprof_row row = {.source = source, .node = walked[i].node, .task = walked[i].task,
					.wait_class = PPROF_NO_CLASS, .state = walked[i].state[0],
					.object = OBJECT_NO_TEXT, .samples = 1, .weight = 1};

		if (few_objects)
			r = object_texts_find(&rows->texts, walked[i].object, &row.object);
		if (walked[i].object)
			row.object_kind = rows->waits.objects[walked[i].object].kind;
		if (!r)
			r = add(rows, row);
	}
	return r;
}

static int add_sums(struct pprof_rows *rows, struct profile *profile, uint32_t source)
{
	_cleanup_(rows_deinit) struct rows sums;
	int r = rows_init(&sums, profile, source, NULL);

	for (size_t i = 0; i < sums.count && !r; i++) {
		const struct row *sum = &sums.items[i];

		r = add(rows, (struct pprof_row){.source = source, .node = sum->node, .task = sum->task,
						 .wait_class = PPROF_NO_CLASS, .state = sum->state,
						 .object = OBJECT_NO_TEXT,
						 .samples = sum->samples, .weight = sum->weight});
	}
	return r;
}

static int pprof_rows_init(struct pprof_rows *rows, struct profile *profile)
{
	const struct profile_source *sources;
	size_t count = profile_sources(profile, &sources);
	int r;

	*rows = (struct pprof_rows){0};
	r = waits_init(&rows->waits, profile) ?:
	    object_texts_init(&rows->texts, &rows->waits) ?:
	    hash_map_init(&rows->known);
	for (uint32_t i = 0; i < count && !r; i++) {
		if (sources[i].left_out)
			continue;
		if (sources[i].kind == PROFILE_OFFCPU)
			r = add_waits(rows, i);
		else
			r = sources[i].kind == PROFILE_TASKS ? add_walked(rows, profile, i) :
							       add_sums(rows, profile, i);
	}
	return r;
}

static void pprof_rows_deinit(struct pprof_rows *rows)
{
	object_texts_deinit(&rows->texts);
	array_free(&rows->rows);
	hash_map_deinit(&rows->known);
}

/* --- the profile --- */

enum value { VALUE_SAMPLES, VALUE_CPU, VALUE_CYCLES, VALUE_WAITS, VALUE_OFFCPU, VALUE_EVENTS, VALUES };

static const struct value_type {
	const char *type, *unit;
} types[VALUES] = {
	[VALUE_SAMPLES] = {"samples", "count"}, [VALUE_CPU] = {"cpu", "nanoseconds"},
	[VALUE_CYCLES] = {"cycles", "count"},	[VALUE_WAITS] = {"waits", "count"},
	[VALUE_OFFCPU] = {"offcpu", "nanoseconds"}, [VALUE_EVENTS] = {"events", "count"},
};

struct pprof {
	const struct view_context *context;
	const struct profile_source *sources;
	const struct profile_task *tasks;
	const struct profile_recording *recordings;
	size_t source_count, task_count, recording_count;
	struct protobuf out, sample, label;
	struct pprof_texts texts;
	struct pprof_places places;
	struct pprof_rows rows;
};

static void pprof_deinit(struct pprof *pprof)
{
	pprof_rows_deinit(&pprof->rows);
	pprof_places_deinit(&pprof->places);
	pprof_texts_deinit(&pprof->texts);
	protobuf_deinit(&pprof->label);
	protobuf_deinit(&pprof->sample);
	protobuf_deinit(&pprof->out);
}

static int pprof_init(struct pprof *pprof, const struct view_context *context)
{
	struct profile *profile = context->profile;

	*pprof = (struct pprof){.context = context};
	pprof->source_count = profile_sources(profile, &pprof->sources);
	pprof->tasks = profile_tasks(profile, &pprof->task_count);
	pprof->recording_count = profile_recordings(profile, &pprof->recordings);
	return pprof_texts_init(&pprof->texts, &pprof->out) ?:
	       pprof_places_init(&pprof->places, profile, &pprof->texts, page_no_frames(context->settings)) ?:
	       pprof_rows_init(&pprof->rows, profile);
}

/* --- labels --- */

static void add_label(struct pprof *pprof, const char *key, uint64_t text, uint64_t number)
{
	protobuf_clear(&pprof->label);
	protobuf_number(&pprof->label, LABEL_KEY, pprof_texts_find(&pprof->texts, key));
	protobuf_number(&pprof->label, LABEL_STR, text);
	protobuf_number(&pprof->label, LABEL_NUM, number);
	protobuf_message(&pprof->sample, SAMPLE_LABEL, &pprof->label);
}

/* Writes nothing if the text is empty. */
static void write_label(struct pprof *pprof, const char *key, const char *text)
{
	if (*text)
		add_label(pprof, key, pprof_texts_find_unsafe(&pprof->texts, text), 0);
}

/* The name of the host, else its number. */
static void write_host(struct pprof *pprof, uint32_t host)
{
	size_t count = profile_origins(pprof->context->profile);
	struct profile_origin origin = {.host = ""};
	char number[24];

	(void)snprintf(number, sizeof(number), "host %" PRIu32, host);
	for (size_t i = 0; i < pprof->recording_count && i < count && !origin.host[0]; i++)
		if (pprof->recordings[i].host == host)
			profile_origin(pprof->context->profile, i, &origin);
	write_label(pprof, "host", origin.host[0] ? origin.host : number);
}

static void write_labels(struct pprof *pprof, const struct pprof_row *row)
{
	const struct profile_source *source = &pprof->sources[row->source];
	const struct profile_task *task = &pprof->tasks[row->task];
	const char *object = object_text(&pprof->rows.texts, row->object);

	write_host(pprof, task->host);
	add_label(pprof, "comm", pprof_texts_find_unsafe(&pprof->texts, task->comm), 0);
	add_label(pprof, "pid", 0, task->tgid);
	add_label(pprof, "tid", 0, task->tid);
	write_label(pprof, "container", profile_container(task->cgroup));
	write_label(pprof, "cgroup", profile_cgroup_path(task->cgroup));
	write_label(pprof, "kind", page_kind_name(source->kind));
	if (row->wait_class != PPROF_NO_CLASS)
		write_label(pprof, "class", wait_class_name(row->wait_class));
	write_label(pprof, "state", (const char[]){row->state, '\0'});
	if (source->kind == PROFILE_TRACEPOINT || source->kind == PROFILE_KFUNC)
		add_label(pprof, "probe", pprof_texts_find_unsafe(&pprof->texts, source->name), 0);
	write_label(pprof, "object_kind", object_kind_name(row->object_kind));
	if (row->object_kind && *object)
		add_label(pprof, "object", pprof_texts_find(&pprof->texts, object), 0);
}

/* --- samples --- */

static uint64_t capped(uint64_t value)
{
	return value < INT64_MAX ? value : INT64_MAX;
}

static bool counts_cycles(const struct profile_source *source)
{
	return source->kind == PROFILE_CPU && strcmp(source->weight_unit, "ns") != 0;
}

/* ns per sample; for a hardware counter, from the number of samples per second that was requested. */
static uint64_t sampling_interval(const struct profile_source *source)
{
	return source->frequency ? SECOND / source->frequency : 0;
}

static void weigh(const struct profile_source *source, const struct pprof_row *row, uint64_t values[static VALUES])
{
	uint64_t time;

	switch (source->kind) {
	case PROFILE_CPU:
		if (!counts_cycles(source) || __builtin_mul_overflow(row->samples, sampling_interval(source), &time))
			time = row->weight;
		values[VALUE_SAMPLES] = capped(row->samples);
		values[VALUE_CPU] = capped(time);
		values[VALUE_CYCLES] = counts_cycles(source) ? capped(row->weight) : 0;
		break;
	case PROFILE_OFFCPU:
		values[VALUE_WAITS] = capped(row->samples);
		values[VALUE_OFFCPU] = capped(row->weight);
		break;
	default:
		values[VALUE_EVENTS] = capped(row->samples);
	}
}

static const struct profile_source *source_of(const struct pprof *pprof, enum profile_source_kind kind)
{
	for (size_t i = 0; i < pprof->source_count; i++)
		if (pprof->sources[i].kind == kind && pprof->sources[i].samples)
			return &pprof->sources[i];
	return NULL;
}

/* The type that pprof shows unless another one is requested. */
static enum value default_value(const struct pprof *pprof)
{
	if (source_of(pprof, PROFILE_CPU))
		return VALUE_CPU;
	return source_of(pprof, PROFILE_OFFCPU) ? VALUE_OFFCPU : VALUE_EVENTS;
}

static int write_row(struct pprof *pprof, const struct pprof_row *row)
{
	uint64_t values[VALUES] = {0};
	int r;

	if (row->source >= pprof->source_count || row->task >= pprof->task_count)
		return -EBADMSG;
	r = pprof_places_write(&pprof->places, row->node);
	if (r < 0)
		return r;
	weigh(&pprof->sources[row->source], row, values);
	pprof_places_weigh(&pprof->places, row->node, values[default_value(pprof)]);
	protobuf_clear(&pprof->sample);
	protobuf_numbers(&pprof->sample, SAMPLE_LOCATION_ID, pprof->places.chain.items, pprof->places.chain.count);
	protobuf_numbers(&pprof->sample, SAMPLE_VALUE, values, VALUES);
	write_labels(pprof, row);
	protobuf_message(&pprof->out, PROFILE_SAMPLE, &pprof->sample);
	return 0;
}

static int write_rows(struct pprof *pprof)
{
	const struct pprof_row *rows = pprof->rows.rows.items;
	size_t count = pprof->rows.rows.count;
	int r = 0;

	for (size_t i = 0; i < count && !r; i++)
		r = pprof_places_want(&pprof->places, rows[i].node);
	if (!r)
		r = pprof_places_find(&pprof->places);
	for (size_t i = 0; i < count && !r; i++)
		r = write_row(pprof, &rows[i]);
	if (!r)
		pprof_places_write_mappings(&pprof->places);
	return r;
}

/* --- the profile as a whole --- */

static void write_type(struct pprof *pprof, uint32_t field, enum value value)
{
	uint64_t type = pprof_texts_find(&pprof->texts, types[value].type);
	uint64_t unit = pprof_texts_find(&pprof->texts, types[value].unit);

	protobuf_clear(&pprof->label);
	protobuf_number(&pprof->label, VALUE_TYPE_TYPE, type);
	protobuf_number(&pprof->label, VALUE_TYPE_UNIT, unit);
	protobuf_message(&pprof->out, field, &pprof->label);
}

static void write_types(struct pprof *pprof)
{
	const struct profile_source *cpu = source_of(pprof, PROFILE_CPU);
	const char *shown = types[default_value(pprof)].type;

	for (unsigned int i = 0; i < VALUES; i++)
		write_type(pprof, PROFILE_SAMPLE_TYPE, i);
	protobuf_number(&pprof->out, PROFILE_DEFAULT_SAMPLE_TYPE, pprof_texts_find(&pprof->texts, shown));
	protobuf_number(&pprof->out, PROFILE_PERIOD, cpu ? sampling_interval(cpu) : 0);
	write_type(pprof, PROFILE_PERIOD_TYPE, VALUE_CPU); /* always: it must be equal, too */
}

/* When the first recording began, and the length of the longest one; of the requested part. */
static void write_times(struct pprof *pprof)
{
	struct profile *profile = pprof->context->profile;
	uint64_t longest = 0;

	for (uint32_t i = 0; i < pprof->recording_count; i++) {
		uint64_t from, to;

		profile_recording_part(profile, i, &from, &to);
		if (!i)
			protobuf_number(&pprof->out, PROFILE_TIME_NANOS, capped(profile_realtime(profile, i, from)));
		if (to > from && to - from > longest)
			longest = to - from;
	}
	protobuf_number(&pprof->out, PROFILE_DURATION_NANOS, capped(longest));
}

static void write_comment(struct pprof *pprof, const char *text)
{
	protobuf_number(&pprof->out, PROFILE_COMMENT, pprof_texts_find(&pprof->texts, text));
}

/* Filters, and the notes that other reports have at the end. */
static void write_comments(struct pprof *pprof)
{
	struct profile_account account;

	profile_account(pprof->context->profile, &account);
	if (pprof->context->settings->filters && pprof->context->settings->filters[0])
		write_comment(pprof, pprof->context->settings->filters);
	for (size_t i = 0; i < account.count; i++)
		write_comment(pprof, account.notes[i].text);
}

static int show_pprof(const struct view_context *context)
{
	_cleanup_(pprof_deinit) struct pprof pprof;
	_cleanup_free_ uint8_t *packed = NULL;
	size_t size;
	int r = pprof_init(&pprof, context);

	if (r < 0)
		return r;
	write_types(&pprof);
	write_times(&pprof);
	r = write_rows(&pprof);
	if (r < 0)
		return r;
	write_comments(&pprof);
	r = pprof.out.failed ? -ENOMEM : gzip_pack(pprof.out.bytes, pprof.out.used, &packed, &size);
	if (!r)
		(void)fwrite(packed, 1, size, context->out);
	return r;
}

const struct view pprof_view = {
	VIEW_NAME("export pprof"),
	.print_all = show_pprof, .kinds = VIEW_ANY_KIND, .needs = PROFILE_EACH_RECORDING, .bare = true,
	.exports = true, .binary = true,
};

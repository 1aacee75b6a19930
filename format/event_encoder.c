/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "format/event_encoder.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "format/event_layout.h"
#include "format/limits.h"
#include "format/stack_tree.h"
#include "format/task_table.h"
#include "format/varint.h"

enum {
	RECORD_OVERHEAD = 4 + 2, /* length and kind */
	TASK_ROOM = RECORD_OVERHEAD + 4 * VARINT_MAX + 1 + RWK_MAX_COMM,
	SAMPLE_ROOM = RECORD_OVERHEAD + 7 * VARINT_MAX, /* without its stacks */
};

struct cpu_clock { /* the last sample of a CPU */
	uint64_t time, step;
	uint64_t chunk; /* which chunk that was in */
};

struct event_encoder {
	uint8_t *bytes;
	size_t used, room;
	uint64_t time, start, task; /* what the next (t), FIELD_START (pages) and FIELD_TASK are differences to */
	uint64_t first, last;	    /* first > last: no time yet */
	uint64_t chunk;		    /* counts resets, from 1 */
	struct cpu_clock *cpus;
	uint32_t max_cpus;
	struct stack_tree stacks;
	struct task_table tasks;
};

static int create_dictionaries(struct event_encoder *encoder, uint32_t max_cpus)
{
	int r;

	encoder->max_cpus = max_cpus;
	encoder->cpus = calloc(max_cpus, sizeof(*encoder->cpus));
	if (!encoder->cpus)
		return -ENOMEM;
	r = stack_tree_init(&encoder->stacks);
	return r < 0 ? r : task_table_init(&encoder->tasks);
}

int event_encoder_create(size_t room, uint32_t max_cpus, struct event_encoder **ret_encoder)
{
	struct event_encoder *encoder;
	int r = 0;

	if (room < EVENT_ENCODER_MIN_ROOM || room > RWK_MAX_RAW_CHUNK || max_cpus > RWK_MAX_CPUS)
		return -EINVAL;
	encoder = calloc(1, sizeof(*encoder));
	if (!encoder)
		return -ENOMEM;
	encoder->room = room;
	encoder->bytes = malloc(room);
	if (!encoder->bytes)
		r = -ENOMEM;
	else if (max_cpus)
		r = create_dictionaries(encoder, max_cpus);
	if (r < 0) {
		event_encoder_destroy(encoder);
		return r;
	}
	event_encoder_reset(encoder);
	*ret_encoder = encoder;
	return 0;
}

void event_encoder_destroy(struct event_encoder *encoder)
{
	if (!encoder)
		return;
	stack_tree_deinit(&encoder->stacks);
	task_table_deinit(&encoder->tasks);
	free(encoder->cpus);
	free(encoder->bytes);
	free(encoder);
}

void event_encoder_reset(struct event_encoder *encoder)
{
	encoder->used = 0;
	encoder->time = encoder->start = encoder->task = 0;
	encoder->first = UINT64_MAX;
	encoder->last = 0;
	encoder->chunk++;
	if (encoder->max_cpus) {
		stack_tree_reset(&encoder->stacks);
		task_table_reset(&encoder->tasks);
	}
}

size_t event_encoder_payload(const struct event_encoder *encoder, const void **ret_bytes, uint64_t *ret_first,
			     uint64_t *ret_last)
{
	bool timed = encoder->first <= encoder->last;

	*ret_bytes = encoder->bytes;
	*ret_first = timed ? encoder->first : 0;
	*ret_last = timed ? encoder->last : 0;
	return encoder->used;
}

static bool has_room(const struct event_encoder *encoder, size_t bytes)
{
	return bytes <= encoder->room - encoder->used;
}

static void note_time(struct event_encoder *encoder, uint64_t time)
{
	encoder->time = time;
	if (time < encoder->first)
		encoder->first = time;
	if (time > encoder->last)
		encoder->last = time;
}

/* A record is written behind a length of one byte, and moved where it turns out to need more. */
static uint8_t *record_start(const struct event_encoder *encoder, enum event_kind kind)
{
	return varint_put(encoder->bytes + encoder->used + 1, kind);
}

static void record_finish(struct event_encoder *encoder, const uint8_t *end)
{
	uint8_t *start = encoder->bytes + encoder->used;
	size_t length = (size_t)(end - start) - 1, prefix = varint_size(length);

	if (prefix > 1)
		memmove(start + prefix, start + 1, length);
	varint_put(start, length);
	encoder->used += prefix + length;
}

/* --- records that the table describes ------------------------------------------------------------ */

/* Bytes a field takes at most, or -EINVAL where its value is over the limit. */
static int64_t field_room(const struct event_field *field, const void *record)
{
	switch (field->type) {
	case FIELD_U32:
		return event_field_value(field, record) <= field->limit ? VARINT_MAX : -EINVAL;
	case FIELD_PAGES:
	case FIELD_START:
		return event_field_value(field, record) << (64 - FIELD_PAGE_SHIFT) ? -EINVAL : VARINT_MAX;
	case FIELD_TEXT:
	case FIELD_BYTES: {
		uint32_t length = event_field_text(field, record)->length;

		return length <= field->limit ? (int64_t)length + VARINT_MAX : -EINVAL;
	}
	case FIELD_COMM:
		return VARINT_MAX + RWK_MAX_COMM;
	default:
		return VARINT_MAX;
	}
}

static int64_t fields_room(const struct event_layout *layout, const void *record)
{
	int64_t room = RECORD_OVERHEAD;

	for (const struct event_field *field = layout->fields; field->type; field++) {
		int64_t one = field_room(field, record);

		if (one < 0)
			return one;
		room += one;
	}
	return room;
}

static uint8_t *difference_put(uint8_t *at, uint64_t value, uint64_t *previous)
{
	at = zigzag_put(at, value - *previous);
	*previous = value;
	return at;
}

static uint8_t *field_put(struct event_encoder *encoder, uint8_t *at, const struct event_field *field,
			  const void *record)
{
	switch (field->type) {
	case FIELD_TEXT:
	case FIELD_BYTES: {
		const struct event_text *text = event_field_text(field, record);

		return text_put(at, text->bytes, text->length);
	}
	case FIELD_COMM: {
		const char *comm = (const char *)record + field->offset;

		return text_put(at, comm, strnlen(comm, RWK_MAX_COMM));
	}
	case FIELD_TIME:
		at = zigzag_put(at, event_field_value(field, record) - encoder->time);
		note_time(encoder, event_field_value(field, record));
		return at;
	case FIELD_TASK:
		return difference_put(at, event_field_value(field, record), &encoder->task);
	case FIELD_START:
		return difference_put(at, event_field_value(field, record) >> FIELD_PAGE_SHIFT, &encoder->start);
	case FIELD_PAGES:
		return varint_put(at, event_field_value(field, record) >> FIELD_PAGE_SHIFT);
	default:
		return varint_put(at, event_field_value(field, record));
	}
}

static uint8_t *fields_put(struct event_encoder *encoder, uint8_t *at, const struct event_layout *layout,
			   const void *record)
{
	for (const struct event_field *field = layout->fields; field->type; field++)
		if (field->type < FIELD_SPECIAL_U32)
			at = field_put(encoder, at, field, record);
	return at;
}

static int encode_fields(struct event_encoder *encoder, enum event_kind kind, const void *record)
{
	const struct event_layout *layout = event_layout_find(kind);
	int64_t room = layout && !layout->special ? fields_room(layout, record) : -EINVAL;

	if (room < 0)
		return (int)room;
	if (!has_room(encoder, (size_t)room))
		return -ENOSPC;
	record_finish(encoder, fields_put(encoder, record_start(encoder, kind), layout, record));
	return 0;
}

int event_encode(struct event_encoder *encoder, const struct event *event)
{
	return encode_fields(encoder, event->kind, &event->meta);
}

int event_encode_meta(struct event_encoder *encoder, const char *key, const char *value)
{
	struct event_meta meta = {.key = {key, (uint32_t)strnlen(key, RWK_MAX_STRING + 1)},
				  .value = {value, (uint32_t)strnlen(value, RWK_MAX_STRING + 1)}};

	return encode_fields(encoder, EVENT_META, &meta);
}

#define ENCODE_BY_TABLE(name, kind)                                                                \
	int event_encode_##name(struct event_encoder *encoder, const struct event_##name *record)  \
	{                                                                                          \
		return encode_fields(encoder, kind, record);                                       \
	}
ENCODE_BY_TABLE(clock, EVENT_CLOCK)
ENCODE_BY_TABLE(source, EVENT_SOURCE)
ENCODE_BY_TABLE(module, EVENT_MODULE)
ENCODE_BY_TABLE(mapping, EVENT_MAPPING)
ENCODE_BY_TABLE(fork, EVENT_FORK)
ENCODE_BY_TABLE(comm, EVENT_COMM)
ENCODE_BY_TABLE(exit, EVENT_EXIT)
ENCODE_BY_TABLE(kernel_symbol, EVENT_KERNEL_SYMBOL)
ENCODE_BY_TABLE(loss, EVENT_LOSS)
ENCODE_BY_TABLE(cost, EVENT_COST)
ENCODE_BY_TABLE(maps_unavailable, EVENT_MAPS_UNAVAILABLE)
ENCODE_BY_TABLE(walk, EVENT_WALK)

/* --- samples and walks --------------------------------------------------------------------------- */

/* Whether a record of `room` bytes with these stacks, and its task, is sure to fit. */
static int check_room(const struct event_encoder *encoder, const struct event_stacks *stacks, size_t room)
{
	uint32_t frames;

	if (!encoder->max_cpus || stacks->kernel_count > RWK_MAX_FRAMES || stacks->user_count > RWK_MAX_FRAMES)
		return -EINVAL;
	frames = stacks->kernel_count + stacks->user_count;
	if (!has_room(encoder, TASK_ROOM + room + 2 * stack_tree_room(0) + stack_tree_room(frames)) ||
	    !stack_tree_has_room(&encoder->stacks, frames))
		return -ENOSPC;
	return 0;
}

/* The task's number in the chunk, defined where it is new. */
static int find_task(struct event_encoder *encoder, const struct event_task *task, uint32_t *ret_number)
{
	bool is_new;
	uint32_t number = task_table_number(&encoder->tasks, task, &is_new);

	if (!number)
		return -ENOSPC;
	if (is_new)
		record_finish(encoder, fields_put(encoder, record_start(encoder, EVENT_TASK),
						  event_layout_find(EVENT_TASK), task));
	*ret_number = number;
	return 0;
}

static uint8_t *sample_time_put(struct event_encoder *encoder, uint8_t *at, uint32_t cpu, uint64_t time)
{
	struct cpu_clock *clock = &encoder->cpus[cpu];

	if (clock->chunk != encoder->chunk) {
		at = zigzag_put(at, time - encoder->time);
		*clock = (struct cpu_clock){.chunk = encoder->chunk};
	} else {
		uint64_t step = time - clock->time;

		at = zigzag_put(at, step - clock->step);
		clock->step = step;
	}
	clock->time = time;
	note_time(encoder, time);
	return at;
}

static uint8_t *kernel_stack_put(struct event_encoder *encoder, const struct event_stacks *stacks, uint8_t *at,
				 uint32_t *ret_leaf)
{
	struct stack_put put = {.root = STACK_KERNEL_ROOT, .frames = stacks->kernel, .count = stacks->kernel_count};

	at = stack_tree_put(&encoder->stacks, &put, at);
	*ret_leaf = put.leaf;
	return at;
}

static uint8_t *user_stack_put(struct event_encoder *encoder, const struct event_stacks *stacks, uint8_t *at,
			       struct event_sample *sample)
{
	struct stack_put put = {
		.root = STACK_USER_ROOT,
		.frames = stacks->user,
		.count = stacks->user_count,
		.owner = stacks->user_owner,
	};

	at = stack_tree_put(&encoder->stacks, &put, at);
	sample->user = put.leaf;
	sample->callers_known = put.known;
	return at;
}

static uint64_t sample_flags(const struct event_sample *sample, const struct event_stacks *stacks)
{
	uint64_t flags = sample->flags & (SAMPLE_KERNEL_TRUNCATED | SAMPLE_USER_TRUNCATED);

	return flags | (stacks->kernel_count ? SAMPLE_HAS_KERNEL : 0) | (stacks->user_count ? SAMPLE_HAS_USER : 0) |
	       (sample->period ? SAMPLE_HAS_PERIOD : 0) | (sample->missing ? SAMPLE_USER_MISSING : 0);
}

int event_encode_sample(struct event_encoder *encoder, struct event_sample *sample, const struct event_task *task,
			const struct event_stacks *stacks)
{
	int r = check_room(encoder, stacks, SAMPLE_ROOM);
	uint8_t *at;

	if (r >= 0 && (sample->cpu >= encoder->max_cpus || sample->source > RWK_MAX_SOURCES))
		r = -EINVAL;
	if (r >= 0)
		r = find_task(encoder, task, &sample->task);
	if (r < 0)
		return r;
	sample->flags = sample_flags(sample, stacks);
	sample->kernel = STACK_KERNEL_ROOT;
	sample->user = STACK_USER_ROOT;
	sample->callers_known = false;
	at = varint_put(record_start(encoder, EVENT_SAMPLE), sample->cpu);
	at = sample_time_put(encoder, at, sample->cpu, sample->time);
	at = varint_put(at, sample->task);
	at = varint_put(at, sample->source);
	at = varint_put(at, sample->flags);
	if (sample->flags & SAMPLE_USER_MISSING)
		at = varint_put(at, sample->missing);
	if (sample->flags & SAMPLE_HAS_PERIOD)
		at = varint_put(at, sample->period);
	if (sample->flags & SAMPLE_HAS_KERNEL)
		at = kernel_stack_put(encoder, stacks, at, &sample->kernel);
	if (sample->flags & SAMPLE_HAS_USER)
		at = user_stack_put(encoder, stacks, at, sample);
	record_finish(encoder, at);
	return 0;
}

int event_encode_walk_task(struct event_encoder *encoder, struct event_walk_task *row, const struct event_task *task,
			   const struct event_stacks *stacks)
{
	const struct event_layout *layout = event_layout_find(EVENT_WALK_TASK);
	int64_t room = fields_room(layout, row);
	int r = room < 0 ? (int)room : check_room(encoder, stacks, (size_t)room);
	uint8_t *at;

	if (r >= 0)
		r = find_task(encoder, task, &row->task);
	if (r < 0)
		return r;
	at = fields_put(encoder, record_start(encoder, EVENT_WALK_TASK), layout, row);
	at = kernel_stack_put(encoder, stacks, at, &row->kernel);
	record_finish(encoder, at);
	return 0;
}

/* --- embedding ----------------------------------------------------------------------------------- */

int event_encode_embed_module(struct event_encoder *encoder, const struct event_embed_module *module)
{
	const struct event_layout *layout = event_layout_find(EVENT_EMBED_MODULE);
	int64_t room = fields_room(layout, module);
	uint8_t *at;

	if (room < 0 || module->segment_count > RWK_MAX_SEGMENTS)
		return -EINVAL;
	if (!has_room(encoder, (size_t)room + (size_t)module->segment_count * 5 * VARINT_MAX))
		return -ENOSPC;
	at = fields_put(encoder, record_start(encoder, EVENT_EMBED_MODULE), layout, module);
	at = varint_put(at, module->segment_count);
	for (uint32_t i = 0; i < module->segment_count; i++) {
		const struct event_segment *segment = &module->segments[i];

		at = varint_put(at, segment->file_offset);
		at = varint_put(at, segment->address);
		at = varint_put(at, segment->file_size);
		at = varint_put(at, segment->memory_size);
		at = varint_put(at, segment->flags);
	}
	record_finish(encoder, at);
	return 0;
}

static size_t name_length(const struct event_symbol *symbol)
{
	return symbol->name.length < RWK_MAX_STRING ? symbol->name.length : RWK_MAX_STRING;
}

/* How many of the symbols fit into `room` bytes; -EINVAL where they are out of order. */
static int count_fitting(const struct event_symbol *symbols, size_t count, size_t room, size_t *ret_fitting)
{
	uint64_t previous = 0;
	size_t i;

	for (i = 0; i < count; i++) {
		size_t size = 2 * VARINT_MAX + 2 + name_length(&symbols[i]);

		if (symbols[i].address < previous)
			return -EINVAL;
		if (size > room)
			break;
		room -= size;
		previous = symbols[i].address;
	}
	*ret_fitting = i;
	return 0;
}

static int encode_symbols(struct event_encoder *encoder, enum event_kind kind, uint32_t owner,
			  const struct event_symbol *symbols, size_t count, size_t *ret_taken)
{
	enum { OVERHEAD = RECORD_OVERHEAD + 2 * VARINT_MAX };
	uint64_t previous = 0;
	size_t fitting = 0;
	uint8_t *at;
	int r;

	if (!has_room(encoder, OVERHEAD))
		return -ENOSPC;
	r = count_fitting(symbols, count, encoder->room - encoder->used - OVERHEAD, &fitting);
	if (r < 0)
		return r;
	if (!fitting)
		return count ? -ENOSPC : -EINVAL;
	at = varint_put(record_start(encoder, kind), owner);
	at = varint_put(at, fitting);
	for (size_t i = 0; i < fitting; i++) {
		at = varint_put(at, symbols[i].address - previous);
		at = varint_put(at, symbols[i].size);
		at = text_put(at, symbols[i].name.bytes, name_length(&symbols[i]));
		previous = symbols[i].address;
	}
	record_finish(encoder, at);
	*ret_taken = fitting;
	return 0;
}

int event_encode_embed_symbols(struct event_encoder *encoder, uint32_t module, const struct event_symbol *symbols,
			       size_t count, size_t *ret_taken)
{
	if (module > RWK_MAX_MODULES)
		return -EINVAL;
	return encode_symbols(encoder, EVENT_EMBED_SYMBOLS, module, symbols, count, ret_taken);
}

int event_encode_perf_map(struct event_encoder *encoder, uint32_t tgid, const struct event_symbol *symbols,
			  size_t count, size_t *ret_taken)
{
	return encode_symbols(encoder, EVENT_PERF_MAP, tgid, symbols, count, ret_taken);
}

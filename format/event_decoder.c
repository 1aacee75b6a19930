/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "format/event_decoder.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "format/event_layout.h"
#include "format/limits.h"
#include "format/wait_ends.h"

struct cpu_clock { /* the last sample of a CPU */
	uint64_t time, step;
	uint64_t chunk; /* which payload that was in */
	struct wait_ends ends;
};

struct event_decoder {
	struct byte_cursor payload;
	int error;	      /* what ended the payload early */
	uint64_t time, start, task; /* base of the next (t), FIELD_START (pages) and FIELD_TASK */
	uint64_t chunk;	      /* counts payloads, from 1 */
	uint64_t unknown;
	ARRAY(struct stack_node) nodes;
	uint64_t *previous; /* per node: base of its next child's address */
	size_t previous_capacity;
	ARRAY(struct event_task) tasks;
	struct event_segment segments[RWK_MAX_SEGMENTS];
	struct cpu_clock *cpus;
	size_t cpu_capacity;
};

int event_decoder_create(struct event_decoder **ret_decoder)
{
	struct event_decoder *decoder = calloc(1, sizeof(*decoder));

	if (!decoder)
		return -ENOMEM;
	if (array_reserve(&decoder->nodes, 1024) < 0 ||
	    array_reserve_raw((void **)&decoder->previous, &decoder->previous_capacity, 1024, sizeof(uint64_t)) < 0) {
		event_decoder_destroy(decoder);
		return -ENOMEM;
	}
	event_decoder_start(decoder, "", 0);
	*ret_decoder = decoder;
	return 0;
}

void event_decoder_destroy(struct event_decoder *decoder)
{
	if (!decoder)
		return;
	array_free(&decoder->nodes);
	array_free(&decoder->tasks);
	free(decoder->previous);
	free(decoder->cpus);
	free(decoder);
}

void event_decoder_start(struct event_decoder *decoder, const void *payload, size_t length)
{
	decoder->payload = byte_cursor_make(payload, length);
	decoder->error = 0;
	decoder->time = decoder->start = decoder->task = 0;
	decoder->chunk++;
	decoder->unknown = 0;
	decoder->tasks.count = 0;
	for (uint32_t root = 0; root < STACK_FIRST_NODE; root++) {
		decoder->nodes.items[root] = (struct stack_node){.parent = root, .root = (uint16_t)root};
		decoder->previous[root] = 0;
	}
	decoder->nodes.count = STACK_FIRST_NODE;
}

const struct stack_node *event_decoder_nodes(const struct event_decoder *decoder, size_t *ret_count)
{
	*ret_count = decoder->nodes.count;
	return decoder->nodes.items;
}

const struct event_task *event_decoder_task(const struct event_decoder *decoder, uint32_t number)
{
	return number && number <= decoder->tasks.count ? &decoder->tasks.items[number - 1] : NULL;
}

uint64_t event_decoder_unknown(const struct event_decoder *decoder)
{
	return decoder->unknown;
}

/* --- fields: one that is absent at the end of its record reads as 0 or empty -------------------------- */

static bool is_absent(const struct byte_cursor *record)
{
	return record->next == record->end;
}

static uint64_t take_number(struct byte_cursor *record)
{
	return is_absent(record) ? 0 : byte_cursor_varint(record);
}

static uint64_t take_difference(struct byte_cursor *record)
{
	return is_absent(record) ? 0 : (uint64_t)byte_cursor_zigzag(record);
}

static uint32_t take_u32(struct byte_cursor *record, uint32_t limit)
{
	uint64_t value = take_number(record);

	if (value <= limit)
		return (uint32_t)value;
	record->bad = true;
	return 0;
}

static struct event_text take_text(struct byte_cursor *record, uint32_t limit)
{
	uint32_t length = take_u32(record, limit);
	const uint8_t *bytes = byte_cursor_bytes(record, length);

	return bytes ? (struct event_text){(const char *)bytes, length} : (struct event_text){"", 0};
}

static void take_comm(struct byte_cursor *record, char comm[static RWK_MAX_COMM + 1])
{
	struct event_text text = take_text(record, RWK_MAX_COMM);

	memset(comm, 0, RWK_MAX_COMM + 1);
	memcpy(comm, text.bytes, strnlen(text.bytes, text.length));
}

/* Pages to bytes; bad if that does not fit. */
static uint64_t take_pages(struct byte_cursor *record, uint64_t pages)
{
	record->bad |= pages >> (64 - FIELD_PAGE_SHIFT) != 0;
	return pages << FIELD_PAGE_SHIFT;
}

/* --- stacks ------------------------------------------------------------------------------------------- */

static int reserve_nodes(struct event_decoder *decoder, size_t more)
{
	size_t wanted = decoder->nodes.count + more;
	int r = array_reserve(&decoder->nodes, wanted);

	return r < 0 ? r : array_reserve_raw((void **)&decoder->previous, &decoder->previous_capacity, wanted,
					     sizeof(*decoder->previous));
}

static uint32_t add_node(struct event_decoder *decoder, uint32_t parent, uint64_t difference)
{
	uint32_t number = (uint32_t)decoder->nodes.count++;
	const struct stack_node *above = &decoder->nodes.items[parent];
	uint64_t address = decoder->previous[parent] + difference;

	decoder->nodes.items[number] = (struct stack_node){.address = address, .parent = parent,
							   .depth = (uint16_t)(above->depth + 1), .root = above->root};
	decoder->previous[parent] = decoder->previous[number] = address;
	return number;
}

/* Reads a stack that must be below `root`. A malformed one marks the record bad; -ENOMEM. */
static int take_stack(struct event_decoder *decoder, struct byte_cursor *record, uint32_t root, uint32_t *ret_leaf)
{
	uint32_t parent, count, longest = root == STACK_USER_ROOT ? RWK_MAX_PATH : RWK_MAX_FRAMES;
	int r;

	*ret_leaf = root;
	if (is_absent(record))
		return 0;
	parent = take_u32(record, UINT32_MAX);
	count = take_u32(record, longest);
	if (record->bad || parent >= decoder->nodes.count || decoder->nodes.items[parent].root != root ||
	    decoder->nodes.items[parent].depth + count > longest || count > byte_cursor_left(record)) {
		record->bad = true;
		return 0;
	}
	r = reserve_nodes(decoder, count);
	if (r < 0)
		return r;
	for (; count && !record->bad; count--)
		parent = add_node(decoder, parent, (uint64_t)byte_cursor_zigzag(record));
	*ret_leaf = parent;
	return 0;
}

/* --- times by CPU ------------------------------------------------------------------------------------- */

static int reserve_cpu(struct event_decoder *decoder, uint32_t cpu)
{
	size_t known = decoder->cpu_capacity;
	int r = array_reserve_raw((void **)&decoder->cpus, &decoder->cpu_capacity, (size_t)cpu + 1,
				  sizeof(*decoder->cpus));

	if (r >= 0 && decoder->cpu_capacity > known)
		memset(decoder->cpus + known, 0, (decoder->cpu_capacity - known) * sizeof(*decoder->cpus));
	return r;
}

static uint64_t take_sample_time(struct event_decoder *decoder, struct byte_cursor *record, uint32_t cpu)
{
	struct cpu_clock *clock = &decoder->cpus[cpu];
	uint64_t difference = take_difference(record);

	if (clock->chunk != decoder->chunk) {
		*clock = (struct cpu_clock){.chunk = decoder->chunk, .time = decoder->time + difference};
	} else {
		clock->step += difference;
		clock->time += clock->step;
	}
	decoder->time = clock->time;
	return clock->time;
}

static uint64_t take_length(struct event_decoder *decoder, struct byte_cursor *record, uint32_t cpu)
{
	struct wait_ends *ends = &decoder->cpus[cpu].ends;
	uint64_t code = take_number(record), length = code - WAIT_ENDS;

	if (code < WAIT_ENDS)
		length = decoder->time - ends->times[code];
	record->bad |= length > decoder->time;
	wait_ends_note(ends, decoder->time);
	return length;
}

/* --- records by the table ------------------------------------------------------------------------------ */

/* A field that refers to the record's CPU. -ENOMEM. */
static int take_cpu_field(struct event_decoder *decoder, struct byte_cursor *record, const struct event_field *field,
			  uint32_t cpu, uint64_t *ret_value)
{
	int r = reserve_cpu(decoder, cpu);

	if (r < 0)
		return r;
	*ret_value = field->type == FIELD_CLOCK ? take_sample_time(decoder, record, cpu) :
						  take_length(decoder, record, cpu);
	return 0;
}

static void take_field(struct event_decoder *decoder, struct byte_cursor *record, const struct event_field *field,
		       void *out)
{
	void *place = (char *)out + field->offset;

	switch (field->type) {
	case FIELD_U32:
		*(uint32_t *)place = take_u32(record, field->limit);
		break;
	case FIELD_TEXT:
	case FIELD_BYTES:
		*(struct event_text *)place = take_text(record, field->limit);
		break;
	case FIELD_COMM:
		take_comm(record, place);
		break;
	case FIELD_TIME:
		decoder->time += take_difference(record);
		*(uint64_t *)place = decoder->time;
		break;
	case FIELD_TASK:
		decoder->task += take_difference(record);
		record->bad |= decoder->task > field->limit;
		*(uint32_t *)place = (uint32_t)decoder->task;
		break;
	case FIELD_START:
		decoder->start += take_difference(record);
		*(uint64_t *)place = take_pages(record, decoder->start);
		break;
	case FIELD_PAGES:
		*(uint64_t *)place = take_pages(record, take_number(record));
		break;
	default:
		*(uint64_t *)place = take_number(record);
	}
}

static int take_any_field(struct event_decoder *decoder, struct byte_cursor *record, const struct event_layout *layout,
			  const struct event_field *field, void *out)
{
	void *place = (char *)out + field->offset;

	switch (field->type) {
	case FIELD_CLOCK:
	case FIELD_LENGTH:
		return take_cpu_field(decoder, record, field, event_record_cpu(layout, out), place);
	case FIELD_KERNEL:
		return take_stack(decoder, record, STACK_KERNEL_ROOT, place);
	case FIELD_USER:
		return take_stack(decoder, record, STACK_USER_ROOT, place);
	default:
		take_field(decoder, record, field, out);
		return 0;
	}
}

/* The value of a field that its record does not have. */
static void leave_out(const struct event_field *field, void *out)
{
	void *place = (char *)out + field->offset;

	if (field->type == FIELD_KERNEL)
		*(uint32_t *)place = STACK_KERNEL_ROOT;
	else if (field->type == FIELD_USER)
		*(uint32_t *)place = STACK_USER_ROOT;
	else if (field->type == FIELD_U32)
		*(uint32_t *)place = 0;
	else
		*(uint64_t *)place = 0;
}

static int take_fields(struct event_decoder *decoder, struct byte_cursor *record, const struct event_layout *layout,
		       void *out)
{
	int r = 0;

	for (const struct event_field *field = layout->fields; field->type && r >= 0; field++) {
		if (field->type >= FIELD_SPECIAL_U32)
			continue;
		if (event_field_present(layout, field, out))
			r = take_any_field(decoder, record, layout, field, out);
		else
			leave_out(field, out);
	}
	return r;
}

/* --- records with coding of their own ----------------------------------------------------------------- */

static int take_task(struct event_decoder *decoder, struct byte_cursor *record, struct event *event)
{
	return record->bad ? 0 : array_push(&decoder->tasks, event->task);
}

static int take_sample(struct event_decoder *decoder, struct byte_cursor *record, struct event *event)
{
	struct event_sample *sample = &event->sample;
	int r;

	*sample = (struct event_sample){.kernel = STACK_KERNEL_ROOT, .user = STACK_USER_ROOT};
	sample->cpu = take_u32(record, RWK_MAX_CPUS - 1);
	r = reserve_cpu(decoder, sample->cpu);
	if (r < 0)
		return r;
	sample->time = take_sample_time(decoder, record, sample->cpu);
	sample->task = take_u32(record, (uint32_t)decoder->tasks.count);
	sample->source = take_u32(record, RWK_MAX_SOURCES);
	sample->flags = take_number(record);
	if (sample->flags & SAMPLE_USER_MISSING)
		sample->missing = take_number(record);
	if (sample->flags & SAMPLE_HAS_PERIOD)
		sample->period = take_number(record);
	if (sample->flags & SAMPLE_HAS_KERNEL)
		r = take_stack(decoder, record, STACK_KERNEL_ROOT, &sample->kernel);
	if (r >= 0 && sample->flags & SAMPLE_HAS_USER)
		r = take_stack(decoder, record, STACK_USER_ROOT, &sample->user);
	if (r >= 0 && sample->flags & SAMPLE_HAS_PROBE)
		sample->probe = take_u32(record, RWK_MAX_PROBES);
	if (r >= 0 && sample->flags & SAMPLE_HAS_SNAPSHOT)
		sample->snapshot = take_u32(record, UINT32_MAX);
	return r;
}

static bool is_task(const struct event_decoder *decoder, uint32_t number)
{
	return number <= decoder->tasks.count;
}

static int check_walk_task(struct event_decoder *decoder, struct byte_cursor *record, struct event *event)
{
	record->bad |= !is_task(decoder, event->walk_task.task) || !is_task(decoder, event->walk_task.owner);
	return 0;
}

static int check_wait(struct event_decoder *decoder, struct byte_cursor *record, struct event *event)
{
	struct event_wait *wait = &event->wait;

	record->bad |= !is_task(decoder, wait->task) || !is_task(decoder, wait->waker) ||
		       !is_task(decoder, wait->owner);
	if (!(wait->flags & WAIT_MOVED))
		wait->out_cpu = wait->cpu;
	if (!(wait->flags & WAIT_HAS_RUN_QUEUE))
		wait->run_queue = wait->throttled < wait->length ? wait->length - wait->throttled : 0;
	return 0;
}

static int check_wake(struct event_decoder *decoder, struct byte_cursor *record, struct event *event)
{
	record->bad |= !is_task(decoder, event->wake.task) || !is_task(decoder, event->wake.target);
	return 0;
}

static int check_user_stack(struct event_decoder *decoder, struct byte_cursor *record, struct event *event)
{
	record->bad |= !is_task(decoder, event->user_stack.task);
	return 0;
}

static int check_wait_sums(struct event_decoder *decoder, struct byte_cursor *record, struct event *event)
{
	record->bad |= !is_task(decoder, event->wait_sums.task);
	return 0;
}

static int take_segments(struct event_decoder *decoder, struct byte_cursor *record, struct event *event)
{
	uint32_t count = take_u32(record, RWK_MAX_SEGMENTS);

	for (uint32_t i = 0; i < count && !record->bad; i++) {
		struct event_segment *segment = &decoder->segments[i];

		segment->file_offset = byte_cursor_varint(record);
		segment->address = byte_cursor_varint(record);
		segment->file_size = byte_cursor_varint(record);
		segment->memory_size = byte_cursor_varint(record);
		segment->flags = byte_cursor_varint(record);
	}
	event->embed_module.segment_count = count;
	event->embed_module.segments = decoder->segments;
	return 0;
}

static int take_symbols(struct event_decoder *decoder, struct byte_cursor *record, struct event *event)
{
	const bool lines = event->kind == EVENT_EMBED_LINES;
	uint64_t count = take_number(record);

	(void)decoder;
	if (count > byte_cursor_left(record) / (lines ? 2 : 3)) /* least bytes of a line, of a symbol */
		record->bad = true;
	*(lines			       ? &event->embed_lines.count :
	  event->kind == EVENT_PERF_MAP ? &event->perf_map.count :
					  &event->embed_symbols.count) = count;
	event->symbols = *record;
	return 0;
}

/* --- the payload -------------------------------------------------------------------------------------- */

typedef int take_function(struct event_decoder *decoder, struct byte_cursor *record, struct event *event);

static take_function *special(enum event_kind kind)
{
	static take_function *const functions[] = {
		[EVENT_TASK] = take_task,	      [EVENT_SAMPLE] = take_sample,
		[EVENT_WALK_TASK] = check_walk_task,  [EVENT_EMBED_MODULE] = take_segments,
		[EVENT_EMBED_SYMBOLS] = take_symbols, [EVENT_PERF_MAP] = take_symbols,
		[EVENT_WAIT] = check_wait,	      [EVENT_WAKE] = check_wake,
		[EVENT_USER_STACK] = check_user_stack, [EVENT_WAIT_SUMS] = check_wait_sums,
		[EVENT_EMBED_LINES] = take_symbols,
	};

	return functions[kind];
}

/* 1: an event; 0: an unknown kind; -EBADMSG, -ENOMEM. */
static int take_record(struct event_decoder *decoder, struct event *event)
{
	size_t length = byte_cursor_varint(&decoder->payload);
	struct byte_cursor record = byte_cursor_sub(&decoder->payload, length);
	uint64_t kind = byte_cursor_varint(&record);
	const struct event_layout *layout = event_layout_find(kind);
	int r = 0;

	if (decoder->payload.bad || record.bad)
		return -EBADMSG;
	if (!layout)
		return 0;
	event->kind = (enum event_kind)kind;
	r = take_fields(decoder, &record, layout, event_record(event));
	if (r >= 0 && layout->special)
		r = special(event->kind)(decoder, &record, event);
	if (r < 0)
		return r;
	return record.bad ? -EBADMSG : 1;
}

int event_decoder_next(struct event_decoder *decoder, struct event *ret_event)
{
	int r = 0;

	while (!decoder->error && byte_cursor_left(&decoder->payload)) {
		r = take_record(decoder, ret_event);
		if (r)
			break;
		decoder->unknown++;
	}
	if (r < 0)
		decoder->error = r;
	return decoder->error ? decoder->error : r;
}

/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "format/event_decoder.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "format/event_rows.h"
#include "format/field_last.h"
#include "format/limits.h"

struct event_decoder {
	struct byte_cursor payload;
	int error;	      /* what ended the payload early */
	struct field_last last[EVENT_KINDS];
	uint64_t chunk;	      /* counts payloads, from 1 */
	uint64_t unknown;
	ARRAY(struct stack_node) nodes;
	uint64_t *previous; /* per node: base of its next child's address */
	size_t previous_capacity;
	ARRAY(struct event_task) tasks;
	struct event_segment segments[RWK_MAX_SEGMENTS];
	struct cpu_clock *clocks; /* EVENT_CLOCKS of each CPU */
	size_t clock_capacity;
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
	free(decoder->clocks);
	free(decoder);
}

void event_decoder_start(struct event_decoder *decoder, const void *payload, size_t length)
{
	decoder->payload = byte_cursor_make(payload, length);
	decoder->error = 0;
	memset(decoder->last, 0, sizeof(decoder->last));
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

static int reserve_clock(struct event_decoder *decoder, size_t number)
{
	size_t known = decoder->clock_capacity;
	int r = array_reserve_raw((void **)&decoder->clocks, &decoder->clock_capacity, number + 1,
				  sizeof(*decoder->clocks));

	if (r >= 0 && decoder->clock_capacity > known)
		memset(decoder->clocks + known, 0, (decoder->clock_capacity - known) * sizeof(*decoder->clocks));
	return r;
}

static uint64_t take_clock(struct event_decoder *decoder, struct byte_cursor *record, struct cpu_clock *clock,
			   uint64_t *last)
{
	uint64_t difference = take_difference(record);

	if (clock->chunk != decoder->chunk) {
		*clock = (struct cpu_clock){.chunk = decoder->chunk, .time = *last + difference};
	} else {
		clock->step += difference;
		clock->time += clock->step;
	}
	return *last = clock->time;
}

static uint64_t take_length(struct byte_cursor *record, struct cpu_clock *clock)
{
	uint64_t code = take_number(record);
	uint64_t length = code < WAIT_ENDS ? clock->time - clock->ends.times[code] : code - WAIT_ENDS;

	record->bad |= length > clock->time;
	wait_ends_note(&clock->ends, clock->time);
	return length;
}

/* --- records by the table ------------------------------------------------------------------------------ */

/* A field that refers to the record's CPU. -ENOMEM. */
ROW_INLINE int take_cpu_field(struct event_decoder *decoder, struct byte_cursor *record, const struct event_layout *layout,
			      const struct event_field *field, void *out)
{
	size_t number = event_record_clock(layout, out);
	uint64_t *place = (uint64_t *)((char *)out + field->offset);
	int r = reserve_clock(decoder, number);

	if (r < 0)
		return r;
	*place = field->type == FIELD_CLOCK ?
			 take_clock(decoder, record, &decoder->clocks[number], &decoder->last[layout->kind].time) :
			 take_length(record, &decoder->clocks[number]);
	return 0;
}

ROW_INLINE void take_field(struct event_decoder *decoder, struct byte_cursor *record, struct field_last *last,
			   const struct event_field *field, void *out)
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
		*(uint64_t *)place = last->time += take_difference(record);
		break;
	case FIELD_TASK:
		last->task += take_difference(record);
		record->bad |= last->task > field->limit;
		*(uint32_t *)place = (uint32_t)last->task;
		break;
	case FIELD_START:
		last->start += take_difference(record);
		*(uint64_t *)place = take_pages(record, last->start);
		break;
	case FIELD_OF_TASK:
		*(uint32_t *)place = take_u32(record, (uint32_t)decoder->tasks.count);
		break;
	case FIELD_PAGES:
		*(uint64_t *)place = take_pages(record, take_number(record));
		break;
	default:
		*(uint64_t *)place = take_number(record);
	}
}

ROW_INLINE int take_any_field(struct event_decoder *decoder, struct byte_cursor *record, const struct event_layout *layout,
			      const struct event_field *field, void *out)
{
	void *place = (char *)out + field->offset;

	switch (field->type) {
	case FIELD_CLOCK:
	case FIELD_LENGTH:
		return take_cpu_field(decoder, record, layout, field, out);
	case FIELD_KERNEL:
		return take_stack(decoder, record, STACK_KERNEL_ROOT, place);
	case FIELD_USER:
		return take_stack(decoder, record, STACK_USER_ROOT, place);
	default:
		take_field(decoder, record, &decoder->last[layout->kind], field, out);
		return 0;
	}
}

/* The value of a field that its record does not have. */
ROW_INLINE void leave_out(const struct event_field *field, void *out)
{
	void *place = (char *)out + field->offset;

	if (field->type == FIELD_KERNEL)
		*(uint32_t *)place = STACK_KERNEL_ROOT;
	else if (field->type == FIELD_USER)
		*(uint32_t *)place = STACK_USER_ROOT;
	else if (field->type == FIELD_U32 || field->type == FIELD_OF_TASK)
		*(uint32_t *)place = 0;
	else
		*(uint64_t *)place = 0;
}

ROW_INLINE int take_row(struct event_decoder *decoder, struct byte_cursor *record, const struct event_layout *layout,
			const struct event_field *field, void *out)
{
	if (event_field_present(layout, field, out))
		return take_any_field(decoder, record, layout, field, out);
	leave_out(field, out);
	return 0;
}

/* The layout is a constant. */
ROW_INLINE int take_rows(struct event_decoder *decoder, struct byte_cursor *record, const struct event_layout *layout,
			 void *out)
{
#pragma GCC unroll 32
	for (size_t i = 0; i < layout->count; i++) {
		int r = take_row(decoder, record, layout, &layout->fields[i], out);

		if (r < 0)
			return r;
	}
	return 0;
}

static int take_fields(struct event_decoder *decoder, struct byte_cursor *record, const struct event_layout *layout,
		       void *out)
{
	int r = 0;

	switch (layout->kind) {
	case EVENT_SAMPLE:
		return take_rows(decoder, record, &event_layout_sample, out);
	case EVENT_WAIT:
		return take_rows(decoder, record, &event_layout_wait, out);
	case EVENT_WAKE:
		return take_rows(decoder, record, &event_layout_wake, out);
	case EVENT_USER_STACK:
		return take_rows(decoder, record, &event_layout_user_stack, out);
	default:
		for (const struct event_field *field = layout->fields; field->type && r >= 0; field++)
			r = take_row(decoder, record, layout, field, out);
		return r;
	}
}

/* --- what the table does not say ---------------------------------------------------------------------- */

static void complete_wait(struct event_wait *wait)
{
	if (!(wait->flags & WAIT_MOVED))
		wait->out_cpu = wait->cpu;
	if (!(wait->flags & WAIT_HAS_RUN_QUEUE))
		wait->run_queue = wait->throttled < wait->length ? wait->length - wait->throttled : 0;
}

static void take_segments(struct event_decoder *decoder, struct byte_cursor *record, struct event_embed_module *module)
{
	for (uint32_t i = 0; i < module->segment_count && !record->bad; i++) {
		struct event_segment *segment = &decoder->segments[i];

		segment->file_offset = byte_cursor_varint(record);
		segment->address = byte_cursor_varint(record);
		segment->file_size = byte_cursor_varint(record);
		segment->memory_size = byte_cursor_varint(record);
		segment->flags = byte_cursor_varint(record);
	}
	module->segments = decoder->segments;
}

/* `least`: bytes of an entry of the list. */
static void check_list(struct byte_cursor *record, uint64_t count, unsigned int least, struct event *event)
{
	record->bad |= count > byte_cursor_left(record) / least;
	event->symbols = *record;
}

static int complete(struct event_decoder *decoder, struct byte_cursor *record, struct event *event)
{
	switch (event->kind) {
	case EVENT_TASK:
		return record->bad ? 0 : array_push(&decoder->tasks, event->task);
	case EVENT_WAIT:
		complete_wait(&event->wait);
		return 0;
	case EVENT_EMBED_MODULE:
		take_segments(decoder, record, &event->embed_module);
		return 0;
	case EVENT_EMBED_SYMBOLS:
		check_list(record, event->embed_symbols.count, 3, event);
		return 0;
	case EVENT_PERF_MAP:
		check_list(record, event->perf_map.count, 3, event);
		return 0;
	case EVENT_EMBED_LINES:
		check_list(record, event->embed_lines.count, 2, event);
		return 0;
	default:
		return 0;
	}
}

/* --- the payload -------------------------------------------------------------------------------------- */

/* 1: an event; 0: an unknown kind; -EBADMSG, -ENOMEM. */
static int take_record(struct event_decoder *decoder, struct event *event)
{
	size_t length = byte_cursor_varint(&decoder->payload);
	struct byte_cursor record = byte_cursor_sub(&decoder->payload, length);
	uint64_t kind = byte_cursor_varint(&record);
	const struct event_layout *layout = event_layout_find(kind);
	int r;

	if (decoder->payload.bad || record.bad)
		return -EBADMSG;
	if (!layout)
		return 0;
	event->kind = (enum event_kind)kind;
	r = take_fields(decoder, &record, layout, event_record(event));
	if (r >= 0)
		r = complete(decoder, &record, event);
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

int event_next_symbol(struct event *event, uint64_t *address, struct event_symbol *ret_symbol)
{
	uint64_t *count = event->kind == EVENT_PERF_MAP ? &event->perf_map.count : &event->embed_symbols.count;
	struct event_symbol symbol;
	uint64_t difference, length;
	const uint8_t *bytes;

	if (!*count)
		return 0;
	difference = byte_cursor_varint(&event->symbols);
	symbol.size = byte_cursor_varint(&event->symbols);
	length = byte_cursor_varint(&event->symbols);
	event->symbols.bad |= length > RWK_MAX_STRING;
	bytes = byte_cursor_bytes(&event->symbols, length);
	symbol.name = (struct event_text){(const char *)bytes, (uint32_t)length};
	if (event->symbols.bad || !bytes || __builtin_add_overflow(*address, difference, &symbol.address)) {
		*count = 0;
		return -EBADMSG;
	}
	--*count;
	*address = symbol.address;
	*ret_symbol = symbol;
	return 1;
}

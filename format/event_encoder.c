/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "format/event_encoder.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "format/event_encoder_internal.h"

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

/* --- records that the table describes ------------------------------------------------------------ */

/* Upper bound of the bytes of a field, or -EINVAL if its value exceeds the limit. */
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

int64_t encoder_fields_room(const struct event_layout *layout, const void *record)
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

uint8_t *encoder_field_put(struct event_encoder *encoder, uint8_t *at, const struct event_field *field,
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
		encoder_note_time(encoder, event_field_value(field, record));
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

uint8_t *encoder_fields_put(struct event_encoder *encoder, uint8_t *at, const struct event_layout *layout,
			   const void *record)
{
	for (const struct event_field *field = layout->fields; field->type; field++)
		if (field->type < FIELD_SPECIAL_U32)
			at = encoder_field_put(encoder, at, field, record);
	return at;
}

static int encode_fields(struct event_encoder *encoder, enum event_kind kind, const void *record)
{
	const struct event_layout *layout = event_layout_find(kind);
	int64_t room = layout && !layout->special ? encoder_fields_room(layout, record) : -EINVAL;
	uint8_t *at;

	if (room < 0)
		return (int)room;
	if (!encoder_has_room(encoder, (size_t)room))
		return -ENOSPC;
	at = encoder_record_start(encoder, kind);
	encoder_record_finish(encoder, encoder_fields_put(encoder, at, layout, record));
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
ENCODE_BY_TABLE(probe, EVENT_PROBE)
ENCODE_BY_TABLE(probe_hits, EVENT_PROBE_HITS)
ENCODE_BY_TABLE(unsure, EVENT_UNSURE)
ENCODE_BY_TABLE(counter, EVENT_COUNTER)
ENCODE_BY_TABLE(walk, EVENT_WALK)

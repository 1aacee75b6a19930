/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Private to event_encoder*.c: the encoder, and how a record is begun, filled and ended. */
#ifndef RWALKER_FORMAT_EVENT_ENCODER_INTERNAL_H
#define RWALKER_FORMAT_EVENT_ENCODER_INTERNAL_H

#include <string.h>

#include "format/event_encoder.h"
#include "format/event_layout.h"
#include "format/limits.h"
#include "format/stack_tree.h"
#include "format/task_table.h"
#include "format/varint.h"
#include "format/wait_ends.h"

enum {
	RECORD_OVERHEAD = 4 + 2, /* length and kind */
	TASK_ROOM = RECORD_OVERHEAD + 4 * VARINT_MAX + 1 + RWK_MAX_COMM,
};

struct cpu_clock { /* the last sample, wait ... of a CPU */
	uint64_t time, step;
	uint64_t chunk; /* the chunk it was in */
	struct wait_ends ends;
};

struct event_encoder {
	uint8_t *bytes;
	size_t used, room;
	uint64_t time, start, task; /* base of the next (t), FIELD_START (pages) and FIELD_TASK */
	uint64_t first, last;	    /* first > last: no time yet */
	uint64_t chunk;		    /* counts resets, from 1 */
	struct cpu_clock *cpus;
	uint32_t max_cpus;
	struct stack_tree stacks;
	struct task_table tasks;
};

static inline bool encoder_has_room(const struct event_encoder *encoder, size_t bytes)
{
	return bytes <= encoder->room - encoder->used;
}

static inline void encoder_note_time(struct event_encoder *encoder, uint64_t time)
{
	encoder->time = time;
	if (time < encoder->first)
		encoder->first = time;
	if (time > encoder->last)
		encoder->last = time;
}

/* A record is written after a one-byte length, and moved if the length turns out to need more. */
static inline uint8_t *encoder_record_start(const struct event_encoder *encoder, enum event_kind kind)
{
	return varint_put(encoder->bytes + encoder->used + 1, kind);
}

static inline void encoder_record_finish(struct event_encoder *encoder, const uint8_t *end)
{
	uint8_t *start = encoder->bytes + encoder->used;
	size_t length = (size_t)(end - start) - 1, prefix = varint_size(length);

	if (prefix > 1)
		memmove(start + prefix, start + 1, length);
	varint_put(start, length);
	encoder->used += prefix + length;
}

/* Upper bound of the bytes of all fields, without stacks; -EINVAL if one exceeds its limit. */
int64_t encoder_fields_room(const struct event_layout *layout, const void *record);
/* One field that depends only on the encoder's running differences. */
uint8_t *encoder_field_put(struct event_encoder *encoder, uint8_t *at, const struct event_field *field,
			   const void *record);
/* All fields except those with special coding. */
uint8_t *encoder_fields_put(struct event_encoder *encoder, uint8_t *at, const struct event_layout *layout,
			    const void *record);

#endif

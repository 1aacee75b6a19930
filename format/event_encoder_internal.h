/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Private to event_encoder*.c: the encoder, and how a record is begun, filled and ended. */
#ifndef RWALKER_FORMAT_EVENT_ENCODER_INTERNAL_H
#define RWALKER_FORMAT_EVENT_ENCODER_INTERNAL_H

#include <string.h>

#include "format/event_encoder.h"
#include "format/event_layout.h"
#include "format/field_last.h"
#include "format/limits.h"
#include "format/stack_tree.h"
#include "format/task_table.h"
#include "format/varint.h"

enum {
	RECORD_OVERHEAD = 4 + 2, /* length and kind */
	TASK_ROOM = RECORD_OVERHEAD + 4 * VARINT_MAX + 1 + RWK_MAX_COMM,
};

struct event_encoder {
	uint8_t *bytes;
	size_t used, room;
	struct field_last last[EVENT_KINDS];
	uint64_t first_time, last_time; /* first > last: no time yet */
	uint64_t chunk;			/* counts resets, from 1 */
	struct cpu_clock *clocks; /* EVENT_CLOCKS of each CPU */
	uint32_t max_cpus;
	struct stack_tree stacks;
	struct task_table tasks;
};

static inline bool encoder_has_room(const struct event_encoder *encoder, size_t bytes)
{
	return bytes <= encoder->room - encoder->used;
}

/* Writes the fields, if they and `more` bytes fit; the caller writes what follows, and ends it. 0, -ENOSPC, -EINVAL. */
int encoder_record_start(struct event_encoder *encoder, enum event_kind kind, const void *record, size_t more,
			 uint8_t **ret_at);
void encoder_record_finish(struct event_encoder *encoder, const uint8_t *end);

#endif

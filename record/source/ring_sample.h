/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* A ring's record of a tick or a hit (struct ring_sample): checks that it can be one, and adds it to the log. */
#ifndef RWALKER_RECORD_SOURCE_RING_SAMPLE_H
#define RWALKER_RECORD_SOURCE_RING_SAMPLE_H

#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bpf/ring_event.h"
#include "format/event.h"

struct recording;
struct snapshots;

/* Whether the record has all of its frames, and a CPU below max_cpus. */
bool ring_sample_is_sound(const struct ring_sample *raw, size_t length, uint32_t max_cpus);

/*
 * Completes the sample, whose period or probe the caller has set, and adds it; its user frames
 * are marked. snapshots: NULL if there are none. 0; -EINVAL if the encoder refuses it; else as
 * recording_check(), which has been called.
 */
int ring_sample_add(struct recording *recording, struct snapshots *snapshots, const struct ring_sample *raw,
		    const struct event_task *task, struct event_sample *sample);

/*
 * Whether the program counted a stack as cut that is not cut in the trace: only noise was cut off,
 * or a snapshot has the stack as well, or the sample was left out (its flags are zero).
 */
static inline bool ring_sample_is_whole(const struct ring_sample *raw, const struct event_sample *sample)
{
	const uint64_t cut = SAMPLE_KERNEL_TRUNCATED | (sample->snapshot ? 0U : SAMPLE_USER_TRUNCATED);

	return (raw->flags & (RING_SAMPLE_KERNEL_TRUNCATED | RING_SAMPLE_USER_TRUNCATED)) && !(sample->flags & cut);
}

#endif

/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "record/source/ring_sample.h"

#include <errno.h>

#include "format/event_log.h"
#include "record/plan/recording.h"
#include "record/source/ring_stacks.h"
#include "record/stack/snapshots.h"

bool ring_sample_is_sound(const struct ring_sample *raw, size_t length, uint32_t max_cpus)
{
	return length >= sizeof(*raw) && raw->head.cpu < max_cpus && raw->kernel_count <= RING_MAX_FRAMES &&
	       raw->user_count <= RING_MAX_FRAMES &&
	       length >= sizeof(*raw) +
				 sizeof(uint64_t) * (raw->kernel_count + raw->user_count + ring_stacks_top(raw->flags));
}

int ring_sample_add(struct recording *recording, struct snapshots *snapshots, const struct ring_sample *raw,
		    const struct event_task *task, struct event_sample *sample)
{
	struct ring_user user = {
		.count = raw->user_count, .top = ring_stacks_top(raw->flags), .source = raw->head.source};
	struct event_stacks stacks;
	int r;

	if (raw->flags & RING_SAMPLE_SNAPSHOT && snapshots)
		sample->snapshot = snapshots_number(snapshots, &raw->head);
	user.copied = sample->snapshot;
	stacks = ring_stacks_take(recording, &raw->task, (const uint64_t *)raw->frames, raw->kernel_count, &user);
	sample->time = raw->head.time;
	sample->cpu = raw->head.cpu;
	sample->source = raw->head.source;
	sample->missing = ring_stacks_missing(raw->flags);
	sample->flags = ring_stacks_flags(raw->flags, raw->user_count, &stacks);
	r = event_log_add_sample(recording->log, sample, task, &stacks);
	if (r >= 0)
		ring_stacks_mark(recording, &raw->task, &stacks, sample->callers_known);
	return r == -EINVAL ? r : recording_check(recording, r);
}

/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "record/drain.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/log.h"
#include "format/event_log.h"
#include "record/filter.h"
#include "record/merge.h"
#include "record/point_events.h"
#include "record/probe.h"
#include "record/recording.h"
#include "record/ring_stacks.h"
#include "record/ring_task.h"
#include "record/sideband.h"
#include "record/snapshots.h"
#include "record/waits.h"

/* A ring's part that is worth giving back, or fetching at once: less than the programs' watermark. */
enum { A_LOT = 16 };

int drain_open(struct drain *drain, struct recording *recording, const struct probe *probe,
	       const struct filter *filter, size_t ring_bytes)
{
	uint32_t count = probe_rings(probe);

	memset(drain, 0, sizeof(*drain));
	drain->recording = recording;
	drain->filter = filter;
	if (!count)
		return 0;
	drain->rings = calloc(count, sizeof(*drain->rings));
	drain->times = calloc(count, sizeof(*drain->times));
	drain->filtered = calloc(recording->max_cpus, sizeof(*drain->filtered));
	drain->whole = calloc(recording->max_cpus, sizeof(*drain->whole));
	if (!drain->rings || !drain->times || !drain->filtered || !drain->whole) {
		drain_close(drain);
		return -ENOMEM;
	}
	for (; drain->ring_count < count; drain->ring_count++) {
		int r = ring_open(&drain->rings[drain->ring_count].ring, probe_ring_fd(probe, drain->ring_count), ring_bytes);

		if (r < 0) {
			drain_close(drain);
			return log_error(-r, "cannot map a ring: %s", strerror(-r));
		}
	}
	return 0;
}

void drain_close(struct drain *drain)
{
	for (uint32_t i = 0; i < drain->ring_count; i++)
		ring_close(&drain->rings[i].ring);
	free(drain->rings);
	free(drain->times);
	free(drain->filtered);
	free(drain->whole);
	drain->rings = NULL;
	drain->times = NULL;
	drain->filtered = drain->whole = NULL;
	drain->ring_count = 0;
}

static void encode_sample(struct drain *drain, const struct ring_sample *raw)
{
	const uint32_t cut = RING_SAMPLE_KERNEL_TRUNCATED | RING_SAMPLE_USER_TRUNCATED;
	struct recording *recording = drain->recording;
	struct event_sample sample = {
		.time = raw->head.time,
		.cpu = raw->head.cpu,
		.source = raw->head.source,
		.missing = ring_stacks_missing(raw->flags),
		.period = raw->period == drain->period ? 0 : raw->period,
	};
	struct event_task task = ring_task_event(&raw->task);
	struct event_stacks stacks;
	int r;

	if (raw->flags & RING_SAMPLE_SNAPSHOT && drain->snapshots)
		sample.snapshot = snapshots_number(drain->snapshots, &raw->head);
	if (!filter_wants(drain->filter, task.comm)) {
		drain->filtered[raw->head.cpu]++;
		return;
	}
	stacks = ring_stacks_take(recording, &raw->task, (const uint64_t *)raw->frames, raw->kernel_count,
				  raw->user_count);
	sample.flags = ring_stacks_flags(raw->flags, raw->user_count, &stacks);
	drain->whole[raw->head.cpu] += raw->flags & cut && !sample.flags;
	r = event_log_add_sample(recording->log, &sample, &task, &stacks);
	if (r >= 0)
		ring_stacks_mark(recording, &raw->task, &stacks, sample.callers_known);
	if (r == -EINVAL)
		drain->refused++;
	else
		(void)recording_check(recording, r);
}

static bool is_sample(const struct drain *drain, const struct ring_sample *raw, size_t length)
{
	return length >= sizeof(*raw) && raw->head.cpu < drain->recording->max_cpus &&
	       raw->kernel_count <= RING_MAX_FRAMES && raw->user_count <= RING_MAX_FRAMES &&
	       length >= sizeof(*raw) + sizeof(uint64_t) * (raw->kernel_count + raw->user_count);
}

static void take(struct drain *drain, const struct drain_ring *ring)
{
	const struct ring_head *head = ring->head;

	if (head->kind == RING_HIT && drain->points)
		point_events_take(drain->points, head, ring->length);
	else if (head->kind == RING_SNAPSHOT && drain->snapshots)
		snapshots_take(drain->snapshots, head, ring->length);
	else if (head->kind != RING_SAMPLE && drain->waits)
		waits_take(drain->waits, head, ring->length);
	else if (head->kind == RING_SAMPLE && is_sample(drain, (const void *)head, ring->length))
		encode_sample(drain, (const void *)head);
	else
		drain->refused++;
}

/* The ring's next record becomes its head. In a long pass the kernel gets back what is behind before the pass is over. */
static void advance(struct drain *drain, uint32_t number)
{
	struct drain_ring *ring = &drain->rings[number];

	if (ring->ring.position - ring->released >= ring->ring.size / A_LOT) {
		ring_release(&ring->ring);
		ring->released = ring->ring.position;
	}
	while ((ring->head = ring_next(&ring->ring, &ring->length)) && ring->length < sizeof(*ring->head))
		drain->refused++;
	drain->times[number] = ring->head ? ring->head->time : UINT64_MAX;
}

static void drain_rings(struct drain *drain)
{
	struct recording *recording = drain->recording;
	uint64_t due = 0, until;

	do {
		uint32_t number = merge_earliest(drain->times, drain->ring_count, &until);

		for (; drain->rings[number].head && drain->times[number] <= until; advance(drain, number)) {
			if (drain->times[number] >= due)
				due = sideband_apply(recording->sideband, drain->times[number]);
			take(drain, &drain->rings[number]);
		}
	} while (until != UINT64_MAX);
}

bool drain_pass(struct drain *drain)
{
	bool more = false;

	for (uint32_t i = 0; i < drain->ring_count; i++)
		(void)ring_aim(&drain->rings[i].ring);
	sideband_look(drain->recording->sideband);
	for (uint32_t i = 0; i < drain->ring_count; i++)
		advance(drain, i);
	if (drain->ring_count)
		drain_rings(drain);
	(void)sideband_apply(drain->recording->sideband, UINT64_MAX);
	for (uint32_t i = 0; i < drain->ring_count; i++) {
		struct drain_ring *ring = &drain->rings[i];

		ring_release(&ring->ring);
		ring->released = ring->ring.position;
		more |= ring_fill(&ring->ring) >= ring->ring.size / A_LOT;
	}
	return more;
}

uint64_t drain_mapped_bytes(const struct drain *drain)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), bytes = 0;

	for (uint32_t i = 0; i < drain->ring_count; i++)
		bytes += 2 * drain->rings[i].ring.size + 2 * page;
	return bytes;
}

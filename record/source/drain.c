/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "record/source/drain.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/log.h"
#include "record/cgroup/cgroups.h"
#include "record/machine/clocks.h"
#include "record/perf/merge.h"
#include "record/place/sideband.h"
#include "record/plan/recording.h"
#include "record/probe/probe.h"
#include "record/source/point_events.h"
#include "record/source/waits.h"
#include "record/stack/snapshots.h"

/* The part of a ring that is worth giving back, or fetching, in one go: less than the programs' watermark. */
enum { A_LOT = 16 };

int drain_follow(struct drain *drain, const struct probe *probe)
{
	for (; drain->ring_count < probe_rings(probe); drain->ring_count++) {
		uint32_t number = drain->ring_count;
		int r = ring_open(&drain->rings[number].ring, probe_ring_fd(probe, number), drain->ring_bytes);

		if (r < 0)
			return log_error(-r, "cannot map a ring buffer: %s", strerror(-r));
		drain->times[number] = UINT64_MAX;
	}
	return 0;
}

int drain_open(struct drain *drain, struct recording *recording, const struct probe *probe,
	       const struct filter *filter, size_t ring_bytes)
{
	uint32_t most = probe_most_rings(probe);
	int r;

	memset(drain, 0, sizeof(*drain));
	drain->recording = recording;
	drain->ring_bytes = ring_bytes;
	if (!probe_rings(probe))
		return 0;
	drain->rings = calloc(most, sizeof(*drain->rings));
	drain->times = calloc(most, sizeof(*drain->times));
	drain->earlier = calloc(most, sizeof(*drain->earlier));
	r = samples_open(&drain->samples, recording, filter);
	if (!r && (!drain->rings || !drain->times || !drain->earlier))
		r = -ENOMEM;
	if (!r)
		r = drain_follow(drain, probe);
	if (r < 0)
		drain_close(drain);
	return r;
}

void drain_close(struct drain *drain)
{
	for (uint32_t i = 0; i < drain->ring_count; i++)
		ring_close(&drain->rings[i].ring);
	free(drain->rings);
	free(drain->times);
	free(drain->earlier);
	samples_close(&drain->samples);
	drain->rings = NULL;
	drain->times = NULL;
	drain->earlier = NULL;
	drain->ring_count = 0;
}

static void take_sample(struct drain *drain, const struct ring_head *head, size_t length)
{
	samples_take(&drain->samples, head, length);
}

static void take_wait(struct drain *drain, const struct ring_head *head, size_t length)
{
	if (drain->waits)
		waits_take(drain->waits, head, length);
	else
		drain->refused++;
}

static void take_hit(struct drain *drain, const struct ring_head *head, size_t length)
{
	if (drain->points)
		point_events_take(drain->points, head, length);
	else
		drain->refused++;
}

static void take_snapshot(struct drain *drain, const struct ring_head *head, size_t length)
{
	if (drain->samples.snapshots)
		snapshots_take(drain->samples.snapshots, head, length);
	else
		drain->refused++;
}

/* By enum ring_kind. */
static void (*const TAKE[])(struct drain *drain, const struct ring_head *head, size_t length) = {
	[RING_SAMPLE] = take_sample, [RING_HIT] = take_hit, [RING_SNAPSHOT] = take_snapshot,
	[RING_WAIT] = take_wait, [RING_WAKE] = take_wait, [RING_USER_STACK] = take_wait,
	[RING_SUMS] = take_wait, [RING_NAME] = take_wait, [RING_BESIDE] = take_wait,
};

static void take(struct drain *drain, const struct ring_head *head, size_t length)
{
	uint16_t kind = head->kind;

	if (kind < sizeof(TAKE) / sizeof(TAKE[0]))
		TAKE[kind](drain, head, length);
	else
		drain->refused++;
}

/* The ring's next record becomes its head. */
static void advance(struct drain *drain, uint32_t number)
{
	struct drain_ring *ring = &drain->rings[number];

	while ((ring->head = ring_next(&ring->ring, &ring->length)) && ring->length < sizeof(*ring->head))
		drain->refused++;
	drain->times[number] = ring->head ? ring->head->time : UINT64_MAX;
}

/* In a long pass the kernel gets back finished parts before the pass is over. */
static void give_back(struct drain_ring *ring, uint64_t taken)
{
	if (taken - ring->released < ring->ring.size / A_LOT)
		return;
	ring_release_to(&ring->ring, taken);
	ring->released = taken;
}

/* Which ring is next is found out before a record is processed: meanwhile the next one is fetched. */
static void drain_rings(struct drain *drain)
{
	struct recording *recording = drain->recording;
	const struct merge_tree tree = {drain->times, drain->earlier, drain->ring_count};
	uint64_t due = 0, until;
	uint32_t number;

	merge_build(&tree);
	number = merge_first(&tree, &until);
	while (drain->rings[number].head) {
		struct drain_ring *ring = &drain->rings[number];
		const struct ring_head *head = ring->head;
		const uint64_t end = ring->ring.position, time = drain->times[number];
		const size_t length = ring->length;

		advance(drain, number);
		if (!ring->head || drain->times[number] > until) {
			merge_settle(&tree, number);
			number = merge_first(&tree, &until);
			if (drain->rings[number].head)
				ring_prefetch(drain->rings[number].head);
		}
		if (time >= due)
			due = sideband_apply(recording->sideband, time);
		take(drain, head, length);
		give_back(ring, end);
	}
}

/*
 * Nothing about processes is applied that arrived after the rings were aimed: a process may have been sampled since,
 * and may have ended before the sideband was looked at. The next pass handles that sample while its mappings are known.
 */
bool drain_pass(struct drain *drain)
{
	const uint64_t begin = clocks_now();
	bool more = false;

	for (uint32_t i = 0; i < drain->ring_count; i++)
		(void)ring_aim(&drain->rings[i].ring);
	if (drain->cgroups)
		cgroups_take(drain->cgroups);
	sideband_look(drain->recording->sideband);
	for (uint32_t i = 0; i < drain->ring_count; i++)
		advance(drain, i);
	if (drain->ring_count)
		drain_rings(drain);
	(void)sideband_apply(drain->recording->sideband, begin);
	for (uint32_t i = 0; i < drain->ring_count; i++) {
		struct drain_ring *ring = &drain->rings[i];

		ring_release(&ring->ring);
		ring->released = ring->ring.position;
		more |= ring_fill(&ring->ring) >= ring->ring.size / A_LOT;
	}
	return more;
}

uint64_t drain_ring_bytes(const struct drain *drain)
{
	return drain->ring_count * (drain->ring_bytes + 2 * (uint64_t)sysconf(_SC_PAGESIZE));
}

uint64_t drain_mapped_bytes(const struct drain *drain)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), bytes = 0;

	for (uint32_t i = 0; i < drain->ring_count; i++)
		bytes += 2 * drain->rings[i].ring.size + 2 * page;
	return bytes;
}

/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "record/source/drain.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/log.h"
#include "record/host/clocks.h"
#include "record/place/cgroups.h"
#include "record/place/sideband.h"
#include "record/plan/recording.h"
#include "record/probe/probe.h"

/*
 * Divisor: the part of a ring that is worth giving back, or fetching, in one go. Smaller than the
 * programs' watermark.
 */
enum { A_LOT = 16 };

int drain_follow(struct drain *drain, const struct probe *probe)
{
	for (; drain->ring_count < probe_rings(probe); drain->ring_count++) {
		uint32_t number = drain->ring_count;
		int r = ring_open(&drain->rings[number].ring, probe_ring_fd(probe, number), drain->ring_bytes);

		if (r < 0)
			return log_error(-r, "cannot map a ring buffer: %s", strerror(-r));
	}
	return 0;
}

int drain_open(struct drain *drain, struct recording *recording, const struct probe *probe, size_t ring_bytes)
{
	uint32_t most = probe_most_rings(probe);
	int r;

	memset(drain, 0, sizeof(*drain));
	drain->recording = recording;
	drain->ring_bytes = ring_bytes;
	if (!probe_rings(probe))
		return 0;
	drain->rings = calloc(most, sizeof(*drain->rings));
	drain->keys = calloc(2 * (size_t)most, sizeof(*drain->keys));
	r = drain->rings && drain->keys ? drain_follow(drain, probe) : -ENOMEM;
	if (r < 0)
		drain_close(drain);
	return r;
}

void drain_close(struct drain *drain)
{
	for (uint32_t i = 0; i < drain->ring_count; i++)
		ring_close(&drain->rings[i].ring);
	free(drain->rings);
	free(drain->keys);
	drain->rings = NULL;
	drain->keys = NULL;
	drain->ring_count = 0;
}

void drain_handle(struct drain *drain, enum ring_kind kind, drain_take *take, void *context)
{
	drain->handlers[kind] = (struct drain_handler){take, context};
}

static void take(struct drain *drain, const struct ring_head *head, size_t length)
{
	const struct drain_handler *handler = head->kind < RING_KINDS ? &drain->handlers[head->kind] : NULL;

	if (handler && handler->take)
		handler->take(handler->context, head, length);
	else
		drain->refused++;
}

static struct merge_tree tree_of(const struct drain *drain)
{
	return (struct merge_tree){drain->keys, drain->ring_count};
}

/* The ring's next record becomes its head. Returns the ring's key, for which the tree is not settled. */
static merge_key advance(struct drain *drain, uint32_t number)
{
	struct drain_ring *ring = &drain->rings[number];
	const struct merge_tree tree = tree_of(drain);

	while ((ring->head = ring_next(&ring->ring, &ring->length)) && ring->length < sizeof(*ring->head))
		drain->refused++;
	merge_put(&tree, number, ring->head ? ring->head->time : UINT64_MAX);
	return merge_of(&tree, number);
}

/* In a long pass the kernel gets back finished parts before the pass is over. */
static void give_back(struct drain_ring *ring, uint64_t taken)
{
	if (taken - ring->released < ring->ring.size / A_LOT)
		return;
	ring_release_to(&ring->ring, taken);
	ring->released = taken;
}

/*
 * The next ring after this one's head has changed. A ring that is next again is likely to remain so:
 * *ret_others is the key at which it no longer is. Otherwise, it is 0.
 */
static uint32_t next_ring(const struct drain *drain, uint32_t number, merge_key *ret_others)
{
	const struct merge_tree tree = tree_of(drain);
	uint32_t next;

	merge_settle(&tree, number);
	next = merge_ring(merge_first(&tree));
	*ret_others = next == number ? merge_others(&tree, next) : 0;
	if (drain->rings[next].head)
		ring_prefetch(drain->rings[next].head);
	return next;
}

/* The next ring is determined before a record is processed: its head is prefetched meanwhile. */
static void drain_rings(struct drain *drain)
{
	struct recording *recording = drain->recording;
	const struct merge_tree tree = tree_of(drain);
	merge_key others = 0;
	uint64_t due = 0;
	uint32_t number;

	merge_build(&tree);
	number = merge_ring(merge_first(&tree));
	while (drain->rings[number].head) {
		struct drain_ring *ring = &drain->rings[number];
		const struct ring_head *head = ring->head;
		const uint64_t end = ring->ring.position, time = merge_time(merge_of(&tree, number));
		const size_t length = ring->length;

		if (advance(drain, number) >= others)
			number = next_ring(drain, number, &others);
		if (time >= due)
			due = sideband_apply(recording->sideband, time);
		take(drain, head, length);
		give_back(ring, end);
	}
}

/*
 * Records about processes that arrived after the rings were aimed are not applied: a process may
 * have been sampled since, and may have ended before the look at the sideband. The next pass
 * handles that sample while its mappings are known.
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
		(void)advance(drain, i);
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

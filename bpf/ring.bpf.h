/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The way from a program to the recorder: the rings behind ring_output(). A ring serves
 * RING_CPUS_PER_SHARD CPUs. The recorder is woken up when a ring's fill passes a multiple of the
 * watermark, never per event, and looks on its own once a second.
 */
#ifndef RWALKER_BPF_RING_BPF_H
#define RWALKER_BPF_RING_BPF_H

#include "bpf/scratch.bpf.h"

const volatile __u64 ring_watermark = 1 << 20;
const volatile __u64 ring_size = 8 << 20;
/* Programs may run inside code that writes to their own rings: in an NMI, or at a function. */
const volatile bool ring_hooked;

struct ring_buffer_map {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 65536); /* of the template only */
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
	__uint(max_entries, RING_MAX_SHARDS);
	__uint(key_size, sizeof(u32));
	__array(values, struct ring_buffer_map);
} rings SEC(".maps");

/*
 * Whether the interrupted code is about to write. It may hold the lock of the very ring that the
 * caller wants, and an NMI would wait 250 ms for it, or forever. A program of another task that was
 * preempted there holds no lock.
 */
static __always_inline bool is_within_output(const struct ring_cpu *cpu, u64 task)
{
	u64 found = 0;

	for (u32 i = 0; i < RING_SLOTS; i++)
		found |= *(volatile const __u64 *)&cpu->writers[i] == task;
	return found;
}

static __always_inline u64 ring_record_bytes(u64 length)
{
	return (length + BPF_RINGBUF_HDR_SZ + 7) & ~7ULL;
}

/*
 * Checked before a stack is walked for a record of that length, because an event for which there is
 * no room should cost nothing. A record that turns out shorter might have fitted at the very end of
 * the ring.
 */
static __always_inline bool ring_has_room(u32 cpu, u64 length)
{
	u32 shard = cpu / RING_CPUS_PER_SHARD;
	void *ring = bpf_map_lookup_elem(&rings, &shard);

	return ring && bpf_ringbuf_query(ring, BPF_RB_AVAIL_DATA) + ring_record_bytes(length) <= ring_size;
}

/* Copies a record into the ring of `cpu`. Returns the counter for its outcome. Not inline: callers need the stack. */
static __noinline enum ring_counter ring_output(const struct ring_slot *slot, u32 cpu, void *record, u64 length)
{
	u64 task = ring_hooked ? bpf_get_current_task() : 0, flags = BPF_RB_NO_WAKEUP;
	u64 taken = ring_record_bytes(length), used, after;
	u32 shard = cpu / RING_CPUS_PER_SHARD;
	void *ring = bpf_map_lookup_elem(&rings, &shard);
	long failed;

	if (!ring || !slot->writer)
		return RING_COUNT_RING_FULL;
	if (ring_hooked && is_within_output(slot->cpu, task))
		return RING_COUNT_NESTED;
	/* At each multiple of the watermark; if two CPUs pass one together, neither may notice. */
	used = bpf_ringbuf_query(ring, BPF_RB_AVAIL_DATA);
	if (used / ring_watermark != (used + taken) / ring_watermark)
		flags = BPF_RB_FORCE_WAKEUP;
	if (ring_hooked)
		*(volatile __u64 *)slot->writer = task;
	failed = bpf_ringbuf_output(ring, record, length, flags);
	if (ring_hooked)
		*(volatile __u64 *)slot->writer = 0;
	if (!failed)
		return RING_COUNT_RECORDED;
	after = bpf_ringbuf_query(ring, BPF_RB_AVAIL_DATA);
	return (after > used ? after : used) + taken > ring_size ? RING_COUNT_RING_FULL : RING_COUNT_NESTED;
}

#endif

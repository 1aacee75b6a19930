/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The way from a program to the recorder: per-CPU counters, scratch space, and the rings behind ring_output(). A ring
 * serves RING_CPUS_PER_SHARD CPUs. The recorder is woken when a ring's fill passes a multiple of the watermark, never per
 * event; it looks by itself once a second.
 *
 * Scratch is taken with scratch_enter() and given back with scratch_leave(): one piece per CPU and nesting level,
 * so that a program interrupted by another one keeps what it wrote.
 */
#ifndef RWALKER_BPF_RING_BPF_H
#define RWALKER_BPF_RING_BPF_H

#include "bpf/kernel.h"
#include "bpf/ring_event.h"

const volatile __u64 ring_watermark = 1 << 20;
const volatile __u64 ring_size = 8 << 20;

struct ring_buffer_map {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 65536); /* of the pattern only */
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
	__uint(max_entries, RING_MAX_SHARDS);
	__uint(key_size, sizeof(u32));
	__array(values, struct ring_buffer_map);
} rings SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct ring_cpu);
} ring_cpus SEC(".maps");

/* The recorder sets the value's size: a record with room for two stacks of the depth limit. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, RING_NEST_LEVELS);
	__uint(key_size, sizeof(u32));
	__uint(value_size, RING_HEAD_ROOM + 2 * 8 * RING_MAX_FRAMES);
} ring_scratch SEC(".maps");

static __always_inline struct ring_cpu *ring_this_cpu(void)
{
	u32 zero = 0;

	return bpf_map_lookup_elem(&ring_cpus, &zero);
}

/* NULL where all levels are taken. Pair with scratch_leave() in any case. */
static __always_inline void *scratch_enter(struct ring_cpu *cpu)
{
	u32 level = cpu->depth++;

	return bpf_map_lookup_elem(&ring_scratch, &level);
}

static __always_inline void scratch_leave(struct ring_cpu *cpu)
{
	cpu->depth--;
}

/* Copies a record into the ring of `cpu`; the counter that tells what became of it. */
static __always_inline enum ring_counter ring_output(u32 cpu, void *record, u64 length)
{
	u32 shard = cpu / RING_CPUS_PER_SHARD;
	void *ring = bpf_map_lookup_elem(&rings, &shard);
	u64 taken = (length + BPF_RINGBUF_HDR_SZ + 7) & ~7ULL, used, flags = BPF_RB_NO_WAKEUP;

	if (!ring)
		return RING_COUNT_RING_FULL;
	/* At each multiple of the watermark: where two CPUs pass one together, neither may see it. */
	used = bpf_ringbuf_query(ring, BPF_RB_AVAIL_DATA);
	if (used / ring_watermark != (used + taken) / ring_watermark)
		flags = BPF_RB_FORCE_WAKEUP;
	if (!bpf_ringbuf_output(ring, record, length, flags))
		return RING_COUNT_RECORDED;
	return used + taken > ring_size ? RING_COUNT_RING_FULL : RING_COUNT_NESTED;
}

#endif

/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The way of a record to the recorder: from scratch space and counters, which each CPU has for itself, to a ring, which
 * serves RING_CPUS_PER_SHARD CPUs. The recorder is woken up when a ring's fill passes a multiple of the watermark,
 * never per event, and looks on its own once a second.
 *
 * Scratch is claimed with scratch_enter() and released with scratch_leave(). Each CPU has a few
 * slots, claimed by an atomic bit: programs nest (task, interrupt, NMI), and those at functions can
 * be preempted by others of their kind. No program leaves its CPU before it ends.
 */
#ifndef RWALKER_BPF_RING_BPF_H
#define RWALKER_BPF_RING_BPF_H

#include "bpf/filter.bpf.h"

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct ring_cpu);
} ring_cpus SEC(".maps");

/* The recorder sets the value's size: a record with room for two stacks of the depth limit. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, RING_NEST_LEVELS); /* knobs.slots */
	__uint(key_size, sizeof(u32));
	__uint(value_size, RING_HEAD_ROOM + 2 * 8 * RING_MAX_FRAMES);
} ring_scratch SEC(".maps");

static __always_inline struct ring_cpu *ring_this_cpu(void)
{
	u32 zero = 0;

	return bpf_map_lookup_elem(&ring_cpus, &zero);
}

/* For counters that are shared by programs that may interrupt or preempt each other. */
static __always_inline void count_one(__u64 *counter)
{
	__sync_fetch_and_add(counter, 1);
}

struct ring_slot { /* of scratch, while a program holds it */
	struct ring_cpu *cpu;
	u64 bit; /* 0: none was left */
	u64 number;
	__u64 *writer;
};

/* 0 if all are taken. */
static __always_inline u64 claim_slot(struct ring_cpu *cpu)
{
#pragma clang loop unroll(disable)
	for (u32 i = 0; i < RING_SLOTS; i++) {
		u64 taken = *(volatile __u64 *)&cpu->taken, bit = ~taken & (taken + 1);

		if (bit >= 1ULL << knobs.slots)
			return 0;
		if (!(__sync_fetch_and_or(&cpu->taken, bit) & bit))
			return bit;
	}
	return 0;
}

/* NULL if no slot is left. Pair with scratch_leave() in any case. */
static __always_inline void *scratch_enter(struct ring_cpu *cpu, struct ring_slot *ret_slot)
{
	u64 bit = claim_slot(cpu), number = __builtin_popcountll(bit - 1);
	u32 key = number;

	*ret_slot = (struct ring_slot){.cpu = cpu, .bit = bit};
	if (!bit || number >= RING_SLOTS)
		return NULL;
	ret_slot->number = number;
	ret_slot->writer = &cpu->writers[number];
	return bpf_map_lookup_elem(&ring_scratch, &key);
}

static __always_inline void scratch_leave(const struct ring_slot *slot)
{
	if (slot->bit)
		__sync_fetch_and_and(&slot->cpu->taken, ~slot->bit);
}

/* --- rings --- */

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
 * Whether the interrupted code is about to write. It may hold the lock of the very ring that the caller wants, and an
 * NMI would wait 250 ms for it, or forever. A program of another task that was preempted there holds no lock.
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
 * Checked before a stack is walked for a record of that length, because an event for which there is no room should cost
 * nothing. A record that turns out shorter might have fitted at the very end of the ring.
 */
static __always_inline bool ring_has_room(u32 cpu, u64 length)
{
	u32 shard = cpu / RING_CPUS_PER_SHARD;
	void *ring = bpf_map_lookup_elem(&rings, &shard);

	return ring && bpf_ringbuf_query(ring, BPF_RB_AVAIL_DATA) + ring_record_bytes(length) <= knobs.ring_bytes;
}

/* Copies a record into the ring of `cpu`. Returns the counter for its outcome. Not inline: callers need the stack. */
static __noinline enum ring_counter ring_output(const struct ring_slot *slot, u32 cpu, void *record, u64 length)
{
	u64 task = knobs.hooked ? bpf_get_current_task() : 0, flags = BPF_RB_NO_WAKEUP;
	u64 taken = ring_record_bytes(length), used, after;
	u32 shard = cpu / RING_CPUS_PER_SHARD;
	void *ring = bpf_map_lookup_elem(&rings, &shard);
	long failed;

	if (!ring || !slot->writer)
		return RING_COUNT_RING_FULL;
	if (knobs.hooked && is_within_output(slot->cpu, task))
		return RING_COUNT_NESTED;
	/* At each multiple of the watermark; if two CPUs pass one together, neither may notice. */
	used = bpf_ringbuf_query(ring, BPF_RB_AVAIL_DATA);
	if (used / knobs.watermark != (used + taken) / knobs.watermark)
		flags = BPF_RB_FORCE_WAKEUP;
	if (knobs.hooked)
		*(volatile __u64 *)slot->writer = task;
	failed = bpf_ringbuf_output(ring, record, length, flags);
	if (knobs.hooked)
		*(volatile __u64 *)slot->writer = 0;
	if (!failed)
		return RING_COUNT_RECORDED;
	after = bpf_ringbuf_query(ring, BPF_RB_AVAIL_DATA);
	return (after > used ? after : used) + taken > knobs.ring_bytes ? RING_COUNT_RING_FULL : RING_COUNT_NESTED;
}

#endif

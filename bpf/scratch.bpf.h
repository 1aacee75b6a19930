/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What each CPU has for itself: counters, and scratch space for records.
 *
 * Scratch is claimed with scratch_enter() and released with scratch_leave(). Each CPU has a few
 * slots, claimed by an atomic bit: programs nest (task, interrupt, NMI), and those at functions can
 * be preempted by others of their kind. No program leaves its CPU before it ends.
 */
#ifndef RWALKER_BPF_SCRATCH_BPF_H
#define RWALKER_BPF_SCRATCH_BPF_H

#include "bpf/kernel.h"
#include "bpf/ring_event.h"

const volatile __u32 ring_slots = RING_NEST_LEVELS;

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct ring_cpu);
} ring_cpus SEC(".maps");

/* The recorder sets the value's size: a record with room for two stacks of the depth limit. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, RING_NEST_LEVELS); /* ring_slots */
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

		if (bit >= 1ULL << ring_slots)
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

#endif

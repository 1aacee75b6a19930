/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Whether the softirq delivers what the task itself has just sent, as on loopback: it handles this CPU's backlog of
 * packets, and runs in the task's own call, because the function that put a packet there enables softirqs again. A
 * packet that an interrupt put there in between would be delivered with it.
 */
#ifndef RWALKER_BPF_WAIT_PACKET_BPF_H
#define RWALKER_BPF_WAIT_PACKET_BPF_H

#include "bpf/kernel_files.bpf.h"
#include "bpf/ring_wait.h"

static __always_inline bool is_within(u64 address, const struct ring_function *function)
{
	return address - function->start - 1 < function->end - function->start;
}

static __always_inline bool is_transmit(u64 address)
{
	const struct ring_function *all = object_functions.transmits;

	return is_within(address, &all[0]) || is_within(address, &all[1]) || is_within(address, &all[2]);
}

struct packet_search {
	const struct ring_wake *record;
	u32 count;
	bool backlog, own;
};

static long packet_step(u32 index, struct packet_search *search)
{
	enum { MOST = 40 };
	const u64 *frames = search->record->frames;

	if (index >= MOST || index + 1 >= search->count)
		return 1;
	if (is_within(frames[index], &object_functions.backlog))
		search->backlog = true;
	if (!is_within(frames[index], &object_functions.bh_enable))
		return 0;
	search->own = search->backlog && is_transmit(frames[index + 1]);
	return 1;
}

static __always_inline bool is_own_packet(const struct ring_wake *record, u32 count)
{
	struct packet_search search = {.record = record, .count = count};

	bpf_loop(count, packet_step, &search, 0);
	return *(volatile bool *)&search.own;
}

#endif

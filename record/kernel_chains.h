/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Kernel stacks as the trace has them, found by the raw ones: a hook's callers come again and again, and are named once, not
 * frame by frame each time. Callers that were seen have a number, by which an encoder knows them without a look at
 * their frames. All memory is taken at creation.
 */
#ifndef RWALKER_RECORD_KERNEL_CHAINS_H
#define RWALKER_RECORD_KERNEL_CHAINS_H

#include <stdint.h>

struct kernel_chains;
struct kernel_map;

struct kernel_chain {
	const uint64_t *frames; /* by module (record/kernel_map.h), as many as were given; lent until the next call */
	uint64_t callers;	/* struct event_stacks, kernel_callers */
};

/* 0, -ENOMEM, or -errno where the kernel gives no random numbers. */
int kernel_chains_create(struct kernel_map *map, struct kernel_chains **ret_chains);
void kernel_chains_destroy(struct kernel_chains *chains);

/* Of `count` addresses, at most RING_MAX_FRAMES, leaf first. */
struct kernel_chain kernel_chains_take(struct kernel_chains *chains, const uint64_t *addresses, uint32_t count);

#endif

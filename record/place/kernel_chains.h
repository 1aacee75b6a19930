/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Converts raw kernel stacks to those of the trace. A hook's callers recur: they are resolved
 * once, not frame by frame each time. Callers that were seen before have a number: an encoder
 * recognizes them by it, without looking at their frames. All memory is allocated at creation.
 */
#ifndef RWALKER_RECORD_PLACE_KERNEL_CHAINS_H
#define RWALKER_RECORD_PLACE_KERNEL_CHAINS_H

#include <stdint.h>

struct kernel_chains;
struct kernel_map;

struct kernel_chain {
	/* By module (record/place/kernel_map.h), as many as were given; borrowed until the next call. */
	const uint64_t *frames;
	uint64_t callers;	/* struct event_stacks, kernel_callers */
};

/* 0, -ENOMEM, or -errno if the kernel provides no random numbers. */
int kernel_chains_create(struct kernel_map *map, struct kernel_chains **ret_chains);
void kernel_chains_destroy(struct kernel_chains *chains);

/* For `count` addresses, at most RING_MAX_FRAMES, leaf first. */
struct kernel_chain kernel_chains_take(struct kernel_chains *chains, const uint64_t *addresses, uint32_t count);

#endif

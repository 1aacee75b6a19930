/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Which of two numbers of snapshots is the earlier one. They have 32 bits, and a recorder that runs
 * for weeks uses them up: then 1 follows the largest. A section has no more than SNAPSHOTS_MAX, so
 * the order of any two is clear.
 */
#ifndef RWALKER_FORMAT_SNAPSHOT_NUMBER_H
#define RWALKER_FORMAT_SNAPSHOT_NUMBER_H

#include <stdbool.h>
#include <stdint.h>

#define SNAPSHOTS_MAX (UINT32_MAX / 2)

static inline bool snapshot_precedes(uint32_t one, uint32_t other)
{
	return one - other > SNAPSHOTS_MAX;
}

/* The one after it; 0: the first. */
static inline uint32_t snapshot_after(uint32_t number)
{
	return number == UINT32_MAX ? 1 : number + 1;
}

#endif

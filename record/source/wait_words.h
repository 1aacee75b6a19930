/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* What the programs report about a wait, converted to the format's numbers. */
#ifndef RWALKER_RECORD_SOURCE_WAIT_WORDS_H
#define RWALKER_RECORD_SOURCE_WAIT_WORDS_H

#include <linux/types.h>
#include <stddef.h>
#include <stdint.h>

#include "bpf/ring_wait.h"
#include "format/event.h"

static inline uint64_t wait_missing(uint32_t reason)
{
	static const enum user_missing reasons[] = {
		[RING_USER_FAULT] = USER_MISSING_FAULT,
		[RING_USER_EXITING] = USER_MISSING_EXITING,
		[RING_USER_CHANGED] = USER_MISSING_CHANGED,
		[RING_USER_UNSCHEDULED] = USER_MISSING_UNSCHEDULED,
	};

	return reason < sizeof(reasons) / sizeof(reasons[0]) ? reasons[reason] : USER_MISSING_FAULT;
}

static inline uint64_t wait_flags(uint32_t flags)
{
	static const struct {
		uint32_t ring;
		uint64_t trace;
	} pairs[] = {
		{RING_WAIT_IOWAIT, WAIT_IOWAIT},
		{RING_WAIT_BEGAN_BEFORE, WAIT_BEGAN_BEFORE},
		{RING_WAIT_OUT_LATEST, WAIT_OUT_LATEST},
		{RING_WAIT_NOT_ENDED, WAIT_NOT_ENDED},
		{RING_WAIT_KERNEL_TRUNCATED, WAIT_KERNEL_TRUNCATED},
		{RING_WAIT_USER_LATER, WAIT_USER_LATER},
	};
	uint64_t all = 0;

	for (size_t i = 0; flags && i < sizeof(pairs) / sizeof(pairs[0]); i++)
		if (flags & pairs[i].ring)
			all |= pairs[i].trace;
	return all;
}

#endif

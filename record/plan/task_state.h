/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* States of tasks: the kernel's bits (include/linux/sched.h), and the letters for them in --state and --trigger. */
#ifndef RWALKER_RECORD_PLAN_TASK_STATE_H
#define RWALKER_RECORD_PLAN_TASK_STATE_H

#include <linux/types.h>
#include <stddef.h>
#include <stdint.h>

#include "bpf/ring.h"

enum {
	TASK_UNINTERRUPTIBLE = 2,
	TASK_NOLOAD = 0x400, /* in addition: a task that idles */
};

/* The bits of a letter; 0: there is no such state. */
static inline uint32_t task_state_bits(char letter)
{
	static const struct {
		char letter;
		uint32_t bits;
	} states[] = {
		{'R', RING_STATE_RUNNABLE}, {'S', 0x1}, {'D', TASK_UNINTERRUPTIBLE}, {'T', 0x4}, {'t', 0x8},
		{'X', 0x90}, {'Z', 0x20}, {'P', 0x40}, {'K', 0x100}, {'I', TASK_NOLOAD}, {'F', 0x8000},
	};

	for (size_t i = 0; i < sizeof(states) / sizeof(states[0]); i++)
		if (states[i].letter == letter)
			return states[i].bits;
	return 0;
}

#endif

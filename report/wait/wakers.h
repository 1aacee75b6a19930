/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The waits of a source by sleeper, waker and both their stacks, as summed by offwaketime. Two
 * waits are one pair if comms (and processes, if requested), both call chains as printed, and the
 * waker's context are the same. Lightest pair first, then by sleeper and waker.
 *
 * An interrupt is a waker of its own: the task that was there and its user frames do not distinguish
 * pairs, but those that an irq interrupted are kept. Waits without a known waker are pairs, too, without a waker.
 *
 * Every wait may be a pair of its own, so a pair is as small as possible: its content is read from
 * one of its waits.
 */
#ifndef RWALKER_REPORT_WAIT_WAKERS_H
#define RWALKER_REPORT_WAIT_WAKERS_H

#include "common/array.h"
#include "report/view/functions.h"
#include "report/view/task_names.h"
#include "report/view/view.h"
#include "report/view/waits.h"

enum {
	WAKE_NOBODY = UINT32_MAX,		 /* waker_comm of an interrupt, or without a known waker */
	WAKE_NOT_ENDED = WAIT_CLASSES,	 /* index of unknown[]: no waker because the wait is open */
	WAKE_UNKNOWN_KINDS
};

struct wake_pair {
	uint64_t weight;
	uint32_t wait; /* the first of its waits */
};

struct wake_interrupted {
	uint64_t weight;
	uint32_t wait; /* the pair's `wait` */
	uint32_t task; /* a task with that comm */
};

/* The key of a pair; whole words only, no padding. */
struct wake_identity {
	uint32_t group;		      /* the sleeper's group of --by; 0 if there is none */
	uint32_t comm, process, node; /* of the sleeper; process: 0 if not split by process */
	uint32_t context;	      /* enum waker_context; NONE: unknown */
	uint32_t waker_comm, waker_process, waker_node;
	uint32_t user_missing; /* the sleeper's user part was lost */
};

struct wake_unknown { /* waits without a known waker */
	uint64_t count, weight;
};

struct wake_pairs {
	const struct view_settings *settings;
	const struct group_choice *only; /* whose waits; NULL: all */
	struct groups groups;
	struct waits waits;
	struct functions *functions; /* of all frames in use */
	struct task_names names;
	struct readings readings, kernel_readings; /* kernel_readings: of interrupts */
	ARRAY(struct wake_pair) pairs;
	ARRAY(struct wake_interrupted) interrupted; /* by wait, then task */
	struct wake_unknown unknown[WAKE_UNKNOWN_KINDS]; /* by class, except those that have not ended */
};

static inline bool wake_is_interrupt(uint32_t context)
{
	return context == WAKER_SOFTIRQ || context == WAKER_IRQ;
}

/* The context of a wait's waker; NONE if the waker has no task and is not an interrupt. */
enum waker_context wake_context(const struct profile_wait *wait);

#endif

/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The waits of a source by who waited where and who ended it from where: what offwaketime sums. Two waits are one
 * pair when comms (and processes, where that was asked for), both call chains as they read, and the waker's context
 * are the same. Lightest pair first, then by sleeper and waker.
 *
 * An interrupt is its own waker: the task that it interrupted and that task's user frames do not tell pairs apart;
 * which tasks these were is kept beside. Waits of which no waker is known are pairs, too, with nobody as the waker.
 *
 * Every wait may be a pair of its own, so a pair is as small as can be: what it stands for is read from one of its waits.
 */
#ifndef RWALKER_REPORT_VIEW_WAKE_PAIRS_H
#define RWALKER_REPORT_VIEW_WAKE_PAIRS_H

#include "common/array.h"
#include "report/view/comm_list.h"
#include "report/view/functions.h"
#include "report/view/readings.h"
#include "report/view/task_names.h"
#include "report/view/view.h"
#include "report/view/waits.h"

enum {
	WAKE_NOBODY = UINT32_MAX,		 /* waker_comm of an interrupt, or where no waker is known */
	WAKE_NOT_ENDED = PROFILE_WAIT_CLASSES,	 /* index of unknown[]: no waker as the wait is open */
	WAKE_UNKNOWN_KINDS
};

struct wake_pair {
	uint64_t weight;
	uint32_t wait; /* the first of its waits */
};

struct wake_interrupted {
	uint64_t weight;
	uint32_t wait; /* the pair's */
	uint32_t task; /* one that has the comm */
};

/* What makes two waits one pair; nothing but words. */
struct wake_identity {
	uint32_t comm, process, node; /* of the sleeper; process: 0 where not split by it */
	uint32_t context;	      /* enum profile_waker_context; NONE: nobody is known */
	uint32_t waker_comm, waker_process, waker_node;
	uint32_t user_missing; /* the sleeper's user part was lost */
};

struct wake_unknown { /* waits without a known waker */
	uint64_t count, weight;
};

struct wake_pairs {
	const struct view_settings *settings;
	struct waits waits;
	struct functions *functions; /* of all frames that occur */
	struct task_names names;
	struct readings readings, kernel_readings; /* kernel_readings: of interrupts */
	ARRAY(struct wake_pair) pairs;
	ARRAY(struct wake_interrupted) interrupted; /* by wait, then task */
	struct wake_unknown unknown[WAKE_UNKNOWN_KINDS]; /* by class, but for those that have not ended */
};

int wake_pairs_init(struct wake_pairs *pairs, const struct view_context *context, uint32_t source, enum functions_mode mode);
void wake_pairs_deinit(struct wake_pairs *pairs);

struct wake_identity wake_pairs_identify(const struct wake_pairs *pairs, const struct wake_pair *pair);

static inline bool wake_is_interrupt(uint32_t context)
{
	return context == PROFILE_WAKER_SOFTIRQ || context == PROFILE_WAKER_IRQ;
}

/* What is known of who ended a wait: a waker that has no task is none, unless it is an interrupt. */
enum profile_waker_context wake_context(const struct profile_wait *wait);

/* Adds the comms of the tasks that a pair's interrupts came upon. */
void wake_pairs_list_interrupted(const struct wake_pairs *pairs, const struct wake_pair *pair, struct comm_list *list);

#endif

/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The part of the seam that is about waits: from a switch-out to the switch-in, of all traces given, after the filters.
 * Words are those of DESIGN.md §3. What is summed by call chain (trees, stacks) is in the profile's entries as for any
 * other source; here is each wait on its own, with its moment and its waker, and what was only counted.
 *
 * Times are CLOCK_MONOTONIC ns of the recording they are from: compare them within one recording only.
 */
#ifndef RWALKER_REPORT_PROFILE_WAITS_H
#define RWALKER_REPORT_PROFILE_WAITS_H

#include "report/profile.h"

enum { PROFILE_NO_TASK = UINT32_MAX };

enum profile_wait_class {
	PROFILE_BLOCKED,   /* asleep until somebody called for a wakeup */
	PROFILE_PREEMPTED, /* runnable all the time: another task was given the CPU */
	PROFILE_YIELDED,   /* the same, on its own wish */
	PROFILE_CANCELLED, /* wanted to sleep, a signal was pending: runnable all the time */
	PROFILE_STARTED,   /* from the fork to the first time on a CPU: runnable all the time */
	PROFILE_WAIT_CLASSES
};

enum profile_waker_context {
	PROFILE_WAKER_NONE,    /* nobody is known: open, not blocked, or wakers were not recorded */
	PROFILE_WAKER_TASK,
	PROFILE_WAKER_SOFTIRQ, /* the task that was interrupted is in `waker`, and is not the cause */
	PROFILE_WAKER_IRQ,     /* likewise */
	PROFILE_WAKER_UNKNOWN, /* `waker` is known, its context is not */
};

enum profile_wait_flag {
	PROFILE_WAIT_BEGAN_BEFORE = 1, /* open: out lies before the recording, exact unless the next says otherwise */
	PROFILE_WAIT_OUT_BOUND = 2,    /* out is a bound: it began then or before, the wait is at least as long */
	PROFILE_WAIT_NOT_ENDED = 4,    /* open: `in` is when it was looked at last, at the end of the recording */
	PROFILE_WAIT_IOWAIT = 8,
	PROFILE_WAIT_OUT_EARLIEST = 16, /* out is a bound the other way: the wait is at most as long */
};

struct profile_wait {
	uint64_t out, in;
	uint64_t run_queue; /* ns at the end of [out, in]: runnable, waiting for a CPU; blocked is the rest */
	uint64_t woken;	    /* when the waker called for the wakeup; 0: not known */
	uint64_t weight;    /* ns of [out, in] within the recording and the times asked for: what views sum */
	uint32_t source, recording;
	uint32_t task, node;	/* the sleeper and its call chain */
	uint32_t waker;		/* task, or PROFILE_NO_TASK */
	uint32_t waker_node;	/* its call chain at the wakeup; 0: not recorded */
	uint32_t state;		/* the kernel's mask at the switch-out; 0: runnable */
	uint32_t chain_flags;	/* enum profile_chain_flag, of the sleeper */
	uint16_t out_cpu, in_cpu; /* in_cpu of a wait that has not ended: where it went to sleep */
	uint8_t flags;		/* enum profile_wait_flag */
	uint8_t wait_class;	/* enum profile_wait_class */
	uint8_t waker_context;	/* enum profile_waker_context */
};

/* What waits were shorter than the recording's threshold, by task: counted, summed, without stacks. And what it ran. */
enum profile_sum_kind {
	PROFILE_SUM_INTERRUPTIBLE, /* blocked, by prev_state */
	PROFILE_SUM_UNINTERRUPTIBLE,
	PROFILE_SUM_OTHER_BLOCKED,
	PROFILE_SUM_PREEMPTED,
	PROFILE_SUM_YIELDED,
	PROFILE_SUM_CANCELLED,
	PROFILE_SUM_STARTED,
	PROFILE_SUM_KINDS
};

struct profile_wait_sum {
	uint64_t count, total, run_queue; /* total: blocked and run queue together, ns */
};

struct profile_task_sums { /* of one task in one recording */
	uint32_t recording, task;
	uint64_t from, to; /* when the task was first and last accounted for: its part of the recording */
	uint64_t running;  /* ns on a CPU, by the kernel's own account (sum_exec_runtime) */
	struct profile_wait_sum kinds[PROFILE_SUM_KINDS];
};

struct profile_recording { /* one section of a trace: one run of the recorder */
	uint32_t host;
	uint64_t start, stop; /* of its sources */
	uint64_t least_wait;  /* ns: shorter waits have no event of their own */
};

struct profile_class_total {
	uint64_t count, weight, run_queue;
};

struct profile_wait_totals { /* of one source, after filters */
	struct profile_class_total classes[PROFILE_WAIT_CLASSES];
	struct profile_class_total open;  /* of these, began before or had not ended */
	struct profile_class_total brief; /* beside these: only counted */
	uint64_t least_wait;		  /* the largest of the recordings' */
};

/* By recording, task, out. SIZE_MAX: there is no memory to put them in that order. */
size_t profile_waits(const struct profile *profile, const struct profile_wait **ret_waits);
/* By recording, task: one each. */
size_t profile_task_sums(const struct profile *profile, const struct profile_task_sums **ret_sums);
size_t profile_recordings(const struct profile *profile, const struct profile_recording **ret_recordings);
/* NULL for a source that has no waits. */
const struct profile_wait_totals *profile_wait_totals(const struct profile *profile, uint32_t source);

/* Wall-clock ns since 1970, UTC, at a time of the recording, right across suspend and clock steps; 0: not known. */
uint64_t profile_realtime(const struct profile *profile, uint32_t recording, uint64_t time);

/* A moment as a time of the recording, which may lie outside of it; false where its clocks do not tell. */
bool profile_moment_time(const struct profile *profile, uint32_t recording, const struct profile_moment *moment,
			 uint64_t *ret_time);

/* "S", "D", "D (killable)", "R" ... of a mask; the text has room for 24 bytes. */
void profile_wait_state(uint32_t state, char text[24]);

#endif

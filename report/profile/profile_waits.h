/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The single waits of a profile, from a switch-out to the switch-in, of all given traces, after the filters; and the
 * waits that were only counted. Terms are those of ARCHITECTURE.md, "Glossary". Sums by call chain are in the entries.
 *
 * Times are CLOCK_MONOTONIC ns of their recording: compare them within one recording only.
 */
#ifndef RWALKER_REPORT_PROFILE_PROFILE_WAITS_H
#define RWALKER_REPORT_PROFILE_PROFILE_WAITS_H

#include <stdbool.h>
#include <stdint.h>

#include "format/kinds.h"
#include "report/profile/profile.h"

/*
 * A task's state in letters: R running or runnable, S, D, K (killable, printed "D (killable)"), I
 * idle, T stopped, t traced, F frozen (printed "F (frozen)"), P parked, Z zombie, X dead, and other
 * bits of the kernel's mask in brackets. Bits: include/linux/sched.h, the same from 6.1 to 6.18.
 */
enum { PROFILE_STATE_TEXT = 24 }; /* as in struct profile_walk_task */

/* exit_state: 0 for a living task. */
void profile_state_text(uint64_t state, uint64_t exit_state, char text[static PROFILE_STATE_TEXT]);
/* Whether the state is one of `letters`; D matches every kind of D, K only the killable one. */
bool profile_state_matches(const char *text, const char *letters);

enum { PROFILE_NO_TASK = UINT32_MAX };

enum profile_wait_flag {
	PROFILE_WAIT_BEGAN_BEFORE = 1, /* open: out is before the recording, and exact unless the next flag is set */
	PROFILE_WAIT_OUT_BOUND = 2,    /* out is a bound: it began then or earlier, the wait is at least as long */
	PROFILE_WAIT_NOT_ENDED = 4,    /* open: `in` is the time of the last look at it, at the end of the recording */
	PROFILE_WAIT_IOWAIT = 8,
	/* Only with PROFILE_EVERYONE: */
	PROFILE_WAIT_UNASKED = 32, /* it does not pass the filters */
	PROFILE_WAIT_APART = 64,   /* it is set apart */
	PROFILE_WAIT_BESIDE = PROFILE_WAIT_UNASKED | PROFILE_WAIT_APART, /* views do not show it */
};

/* What views know besides enum wait_held. */
enum profile_wait_held {
	PROFILE_TIMED_OUT = 32, /* an epoll, poll or select whose timeout expired before anything was ready */
	PROFILE_HELD_ALL = 64, /* it held it all the time, or waited for it itself */
};

struct profile_wait {
	uint64_t out, in;
	/* ns at the end of [out, in]: runnable, waiting for a CPU. The rest it was blocked, or throttled: its class. */
	uint64_t run_queue;
	uint64_t woken;	    /* when the waker called for the wakeup; 0: unknown */
	uint64_t weight;    /* ns of [out, in] within the recording and the requested times: what views sum */
	uint32_t source, recording;
	uint32_t task, node;	/* the sleeper and its call chain */
	uint32_t waker;		/* task, or PROFILE_NO_TASK */
	uint32_t waker_node;	/* its call chain at the wakeup; 0: not recorded */
	uint32_t state;		/* the kernel's mask at the switch-out; 0: runnable */
	uint32_t chain_flags;	/* enum profile_chain_flag, for the sleeper */
	uint32_t operation, object; /* numbers of profile_objects.h; 0: not known */
	uint64_t asked;		/* how long the thread asked to sleep, ns; 0: not known */
	uint32_t owner;		/* task that held the lock or futex: HELD_BY_OWNER */
	uint32_t ready;		/* the object that ended a wait in an epoll; 0: not known */
	uint32_t ready_descriptor; /* the sleeper's descriptor, plus 1, of that object; 0: not known */
	uint16_t out_cpu, in_cpu; /* in_cpu of a wait that has not ended: the CPU of the switch-out */
	uint8_t flags;		/* enum profile_wait_flag */
	uint8_t wait_class;	/* enum wait_class */
	uint8_t waker_context;	/* enum waker_context */
	uint8_t held;		/* enum profile_wait_held */
};

/* Whether [out, in - run_queue] is something other than waiting for a CPU. */
static inline bool profile_wait_is_partly_queued(const struct profile_wait *wait)
{
	return wait->wait_class == WAIT_BLOCKED || wait->wait_class == WAIT_STARTED ||
	       wait->wait_class == WAIT_THROTTLED;
}

/* A wait made from a walked task, for callers that only need to know what it was for. */
static inline struct profile_wait profile_walk_wait(const struct profile_walk_task *row)
{
	return (struct profile_wait){
		.task = row->task, .node = row->node, .waker = PROFILE_NO_TASK, .weight = 1,
		.operation = row->operation, .object = row->object, .asked = row->asked, .owner = row->owner,
		.held = row->held | HELD_AT_END, .flags = PROFILE_WAIT_NOT_ENDED, .wait_class = WAIT_BLOCKED,
	};
}

/* Waits shorter than the threshold, by task: counted and summed, without stacks. Also the task's run time. */
struct profile_wait_sum {
	uint64_t count, total, run_queue, throttled; /* total: these and blocked together, ns */
};

struct profile_task_sums { /* one task in one recording */
	uint32_t recording, task;
	bool unasked; /* like PROFILE_WAIT_UNASKED */
	uint64_t from, to; /* when the task was first and last accounted for: its span in the recording */
	uint64_t running;  /* ns on a CPU, as accounted by the kernel (sum_exec_runtime) */
	struct profile_wait_sum kinds[WAIT_SUM_KINDS];
};

struct profile_recording { /* one section of a trace, from one run of the recorder */
	uint32_t host;
	uint64_t start, stop; /* of its sources */
	uint64_t least_wait;  /* ns: shorter waits have no event of their own */
};

struct profile_class_total {
	uint64_t count, weight, run_queue, throttled;
};

struct profile_wait_totals { /* of one source, after filters */
	struct profile_class_total classes[WAIT_CLASSES];
	struct profile_class_total open;  /* of these, those that began before or had not ended */
	struct profile_class_total brief; /* in addition to these: only counted */
	uint64_t least_wait;		  /* the largest of all recordings */
};

/* By recording, task, out: sorted when first asked for, as views that sum do not need it. SIZE_MAX: out of memory. */
size_t profile_waits(struct profile *profile, const struct profile_wait **ret_waits);
/* By recording, then task; one each. */
size_t profile_task_sums(const struct profile *profile, const struct profile_task_sums **ret_sums);
size_t profile_recordings(const struct profile *profile, const struct profile_recording **ret_recordings);
/* NULL for a source without waits. */
const struct profile_wait_totals *profile_wait_totals(const struct profile *profile, uint32_t source);

/* Wall-clock ns since 1970, UTC, at a time of the recording, correct across suspend and clock steps; 0 if unknown. */
uint64_t profile_realtime(const struct profile *profile, uint32_t recording, uint64_t time);

/* Converts a moment to a time of the recording, possibly outside of it; false if its clocks do not allow that. */
bool profile_moment_time(const struct profile *profile, uint32_t recording,
			 const struct profile_moment *moment, uint64_t *ret_time);

/*
 * Waits that are as long as the recording whatever happened in it. In views for people they would bury all others,
 * so they are set apart, in a line below each view. There are two kinds:
 *
 *	throughout: a thread of a program slept in S from before the start until after the end;
 *	nothing done: a kernel thread woke no program, was never in D, and for 1 % of its time or less on a CPU or
 *	waiting for one.
 *
 * The first is no verdict: such a thread may have nothing to do, or hang. Filters do not matter.
 */

bool profile_wait_is_throughout(const struct profile_task *tasks, const struct profile_wait *wait);

struct profile_kernel_time { /* of a kernel thread, ns, in all recordings */
	uint64_t span, busy;
	bool waited, ended, in_d, woke;
};

void profile_kernel_time_add_wait(struct profile_kernel_time *time, const struct profile_wait *wait);
/* A wait of a program that it ended. */
void profile_kernel_time_add_wakeup(struct profile_kernel_time *time, const struct profile_wait *wait);

enum profile_apart { PROFILE_NOT_APART, PROFILE_THROUGHOUT, PROFILE_NOTHING_DONE };

/* Of a task, in any recording; whether views set it apart does not matter. */
enum profile_apart profile_task_apart(const struct profile *profile, uint32_t task);

struct profile_set_apart { /* what profile_filter.apart left out, of what passed the filters */
	const struct profile_wait *throughout; /* copies */
	size_t throughout_count;
	size_t kernel_threads; /* that did nothing */
};

struct profile_set_apart profile_set_apart(const struct profile *profile);

#endif

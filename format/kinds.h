/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The numbers of FORMAT.md that programs in the kernel, the recorder, the reporter and its views share, with their
 * texts: X(name, number, text). It includes nothing, so that BPF programs can read it.
 */
#ifndef RWALKER_FORMAT_KINDS_H
#define RWALKER_FORMAT_KINDS_H

#define KIND_NUMBER(name, number, text) name = (number),
#define KIND_TEXT(name, number, text) [name] = (text),

#define WAIT_CLASS_LIST(X)                                                                                           \
	X(WAIT_BLOCKED, 0, "blocked")	  /* asleep until another task or an interrupt called for a wakeup */        \
	X(WAIT_PREEMPTED, 1, "preempted") /* runnable all the time: another task got the CPU */                      \
	X(WAIT_YIELDED, 2, "yielded")	  /* the same, voluntarily */                                                \
	X(WAIT_CANCELLED, 3, "cancelled") /* about to sleep, but already woken, or a signal was pending: runnable */ \
	X(WAIT_STARTED, 4, "started")	  /* from the fork to its first run; first it is on no run queue yet */

/* THROTTLED is not in traces: it is the part of a wait for which a quota kept it from running. */
enum wait_class { WAIT_CLASS_LIST(KIND_NUMBER) WAIT_THROTTLED, WAIT_CLASSES };

/* In which context the wakeup was called for. */
#define WAKER_CONTEXT_LIST(X)                                                                       \
	X(WAKER_TASK, 1, "task")                                                                    \
	X(WAKER_SOFTIRQ, 2, "softirq") /* the task that was there is not known to be the cause */   \
	X(WAKER_IRQ, 3, "irq")	       /* likewise */                                               \
	X(WAKER_UNKNOWN, 4, "unknown") /* the task is known */

/* NONE: not known: open, not blocked, or wakers were not recorded. */
enum waker_context { WAKER_NONE, WAKER_CONTEXT_LIST(KIND_NUMBER) };

/* Waits that are only counted. Blocked ones by the kernel's state. */
#define WAIT_SUM_LIST(X)                                   \
	X(WAIT_SUM_INTERRUPTIBLE, 0, "interruptible")      \
	X(WAIT_SUM_UNINTERRUPTIBLE, 1, "uninterruptible")  \
	X(WAIT_SUM_OTHER_BLOCKED, 2, "other blocked")      \
	X(WAIT_SUM_PREEMPTED, 3, "preempted")              \
	X(WAIT_SUM_YIELDED, 4, "yielded")                  \
	X(WAIT_SUM_CANCELLED, 5, "cancelled")              \
	X(WAIT_SUM_STARTED, 6, "started")

enum wait_sum_kind { WAIT_SUM_LIST(KIND_NUMBER) WAIT_SUM_KINDS };

/* What is known about how long a task has waited. */
enum wait_bound {
	WAIT_EXACT = 1,
	WAIT_AT_LEAST = 2, /* printed as >= */
	WAIT_NONE = 3,	   /* not waiting: running, or runnable with no known start */
};

#endif

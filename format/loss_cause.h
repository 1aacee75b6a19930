/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Why events are missing, left out, or less complete than requested (FORMAT.md: the loss record).
 * Numbers are never reused.
 */
#ifndef RWALKER_FORMAT_LOSS_CAUSE_H
#define RWALKER_FORMAT_LOSS_CAUSE_H

enum loss_cause {
	LOSS_RING_FULL = 1,
	LOSS_NO_TASK_ENTRY = 2,
	LOSS_RECURSION = 3,	 /* the kernel skipped the program */
	LOSS_THROTTLED = 4,	 /* the kernel throttled sampling */
	LOSS_NESTED = 5,	 /* no scratch left at this nesting level */
	LOSS_SIDEBAND = 6,	 /* perf LOST records: mappings or task events are missing */
	LOSS_MAPS = 7,		 /* start state of a process unavailable */
	LOSS_OWN = 8,		 /* the recorder's own, left out on purpose: not a loss */
	LOSS_FILTERED = 9,	 /* seen and filtered out: not a loss */
	LOSS_IDLE = 10,		 /* idle task: not a loss */
	LOSS_KERNEL_STACK = 11,	 /* recorded without its kernel stack: a quality note */
	LOSS_ENCODER = 12,	 /* event refused by the encoder */
	LOSS_RECORDED = 13,	 /* not a loss: recorded events, for the identity seen = recorded + lost */
	LOSS_SEEN = 14,		 /* not a loss: number of runs of the BPF program */
	LOSS_NOT_DELIVERED = 15, /* samples counted by the kernel but not delivered, while the CPU was idle or busy */
	LOSS_USER_STACK = 16,	 /* recorded without the requested user stack: a quality note */
	LOSS_TRUNCATED = 17,	 /* recorded with a stack cut at the depth limit: a quality note */
	LOSS_HITS = 18,		 /* addresses not kept for embedding because of lack of room: a quality note */
	LOSS_MODULES = 19,	 /* mapped files not kept for embedding because of lack of room: a quality note */
	LOSS_FILES = 20,	 /* mapped files not opened for embedding while they were mapped: a quality note */
	LOSS_BRIEF = 21,	 /* waits shorter than the threshold, which are summed: not a loss */
	LOSS_UNWRITTEN = 22,	 /* recorded, but then the trace could no longer be written: a quality note */
	LOSS_RATE_LIMITED = 23,	 /* hits of a probe beyond --rate-limit, which are counted: not a loss */
	LOSS_SNAPSHOT = 24,	 /* recorded without the requested snapshot: a quality note */
	LOSS_USER_ASTRAY = 25,	 /* recorded with a user stack cut at a frame that was no code: a quality note */
	LOSS_USER_UNKNOWN = 26,	 /* recorded with its user leaf only, its process's mappings unknown: a quality note */
	LOSS_LOOK = 27,		 /* threads that a look at all of them did not reach in its time */
	LOSS_CAUSES		 /* one more than the largest known number */
};

#endif

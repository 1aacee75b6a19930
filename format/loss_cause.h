/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Why events are missing, or left out, or less than was asked for (FORMAT.md: the loss record). Numbers are never reused. */
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
	LOSS_OWN = 8,		 /* the recorder's own, left out on purpose: no damage */
	LOSS_FILTERED = 9,	 /* seen, not wanted: no damage */
	LOSS_IDLE = 10,		 /* idle task: no damage */
	LOSS_KERNEL_STACK = 11,	 /* recorded without its kernel stack: a quality note */
	LOSS_ENCODER = 12,	 /* event refused by the encoder */
	LOSS_RECORDED = 13,	 /* not a loss: what was recorded, for the identity seen = recorded + lost */
	LOSS_SEEN = 14,		 /* not a loss: how often the program was entered */
	LOSS_NOT_DELIVERED = 15, /* ticks the kernel's own counter has and the program never saw */
	LOSS_USER_STACK = 16,	 /* recorded without the user stack that was asked for: a quality note */
	LOSS_TRUNCATED = 17,	 /* recorded with a stack cut at the depth limit: a quality note */
	LOSS_HITS = 18,		 /* addresses that were not kept for embedding, for lack of room: a quality note */
	LOSS_MODULES = 19,	 /* mapped files that were not kept for embedding, for lack of room: a quality note */
	LOSS_FILES = 20,	 /* mapped files that were not opened for embedding while they were mapped: a quality note */
	LOSS_BRIEF = 21,	 /* waits shorter than the threshold, which are summed: no damage */
	LOSS_UNWRITTEN = 22,	 /* recorded, and then the trace could be written no more: a quality note */
	LOSS_RATE_LIMITED = 23,	 /* hits of a probe beyond --rate-limit, which are counted: no damage */
	LOSS_SNAPSHOT = 24,	 /* recorded without the snapshot that was asked for: a note on quality */
	LOSS_CAUSES		 /* how many numbers are known */
};

#endif

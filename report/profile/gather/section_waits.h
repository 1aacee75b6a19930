/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The waits of one section while its events are added to the profile. A wait consists of several
 * records: the stacks of its waker precede it, its user stack may follow it. Both are matched by
 * thread, so for each thread we keep the last wakeup call and the waits that still lack their user
 * stack. Call chains are put together at the end.
 */
#ifndef RWALKER_REPORT_PROFILE_GATHER_SECTION_WAITS_H
#define RWALKER_REPORT_PROFILE_GATHER_SECTION_WAITS_H

#include "report/profile/gather/section.h"

struct wait_thread { /* identified by (tid, start) */
	uint32_t tid;
	uint32_t pending; /* its last wait that still lacks a user stack: number in `loose`, plus 1; 0: none */
	uint64_t start;
	uint64_t wake_time; /* of the last WAKE; 0: none */
	uint32_t wake_node;
	uint32_t sums; /* number in the profile's sums, plus 1; 0: none */
	uint32_t unasked_sums; /* the same, while the thread had another comm and did not pass the filters */
};

struct loose_wait { /* parallel to the waits of the section */
	uint32_t user;	  /* node of the user part of its chain */
	uint32_t previous; /* like wait_thread.pending, for the previous wait */
	bool later;	  /* its user stack is still missing */
	uint64_t in;	  /* when the record of which it is a part ended */
};

struct section_waits {
	uint32_t recording;
	size_t first; /* first of the section's waits in the profile's */
	ARRAY(struct wait_thread) threads;
	ARRAY(struct loose_wait) loose;
	struct index_table thread_table;
};

int section_waits_init(struct section *section);
void section_waits_deinit(struct section_waits *waits);

int section_add_wait(struct section *section, const struct stream_event *event);
int section_add_wake(struct section *section, const struct stream_event *event);
int section_add_user_stack(struct section *section, const struct stream_event *event);
int section_add_wait_sums(struct section *section, const struct stream_event *event);

#endif

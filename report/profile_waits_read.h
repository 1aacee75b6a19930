/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The waits of one section while its events become a profile. What belongs to a wait comes in several records: its waker's
 * stacks before it, its user stack perhaps after it. Both find it by thread, so for each thread it is kept who called for
 * its wakeup last, and which of its waits lack their user stack still. Call chains are put together at the end.
 */
#ifndef RWALKER_REPORT_PROFILE_WAITS_READ_H
#define RWALKER_REPORT_PROFILE_WAITS_READ_H

#include "report/profile_section.h"

struct wait_thread { /* known by (tid, start) */
	uint32_t tid;
	uint32_t pending; /* the last of its waits that lacks its user stack: number in `loose`, plus 1; 0: none */
	uint64_t start;
	uint64_t wake_time; /* of the last WAKE; 0: none */
	uint32_t wake_node;
	uint32_t sums; /* number in the profile's sums, plus 1; 0: none */
};

struct loose_wait { /* beside each wait of the section */
	uint32_t user;	  /* node of the user part of its chain */
	uint32_t previous; /* as wait_thread.pending, of the wait before it */
	bool later;	  /* its user stack has not come */
};

struct section_waits {
	uint32_t recording;
	size_t first; /* of the section's waits in the profile's */
	ARRAY(struct wait_thread) threads;
	ARRAY(struct loose_wait) loose;
	struct index_table thread_table;
};

/* Makes the section a recording of the profile. -ENOMEM. */
int section_begin_recording(struct section *section);
int section_waits_init(struct section *section);
void section_waits_deinit(struct section_waits *waits);

int section_add_wait(struct section *section, const struct stream_event *event);
int section_add_wake(struct section *section, const struct stream_event *event);
int section_add_user_stack(struct section *section, const struct stream_event *event);
int section_add_wait_sums(struct section *section, const struct stream_event *event);
/* Behind the last event: chains, weights and entries. */
int section_finish_waits(struct section *section);

/* profile_waits.c: once all sections are read and the sources are in order; places: where each source went. */
int profile_order_waits(struct profile *profile, const uint32_t *places);

#endif

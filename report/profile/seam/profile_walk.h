/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The walked tasks of a profile; see report/profile/seam/profile.h for the rest. */
#ifndef RWALKER_REPORT_PROFILE_SEAM_PROFILE_WALK_H
#define RWALKER_REPORT_PROFILE_SEAM_PROFILE_WALK_H

#include <stdbool.h>
#include <stdint.h>

#include "format/kinds.h"

enum { PROFILE_NO_CPU = UINT16_MAX, PROFILE_NO_SOURCE = UINT32_MAX };

struct profile_walk { /* one pass over all tasks */
	uint32_t host, number;
	uint32_t scope; /* equal for walks of one recording, whose tasks give its objects their names */
	uint64_t time, realtime; /* its start; realtime ns since 1970, 0: unknown */
	uint64_t seen, kept;
};

struct profile_walk_task {
	uint32_t walk; /* index in the list of walks */
	uint32_t source; /* PROFILE_NO_SOURCE: not shown */
	uint32_t task, node, flags;
	char state[24]; /* "D", "S", "R", "D (killable)" ...: letter first */
	uint64_t wait;  /* ns */
	enum wait_bound bound;
	uint32_t cpu;
	bool on_cpu, iowait;
	/* What it slept for, as in a struct profile_wait. */
	uint32_t operation, object; /* numbers of profile_objects.h; 0: not known, or it did not sleep */
	uint64_t asked, page;
	uint32_t owner; /* task that held the lock or futex at that moment, if HELD_BY_OWNER */
	uint8_t held;	/* enum profile_wait_held */
	const char *no_user; /* why a requested user stack is missing; NULL: it is not, or there can be none */
};

#endif

/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The cgroups of the host's version 2 hierarchy that tasks were in (FORMAT.md §5, §13). Tasks refer
 * to them by id. Members are in the order of the fields on disk; (t) as in event.h.
 */
#ifndef RWALKER_FORMAT_EVENT_CGROUP_H
#define RWALKER_FORMAT_EVENT_CGROUP_H

#include "format/event_text.h"

enum cgroup_flag {
	CGROUP_INITIAL = 1, /* existed before the recording */
	CGROUP_REMOVED = 2, /* at `time`; an earlier record has when it was made */
};

struct event_cgroup {
	uint64_t time;		/* (t) when it was made, or first seen */
	uint64_t id;		/* of its directory: st_ino */
	uint64_t flags;		/* enum cgroup_flag */
	struct event_text path; /* below the root that the recorder saw; "/" is that root; empty: unknown */
};

#endif

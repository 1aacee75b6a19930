/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The records of STATE chunks that a recorder writes which keeps only the last of what it
 * records, and dumps that when something happens (FORMAT.md §5). Members are in the order of the
 * fields on disk; (t) as in event.h.
 */
#ifndef RWALKER_FORMAT_EVENT_FLIGHT_H
#define RWALKER_FORMAT_EVENT_FLIGHT_H

#include <stdint.h>

#include "format/event_text.h"

/* Which part of a recording the section holds. */
struct event_window {
	uint64_t since, until; /* (t) (t) */
	uint64_t before;       /* ns that had been recorded before `since` */
	uint64_t dump;	       /* number of this dump, from 1 */
	uint64_t asked;	       /* ns that the window was to hold, */
	uint64_t room;	       /* in at most so many stored bytes */
	uint64_t left_out;     /* records of the state before `since` that were not kept, for lack of room */
};

/* Something happened for which a dump was wanted. */
struct event_trigger {
	uint64_t time;		/* (t) */
	uint64_t dump;		/* number of the dump that was made for it; 0: none was */
	struct event_text rule; /* (s) as the user gave it; "signal", "end" */
	uint32_t tgid, tid;	/* 0: it is about no task */
	struct event_text comm; /* (s) */
	uint64_t value;		/* what exceeded the rule's limit: ns, or hundredths of a percent */
	uint64_t more;		/* others for which no dump was made, since the last TRIGGER, and without one */
};

#endif

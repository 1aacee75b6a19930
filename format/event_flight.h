/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The STATE records of a recorder that keeps only the last part of a recording, and dumps it when
 * something happens (FORMAT.md §5). Members are in the order of the fields on disk; (t) as in
 * event.h.
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
	uint64_t asked;	       /* ns that the window was to hold */
	uint64_t room;	       /* stored bytes that it was to take at most */
};

/* Something happened for which a dump was wanted. */
struct event_trigger {
	uint64_t time;		/* (t) */
	uint64_t dump;		/* number of the dump that was made for it; 0: none was */
	struct event_text rule; /* (s) as the user gave it; "signal", "end" */
	uint32_t tgid, tid;	/* 0: it is not about a task */
	struct event_text comm; /* (s) */
	uint64_t value;		/* what exceeded the rule's limit: ns, or hundredths of a percent */
	uint64_t more;		/* others since the last TRIGGER, which got neither a dump nor a TRIGGER */
};

/* From `time` on the recorder records less, nothing, or all of it again, to keep what it costs within limits. */
struct event_budget {
	uint64_t time;	   /* (t) */
	uint64_t step;	   /* enum budget_step */
	uint64_t least;	   /* ns: shorter waits are in sums only; 0: there are none */
	uint64_t frequency; /* of samples, Hz; 0: there are none */
	uint64_t used, budget; /* hundredths of a percent of one CPU: by all parts, before `time` */
};
enum budget_step {
	BUDGET_WHOLE = 0, /* all that was asked for */
	BUDGET_COARSER = 1,
	BUDGET_PAUSED = 2, /* nothing */
};

#endif

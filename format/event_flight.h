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

/* From `time` on the recorder records less, or all of it again, to keep what it costs within limits. */
struct event_regime {
	uint64_t time;	   /* (t) */
	uint64_t step;	   /* 0: all that was asked for; the larger, the less */
	uint64_t reason;   /* enum regime_reason */
	uint64_t lacks;	   /* enum regime_lack */
	uint64_t least;	   /* ns: shorter waits are in sums only */
	uint64_t frequency; /* of samples, Hz; 0: there are none */
	uint64_t used, budget; /* hundredths of a percent of one CPU: by all parts, before `time` */
};
enum regime_reason {
	REGIME_ASKED = 1, /* from the start, because the user wants it */
	REGIME_OVER = 2,  /* more CPU time was used than allowed */
	REGIME_CALM = 3,  /* much less was used for some time */
};
enum regime_lack {
	REGIME_NO_WAKER_STACKS = 1,
	REGIME_NO_WAKERS = 2,
	REGIME_NO_SNAPSHOTS = 4, /* no stack memory */
	REGIME_NO_USER_STACKS = 8,
	REGIME_NO_HITS = 16,	/* of tracepoints and functions: paused */
	REGIME_NO_WAITS = 32,	/* paused, with their sums */
	REGIME_NO_SAMPLES = 64, /* paused */
	REGIME_NO_KERNEL_STACKS = 128, /* of waits */
	REGIME_NO_EARLY_STACKS = 256,  /* user stacks that had to be taken before it was known how long the wait is */
};

#endif

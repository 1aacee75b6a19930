/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The STATE records about probes (FORMAT.md §5): the tracepoints and kernel functions of a source,
 * and how often each was hit. Members are in the order of the fields on disk; (t) (s) as in
 * event.h.
 */
#ifndef RWALKER_FORMAT_EVENT_PROBE_H
#define RWALKER_FORMAT_EVENT_PROBE_H

#include "format/event_text.h"

enum probe_hook {
	HOOK_RAW_TRACEPOINT = 1,
	HOOK_TRACEPOINT = 2, /* of a trace event that is not a raw tracepoint itself (system calls) */
	HOOK_FENTRY = 3,
	HOOK_KPROBE = 4,
	HOOK_KPROBE_MULTI = 5,
};

/* One tracepoint or function of a source that covers one or several. */
struct event_probe {
	uint32_t id;		/* from 1 */
	uint32_t source;
	uint32_t hook;		/* enum probe_hook */
	struct event_text name; /* (s) "sched:sched_switch", "tcp_sendmsg" ... */
};

/* Running totals of a probe on all CPUs; a later record replaces an earlier one. */
struct event_probe_hits {
	uint64_t time;	  /* (t) */
	uint32_t probe;	  /* id */
	uint64_t hits;	  /* that passed the filters: recorded, skipped or lost */
	uint64_t skipped; /* of hits: without an event because of --rate-limit */
	uint64_t missed;  /* not in hits: the kernel did not run the program */
};

#endif

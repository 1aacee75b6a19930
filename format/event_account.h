/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The records of STATE chunks (FORMAT.md §5) that describe the quality of the others: what was
 * lost, what is unreliable, and what the recording cost. Members are in the order of the fields on
 * disk; (t) as in event.h.
 */
#ifndef RWALKER_FORMAT_EVENT_ACCOUNT_H
#define RWALKER_FORMAT_EVENT_ACCOUNT_H

#include <stdint.h>

#include "format/loss_cause.h"

/* Running total, restated every second and at the end; a later record replaces an earlier one with the same key. */
struct event_loss {
	uint64_t time;	 /* (t) */
	uint32_t source; /* 0: all */
	uint32_t cpu;
	uint32_t cause;	 /* enum loss_cause */
	uint64_t total;
};

/* What the recording cost the host so far. */
struct event_cost {
	uint64_t time; /* (t) */
	uint64_t user_ns, system_ns; /* of the recorder and its helpers */
	uint64_t bpf_ns;	     /* of the main programs, from 1 in RING_MEASURED of their runs */
	uint64_t max_rss, ring_bytes; /* bytes; rss without the rings */
	uint64_t written;	     /* bytes */
};

struct event_maps_unavailable {
	uint64_t time; /* (t) */
	uint32_t tgid;
	uint32_t reason; /* errno: ETIMEDOUT the target's lock was held ... */
};

/*
 * A span of time in which records of processes and mappings are missing, after which all of them
 * were written again. A later one with the same start and CPU replaces an earlier one.
 */
struct event_unsure {
	uint64_t time, until; /* (t) (t) */
	uint32_t cpu;	      /* whose records are missing; their processes may have run on any CPU */
	uint32_t cause;	      /* enum unsure_cause */
	uint64_t missing;     /* lower bound, records; 0: not known */
};
enum unsure_cause {
	UNSURE_SILENT = 1, /* the kernel delivered none, though it counted some */
	UNSURE_LOST = 2,   /* the ring was full */
	UNSURE_AWAY = 3,   /* the CPU was offline, and its ring with it */
};

/*
 * What a perf event counted on a CPU, and how much of it was delivered: running totals. A later one
 * (by time) replaces an earlier one.
 */
struct event_counter {
	uint64_t time; /* (t) */
	uint32_t source, cpu;
	uint64_t counted;	 /* by the kernel, in the source's weight (WEIGHT_*) */
	uint64_t seen;		 /* of these: periods that ended in an event for which the program ran */
	uint64_t missed;	 /* events: what was counted and not seen */
	uint64_t missed_idle;	 /* part of `missed`: while the CPU was idle; the rest while it was busy */
	/* ns for which it was enabled; of these, on a hardware counter, which the event may share with others. */
	uint64_t enabled, running;
	uint64_t throttled;	 /* ns in which the kernel had throttled it; neither counted nor missed */
};

#endif

/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Memory shared by the monitor and its workers, of which one is alive and used at a time. A request
 * is answered once, by the process that ends its work first:
 *
 *     idle ── the worker has received a request ──▶ at work ── the worker has a result, or the deadline passed ──▶ idle
 */
#ifndef RWALKER_REPORT_OPENER_OPENER_SHARED_H
#define RWALKER_REPORT_OPENER_OPENER_SHARED_H

#include <stdatomic.h>

#include "report/opener/opener_wire.h"
#include "report/opener/path_walk.h"
#include "report/opener/refusals.h"

struct opener_shared {
	_Atomic uint64_t work; /* number of the current work, from 1; 0: idle */
	uint64_t started;      /* how many works were started */
	uint64_t since;	       /* of CLOCK_MONOTONIC; this and the members up to `place` are about the current work */
	uint32_t channel;
	struct opener_request request;
	struct walk_place place;

	struct walk_place silent[WALK_SILENT_MAX]; /* what did not answer */
	uint32_t silent_count, timeouts;
	struct refusals refusals;
};

static inline void opener_begin_work(struct opener_shared *shared)
{
	atomic_store(&shared->work, ++shared->started);
}

/* Whether the caller ended the work, and so has to answer. */
static inline bool opener_end_work(struct opener_shared *shared, uint64_t work)
{
	return work && atomic_compare_exchange_strong(&shared->work, &work, 0);
}

#endif

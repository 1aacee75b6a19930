/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Sums over rows: their samples, their weight, and how much of the weight was spent on run queues, or throttled. */
#ifndef RWALKER_REPORT_VIEW_LOOK_TALLY_H
#define RWALKER_REPORT_VIEW_LOOK_TALLY_H

#include "report/view/look/rows.h"

struct tally {
	uint64_t samples, weight;
	uint64_t run_queue, throttled; /* 0 unless these are waits */
};

static inline void tally_add(struct tally *sum, const struct tally *tally)
{
	sum->samples += tally->samples;
	sum->weight += tally->weight;
	sum->run_queue += tally->run_queue;
	sum->throttled += tally->throttled;
}

static inline void tally_add_row(struct tally *sum, const struct row *row)
{
	tally_add(sum, &(struct tally){row->samples, row->weight, row->run_queue, row->throttled});
}

#endif

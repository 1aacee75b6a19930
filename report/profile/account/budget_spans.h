/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The times in which a recorder left something out to keep its cost within limits (FORMAT.md, BUDGET), and in words. */
#ifndef RWALKER_REPORT_PROFILE_ACCOUNT_BUDGET_SPANS_H
#define RWALKER_REPORT_PROFILE_ACCOUNT_BUDGET_SPANS_H

#include <stdbool.h>

#include "report/read/trace_model.h"

struct budget_span {
	uint64_t from, until; /* times of the trace */
	const struct event_budget *record;
};

/* The next one; set *cursor to 0 before the first call. */
bool budget_spans_next(const struct trace_model *model, size_t *cursor, struct budget_span *ret_span);

enum { BUDGET_TEXT = 256 };

struct budget_lack { /* what is left out; all 0: nothing */
	bool everything;
	uint64_t least;	    /* ns */
	uint64_t frequency; /* Hz */
};

/* Of the sources that are meant. */
struct budget_lack budget_lack_of(const struct trace_model *model, const struct event_budget *record, bool waits,
				  bool samples);
/* "waits below 10 ms only in sums, samples at 49 Hz" */
const char *budget_text(const struct budget_lack *lack, char text[BUDGET_TEXT]);

#endif

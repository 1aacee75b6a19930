/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What a recorder left out for a time to keep its cost within limits (FORMAT.md, REGIME): as spans,
 * and in words.
 */
#ifndef RWALKER_REPORT_PROFILE_ACCOUNT_REGIMES_H
#define RWALKER_REPORT_PROFILE_ACCOUNT_REGIMES_H

#include <stdbool.h>

#include "report/read/trace_model.h"

struct regime_span {
	uint64_t from, until; /* times of the trace */
	const struct event_regime *regime;
};

/* The next span in which less was recorded than asked for; set *cursor to 0 before the first call. */
bool regimes_next(const struct trace_model *model, size_t *cursor, struct regime_span *ret_span);

enum { REGIME_TEXT = 512 };

/*
 * "no wakers, waits below 4 ms only in sums, samples at 49 Hz": lacks is a mask of enum
 * regime_lack; least (ns) and frequency (Hz) are left out if they are 0. "" if there is nothing to
 * say.
 */
const char *regimes_text(uint64_t lacks, uint64_t least, uint64_t frequency, char text[REGIME_TEXT]);

#endif

/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * How often the tracepoints and functions of a source were hit, most often first, as the recorder counted it; and where that
 * is not the number of events in the trace, why. Each line begins with "# ".
 */
#ifndef RWALKER_REPORT_VIEW_PROBE_TOTALS_H
#define RWALKER_REPORT_VIEW_PROBE_TOTALS_H

#include "report/view/view.h"

/* Nothing for sources without probes, and for those of which the filters leave nothing. -ENOMEM. */
int probe_totals_write(const struct view_context *context, uint32_t source, FILE *out);

/* How many probes the source has. */
size_t probe_totals_count(const struct profile *profile, uint32_t source);

#endif

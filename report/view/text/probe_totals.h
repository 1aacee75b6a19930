/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The hits of a source's tracepoints and functions, most frequent first, as the recorder counted
 * them. If the number of events in the trace differs, the line says why. Each line begins with "#
 * ".
 */
#ifndef RWALKER_REPORT_VIEW_TEXT_PROBE_TOTALS_H
#define RWALKER_REPORT_VIEW_TEXT_PROBE_TOTALS_H

#include "report/view/text/view.h"

/* Prints nothing for sources without probes, or if the filters leave nothing of the source. -ENOMEM. */
int probe_totals_write(const struct view_context *context, uint32_t source, FILE *out);

/* The number of probes of the source. */
size_t probe_totals_count(const struct profile *profile, uint32_t source);

#endif

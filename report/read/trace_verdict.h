/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Whether a trace lacks anything that should be in it: the one place that decides, for --info and
 * for the account of a report, whether the exit code is 3. Which causes of losses count is in
 * loss_table.c. What is only of lower quality, or was left out on request, is not lacking.
 */
#ifndef RWALKER_REPORT_READ_TRACE_VERDICT_H
#define RWALKER_REPORT_READ_TRACE_VERDICT_H

#include "report/read/trace_file.h"

/* Events were lost while it was recorded, or the kernel's records of processes. */
bool trace_model_lost(const struct trace_model *model);
/*
 * That, in any section; or chunks that are damaged, missing or unreadable; or it is unknown what
 * followed the last one. Chunks of EVENTS are known to be damaged once they were read.
 */
bool trace_file_lacks(const struct trace_file *file);

#endif

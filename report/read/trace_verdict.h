/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Whether a trace lacks anything that should be in it: the only place that decides, for --info and
 * for the account of a report, whether the exit code is 3. loss_table.c has the causes of losses
 * that count. What is only of lower quality, or was left out on request, is not lacking.
 */
#ifndef RWALKER_REPORT_READ_TRACE_VERDICT_H
#define RWALKER_REPORT_READ_TRACE_VERDICT_H

#include "report/read/trace_file.h"

/* Whether events, or the kernel's records of processes, were lost during the recording. */
bool trace_model_lost(const struct trace_model *model);
/*
 * Whether any section has such losses; or chunks are damaged, missing or unreadable; or it is
 * unknown what followed the last one. Damage in EVENTS chunks is found only when they are read.
 */
bool trace_file_lacks(const struct trace_file *file);

#endif

/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Adds each record of STATE, EMBED, NAMES and END chunks to the model: one function per kind, in a table. Records of
 * other kinds are ignored. Also implements the queries of trace_model.h for them. Called by trace_model.c only.
 */
#ifndef RWALKER_REPORT_READ_TRACE_RECORDS_H
#define RWALKER_REPORT_READ_TRACE_RECORDS_H

#include "report/read/trace_model.h"

/* A record of model->chunk. 0 or -ENOMEM. */
int trace_model_add_record(struct trace_model *model, const struct event *event);
/* Also takes names of JIT code from another section of the same file. 0 or -ENOMEM. */
int trace_records_add_perf_maps(struct trace_model *model, const struct trace_model *addition);

#endif

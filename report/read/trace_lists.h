/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Adds records that the model keeps in a list, and to which nothing else refers while it is read:
 * what waits were for, control groups, spans of time without records, counters. Also implements the
 * queries of trace_model.h for them. Called by trace_records.c only. 0, -ENOMEM.
 */
#ifndef RWALKER_REPORT_READ_TRACE_LISTS_H
#define RWALKER_REPORT_READ_TRACE_LISTS_H

#include "report/read/trace_model.h"

int trace_lists_object(struct trace_model *model, uint32_t chunk, const struct event *event);
/* A name may come before its object. */
int trace_lists_object_name(struct trace_model *model, uint32_t chunk, const struct event *event);
int trace_lists_cgroup(struct trace_model *model, uint32_t chunk, const struct event *event);
int trace_lists_unsure(struct trace_model *model, uint32_t chunk, const struct event *event);
int trace_lists_window(struct trace_model *model, uint32_t chunk, const struct event *event);
int trace_lists_trigger(struct trace_model *model, uint32_t chunk, const struct event *event);
int trace_lists_budget(struct trace_model *model, uint32_t chunk, const struct event *event);
int trace_lists_counter(struct trace_model *model, uint32_t chunk, const struct event *event);

#endif

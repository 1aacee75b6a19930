/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The records of which the model keeps a list and nothing else refers to while it is read: what waits were for, control
 * groups, spans of time without records, counters; and what trace_model.h says of finding them there. Called by
 * trace_records.c only. 0, -ENOMEM.
 */
#ifndef RWALKER_REPORT_READ_TRACE_LISTS_H
#define RWALKER_REPORT_READ_TRACE_LISTS_H

#include "report/read/trace_model.h"

int trace_lists_object(struct trace_model *model, uint32_t chunk, const struct event *event);
/* A name may come before its object. */
int trace_lists_object_name(struct trace_model *model, uint32_t chunk, const struct event *event);
int trace_lists_cgroup(struct trace_model *model, uint32_t chunk, const struct event *event);
int trace_lists_cgroup_name(struct trace_model *model, uint32_t chunk, const struct event *event);
int trace_lists_unsure(struct trace_model *model, uint32_t chunk, const struct event *event);
int trace_lists_window(struct trace_model *model, uint32_t chunk, const struct event *event);
int trace_lists_trigger(struct trace_model *model, uint32_t chunk, const struct event *event);
int trace_lists_regime(struct trace_model *model, uint32_t chunk, const struct event *event);
int trace_lists_counter(struct trace_model *model, uint32_t chunk, const struct event *event);

#endif

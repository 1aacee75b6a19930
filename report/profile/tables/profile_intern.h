/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Interning of hosts, sources, tasks, frames, nodes, probes, and entries: a profile keeps each
 * once. Each function finds or adds the item and returns its number. -ENOMEM.
 */
#ifndef RWALKER_REPORT_PROFILE_TABLES_PROFILE_INTERN_H
#define RWALKER_REPORT_PROFILE_TABLES_PROFILE_INTERN_H

#include "report/profile/tables/profile_internal.h"

/* From the format's enum source_kind; PROFILE_SOURCE_KINDS if unknown. */
enum profile_source_kind profile_kind_of(uint32_t kind);

int profile_intern_host(struct profile *profile, const struct trace_model *model, uint32_t *ret_host);
int profile_intern_source(struct profile *profile, const struct trace_model *model,
			  const struct trace_source *source, uint32_t *ret_source);
int profile_intern_task(struct profile *profile, uint32_t host, const struct event_task *task,
			const struct profile_cgroup *cgroup, uint32_t *ret_task);
int profile_intern_frame(struct profile *profile, const struct profile_frame *frame, uint32_t *ret_frame);
int profile_intern_node(struct profile *profile, uint32_t parent, uint32_t frame, uint32_t *ret_node);
int profile_intern_probe(struct profile *profile, uint32_t source, const char *name, uint32_t *ret_probe);
/* ns for which the section recorded the source. */
uint64_t profile_duration_of(const struct trace_model *model, const struct event_source *source);
/* Adds the weight to the entry with this source, node, task, flags and CPU. */
int profile_add_entry(struct profile *profile, const struct profile_entry *entry);

#endif

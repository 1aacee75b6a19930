/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* A control group that tasks of a section were in; part of its model (trace_model.h). */
#ifndef RWALKER_REPORT_READ_TRACE_CGROUP_H
#define RWALKER_REPORT_READ_TRACE_CGROUP_H

#include <stdbool.h>
#include <stdint.h>

struct trace_model;

struct trace_cgroup {
	uint64_t id;
	uint64_t made, removed; /* times; removed 0: not removed, as far as is known */
	bool initial;		/* it existed before the recording */
	const char *path;	/* "": unknown */
};

/* NULL: unknown. */
const struct trace_cgroup *trace_model_cgroup(const struct trace_model *model, uint64_t id);

#endif

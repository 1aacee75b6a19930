/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Points: the tracepoints and kernel functions that --trace and --kfunc name, with patterns expanded. FORMAT.md calls
 * them probes; here a probe is the door to libbpf. Each option becomes one source of the trace, in the order given.
 */
#ifndef RWALKER_RECORD_PROBE_POINTS_H
#define RWALKER_RECORD_PROBE_POINTS_H

#include <stdbool.h>
#include <stdint.h>

#include "common/array.h"
#include "format/kinds.h"
#include "record/plan/record_options.h"

struct point { /* its number is its index plus 1 */
	char *name, *category; /* category: of tracepoints, NULL: unknown */
	char *nearest;	       /* of a tracepoint that the kernel may not know: the most similar name, or NULL */
	uint64_t address;      /* of functions */
	uint32_t source;       /* index in sources */
	enum probe_hook hook;
	int error; /* -errno: why it is not attached */
};

struct point_source {
	const struct record_point *asked;
	bool is_set; /* a pattern */
	uint32_t first, count; /* of points */
};

struct points {
	ARRAY(struct point) items;
	struct point_source sources[RECORD_MAX_POINTS];
	uint32_t source_count;
};

/* Finds what was asked for, and reports what is left out. 0; -ENOENT ... after reporting why. */
int points_resolve(const struct record_points *asked, struct points *ret_points);
void points_deinit(struct points *points);

/* "sched:sched_switch", "tcp_sendmsg" */
const char *point_text(const struct point *point, char text[static 256]);

#endif

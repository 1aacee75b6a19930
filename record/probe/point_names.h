/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What the kernel offers for tracing: tracepoints (from BTF, and from tracefs if it is mounted),
 * functions (/proc/kallsyms), and which of these may be traced (tracefs, debugfs), each as far as
 * it can be read.
 */
#ifndef RWALKER_RECORD_PROBE_POINT_NAMES_H
#define RWALKER_RECORD_PROBE_POINT_NAMES_H

#include <stdbool.h>

#include "common/array.h"
#include "record/host/kallsyms.h"

struct point_name {
	char *name;	/* "sched_switch", "tcp_sendmsg" */
	char *category; /* of tracepoints: "sched"; NULL: unknown */
	uint64_t address; /* of functions */
};

struct name_list { /* an ARRAY */
	char **items;
	size_t count, capacity;
};

struct point_names {
	ARRAY(struct point_name) items; /* by name, then category or address */
	struct name_list traceable;	/* functions, by name; only if `traceable_known` */
	struct name_list forbidden;	/* functions, by name */
	bool traceable_known, categories_known;
};

/* Each adds to the names and is called once. 0, -EPERM (addresses are hidden), -ENOMEM, -errno. */
int point_names_read_tracepoints(struct point_names *names);
int point_names_read_functions(struct point_names *names);
void point_names_deinit(struct point_names *names);

/* What the kernel reports about a function. */
bool point_names_forbidden(const struct point_names *names, const char *function);
bool point_names_traceable(const struct point_names *names, const char *function); /* or not known */

#endif

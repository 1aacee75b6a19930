/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What the kernel has that can be traced: tracepoints (tracefs, and where that is not mounted the kernel's description of
 * its types), functions (/proc/kallsyms) and which of these may be traced (tracefs, debugfs), each as far as it can be read.
 */
#ifndef RWALKER_RECORD_POINT_NAMES_H
#define RWALKER_RECORD_POINT_NAMES_H

#include <stdbool.h>

#include "common/array.h"
#include "record/kallsyms.h"

struct point_name {
	char *name;	/* "sched_switch", "tcp_sendmsg" */
	char *category; /* of tracepoints: "sched"; NULL: not known */
	uint64_t address; /* of functions */
};

struct name_list { /* an ARRAY */
	char **items;
	size_t count, capacity;
};

struct point_names {
	ARRAY(struct point_name) items; /* by name, then category or address */
	struct name_list traceable;	/* functions, by name; only where `traceable_known` */
	struct name_list forbidden;	/* functions, by name */
	bool traceable_known, categories_known;
};

/* Each replaces nothing and is called once. 0, -EPERM (addresses are hidden), -ENOMEM, -errno. */
int point_names_read_tracepoints(struct point_names *names);
int point_names_read_functions(struct point_names *names);
void point_names_deinit(struct point_names *names);

/* Functions: what the kernel says of them. */
bool point_names_forbidden(const struct point_names *names, const char *function);
bool point_names_traceable(const struct point_names *names, const char *function); /* or not known */

#endif

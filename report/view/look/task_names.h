/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The comms and processes of a profile's tasks as small numbers in printing order: comms by their
 * bytes, processes by host and pid. Comparing two numbers compares the names.
 */
#ifndef RWALKER_REPORT_VIEW_LOOK_TASK_NAMES_H
#define RWALKER_REPORT_VIEW_LOOK_TASK_NAMES_H

#include <stdio.h>

#include "report/profile/seam/profile.h"

struct task_names {
	uint32_t *comm_of, *process_of; /* by task */
	uint32_t *name_of; /* by task: the comm of a first thread, else the name of its process */
	const char **comms;		/* of tasks and processes: the profile's; not safe to print unescaped */
	size_t comm_count;
	struct task_process {
		uint32_t host, tgid;
		const char *comm; /* profile_process_comm() */
	} *processes;
	size_t process_count;
	size_t host_count;
};

int task_names_init(struct task_names *names, const struct profile *profile);
void task_names_deinit(struct task_names *names);

/* "12345", or "12345 host 2" if there are several hosts. */
void task_names_write_process(const struct task_names *names, uint32_t process, FILE *out);

#endif

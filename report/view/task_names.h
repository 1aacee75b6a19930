/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The comms and processes of a profile's tasks as small numbers in printing order: comms by their
 * bytes, processes by host and pid. Comparing two numbers compares the names.
 */
#ifndef RWALKER_REPORT_VIEW_TASK_NAMES_H
#define RWALKER_REPORT_VIEW_TASK_NAMES_H

#include <stdio.h>

#include "report/profile/profile.h"

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

/* "    -                dd (12345)" below a stack, as in bcc; the process only if requested. */
void task_names_write_owner(const struct task_names *names, uint32_t comm, uint32_t process, bool per_process, FILE *out);

/*
 * The comms of a group of rows, heaviest first, then by name: "dd, sh, cat (+3 more)". A list is
 * filled and printed repeatedly; comms that do not occur cost nothing.
 */

struct comm_list {
	const struct task_names *names;
	uint64_t *weights;  /* by comm */
	uint32_t *present;  /* the comms with a weight */
	size_t present_count;
};

int comm_list_init(struct comm_list *list, const struct task_names *names);
void comm_list_deinit(struct comm_list *list);

void comm_list_add(struct comm_list *list, uint32_t task, uint64_t weight);

/* Prints at most `most` of them and empties the list. */
void comm_list_write(struct comm_list *list, size_t most, FILE *out);

#endif

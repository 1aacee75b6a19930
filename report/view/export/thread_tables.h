/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * For exports that list the stacks, functions and texts of each thread separately: the tables of
 * one thread after the other. They contain only what the thread uses: a number is assigned when
 * something is first asked for.
 */
#ifndef RWALKER_REPORT_VIEW_EXPORT_THREAD_TABLES_H
#define RWALKER_REPORT_VIEW_EXPORT_THREAD_TABLES_H

#include "common/array.h"
#include "report/view/export/json_text.h"
#include "report/view/look/functions.h"

enum { THREAD_NO_STACK = UINT32_MAX };

struct thread_stack {
	uint32_t function, prefix; /* prefix: THREAD_NO_STACK for a root */
};

struct thread_tables {
	struct profile *profile;
	struct functions *functions;
	const struct profile_node *nodes;
	size_t node_count;
	uint32_t *stack_of;    /* by node, plus 1; 0: not in this thread */
	ARRAY(uint32_t) used;  /* the nodes of this thread, in the order of its stacks */
	ARRAY(struct thread_stack) stacks;
	ARRAY(uint32_t) functions_used; /* in the order of their numbers */
	ARRAY(uint32_t) number_of; /* by function, plus 1 */
	ARRAY(const char *) names; /* of markers, few: not safe to print */
};

int thread_tables_init(struct thread_tables *tables, struct profile *profile, const char *no_frames);
void thread_tables_deinit(struct thread_tables *tables);

/* Forgets the last thread. */
void thread_tables_begin(struct thread_tables *tables);
/* THREAD_NO_STACK for an empty chain. */
int thread_tables_stack(struct thread_tables *tables, uint32_t node, uint32_t *ret_stack);
/* The number of a marker's name. The text must outlive the thread's tables. */
int thread_tables_name(struct thread_tables *tables, const char *name, uint32_t *ret_name);

/* Members of a thread's object: stackTable, frameTable, funcTable and the others, stringArray. */
void thread_tables_write(const struct thread_tables *tables, struct json_text *json);

#endif

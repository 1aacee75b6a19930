/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* A source of two profiles, and the parts of the report about what changed in it. */
#ifndef RWALKER_REPORT_VIEW_DIFF_DIFF_PARTS_H
#define RWALKER_REPORT_VIEW_DIFF_DIFF_PARTS_H

#include "report/view/diff/diff_rows.h"
#include "report/view/look/functions.h"
#include "report/view/look/task_names.h"

struct diff_side {
	struct view_context context; /* of its profile */
	struct functions *functions; /* by name */
	struct task_names tasks;
	ARRAY(uint32_t) name_of; /* by function: its number in the common `names`, plus 1; 0: not known yet */
	uint32_t number;	       /* of the source that is compared */
	const struct profile_source *source;
	uint64_t period; /* ns that a sample counts as; 0: its weight is used */
};

struct diff {
	const struct view_context *context;
	struct diff_side sides[DIFF_SIDES];
	struct diff_names names;
	struct diff_scale scale;
	bool kernel_only; /* one of the traces has no user stacks */
};

/* The sum of the compared source. -ENOMEM. */
int diff_sum(const struct diff *diff, struct diff_pair *ret_sum);

/* What a row of a source weighs, on its side. */
struct diff_pair diff_weigh(const struct diff *diff, size_t side, uint64_t samples, uint64_t weight, bool late);

struct diff_table {
	const char *title; /* "functions by themselves (self)" */
	const char *what;  /* the name of the last column */
	const char *within; /* what the line below the table counts: "functions" */
	/* Writes the figures of a row and what it is about. -ENOMEM. */
	int (*write)(const struct diff_table *table, const struct diff *diff, const struct diff_row *row);
	const struct diff_tree *tree;
};

/* Judges and prints the rows, unless there are none. -ENOMEM. */
int diff_table_print(const struct diff_table *table, const struct diff *diff, struct diff_rows *rows);

/* The parts. 0, -ENOMEM, -EBADMSG. */
int diff_functions(struct diff *diff);
int diff_waits(struct diff *diff);
int diff_chains(struct diff *diff);

#endif

/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Two profiles have only texts in common: names of functions, comms, steps of chains. They become
 * small numbers here, and paths of them become nodes of one tree: paths that read the same before
 * and after are one node. Node 0 is the root, and children have higher numbers than their parents.
 */
#ifndef RWALKER_REPORT_WAIT_DIFF_H
#define RWALKER_REPORT_WAIT_DIFF_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "common/array.h"
#include "common/hash_map.h"
#include "report/view/functions.h"
#include "report/view/task_names.h"
#include "report/view/view.h"

enum diff_side_number { DIFF_BEFORE, DIFF_AFTER, DIFF_SIDES };

struct diff_amount {
	uint64_t halves[2]; /* weight in the first and second half of the recordings */
	uint64_t samples;
};

struct diff_pair {
	struct diff_amount sides[DIFF_SIDES];
};

void diff_pair_add(struct diff_pair *sum, const struct diff_pair *pair);

struct diff_names {
	struct hash_map known;
	ARRAY(char *) texts; /* by number */
};

/* The text is copied. -ENOMEM. */
int diff_names_add(struct diff_names *names, const char *text, uint32_t *ret_name);

struct diff_node {
	uint32_t parent, name;
	struct diff_pair self; /* of paths that end here */
};

struct diff_tree {
	struct hash_map known; /* (parent, name) -> node */
	ARRAY(struct diff_node) nodes;
};

int diff_tree_init(struct diff_tree *tree);
void diff_tree_deinit(struct diff_tree *tree);
/* The child of that name, which is added if it is new. -ENOMEM. */
int diff_tree_enter(struct diff_tree *tree, uint32_t parent, uint32_t name, uint32_t *ret_node);

/*
 * For each name, the sum of the paths that contain it. A path counts once, however often it
 * contains the name. `totals` has room for all names, and is zeroed. -ENOMEM.
 */
int diff_tree_totals(const struct diff_tree *tree, size_t names, struct diff_pair *totals);

/*
 * Lines of a comparison: before, after, change and noise, per second of recording. The noise of a
 * line is the larger difference between the two halves of a trace, or, if that is more, the
 * variation that so few samples have by chance. Lines whose change does not exceed their noise, or
 * is a small part of the whole, are counted and not shown. The others are sorted by how far the
 * change exceeds the noise, then by the change.
 */

struct diff_unit {
	uint64_t divisor, most; /* rates up to `most` are written in it */
	const char *name;
};

struct diff_scale {
	uint64_t recorded[DIFF_SIDES]; /* ns, not 0 */
	uint64_t whole;		       /* rate of everything, on the side where it is larger */
	const struct diff_unit *unit;
	const char *counted;	       /* "samples", "cycles"; NULL: time */
	unsigned int chance;	       /* standard deviations of counts that are still chance */
};

struct diff_row {
	struct diff_pair pair;
	uint32_t key[2]; /* for use by the table */
	uint64_t before, after, noise; /* rates; filled in later */
	const char *name; /* orders equal rows */
};

struct diff_rows {
	ARRAY(struct diff_row) items;
	size_t within; /* rows that changed no more than their noise */
	size_t small;  /* rows that changed by less than the least share of the whole */
};

void diff_rows_deinit(struct diff_rows *rows);
/* Ignores rows without weight on either side. -ENOMEM. */
int diff_rows_add(struct diff_rows *rows, const struct diff_row *row);
enum { DIFF_FIGURES_WIDTH = 4 * 11 + 2 }; /* columns before the text */

/* Writes the four figures; the text after them begins at column DIFF_FIGURES_WIDTH. */
void diff_row_write(const struct diff_row *row, const struct diff_scale *scale, FILE *out);

/* A source of two profiles, and the parts of the report about what changed in it. */

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

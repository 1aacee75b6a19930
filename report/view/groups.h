/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What --by keeps apart: the comm, process, thread, container, cgroup or host of a task, or the CPU
 * of an event. Groups are numbers in printing order. A new field of tasks is a row of the table.
 */
#ifndef RWALKER_REPORT_VIEW_GROUPS_H
#define RWALKER_REPORT_VIEW_GROUPS_H

#include <stddef.h>
#include <stdio.h>

#include "report/profile/profile.h"

struct group_field {
	const char *name;  /* of --by */
	const char *plural; /* "processes" */
	/* Tasks that compare equal are one group. NULL for the CPU, which a task does not have. */
	int (*compare)(const struct profile_task *left, const struct profile_task *right);
	void (*write)(const struct profile_task *task, FILE *out); /* "pid 12"; NULL for the CPU */
	bool has_host; /* equal values on two hosts are two groups */
	bool is_cgroup; /* traces may lack it, and hosts may have it elsewhere */
	bool is_comm;  /* the first word of folded lines anyway */
};

/* NULL: there is no such field. */
const struct group_field *group_field_find(const char *name);
/* "comm, process, ..." of all fields, for messages. */
extern const char group_field_names[];

struct groups {
	const struct group_field *field; /* NULL: everything is one group */
	const struct profile *profile;
	const struct profile_task *tasks;
	uint32_t *of_task, *example; /* by task; by group: one of its tasks */
	size_t count;
	bool several_hosts;
};

int groups_init(struct groups *groups, const struct profile *profile, const struct group_field *field);
void groups_deinit(struct groups *groups);

static inline uint32_t groups_find(const struct groups *groups, uint32_t task, uint16_t cpu)
{
	if (!groups->field)
		return 0;
	return groups->field->compare ? groups->of_task[task] : cpu;
}

/* Whether it is the group of CPUs that were not recorded. */
bool groups_is_unknown(const struct groups *groups, uint32_t group);

/* "comm dd", "pid 12", "pid 12 host 2", "CPU 3", "CPU not recorded". */
void groups_write(const struct groups *groups, uint32_t group, FILE *out);

/* The one group that a view shows. */
struct group_choice {
	const struct groups *groups;
	uint32_t group;
	const struct row *rows; /* of the source that is shown, in the profile's order */
	size_t row_count;
};

/* NULL: everything is wanted. */
static inline bool group_choice_has(const struct group_choice *choice, uint32_t task, uint16_t cpu)
{
	return !choice || groups_find(choice->groups, task, cpu) == choice->group;
}

/*
 * The rows of a source: weighted call chains with their tasks, sampled or walked. A walked task is
 * a row of weight 1 that also has a state.
 */

struct row {
	uint32_t node, task;
	uint16_t flags, cpu; /* enum profile_chain_flag; PROFILE_NO_CPU if not known or not asked for */
	uint64_t samples, weight;
	uint64_t run_queue, throttled; /* of waits: the parts of the weight on run queues, and taken by quotas */
	char state; /* 0: not walked */
};

struct rows {
	struct row *items; /* in the profile's order */
	size_t count;
};

/* The rows of one group; all if `only` is NULL. */
int rows_init(struct rows *rows, const struct profile *profile, uint32_t source, const struct group_choice *only);

/* The number of samples in all rows. */
uint64_t rows_samples(const struct rows *rows);
void rows_deinit(struct rows *rows);

/* Sums over rows: their samples, their weight, and how much of the weight was spent on run queues, or throttled. */

struct tally {
	uint64_t samples, weight;
	uint64_t run_queue, throttled; /* 0 unless these are waits */
};

static inline void tally_add(struct tally *sum, const struct tally *tally)
{
	sum->samples += tally->samples;
	sum->weight += tally->weight;
	sum->run_queue += tally->run_queue;
	sum->throttled += tally->throttled;
}

static inline void tally_add_row(struct tally *sum, const struct row *row)
{
	tally_add(sum, &(struct tally){row->samples, row->weight, row->run_queue, row->throttled});
}

#endif

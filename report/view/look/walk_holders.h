/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Which walked task holds up which: a task that sleeps for a lock, the holder of the lock at that
 * moment, what the holder sleeps for in turn. Tasks are rows of the profile's list. Holders that
 * were not walked have numbers above the rows. A task that held a lock for reading is no holder
 * here: there may be others, and it may have released it.
 */
#ifndef RWALKER_REPORT_VIEW_LOOK_WALK_HOLDERS_H
#define RWALKER_REPORT_VIEW_LOOK_WALK_HOLDERS_H

#include <stdbool.h>
#include <stddef.h>

#include "report/view/look/waits.h"

enum { WALK_NO_HOLDER = UINT32_MAX };

struct walk_holders {
	const struct profile_walk_task *rows;
	const struct profile_task *tasks;
	size_t row_count;
	uint32_t *order;  /* rows by walk and thread */
	uint32_t *holder; /* by row: a row, or a number above the rows, or WALK_NO_HOLDER */
	struct walk_outsider {
		uint32_t walk, task;
	} *outsiders; /* holders that were not walked */
	size_t outsider_count;
	uint32_t *held; /* by row or outsider: how many it holds up, directly and indirectly; in a circle, each other */
};

/* 0, -ENOMEM. Deinitialize it in any case. */
int walk_holders_init(struct walk_holders *holders, const struct profile *profile);
void walk_holders_deinit(struct walk_holders *holders);

/* `number` is a row, or a holder that was not walked. */
uint32_t walk_holders_walk(const struct walk_holders *holders, uint32_t number);
uint32_t walk_holders_task(const struct walk_holders *holders, uint32_t number);
/* The row; NULL if it was not walked. */
const struct profile_walk_task *walk_holders_row(const struct walk_holders *holders, uint32_t number);

/* Whether somebody holds it up. */
static inline bool walk_is_held(const struct walk_holders *holders, uint32_t number)
{
	return number < holders->row_count && holders->holder[number] != WALK_NO_HOLDER;
}

#endif

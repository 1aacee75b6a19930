/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Waits as text: lengths with unit and bound, times on both clocks, tasks, states, wakers.
 *
 * Times are rounded up to the microsecond: at the printed time, the event had already happened. So
 * --at with the printed start of a wait finds the wait.
 */
#ifndef RWALKER_REPORT_VIEW_WAIT_TEXT_H
#define RWALKER_REPORT_VIEW_WAIT_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "report/profile/figures.h"
#include "report/view/waits.h"

struct figure wait_figure(uint64_t ns); /* "850 ns", "12.345 us", "503.123 ms", "2.503 s": rounded half up */

/* "    12345.678": ms, to the us, in a column. */
void wait_write_ms(FILE *out, uint64_t ns);

/* "≥2.503 s"; '~' if neither end is known. */
void wait_write_length(FILE *out, uint64_t ns, enum wait_bound bound);

/* "+2.503123 s", "-0.100000 s" */
struct figure wait_offset(const struct waits *waits, uint32_t recording, uint64_t time);
/* With date; "wall clock unknown". */
struct figure wait_wall_clock(const struct waits *waits, uint32_t recording, uint64_t time);

/* "2026-11-21 12:00:03.250123 UTC, +2.503123 s", and the recording if there are several. */
void wait_write_moment(FILE *out, const struct waits *waits, uint32_t recording, uint64_t time);
/* " (recording 2, host 1)", or nothing if there is only one. */
void wait_write_recording(FILE *out, const struct waits *waits, uint32_t recording);

/* " or before", " or after", to follow the time of its start; nothing if that is exact. */
void wait_write_out_bound(FILE *out, const struct profile_wait *wait);

void wait_write_task(FILE *out, const struct profile_task *task); /* "dd tid 8 pid 7" */
void wait_write_state(FILE *out, const struct profile_wait *wait); /* "D iowait, blocked" */
const char *wait_class_name(unsigned int wait_class);

/*
 * "woken at +3.006123 s by kworker/0:1 tid 12 pid 12, ran from +3.006136 s on", as far as known; or
 * that it had not ended. An interrupted task is described as such, not as the cause.
 */
void wait_write_end(FILE *out, const struct waits *waits, const struct profile_wait *wait);

/*
 * Which walked task holds up which: a task that sleeps for a lock, the holder of the lock at that
 * moment, what the holder sleeps for in turn. Tasks are rows of the profile's list. Holders that
 * were not walked have numbers above the rows. A task that held a lock for reading is no holder
 * here: there may be others, and it may have released it.
 */

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

/* Whether somebody holds it up. */
static inline bool walk_is_held(const struct walk_holders *holders, uint32_t number)
{
	return number < holders->row_count && holders->holder[number] != WALK_NO_HOLDER;
}

/* Walked tasks as text, and who holds them up. */

/*
 * "mv tid 31630 pid 31630, D for 5.230 s, in rename on rwsem #3", "dd tid 7 pid 7, running on CPU
 * 1"; only the name of a task that was not walked. Does not say who holds it up.
 */
void walk_write_task(FILE *out, const struct waits *waits, const struct walk_holders *holders, uint32_t number);

/* A line for each task that holds it up: "    [held by mv tid 31630 pid 31630, S for 5.230 s, sleep 60.0 s]". */
void walk_write_holders(FILE *out, const struct waits *waits, const struct walk_holders *holders, uint32_t row);

#endif

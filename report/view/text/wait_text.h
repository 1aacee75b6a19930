/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Waits as text: lengths with unit and bound, times on both clocks, tasks, states, wakers.
 *
 * Times are rounded up to the microsecond: at the printed time, the event had already happened. So
 * --at with the printed start of a wait finds the wait.
 */
#ifndef RWALKER_REPORT_VIEW_TEXT_WAIT_TEXT_H
#define RWALKER_REPORT_VIEW_TEXT_WAIT_TEXT_H

#include <stdio.h>

#include "report/profile/seam/figures.h"
#include "report/view/look/waits.h"

struct figure wait_figure(uint64_t ns); /* "850 ns", "12.345 us", "503.123 ms", "2.503 s": rounded half up */

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

#endif

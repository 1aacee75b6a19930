/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Whether those whom the command line names are there now, so that a mistyped number or name is
 * reported at once, and not by an empty trace. Threads may come and go at any time, so this only
 * ever looks.
 */
#ifndef RWALKER_RECORD_MACHINE_PRESENT_H
#define RWALKER_RECORD_MACHINE_PRESENT_H

#include <stdbool.h>
#include <stdint.h>

#include "record/plan/comm_regex.h"
#include "record/plan/record_options.h"

/* 0 if any of the processes and threads is there; -ESRCH if none is. Reports those that are not. */
int present_check_ids(const struct record_who *who);

/* Elsewhere -p means a process: warns if a long time is also the number of one. */
void present_check_time(int64_t time);

/*
 * Reports if no thread has such a name: as an error (-ESRCH) if the recording is one look at what
 * is there, else as a warning (0).
 */
int present_check_comm(const struct record_who *who, const struct comm_regex *regex, bool one_look);

#endif

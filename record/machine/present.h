/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Whether the processes and threads that the command line names exist now, so that a mistyped
 * number or name is reported at once, and not by an empty trace. Threads may come and go at any
 * time, so this only looks.
 */
#ifndef RWALKER_RECORD_MACHINE_PRESENT_H
#define RWALKER_RECORD_MACHINE_PRESENT_H

#include <stdbool.h>
#include <stdint.h>

#include "record/plan/comm_pattern.h"
#include "record/plan/record_options.h"

/* 0 if any of the processes and threads exists; -ESRCH if none does. Reports those that do not. */
int present_check_ids(const struct record_who *who);

/* In other tools, -p takes a process: warns if a long time is also the number of one. */
void present_check_time(int64_t time);

/*
 * Reports if no thread has such a name: as an error (-ESRCH) if the recording is a single look at
 * what exists, else as a warning (0).
 */
int present_check_comm(const struct record_who *who, const regex_t *regex, bool one_look);

#endif

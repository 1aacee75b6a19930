/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Runs the commands of --trigger exec: and --on-dump for the recorder, which may execute nothing
 * once it records: a process that was forked before, became the calling user, and has no
 * capabilities. It keeps the intervals of the rules itself, and says which command ended with 0.
 */
#ifndef RWALKER_RECORD_FLIGHT_RUNNER_H
#define RWALKER_RECORD_FLIGHT_RUNNER_H

#include <stdbool.h>
#include <stdint.h>

#include "record/flight/forked.h"
#include "record/plan/flight_plan.h"

struct runner { /* zeroed: there is none */
	struct forked helper;
};

/* As root, before anything is open; does nothing if no rule needs it. 0, or -errno after reporting why. */
int runner_open(struct runner *runner, const struct record_flight *plan);
/* The commands of rules end; those of --on-dump go on. */
void runner_close(struct runner *runner);

/* A rule whose command ended with 0 since the last call; false: there is none. Never waits. */
bool runner_take(const struct runner *runner, uint32_t *ret_rule);

/* Runs the command of --on-dump, with the name in $RWALKER_DUMP. Also from a child of the recorder. */
void runner_tell(const struct runner *runner, const char *path);

#endif

/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Runs the commands of --trigger exec: and --on-dump for the recorder, which may execute nothing
 * once it records. A helper does this: it was forked before, became the calling user, and has no
 * capabilities. It times the rules' intervals itself, and reports which commands exited with 0.
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
/* Ends the commands of rules; those of --on-dump go on. */
void runner_close(struct runner *runner);

/* A rule whose command exited with 0 and was not returned yet; false if there is none. Never waits. */
bool runner_take(const struct runner *runner, uint32_t *ret_rule);

/* Runs the command of --on-dump, with the dump's path in $RWALKER_DUMP. A child of the recorder may call this, too. */
void runner_tell(const struct runner *runner, const char *path);

#endif

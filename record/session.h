/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* One recording from the first look at the host to the closed file: plan, open, run, stop. */
#ifndef RWALKER_RECORD_SESSION_H
#define RWALKER_RECORD_SESSION_H

#include "record/plan/record_options.h"

enum session_exit { /* rwalker-record.1, EXIT STATUS */
	SESSION_OK = 0,
	SESSION_FAILED = 1,
	SESSION_USAGE = 2,   /* an argument that could only be checked on the host: -c, -P, --cgroup, -o - */
	SESSION_LOST = 3,    /* events were lost */
	SESSION_STORAGE = 4, /* the file could not hold all of it; it is closed validly */
};

/* The exit code: one of the above, or the command's own if there is a command and the recording is sound. */
int session_run(const struct record_config *config);
/* --plan: prints what this recording would take. Returns the exit code with which it would fail at once. */
int session_print_plan(const struct record_config *config);

#endif

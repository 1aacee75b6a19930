/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * One recording from the first look at the host to the closed file: plan, open, run, stop.
 */
#ifndef RWALKER_RECORD_SESSION_H
#define RWALKER_RECORD_SESSION_H

#include "record/record_options.h"

enum session_exit { /* DESIGN.md §4 */
	SESSION_OK = 0,
	SESSION_FAILED = 1,
	SESSION_USAGE = 2,   /* an argument that only the host could judge: -c, -P, --cgroup, -o - */
	SESSION_LOST = 3,    /* events were lost */
	SESSION_STORAGE = 4, /* the file could not take it all; closed validly */
};

/* The exit code: one of the above, or the command's own where there is one and the recording is sound. */
int session_run(const struct record_config *config);

#endif

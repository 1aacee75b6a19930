/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What people who know perf, bcc, strace or the reporter type into the recorder: a table of what
 * to use here instead, and the message about a word that is not an option, such as a command
 * without "--".
 */
#ifndef RWALKER_RECORD_PLAN_RECORD_HABITS_H
#define RWALKER_RECORD_PLAN_RECORD_HABITS_H

#include "common/options/options.h"

extern const struct option_habit record_habits[];

/* For struct option_set. Returns -EINVAL, after it reported what to type instead of argv[at]. */
int record_habits_refuse(int argc, char **argv, int at);

#endif

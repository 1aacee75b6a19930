/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What users of perf, bcc, flame graph tools or the recorder may type: the table of what each of
 * these is called here, and the message for a trace that cannot be found.
 */
#ifndef RWALKER_REPORT_OPTIONS_REPORT_HABITS_H
#define RWALKER_REPORT_OPTIONS_REPORT_HABITS_H

#include <stdbool.h>

#include "common/options/options.h"

extern const struct option_habit report_habits[];

/*
 * A word that names no file: if it was meant as something else (a first word such as "report", or
 * the value of the preceding option, which needs "="), says so and returns true.
 */
bool report_habits_missing(int argc, char **argv, const char *word);

#endif

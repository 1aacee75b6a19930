/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Where a report goes: stdout, through a pager where that is a terminal. A report that could not be written
 * whole is a failure; one that its reader has seen enough of is not.
 */
#ifndef RWALKER_REPORT_REPORT_OUTPUT_H
#define RWALKER_REPORT_REPORT_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

#include "report/report_options.h"

struct report_output {
	FILE *stream;
	bool color;
	pid_t pager; /* 0: none */
};

/* Starts the pager: to be called before limits are set, which a pager should not inherit. */
void report_output_open(struct report_output *output, const struct report_options *options);

/* Writes out what is left and waits for the pager. 0, or -errno after it said why. */
int report_output_close(struct report_output *output);

#endif

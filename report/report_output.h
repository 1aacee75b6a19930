/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The output of a report: stdout, through a pager if that is a terminal. A report that could not be
 * written completely is a failure; one whose reader quit the pager or closed the pipe is not.
 */
#ifndef RWALKER_REPORT_REPORT_OUTPUT_H
#define RWALKER_REPORT_REPORT_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

#include "report/options/report_options.h"
#include "report/sandbox/user.h"

struct report_output {
	FILE *stream;
	bool color;
	unsigned int width; /* columns of the terminal, with or without a pager; 0: stdout is not a terminal */
	pid_t pager; /* 0: none */
	int error;   /* errno of the first write that failed, if it is known */
};

/* Starts the pager, as that user. Call it before limits are set: a pager should not inherit them. */
void report_output_open(struct report_output *output, const struct report_options *options,
			const struct user *user);

/* What was printed up to now is seen now. */
void report_output_flush(struct report_output *output);

/* For the process that writes: flushes the output. 0, or -errno after reporting why. */
int report_output_close(struct report_output *output);

/* For the process that started the pager: closes stdout and waits until the user quits the pager. */
void report_output_wait(const struct report_output *output);

#endif

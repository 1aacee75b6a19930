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

#include "report/report_options.h"
#include "report/sandbox/user.h"
#include "report/tool/trace_output.h"

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

/*
 * Where a view prints: the report's output or, for an export with -o, a file of its own, which gets
 * its name only when it is complete. Binary output is not printed on a terminal.
 */
struct report_file {
	FILE *stream;
	struct trace_output output; /* its fd is -1 if the stream is the report's */
};

/* `usual` is the report's stream. 0, or -errno after reporting why. */
int report_file_open(struct report_file *file, const struct report_options *options, const struct service *service,
		     FILE *usual);
/* Gives the file its name. 0, or -errno after reporting why. */
int report_file_keep(struct report_file *file);
/* Deletes the file unless it was kept. */
void report_file_close(struct report_file *file);

/*
 * For readers whose locale is not UTF-8: a stream that writes our own signs in ASCII (">=", not
 * "≥"). Other bytes that are not ASCII, such as the letters of a name, pass unchanged.
 */
/* Whether it is needed: looks at LC_ALL, else LC_CTYPE, else LANG. Does not ask the C library, whose locales may not be installed. */
bool ascii_stream_is_needed(void);

/* The stream writes to `out` and owns it: closing it closes `out`. NULL: not enough memory; `out` is unchanged. */
FILE *ascii_stream_open(FILE *out);

#endif

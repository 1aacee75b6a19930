/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Where a view prints: the report's output or, for an export with -o, a file of its own, which gets
 * its name only when it is complete. Binary output is not printed on a terminal.
 */
#ifndef RWALKER_REPORT_REPORT_FILE_H
#define RWALKER_REPORT_REPORT_FILE_H

#include <stdio.h>

#include "report/options/report_options.h"
#include "report/tool/trace_output.h"

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

#endif

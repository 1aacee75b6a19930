/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The trace that a tool writes to FILE of -o, which is not there yet, or to stdout. Nothing of it stays unless it is kept.
 */
#ifndef RWALKER_REPORT_TOOL_TRACE_OUTPUT_H
#define RWALKER_REPORT_TOOL_TRACE_OUTPUT_H

#include <stdbool.h>
#include <stdint.h>

struct progress;

struct trace_output {
	const char *path; /* as it was given */
	int fd;		  /* to be -1 before it is opened */
	bool is_stdout;	  /* it is copied there when all of it is written */
	bool is_nameless; /* fd is a file without a name so far */
};

/* 0, or -errno after it said why. */
int trace_output_open(const char *path, struct trace_output *output);
/* The first bytes of a file, from where the output is. -EIO: it has fewer; -ECANCELED: Ctrl-C; -errno. `progress` may be NULL. */
int trace_output_copy(const struct trace_output *output, struct progress *progress, int from, uint64_t length);
/* What was written becomes FILE. 0, or -errno after it said why. */
int trace_output_keep(struct trace_output *output);
/* Where it was not kept, nothing of it stays. */
void trace_output_close(struct trace_output *output);

/* For messages. */
const char *trace_output_name(const struct trace_output *output);

#endif

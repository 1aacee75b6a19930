/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The file that a tool or an export writes to FILE of -o, which must not exist yet unless --force
 * is given, or to stdout. It gets its name only when it is complete, and is deleted unless it is
 * kept. A process that cannot open files gets the descriptor from a service, which has the path, and
 * renames or deletes the file, below.
 */
#ifndef RWALKER_REPORT_TOOL_TRACE_OUTPUT_H
#define RWALKER_REPORT_TOOL_TRACE_OUTPUT_H

#include <stdbool.h>
#include <stdint.h>

#include "report/sandbox/service.h"

struct progress;

struct trace_output {
	const char *path; /* as given */
	int fd;		  /* must be -1 before the file is opened */
	bool is_stdout;	  /* the file is copied there when it is complete */
	bool is_nameless; /* fd is still an unnamed file */
	bool force;	  /* replaces a regular file of that name when it is kept; set by the caller */
	char *part;	  /* with force: its name until it is kept */
	const struct service *service; /* NULL: this process opens the file itself */
};

/* A request to the service: one byte. */
enum trace_output_request { TRACE_OUTPUT_OPEN = 1, TRACE_OUTPUT_KEEP, TRACE_OUTPUT_DISCARD };

/* Opens the output through the service, or directly if that is NULL. 0, or -errno after reporting why. */
int trace_output_open(const char *path, const struct service *service, struct trace_output *output);
/*
 * Copies the first bytes of a file to the output's position. -EIO: the file is shorter; -ECANCELED:
 * Ctrl-C; -errno. `progress` may be NULL.
 */
int trace_output_copy(const struct trace_output *output, struct progress *progress, int from,
		      uint64_t length);
/* Gives the output its name FILE. 0, or -errno after reporting why. */
int trace_output_keep(struct trace_output *output);
/* Deletes the output unless it was kept. */
void trace_output_close(struct trace_output *output);

/* For messages. */
const char *trace_output_name(const struct trace_output *output);

/*
 * The parent's side: a service that opens a tool's output file. The path comes from the user, not from
 * the tool, and there is only one file. A file that was opened but not kept is deleted.
 */
struct output_service {
	const char *path; /* NULL: no file may be written */
	struct trace_output output;
	bool used;
};

/* `force`: the path may be an existing file, which is replaced when the new one is complete. */
void output_service_init(struct output_service *service, const char *path, bool force);
void output_service_deinit(struct output_service *service);
struct service output_service_of(struct output_service *service);

#endif

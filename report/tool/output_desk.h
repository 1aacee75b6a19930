/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The desk behind which a tool's output file is: the keeper's side of trace_output.h. The path is the user's, not the
 * tool's, and there is one file. What was opened and not kept is deleted.
 */
#ifndef RWALKER_REPORT_TOOL_OUTPUT_DESK_H
#define RWALKER_REPORT_TOOL_OUTPUT_DESK_H

#include "report/sandbox/desk.h"
#include "report/tool/trace_output.h"

struct output_desk {
	const char *path; /* NULL: no file may be written */
	struct trace_output output;
	bool used;
};

/* `force`: the path may be a file, which is replaced when the new one is complete. */
void output_desk_init(struct output_desk *desk, const char *path, bool force);
void output_desk_deinit(struct output_desk *desk);
struct desk output_desk_of(struct output_desk *desk);

#endif

/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The keeper's side of trace_output.h: a desk that opens a tool's output file. The path comes from
 * the user, not from the tool, and there is only one file. A file that was opened but not kept is
 * deleted.
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

/* `force`: the path may be an existing file, which is replaced when the new one is complete. */
void output_desk_init(struct output_desk *desk, const char *path, bool force);
void output_desk_deinit(struct output_desk *desk);
struct desk output_desk_of(struct output_desk *desk);

#endif

/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What the worker does (report/sandbox/worker.h): reads the traces and prints the report, or runs
 * the tool.
 */
#ifndef RWALKER_REPORT_WORK_H
#define RWALKER_REPORT_WORK_H

#include "report/report_output.h"

/* The desks of the keeper, by number. */
enum work_desk { WORK_CACHE, WORK_OUTPUT, WORK_INTERRUPTS, WORK_DESKS };

enum exit_code { EXIT_OK = 0, EXIT_FAILED = 1, EXIT_USAGE = 2, EXIT_DAMAGED = 3 };


struct work_lines { /* connections to other processes */
	int keeper, servers; /* servers: to debug_server_desk(); -1: no servers are asked */
	struct opener *opener;
};

/* The traces are already open, and still belong to the caller. */
enum exit_code work(const struct report_options *options, struct report_output *output, struct trace_inputs *inputs,
		    const struct work_lines *lines);

#endif

/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What the worker does (report/sandbox/worker.h): reads the traces and prints the report, or runs
 * the tool.
 */
#ifndef RWALKER_REPORT_WORK_H
#define RWALKER_REPORT_WORK_H

#include "report/report_output.h"

/* The services of the parent, by number. */
enum work_service { WORK_CACHE, WORK_OUTPUT, WORK_INTERRUPTS, WORK_OPENER, WORK_SERVICES };

enum exit_code { EXIT_OK = 0, EXIT_FAILED = 1, EXIT_USAGE = 2, EXIT_DAMAGED = 3 };


struct work_lines { /* connections to other processes */
	const int *parent; /* WORKER_LINES */
	int servers;	   /* to debug_server_service(); -1: no servers are asked */
};

/* The traces are already open, and still belong to the caller. */
enum exit_code work(const struct report_options *options, struct report_output *output, struct trace_inputs *inputs,
		    const struct work_lines *lines);

#endif

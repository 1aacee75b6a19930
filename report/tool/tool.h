/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Tools work on the trace itself: what it contains, what it lacks, its raw records. Each is one
 * function and one row of the table.
 */
#ifndef RWALKER_REPORT_TOOL_TOOL_H
#define RWALKER_REPORT_TOOL_TOOL_H

#include <regex.h>
#include <stdbool.h>
#include <stdio.h>

#include "report/profile/seam/profile.h"

enum tool_kind {
	TOOL_INFO,
	TOOL_NEEDS,
	TOOL_DUMP,
	TOOL_CONDENSE,
	TOOL_SCRUB,
	TOOL_RESOLVE_LINES,
	TOOL_KINDS
};

struct tool_request {
	const char *const *paths;
	size_t path_count;
	const struct profile_filter *filter;
	const struct profile_names *names;
	bool verbose; /* -v */
	const char *output; /* -o; NULL: not given */
	bool partial;	    /* --partial */
	bool scrub;	    /* --scrub: condense, and replace names */
	const regex_t *keep; /* --keep; NULL: not given */
	FILE *out;
};

struct tool {
	const char *name; /* of the option */
	/* 0, or -errno after reporting why. Sets *ret_damaged if a trace is damaged or lost events (exit code 3). */
	int (*run)(const struct tool_request *request, bool *ret_damaged);
	bool writes;	    /* writes a trace to -o */
};

extern const struct tool tools[TOOL_KINDS];

int tool_info(const struct tool_request *request, bool *ret_damaged);
int tool_needs(const struct tool_request *request, bool *ret_damaged);
int tool_dump(const struct tool_request *request, bool *ret_damaged);
int tool_condense(const struct tool_request *request, bool *ret_damaged);
int tool_resolve_lines(const struct tool_request *request, bool *ret_damaged);

#endif

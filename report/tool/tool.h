/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Tools work on the trace itself: what it contains, what it lacks, its raw records. Each is one file with its object,
 * which has its option as well, and a row of the list below.
 */
#ifndef RWALKER_REPORT_TOOL_TOOL_H
#define RWALKER_REPORT_TOOL_TOOL_H

#include <regex.h>
#include <stdbool.h>
#include <stdio.h>

#include "common/options/options.h"
#include "report/profile/profile.h"

struct tool_request {
	const char *const *paths;
	size_t path_count;
	const struct profile_filter *filter;
	const struct profile_names *names;
	bool verbose; /* -v */
	const char *output; /* -o; NULL: not given */
	bool partial;	    /* --partial */
	const regex_t *keep; /* --keep; NULL: not given */
	FILE *out;
};

struct tool {
	struct option_row option;
	/* 0, or -errno after reporting why. Sets *ret_damaged if a trace is damaged or lost events (exit code 3). */
	int (*run)(const struct tool_request *request, bool *ret_damaged);
	bool writes;	 /* writes a trace to -o */
	bool for_people; /* prints text that nobody parses */
};

#define TOOL_OPTION(name, ...) .option = {"The trace itself", name, .kind = OPTION_CHOICE, __VA_ARGS__}

/* In the order of --help. */
#define TOOLS(X) X(info) X(needs) X(dump) X(condense) X(scrub) X(resolve_lines)

#define TOOL_DECLARE(name) extern const struct tool name##_tool;
TOOLS(TOOL_DECLARE)

static inline const char *tool_name(const struct tool *tool)
{
	return tool->option.long_name;
}

#endif

/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The reporter's command line as a plain struct, and the one table that fills it. After report_options_parse()
 * the struct is consistent: at most one view or tool was asked for, and there is at least one trace unless --help,
 * --version or --completion was given. It points into itself and into argv: it is not copied.
 */
#ifndef RWALKER_REPORT_REPORT_OPTIONS_H
#define RWALKER_REPORT_REPORT_OPTIONS_H

#include "common/options.h"
#include "report/profile.h"
#include "report/tool/tool.h"
#include "report/view/view.h"

enum {
	REPORT_MAX_IDS = 1024,
	REPORT_MAX_CPUS = 8192,
	REPORT_FILTER_TEXT = 1024,
	REPORT_CACHE_PATH = 4096,
};

enum report_color { REPORT_COLOR_AUTO, REPORT_COLOR_ALWAYS, REPORT_COLOR_NEVER };

struct report_options {
	bool help, version, completion;
	const struct view *view; /* NULL: what fits */
	const struct tool *tool; /* NULL: a view */
	struct option_list paths;
	struct profile_filter filter;
	struct profile_moment from, to; /* of --time; where both are offsets the filter has them too */
	struct profile_names names;
	struct view_settings settings;
	enum report_color color;
	bool no_pager;
	const char *output;   /* where a tool writes a trace; NULL: not given */
	const char *cache;    /* the file; NULL: none */
	bool cache_is_default;
	bool partial;	      /* of --condense */
	uint64_t max_memory;  /* bytes, 0: no limit */
	int64_t max_seconds;  /* of CPU time, 0: no limit */

	/* What the above points at, and what the parser fills first. */
	bool view_wanted[VIEW_KINDS], tool_wanted[TOOL_KINDS];
	regex_t comm, chain_comm;
	uint32_t pids[REPORT_MAX_IDS], tids[REPORT_MAX_IDS];
	uint64_t cpus[REPORT_MAX_CPUS / 64];
	struct option_list debug_dir_list;
	const char *debug_dirs[OPTION_LIST_MAX + 1];
	int64_t max_groups;
	struct option_list probe_list;
	bool top_waits_given, raw, no_cache;
	char default_cache[REPORT_CACHE_PATH];
	char filter_text[REPORT_FILTER_TEXT];
};

/* 0, -EINVAL where the command line is wrong (already said; exit 2). */
int report_options_parse(struct report_options *options, int argc, char **argv);
void report_options_deinit(struct report_options *options);

void report_options_help(void);
void report_options_completion(void);

#endif

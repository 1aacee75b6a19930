/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The reporter's command line as a plain struct, and the one table that fills it. After
 * report_options_parse() the struct is consistent: at most one view or tool was requested, and
 * there is at least one trace unless --help, --version or --completion was given. It points into
 * itself and into argv: do not copy it.
 */
#ifndef RWALKER_REPORT_REPORT_OPTIONS_H
#define RWALKER_REPORT_REPORT_OPTIONS_H

#include <stdbool.h>

#include "common/options/options.h"
#include "report/opener/opener.h"
#include "report/profile/profile.h"
#include "report/tool/tool.h"
#include "report/view/view.h"
#include "report/wait/waits_on.h"

enum {
	REPORT_MAX_IDS = 1024,
	REPORT_MAX_CPUS = 8192,
	REPORT_FILTER_TEXT = 1024,
};

enum report_color { REPORT_COLOR_AUTO, REPORT_COLOR_ALWAYS, REPORT_COLOR_NEVER };

struct report_options {
	bool version;
	const char *completion; /* "", or a shell; NULL: not requested */
	const char *help; /* "", "all"; NULL: not requested */
	const struct view *view; /* NULL: the best fit */
	const struct tool *tool; /* NULL: a view */
	struct option_list paths, bases; /* bases: of --base */
	struct profile_filter filter;
	struct profile_moment from, to; /* from --time; if both are offsets the filter has them too */
	struct profile_names names;
	struct opener_settings opener; /* what may be opened */
	struct view_settings settings;
	enum report_color color;
	bool no_pager;
	bool throughout; /* --throughout: nothing is set apart */
	const char *output;   /* of a tool that writes a trace, or of an export; NULL: not given */
	bool force;	      /* the output may already exist */
	const char *cache;    /* the file; NULL: not given */
	bool no_cache;
	bool no_sandbox;
	bool partial;	      /* of --condense and --scrub */
	const regex_t *kept;   /* of --scrub: --keep; NULL: not given */
	uint64_t max_memory;  /* bytes, 0: no limit, UINT64_MAX: not given */
	int64_t max_seconds;  /* of CPU time, 0: no limit */

	/* What the above points to, and what the parser fills first. */
	regex_t comm, keep;
	struct object_pattern on;
	uint32_t pids[REPORT_MAX_IDS], tids[REPORT_MAX_IDS];
	uint64_t cpus[REPORT_MAX_CPUS / 64];
	struct option_list debug_dir_list;
	const char *debug_dirs[OPTION_LIST_MAX + 1];
	const char *named_files[2 * OPTION_LIST_MAX + 3], *named_folders[OPTION_LIST_MAX + 2];
	int64_t max_groups;
	struct option_list probe_list;
	char filter_text[REPORT_FILTER_TEXT];
};

/* 0, -EINVAL if the command line is wrong (already reported; exit 2). */
int report_options_parse(struct report_options *options, int argc, char **argv);
void report_options_deinit(struct report_options *options);

/*
 * Parses the values of the options that choose which part of a trace is reported. Each function is
 * called by an option's row, fills the struct report_options that it is passed, and adds itself to
 * the text of the filters that headings show. 0, or -EINVAL after reporting why.
 */
int report_filter_comm(void *config, const char *value);
int report_filter_container(void *config, const char *value);
int report_filter_cgroup(void *config, const char *value);
int report_filter_on(void *config, const char *value);
int report_filter_pids(void *config, const char *value);
int report_filter_tids(void *config, const char *value);
int report_filter_cpus(void *config, const char *value);
int report_filter_states(void *config, const char *value);
int report_filter_classes(void *config, const char *value);
int report_filter_least_wait(void *config, const char *value);
int report_filter_most_wait(void *config, const char *value);
int report_filter_waiting(void *config, const char *value);
int report_filter_time(void *config, const char *value);
int report_filter_source(void *config, const char *value);
int report_filter_probe(void *config, const char *value);

/* Adds an option as it was given; value may be NULL. */
void report_filter_note(struct report_options *options, const char *option, const char *value);

/*
 * A word that names no file: if it was meant as something else (a first word such as "report", or
 * the value of the preceding option, which needs "="), says so and returns true.
 */
bool report_habits_missing(int argc, char **argv, const char *word);

/*
 * The one table of the reporter's options, for parsing, --help and completion, and the functions
 * that parse what is more than a flag, a number or a text. Fills a struct report_options.
 */
extern const struct option_set report_option_set;

#endif

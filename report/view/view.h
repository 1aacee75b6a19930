/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * A view turns a profile into text. It sees nothing but the profile, what the user asked for, and the stream.
 * Text that came from a trace is printed through common/printable.h only; order is total (weight, then
 * name, then number), so that the same trace gives the same bytes.
 */
#ifndef RWALKER_REPORT_VIEW_VIEW_H
#define RWALKER_REPORT_VIEW_VIEW_H

#include <regex.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "report/profile.h"

enum view_kind {
	VIEW_TREE,
	VIEW_TASKS,
	VIEW_HISTOGRAM,
	VIEW_STACKS,
	VIEW_FOLDED,
	VIEW_WAKERS,
	VIEW_FOLDED_WAKERS, /* --folded and --wakers */
	VIEW_CHAINS,
	VIEW_TOP_WAITS,
	VIEW_TOP_WAITS_RAW, /* the same as lines for machines */
	VIEW_AT,
	VIEW_SUMMARY,
	VIEW_EVENTS,
	VIEW_PERF_SCRIPT,
	VIEW_KINDS
};

struct view_settings {
	bool addresses, offsets; /* -v, -s */
	bool timestamps;	 /* -T */
	uint64_t interval;	 /* -i, ns; 0: one for all */
	bool per_process, delimited, user_only, kernel_only, color;
	uint64_t min_share;	 /* millionths of a source's weight: what is below is counted, not shown */
	uint64_t max_groups;	 /* 0: all */
	uint64_t top_waits;	 /* stacks of --top-waits; 0: all */
	struct profile_moment at; /* of --at, and how far around it */
	uint64_t at_around;
	const char *chain_target; /* of --chains, as given; NULL: the longest waits */
	const regex_t *chain_comm; /* NULL: chain_tid is meant */
	uint32_t chain_tid;
	bool some_waits; /* filters may leave out some waits of a task and not others */
	const char *filters;	 /* as given, "" where there are none; printable already */
};

struct view_context {
	struct profile *profile;
	const struct view_settings *settings;
	FILE *out;
};

/* One source's section, below its heading. 0, -errno; a failing stream shows in ferror(). */
typedef int view_section(const struct view_context *context, uint32_t number, const struct profile_source *source);

struct view {
	const char *name; /* of the option */
	view_section *print;
	uint32_t kinds;	  /* bits of enum profile_source_kind: the sources it can show */
	bool bare;	  /* for machines: no headings, the account on stderr, one source at a time */
	bool merged;	  /* all sources together: `print` is called once, with none of them */
};

extern const struct view views[VIEW_KINDS];

/* All sources, or what fits each source best where `view` is NULL: the tasks that were walked, else the tree. */
int views_print(const struct view_context *context, const struct view *view);

int tree_section(const struct view_context *context, uint32_t number, const struct profile_source *source);
int tasks_section(const struct view_context *context, uint32_t number, const struct profile_source *source);
int histogram_section(const struct view_context *context, uint32_t number, const struct profile_source *source);
int stacks_section(const struct view_context *context, uint32_t number, const struct profile_source *source);
int folded_section(const struct view_context *context, uint32_t number, const struct profile_source *source);
int wakers_section(const struct view_context *context, uint32_t number, const struct profile_source *source);
int folded_wakers_section(const struct view_context *context, uint32_t number, const struct profile_source *source);
int chains_section(const struct view_context *context, uint32_t number, const struct profile_source *source);
int top_waits_section(const struct view_context *context, uint32_t number, const struct profile_source *source);
int top_waits_raw_section(const struct view_context *context, uint32_t number, const struct profile_source *source);
int summary_section(const struct view_context *context, uint32_t number, const struct profile_source *source);
int events_section(const struct view_context *context, uint32_t number, const struct profile_source *source);
int perf_script_section(const struct view_context *context, uint32_t number, const struct profile_source *source);
int at_section(const struct view_context *context, uint32_t number, const struct profile_source *source);

#endif

/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * A view turns a profile into text. It sees only the profile, the user's request, and the stream.
 * Text from a trace is printed through common/printable.h only; order is total (weight, then name,
 * then number), so that the same trace gives the same bytes.
 */
#ifndef RWALKER_REPORT_VIEW_TEXT_VIEW_H
#define RWALKER_REPORT_VIEW_TEXT_VIEW_H

#include <regex.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "report/profile/seam/profile.h"
#include "report/view/look/groups.h"

enum view_kind {
	VIEW_TREE,
	VIEW_TOP_DOWN,
	VIEW_FUNCTIONS,
	VIEW_TASKS,
	VIEW_HISTOGRAM,
	VIEW_STACKS,
	VIEW_FOLDED,
	VIEW_WAKERS,
	VIEW_FOLDED_WAKERS, /* --folded and --wakers */
	VIEW_CHAINS,
	VIEW_TOP_WAITS,
	VIEW_AT,
	VIEW_AT_WALK, /* --at where there are walks and no waits */
	VIEW_WAITS_ON,
	VIEW_SUMMARY,
	VIEW_EVENTS,
	VIEW_PERF_SCRIPT,
	VIEW_SPEEDSCOPE, VIEW_CHROME, VIEW_FIREFOX,
	VIEW_PPROF, VIEW_SQLITE,
	VIEW_DIGEST,
	VIEW_HTML,
	VIEW_DIFF,
	VIEW_SVG,
	VIEW_KINDS
};

enum view_order { VIEW_BY_SELF, VIEW_BY_TOTAL, VIEW_BY_COUNT, VIEW_BY_NAME, VIEW_BY_MODULE, VIEW_ORDERS };

struct view_settings {
	bool addresses, offsets; /* -v, -s */
	bool timestamps;	 /* -T */
	uint64_t interval;	 /* -i, ns; 0: a single slice */
	bool per_process, delimited, user_only, kernel_only, color;
	uint64_t min_share;	 /* millionths of a source's weight: smaller items are counted, not shown */
	uint64_t max_groups;	 /* 0: all */
	const struct group_field *by; /* NULL: nothing is kept apart */
	enum view_order function_order; /* of --functions */
	uint64_t top_waits;	 /* stacks of --top-waits; 0: all */
	struct profile_moment at; /* of --at; next is the distance around it */
	uint64_t at_around;
	uint64_t max_page; /* bytes of a page of --html; 0: any */
	uint32_t waits_on;	 /* enum profile_object_kind; 0: all */
	const char *chain_target; /* of --chains, as given; NULL: the longest waits */
	const regex_t *chain_comm; /* NULL: chain_tid counts */
	uint32_t chain_tid;
	bool icicle;		 /* of --svg: callers above; else a flame graph, callers below */
	bool some_waits; /* filters may leave out some waits of a task but not others */
	bool names_tasks; /* filters name comms, processes or threads */
	unsigned int width;	 /* columns of the terminal; 0: no terminal, lines are not folded */
	const char *filters;	 /* as given, "" if there are none; already printable */
};

struct view_context {
	struct profile *profile;
	struct profile *base; /* the profile it is compared with, read with the same filters; NULL if none */
	const struct view_settings *settings;
	FILE *out;
	const struct group_choice *only; /* NULL: all groups */
};

/* Prints one source, below its heading. 0, -errno; check the stream with ferror(). */
typedef int view_print(const struct view_context *context, uint32_t number, const struct profile_source *source);

struct view {
	const char *name; /* of its option */
	view_print *print;
	uint32_t kinds;	  /* bit mask of enum profile_source_kind: the sources it can show */
	uint32_t beside;  /* likewise: sources whose stacks it shows along with those */
	bool bare;	  /* machine-readable: no headings, the account on stderr, one source at a time */
	bool by;	  /* --by can divide it: under separate headings, or in the lines if it is bare */
	bool merged;	  /* all sources together: `print` is called once, without a source */
	bool whole;	  /* merged, and prints everything itself: no headings, no notes */
	bool stackless;	  /* shows no stacks, and nothing that comes from them */
	bool exports;	  /* made for a program or a browser: -o gives it a file of its own */
	bool binary;	  /* not fit for a terminal */
	bool needs_file;  /* cannot write to a stream: -o is required and must not be a pipe */
	bool each_event;  /* needs profile_filter.each_event */
	bool waits_apart; /* needs no events of waits */
	bool each_address; /* needs profile_filter.each_address */
	bool each_recording; /* needs profile_filter.each_recording */
	bool everyone;	  /* needs profile_filter.everyone */
	bool each_half;	  /* needs profile_filter.each_half */
	bool may_compare, must_compare; /* can show differences from --base; can show nothing else */
};

extern const struct view views[VIEW_KINDS];

/*
 * Prints all sources. If `view` is NULL, prints the digest and then the default view of each
 * source: the tasks if they were walked, else the tree.
 */
int views_print(const struct view_context *context, const struct view *view);

int tree_view(const struct view_context *context, uint32_t number, const struct profile_source *source);
int top_down_view(const struct view_context *context, uint32_t number, const struct profile_source *source);
int functions_view(const struct view_context *context, uint32_t number, const struct profile_source *source);
int tasks_view(const struct view_context *context, uint32_t number, const struct profile_source *source);
int histogram_view(const struct view_context *context, uint32_t number, const struct profile_source *source);
int stacks_view(const struct view_context *context, uint32_t number, const struct profile_source *source);
int folded_view(const struct view_context *context, uint32_t number, const struct profile_source *source);
int wakers_view(const struct view_context *context, uint32_t number, const struct profile_source *source);
int folded_wakers_view(const struct view_context *context, uint32_t number, const struct profile_source *source);
int chains_view(const struct view_context *context, uint32_t number, const struct profile_source *source);
int top_waits_view(const struct view_context *context, uint32_t number, const struct profile_source *source);
int summary_view(const struct view_context *context, uint32_t number, const struct profile_source *source);
int events_view(const struct view_context *context, uint32_t number, const struct profile_source *source);
int perf_script_view(const struct view_context *context, uint32_t number, const struct profile_source *source);
/* These show all sources and ignore their other arguments. */
view_print chrome_view, firefox_view, speedscope_view, pprof_view, sqlite_view;
int digest_view(const struct view_context *context, uint32_t number, const struct profile_source *source);
int html_view(const struct view_context *context, uint32_t number, const struct profile_source *source);
int svg_view(const struct view_context *context, uint32_t number, const struct profile_source *source);
int diff_view(const struct view_context *context, uint32_t number, const struct profile_source *source);
int waits_on_view(const struct view_context *context, uint32_t number, const struct profile_source *source);
int tasks_at_view(const struct view_context *context, uint32_t number, const struct profile_source *source);
int at_view(const struct view_context *context, uint32_t number, const struct profile_source *source);

#endif

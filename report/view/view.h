/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * A view turns a profile into text: one file with its object, which has its option as well, and a row of the list
 * below. It sees only the profile, the user's request, and the stream.
 * Text from a trace is printed through common/printable.h only; order is total (weight, then name,
 * then number), so that the same trace gives the same bytes.
 */
#ifndef RWALKER_REPORT_VIEW_VIEW_H
#define RWALKER_REPORT_VIEW_VIEW_H

#include <regex.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "common/options/options.h"
#include "report/profile/profile.h"
#include "report/view/groups.h"

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
	uint32_t waits_on;	 /* enum object_kind; 0: all */
	const char *chain_target; /* of --chains, as given; NULL: the longest waits */
	regex_t *chain_comm; /* allocated; NULL: chain_tid counts */
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
	struct option_row option; /* an export has only a name: "export FORM" */
	view_print *print; /* of each source that it can show; or */
	int (*print_all)(const struct view_context *context); /* of all sources together */
	/* Of an option with an argument, NULL if it was left out: 0, or -EINVAL after reporting why. */
	int (*parse)(struct view_settings *settings, const char *value);
	uint32_t kinds;	  /* bit mask of enum profile_source_kind: the sources it can show */
	uint32_t beside;  /* likewise: sources whose stacks it shows along with those */
	uint32_t needs;	  /* bits of enum profile_needs */
	bool bare;	  /* machine-readable: no headings, the account on stderr, one source at a time */
	bool by;	  /* --by can divide it: under separate headings, or in the lines if it is bare */
	bool slices;	  /* -i can divide it */
	bool whole;	  /* print_all prints everything: no headings, no notes */
	bool stackless;	  /* shows no stacks, and nothing that comes from them */
	bool exports;	  /* made for a program or a browser: -o gives it a file of its own */
	bool binary;	  /* not fit for a terminal */
	bool needs_file;  /* cannot write to a stream: -o is required and must not be a pipe */
	bool may_compare, must_compare; /* can show differences from --base; can show nothing else */
};

enum {
	VIEW_ANY_KIND = PROFILE_ALL_KINDS,
	VIEW_WALKED = 1 << PROFILE_TASKS,
	VIEW_WAITED = 1 << PROFILE_OFFCPU,
	VIEW_WOKEN = 1 << PROFILE_WAKERS,
	VIEW_EVENTS = VIEW_ANY_KIND & ~VIEW_WALKED,
};

#define VIEW_OPTION(name, ...) .option = {"Views", name, .kind = OPTION_CHOICE, __VA_ARGS__}
#define VIEW_ARGUMENT(name, value, ...) VIEW_OPTION(name, .value_name = (value), __VA_ARGS__)
#define VIEW_NAME(name) .option = {.long_name = (name)}

/* All views, in the order of --help; then those without an option of their own. */
#define VIEWS(X) \
	X(digest) X(tree) X(top_down) X(functions) X(tasks) X(histogram) X(stacks) X(folded) X(wakers) X(chains) \
	X(top_waits) X(waits_on) X(at) X(summary) X(svg) X(diff) X(events) X(html)
#define VIEWS_BY_NAME(X) \
	X(perf_script) X(speedscope) X(chrome) X(firefox) X(pprof) X(sqlite) X(folded_wakers) X(tasks_at)

#define VIEW_DECLARE(name) extern const struct view name##_view;
VIEWS(VIEW_DECLARE)
VIEWS_BY_NAME(VIEW_DECLARE)
#define VIEW_COUNT_ONE(name) +1
enum { VIEW_COUNT = VIEWS(VIEW_COUNT_ONE) VIEWS_BY_NAME(VIEW_COUNT_ONE) };
extern const struct view *const views[VIEW_COUNT];

static inline const char *view_name(const struct view *view)
{
	return view->option.long_name;
}

/*
 * Prints all sources. If `view` is NULL, prints the digest and then the default view of each
 * source: the tasks if they were walked, else the tree.
 */
int views_print(const struct view_context *context, const struct view *view);

#endif

/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/view/view.h"

#include <errno.h>

#include "common/log.h"
#include "report/view/probe_totals.h"
#include "report/view/section.h"

enum { ANY_KIND = (1 << PROFILE_SOURCE_KINDS) - 1, WALKED = 1 << PROFILE_TASKS, WAITED = 1 << PROFILE_OFFCPU,
       EVENTS = ANY_KIND & ~WALKED };

const struct view views[VIEW_KINDS] = {
	[VIEW_TREE] = {.name = "tree", .print = tree_section, .kinds = ANY_KIND},
	[VIEW_TASKS] = {.name = "tasks", .print = tasks_section, .kinds = WALKED},
	[VIEW_HISTOGRAM] = {.name = "histogram", .print = histogram_section, .kinds = ANY_KIND},
	[VIEW_STACKS] = {.name = "stacks", .print = stacks_section, .kinds = ANY_KIND},
	[VIEW_FOLDED] = {.name = "folded", .print = folded_section, .kinds = ANY_KIND, .bare = true},
	[VIEW_WAKERS] = {.name = "wakers", .print = wakers_section, .kinds = WAITED},
	[VIEW_FOLDED_WAKERS] = {.name = "folded --wakers", .print = folded_wakers_section, .kinds = WAITED, .bare = true},
	[VIEW_CHAINS] = {.name = "chains", .print = chains_section, .kinds = WAITED},
	[VIEW_TOP_WAITS] = {.name = "top-waits", .print = top_waits_section, .kinds = WAITED},
	[VIEW_TOP_WAITS_RAW] = {.name = "top-waits", .print = top_waits_raw_section, .kinds = WAITED, .bare = true},
	[VIEW_SUMMARY] = {.name = "summary", .print = summary_section, .kinds = WAITED},
	[VIEW_EVENTS] = {.name = "events", .print = events_section, .kinds = EVENTS, .merged = true},
	[VIEW_PERF_SCRIPT] = {.name = "export perf-script", .print = perf_script_section, .kinds = EVENTS, .bare = true,
			      .merged = true},
	[VIEW_AT] = {.name = "at", .print = at_section, .kinds = WAITED},
};

static const struct view *view_of(const struct view *wanted, const struct profile_source *source)
{
	if (!wanted)
		return &views[source->kind == PROFILE_TASKS ? VIEW_TASKS : VIEW_TREE];
	return wanted->kinds & 1U << source->kind ? wanted : NULL;
}

/* Lines for machines show the waits themselves, where wakers were recorded with them; --source=wakers asks for the others. */
static bool is_beside_waits(const struct profile_source *source, const struct profile_source *sources, size_t count)
{
	bool waits = false;

	for (size_t i = 0; i < count; i++)
		waits |= sources[i].kind == PROFILE_OFFCPU && sources[i].samples;
	return waits && source->kind == PROFILE_WAKERS;
}

/* Lines for machines have no room to say which source they are of. */
static int check_one_source(const struct view *view, const struct profile_source *sources, size_t count)
{
	const struct profile_source *first = NULL;

	for (const struct profile_source *source = sources; source < sources + count; source++) {
		if (!source->samples || !view_of(view, source) || is_beside_waits(source, sources, count))
			continue;
		if (first)
			return log_error(EINVAL, "--%s shows one source and here are several (\"%s %s\", \"%s %s\"); choose one with --%s",
					 view->name, section_kind_name(first->kind), first->name, section_kind_name(source->kind),
					 source->name, first->kind == source->kind ? "probe" : "source");
		first = source;
	}
	return 0;
}

static int print_sources(const struct view_context *context, const struct view *view,
			 const struct profile_source *sources, size_t count)
{
	bool any = false, bare = view && view->bare;

	for (size_t i = 0; i < count; i++) {
		const struct view *chosen = view_of(view, &sources[i]);
		int r;

		if (!chosen || sources[i].left_out || (bare && is_beside_waits(&sources[i], sources, count)))
			continue;
		if (any && !bare)
			(void)fputc('\n', context->out);
		any = true;
		if (!bare)
			section_heading(context, (uint32_t)i, &sources[i]);
		r = chosen->print(context, (uint32_t)i, &sources[i]);
		if (!r)
			r = probe_totals_write(context, (uint32_t)i, bare ? stderr : context->out);
		if (r < 0)
			return r;
	}
	if (!any && !bare)
		section_nothing(context, view ? view->name : "tree");
	return 0;
}

/* The headings of all sources, then what is said of all of them at once. */
static int print_merged(const struct view_context *context, const struct view *view, const struct profile_source *sources,
			size_t count)
{
	bool any = false;
	int r;

	for (size_t i = 0; i < count; i++) {
		if (!view_of(view, &sources[i]) || sources[i].left_out)
			continue;
		any = true;
		if (!view->bare)
			section_heading(context, (uint32_t)i, &sources[i]);
	}
	if (!any && !view->bare)
		section_nothing(context, view->name);
	r = any ? view->print(context, 0, NULL) : 0;
	for (size_t i = 0; i < count && !r; i++)
		if (view_of(view, &sources[i]) && !sources[i].left_out)
			r = probe_totals_write(context, (uint32_t)i, view->bare ? stderr : context->out);
	return r;
}

int views_print(const struct view_context *context, const struct view *view)
{
	const struct profile_source *sources;
	size_t count = profile_sources(context->profile, &sources);
	bool bare = view && view->bare;
	int r = bare && !view->merged ? check_one_source(view, sources, count) : 0;

	if (!r && view && view->merged)
		r = print_merged(context, view, sources, count);
	else if (!r)
		r = print_sources(context, view, sources, count);
	if (r < 0)
		return r;
	section_account(context, bare ? stderr : context->out);
	return 0;
}

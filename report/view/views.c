/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/view/text/view.h"

#include <errno.h>

#include "common/log.h"
#include "report/profile/seam/profile_account.h"
#include "report/view/by_group.h"
#include "report/view/text/page.h"
#include "report/view/text/probe_totals.h"
#include "report/view/wait/throughout.h"

#define VIEW_POINTER(name) &name##_view,
const struct view *const views[VIEW_COUNT] = {VIEWS(VIEW_POINTER) VIEWS_BY_NAME(VIEW_POINTER)};

static const struct view *view_of(const struct view *wanted, const struct profile_source *source)
{
	if (!wanted)
		return source->kind == PROFILE_TASKS ? &tasks_view : &tree_view;
	return wanted->kinds & 1U << source->kind ? wanted : NULL;
}

/*
 * If wakers were recorded together with waits, machine-readable lines show the waits only;
 * --source=wakers selects the wakers.
 */
static bool is_beside_waits(const struct profile_source *source,
			    const struct profile_source *sources, size_t count)
{
	bool waits = false;

	for (size_t i = 0; i < count; i++)
		waits |= sources[i].kind == PROFILE_OFFCPU && sources[i].samples;
	return waits && source->kind == PROFILE_WAKERS;
}

/* Machine-readable lines do not say which source they are from, so there must be only one. */
static int check_one_source(const struct view *view, const struct profile_source *sources, size_t count)
{
	const struct profile_source *first = NULL;

	for (size_t i = 0; i < count; i++) {
		const struct profile_source *source = &sources[i];

		if (!source->samples || !view_of(view, source) || is_beside_waits(source, sources, count))
			continue;
		if (first)
			return log_error(EINVAL, "--%s shows one source, but there are several "
						 "('%s %s', '%s %s'); choose one with --%s",
					 view_name(view), page_kind_name(first->kind), first->name,
					 page_kind_name(source->kind), source->name,
					 first->kind == source->kind ? "probe" : "source");
		first = source;
	}
	return 0;
}

static int print_source(const struct view_context *context, const struct view *view, uint32_t number,
			const struct profile_source *source)
{
	int r;

	if (!context->settings->by || !view->by)
		return view->print(context, number, source);
	if (!view->bare)
		return by_group_print(context, view, number, source);
	r = by_group_check(context, number, stderr);
	return r < 0 ? r : view->print(context, number, source);
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
			page_heading(context, (uint32_t)i, &sources[i]);
		r = print_source(context, chosen, (uint32_t)i, &sources[i]);
		if (!r)
			r = probe_totals_write(context, (uint32_t)i, bare ? stderr : context->out);
		if (r < 0)
			return r;
	}
	if (!any && !bare)
		page_nothing(context, view ? view_name(view) : "tree");
	return 0;
}

/* Prints the headings of all sources, then all sources together. */
static int print_merged(const struct view_context *context, const struct view *view,
			const struct profile_source *sources, size_t count)
{
	bool any = false;
	int r;

	for (size_t i = 0; i < count; i++) {
		if (!view_of(view, &sources[i]) || sources[i].left_out)
			continue;
		any = true;
		if (!view->bare)
			page_heading(context, (uint32_t)i, &sources[i]);
	}
	if (!any && !view->bare)
		page_nothing(context, view_name(view));
	r = any || view->exports ? view->print(context, 0, NULL) : 0; /* an export must be valid even if empty */
	for (size_t i = 0; i < count && !r; i++)
		if (view_of(view, &sources[i]) && !sources[i].left_out)
			r = probe_totals_write(context, (uint32_t)i, view->bare ? stderr : context->out);
	return r;
}

/* What the report shows, which decides which notes are about it. */
static struct page_shown shown_by(const struct view_context *context, const struct view *view)
{
	const struct profile_source *sources;
	size_t count = profile_sources(context->profile, &sources);
	struct page_shown shown = {0};

	for (size_t i = 0; i < count; i++) {
		const struct view *chosen = view_of(view, &sources[i]);
		bool one = chosen && chosen->bare && !chosen->merged;

		if (!chosen || sources[i].left_out || (one && is_beside_waits(&sources[i], sources, count)))
			continue;
		shown.kinds |= 1U << sources[i].kind | chosen->beside;
		shown.about |= sources[i].kind == PROFILE_CPU ? ABOUT_SAMPLING : 0;
		shown.about |= !chosen->stackless && !context->settings->user_only ? ABOUT_KERNEL_STACKS : 0;
		if (!chosen->stackless && !context->settings->kernel_only && sources[i].user_stacks)
			shown.about |= ABOUT_USER_STACKS;
	}
	return shown;
}

/* Whether the report shows waits: only then does it matter which ones are left out. */
static bool shows_waits(const struct view *view, const struct profile_source *sources, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if ((sources[i].kind == PROFILE_OFFCPU || sources[i].kind == PROFILE_WAKERS) &&
		    !sources[i].left_out && view_of(view, &sources[i]))
			return true;
	return false;
}

/* --at uses walks only if there are no waits, which are more precise. */
static const struct view *view_for(const struct view *wanted, const struct profile_source *sources, size_t count)
{
	bool waited = false, walked = false;

	for (size_t i = 0; i < count; i++) {
		waited |= sources[i].kind == PROFILE_OFFCPU && !sources[i].left_out;
		walked |= sources[i].kind == PROFILE_TASKS && !sources[i].left_out;
	}
	return wanted == &at_view && walked && !waited ? &tasks_at_view : wanted;
}

int views_print(const struct view_context *context, const struct view *asked)
{
	const struct profile_source *sources;
	size_t count = profile_sources(context->profile, &sources);
	const struct view *view = view_for(asked, sources, count);
	bool bare = view && view->bare;
	int r = bare && !view->merged ? check_one_source(view, sources, count) : 0;

	if (view && view->whole)
		return view->print(context, 0, NULL);
	if (!r && !view) {
		r = digest_view.print(context, 0, NULL);
		(void)fputc('\n', context->out);
	}
	if (!r && view && view->merged)
		r = print_merged(context, view, sources, count);
	else if (!r)
		r = print_sources(context, view, sources, count);
	if (r < 0)
		return r;
	if (!bare && shows_waits(view, sources, count))
		r = throughout_comment(context);
	if (r < 0)
		return r;
	page_notes(context, shown_by(context, view), bare ? stderr : context->out);
	return 0;
}

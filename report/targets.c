/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/targets.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "common/log.h"
#include "report/profile/figures.h"
#include "report/profile/profile.h"
#include "report/profile/profile_account.h"
#include "report/profile/profile_objects.h"
#include "report/profile/profile_waits.h"
#include "report/view/object_text.h"
#include "report/view/page.h"

enum { COMMS_NAMED = 8, COMMS_TEXT = 256, SOURCES_TEXT = 512, KINDS_TEXT = 256 };

/* --- threads --- */

static bool is_listed(const char *const *comms, size_t count, const char *comm)
{
	for (size_t i = 0; i < count; i++)
		if (!strcmp(comms[i], comm))
			return true;
	return false;
}

/* "'bash', 'make'": only the first few. */
static void list_comms(const struct profile_task *tasks, size_t count, char text[static COMMS_TEXT])
{
	const char *comms[COMMS_NAMED];
	size_t named = 0, used = 0;

	for (size_t i = 0; i < count && named < COMMS_NAMED; i++)
		if (!is_listed(comms, named, tasks[i].comm))
			comms[named++] = tasks[i].comm;
	for (size_t i = 0; i < named && used < COMMS_TEXT; i++)
		used += (size_t)snprintf(text + used, COMMS_TEXT - used, "%s'%s'", i ? ", " : "", comms[i]);
}

static bool fits_chain(const struct view_settings *settings, const struct profile_task *task)
{
	if (settings->chain_comm)
		return !regexec(settings->chain_comm, task->comm, 0, NULL, 0);
	return !settings->chain_tid || settings->chain_tid == task->tid;
}

/* If events were lost, the missing threads may be among them: then the report is empty, and its notes say so. */
static int say(struct profile *profile, const char *text)
{
	if (!profile_lost(profile))
		return log_error(ENOENT, "%s", text);
	log_warning("%s", text);
	return 0;
}

static int say_nobody(struct profile *profile, const struct profile_task *tasks, size_t count, const char *asked)
{
	char comms[COMMS_TEXT], text[REPORT_FILTER_TEXT + COMMS_TEXT + 128];

	list_comms(tasks, count, comms);
	(void)snprintf(text, sizeof(text),
		       "no thread in the trace fits %s; there are %s, and --summary or --tasks lists all", asked,
		       comms);
	return say(profile, text);
}

/* --- events --- */

static bool is_of_view(const struct view *view, const struct profile_source *source)
{
	return !view || view->kinds >> source->kind & 1;
}

/* Whether filters left nothing of what the view can show, or, without a view, of all sources. */
static bool is_emptied(const struct profile *profile, const struct view *view)
{
	const struct profile_source *sources;
	size_t count = profile_sources(profile, &sources), suited = 0, left_out = 0;
	struct profile_losses losses;

	for (size_t i = 0; i < count; i++) {
		suited += is_of_view(view, &sources[i]);
		left_out += sources[i].left_out;
		if (is_of_view(view, &sources[i]) && !sources[i].left_out && sources[i].samples)
			return false;
	}
	profile_losses(profile, &losses);
	return losses.any && (suited || left_out == count);
}

/* --summary has times even for threads without a recorded wait. */
static bool has_times(const struct profile *profile, const struct report_options *options)
{
	const struct profile_task_sums *sums;

	return options->view == &summary_view && profile_task_sums(profile, &sums);
}

/* "cpu, tracepoint 'sched:sched_switch'": each source once. */
static void list_sources(const struct profile *profile, char text[static SOURCES_TEXT])
{
	const struct profile_source *sources;
	size_t count = profile_sources(profile, &sources), used = 0;

	text[0] = '\0';
	for (size_t i = 0; i < count && used < SOURCES_TEXT; i++) {
		bool probed = sources[i].kind == PROFILE_TRACEPOINT || sources[i].kind == PROFILE_KFUNC;

		used += (size_t)snprintf(text + used, SOURCES_TEXT - used, "%s%s", used ? ", " : "",
					 page_kind_name(sources[i].kind));
		if (probed && used < SOURCES_TEXT)
			used += (size_t)snprintf(text + used, SOURCES_TEXT - used, " '%s'", sources[i].name);
	}
}

static uint64_t longest(const struct profile *profile)
{
	struct profile_origin origin;
	uint64_t length = 0;

	for (size_t i = 0; i < profile_origins(profile); i++) {
		profile_origin(profile, i, &origin);
		length = origin.length > length ? origin.length : length;
	}
	return length;
}

static int say_nothing(struct profile *profile, const struct report_options *options)
{
	char sources[SOURCES_TEXT], text[REPORT_FILTER_TEXT + SOURCES_TEXT + 128];

	list_sources(profile, sources);
	(void)snprintf(text, sizeof(text),
		       "nothing in the trace fits %s; it has %s, and is %s s long; --info says more",
		       options->filter_text, sources, figure_seconds(longest(profile)).text);
	return say(profile, text);
}

/* --- what waits were for --- */

/* "file, futex": what the waits were for that --on judged. */
static void list_kinds(uint32_t kinds, char text[static KINDS_TEXT])
{
	size_t used = 0;

	text[0] = '\0';
	for (unsigned int i = 1; i < OBJECT_KINDS && used < KINDS_TEXT; i++)
		if (kinds >> i & 1)
			used += (size_t)snprintf(text + used, KINDS_TEXT - used, "%s%s", used ? ", " : "",
						 object_kind_name(i));
}

/* Whether waits passed the other filters, but none passed --on. */
static bool leaves_no_wait(const struct profile *profile, const struct report_options *options)
{
	const struct profile_chosen chosen = profile_chosen(profile);

	const uint32_t kinds = 1U << PROFILE_OFFCPU | 1U << PROFILE_TASKS;

	return chosen.left_out && !chosen.waits && (!options->view || options->view->kinds & kinds);
}

static int say_no_wait(struct profile *profile, const struct report_options *options)
{
	const uint32_t kinds = profile_chosen(profile).kinds >> 1;
	char known[KINDS_TEXT], text[REPORT_FILTER_TEXT + KINDS_TEXT + 128];

	list_kinds(kinds << 1, known);
	(void)snprintf(text, sizeof(text), "no wait in the trace fits %s; %s%s%s", options->filter_text,
		       kinds ? "there are some for " : "what they were for is not known", known,
		       kinds ? ", and --waits-on lists all" : "");
	return say(profile, text);
}

/* --- all together --- */

/* Whether the profile has any of the requested threads, and anything is left after the filters. */
static bool is_fit(const struct profile *profile, const struct report_options *options)
{
	size_t count, wanted = 0;

	(void)profile_tasks(profile, &count);
	for (size_t i = 0; i < count && !wanted; i++)
		wanted += profile_task_wanted(profile, (uint32_t)i);
	return wanted && !is_emptied(profile, options->view) && !leaves_no_wait(profile, options);
}

int targets_check(struct profile *profile, const struct profile *base, const struct report_options *options)
{
	const struct view_settings *settings = &options->settings;
	size_t count, wanted = 0, chained = 0;
	const struct profile_task *tasks = profile_tasks(profile, &count);
	char asked[REPORT_FILTER_TEXT];

	if (base && is_fit(base, options))
		return 0;
	for (size_t i = 0; i < count; i++) {
		wanted += profile_task_wanted(profile, (uint32_t)i);
		chained += fits_chain(settings, &tasks[i]);
	}
	if (count && !wanted)
		return say_nobody(profile, tasks, count, options->filter_text);
	if (leaves_no_wait(profile, options))
		return say_no_wait(profile, options);
	if (options->filter_text[0] && is_emptied(profile, options->view) && !has_times(profile, options))
		return say_nothing(profile, options);
	if (!count || chained)
		return 0;
	(void)snprintf(asked, sizeof(asked), "--chains=%s", settings->chain_target);
	return say_nobody(profile, tasks, count, asked);
}

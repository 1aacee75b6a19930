/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/view/text/view.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "report/profile/seam/figures.h"
#include "report/profile/seam/profile_apart.h"
#include "report/view/digest/digest_parts.h"

static void digest_deinit(struct digest *digest)
{
	digest_lines_deinit(&digest->lines);
	thread_times_deinit(&digest->times);
	chains_ground_deinit(&digest->ground);
	throughout_deinit(&digest->throughout);
}

static uint32_t first_source(const struct digest *digest, enum profile_source_kind kind)
{
	for (size_t i = 0; i < digest->source_count; i++)
		if (digest->sources[i].kind == kind && digest->sources[i].samples)
			return (uint32_t)i;
	return DIGEST_NO_SOURCE;
}

static void count_threads(struct digest *digest)
{
	for (size_t i = 0; i < digest->ground.index.thread_count; i++) {
		const struct thread_time *row = &digest->times.rows[i];

		if (row->asked && profile_task_apart(digest->context->profile, row->task) == PROFILE_NOTHING_DONE)
			digest->kernel_threads++;
		else
			digest->threads += row->asked;
	}
}

static int group_throughout(struct digest *digest)
{
	const struct waits *waits = &digest->ground.waits;
	int r = 0;

	for (size_t i = 0; i < waits->count && !r; i++) {
		const struct profile_wait *wait = &waits->items[i];

		if (wait->source == digest->waits && wait_is_asked(waits, wait) &&
		    profile_wait_is_throughout(waits->tasks, wait))
			r = throughout_add(&digest->throughout, wait);
	}
	return r;
}

static int digest_init(struct digest *digest, const struct view_context *context)
{
	int r;

	*digest = (struct digest){.context = context, .victim = PROFILE_NO_TASK};
	digest->source_count = profile_sources(context->profile, &digest->sources);
	digest->cpu = first_source(digest, PROFILE_CPU);
	digest->waits = first_source(digest, PROFILE_OFFCPU);
	r = chains_ground_init(&digest->ground, context);
	if (!r)
		r = thread_times_init(&digest->times, &digest->ground.index);
	if (!r)
		r = throughout_init(&digest->throughout, context->profile, &digest->ground.places);
	if (!r)
		r = group_throughout(digest);
	if (!r)
		count_threads(digest);
	return r;
}

/*
 * Bytes that are special in an expression are put in brackets. Bytes that a shell, a terminal or a
 * locale might change are replaced by an expression for any text.
 */
void digest_write_comm(const char *comm, FILE *out)
{
	bool any = false;

	(void)fputs("'^", out);
	for (const char *c = comm; *c; c++) {
		bool odd = (unsigned char)*c < ' ' || (unsigned char)*c > '~' || *c == '\'' || *c == '\\' || *c == '^';

		if (odd && !any)
			(void)fputs(".*", out);
		else if (!odd && strchr(".[]*$+?(){}|", *c))
			(void)fprintf(out, "[%c]", *c);
		else if (!odd)
			(void)fputc(*c, out);
		any = odd;
	}
	(void)fputs("$'", out);
}

void digest_write_share(uint64_t part, uint64_t whole, FILE *out)
{
	(void)fprintf(out, "%s%% ", figure_percent(part, whole).text);
}

static int show_digest(const struct view_context *context, uint32_t number, const struct profile_source *source)
{
	static digest_part *const parts[] = {
		digest_add_origin, digest_add_times, digest_add_heaviest, digest_add_stories,
		digest_add_pressure, digest_add_walks, digest_add_notes,
	};
	_cleanup_(digest_deinit) struct digest digest;
	int r = digest_init(&digest, context);

	(void)number;
	(void)source;
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]) && !r; i++)
		r = parts[i](&digest);
	if (!r)
		digest_lines_write(&digest.lines, context->settings->width, context->out);
	return r;
}

const struct view digest_view = {
	VIEW_OPTION("digest", .help = "the first screen: where time went, and what held whom", .often = true),
	.print = show_digest, .kinds = VIEW_ANY_KIND, .needs = PROFILE_EVERYONE, .whole = true,
};

/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/printable.h"
#include "report/profile/account/account_notes.h"
#include "report/profile/account/account_parts.h"
#include "report/profile/account/partial.h"
#include "report/profile/tables/profile_intern.h"
#include "report/read/loss_table.h"
#include "report/read/trace_verdict.h"

/* --- losses --- */

enum { SHARE_TEXT = 40 };

struct losses {
	struct loss_sums shown; /* of the sources that are shown, and losses without a source */
	uint64_t elsewhere;	/* events lost by the other sources */
	uint64_t recorded;	/* of all sources */
	uint64_t common;	/* 1 << cause: some of these losses have no source, so they concern all sources */
	uint64_t of_wakers;	/* 1 << cause: some are lost wakeups; the loss records do not count recorded wakeups */
};

/* " (0.1%)", or "" if there is no whole to compare with or it is unknown; the share then counts as 100 %. */
static double print_share(enum loss_share kind, uint64_t total, uint64_t recorded, char text[static SHARE_TEXT])
{
	const uint64_t whole[] = {
		[SHARE_NONE] = 0, [SHARE_OF_RECORDED] = recorded, [SHARE_BESIDE] = total + recorded};
	const bool known = whole[kind] && total <= whole[kind];
	const double share = known ? account_share(total, whole[kind]) : 100;

	text[0] = '\0';
	if (known)
		(void)snprintf(text, SHARE_TEXT, " (%.1f%%)", share);
	return share;
}

static enum account_kind kind_of(const struct loss_row *row, uint32_t cause)
{
	static const enum account_kind kinds[LOSS_CAUSES] = {
		[LOSS_SIDEBAND] = ACCOUNT_UNSURE,	  [LOSS_THROTTLED] = ACCOUNT_UNDELIVERED,
		[LOSS_KERNEL_STACK] = ACCOUNT_NO_KERNEL_STACK,
		[LOSS_USER_STACK] = ACCOUNT_NO_USER_STACK, [LOSS_TRUNCATED] = ACCOUNT_CUT_STACKS,
		[LOSS_HITS] = ACCOUNT_UNNAMED,		  [LOSS_MODULES] = ACCOUNT_UNNAMED,
		[LOSS_FILES] = ACCOUNT_UNNAMED,		  [LOSS_SNAPSHOT] = ACCOUNT_NO_SNAPSHOT,
		[LOSS_USER_ASTRAY] = ACCOUNT_WRONG_STACKS, [LOSS_USER_UNKNOWN] = ACCOUNT_MAPPINGS,
	};

	return loss_is_of_events(row) || !kinds[cause] ? ACCOUNT_LOST : kinds[cause];
}

/* The recorded events that losses of this cause are compared with. Wakeups count only if filters let them pass. */
static uint64_t recorded_of(const struct profile *profile, const struct losses *losses, uint32_t cause)
{
	uint64_t recorded = losses->common >> cause & 1 ? losses->recorded : losses->shown.by_cause[LOSS_RECORDED];

	return recorded + (losses->of_wakers >> cause & 1 ? profile->qualities[PROFILE_WAKERS].samples : 0);
}

static int tell_cause(struct profile *profile, const struct losses *losses, uint32_t cause)
{
	const uint64_t total = losses->shown.by_cause[cause], recorded = recorded_of(profile, losses, cause);
	const struct loss_row *row = loss_row_of(cause);
	char text[SHARE_TEXT];
	double share;
	int r;

	if (!total || !row->text || row->elsewhere)
		return 0;
	share = print_share(row->share, total, recorded, text);
	if (loss_is_of_events(row))
		r = account_note(profile, kind_of(row, cause), share, "%" PRIu64 " event%s lost: %s%s", total,
				 plural(total), row->text, text);
	else
		r = account_note(profile, kind_of(row, cause), share, "%" PRIu64 " %s %s%s", total,
				 total == 1 ? row->noun : row->nouns, row->text, text);
	if (!r && row->remedy)
		account_remedy(profile, row->remedy);
	return r;
}

/* A loss without a source concerns all of them. */
static bool is_about(const struct profile *profile, const struct trace_model *model, const struct event_loss *loss)
{
	const struct trace_source *source = trace_model_source(model, loss->source);
	enum profile_source_kind kind = source ? profile_kind_of(source->event.kind) : PROFILE_SOURCE_KINDS;

	return kind == PROFILE_SOURCE_KINDS || profile->account_kinds & 1U << kind;
}

static void add_shown(struct losses *losses, const struct trace_source *source, const struct event_loss *loss)
{
	const uint64_t bit = loss->cause < LOSS_CAUSES ? UINT64_C(1) << loss->cause : 0;

	if (!source)
		losses->common |= bit;
	else if (source->event.kind == SOURCE_WAKERS)
		losses->of_wakers |= bit;
	loss_sums_add(&losses->shown, loss);
}

static void sum_losses(const struct profile *profile, const struct trace_model *model, struct losses *losses)
{
	for (size_t i = 0; i < model->losses.count; i++) {
		const struct event_loss *loss = &model->losses.items[i];

		if (loss->cause == LOSS_RECORDED)
			losses->recorded += loss->total;
		if (is_about(profile, model, loss))
			add_shown(losses, trace_model_source(model, loss->source), loss);
		else if (loss_is_of_events(loss_row_of(loss->cause)))
			losses->elsewhere += loss->total;
	}
}

static int tell_losses(struct profile *profile)
{
	struct losses losses = {0};
	int r = 0;

	for (size_t i = 0; i < profile->file_count; i++)
		for (size_t j = 0; j < profile->files[i]->model_count; j++)
			sum_losses(profile, &profile->files[i]->models[j], &losses);
	for (uint32_t cause = 0; cause < LOSS_CAUSES && !r; cause++)
		r = tell_cause(profile, &losses, cause);
	if (!r && losses.elsewhere)
		r = account_note(profile, ACCOUNT_LOST, 0,
				 "%" PRIu64 " event%s lost of sources that are not shown here",
				 losses.elsewhere, plural(losses.elsewhere));
	if (!r)
		r = account_undelivered(profile);
	if (!r && losses.shown.unknown)
		r = account_note(profile, ACCOUNT_LOST, 100,
				 "%" PRIu64 " event%s lost for a reason that this version does not know",
				 losses.shown.unknown, plural(losses.shown.unknown));
	return r;
}

/* --- damage --- */

static int tell_range(struct profile *profile, const struct trace_model *model,
		      const struct lost_range *range)
{
	uint64_t from = range->from > model->start ? range->from - model->start : 0;
	uint64_t to = range->to > model->start ? range->to - model->start : 0;

	return account_detail(profile, "%" PRIu64 " chunk%s lost between %.3f s and %.3f s of the recording",
			      range->chunks, plural(range->chunks), (double)from / 1e9, (double)to / 1e9);
}

/* When chunks were lost: "chunks are missing of 2 times of the recording", then a line for each. */
static int tell_ranges(struct profile *profile, const struct trace_model *model)
{
	enum { RANGES_SHOWN = 8 };
	size_t count = model->lost_ranges.count, more = count > RANGES_SHOWN ? count - RANGES_SHOWN : 0;
	int r = 0;

	if (count)
		r = account_note(profile, ACCOUNT_DAMAGED, 0,
				 "chunks are missing of %zu time%s of the recording", count, plural(count));
	for (size_t i = 0; i < count && i < RANGES_SHOWN && !r; i++)
		r = tell_range(profile, model, &model->lost_ranges.items[i]);
	if (!r && more)
		r = account_detail(profile, "%zu more such gap%s", more, plural(more));
	return r;
}

/* A report must not depend on the name of its trace, so names are printed only if there are several. */
static const char *name_file(const struct profile *profile, const struct trace_file *file,
			     char name[static 256])
{
	if (profile->file_count == 1)
		snprintf(name, 256, "the trace");
	else
		snprintf(name, 256, "'%s'", file->path);
	return name;
}

/* What came after the end is missing, and nobody knows how much, unless the user set the size limit. */
static int tell_end(struct profile *profile, const struct trace_section *section, const char *name)
{
	const char *cut = trace_section_cut(section);

	if (cut)
		return account_note(profile, ACCOUNT_UNFINISHED, 100, "%s %s; what is missing is unknown", name, cut);
	if (section->closed && section->end_reason == RWK_END_SIZE_LIMIT)
		return account_note(profile, ACCOUNT_SIZE_LIMIT, 100, "the recording of %s stopped at --max-size",
				    name);
	return 0;
}

static int tell_sections(struct profile *profile, const struct trace_file *file)
{
	char name[256];
	int r = 0;

	for (size_t i = 0; i < file->model_count && !r; i++) {
		if (file->sections[i].unsupported)
			r = account_note(profile, ACCOUNT_INCOMPATIBLE, 100,
					 "part of %s was written by an incompatible version and is left out",
					 name_file(profile, file, name));
		if (!r)
			r = tell_end(profile, &file->sections[i], name_file(profile, file, name));
		if (!r)
			r = tell_ranges(profile, &file->models[i]);
	}
	return r;
}

static int tell_file(struct profile *profile, const struct trace_file *file)
{
	struct trace_damage damage;
	char name[256];
	int r = 0;

	trace_reader_damage(file->reader, &damage);
	name_file(profile, file, name);
	if (damage.chunks || damage.bytes)
		r = account_note(profile, ACCOUNT_DAMAGED, 100,
				 "%s is damaged: %" PRIu64 " chunk%s lost, %" PRIu64 " byte%s outside of whole chunks",
				 name, damage.chunks, plural(damage.chunks), damage.bytes, plural(damage.bytes));
	return r < 0 ? r : tell_sections(profile, file);
}

static int tell_damage(struct profile *profile)
{
	uint64_t malformed = profile->stream_totals.malformed;
	int r = 0;

	for (size_t i = 0; i < profile->file_count && !r; i++) {
		r = tell_file(profile, profile->files[i]);
		for (size_t j = 0; j < profile->files[i]->model_count; j++)
			malformed += profile->files[i]->models[j].malformed_chunks;
	}
	if (!r && malformed)
		r = account_note(profile, ACCOUNT_DAMAGED, 50, "%" PRIu64 " chunk%s could only be read in part",
				 malformed, plural(malformed));
	if (!r && profile->stream_totals.out_of_order)
		r = account_note(profile, ACCOUNT_DAMAGED, 0, "%" PRIu64 " event%s came too late to be put in order",
				 profile->stream_totals.out_of_order, plural(profile->stream_totals.out_of_order));
	return r;
}

/* Most often a decompression bomb. A larger limit would not help, so there is no option for it. */
static int tell_packed(struct profile *profile)
{
	size_t count = profile->modules.left_packed;

	if (!count)
		return 0;
	profile->lost = true;
	return account_note(profile, ACCOUNT_LEFT_PACKED, 100,
			    "symbols or unwind tables of %zu module%s left out: unpacked they are larger "
			    "than 16 MB and 32 times what the trace holds of modules", count, plural(count));
}

/* --- together --- */

static bool lacks(const struct profile *profile)
{
	for (size_t i = 0; i < profile->file_count; i++)
		if (trace_file_lacks(profile->files[i]))
			return true;
	return profile->stream_totals.malformed;
}

static int make_account(struct profile *profile)
{
	int r = account_partial(profile);

	if (!r)
		r = tell_losses(profile);
	if (!r)
		r = tell_damage(profile);
	if (!r)
		r = account_budget(profile);
	if (!r)
		r = account_helpers(profile);
	if (!r)
		r = account_quality(profile);
	if (!r)
		r = account_inlines(profile);
	if (!r)
		r = tell_packed(profile);
	return r < 0 ? r : account_notes_sort(profile->notes);
}

void profile_account(struct profile *profile, struct profile_account *ret_account)
{
	profile_account_of(profile, PROFILE_ALL_KINDS, ret_account);
}

bool profile_lost(struct profile *profile)
{
	struct profile_account account;

	if (!profile->notes)
		profile_account(profile, &account);
	return profile->lost;
}

void profile_account_of(struct profile *profile, unsigned int kinds, struct profile_account *ret_account)
{
	if (!profile->notes || profile->account_kinds != kinds) {
		account_notes_destroy(profile->notes);
		profile->account_kinds = kinds;
		profile->notes = calloc(1, sizeof(*profile->notes));
		if (!profile->notes || make_account(profile) < 0 || lacks(profile))
			profile->lost = true;
	}
	*ret_account = (struct profile_account){0};
	if (!profile->notes)
		return;
	ret_account->notes = profile->notes->sorted.items;
	ret_account->count = profile->notes->sorted.count;
}

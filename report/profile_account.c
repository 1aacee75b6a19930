/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "common/printable.h"
#include "report/profile_account_lines.h"
#include "report/profile_inline.h"

__attribute__((format(printf, 2, 3))) int account_line(struct profile *profile, const char *format, ...)
{
	char *line = NULL, text[1024];
	va_list arguments;
	int length;

	va_start(arguments, format);
	length = vasprintf(&line, format, arguments);
	va_end(arguments);
	if (length < 0)
		return -ENOMEM;
	printable_escape(text, sizeof(text), line, (size_t)length); /* paths are hostile */
	free(line);
	line = strdup(text);
	if (!line)
		return -ENOMEM;
	if (array_push(&profile->lines, line) < 0) {
		free(line);
		return -ENOMEM;
	}
	return 0;
}

double account_share(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0.0;
}

/* --- losses --- */

enum loss_meaning { MEANS_NOTHING, MEANS_LOST, MEANS_NOTE };

static const struct {
	enum loss_meaning meaning;
	const char *text; /* "N <text>" */
} causes[] = {
	[LOSS_RING_FULL] = {MEANS_LOST, "events lost: the ring buffer was full"},
	[LOSS_NO_TASK_ENTRY] = {MEANS_LOST, "events lost: nothing was known of the task"},
	[LOSS_RECURSION] = {MEANS_LOST, "events lost: the kernel skipped the program"},
	[LOSS_THROTTLED] = {MEANS_LOST, "periods in which the kernel throttled sampling"},
	[LOSS_NESTED] = {MEANS_LOST, "events lost: nested too deeply"},
	[LOSS_SIDEBAND] = {MEANS_LOST, "mapping or task events lost: some addresses may be attributed wrongly or not at all"},
	[LOSS_MAPS] = {MEANS_NOTE, "processes whose mappings were unavailable at the start"},
	[LOSS_KERNEL_STACK] = {MEANS_NOTE, "events without their kernel stack"},
	[LOSS_ENCODER] = {MEANS_LOST, "events lost: refused by the encoder"},
	[LOSS_NOT_DELIVERED] = {MEANS_NOTE, "events counted by the kernel that the program never saw"},
	[LOSS_USER_STACK] = {MEANS_NOTE, "events without the user stack that was asked for"},
	[LOSS_TRUNCATED] = {MEANS_NOTE, "events with a stack cut at the depth limit"},
	[LOSS_HITS] = {MEANS_NOTE, "addresses were too many to keep: their functions may lack embedded names"},
	[LOSS_MODULES] = {MEANS_NOTE, "mapped files were too many to keep: they lack embedded names"},
	[LOSS_FILES] = {MEANS_NOTHING, NULL}, /* the modules that lack names are listed */
	[LOSS_UNWRITTEN] = {MEANS_NOTE, "events at the end could not be written any more"},
	[LOSS_SNAPSHOT] = {MEANS_NOTE, "events lack the snapshot that their user stack would be unwound from"},
	[LOSS_RATE_LIMITED] = {MEANS_NOTE, "hits beyond --rate-limit were counted and have no event"},
	[LOSS_BRIEF] = {MEANS_NOTHING, NULL}, /* the heading has them */
};

struct loss_sums {
	uint64_t by_cause[LOSS_CAUSES];
	uint64_t unknown_cause;
};

static void sum_losses(const struct profile *profile, struct loss_sums *sums)
{
	for (size_t i = 0; i < profile->file_count; i++)
		for (size_t j = 0; j < profile->files[i]->model_count; j++) {
			const struct trace_model *model = &profile->files[i]->models[j];

			for (size_t k = 0; k < model->losses.count; k++) {
				const struct event_loss *loss = &model->losses.items[k];

				if (loss->cause < sizeof(sums->by_cause) / sizeof(sums->by_cause[0]))
					sums->by_cause[loss->cause] += loss->total;
				else
					sums->unknown_cause += loss->total;
			}
		}
}

static int tell_losses(struct profile *profile)
{
	struct loss_sums sums = {0};
	int r = 0;

	sum_losses(profile, &sums);
	for (size_t cause = 0; cause < sizeof(causes) / sizeof(causes[0]) && r == 0; cause++) {
		uint64_t total = sums.by_cause[cause], whole = total + sums.by_cause[LOSS_RECORDED];

		if (causes[cause].meaning == MEANS_NOTHING || !total)
			continue;
		profile->lost |= causes[cause].meaning == MEANS_LOST;
		r = account_line(profile, "%" PRIu64 " %s (%.1f%%)", total, causes[cause].text,
				 account_share(total, whole));
	}
	if (r == 0 && sums.unknown_cause) {
		profile->lost = true;
		r = account_line(profile, "%" PRIu64 " events lost for a reason this program does not know",
				 sums.unknown_cause);
	}
	return r;
}

/* --- damage --- */

static int tell_range(struct profile *profile, const struct trace_model *model, const struct lost_range *range)
{
	uint64_t from = range->from > model->start ? range->from - model->start : 0;
	uint64_t to = range->to > model->start ? range->to - model->start : 0;

	return account_line(profile, "%" PRIu64 " chunks lost between %.3f s and %.3f s of the recording",
			    range->chunks, (double)from / 1e9, (double)to / 1e9);
}

static int tell_ranges(struct profile *profile, const struct trace_model *model)
{
	enum { RANGES_SHOWN = 8 };
	int r = 0;

	for (size_t i = 0; i < model->lost_ranges.count && i < RANGES_SHOWN && r == 0; i++)
		r = tell_range(profile, model, &model->lost_ranges.items[i]);
	if (r == 0 && model->lost_ranges.count > RANGES_SHOWN)
		r = account_line(profile, "%zu more such gaps", model->lost_ranges.count - RANGES_SHOWN);
	return r;
}

/* A report must not depend on what its trace is called, so the name is told only where there are several. */
static const char *name_file(const struct profile *profile, const struct trace_file *file, char name[static 256])
{
	if (profile->file_count == 1)
		snprintf(name, 256, "the trace");
	else
		snprintf(name, 256, "'%s'", file->path);
	return name;
}

/* Not a loss of what is there; but of what came after there is nothing. */
static int tell_end(struct profile *profile, const struct trace_section *section, const char *name)
{
	static const char *const reasons[] = {
		[RWK_END_NO_SPACE] = "there was no space left for it",
		[RWK_END_IO_ERROR] = "it could not be written",
		[RWK_END_SIZE_LIMIT] = "it had reached --max-size",
		[RWK_END_PIPE] = "nobody read the pipe any more",
	};
	uint32_t reason = section->end_reason;

	if (!section->closed || reason >= sizeof(reasons) / sizeof(reasons[0]) || !reasons[reason])
		return 0;
	return account_line(profile, "the recording of %s ended early: %s", name, reasons[reason]);
}

static int tell_sections(struct profile *profile, const struct trace_file *file)
{
	char name[256];
	int r = 0;

	for (size_t i = 0; i < file->model_count && r == 0; i++) {
		if (file->sections[i].unsupported) {
			profile->lost = true;
			r = account_line(profile, "part of %s was written by an incompatible version and is left out",
					 name_file(profile, file, name));
		}
		if (r == 0)
			r = tell_end(profile, &file->sections[i], name_file(profile, file, name));
		if (r == 0)
			r = tell_ranges(profile, &file->models[i]);
		profile->lost |= file->models[i].lost_ranges.count || file->models[i].malformed_chunks;
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
	if (damage.chunks || damage.bytes) {
		profile->lost = true;
		r = account_line(profile, "%s is damaged: %" PRIu64 " chunks lost, %" PRIu64
					  " repaired, %" PRIu64 " bytes that belong to no whole chunk",
				 name, damage.chunks - damage.repaired, damage.repaired, damage.bytes);
	}
	if (r == 0 && damage.torn_tail)
		r = account_line(profile, "%s ends in an unfinished chunk (%" PRIu64
					  " bytes): the recorder was stopped hard",
				 name, damage.torn_tail);
	return r < 0 ? r : tell_sections(profile, file);
}

static int tell_damage(struct profile *profile)
{
	uint64_t malformed = profile->stream_totals.malformed;
	int r = 0;

	for (size_t i = 0; i < profile->file_count && r == 0; i++) {
		r = tell_file(profile, profile->files[i]);
		for (size_t j = 0; j < profile->files[i]->model_count; j++)
			malformed += profile->files[i]->models[j].malformed_chunks;
	}
	if (r == 0 && malformed) {
		profile->lost = true;
		r = account_line(profile, "%" PRIu64 " chunks could be read in part only", malformed);
	}
	if (r == 0 && profile->stream_totals.out_of_order)
		r = account_line(profile, "%" PRIu64 " events came too late to be put in order",
				 profile->stream_totals.out_of_order);
	return r;
}

/* --- together --- */

int profile_make_account(struct profile *profile)
{
	int r = account_partial(profile);

	if (r == 0)
		r = tell_losses(profile);
	if (r == 0)
		r = tell_damage(profile);
	if (r == 0)
		r = account_quality(profile);
	return r < 0 ? r : account_inlines(profile);
}

void profile_account(const struct profile *profile, struct profile_account *ret_account)
{
	/* Made at the first question, as it needs names, which need the files; to the caller nothing changes. */
	struct profile *made = (struct profile *)profile;

	if (!profile->account_made) {
		made->account_made = true;
		if (profile_make_account(made) < 0)
			made->lost = true;
	}
	*ret_account = (struct profile_account){.lines = (const char *const *)profile->lines.items,
						.count = profile->lines.count,
						.lost = profile->lost};
}

/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/profile/profile_account.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/log.h"
#include "common/printable.h"
#include "common/time_units.h"
#include "report/file/debug_server.h"
#include "report/profile/figures.h"
#include "report/profile/profile_internal.h"
#include "report/read/loss_table.h"
#include "report/read/trace_model.h"

/* --- notes --- */

enum { ACCOUNT_TRIFLE = 1 }; /* percent */

static const struct account_row {
	unsigned int about;
	const char *remedy;
	bool of_samples; /* the share of samples says how grave a note is; otherwise its kind does */
} rows[ACCOUNT_KINDS] = {
	[ACCOUNT_CUT_SHORT] = {0, "let it run to its end"},
	[ACCOUNT_LOST] = {0, "record fewer threads or less often"},
	[ACCOUNT_DAMAGED] = {0, "if the original is whole, copy it again"},
	[ACCOUNT_UNFINISHED] = {0, "on the host, until it is booted again, rwalker-record --finalize adds the names"},
	[ACCOUNT_INCOMPATIBLE] = {0, "read it with the version that wrote it"},
	[ACCOUNT_LEFT_PACKED] = {0, NULL},
	[ACCOUNT_SIZE_LIMIT] = {0, "rwalker-record --max-size allows more"},
	[ACCOUNT_COARSER] = {0, "rwalker-record --max-cpu allows more"},
	[ACCOUNT_HELPERS] = {ABOUT_STACKS, "restart the recorder"},
	[ACCOUNT_UNDELIVERED] = {ABOUT_SAMPLING, "shares hold, and sums are too small by as much"},
	[ACCOUNT_COUNTER_LENT] = {ABOUT_SAMPLING, "end the other profilers, or rwalker-record --sw-perf"},
	[ACCOUNT_UNSURE] = {ABOUT_STACKS, "record again while fewer processes start"},
	[ACCOUNT_MAPPINGS] = {ABOUT_USER_STACKS, "record again while they run", true},
	[ACCOUNT_WRONG_STACKS] = {ABOUT_USER_STACKS, "rwalker-record --dwarf needs no frame pointers", true},
	[ACCOUNT_CUT_COPIES] = {ABOUT_USER_STACKS, "rwalker-record --dwarf-size copies up to 64 KiB of each", true},
	[ACCOUNT_CUT_STACKS] = {ABOUT_STACKS, "what is nearer to the root is missing", true},
	[ACCOUNT_NO_KERNEL_STACK] = {ABOUT_KERNEL_STACKS, NULL, true},
	[ACCOUNT_NO_USER_STACK] = {ABOUT_USER_STACKS, NULL, true},
	[ACCOUNT_NO_SNAPSHOT] = {ABOUT_USER_STACKS, "rwalker-record --ringbuf-size makes more room", true},
	[ACCOUNT_OTHER_MACHINE] = {ABOUT_USER_STACKS, "a later version may do it"},
	[ACCOUNT_UNNAMED] = {ABOUT_STACKS, "--needs lists what would name them", true},
	[ACCOUNT_REFUSED] = {ABOUT_STACKS, "--debug-dir and --symfs say where the right one is"},
	[ACCOUNT_COPIED_CODE] = {ABOUT_USER_STACKS, NULL},
	[ACCOUNT_NO_LINES] = {ABOUT_STACKS, NULL},
	[ACCOUNT_BESIDE] = {ABOUT_KERNEL_STACKS, NULL},
};

/* A printable copy, for paths are hostile. NULL: out of memory. */
static char *format_line(const char *format, va_list arguments)
{
	char *line = NULL, text[1024];
	int length = vasprintf(&line, format, arguments);

	if (length < 0)
		return NULL;
	printable_escape_line(text, sizeof(text), line, (size_t)length);
	free(line);
	return strdup(text);
}

void account_note(struct profile *profile, enum account_kind kind, double share, const char *format, ...)
{
	struct account_notes *notes = profile->notes;
	struct account_note note = {.kind = kind, .share = share, .remedy = rows[kind].remedy, .number = notes->items.count};
	va_list arguments;

	va_start(arguments, format);
	note.text = format_line(format, arguments);
	va_end(arguments);
	if (note.text && !notes->failed && !array_push(&notes->items, note))
		return;
	free(note.text);
	notes->failed = true;
}

static struct account_note *last_note(struct profile *profile)
{
	return &profile->notes->items.items[profile->notes->items.count - 1];
}

void account_detail(struct profile *profile, const char *format, ...)
{
	struct account_notes *notes = profile->notes;
	va_list arguments;
	char *line;

	va_start(arguments, format);
	line = format_line(format, arguments);
	va_end(arguments);
	if (line && !notes->failed && !array_push(&last_note(profile)->details, line))
		return;
	free(line);
	notes->failed = true;
}

void account_remedy(struct profile *profile, const char *remedy)
{
	if (!profile->notes->failed)
		last_note(profile)->remedy = remedy;
}

/* Concerns hardly any of the samples, so it comes after notes that concern many. */
static bool is_trifle(const struct account_note *note)
{
	return rows[note->kind].of_samples && note->share < ACCOUNT_TRIFLE;
}

static int compare_notes(const void *left, const void *right)
{
	const struct account_note *l = left, *r = right;

	return COMPARE(is_trifle(l), is_trifle(r)) ?: COMPARE(l->kind, r->kind) ?: COMPARE(r->share, l->share) ?:
	       COMPARE(l->number, r->number);
}

/* Appends the remedies to the texts: "TEXT; REMEDY". -ENOMEM. */
static int sort_notes(struct account_notes *notes)
{
	if (notes->items.count)
		qsort(notes->items.items, notes->items.count, sizeof(*notes->items.items), compare_notes);
	for (size_t i = 0; i < notes->items.count; i++) {
		struct account_note *note = &notes->items.items[i];
		char *text = note->text;

		if (note->remedy && asprintf(&text, "%s; %s", note->text, note->remedy) < 0)
			return -ENOMEM;
		if (text != note->text)
			free(note->text);
		note->text = text;
		if (array_push(&notes->sorted,
			       (struct profile_account_note){.text = text,
							     .about = rows[note->kind].about,
							     .details = (const char *const *)note->details.items,
							     .detail_count = note->details.count}) < 0)
			return -ENOMEM;
	}
	return 0;
}

void account_notes_destroy(struct account_notes *notes)
{
	if (!notes)
		return;
	for (size_t i = 0; i < notes->items.count; i++) {
		struct account_note *note = &notes->items.items[i];

		for (size_t j = 0; j < note->details.count; j++)
			free(note->details.items[j]);
		array_free(&note->details);
		free(note->text);
	}
	array_free(&notes->items);
	array_free(&notes->sorted);
	free(notes);
}

double account_share(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0.0;
}

/* Model `number` of all traces; NULL: there are no more. */
struct trace_model *account_model(const struct profile *profile, size_t number)
{
	for (size_t i = 0; i < profile->file_count; number -= profile->files[i++]->model_count)
		if (number < profile->files[i]->model_count)
			return &profile->files[i]->models[number];
	return NULL;
}

/* --- helper processes of the recorder that were gone before it ended --- */

/* Whether `word` is one of the words of `text`, which are separated by spaces. */
static bool has_word(const char *text, const char *word)
{
	size_t length = strlen(word);

	for (const char *at = text; *at; at += strspn(at, " ")) {
		if (strcspn(at, " ") == length && !memcmp(at, word, length))
			return true;
		at += strcspn(at, " ");
	}
	return false;
}

static void report_helpers(struct profile *profile)
{
	static const struct {
		const char *word, *missing;
	} words[] = {
		{"recording", "files that were mapped later were not opened, stacks of sleeping threads not copied"},
		{"files", "files that were mapped later were not opened"},
		{"dumps", "no files were read for this dump"},
	};

	for (size_t i = 0; i < profile->scopes.count; i++) {
		const char *text = trace_model_meta(profile->scopes.items[i].model, "helpers_ended");

		for (size_t k = 0; text && k < sizeof(words) / sizeof(words[0]); k++)
			if (has_word(text, words[k].word))
				account_note(profile, ACCOUNT_HELPERS, 100,
					     "a helper process of the recorder had been killed or given up: %s, and "
					     "names may be missing",
					     words[k].missing);
	}
}

/* --- samples that were not delivered --- */

/*
 * Samples that the kernel counted but did not deliver, by the state of the CPU: a halted CPU gets
 * no ticks, and so misses none. The base is the busy time of the CPUs, whatever the report's
 * filters are.
 */

enum { WORTH_A_LINE = 1000 }; /* one in this many */

struct undelivered {
	uint64_t busy, busy_missed; /* samples: delivered and not delivered by busy CPUs */
	uint64_t all, unknown;	    /* for recordings without the CPU's state */
	uint64_t enabled, running;  /* ns */
};

static bool has_counters(const struct trace_model *model, uint32_t source)
{
	for (size_t i = 0; i < model->counters.count; i++)
		if (model->counters.items[i].source == source)
			return true;
	return false;
}

static void add_counters(const struct trace_model *model, struct undelivered *sums)
{
	for (size_t i = 0; i < model->counters.count; i++) {
		const struct event_counter *counter = &model->counters.items[i];

		if (counter->missed > counter->missed_idle)
			sums->busy_missed += counter->missed - counter->missed_idle;
		sums->enabled += counter->enabled;
		sums->running += counter->running < counter->enabled ? counter->running : counter->enabled;
	}
}

/* Several causes and sources make one list. */
static void add_losses(const struct trace_model *model, uint32_t source, struct undelivered *sums)
{
	bool known = has_counters(model, source);

	for (size_t i = 0; i < model->losses.count; i++) {
		const struct event_loss *loss = &model->losses.items[i];

		if (loss->source != source)
			continue;
		if (loss->cause == LOSS_SEEN)
			*(known ? &sums->busy : &sums->all) += loss->total;
		else if (loss->cause == LOSS_IDLE && known)
			sums->busy -= loss->total < sums->busy ? loss->total : sums->busy;
		else if (loss->cause == LOSS_NOT_DELIVERED && !known)
			sums->unknown += loss->total;
	}
}

static void add_model(const struct trace_model *model, struct undelivered *sums)
{
	add_counters(model, sums);
	for (size_t i = 0; i < model->sources.count; i++)
		if (model->sources.items[i].event.kind == SOURCE_CPU)
			add_losses(model, model->sources.items[i].event.id, sums);
}

static bool is_worth_it(uint64_t part, uint64_t rest)
{
	return part > (part + rest) / WORTH_A_LINE;
}

static void report_missed(struct profile *profile, uint64_t missed, uint64_t rest, const char *of)
{
	double share = account_share(missed, missed + rest);

	account_note(profile, ACCOUNT_UNDELIVERED, share,
		     "%" PRIu64 " sample%s counted by the kernel but not delivered (%.1f%% %s", missed,
		     plural(missed), share, of);
}

/* Samples counted by the kernel but not delivered: a note if they exceed one thousandth of the busy time. */
static void report_undelivered(struct profile *profile)
{
	const struct trace_model *model;
	struct undelivered sums = {0};
	double lent;

	for (size_t i = 0; (model = account_model(profile, i)); i++)
		add_model(model, &sums);
	if (is_worth_it(sums.busy_missed, sums.busy))
		report_missed(profile, sums.busy_missed, sums.busy, "of the time the CPUs were busy)");
	if (is_worth_it(sums.unknown, sums.all))
		report_missed(profile, sums.unknown, sums.all, "of all); whether their CPUs were idle is unknown");
	lent = account_share(sums.enabled - sums.running, sums.enabled);
	if (is_worth_it(sums.enabled - sums.running, sums.running))
		account_note(profile, ACCOUNT_COUNTER_LENT, lent,
			     "others had the hardware counter for %.1f%% of the time, in which nothing was sampled",
			     lent);
}

/* --- what Ctrl-C left out --- */

enum { TEXT_BYTES = 256 };

bool profile_is_partial(const struct profile *profile)
{
	return profile->reading.cut || profile->modules.lines_cut || debug_server_unasked(profile->server);
}

static void describe(const struct profile *profile, char text[static TEXT_BYTES])
{
	const struct profile_reading *reading = &profile->reading;
	const struct modules *modules = &profile->modules;
	size_t files = debug_server_unasked(profile->server);
	int used = snprintf(text, TEXT_BYTES, "stopped by Ctrl-C, so this is incomplete");
	const char *between = ": ";

	if (reading->cut) {
		used += snprintf(text + used, TEXT_BYTES - (size_t)used, "%s%d%% of the events read", between,
				 reading->whole ? (int)((double)reading->done * 100 / (double)reading->whole) : 0);
		between = ", ";
	}
	if (modules->lines_cut) {
		used += snprintf(text + used, TEXT_BYTES - (size_t)used,
				 "%slines of %zu of %zu module%s not looked up", between,
				 modules->lines_cut, modules->lines_asked, plural(modules->lines_asked));
		between = ", ";
	}
	if (files)
		(void)snprintf(text + used, TEXT_BYTES - (size_t)used, "%s%zu server %s skipped", between,
			       files, files == 1 ? "query" : "queries");
}

void profile_say_partial(const struct profile *profile)
{
	char text[TEXT_BYTES];

	if (!profile_is_partial(profile))
		return;
	describe(profile, text);
	log_warning("%s", text);
}

static void report_partial(struct profile *profile)
{
	char text[TEXT_BYTES];

	if (!profile_is_partial(profile))
		return;
	profile->lost = true;
	describe(profile, text);
	account_note(profile, ACCOUNT_CUT_SHORT, 100, "%s", text);
}

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

static void report_cause(struct profile *profile, const struct losses *losses, uint32_t cause)
{
	const uint64_t total = losses->shown.by_cause[cause], recorded = recorded_of(profile, losses, cause);
	const struct loss_row *row = loss_row_of(cause);
	char text[SHARE_TEXT];
	double share;

	if (!total || !row->text || row->elsewhere)
		return;
	share = print_share(row->share, total, recorded, text);
	if (loss_is_of_events(row))
		account_note(profile, kind_of(row, cause), share, "%" PRIu64 " event%s lost: %s%s", total,
			     plural(total), row->text, text);
	else
		account_note(profile, kind_of(row, cause), share, "%" PRIu64 " %s %s%s", total,
			     total == 1 ? row->noun : row->nouns, row->text, text);
	if (row->remedy)
		account_remedy(profile, row->remedy);
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

static void report_losses(struct profile *profile)
{
	const struct trace_model *model;
	struct losses losses = {0};

	for (size_t i = 0; (model = account_model(profile, i)); i++)
		sum_losses(profile, model, &losses);
	for (uint32_t cause = 0; cause < LOSS_CAUSES; cause++)
		report_cause(profile, &losses, cause);
	if (losses.elsewhere)
		account_note(profile, ACCOUNT_LOST, 0,
			     "%" PRIu64 " event%s lost of sources that are not shown here",
			     losses.elsewhere, plural(losses.elsewhere));
	report_undelivered(profile);
	if (losses.shown.unknown)
		account_note(profile, ACCOUNT_LOST, 100,
			     "%" PRIu64 " event%s lost for a reason that this version does not know",
			     losses.shown.unknown, plural(losses.shown.unknown));
}

/* --- damage --- */

static void report_range(struct profile *profile, const struct trace_model *model,
			 const struct lost_range *range)
{
	uint64_t from = range->from > model->start ? range->from - model->start : 0;
	uint64_t to = range->to > model->start ? range->to - model->start : 0;

	account_detail(profile, "%" PRIu64 " chunk%s lost between %.3f s and %.3f s of the recording",
		       range->chunks, plural(range->chunks), (double)from / 1e9, (double)to / 1e9);
}

/* When chunks were lost: "chunks are missing of 2 times of the recording", then a line for each. */
static void report_ranges(struct profile *profile, const struct trace_model *model)
{
	enum { RANGES_SHOWN = 8 };
	size_t count = model->lost_ranges.count, more = count > RANGES_SHOWN ? count - RANGES_SHOWN : 0;

	if (count)
		account_note(profile, ACCOUNT_DAMAGED, 0,
			     "chunks are missing of %zu time%s of the recording", count, plural(count));
	for (size_t i = 0; i < count && i < RANGES_SHOWN; i++)
		report_range(profile, model, &model->lost_ranges.items[i]);
	if (more)
		account_detail(profile, "%zu more such gap%s", more, plural(more));
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
static void report_end(struct profile *profile, const struct trace_section *section, const char *name)
{
	const char *cut = trace_section_cut(section);

	if (cut)
		account_note(profile, ACCOUNT_UNFINISHED, 100, "%s %s; what is missing is unknown", name, cut);
	if (section->closed && section->end_reason == RWK_END_SIZE_LIMIT)
		account_note(profile, ACCOUNT_SIZE_LIMIT, 100, "the recording of %s stopped at --max-size",
			     name);
}

static void report_sections(struct profile *profile, const struct trace_file *file)
{
	char name[256];

	for (size_t i = 0; i < file->model_count; i++) {
		if (file->sections[i].unsupported)
			account_note(profile, ACCOUNT_INCOMPATIBLE, 100,
				     "part of %s was written by an incompatible version and is left out",
				     name_file(profile, file, name));
		report_end(profile, &file->sections[i], name_file(profile, file, name));
		report_ranges(profile, &file->models[i]);
	}
}

static void report_file(struct profile *profile, const struct trace_file *file)
{
	struct trace_damage damage;
	char name[256];

	trace_reader_damage(file->reader, &damage);
	name_file(profile, file, name);
	if (damage.chunks || damage.bytes)
		account_note(profile, ACCOUNT_DAMAGED, 100,
			     "%s is damaged: %" PRIu64 " chunk%s lost, %" PRIu64 " byte%s outside of whole chunks",
			     name, damage.chunks, plural(damage.chunks), damage.bytes, plural(damage.bytes));
	report_sections(profile, file);
}

static void report_damage(struct profile *profile)
{
	uint64_t malformed = profile->stream_totals.malformed;

	for (size_t i = 0; i < profile->file_count; i++) {
		report_file(profile, profile->files[i]);
		for (size_t j = 0; j < profile->files[i]->model_count; j++)
			malformed += profile->files[i]->models[j].malformed_chunks;
	}
	if (malformed)
		account_note(profile, ACCOUNT_DAMAGED, 50, "%" PRIu64 " chunk%s could only be read in part",
			     malformed, plural(malformed));
	if (profile->stream_totals.out_of_order)
		account_note(profile, ACCOUNT_DAMAGED, 0, "%" PRIu64 " event%s came too late to be put in order",
			     profile->stream_totals.out_of_order, plural(profile->stream_totals.out_of_order));
}

/* Most often a decompression bomb. A larger limit would not help, so there is no option for it. */
static void report_packed(struct profile *profile)
{
	size_t count = profile->modules.left_packed;

	if (!count)
		return;
	profile->lost = true;
	account_note(profile, ACCOUNT_LEFT_PACKED, 100,
		     "symbols or unwind tables of %zu module%s left out: unpacked they are larger "
		     "than 16 MB and 32 times what the trace holds of modules",
		     count, plural(count));
}

/* --- times in which less was recorded than asked for, to keep the recorder within its budget --- */

enum { BUDGET_SPANS_SHOWN = 8 };

bool budget_spans_next(const struct trace_model *model, size_t *cursor, struct budget_span *ret_span)
{
	while (*cursor < model->budgets.count) {
		const struct event_budget *record = &model->budgets.items[(*cursor)++];
		uint64_t from = record->time > model->start ? record->time : model->start;
		uint64_t until = *cursor < model->budgets.count ? model->budgets.items[*cursor].time : model->stop;

		if (!record->step || until <= from)
			continue;
		*ret_span = (struct budget_span){from, until, record};
		return true;
	}
	return false;
}

static const struct event_source *first_of(const struct trace_model *model, enum source_kind kind)
{
	for (size_t i = 0; i < model->sources.count; i++)
		if (model->sources.items[i].event.kind == kind)
			return &model->sources.items[i].event;
	return NULL;
}

struct budget_lack budget_lack_of(const struct trace_model *model, const struct event_budget *record, bool waits,
				  bool samples)
{
	const struct event_source *offcpu = first_of(model, SOURCE_OFFCPU), *cpu = first_of(model, SOURCE_CPU);
	struct budget_lack lack = {.everything = record->step == BUDGET_PAUSED};

	if (waits && offcpu && record->least > offcpu->least && !lack.everything)
		lack.least = record->least;
	if (samples && cpu && record->frequency < cpu->frequency && !lack.everything)
		lack.frequency = record->frequency;
	return lack;
}

const char *budget_text(const struct budget_lack *lack, char text[BUDGET_TEXT])
{
	char least[64] = "", frequency[64] = "";

	if (lack->least)
		(void)snprintf(least, sizeof(least), "%swaits below %.9g ms only in sums",
			       lack->everything ? ", else " : "", (double)lack->least / (double)MILLISECOND);
	if (lack->frequency)
		(void)snprintf(frequency, sizeof(frequency), "%ssamples at %" PRIu64 " Hz",
			       lack->least ? ", " : lack->everything ? ", else "
								     : "",
			       lack->frequency);
	(void)snprintf(text, BUDGET_TEXT, "%s%s%s", lack->everything ? "everything" : "", least, frequency);
	return text;
}

/* The next span within the requested part, clipped to it, in which something of the report's sources is left out. */
static bool next_span(const struct profile *profile, const struct profile_scope *scope, size_t *cursor,
		      struct budget_span *ret_span, struct budget_lack *ret_lack)
{
	const unsigned int kinds = profile->account_kinds, waits = 1U << PROFILE_OFFCPU | 1U << PROFILE_WAKERS;

	while (budget_spans_next(scope->model, cursor, ret_span)) {
		ret_span->from = ret_span->from > scope->from ? ret_span->from : scope->from;
		ret_span->until = ret_span->until < scope->to ? ret_span->until : scope->to;
		*ret_lack = budget_lack_of(scope->model, ret_span->record, kinds & waits, kinds & 1U << PROFILE_CPU);
		if (ret_span->from < ret_span->until &&
		    (ret_lack->everything || ret_lack->least || ret_lack->frequency))
			return true;
	}
	return false;
}

/* Length of the requested part; 0 if unknown. */
static uint64_t length_of(const struct profile_scope *scope)
{
	const struct trace_model *model = scope->model;
	uint64_t from = model->start > scope->from ? model->start : scope->from;
	uint64_t until = model->stop < scope->to ? model->stop : scope->to;

	return until > from ? until - from : 0;
}

static void report_spans(struct profile *profile, const struct profile_scope *scope)
{
	const uint64_t start = scope->model->start;
	struct budget_span span;
	struct budget_lack lack;
	char text[BUDGET_TEXT];
	size_t cursor = 0, count = 0;

	while (next_span(profile, scope, &cursor, &span, &lack) && count++ < BUDGET_SPANS_SHOWN)
		account_detail(profile, "from %s s to %s s: %s", figure_seconds(span.from - start).text,
			       figure_seconds(span.until - start).text, budget_text(&lack, text));
}

static void report_recording(struct profile *profile, const struct profile_scope *scope)
{
	const uint64_t start = scope->model->start;
	uint64_t from = 0, until = 0, sum = 0;
	struct budget_lack lack, all = {0};
	struct budget_span span;
	char text[BUDGET_TEXT];
	size_t cursor = 0;

	while (next_span(profile, scope, &cursor, &span, &lack)) {
		from = sum ? from : span.from;
		until = span.until;
		sum += span.until - span.from;
		all.everything |= lack.everything;
		all.least = lack.least ? lack.least : all.least;
		all.frequency = lack.frequency ? lack.frequency : all.frequency;
	}
	if (!sum)
		return;
	account_note(profile, ACCOUNT_COARSER, account_share(sum, length_of(scope)),
		     "from %s s to %s s the recorder left out, at times, to cost less: %s",
		     figure_seconds(from - start).text, figure_seconds(until - start).text,
		     budget_text(&all, text));
	report_spans(profile, scope);
}

static void report_budget(struct profile *profile)
{
	for (size_t i = 0; i < profile->scopes.count; i++)
		report_recording(profile, &profile->scopes.items[i]);
}

bool profile_coarser(const struct profile *profile)
{
	struct budget_span span;
	struct budget_lack lack;

	for (size_t i = 0; i < profile->scopes.count; i++) {
		size_t cursor = 0;

		if (next_span(profile, &profile->scopes.items[i], &cursor, &span, &lack))
			return true;
	}
	return false;
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
	report_partial(profile);
	report_losses(profile);
	report_damage(profile);
	report_budget(profile);
	report_helpers(profile);
	account_quality(profile);
	report_packed(profile);
	return profile->notes->failed ? -ENOMEM : sort_notes(profile->notes);
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

/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <elf.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/cleanup.h"
#include "common/printable.h"
#include "report/opener/opener.h"
#include "report/profile/figures.h"
#include "report/profile/profile_internal.h"

/* All members are counts. */
void profile_quality_sum(const struct profile *profile, unsigned int kinds, struct profile_quality *ret_sum)
{
	uint64_t *sum = (uint64_t *)ret_sum;

	*ret_sum = (struct profile_quality){0};
	for (enum profile_source_kind kind = 0; kind <= PROFILE_SOURCE_KINDS; kind++)
		for (size_t i = 0; i < sizeof(*ret_sum) / sizeof(*sum); i++)
			if (kind == PROFILE_SOURCE_KINDS || kinds & 1U << kind)
				sum[i] += ((const uint64_t *)&profile->qualities[kind])[i];
}

/* --- as notes of the account --- */

static void report_samples(struct profile *profile, enum account_kind kind, uint64_t count, const char *text,
			   const char *reason)
{
	double share = account_share(count, profile->notes->quality.samples);

	if (!count)
		return;
	account_note(profile, kind, share, "%" PRIu64 " sample%s (%.1f%%) %s%s", count, plural(count), share,
		     text, reason);
}

static void report_stacks(struct profile *profile)
{
	const struct profile_quality *quality = &profile->notes->quality;
	const struct {
		uint64_t count;
		const char *text;
		enum account_kind kind;
	} notes[] = {
		{quality->kernel_truncated, "with a kernel stack cut at the depth limit", ACCOUNT_CUT_STACKS},
		{quality->user_truncated, "with a user stack cut at the depth limit", ACCOUNT_CUT_STACKS},
		{quality->trimmed, "with a user stack that ends in addresses outside every mapping (trimmed)",
		 ACCOUNT_WRONG_STACKS},
		{quality->no_maps, "from processes whose mappings are unknown", ACCOUNT_MAPPINGS},
		{quality->stripped, "without the recorder's own BPF frames", ACCOUNT_BESIDE},
		{quality->unknown_source, "left out, from a source that the trace does not describe",
		 ACCOUNT_INCOMPATIBLE},
	};

	for (uint8_t why = USER_MISSING_NONE + 1; why < USER_MISSING_REASONS; why++)
		report_samples(profile, ACCOUNT_NO_USER_STACK, quality->missing_user[why],
			       "without a user stack: ", missing_user_text(why));
	for (size_t i = 0; i < sizeof(notes) / sizeof(notes[0]); i++)
		report_samples(profile, notes[i].kind, notes[i].count, notes[i].text, "");
}

/* How unwound stacks end if not at their root. */
static void report_unwinding(struct profile *profile)
{
	const struct profile_quality *quality = &profile->notes->quality;
	const struct {
		uint64_t count;
		const char *text, *remedy; /* remedy: NULL: that of the kind; "": none */
		enum account_kind kind;
	} notes[] = {
		{quality->stops[NOTE_TRUNCATED], "cut where their copy ends ([truncated])", NULL, ACCOUNT_CUT_COPIES},
		{quality->stops[NOTE_SWITCHED], "ending where another stack begins (coroutines, signal stacks)", "",
		 ACCOUNT_CUT_STACKS},
		{quality->stops[NOTE_NO_MEMORY], "without callers: the stack was not in memory", "", ACCOUNT_CUT_STACKS},
		{quality->stops[NOTE_NO_CFI], "ending in code without unwind information", "", ACCOUNT_CUT_STACKS},
		{quality->stops[NOTE_BAD_RETURN], "ending at an address that is not code", "", ACCOUNT_WRONG_STACKS},
		{quality->stops[NOTE_TOO_DEEP], "cut at the depth limit", NULL, ACCOUNT_CUT_STACKS},
		{quality->tails, "with callers by frame pointer beyond their copy", NULL, ACCOUNT_CUT_COPIES},
		{quality->callers_missing, "with a caller by frame pointer of a function that may have none", "",
		 ACCOUNT_WRONG_STACKS},
	};

	for (size_t i = 0; i < sizeof(notes) / sizeof(notes[0]); i++) {
		double share = account_share(notes[i].count, quality->unwound);

		if (!notes[i].count)
			continue;
		account_note(profile, notes[i].kind, share, "%" PRIu64 " unwound stack%s (%.1f%%) %s",
			     notes[i].count, plural(notes[i].count), share, notes[i].text);
		if (notes[i].remedy)
			account_remedy(profile, notes[i].remedy[0] ? notes[i].remedy : NULL);
	}
}

/* Whether some of the code is that of a 32-bit program, of which no memory is copied. */
static bool has_narrow_code(const struct profile *profile)
{
	for (size_t i = 0; i < profile->modules.items.count; i++) {
		const struct module *module = profile->modules.items.items[i];
		uint32_t machine = module->parts.count ? module->parts.items[0].module->machine : EM_NONE;

		if (machine == EM_386 || machine == EM_ARM)
			return true;
	}
	return false;
}

/* User stacks that should have been unwound and were not. */
static void report_not_unwound(struct profile *profile)
{
	const struct profile_quality *quality = &profile->notes->quality;

	if (quality->snapshots_missing)
		account_note(profile, ACCOUNT_NO_SNAPSHOT,
			     account_share(quality->snapshots_missing, quality->samples),
			     "%" PRIu64 " user stack%s by frame pointer only, without a snapshot in the trace",
			     quality->snapshots_missing, plural(quality->snapshots_missing));
	if (quality->callers_unknown)
		account_note(profile, ACCOUNT_WRONG_STACKS, account_share(quality->callers_unknown, quality->samples),
			     "%" PRIu64 " user stack%s by frame pointers in which the caller of a function without "
			     "one is not known",
			     quality->callers_unknown, plural(quality->callers_unknown));
	if (has_narrow_code(profile))
		account_note(profile, ACCOUNT_OTHER_MACHINE, 100,
			     "user stacks of 32-bit programs are by frame pointer only, with --dwarf, too");
	if (profile->machine_unknown)
		account_note(profile, ACCOUNT_OTHER_MACHINE, 100,
			     "user stacks are by frame pointer only: "
			     "stacks of that kind of machine cannot be unwound here");
}

struct unread_maps { /* of processes whose mappings could not be read, by whether root was refused */
	uint64_t counts[2];
	uint32_t reasons[2]; /* the first one's errno */
	uint64_t no_room;    /* changes */
};

static void add_unread_maps(struct unread_maps *sum, const struct trace_model *model)
{
	sum->no_room += model->timeline.refused;
	for (size_t i = 0; i < model->maps_unavailable.count; i++) {
		uint32_t reason = model->maps_unavailable.items[i].reason;
		bool refused = reason == EACCES || reason == EPERM;

		if (!sum->counts[refused]++)
			sum->reasons[refused] = reason;
	}
}

static void report_maps(struct profile *profile)
{
	const struct trace_model *model;
	struct unread_maps unread = {0};

	for (size_t i = 0; (model = account_model(profile, i)); i++)
		add_unread_maps(&unread, model);
	for (int refused = 0; refused <= 1; refused++) {
		if (!unread.counts[refused])
			continue;
		account_note(profile, ACCOUNT_MAPPINGS, 0,
			     "the mappings of %" PRIu64 " process%s could not be read (%s)", unread.counts[refused],
			     unread.counts[refused] == 1 ? "" : "es", strerror((int)unread.reasons[refused]));
		if (refused)
			account_remedy(profile, "the host refuses them to root, so functions there have no names");
	}
	if (unread.no_room) {
		account_note(profile, ACCOUNT_MAPPINGS, 100,
			     "%" PRIu64 " change%s of mappings left out: not enough memory", unread.no_room,
			     plural(unread.no_room));
		account_remedy(profile, "what was mapped then may have wrong names");
	}
}

/* When, in seconds since the start of the recording. Only the first few. */
static void report_unsure_spans(struct profile *profile, const struct trace_model *model)
{
	enum { SPANS_SHOWN = 3 };
	size_t count = model->unsure_times.spans.count;

	for (size_t i = 0; i < count && i < SPANS_SHOWN; i++) {
		const struct unsure_span *span = &model->unsure_times.spans.items[i];

		account_detail(profile, "from %s s to %s s",
			       figure_seconds(span->from > model->start ? span->from - model->start : 0).text,
			       figure_seconds(span->until > model->start ? span->until - model->start : 0).text);
	}
	if (count > SPANS_SHOWN)
		account_detail(profile, "and %zu more", count - SPANS_SHOWN);
}

static void report_unsure(struct profile *profile)
{
	const struct trace_model *model;

	if (!profile->notes->quality.unsure)
		return;
	report_samples(profile, ACCOUNT_UNSURE, profile->notes->quality.unsure,
		       "from times when records of processes are missing: "
		       "what started then may have wrong names or none",
		       "");
	for (size_t i = 0; (model = account_model(profile, i)); i++)
		report_unsure_spans(profile, model);
}

static int compare_copied(const void *left, const void *right)
{
	const struct copied_code *a = left, *b = right;

	return COMPARE(a->module, b->module) ?: COMPARE(a->tgid, b->tgid);
}

/*
 * Counts the processes with copied code of items[first]'s module for which a frame was named after it. Other
 * processes of the host do not concern the report. *ret_next: where the next module's items begin.
 */
static uint64_t count_copied(const struct trace_model *model, size_t first, size_t *ret_next)
{
	const struct copied_code *items = model->copied.items;
	const struct copied_code *last = NULL;
	uint64_t processes = 0;
	size_t i = first;

	for (; i < model->copied.count && items[i].module == items[first].module; i++) {
		if (!items[i].referred)
			continue;
		processes += !last || items[i].tgid != last->tgid;
		last = &items[i];
	}
	*ret_next = i;
	return processes;
}

static void report_copied(struct profile *profile, struct trace_model *model)
{
	enum { MODULES_SHOWN = 5 };
	size_t shown = 0;

	if (model->copied.count)
		qsort(model->copied.items, model->copied.count, sizeof(*model->copied.items), compare_copied);
	for (size_t i = 0, next; i < model->copied.count && shown < MODULES_SHOWN; i = next) {
		const struct trace_module *module = trace_model_module(model, model->copied.items[i].module);
		uint64_t processes = count_copied(model, i, &next);

		if (!processes)
			continue;
		shown++;
		account_note(profile, ACCOUNT_COPIED_CODE, 0,
			     "memory without a file holds a copy of code of '%s' in %" PRIu64
			     " process%s: compared, and named by the file",
			     module ? module->path : "?", processes, processes == 1 ? "" : "es");
	}
}

/* --- frames without names --- */

struct unnamed_module {
	uint32_t module;
	uint64_t samples; /* whose leaf has no name */
	uint32_t alike;
	const char *why;
};

/* Modules that print the same become adjacent. */
static int compare_printed(const void *one, const void *two)
{
	const struct unnamed_module *a = one, *b = two;

	return COMPARE(a->alike, b->alike) ?: strcmp(a->why, b->why) ?: COMPARE(a->module, b->module);
}

/* Joins modules that differ only in the trace they are from into one line. Returns how many are left. */
static size_t join_unnamed(const struct profile *profile, struct unnamed_module *modules, size_t count)
{
	size_t kept = 0;

	for (size_t i = 0; i < count; i++) {
		modules[i].alike = profile->modules.items.items[i]->alike;
		modules[i].why = account_why(profile->modules.items.items[i]);
	}
	qsort(modules, count, sizeof(*modules), compare_printed);
	for (size_t i = 0; i < count; i++) {
		if (kept && modules[kept - 1].alike == modules[i].alike && modules[kept - 1].why == modules[i].why)
			modules[kept - 1].samples += modules[i].samples;
		else
			modules[kept++] = modules[i];
	}
	return kept;
}

/* Most samples first, then by what is printed: module numbers can differ between traces with the same content. */
static int compare_unnamed(const void *one, const void *two, void *context)
{
	const struct unnamed_module *a = one, *b = two;
	struct module *const *modules = context;
	const struct module *left = modules[a->module], *right = modules[b->module];

	return COMPARE(b->samples, a->samples) ?: strcmp(left->path, right->path) ?: strcmp(left->name, right->name) ?:
	       strcmp(left->build_id, right->build_id) ?: COMPARE(a->module, b->module);
}

static void count_unnamed(struct profile *profile, struct unnamed_module *modules)
{
	for (size_t i = 0; i < profile->entries.count; i++) {
		const struct profile_entry *entry = &profile->entries.items[i];
		uint32_t frame = profile->nodes.items[entry->node].frame;

		if (entry->node && profile->account_kinds & 1U << profile->sources.items[entry->source].kind &&
		    !profile_symbol(profile, frame)->name)
			modules[profile->frames.items[frame].module].samples += entry->samples;
	}
}

const char *account_why(const struct module *module)
{
	static const char *const texts[] = {
		[SYMBOLS_NOT_ASKED] = "the file had no symbols when it was recorded",
		[SYMBOLS_FOUND] = "no symbol at that address",
		[SYMBOLS_NONE_IN_FILE] = "the file has no symbols",
		[SYMBOLS_NO_BUILD_ID] = "no build-id",
		[SYMBOLS_NO_FILE] = "no file with its build-id",
		[SYMBOLS_NO_PLACE] = ("the module's code does not begin with .text, "
				      "so the addresses of its functions are unknown"),
		[SYMBOLS_NOT_OPENED] = "the file at its path was not opened",
		[SYMBOLS_UNREADABLE] = "the file is not a readable ELF file",
		[SYMBOLS_OTHER_BUILD_ID] = "the file here has another build-id and was refused",
	};
	enum symbol_state state = module->local_state;

	if (module->kind == 0)
		return "in no known mapping";
	if (module->kind == MODULE_ANONYMOUS)
		return "code made at run time";
	if (module_was_embedded(module)) /* anything on this machine */
		state = module->embedded ? SYMBOLS_FOUND : SYMBOLS_NOT_ASKED;
	else if (module->embedded && !module->local)
		state = SYMBOLS_FOUND;
	return texts[state];
}

static void report_unnamed_module(struct profile *profile, const struct unnamed_module *unnamed)
{
	const struct module *module = profile->modules.items.items[unnamed->module];

	account_detail(profile, "%.1f%% %s%s%s%s: %s",
		       account_share(unnamed->samples, profile->notes->quality.samples),
		       module->path[0] ? module->path : module->name,
		       module->build_id[0] ? " (" : "", module->build_id,
		       module->build_id[0] ? ")" : "", account_why(module));
}

/* Names may be missing because files were not opened. */
static void report_unopened(struct profile *profile)
{
	_cleanup_(opener_refusals_deinit) struct opener_refusals refusals = {0};
	enum opener_reason most = 0;
	uint64_t sum = 0;
	int r = opener_refusals(profile->names.opener, &refusals);

	for (enum opener_reason i = 0; i < OPENER_REASONS; i++) {
		sum += refusals.counts[i];
		most = refusals.counts[i] > refusals.counts[most] ? i : most;
	}
	if (r < 0 || !sum) {
		profile->notes->failed |= r == -ENOMEM;
		return;
	}
	account_detail(profile, "%" PRIu64 " file%s not opened, %s%s: see --needs", sum, plural(sum),
		       refusals.counts[most] < sum ? "most of them " : "", opener_reason_text(most));
}

/* The sum, and the module with the largest part of it. */
static void report_unnamed_sum(struct profile *profile, uint64_t sum, const struct unnamed_module *first)
{
	const struct module *module = profile->modules.items.items[first->module];
	double share = account_share(sum, profile->notes->quality.samples);

	account_note(profile, ACCOUNT_UNNAMED, share,
		     "%" PRIu64 " sample%s (%.1f%%) with an unnamed leaf, %sin '%s': %s", sum,
		     plural(sum), share, first->samples < sum ? "most often " : "",
		     module->path[0] ? module->path : module->name,
		     account_why(module));
}

static void report_unnamed(struct profile *profile)
{
	enum { MODULES_SHOWN = 5 };
	size_t count = profile->modules.items.count, shown;
	_cleanup_free_ struct unnamed_module *modules = calloc(count + 1, sizeof(*modules));
	uint64_t sum = 0, rest = 0;

	profile->notes->failed |= !modules;
	if (!modules)
		return;
	for (size_t i = 0; i < count; i++)
		modules[i].module = (uint32_t)i;
	count_unnamed(profile, modules);
	count = join_unnamed(profile, modules, count);
	qsort_r(modules, count, sizeof(*modules), compare_unnamed, profile->modules.items.items);
	for (size_t i = 0; i < count; i++)
		sum += modules[i].samples;
	if (!sum)
		return;
	report_unnamed_sum(profile, sum, &modules[0]);
	for (shown = 0; shown < count && shown < MODULES_SHOWN && modules[shown].samples; shown++)
		report_unnamed_module(profile, &modules[shown]);
	for (; shown < count; shown++)
		rest += modules[shown].samples;
	if (rest)
		account_detail(profile, "%.1f%% in other modules",
			       account_share(rest, profile->notes->quality.samples));
	report_unopened(profile);
}

/* --- modules --- */

/* Of lines and inlined functions that could not be read. */
static const char *reason_of(int error)
{
	switch (error) {
	case -EMSGSIZE:
		return "they are too many";
	case -ETIMEDOUT:
		return "its DWARF took too long to read";
	case -ENOBUFS:
		return "its DWARF took too much memory to read";
	case -EXDEV:
		return "inlined functions are in .dwo or .dwp files, which are not read";
	case -ENOTSUP:
		return "libdw cannot decompress its DWARF (zstd needs libdw 0.189)";
	case -EBADMSG:
		return "its DWARF is malformed or incomplete";
	default:
		return "its DWARF could not be read";
	}
}

/* A refused file is reported even if few samples are affected: the user expects it to be used. */
static void report_module(struct profile *profile, const struct module *module, bool other)
{
	if (other)
		account_note(profile, ACCOUNT_REFUSED, 0, "'%s' was refused: its build-id is not %s",
			     module->path, module->build_id);
	if (module->refused_path[0])
		account_note(profile, ACCOUNT_REFUSED, 0,
			     "'%s' was refused: it is not the debug file of '%s' with build-id %s",
			     module->refused_path, module->path, module->build_id);
}

/* Once for modules that differ only in the trace they are from. */
static void report_modules(struct profile *profile)
{
	size_t count = profile->modules.items.count;
	_cleanup_free_ bool *refused = calloc(count + 1, sizeof(*refused)), *lines = calloc(count + 1, sizeof(*lines));

	for (size_t i = 0; i < count && refused && lines; i++) {
		const struct module *module = profile->modules.items.items[i];
		const bool other = module->local_state == SYMBOLS_OTHER_BUILD_ID && !module_was_embedded(module);

		if (!refused[module->alike])
			report_module(profile, module, other);
		refused[module->alike] |= other || module->refused_path[0];
		if (module->lines_error && !lines[module->alike])
			account_note(profile, ACCOUNT_NO_LINES, 0,
				     "some lines and inlined functions of '%s' are unknown: %s", module->path,
				     reason_of(module->lines_error));
		lines[module->alike] |= module->lines_error != 0;
	}
	profile->notes->failed |= !refused || !lines;
}

void account_quality(struct profile *profile)
{
	struct trace_model *model;

	profile_quality_sum(profile, profile->account_kinds, &profile->notes->quality);
	report_stacks(profile);
	report_unwinding(profile);
	report_not_unwound(profile);
	report_maps(profile);
	for (size_t i = 0; (model = account_model(profile, i)); i++)
		report_copied(profile, model);
	report_unsure(profile);
	report_unnamed(profile);
	report_modules(profile);
}

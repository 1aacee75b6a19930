/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "report/profile_account_lines.h"

static int tell_stacks(struct profile *profile)
{
	const struct profile_quality *quality = &profile->quality;
	const struct {
		uint64_t count;
		const char *text;
	} notes[] = {
		{quality->kernel_truncated, "have a kernel stack cut at the depth limit"},
		{quality->user_truncated, "have a user stack cut at the depth limit"},
		{quality->user_fault, "lack the user stack: its memory could not be read"},
		{quality->user_exiting, "lack the user stack: the task was exiting"},
		{quality->user_changed, "lack the user stack: the system call returned elsewhere (exec)"},
		{quality->user_no_room, "lack the user stack: it was not taken when the wait began"},
		{quality->user_not_returned, "lack the user stack: the system call had not returned"},
		{quality->user_busy, "lack the user stack: its memory was locked, or took too long to read"},
		{quality->user_ran, "lack the user stack: the task ran before it was copied"},
		{quality->user_refused, "lack the user stack: the recording kernel does not let it be copied"},
		{quality->trimmed, "have a user stack that ends in addresses outside every mapping (trimmed)"},
		{quality->no_maps, "are of processes whose mappings are not known"},
		{quality->stripped, "had the recorder's own BPF frames taken off (--raw-frames keeps them)"},
		{quality->unknown_source, "are of a source the trace does not describe and are left out"},
	};
	int r = 0;

	for (size_t i = 0; i < sizeof(notes) / sizeof(notes[0]) && r == 0; i++)
		if (notes[i].count)
			r = account_line(profile, "%" PRIu64 " samples (%.1f%%) %s", notes[i].count,
					 account_share(notes[i].count, quality->samples), notes[i].text);
	return r;
}

/* How the unwound stacks end, where not as they should. */
static int tell_unwinding(struct profile *profile)
{
	const struct profile_quality *quality = &profile->quality;
	const struct {
		uint64_t count;
		const char *text;
	} notes[] = {
		{quality->stops[NOTE_TRUNCATED], "are longer than what was recorded of them ([truncated])"},
		{quality->stops[NOTE_NO_CFI], "end in code without unwind information"},
		{quality->stops[NOTE_BAD_RETURN], "end in an address that is no code"},
		{quality->stops[NOTE_TOO_DEEP], "are too deep"},
		{quality->tails, "have callers by frame pointer behind the end of the snapshot"},
		{quality->guessed, "have callers that were guessed"},
	};
	int r = 0;

	for (size_t i = 0; i < sizeof(notes) / sizeof(notes[0]) && r == 0; i++)
		if (notes[i].count)
			r = account_line(profile, "%" PRIu64 " unwound stacks (%.1f%%) %s", notes[i].count,
					 account_share(notes[i].count, quality->unwound), notes[i].text);
	if (r == 0 && quality->snapshots_missing)
		r = account_line(profile, "%" PRIu64 " user stacks are by frame pointer only: their snapshots are not in the trace",
				 quality->snapshots_missing);
	if (r == 0 && quality->machine_unknown)
		r = account_line(profile, "user stacks are by frame pointer only: no stacks of the recorded machine are unwound here");
	return r;
}

static int tell_maps(struct profile *profile)
{
	uint64_t unavailable = 0, refused = 0;
	int r = 0;

	for (size_t i = 0; i < profile->file_count; i++)
		for (size_t j = 0; j < profile->files[i]->model_count; j++) {
			unavailable += profile->files[i]->models[j].maps_unavailable.count;
			refused += profile->files[i]->models[j].timeline.refused;
		}
	if (unavailable)
		r = account_line(profile, "the mappings of %" PRIu64 " processes were unavailable when they were asked for",
				 unavailable);
	if (r == 0 && refused)
		r = account_line(profile, "%" PRIu64 " changes of mappings were left out for want of memory", refused);
	return r;
}

/* --- frames without names --- */

struct unnamed_module {
	uint32_t module;
	uint64_t samples; /* whose leaf has no name */
};

static int compare_unnamed(const void *one, const void *two)
{
	const struct unnamed_module *a = one, *b = two;

	if (a->samples != b->samples)
		return a->samples > b->samples ? -1 : 1;
	return a->module < b->module ? -1 : a->module > b->module;
}

static void count_unnamed(struct profile *profile, struct unnamed_module *modules)
{
	for (size_t i = 0; i < profile->entries.count; i++) {
		const struct profile_entry *entry = &profile->entries.items[i];
		uint32_t frame = profile->nodes.items[entry->node].frame;

		if (entry->node && !profile_symbol(profile, frame)->name)
			modules[profile->frames.items[frame].module].samples += entry->samples;
	}
}

const char *account_why(const struct module *module)
{
	static const char *const texts[] = {
		[SYMBOLS_NOT_ASKED] = "the file named nothing when it was recorded",
		[SYMBOLS_FOUND] = "no symbol there",
		[SYMBOLS_NONE_IN_FILE] = "the file names nothing",
		[SYMBOLS_NO_BUILD_ID] = "no build-id",
		[SYMBOLS_NO_FILE] = "no file with its build-id",
		[SYMBOLS_NO_PLACE] = "the module's code does not begin with .text: nothing tells where its functions are",
		[SYMBOLS_UNREADABLE] = "the file is not a readable ELF file",
		[SYMBOLS_OTHER_BUILD_ID] = "the file here has another build-id and was refused",
	};
	enum symbol_state state = module->local_state;

	if (module->kind == 0)
		return "in no known mapping";
	if (module->kind == MODULE_ANONYMOUS)
		return "code made at run time";
	if (module->embedded && (state == SYMBOLS_NO_FILE || state == SYMBOLS_NOT_ASKED))
		state = SYMBOLS_FOUND;
	return texts[state];
}

static int tell_unnamed(struct profile *profile)
{
	enum { MODULES_SHOWN = 5 };
	size_t count = profile->modules.items.count, shown;
	_cleanup_free_ struct unnamed_module *modules = calloc(count + 1, sizeof(*modules));
	uint64_t sum = 0, rest = 0;
	int r = 0;

	if (!modules)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++)
		modules[i].module = (uint32_t)i;
	count_unnamed(profile, modules);
	qsort(modules, count, sizeof(*modules), compare_unnamed);
	for (size_t i = 0; i < count; i++)
		sum += modules[i].samples;
	if (!sum)
		return 0;
	r = account_line(profile, "%" PRIu64 " samples (%.1f%%) have a leaf without a name:", sum,
			 account_share(sum, profile->quality.samples));
	for (shown = 0; shown < count && shown < MODULES_SHOWN && modules[shown].samples && r == 0; shown++) {
		const struct module *module = profile->modules.items.items[modules[shown].module];

		r = account_line(profile, "    %.1f%% %s%s%s%s: %s",
				 account_share(modules[shown].samples, profile->quality.samples),
				 module->path[0] ? module->path : module->name, module->build_id[0] ? " (" : "",
				 module->build_id, module->build_id[0] ? ")" : "", account_why(module));
	}
	for (; shown < count; shown++)
		rest += modules[shown].samples;
	if (r == 0 && rest)
		r = account_line(profile, "    %.1f%% in other modules", account_share(rest, profile->quality.samples));
	return r;
}

/* A refused file is told even where few samples are concerned: somebody expects it to be used. */
static int tell_refused(struct profile *profile)
{
	int r = 0;

	for (size_t i = 0; i < profile->modules.items.count && r == 0; i++) {
		const struct module *module = profile->modules.items.items[i];

		if (module->local_state == SYMBOLS_OTHER_BUILD_ID)
			r = account_line(profile, "'%s' was refused: its build-id is not %s", module->path, module->build_id);
		if (r == 0 && module->refused_path[0])
			r = account_line(profile, "'%s' was refused: it is not the debug file of '%s' with build-id %s",
					 module->refused_path, module->path, module->build_id);
	}
	return r;
}

int account_quality(struct profile *profile)
{
	int r = tell_stacks(profile);

	if (r == 0)
		r = tell_unwinding(profile);
	if (r == 0)
		r = tell_maps(profile);
	if (r == 0)
		r = tell_unnamed(profile);
	return r < 0 ? r : tell_refused(profile);
}

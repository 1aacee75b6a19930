/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/cleanup.h"
#include "common/log.h"
#include "common/printable.h"
#include "report/symbol/modules.h"
#include "report/tool/condense_parts.h"

bool condense_holds_tables(const struct trace_file *file)
{
	for (size_t i = 0; i < file->model_count; i++)
		for (size_t k = 0; k < file->models[i].modules.count; k++)
			if (file->models[i].modules.items[k].unwind_chunks.count)
				return true;
	return false;
}

/* If the recorder read a file for its unwind tables, the trace has all of them, even if the file has none (Go). */
static bool lacks_tables(const struct condensing *condensing, const struct module *module)
{
	return (module->kind == MODULE_FILE || module->kind == MODULE_VDSO) && module->unwind &&
	       module->unwind->source == UNWIND_NOWHERE &&
	       !(condensing->holds_tables && module_was_embedded(module));
}

static int count_module(struct condensing *condensing, uint32_t number)
{
	size_t room = condensing->missing_room;
	struct condense_missing *missing;

	if (array_reserve_raw((void **)&condensing->missing, &condensing->missing_room, (size_t)number + 1,
			      sizeof(*condensing->missing)) < 0)
		return -ENOMEM;
	if (condensing->missing_room > room)
		memset(condensing->missing + room, 0,
		       (condensing->missing_room - room) * sizeof(*condensing->missing));
	missing = &condensing->missing[number];
	missing->module = condensing->profile->modules.items.items[number];
	missing->stacks += missing->last != condensing->counts.unwound;
	missing->last = condensing->counts.unwound;
	return 0;
}

/* The module of a frame if it lacks tables, else 0. */
static int judge_frame(struct condensing *condensing, uint32_t process, uint64_t address, bool *broken)
{
	struct profile_frame frame = {.address = address};
	struct mapping mapping;
	int r;

	if (!timeline_find(&condensing->model->timeline, process, address, &mapping))
		return 0;
	r = chain_mapped_frame(&condensing->context, process, &mapping, &frame);
	if (r < 0 || !lacks_tables(condensing, condensing->profile->modules.items.items[frame.module]))
		return r;
	*broken = true;
	return count_module(condensing, frame.module);
}

/* Frames can be skipped if tables found their caller. */
int condense_note_missing(struct condensing *condensing, uint32_t process, const struct unwind_chain *chain)
{
	bool broken = false;
	int r = 0;

	for (size_t i = 0; i < chain->count && !r; i++)
		if (i + 1 == chain->count || (chain->how[i + 1] & UNWIND_HOW_MASK) != UNWIND_BY_CFI)
			r = judge_frame(condensing, process,
					chain->addresses[i] - chain_is_caller(chain, i), &broken);
	condensing->counts.broken += broken;
	return r;
}

/* Most stacks first. */
static int compare_missing(const void *left, const void *right)
{
	const struct condense_missing *l = left, *r = right;
	int order;

	if (l->stacks != r->stacks)
		return l->stacks > r->stacks ? -1 : 1;
	order = l->module && r->module ? strcmp(l->module->path, r->module->path) : 0;
	return order || !l->module || !r->module ? order : strcmp(l->module->build_id, r->module->build_id);
}

static void list_modules(struct condensing *condensing)
{
	enum { SHOWN = 20 };
	const struct condense_missing *missing = condensing->missing;
	size_t count = 0;

	qsort(condensing->missing, condensing->missing_room, sizeof(*missing), compare_missing);
	for (; count < condensing->missing_room && missing[count].stacks; count++)
		if (count < SHOWN)
			log_info("    %s, build-id %s: in %" PRIu64 " stack%s", missing[count].module->path,
				 missing[count].module->build_id[0] ? missing[count].module->build_id : "none",
				 missing[count].stacks, plural(missing[count].stacks));
	if (count > SHOWN)
		log_info("    and %zu more module%s", count - SHOWN, plural(count - SHOWN));
}

int condense_tell_missing(struct condensing *condensing)
{
	const struct condense_counts *counts = &condensing->counts;

	if (!counts->broken)
		return 0;
	if (condensing->partial)
		log_warning("unwind tables are missing for %" PRIu64 " of %" PRIu64 " stack%s; "
			    "callers beyond these modules are lost:", counts->broken,
			    counts->unwound, plural(counts->unwound));
	else
		(void)log_error(ENODATA, "unwind tables are missing for %" PRIu64 " of %" PRIu64
					 " stack%s, in these modules:",
				counts->broken, counts->unwound, plural(counts->unwound));
	list_modules(condensing);
	if (condensing->partial)
		return 0;
	log_info("run it on the recorded host, or give the files with --symfs DIR (debug files "
		 "with --debug-dir DIR); --partial condenses what can be unwound and loses the "
		 "rest forever");
	return -ENODATA;
}

/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Access to a finished profile. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/log.h"
#include "report/profile/tables/profile_internal.h"
#include "report/profile/tables/profile_levels.h"
#include "report/resolve/symbol/pretty_name.h"

size_t profile_sources(const struct profile *profile, const struct profile_source **ret_sources)
{
	*ret_sources = profile->sources.items;
	return profile->sources.count;
}

size_t profile_entries(const struct profile *profile, const struct profile_entry **ret_entries)
{
	*ret_entries = profile->entries.items;
	return profile->entries.count;
}

const struct profile_node *profile_nodes(const struct profile *profile, size_t *ret_count)
{
	*ret_count = profile->nodes.count;
	return profile->nodes.items;
}

const struct profile_frame *profile_frames(const struct profile *profile, size_t *ret_count)
{
	*ret_count = profile->frames.count;
	return profile->frames.items;
}

const struct profile_module *profile_modules(const struct profile *profile, size_t *ret_count)
{
	*ret_count = profile->module_list.count;
	return profile->module_list.items;
}

const struct profile_task *profile_tasks(const struct profile *profile, size_t *ret_count)
{
	*ret_count = profile->tasks.count;
	return profile->tasks.items;
}

bool profile_task_wanted(const struct profile *profile, uint32_t task)
{
	return profile->task_wanted.items[task];
}

size_t profile_walks(const struct profile *profile, const struct profile_walk **ret_walks)
{
	*ret_walks = profile->walks.items;
	return profile->walks.count;
}

size_t profile_walk_tasks(const struct profile *profile, const struct profile_walk_task **ret_rows)
{
	*ret_rows = profile->walk_tasks.items;
	return profile->walk_tasks.count;
}

static const char *note_text(enum profile_note note)
{
	static const char *const texts[NOTES] = {
		[NOTE_TRUNCATED] = "[truncated]",
		[NOTE_NO_CFI] = "[no unwind information]",
		[NOTE_BAD_RETURN] = "[bad return address]",
		[NOTE_TOO_DEEP] = "[too deep]",
		[NOTE_SWITCHED] = "[another stack]",
		[NOTE_NO_MEMORY] = "[stack not in memory]",
		[NOTE_TAIL] = "[truncated: callers by frame pointer]",
		[NOTE_SWITCHED_TAIL] = "[another stack: callers by frame pointer]",
		[NOTE_CALLER_UNKNOWN] = "[caller unknown]",
	};

	return note < NOTES ? texts[note] : NULL;
}

/* A name from DWARF as people see it. */
static const char *level_name(struct profile *profile, const char *name)
{
	char *pretty = profile->names.mangled ? NULL : pretty_name(name, profile->names.full);
	const char *kept = name;

	if (pretty && text_pool_add(&profile->texts, pretty, strlen(pretty), &kept) < 0)
		kept = name;
	free(pretty);
	return kept;
}

/* Finds the frame's line as far as known, and the function's name if it is inlined. False if nothing is known. */
static bool find_level(const struct profile *profile, const struct profile_frame *frame,
		       struct line_level *ret_level)
{
	const struct line_level *levels;
	size_t count = profile_find_levels(profile, frame, &levels);

	if (frame->inline_depth >= count)
		return false;
	*ret_level = levels[count - 1 - frame->inline_depth];
	return true;
}

/* Adds what DWARF knows. The real function keeps the name of its symbol, if there is one. */
static void add_level(struct profile *profile, const struct profile_frame *frame,
		      struct profile_symbol *symbol)
{
	struct line_level level;

	symbol->inlined = frame->inline_depth;
	if (!find_level(profile, frame, &level))
		return;
	symbol->file = level.file;
	symbol->line = level.line;
	if (symbol->inlined) {
		symbol->name = level.function ? level_name(profile, level.function) : "[unknown]";
	} else if (!symbol->name && level.function) {
		symbol->name = level_name(profile, level.function);
		symbol->no_offset = true;
	}
}

/* For code without a name: finds where its function starts. */
static void add_place(struct profile *profile, const struct profile_frame *frame,
		      struct profile_symbol *symbol)
{
	uint64_t end;
	int r;

	if (symbol->name || frame->kernel)
		return;
	r = modules_find_function(&profile->modules, frame->module, frame->address, frame->caller,
				  &symbol->start, &end);
	profile->names_lack_memory |= r == -ENOMEM;
	if (r <= 0)
		return;
	symbol->placed = true;
	symbol->offset = frame->address - symbol->start;
}

int profile_begin_symbols(struct profile *profile)
{
	profile->symbols = calloc(profile->frames.count + 1, sizeof(*profile->symbols));
	profile->symbol_known = calloc(profile->frames.count + 1, sizeof(*profile->symbol_known));
	return profile->symbols && profile->symbol_known ? 0 : -ENOMEM;
}

void profile_forget_symbols(struct profile *profile)
{
	free(profile->symbols);
	free(profile->symbol_known);
	profile->symbols = NULL;
	profile->symbol_known = NULL;
}

static const char *name_of(const struct profile *profile, const struct module_symbol *found)
{
	if (profile->names.mangled)
		return symbol_index_name(found->index, found->symbol);
	return symbol_index_pretty_name(found->index, found->symbol, profile->names.full);
}

const struct profile_symbol *profile_symbol(struct profile *profile, uint32_t number)
{
	const struct profile_frame *frame = &profile->frames.items[number];
	struct profile_symbol *symbol = &profile->symbols[number];
	struct module_symbol found;
	int r;

	if (profile->symbol_known[number])
		return symbol;
	profile->symbol_known[number] = true;
	if (frame->note) {
		symbol->name = note_text(frame->note);
		symbol->no_offset = true;
		return symbol;
	}
	/* Without memory, the address is printed instead, and the report fails at its end. */
	r = modules_find_symbol(&profile->modules, frame->module, frame->address, frame->caller, &found);
	profile->names_lack_memory |= r == -ENOMEM;
	if (r > 0) {
		symbol->start = found.start;
		symbol->offset = frame->address - found.start;
		symbol->name = name_of(profile, &found);
	}
	add_level(profile, frame, symbol);
	add_place(profile, frame, symbol);
	return symbol;
}

int profile_check_names(const struct profile *profile)
{
	if (!profile->names_lack_memory)
		return 0;
	return log_error(ENOMEM, "not enough memory for the names of this report; --max-memory raises the limit");
}

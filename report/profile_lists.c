/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* What a finished profile lends out. */
#include <string.h>

#include "report/profile_inline.h"
#include "report/resolve/pretty_name.h"

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
		[NOTE_TAIL] = "[truncated: callers by frame pointer]",
		[NOTE_GUESSED] = "[callers guessed]",
	};

	return note < NOTES ? texts[note] : NULL;
}

/* A name from DWARF as people are to see it. */
static const char *level_name(struct profile *profile, const char *name)
{
	char *pretty = profile->names.mangled ? NULL : pretty_name(name, profile->names.full);
	const char *kept = name;

	if (pretty && text_pool_add(&profile->texts, pretty, strlen(pretty), &kept) < 0)
		kept = name;
	free(pretty);
	return kept;
}

/* What DWARF knows. The real function is called what its symbol is called, where it has one. */
static void add_level(struct profile *profile, const struct profile_frame *frame, struct profile_symbol *symbol)
{
	struct line_level level;

	symbol->inlined = frame->inline_depth;
	if (!profile_find_level(profile, frame, &level))
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

const struct profile_symbol *profile_symbol(struct profile *profile, uint32_t number)
{
	const struct profile_frame *frame = &profile->frames.items[number];
	struct profile_symbol *symbol = &profile->symbols[number];
	struct module_symbol found;

	if (profile->symbol_known[number])
		return symbol;
	profile->symbol_known[number] = true;
	if (frame->note) {
		symbol->name = note_text(frame->note);
		symbol->no_offset = true;
		return symbol;
	}
	/* No memory is as good as no name: the address is printed instead. */
	if (modules_find_symbol(&profile->modules, frame->module, frame->address, frame->caller, &found) > 0) {
		symbol->start = found.start;
		symbol->offset = frame->address - found.start;
		symbol->name = profile->names.mangled ? symbol_index_name(found.index, found.symbol) :
							symbol_index_pretty_name(found.index, found.symbol, profile->names.full);
	}
	add_level(profile, frame, symbol);
	return symbol;
}

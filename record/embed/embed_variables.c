/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "record/embed/embed_variables.h"

#include <errno.h>
#include <stdlib.h>

#include "common/cleanup.h"
#include "format/event_log.h"
#include "record/embed/symbol_source.h"
#include "record/machine/clocks.h"
#include "record/pick/debug_pick.h"
#include "record/place/module_files.h"
#include "record/place/variables.h"
#include "record/plan/recording.h"

enum { LATE_TRIES = 4 };

struct naming {
	struct recording *recording;
	struct module_files *files;
	struct symbol_source *source;
	uint64_t until, *used;
};

/* The variables of one file, ascending by offset. */
struct places {
	const struct variable *variables;
	size_t count;
	uint64_t *offsets; /* each once */
	size_t offset_count;
};

static int gather(const struct variable *variables, size_t count, struct places *ret_places)
{
	struct places places = {.variables = variables};

	while (places.count < count && variables[places.count].module == variables[0].module)
		places.count++;
	places.offsets = malloc(places.count * sizeof(*places.offsets));
	if (!places.offsets)
		return -ENOMEM;
	for (size_t i = 0; i < places.count; i++)
		if (!i || variables[i].offset != variables[i - 1].offset)
			places.offsets[places.offset_count++] = variables[i].offset;
	*ret_places = places;
	return 0;
}

/* Opens the file through one of the processes that have mapped it; it is not known which of them still live. */
static bool find_file(const struct naming *naming, const struct places *places, uint32_t module)
{
	uint32_t asked = 0;

	for (size_t i = 0, tries = 0; i < places->count && tries < LATE_TRIES; i++) {
		const struct variable *variable = &places->variables[i];

		if (module_files_fd(naming->files, module) >= 0)
			break;
		if (i && variable->object.tgid == asked)
			continue;
		asked = variable->object.tgid;
		module_files_open_late(naming->files, module, asked, variable->start, variable->end, naming->until);
		tries++;
	}
	return module_files_fd(naming->files, module) >= 0;
}

static int ask(const struct naming *naming, const struct places *places, const struct module_entry *file,
	       struct elf_reply *ret_reply)
{
	char path[DEBUG_PICK_PATH];
	const bool has_path = debug_pick_path(&file->build_id, path);
	_cleanup_close_ int debug = has_path ? module_files_debug(naming->files, path) : -1;
	const struct symbol_wish wish = {.what = ELF_VARIABLES, .debug_fd = debug, .room = EMBED_BYTES - *naming->used};

	return symbol_source_ask(naming->source, &wish, module_files_fd(naming->files, file->id), places->offsets,
				 places->offset_count, ret_reply);
}

/* Writes all futexes at that place, which may be of several processes. */
static int tell(const struct naming *naming, const struct places *places, const struct event_symbol *found)
{
	int r = 0;

	for (size_t i = 0; i < places->count && !r; i++) {
		struct event event = {.kind = EVENT_OBJECT, .object = places->variables[i].object};

		if (places->variables[i].offset != found->address)
			continue;
		event.object.name = found->name;
		event.object.offset = found->size;
		r = recording_check(naming->recording, event_log_add(naming->recording->log, &event));
	}
	return r;
}

/* If the helper fails, the rest gets no names. */
static int tell_all(const struct naming *naming, const struct places *places, bool wanted)
{
	const struct event_symbol *found;
	size_t count;
	int r = 0;

	while (!r && symbol_source_next(naming->source, &found, &count) > 0)
		for (size_t i = 0; i < count && wanted && !r; i++)
			r = tell(naming, places, &found[i]);
	return r;
}

static int name_places(const struct naming *naming, const struct places *places)
{
	const struct module_entry *file = module_table_find(naming->recording->modules, places->variables[0].module);
	struct elf_reply reply;
	bool same;

	if (!file || !find_file(naming, places, file->id) || ask(naming, places, file, &reply) || reply.error)
		return 0;
	same = !file->build_id.length || build_id_equal(&file->build_id, &reply.build_id);
	*naming->used += reply.bytes;
	return tell_all(naming, places, same);
}

int embed_variables(struct recording *recording, struct module_files *files, struct symbol_source *source,
		    const struct embed_watch *watch, uint64_t until, uint64_t *used)
{
	const struct naming naming = {.recording = recording, .files = files, .source = source, .until = until,
				      .used = used};
	const struct variable *variables;
	size_t count = recording->variables ? variables_sorted(recording->variables, &variables) : 0;
	int r = 0;

	symbol_source_limit(source, until);
	for (size_t done = 0; done < count && !r && clocks_now() < until;) {
		struct places places;

		if (watch && watch->cancelled && watch->cancelled(watch->context))
			return -ECANCELED;
		r = gather(variables + done, count - done, &places);
		if (r < 0)
			return r;
		r = name_places(&naming, &places);
		free(places.offsets);
		done += places.count;
	}
	return r;
}

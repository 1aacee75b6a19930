/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/cleanup.h"
#include "common/hash_map.h"
#include "format/event_decoder.h"
#include "format/event_lines.h"
#include "format/section_id.h"
#include "report/read/progress.h"
#include "report/tool/tool_internal.h"

/* --- the only way into the new trace --- */

/* The only way into the new trace. */

int condense_write(struct condensing *condensing, struct event *record)
{
	int r = condensing->scrub ? scrub_record(condensing->scrub, condensing->model, record) : 1;

	if (r <= 0)
		return r;
	return record->kind == EVENT_EMBED_MODULE ?
		       event_log_add_embed_module(condensing->log, &record->embed_module) :
		       event_log_add(condensing->log, record);
}

static int add_event(struct event_log *log, struct event *event, const struct event_task *task,
		     const struct event_task *others, const struct event_stacks *stacks)
{
	switch (event->kind) {
	case EVENT_SAMPLE:
		return event_log_add_sample(log, &event->sample, task, stacks);
	case EVENT_WALK_TASK:
		return event_log_add_walk_task(log, &event->walk_task, task,
					       others ? &others[WAIT_OWNER] : NULL, stacks);
	case EVENT_WAIT:
		return event_log_add_wait(log, &event->wait, task, others, stacks);
	case EVENT_WAKE:
		return event_log_add_wake(log, &event->wake, task, others, stacks);
	case EVENT_USER_STACK:
		return event_log_add_user_stack(log, &event->user_stack, task, stacks);
	case EVENT_WAIT_SUMS:
		return event_log_add_wait_sums(log, &event->wait_sums, task);
	default:
		return -EINVAL;
	}
}

static int scrub_tasks(struct condensing *condensing, struct event *event, struct event_task *own,
		       struct event_task *others)
{
	int r = scrub_record(condensing->scrub, condensing->model, event);

	if (r > 0)
		r = scrub_task(condensing->scrub, own);
	for (size_t i = 0; i < WAIT_OTHERS && r > 0; i++)
		r = scrub_task(condensing->scrub, &others[i]);
	return r;
}

int condense_write_event(struct condensing *condensing, struct event *event, const struct event_task *task,
			 const struct event_task *others, struct event_stacks *stacks)
{
	struct event_task own = *task, copies[WAIT_OTHERS] = {0};
	int r = 1;

	if (others)
		memcpy(copies, others, sizeof(copies));
	if (condensing->scrub)
		r = scrub_tasks(condensing, event, &own, copies);
	return r <= 0 ? r : add_event(condensing->log, event, &own, others ? copies : NULL, stacks);
}

/* Of a module or, if `tgid` is not 0, of a process's JIT code; ascending. */
static int write_symbols(struct condensing *condensing, uint32_t module, uint32_t tgid,
			   struct event_symbol *symbols, size_t count)
{
	const struct trace_module *known = tgid ? NULL : trace_model_module(condensing->model, module);
	int r = 1;

	for (size_t i = 0; condensing->scrub && i < count && r > 0; i++)
		r = scrub_function(condensing->scrub, known, &symbols[i].name);
	if (r <= 0)
		return r;
	return tgid ? event_log_add_perf_map(condensing->log, tgid, symbols, count) :
		      event_log_add_embed_symbols(condensing->log, module, symbols, count);
}

/* --- source lines --- */

struct gathered_lines { /* of one record */
	struct event_lines reader;
	ARRAY(struct event_line) lines;
	ARRAY(struct event_line_level) levels; /* of all lines, concatenated */
};

static void cleanup_lines(struct gathered_lines *gathered)
{
	event_lines_deinit(&gathered->reader);
	array_free(&gathered->lines);
	array_free(&gathered->levels);
}

/* The reader's levels are valid only for the current line. */
static int add_line(struct gathered_lines *gathered, const struct event_line *line)
{
	for (uint32_t i = 0; i < line->level_count; i++)
		if (array_push(&gathered->levels, line->levels[i]) < 0)
			return -ENOMEM;
	return array_push(&gathered->lines, *line);
}

static int read_lines(struct event *event, struct gathered_lines *gathered)
{
	const struct event_line_level *next;
	struct event_line line;
	int r = event_lines_start(&gathered->reader, event);

	while (r >= 0 && (r = event_lines_next(&gathered->reader, &line)) > 0)
		r = add_line(gathered, &line);
	next = gathered->levels.items;
	for (size_t i = 0; i < gathered->lines.count; i++) {
		gathered->lines.items[i].levels = next;
		if (next) /* lines without levels have none */
			next += gathered->lines.items[i].level_count;
	}
	return r;
}

/* Of an EMBED_LINES record. */
static int write_lines(struct condensing *condensing, struct event *event)
{
	_cleanup_(cleanup_lines) struct gathered_lines gathered = {0};
	const struct trace_module *module = trace_model_module(condensing->model, event->embed_lines.module);
	int r = read_lines(event, &gathered);

	if (r < 0)
		return r == -EBADMSG ? -EINVAL : r;
	for (size_t i = 0; condensing->scrub && i < gathered.levels.count && r >= 0; i++)
		r = scrub_level(condensing->scrub, module, &gathered.levels.items[i]);
	return r < 0 ? r : event_log_add_embed_lines(condensing->log, event->embed_lines.module, gathered.lines.items,
						     gathered.lines.count);
}

/* --- what events refer to --- */

/*
 * What events refer to. A mapping is kept if its module was hit, in its process or a descendant, and
 * so are the forks, execs and exits on the way. Everything that a reader looks up for the events is
 * found as before.
 */

struct use {
	uint32_t use, owner;
	uint64_t value;
};

int condense_use(struct condensing *condensing, enum condense_use use, uint32_t owner, uint64_t value)
{
	const struct use key = {use, owner, value};

	return hash_map_add(&condensing->used, &key, sizeof(key), 0, NULL);
}

static bool is_used(const struct condensing *condensing, enum condense_use use, uint32_t owner, uint64_t value)
{
	const struct use key = {use, owner, value};

	return hash_map_find(&condensing->used, &key, sizeof(key));
}

int condense_use_code(struct condensing *condensing, uint32_t id, uint32_t number, uint64_t address)
{
	const struct trace_module *module = trace_model_module(condensing->model, id);
	int r = condense_use(condensing, USE_MODULE, id, 0);

	if (r > 0 && module && module->build_id.length)
		r = hash_map_add(&condensing->build_ids, module->build_id.bytes, module->build_id.length, 0, NULL);
	if (r < 0 || !module || !number)
		return r < 0 ? r : 0;
	r = condense_use(condensing, USE_CODE, number, address);
	return r <= 0 ? r : array_push(&condensing->code, ((struct condense_code){id, number, address}));
}

int condense_use_kernel(struct condensing *condensing, uint32_t id, uint64_t offset)
{
	uint32_t number = 0;
	int r = trace_model_module(condensing->model, id) ?
			chain_section_module(&condensing->context, id, &number) : 0;

	return r < 0 ? r : condense_use_code(condensing, id, number, offset);
}

int condense_use_object(struct condensing *condensing, uint32_t number)
{
	const struct trace_object *object = number ? trace_model_object(condensing->model, number) : NULL;
	int r = object ? condense_use(condensing, USE_OBJECT, number, 0) : 0;

	if (r <= 0 || object->about.kind != OBJECT_WORK)
		return r < 0 ? r : 0;
	return condense_use_kernel(condensing, object->about.module, object->about.place);
}

/* --- after the last event --- */

/* A child is forked after its parent, so one backward pass finds all ancestors. */
static int add_ancestors(struct condensing *condensing, const struct timeline *timeline)
{
	int r = 0;

	for (size_t i = timeline->entries.count; i-- > 0 && r >= 0;) {
		const struct timeline_entry *entry = &timeline->entries.items[i];

		if (entry->kind == TIMELINE_FORK && is_used(condensing, USE_LINEAGE, entry->tgid, 0))
			r = condense_use(condensing, USE_LINEAGE, entry->other, 0);
	}
	return r < 0 ? r : 0;
}

/* Distinguishes the mappings of a process. */
static uint64_t mapping_key(uint64_t time, uint64_t start)
{
	return time ^ hash_mix(start + 1);
}

/* If no mapping of a process was hit, its first one is kept, so that the process is known. */
static int add_first(struct condensing *condensing, const struct timeline_entry *entry)
{
	int r = condense_use(condensing, USE_BLIND, entry->tgid, 1);

	return r <= 0 || entry->kind != TIMELINE_MAP ? r : condense_use(condensing, USE_MODULE, entry->other, 0);
}

static int add_mapping(struct condensing *condensing, const struct timeline_entry *entry)
{
	int r = 0;

	if (is_used(condensing, USE_BLIND, entry->tgid, 0))
		r = add_first(condensing, entry);
	if (r >= 0 && entry->kind == TIMELINE_MAP && entry->time &&
	    is_used(condensing, USE_LINEAGE, entry->tgid, 0))
		r = condense_use(condensing, USE_LATE, entry->tgid, mapping_key(entry->time, entry->start));
	return r;
}

int condense_finish_uses(struct condensing *condensing)
{
	const struct timeline *timeline = &condensing->model->timeline;
	int r = add_ancestors(condensing, timeline);

	for (size_t i = 0; i < timeline->entries.count && r >= 0; i++)
		r = add_mapping(condensing, &timeline->entries.items[i]);
	return r < 0 ? r : 0;
}

/* --- which records are referred to --- */

static bool is_lineage(const struct condensing *condensing, uint32_t tgid)
{
	return is_used(condensing, USE_LINEAGE, tgid, 0);
}

/* Another module of the same file may have brought its symbols. */
static bool is_module(const struct condensing *condensing, uint32_t id)
{
	const struct trace_module *module = trace_model_module(condensing->model, id);

	if (is_used(condensing, USE_MODULE, id, 0))
		return true;
	return module && module->build_id.length && (module->segment_count || module->line_chunks.count) &&
	       hash_map_find(&condensing->build_ids, module->build_id.bytes, module->build_id.length);
}

/*
 * Mappings from before the recording are valid from the beginning of time, unless something else is
 * known about the process from before they were read. That may be dropped here, so a mapping that
 * starts at a later time must say so itself.
 */
static bool is_mapping(const struct condensing *condensing, struct event_mapping *mapping)
{
	if (!is_lineage(condensing, mapping->tgid) || !is_used(condensing, USE_MODULE, mapping->module, 0))
		return false;
	if (is_used(condensing, USE_LATE, mapping->tgid, mapping_key(mapping->time, mapping->start)))
		mapping->flags &= ~(uint64_t)MAPPING_INITIAL;
	return true;
}

/* The name is not needed, because the tasks of the events have it. All that matters is the new address space. */
static bool is_exec(const struct condensing *condensing, struct event_comm *comm)
{
	comm->comm.length = 0;
	return comm->flags & COMM_EXEC && is_lineage(condensing, comm->tgid);
}

/* Whether a record of STATE or EMBED names something that an event refers to, or nothing at all. May clear a text. */
static bool is_referred(struct condensing *condensing, struct event *event)
{
	switch (event->kind) {
	case EVENT_MODULE:
		return is_module(condensing, event->module.id);
	case EVENT_MAPPING:
		return is_mapping(condensing, &event->mapping);
	case EVENT_FORK:
		return event->fork.tgid != event->fork.parent_tgid && is_lineage(condensing, event->fork.tgid);
	case EVENT_COMM:
		return is_exec(condensing, &event->comm);
	case EVENT_EXIT:
		return event->exit.tgid == event->exit.tid && is_lineage(condensing, event->exit.tgid);
	case EVENT_OBJECT:
		return is_used(condensing, USE_OBJECT, event->object.number, 0);
	case EVENT_EMBED_MODULE:
		return is_module(condensing, event->embed_module.module);
	case EVENT_EMBED_LINES:
		return is_module(condensing, event->embed_lines.module);
	default:
		return true;
	}
}

/* --- records --- */

int condense_accept(struct condensing *condensing, int r)
{
	if (r != -EINVAL)
		return r;
	condensing->counts.left_out++;
	return 0;
}

static bool is_key(const struct event_text *key, const char *name)
{
	return key->length == strlen(name) && !memcmp(key->bytes, name, key->length);
}

/*
 * The writer makes the file header and its copy itself. Sections have new ids, so references to them are rewritten.
 * condense_symbols() writes all symbols. Of unwind information nothing is left to unwind.
 */
static bool is_dropped(const struct event *event)
{
	if (event->kind == EVENT_KERNEL_SYMBOL || event->kind == EVENT_EMBED_SYMBOLS || event->kind == EVENT_PERF_MAP ||
	    event->kind == EVENT_EMBED_UNWIND)
		return true;
	if (event->kind == EVENT_LOSS)
		return condense_writes_total(&event->loss);
	return event->kind == EVENT_META &&
	       (is_key(&event->meta.key, "command_line") || is_key(&event->meta.key, "condensed") ||
		is_key(&event->meta.key, SECTION_ADDS_TO));
}

typedef int record_reader(struct condensing *condensing, struct event *event, void *data);

static int each_record(struct condensing *condensing, const void *payload, size_t length,
		       record_reader *take, void *data)
{
	struct event_decoder *decoder = NULL;
	struct event event;
	int r = event_decoder_create(&decoder);

	if (r < 0)
		return r;
	event_decoder_start(decoder, payload, length);
	while ((r = event_decoder_next(decoder, &event)) > 0) {
		r = is_dropped(&event) ? 0 : take(condensing, &event, data);
		if (r < 0)
			break;
	}
	condensing->counts.left_out += event_decoder_unknown(decoder);
	condensing->counts.malformed += r == -EBADMSG;
	event_decoder_destroy(decoder);
	return r == -EBADMSG ? 0 : r;
}

struct taking {
	enum rwk_chunk_type type;
	record_reader *take;
	void *data;
};

static int read_chunk(struct condensing *condensing, uint32_t chunk, const struct taking *taking)
{
	size_t length = condensing->file->chunks[chunk].header.raw_size;
	const void *payload;
	int r = trace_file_load(condensing->file, chunk, &payload);

	if (r < 0) /* damage is reported for the whole file */
		return r == -EBADMSG ? 0 : r;
	return each_record(condensing, payload, length, taking->take, taking->data);
}

/* Reads the section's chunks of one type, as far as they are intact. */
static int each_chunk(struct condensing *condensing, const struct taking *taking)
{
	const struct trace_model *model = condensing->model;
	const struct trace_chunk *chunks = condensing->file->chunks;
	int r = 0;

	for (uint32_t i = model->first_chunk; i < model->end_chunk && r >= 0; i++)
		if (progress_stopped(condensing->profile->names.progress))
			r = -ECANCELED;
		else if (chunks[i].section == model->section && chunks[i].header.type == taking->type)
			r = read_chunk(condensing, i, taking);
	return r;
}

/* Other records are written before the events, so even a trace that is cut short tells where it is from. */
static bool is_named_by_events(const struct event *event)
{
	return event->kind == EVENT_MODULE || event->kind == EVENT_MAPPING || event->kind == EVENT_FORK ||
	       event->kind == EVENT_COMM || event->kind == EVENT_EXIT || event->kind == EVENT_OBJECT;
}

static int copy_state(struct condensing *condensing, struct event *event, void *data)
{
	(void)data;
	if (is_named_by_events(event))
		return 0;
	return condense_accept(condensing, event->kind < EVENT_TASK ? condense_write(condensing, event) : -EINVAL);
}

int condense_state(struct condensing *condensing)
{
	return each_chunk(condensing, &(struct taking){.type = RWK_CHUNK_STATE, .take = copy_state});
}

static int copy_referred(struct condensing *condensing, struct event *event, void *data)
{
	(void)data;
	if (!is_named_by_events(event))
		return 0;
	if (is_referred(condensing, event))
		return condense_accept(condensing, condense_write(condensing, event));
	return 0;
}

int condense_referred(struct condensing *condensing)
{
	return each_chunk(condensing, &(struct taking){.type = RWK_CHUNK_STATE, .take = copy_referred});
}

/* --- what was embedded --- */

static int copy_embedded(struct condensing *condensing, struct event *event, void *data)
{
	(void)data;
	if (!is_referred(condensing, event))
		return 0;
	if (event->kind == EVENT_EMBED_LINES)
		return condense_accept(condensing, write_lines(condensing, event));
	return condense_accept(condensing, event->kind < EVENT_TASK || event->kind == EVENT_EMBED_MODULE ?
						  condense_write(condensing, event) : -EINVAL);
}

int condense_embedded(struct condensing *condensing)
{
	return each_chunk(condensing, &(struct taking){.type = RWK_CHUNK_EMBED, .take = copy_embedded});
}

/* --- the end --- */

typedef ARRAY(struct event) event_list;

/* Totals, which have no texts. A recorder writes nothing else there; anything else in a trace is no total. */
static bool is_total(const struct event *event)
{
	return event->kind == EVENT_LOSS || event->kind == EVENT_COST || event->kind == EVENT_PROBE_HITS ||
	       event->kind == EVENT_COUNTER || event->kind == EVENT_CLOCK;
}

static int add_total(struct condensing *condensing, struct event *event, event_list *totals)
{
	int r = condensing->scrub ? scrub_record(condensing->scrub, condensing->model, event) : 1;

	return r > 0 ? array_push(totals, *event) : r;
}

static int copy_ending(struct condensing *condensing, struct event *event, void *data)
{
	if (is_total(event))
		return add_total(condensing, event, data);
	if (is_named_by_events(event))
		return copy_referred(condensing, event, NULL);
	return copy_state(condensing, event, NULL);
}

int condense_end(struct condensing *condensing, enum rwk_end_reason reason)
{
	event_list totals = {0};
	int r = each_chunk(condensing, &(struct taking){.type = RWK_CHUNK_END, .take = copy_ending, .data = &totals});

	if (r >= 0)
		r = event_log_close(condensing->log, reason, totals.items, totals.count);
	array_free(&totals);
	return condense_accept(condensing, r);
}

/* --- names of objects --- */

/*
 * Names of what waits were for. A condensed trace has stand-ins instead, which distinguish names
 * and say nothing else: "file#3" for a path, "name#2" for that of a unix socket, "peer#1" for the
 * address of a socket's other end.
 */
struct stand_ins {
	struct hash_map paths, names, peers;
};

static void stand_ins_deinit(struct stand_ins *all)
{
	hash_map_deinit(&all->paths);
	hash_map_deinit(&all->names);
	hash_map_deinit(&all->peers);
}

/* The length of the stand-in; 0 if none is needed. -ENOMEM. */
static int stand_in(struct stand_ins *all, const struct trace_object *object, char *text, size_t room)
{
	const bool is_unix = object->about.kind == OBJECT_UNIX;
	const bool peer = object->has_addresses && object->about.peer_port;
	struct hash_map *known = peer ? &all->peers : is_unix ? &all->names : &all->paths;
	const void *key = peer ? (const void *)object->peer_address : object->path;
	size_t length = peer ? sizeof(object->peer_address) : strlen(object->path);
	uint64_t *number;
	int r;

	if (!length || object->about.kind == OBJECT_LOCK || object->about.kind == OBJECT_BLOCK) /* the kernel's names */
		return 0;
	r = hash_map_add(known, key, length, known->entries.count + 1, &number);
	return r < 0 ? r : snprintf(text, room, "%s#%llu", peer ? "peer" : is_unix ? "name" : "file",
				    (unsigned long long)*number);
}

static int write_name(struct condensing *condensing, struct stand_ins *all, const struct trace_object *object)
{
	struct event event = {.kind = EVENT_OBJECT_NAME, .object_name.number = object->about.number};
	char text[32];
	int r = stand_in(all, object, text, sizeof(text));

	if (r <= 0)
		return r;
	event.object_name.path = (struct event_text){text, (uint32_t)r};
	return condense_accept(condensing, condense_write(condensing, &event));
}

int condense_object_names(struct condensing *condensing)
{
	_cleanup_(stand_ins_deinit) struct stand_ins all = {0};
	const struct trace_model *model = condensing->model;
	int r = 0;

	if (!model->objects.count)
		return 0;
	if (hash_map_init(&all.paths) < 0 || hash_map_init(&all.names) < 0 || hash_map_init(&all.peers) < 0)
		return -ENOMEM;
	r = event_log_want_names(condensing->log);
	for (size_t i = 0; i < model->objects.count && r >= 0; i++)
		if (is_used(condensing, USE_OBJECT, model->objects.items[i].about.number, 0))
			r = write_name(condensing, &all, &model->objects.items[i]);
	return r;
}

/* --- symbols --- */

/*
 * The functions that contain an address of a stack, and no others, from whatever knows their
 * names: the trace, or files of this machine. Functions without a name are written, too.
 */

struct found { /* of one module, or of one process's memory without a file */
	uint32_t module, tgid; /* tgid 0: a module's */
	struct event_symbol symbol;
};

typedef ARRAY(struct found) found_list;

static const struct module *module_of(const struct condensing *condensing, const struct condense_code *code)
{
	return condensing->profile->modules.items.items[code->number];
}

/* A symbol of an index or, without one, a function of which only [start, end) is known. */
static int add(struct condensing *condensing, const struct condense_code *code, const struct module_symbol *named,
	       uint64_t start, uint64_t end, found_list *list)
{
	const uint32_t tgid = module_of(condensing, code)->tgid;
	const char *name = named ? symbol_index_name(named->index, named->symbol) : "";
	const struct found found = {.module = tgid ? 0 : code->module, .tgid = tgid,
				    .symbol = {.address = start, .size = end - start,
					       .name = {name, (uint32_t)strnlen(name, RWK_MAX_STRING)}}};

	return array_push(list, found);
}

/* The function at the address or, if it has no name, where it starts. `caller`: of the byte before it. */
static int find(struct condensing *condensing, const struct condense_code *code, bool caller, found_list *list,
		bool *any)
{
	struct modules *modules = &condensing->profile->modules;
	struct module_symbol found;
	uint64_t start, end;
	int r = modules_find_symbol(modules, code->number, code->address, caller, &found);

	if (r > 0) {
		*any = true;
		return add(condensing, code, &found, found.start, symbol_index_end(found.index, found.symbol), list);
	}
	if (!r)
		r = modules_find_function(modules, code->number, code->address, caller, &start, &end);
	return r <= 0 ? r : add(condensing, code, NULL, start, end, list);
}

/* If no symbol of the trace was hit, one stays: without any, a reader would think that the file had none. */
static int add_one(struct condensing *condensing, const struct condense_code *code, found_list *list)
{
	struct symbol_index *index = module_of(condensing, code)->embedded;
	const struct module_symbol first = {.index = index};

	if (!index || !symbol_index_count(index))
		return 0;
	return add(condensing, code, &first, symbol_index_start(index, 0), symbol_index_end(index, 0), list);
}

static int compare_found(const void *left, const void *right)
{
	const struct found *l = left, *r = right;

	return COMPARE(l->module, r->module) ?: COMPARE(l->tgid, r->tgid) ?:
	       COMPARE(l->symbol.address, r->symbol.address) ?:
	       COMPARE(l->symbol.name.length > 0, r->symbol.name.length > 0);
}

/* Addresses are link-time addresses only if the trace has the segments, which may be from a local file. */
static int add_segments(struct condensing *condensing, const struct condense_code *code)
{
	const struct trace_module *known = trace_model_module(condensing->model, code->module);
	const struct module *module = module_of(condensing, code);
	struct event event = {.kind = EVENT_EMBED_MODULE,
			      .embed_module = {.module = code->module, .status = EMBED_MIN,
					       .segment_count = (uint32_t)module->segment_count,
					       .segments = module->segments}};

	if (!module->link_time || !known || known->segment_count)
		return 0;
	return condense_accept(condensing, condense_write(condensing, &event));
}

static bool is_kernel(const struct condensing *condensing, uint32_t id)
{
	const struct trace_module *module = id ? trace_model_module(condensing->model, id) : NULL;

	return module && (module->kind == MODULE_KERNEL || module->kind == MODULE_KERNEL_MODULE ||
			  module->kind == MODULE_BPF || module->kind == MODULE_KERNEL_OTHER);
}

static int write_kernel(struct condensing *condensing, uint32_t module, const struct event_symbol *symbols,
			size_t count)
{
	int r = 0;

	for (size_t i = 0; i < count && r >= 0; i++) {
		struct event event = {.kind = EVENT_KERNEL_SYMBOL,
				      .kernel_symbol = {.module = module, .offset = symbols[i].address,
							.size = symbols[i].size, .name = symbols[i].name}};

		r = condense_accept(condensing, condense_write(condensing, &event));
	}
	return r;
}

static int write_group(struct condensing *condensing, const struct found *group, size_t count)
{
	_cleanup_free_ struct event_symbol *symbols = calloc(count, sizeof(*symbols));
	size_t kept = 0;

	if (!symbols)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++)
		if (!i || compare_found(&group[i - 1], &group[i]))
			symbols[kept++] = group[i].symbol;
	if (is_kernel(condensing, group->module))
		return write_kernel(condensing, group->module, symbols, kept);
	return condense_accept(condensing,
			       write_symbols(condensing, group->module, group->tgid, symbols, kept));
}

static int write_all(struct condensing *condensing, found_list *list)
{
	int r = 0;

	if (list->count)
		qsort(list->items, list->count, sizeof(*list->items), compare_found);
	for (size_t first = 0, end; first < list->count && r >= 0; first = end) {
		const struct found *group = &list->items[first];

		for (end = first + 1; end < list->count; end++)
			if (list->items[end].module != group->module || list->items[end].tgid != group->tgid)
				break;
		r = write_group(condensing, group, end - first);
	}
	return r;
}

static int compare_code(const void *left, const void *right)
{
	const struct condense_code *l = left, *r = right;

	return COMPARE(l->module, r->module);
}

int condense_symbols(struct condensing *condensing)
{
	const struct condense_code *code = condensing->code.items;
	found_list list = {0};
	bool any = false;
	int r = 0;

	if (condensing->code.count)
		qsort(condensing->code.items, condensing->code.count, sizeof(*code), compare_code);
	for (size_t i = 0; i < condensing->code.count && r >= 0; i++) {
		r = find(condensing, &code[i], false, &list, &any);
		if (r >= 0)
			r = find(condensing, &code[i], true, &list, &any);
		if (r < 0 || (i + 1 < condensing->code.count && code[i + 1].module == code[i].module))
			continue;
		r = any ? 0 : add_one(condensing, &code[i], &list);
		any = false;
		if (r >= 0)
			r = add_segments(condensing, &code[i]);
	}
	if (r >= 0)
		r = write_all(condensing, &list);
	array_free(&list);
	return r < 0 ? r : 0;
}

/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "record/embed/finalize.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/address_space.h"
#include "common/array.h"
#include "common/cleanup.h"
#include "common/hash_map.h"
#include "common/log.h"
#include "common/printable.h"
#include "format/event_decoder.h"
#include "format/event_log.h"
#include "format/limits.h"
#include "format/section_id.h"
#include "format/snapshot_batch.h"
#include "format/snapshot_number.h"
#include "format/trace_reader.h"
#include "record/embed/embed.h"
#include "record/helper/confinement.h"
#include "record/helper/helpers.h"
#include "record/host/caller.h"
#include "record/host/host.h"
#include "record/host/requirements.h"
#include "record/place/hits.h"
#include "record/place/module_files.h"
#include "record/place/module_table.h"
#include "record/plan/recording.h"
#include "record/source/held_stacks.h"

/* --- snapshots that an event to come may refer to --- */

struct snapshot_window {
	struct snapshot_batch batches[SNAPSHOT_WINDOW_CHUNKS]; /* a ring: numbers ascend */
	size_t first, count;
	size_t bytes;	/* of all payloads */
	uint64_t added; /* batches so far; the last ones are present */
	struct event_decoder *events;
	struct snapshot_decoder *snapshots;
	uint64_t words[SNAPSHOT_WORDS];
};

static struct snapshot_batch *batch_at(struct snapshot_window *window, size_t i)
{
	return &window->batches[(window->first + i) % SNAPSHOT_WINDOW_CHUNKS];
}

static void drop_first(struct snapshot_window *window)
{
	struct snapshot_batch *batch = batch_at(window, 0);

	window->bytes -= batch->length;
	snapshot_batch_deinit(batch);
	window->first = (window->first + 1) % SNAPSHOT_WINDOW_CHUNKS;
	window->count--;
}

static void snapshot_window_clear(struct snapshot_window *window)
{
	while (window->count)
		drop_first(window);
}

static void snapshot_window_destroy(struct snapshot_window *window)
{
	if (!window)
		return;
	snapshot_window_clear(window);
	event_decoder_destroy(window->events);
	snapshot_decoder_destroy(window->snapshots);
	free(window);
}

static int snapshot_window_create(struct snapshot_window **ret_window)
{
	struct snapshot_window *window = calloc(1, sizeof(*window));
	int r = window ? event_decoder_create(&window->events) : -ENOMEM;

	if (r >= 0)
		r = snapshot_decoder_create(&window->snapshots);
	if (r < 0) {
		snapshot_window_destroy(window);
		return r;
	}
	*ret_window = window;
	return 0;
}

static uint32_t last_number(struct snapshot_window *window, size_t i)
{
	const struct snapshot_batch *batch = batch_at(window, i);

	return batch->records.items[batch->records.count - 1].number;
}

static int snapshot_window_add(struct snapshot_window *window, const void *payload, size_t length)
{
	struct snapshot_batch batch = {0};
	uint32_t after = window->count ? last_number(window, window->count - 1) : 0;
	int r = snapshot_batch_read(&batch, window->events, payload, length, after);

	if (r < 0 || !batch.records.count) {
		snapshot_batch_deinit(&batch);
		return r;
	}
	while (window->count && (window->bytes + length > SNAPSHOT_WINDOW_BYTES ||
				 window->count == SNAPSHOT_WINDOW_CHUNKS))
		drop_first(window);
	window->bytes += length;
	window->added++;
	*batch_at(window, window->count++) = batch;
	return 0;
}

static int snapshot_window_find(struct snapshot_window *window, uint32_t number, struct snapshot *ret_snapshot)
{
	size_t i = SORTED_FIRST(at, window->count, !snapshot_precedes(last_number(window, at), number)), place;
	const struct snapshot_batch *batch = batch_at(window, i);

	if (i == window->count || !snapshot_batch_find(batch, number, &place))
		return -ENOENT;
	return snapshot_decoder_get(window->snapshots, batch, window->added - window->count + i, place, window->words,
				    ret_snapshot);
}

struct finalizing {
	struct recording recording;
	struct spawner *spawner;
	const struct confinement *confinement;
	struct module_files *files;
	struct trace_reader *reader;
	struct trace_writer *writer;
	struct event_decoder *decoder;
	struct hash_map ids; /* module id of the section being read -> ours */
	struct snapshot_window *window;
	bool snapshots; /* there were some */
	/* When the section being read ended: CLOCK_MONOTONIC, CLOCK_REALTIME; the least CLOCK_REALTIME of all ends. */
	uint64_t end, end_realtime, least_realtime;
	uint64_t out_of_reach; /* snapshots that events refer to but that were not found */
	uint8_t *payload;
	int fd;
};

/* --- reading the trace again --- */

static void text_copy(char *out, size_t room, const struct event_text *text)
{
	size_t length = text->length < room - 1 ? text->length : room - 1;

	memcpy(out, text->bytes, length);
	out[length] = '\0';
}

/* The vDSO of another kernel is not ours. */
static bool other_vdso(const struct event_module *event)
{
	struct build_id recorded = build_id_of(event->build_id.bytes, event->build_id.length), own;

	vdso_build_id(&own);
	return event->kind == MODULE_VDSO && event->build_id.length && !build_id_equal(&recorded, &own);
}

/* The number that the event's module has already, if it was written before its build-id was known. */
static uint32_t number_before(const struct finalizing *all, const struct event_module *event,
			      const struct module_identity *identity)
{
	const uint64_t *number = hash_map_find(&all->ids, &event->id, sizeof(event->id));
	const struct module_entry *entry =
		number ? module_table_find(all->recording.modules, (uint32_t)*number) : NULL;
	bool same = entry && entry->kind == MODULE_FILE && !entry->build_id.length && entry->inode &&
		    entry->device == identity->device && entry->inode == identity->inode &&
		    !strcmp(entry->path, identity->path);

	return same ? entry->id : 0;
}

static uint32_t file_number(struct finalizing *all, const struct event_module *event)
{
	char path[RWK_MAX_STRING + 1];
	struct module_identity identity = {.path = path, .device = event->device, .inode = event->inode};
	uint32_t before;

	text_copy(path, sizeof(path), &event->path);
	identity.deleted = event->flags & MODULE_DELETED;
	identity.build_id = build_id_of(event->build_id.bytes, event->build_id.length);
	before = number_before(all, event, &identity);
	if (!before)
		return module_table_file(all->recording.modules, &identity);
	(void)module_table_set_build_id(all->recording.modules, before, &identity.build_id);
	return before;
}

static uint32_t module_number(struct finalizing *all, const struct event_module *event)
{
	if (other_vdso(event))
		return 0;
	if (event->kind == MODULE_VDSO || event->kind == MODULE_ANONYMOUS)
		return module_table_special(all->recording.modules, (enum module_kind)event->kind);
	return event->kind == MODULE_FILE ? file_number(all, event) : 0;
}

static void take_module(struct finalizing *all, const struct event *event)
{
	uint32_t number = module_number(all, &event->module);
	uint64_t *kept;

	if (number && hash_map_add(&all->ids, &event->module.id, sizeof(event->module.id), number, &kept) >= 0)
		*kept = number;
}

static void take_mapping(struct finalizing *all, const struct event *event)
{
	const struct event_mapping *mapping = &event->mapping;
	const uint64_t *id = hash_map_find(&all->ids, &mapping->module, sizeof(mapping->module));
	struct mapping range = {.start = mapping->start, .end = mapping->start + mapping->length,
				.file_offset = mapping->file_offset, .module = id ? (uint32_t)*id : 0};

	(void)address_spaces_map(hits_spaces(all->recording.hits), mapping->tgid, &range);
}

static void take_fork(struct finalizing *all, const struct event *event)
{
	if (event->fork.tgid != event->fork.parent_tgid)
		(void)address_spaces_fork(hits_spaces(all->recording.hits), event->fork.parent_tgid, event->fork.tgid);
}

static void take_comm(struct finalizing *all, const struct event *event)
{
	struct address_spaces *spaces = hits_spaces(all->recording.hits);

	if (!(event->comm.flags & COMM_EXEC))
		return;
	(void)address_spaces_fork(spaces, event->comm.tgid, address_spaces_before_exec(event->comm.tgid));
	(void)address_spaces_exec(spaces, event->comm.tgid);
}

static void take_snapshot(struct finalizing *all, uint32_t tgid, uint32_t number)
{
	struct snapshot snapshot;

	if (!number)
		return;
	if (snapshot_window_find(all->window, number, &snapshot) < 0)
		all->out_of_reach++;
	else
		snapshots_mark(all->recording.hits, tgid, &snapshot, NULL);
}

/* The user stack of a task: by frame pointers, and as it was in memory. */
static void take_stack(struct finalizing *all, uint32_t number, uint32_t user, uint32_t snapshot)
{
	const struct event_task *task = event_decoder_task(all->decoder, number);
	uint64_t addresses[RWK_MAX_FRAMES];
	size_t node_count, count = 0;
	const struct stack_node *nodes = event_decoder_nodes(all->decoder, &node_count);

	for (uint32_t node = user; node >= STACK_FIRST_NODE && node < node_count && count < RWK_MAX_FRAMES;
	     node = nodes[node].parent)
		addresses[count++] = nodes[node].address;
	if (!task)
		return;
	hits_mark(all->recording.hits, task->tgid, hits_generation(all->recording.hits, task->tgid), addresses, count);
	take_snapshot(all, task->tgid, snapshot);
}

static void take_sample(struct finalizing *all, const struct event *event)
{
	take_stack(all, event->sample.task, event->sample.user, event->sample.snapshot);
}

static void take_wait(struct finalizing *all, const struct event *event)
{
	take_stack(all, event->wait.task, event->wait.user, event->wait.snapshot);
}

static void take_wake(struct finalizing *all, const struct event *event)
{
	take_stack(all, event->wake.task, event->wake.user, event->wake.snapshot);
}

static void take_user_stack(struct finalizing *all, const struct event *event)
{
	take_stack(all, event->user_stack.task, event->user_stack.user, event->user_stack.snapshot);
}

static void take_walk_task(struct finalizing *all, const struct event *event)
{
	take_stack(all, event->walk_task.task, event->walk_task.user, event->walk_task.snapshot);
}

/* A file that is known by its device and inode only must not have changed since the section ended. */
static void set_end(struct finalizing *all, uint64_t realtime)
{
	all->end_realtime = realtime ? realtime : 1; /* 0: any time */
	module_files_unchanged_since(all->files, all->end_realtime);
}

static void take_clock(struct finalizing *all, const struct event *event)
{
	const struct event_clock *clock = &event->clock;

	set_end(all, clock->realtime + (all->end > clock->time ? all->end - clock->time : 0));
}

static const struct taker {
	enum event_kind kind;
	void (*take)(struct finalizing *all, const struct event *event);
} TAKERS[] = {
	{EVENT_CLOCK, take_clock},
	{EVENT_MODULE, take_module},
	{EVENT_MAPPING, take_mapping},
	{EVENT_FORK, take_fork},
	{EVENT_COMM, take_comm},
	{EVENT_SAMPLE, take_sample},
	{EVENT_WAIT, take_wait},
	{EVENT_WAKE, take_wake},
	{EVENT_USER_STACK, take_user_stack},
	{EVENT_WALK_TASK, take_walk_task},
};

static void take_chunk(struct finalizing *all, const struct trace_chunk *chunk)
{
	struct event event;

	/* A damaged chunk is restored, or its samples are lost. Either way the rest still needs its names. */
	if (trace_reader_load(all->reader, chunk, all->payload))
		return;
	if (chunk->header.type == RWK_CHUNK_SNAPSHOTS) {
		all->snapshots = true;
		/* On failure they are not found. */
		(void)snapshot_window_add(all->window, all->payload, chunk->header.raw_size);
		return;
	}
	event_decoder_start(all->decoder, all->payload, chunk->header.raw_size);
	while (event_decoder_next(all->decoder, &event) > 0)
		for (size_t i = 0; i < sizeof(TAKERS) / sizeof(TAKERS[0]); i++)
			if (TAKERS[i].kind == event.kind)
				TAKERS[i].take(all, &event);
}

static uint64_t last_time(const struct trace_chunk *chunks, size_t count)
{
	uint64_t last = 0;

	for (size_t i = 0; i < count && chunks[i].section == chunks->section; i++)
		last = chunks[i].header.last_time > last ? chunks[i].header.last_time : last;
	return last;
}

/* Ids of modules and snapshots are valid within one section. Until a clock is read, its start counts as its end. */
static void begin_section(struct finalizing *all, const struct trace_chunk *chunks, size_t count)
{
	const struct trace_section *sections;

	(void)trace_reader_sections(all->reader, &sections);
	hash_map_clear(&all->ids);
	snapshot_window_clear(all->window);
	all->end = last_time(chunks, count);
	set_end(all, sections[chunks->section].header.realtime);
}

/* At the end of a section, the build-id of each file is known, and since when it must not have changed. */
static void ask_for_files(struct finalizing *all)
{
	const void *id;
	size_t cursor = 0, length;
	uint64_t number;

	while (hash_map_next(&all->ids, &cursor, &id, &length, &number)) {
		const struct module_entry *entry = module_table_find(all->recording.modules, (uint32_t)number);

		if (!entry || entry->kind != MODULE_FILE)
			continue;
		module_files_ask(all->files, entry->id, 0, 0, 0);
		(void)module_files_poll(all->files, 1);
	}
}

static void end_section(struct finalizing *all)
{
	ask_for_files(all);
	if (!all->least_realtime || all->end_realtime < all->least_realtime)
		all->least_realtime = all->end_realtime;
}

static void take_trace(struct finalizing *all)
{
	const struct trace_chunk *chunks;
	size_t count = trace_reader_chunks(all->reader, &chunks);

	for (size_t i = 0; i < count; i++) {
		if (!i || chunks[i].section != chunks[i - 1].section)
			begin_section(all, &chunks[i], count - i);
		if (chunks[i].header.type == RWK_CHUNK_STATE || chunks[i].header.type == RWK_CHUNK_EVENTS ||
		    chunks[i].header.type == RWK_CHUNK_SNAPSHOTS)
			take_chunk(all, &chunks[i]);
		if (i + 1 == count || chunks[i + 1].section != chunks[i].section)
			end_section(all);
	}
	module_files_unchanged_since(all->files, all->least_realtime); /* a file opened late may be of any section */
}

/* --- the file --- */

static int file_open(struct finalizing *all, const char *path)
{
	struct caller caller;
	struct stat status;
	int error;

	caller_get(&caller);
	if (caller_fs_enter(&caller))
		return log_error(EPERM, "cannot switch to user %u", (unsigned int)caller.uid);
	all->fd = open(path, O_RDWR | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
	error = errno;
	(void)caller_fs_leave(&caller);
	if (all->fd < 0)
		return log_error(error, "cannot open '%s': %s", path, strerror(error));
	if (fstat(all->fd, &status) || !S_ISREG(status.st_mode))
		return log_error(EINVAL, "'%s' is not a regular file", path);
	return 0;
}

static bool has_embedding(const struct finalizing *all)
{
	const struct trace_chunk *chunks;
	size_t count = trace_reader_chunks(all->reader, &chunks);

	for (size_t i = 0; i < count; i++)
		if (chunks[i].header.type == RWK_CHUNK_EMBED)
			return true;
	return false;
}

/*
 * Drops the bytes of a chunk that was being written when the recorder died, so that the new section
 * follows a whole one.
 */
static int tail_cut(struct finalizing *all)
{
	const struct trace_chunk *chunks;
	const struct trace_section *sections;
	size_t count = trace_reader_chunks(all->reader, &chunks);
	size_t section_count = trace_reader_sections(all->reader, &sections);
	const struct rwk_chunk_header *last = count ? &chunks[count - 1].header : NULL;
	struct trace_damage damage;

	trace_reader_damage(all->reader, &damage);
	if (last && damage.torn_tail && !sections[section_count - 1].closed &&
	    ftruncate(all->fd, (off_t)(chunks[count - 1].offset + sizeof(*last) + (last->stored_size + 7u) / 8 * 8)))
		return -errno;
	return lseek(all->fd, 0, SEEK_END) < 0 ? -errno : 0;
}

/* --- the whole --- */

/* The reader uses what is added for these sections only. Names beyond the longest text are left out. */
static int name_sections(struct finalizing *all)
{
	const struct trace_section *sections;
	size_t count = trace_reader_sections(all->reader, &sections), used = 0;
	char ids[RWK_MAX_STRING], id[SECTION_ID_TEXT];

	ids[0] = '\0';
	for (size_t i = 0; i < count && used + sizeof(id) + 1 < sizeof(ids); i++) {
		section_id_text(&sections[i].header, id);
		used += (size_t)snprintf(ids + used, sizeof(ids) - used, "%s%s", used ? " " : "", id);
	}
	return event_log_add_meta(all->recording.log, SECTION_ADDS_TO, ids);
}

static int tools_create(struct finalizing *all, const struct trace_io *io)
{
	const struct trace_writer_settings settings = {0};
	struct recording *recording = &all->recording;
	int rc = tail_cut(all);

	all->payload = malloc(RWK_MAX_RAW_CHUNK);
	if (!rc)
		rc = all->payload ? hash_map_init(&all->ids) : -ENOMEM;
	if (!rc)
		rc = event_decoder_create(&all->decoder);
	if (!rc)
		rc = snapshot_window_create(&all->window);
	if (!rc)
		rc = trace_writer_create(io, all->fd, &settings, &all->writer);
	if (!rc)
		rc = event_log_create(all->writer, 0, &recording->log);
	if (!rc)
		rc = name_sections(all);
	if (!rc)
		rc = module_table_create(recording, &recording->modules);
	if (!rc)
		rc = hits_create(module_table_special(recording->modules, MODULE_ANONYMOUS), true, 0,
				 &recording->hits);
	if (!rc)
		rc = module_files_create(all->spawner, recording->modules, true, &all->files);
	return rc;
}

static void finalizing_deinit(struct finalizing *all)
{
	confinement_warn(all->confinement);
	module_files_destroy(all->files);
	hits_destroy(all->recording.hits);
	module_table_destroy(all->recording.modules);
	event_log_destroy(all->recording.log);
	trace_writer_destroy(all->writer);
	snapshot_window_destroy(all->window);
	event_decoder_destroy(all->decoder);
	hash_map_deinit(&all->ids);
	trace_reader_destroy(all->reader);
	spawner_destroy(all->spawner);
	free(all->payload);
	if (all->fd >= 0)
		(void)close(all->fd);
}

static int names_add(struct finalizing *all, const char *path)
{
	struct embed_wish wish = {.level = all->recording.config->output.embed};
	struct embed_result result = {0};
	int rc;

	take_trace(all);
	wish.unwind = elf_unwind_wish(all->snapshots);
	rc = embed_run(&all->recording, all->files, all->spawner, &wish, NULL, &result);
	if (!rc)
		rc = event_log_close(all->recording.log, RWK_END_CLEAN, NULL, 0);
	if (rc)
		return log_error(-rc, "cannot write to '%s': %s", path, strerror(-rc));
	embed_warn(&result);
	if (all->out_of_reach)
		log_warning("'%s': %" PRIu64 " snapshot%s not found: symbols that only they need "
			    "were not added", path, all->out_of_reach, plural(all->out_of_reach));
	log_info("'%s': added symbols%s of %zu module%s; %zu not found", path,
		 all->snapshots ? " and unwind information" : "", result.embedded,
		 plural(result.embedded), result.missing);
	return 0;
}

static int trace_open(struct finalizing *all, const char *path, const struct trace_io *io)
{
	int rc = trace_reader_create(io, all->fd, &all->reader);

	if (rc == -ENODATA)
		return log_error(EINVAL, "'%s' is not an rwalker trace", path);
	if (rc == -ESTALE)
		return log_error(EINVAL, "'%s' is of a pre-release version of rwalker; record again", path);
	return rc ? log_error(-rc, "cannot read '%s': %s", path, strerror(-rc)) : 0;
}

int finalize_file(const struct record_config *config, const struct trace_io *io)
{
	const char *path = config->output.finalize;
	_cleanup_(finalizing_deinit) struct finalizing all = {.recording = {.config = config, .io = io}, .fd = -1};
	int rc = helpers_start(0, &all.spawner);

	if (!rc)
		rc = file_open(&all, path);
	if (!rc && !geteuid())
		rc = privileges_drop();
	if (!rc)
		rc = confinement_enter(false, &all.confinement);
	if (!rc)
		rc = trace_open(&all, path, io);
	if (rc)
		return rc;
	if (has_embedding(&all)) {
		log_info("'%s' already has its symbols: nothing to do", path);
		return 0;
	}
	rc = tools_create(&all, io);
	if (rc)
		return log_error(-rc, "cannot finalize '%s': %s", path, strerror(-rc));
	return names_add(&all, path);
}

/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "record/flight/flight_internal.h"

#include <unistd.h>

#include "common/address_space.h"
#include "common/cleanup.h"
#include "common/clock.h"
#include "common/time_units.h"
#include "format/event_log.h"
#include "format/trace_writer.h"
#include "record/cgroup/cgroup_table.h"
#include "record/embed/embed.h"
#include "record/flight/segments.h"
#include "record/machine/clocks.h"
#include "record/place/kernel_map.h"
#include "record/place/module_files.h"
#include "record/place/module_table.h"
#include "record/place/sideband.h"
#include "record/plan/deadlines.h"
#include "record/plan/recording.h"
#include "record/source/open_waits.h"

enum { FREE_FLOOR = 64 << 20 /* bytes that stay free on the file system */ };

struct writing {
	const struct dump_parts *parts;
	struct event_log *log;
	struct trace_writer *writer;
	uint64_t since;
	uint32_t memory; /* module: executable memory without a file */
	bool before_exec; /* true: only what processes had mapped before their exec; false: all the rest */
	uint32_t execed;  /* the process whose exec was written last */
	int fd;
};

static void writing_deinit(struct writing *writing)
{
	event_log_destroy(writing->log);
	trace_writer_destroy(writing->writer);
	if (writing->fd >= 0)
		(void)close(writing->fd);
}

static int writing_init(struct writing *writing)
{
	struct recording *recording = writing->parts->recording;
	const struct trace_writer_settings settings = {
		.max_size = (uint64_t)recording->config->output.max_size,
		.free_floor = FREE_FLOOR,
		.realtime = clock_now(CLOCK_REALTIME) - (clocks_now() - writing->since),
	};
	int r = dump_files_create(writing->parts->output, &writing->fd);

	if (r >= 0)
		r = trace_writer_create(recording->io, writing->fd, &settings, &writing->writer);
	if (r >= 0)
		r = event_log_create(writing->writer, recording->max_cpus, &writing->log);
	if (r >= 0)
		r = event_log_want_names(writing->log);
	if (r < 0)
		return r;
	recording->log = writing->log; /* all tables write to it from now on */
	recording->writer = writing->writer;
	recording->error = 0;
	return 0;
}

/* --- state --- */

static int add_about(const struct writing *writing)
{
	const uint64_t start = writing->parts->recording->start;
	struct event event = {.kind = EVENT_WINDOW, .window = writing->parts->about};

	event.window.since = writing->since;
	event.window.until = writing->parts->now;
	event.window.before = writing->since > start ? writing->since - start : 0;
	return event_log_add(writing->log, &event);
}

static bool is_before_exec(uint32_t tgid)
{
	return tgid == address_spaces_before_exec(tgid);
}

static int write_mapping(void *context, uint32_t tgid, const struct mapping *mapping)
{
	struct writing *writing = context;
	const struct event_mapping record = {
		.time = writing->since, .tgid = tgid & ~address_spaces_before_exec(0),
		.start = mapping->start, .length = mapping->end - mapping->start, .file_offset = mapping->file_offset,
		.module = mapping->note == MAPPING_MAY_BE_COPY ? writing->memory : mapping->module,
		.flags = MAPPING_INITIAL | (mapping->note == MAPPING_IS_COPY ? MAPPING_COPIED : 0),
	};

	if (is_before_exec(tgid) != writing->before_exec)
		return 0;
	return event_log_add(writing->log, &(struct event){.kind = EVENT_MAPPING, .mapping = record});
}

static int write_exec(void *context, uint32_t tgid, const struct mapping *mapping)
{
	struct writing *writing = context;
	const struct event_comm record = {.time = writing->since, .tgid = tgid & ~address_spaces_before_exec(0),
					  .tid = tgid & ~address_spaces_before_exec(0), .flags = COMM_EXEC};

	(void)mapping;
	if (!is_before_exec(tgid) || tgid == writing->execed)
		return 0;
	writing->execed = tgid;
	return event_log_add(writing->log, &(struct event){.kind = EVENT_COMM, .comm = record});
}

/*
 * A thread in execve() still has the registers of the old program, whose addresses need the old
 * mappings. So such a process begins with those, and executes the new program at once.
 */
static int add_mappings(struct writing *writing)
{
	const struct segments *segments = writing->parts->segments;
	int r;

	writing->before_exec = true;
	r = segments_each_mapping(segments, write_mapping, writing);
	writing->before_exec = false;
	if (r >= 0)
		r = segments_each_mapping(segments, write_exec, writing);
	return r < 0 ? r : segments_each_mapping(segments, write_mapping, writing);
}

static int add_state(struct writing *writing)
{
	struct recording *recording = writing->parts->recording;

	module_table_tell(recording->modules);
	kernel_map_tell(recording->kernel_map);
	if (recording->cgroups)
		cgroup_table_tell(recording->cgroups);
	sideband_tell_unavailable(recording->sideband);
	writing->memory = module_table_special(recording->modules, MODULE_ANONYMOUS);
	return recording->error ? recording->error : add_mappings(writing);
}

/* Those from before the first segment, or those of the segments. */
static int add_chunks(const struct writing *writing, bool before)
{
	struct segments_chunk chunk;
	size_t cursor = 0;
	int r = event_log_flush(writing->log);

	while (r >= 0 && segments_next(writing->parts->segments, &cursor, &chunk))
		if (chunk.before == before)
			r = trace_writer_copy(writing->writer, chunk.header, chunk.stored);
	return r;
}

static int add_open(const struct writing *writing)
{
	if (writing->parts->open)
		open_waits_tell(writing->parts->open);
	return writing->parts->recording->error;
}

/* --- what the reader will need --- */

static int embed(const struct writing *writing)
{
	const struct dump_parts *parts = writing->parts;
	struct recording *recording = parts->recording;
	const struct embed_wish wish = {recording->config->output.embed,
					elf_unwind_wish(recording->config->snapshots), .soon = true};
	struct embed_result result;

	if (wish.level == EMBED_LEVEL_NONE)
		return 0;
	module_files_part(parts->files, parts->spawner);
	return embed_run(recording, parts->files, parts->spawner, &wish, NULL, &result);
}

static int write_all(struct writing *writing)
{
	int r = writing_init(writing), closed;

	if (r < 0)
		return r;
	r = add_about(writing);
	if (r >= 0)
		r = add_chunks(writing, true);
	if (r >= 0)
		r = add_state(writing);
	if (r >= 0)
		r = add_chunks(writing, false);
	if (r >= 0)
		r = add_open(writing);
	if (r >= 0)
		r = embed(writing);
	closed = event_log_close(writing->log, RWK_END_CLEAN, NULL, 0);
	return r < 0 ? r : closed;
}

int dump_write(const struct dump_parts *parts, struct dump_result *ret_result)
{
	_cleanup_(writing_deinit) struct writing writing = {
		.parts = parts, .since = segments_since(parts->segments), .fd = -1};
	int r = write_all(&writing);

	*ret_result = (struct dump_result){.since = writing.since, .until = parts->now};
	if (r >= 0)
		ret_result->bytes = trace_writer_bytes(writing.writer);
	if (r >= 0)
		r = dump_files_keep(parts->output, ret_result->path);
	if (r < 0)
		(void)dump_files_drop(parts->output);
	return r;
}

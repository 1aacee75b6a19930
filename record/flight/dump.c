/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "record/flight/dump.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/clock.h"
#include "common/time_units.h"
#include "format/chunk.h"
#include "format/event_decoder.h"
#include "format/event_log.h"
#include "format/trace_writer.h"
#include "record/embed/embed.h"
#include "record/flight/base_state.h"
#include "record/flight/state_rules.h"
#include "record/flight/window.h"
#include "record/machine/clocks.h"
#include "record/place/module_files.h"
#include "record/plan/deadlines.h"
#include "record/plan/recording.h"
#include "record/source/open_waits.h"

enum { FREE_FLOOR = 64 << 20 /* bytes that stay free on the file system */ };

struct writing {
	const struct dump_parts *parts;
	struct event_log *log;
	struct trace_writer *writer;
	struct event_decoder *decoder;
	uint8_t *payload;
	struct state_span span;
	int fd;
};

static void writing_deinit(struct writing *writing)
{
	event_log_destroy(writing->log);
	trace_writer_destroy(writing->writer);
	event_decoder_destroy(writing->decoder);
	free(writing->payload);
	if (writing->fd >= 0)
		(void)close(writing->fd);
}

static uint64_t realtime_at(const struct writing *writing)
{
	return clock_now(CLOCK_REALTIME) - (clocks_now() - writing->span.since);
}

static int writing_init(struct writing *writing)
{
	struct recording *recording = writing->parts->recording;
	const struct trace_writer_settings settings = {
		.max_size = (uint64_t)recording->config->output.max_size,
		.free_floor = FREE_FLOOR,
		.realtime = realtime_at(writing),
	};
	int r = dump_files_create(writing->parts->output, &writing->fd);

	if (r >= 0)
		r = trace_writer_create(recording->io, writing->fd, &settings, &writing->writer);
	if (r >= 0)
		r = event_log_create(writing->writer, recording->max_cpus, &writing->log);
	if (r >= 0)
		r = event_log_want_names(writing->log);
	if (r >= 0)
		r = event_decoder_create(&writing->decoder);
	writing->payload = malloc(RWK_MAX_RAW_CHUNK);
	if (r < 0 || !writing->payload)
		return r < 0 ? r : -ENOMEM;
	recording->log = writing->log; /* modules that become known from now on are written to it, too */
	recording->writer = writing->writer;
	recording->error = 0;
	return 0;
}

/* --- state and events --- */

static int begin_records(const struct writing *writing, const struct window_chunk *chunk)
{
	int r = rwk_chunk_unpack(chunk->header, chunk->stored, writing->payload);

	if (r >= 0)
		event_decoder_start(writing->decoder, writing->payload, chunk->header->raw_size);
	return r;
}

/* Moves the base state to the beginning of the span: the window may hold older records. */
static int reach_since(const struct writing *writing)
{
	const struct dump_parts *parts = writing->parts;
	struct window_chunk chunk;
	struct event event;
	size_t cursor = 0;
	int r = 0;

	while (r >= 0 && window_next(parts->window, &cursor, &chunk)) {
		if (chunk.header->type != RWK_CHUNK_STATE ||
		    chunk.header->first_time >= writing->span.since)
			continue;
		r = begin_records(writing, &chunk);
		while (r >= 0 && event_decoder_next(writing->decoder, &event) > 0)
			base_state_reach(parts->base, &writing->span, &event);
	}
	return r;
}

static int add_records(const struct writing *writing, const struct window_chunk *chunk)
{
	const struct dump_parts *parts = writing->parts;
	struct event event;
	int r = begin_records(writing, chunk);

	while (r >= 0 && event_decoder_next(writing->decoder, &event) > 0)
		r = base_state_follow(parts->base, writing->log, &writing->span, &event);
	return r;
}

static int copy_chunk(const struct writing *writing, const struct window_chunk *chunk)
{
	int r = event_log_flush(writing->log);

	return r < 0 ? r : trace_writer_copy(writing->writer, chunk->header, chunk->stored);
}

static int add_chunk(const struct writing *writing, const struct window_chunk *chunk)
{
	switch (chunk->header->type) {
	case RWK_CHUNK_STATE:
		return add_records(writing, chunk);
	case RWK_CHUNK_EVENTS:
	case RWK_CHUNK_SNAPSHOTS:
	case RWK_CHUNK_NAMES:
		return copy_chunk(writing, chunk);
	default:
		return 0;
	}
}

static int add_window(const struct writing *writing)
{
	struct window_chunk chunk;
	size_t cursor = 0;
	int r = 0;

	while (r >= 0 && window_next(writing->parts->window, &cursor, &chunk))
		r = add_chunk(writing, &chunk);
	return r;
}

static int add_open(const struct writing *writing)
{
	if (writing->parts->open)
		open_waits_tell(writing->parts->open);
	return writing->parts->recording->error;
}

static int add_about(const struct writing *writing)
{
	const uint64_t start = writing->parts->recording->start, since = writing->span.since;
	struct event event = {.kind = EVENT_WINDOW, .window = writing->parts->about};
	struct base_state_usage usage;

	base_state_usage(writing->parts->base, &usage);
	event.window.since = since;
	event.window.until = writing->span.until;
	event.window.before = since > start ? since - start : 0;
	event.window.left_out = usage.left_out;
	return event_log_add(writing->log, &event);
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
	module_files_part(parts->files, parts->nursery);
	return embed_run(recording, parts->files, parts->nursery, &wish, NULL, &result);
}

static int write_all(struct writing *writing)
{
	int r = writing_init(writing), closed;

	if (r < 0)
		return r;
	r = reach_since(writing);
	if (r >= 0)
		r = add_about(writing);
	if (r >= 0)
		r = base_state_write(writing->parts->base, writing->log, &writing->span);
	if (r >= 0)
		r = add_window(writing);
	if (r >= 0)
		r = add_open(writing);
	if (r >= 0)
		r = embed(writing);
	closed = event_log_close(writing->log, RWK_END_CLEAN, NULL, 0);
	return r < 0 ? r : closed;
}

int dump_write(const struct dump_parts *parts, struct dump_result *ret_result)
{
	_cleanup_(writing_deinit) struct writing writing = {.parts = parts, .fd = -1};
	int r;

	writing.span.since = window_since(parts->window, parts->recording->start, parts->now);
	writing.span.until = parts->now;
	r = write_all(&writing);
	*ret_result = (struct dump_result){.since = writing.span.since, .until = writing.span.until};
	if (r >= 0)
		ret_result->bytes = trace_writer_bytes(writing.writer);
	if (r >= 0)
		r = dump_files_keep(parts->output, ret_result->bytes, ret_result->path);
	if (r < 0)
		(void)dump_files_drop(parts->output);
	return r;
}

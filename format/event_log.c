/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "format/event_log.h"

#include <errno.h>
#include <stdlib.h>

#include "common/time_units.h"
#include "format/limits.h"
#include "format/snapshot_keys.h"
#include "format/snapshot_number.h"

static const uint64_t CHUNK_AGE = RWK_TARGET_CHUNK_MS * MILLISECOND;

struct open_chunk {
	struct event_encoder *encoder;
	enum rwk_chunk_type type;
	uint64_t seen; /* when a tick first found it open; 0: none has */
};

struct tally { /* events of one source */
	uint64_t pending; /* in the open chunk */
	uint64_t written;
	uint64_t unwritten; /* the writer failed */
};

struct event_log {
	struct trace_writer *writer;
	struct open_chunk state, events; /* `events` is of type EVENTS, later EMBED */
	struct open_chunk snapshots, names; /* without an encoder if they are not recorded */
	struct snapshot_keys *keys;
	uint32_t snapshot;	   /* number of the last snapshot */
	bool wraps;		   /* 1 follows the largest possible number */
	struct tally tallies[EVENT_LOG_SOURCES];
	int error; /* the writer's error, after which it accepts no more chunks */
};

int event_log_create(struct trace_writer *writer, uint32_t max_cpus, struct event_log **ret_log)
{
	struct event_log *log = calloc(1, sizeof(*log));
	int r;

	if (!log)
		return -ENOMEM;
	log->writer = writer;
	log->state.type = RWK_CHUNK_STATE;
	log->events.type = max_cpus ? RWK_CHUNK_EVENTS : RWK_CHUNK_EMBED;
	r = event_encoder_create(RWK_TARGET_RAW_CHUNK, 0, &log->state.encoder);
	if (r >= 0)
		r = event_encoder_create(RWK_TARGET_RAW_CHUNK, max_cpus, &log->events.encoder);
	if (r < 0) {
		event_log_destroy(log);
		return r;
	}
	*ret_log = log;
	return 0;
}

void event_log_destroy(struct event_log *log)
{
	if (!log)
		return;
	event_encoder_destroy(log->state.encoder);
	event_encoder_destroy(log->events.encoder);
	event_encoder_destroy(log->snapshots.encoder);
	event_encoder_destroy(log->names.encoder);
	snapshot_keys_destroy(log->keys);
	free(log);
}

/* Pending records were written, or, if the writer failed, never will be. */
static void settle(struct event_log *log, bool written)
{
	for (size_t i = 0; i < EVENT_LOG_SOURCES; i++) {
		struct tally *tally = &log->tallies[i];

		*(written ? &tally->written : &tally->unwritten) += tally->pending;
		tally->pending = 0;
	}
}

static void chunk_reset(struct event_log *log, struct open_chunk *chunk)
{
	if (!chunk->encoder)
		return;
	event_encoder_reset(chunk->encoder);
	chunk->seen = 0;
	if (chunk == &log->snapshots)
		snapshot_keys_reset(log->keys);
}

/* After a failure the STATE chunk collects the records for END. */
static void fail(struct event_log *log, int error)
{
	log->error = error;
	settle(log, false);
	event_encoder_reset(log->state.encoder);
	event_encoder_reset(log->events.encoder);
	chunk_reset(log, &log->snapshots);
	chunk_reset(log, &log->names);
}

static int chunk_write(struct event_log *log, struct open_chunk *chunk)
{
	uint64_t first, last;
	const void *bytes;
	size_t length = chunk->encoder ? event_encoder_payload(chunk->encoder, &bytes, &first, &last) : 0;
	bool sensitive = chunk == &log->snapshots || chunk == &log->names;
	uint8_t flags = sensitive ? RWK_CHUNK_SENSITIVE : 0;
	int r;

	if (!length || log->error)
		return log->error;
	r = trace_writer_add(log->writer, chunk->type, flags, bytes, length, first, last);
	chunk_reset(log, chunk);
	if (r < 0)
		fail(log, r);
	else if (chunk == &log->events)
		settle(log, true);
	return r;
}

int event_log_flush(struct event_log *log)
{
	int r = chunk_write(log, &log->state);

	if (r >= 0)
		r = chunk_write(log, &log->names);
	if (r >= 0)
		r = chunk_write(log, &log->snapshots);
	return r < 0 ? r : chunk_write(log, &log->events);
}

static int chunk_flush(struct event_log *log, struct open_chunk *chunk)
{
	return chunk == &log->events ? event_log_flush(log) : chunk_write(log, chunk);
}

/* Switches `events` to this type. */
static int use_type(struct event_log *log, enum rwk_chunk_type type)
{
	int r;

	if (log->error || log->events.type == type)
		return log->error;
	r = event_log_flush(log);
	log->events.type = type;
	return r;
}

/* Makes a call that encodes into the chunk, and repeats it with an empty chunk if there was no room. */
#define ENCODE(log, chunk, call)                                                                    \
	({                                                                                         \
		int result = (call);                                                               \
                                                                                                   \
		if (result == -ENOSPC) {                                                           \
			result = chunk_flush(log, chunk);                                            \
			if (result >= 0)                                                           \
				result = (call);                                                   \
		}                                                                                  \
		result;                                                                            \
	})

/* Records about the recording itself, which belong in END. */
static bool is_account(enum event_kind kind)
{
	return kind == EVENT_LOSS || kind == EVENT_COST || kind == EVENT_PROBE_HITS;
}

static struct open_chunk *chunk_of(struct event_log *log, enum event_kind kind)
{
	if (kind >= EVENT_OBJECT_NAME)
		return &log->names;
	return kind < EVENT_TASK ? &log->state : &log->events;
}

int event_log_add(struct event_log *log, const struct event *event)
{
	struct open_chunk *chunk = chunk_of(log, event->kind);
	int r = chunk == &log->events ? use_type(log, RWK_CHUNK_EVENTS) : is_account(event->kind) ? 0 : log->error;

	if (r < 0)
		return r;
	return chunk->encoder ? ENCODE(log, chunk, event_encode(chunk->encoder, event)) : -EINVAL;
}

int event_log_add_meta(struct event_log *log, const char *key, const char *value)
{
	return log->error ? log->error : ENCODE(log, &log->state, event_encode_meta(log->state.encoder, key, value));
}

int event_log_want_names(struct event_log *log)
{
	log->names.type = RWK_CHUNK_NAMES;
	return log->names.encoder ? 0 : event_encoder_create(EVENT_ENCODER_MIN_ROOM, 0, &log->names.encoder);
}

int event_log_want_snapshots(struct event_log *log)
{
	int r = event_encoder_create(RWK_TARGET_RAW_SNAPSHOTS, 0, &log->snapshots.encoder);

	log->snapshots.type = RWK_CHUNK_SNAPSHOTS;
	return r < 0 ? r : snapshot_keys_create(&log->keys);
}

int event_log_add_snapshot(struct event_log *log, struct snapshot_owner owner, const struct snapshot *snapshot,
			   struct event_log_snapshot *ret_added)
{
	struct event_encoder *encoder = log->snapshots.encoder;
	const uint32_t number = snapshot_after(log->snapshot);
	int r = log->error;

	if (!encoder || !log->keys || (!log->wraps && number > SNAPSHOTS_MAX))
		return -EINVAL;
	if (r >= 0)
		r = ENCODE(log, &log->snapshots,
			   snapshot_keys_encode(log->keys, encoder, owner, number, snapshot, &ret_added->known));
	if (r >= 0)
		ret_added->number = log->snapshot = number;
	return r;
}

void event_log_wrap_snapshots(struct event_log *log, uint32_t last)
{
	log->snapshot = last;
	log->wraps = true;
}

static int count_event(struct event_log *log, uint32_t source, int r)
{
	if (source >= EVENT_LOG_SOURCES)
		return r;
	if (r >= 0)
		log->tallies[source].pending++;
	else if (log->error)
		log->tallies[source].unwritten++;
	return r;
}

void event_log_count(const struct event_log *log, uint32_t source, struct event_log_count *ret_count)
{
	const struct tally *tally = &log->tallies[source % EVENT_LOG_SOURCES];

	*ret_count = (struct event_log_count){.held = tally->written + tally->pending, .unwritten = tally->unwritten};
}

int event_log_add_sample(struct event_log *log, struct event_sample *sample, const struct event_task *task,
			 const struct event_stacks *stacks)
{
	int r = use_type(log, RWK_CHUNK_EVENTS);

	if (r >= 0)
		r = ENCODE(log, &log->events, event_encode_sample(log->events.encoder, sample, task, stacks));
	return count_event(log, sample->source, r);
}

int event_log_add_walk_task(struct event_log *log, struct event_walk_task *row, const struct event_task *task,
			    const struct event_task *owner, const struct event_stacks *stacks)
{
	int r = use_type(log, RWK_CHUNK_EVENTS);

	if (r >= 0)
		r = ENCODE(log, &log->events, event_encode_walk_task(log->events.encoder, row, task, owner, stacks));
	return count_event(log, 0, r);
}

int event_log_add_wait(struct event_log *log, struct event_wait *wait, const struct event_task *task,
		       const struct event_task *others, const struct event_stacks *stacks)
{
	int r = use_type(log, RWK_CHUNK_EVENTS);

	if (r >= 0)
		r = ENCODE(log, &log->events, event_encode_wait(log->events.encoder, wait, task, others, stacks));
	return count_event(log, wait->source, r);
}

int event_log_add_wake(struct event_log *log, struct event_wake *wake, const struct event_task *task,
		       const struct event_task *target, const struct event_stacks *stacks)
{
	int r = use_type(log, RWK_CHUNK_EVENTS);

	if (r >= 0)
		r = ENCODE(log, &log->events, event_encode_wake(log->events.encoder, wake, task, target, stacks));
	return count_event(log, wake->source, r);
}

int event_log_add_user_stack(struct event_log *log, struct event_user_stack *record, const struct event_task *task,
			     const struct event_stacks *stacks)
{
	int r = use_type(log, RWK_CHUNK_EVENTS);

	return r < 0 ? r : ENCODE(log, &log->events, event_encode_user_stack(log->events.encoder,
									     record, task, stacks));
}

int event_log_add_wait_sums(struct event_log *log, struct event_wait_sums *sums, const struct event_task *task)
{
	int r = use_type(log, RWK_CHUNK_EVENTS);

	return r < 0 ? r : ENCODE(log, &log->events, event_encode_wait_sums(log->events.encoder, sums, task));
}

int event_log_add_embed_module(struct event_log *log, const struct event_embed_module *module)
{
	int r = use_type(log, RWK_CHUNK_EMBED);

	return r < 0 ? r : ENCODE(log, &log->events, event_encode_embed_module(log->events.encoder, module));
}

int event_log_add_embed_unwind(struct event_log *log, const struct event_embed_unwind *piece)
{
	struct event event = {.kind = EVENT_EMBED_UNWIND, .embed_unwind = *piece};
	int r = use_type(log, RWK_CHUNK_EMBED);

	return r < 0 ? r : ENCODE(log, &log->events, event_encode(log->events.encoder, &event));
}

typedef int encode_symbols_function(struct event_encoder *encoder, uint32_t owner, const struct event_symbol *symbols,
				    size_t count, size_t *ret_taken);

static int add_symbols(struct event_log *log, encode_symbols_function *encode, uint32_t owner,
		       const struct event_symbol *symbols, size_t count)
{
	int r = use_type(log, RWK_CHUNK_EMBED);
	size_t taken;

	for (; r >= 0 && count; symbols += taken, count -= taken) {
		taken = 0;
		r = ENCODE(log, &log->events, encode(log->events.encoder, owner, symbols, count, &taken));
	}
	return r;
}

int event_log_add_embed_lines(struct event_log *log, uint32_t module, const struct event_line *lines, size_t count)
{
	int r = use_type(log, RWK_CHUNK_EMBED);
	size_t taken;

	for (; r >= 0 && count; lines += taken, count -= taken) {
		taken = 0;
		r = ENCODE(log, &log->events, event_encode_embed_lines(log->events.encoder, module,
								       lines, count, &taken));
	}
	return r;
}

int event_log_add_embed_symbols(struct event_log *log, uint32_t module, const struct event_symbol *symbols,
				size_t count)
{
	return add_symbols(log, event_encode_embed_symbols, module, symbols, count);
}

int event_log_add_perf_map(struct event_log *log, uint32_t tgid, const struct event_symbol *symbols, size_t count)
{
	return add_symbols(log, event_encode_perf_map, tgid, symbols, count);
}

static bool is_due(struct open_chunk *chunk, uint64_t now)
{
	uint64_t first, last;
	const void *bytes;

	if (!event_encoder_payload(chunk->encoder, &bytes, &first, &last))
		return false;
	if (!chunk->seen)
		chunk->seen = now;
	/* STATE may hold very old times, or none: its age counts from when it was first seen. */
	if (chunk->type != RWK_CHUNK_EVENTS || first > chunk->seen)
		first = chunk->seen;
	return now - first >= CHUNK_AGE;
}

int event_log_error(const struct event_log *log)
{
	return log->error;
}

int event_log_tick(struct event_log *log, uint64_t now)
{
	bool state = is_due(&log->state, now);

	if (is_due(&log->events, now))
		return event_log_flush(log);
	return state ? chunk_write(log, &log->state) : 0;
}

/* A record that does not fit or is refused must not prevent closing the trace. */
static int add_last(struct event_log *log, const struct event *last, size_t count)
{
	int r = 0;

	for (size_t i = 0; i < count; i++) {
		int one = event_encode(log->state.encoder, &last[i]);

		r = one < 0 ? one : r;
	}
	return r;
}

int event_log_close(struct event_log *log, enum rwk_end_reason reason, const struct event *last, size_t count)
{
	int r = log->error ? 0 : event_log_flush(log), added, closed;
	uint64_t first_time, last_time;
	const void *bytes;
	size_t length;

	added = add_last(log, last, count);
	r = added < 0 ? added : r;
	length = event_encoder_payload(log->state.encoder, &bytes, &first_time, &last_time);
	closed = trace_writer_close(log->writer, reason, bytes, length);
	event_encoder_reset(log->state.encoder);
	return closed < 0 ? closed : r;
}

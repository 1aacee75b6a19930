/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Where the recorder writes its events: an open chunk each of STATE, EVENTS (later EMBED),
 * SNAPSHOTS and NAMES, and the trace writer below them, which the caller owns. A chunk is written
 * out when it is full or, by event_log_tick, when it is RWK_TARGET_CHUNK_MS old; the others are
 * always written before the EVENTS that may need them.
 * Nothing is allocated after creation. Every function returns 0, -EINVAL if a record exceeds a
 * limit of the format (it is left out, the log goes on), or the writer's error. After a writer's
 * error only records about the recording itself (LOSS, COST, PROBE_HITS) are accepted, for END:
 * then close the log before something else uses the room that is reserved for it.
 */
#ifndef RWALKER_FORMAT_EVENT_LOG_H
#define RWALKER_FORMAT_EVENT_LOG_H

#include "format/event_encoder.h"
#include "format/snapshot_code.h"
#include "format/snapshot_keys.h"
#include "format/trace_writer.h"

struct event_log;

enum { EVENT_LOG_SOURCES = 48 }; /* their events are counted: ids below this */

/* Samples, waits and wakeups of one source; for source 0: rows of walks. */
struct event_log_count {
	uint64_t held;	    /* in the trace, or in the open chunk */
	uint64_t unwritten; /* added when the writer failed, or later */
};

/* max_cpus: one more than the largest cpu number; 0 for a log without samples and walks (--finalize). */
int event_log_create(struct trace_writer *writer, uint32_t max_cpus, struct event_log **ret_log);
void event_log_destroy(struct event_log *log);

/* Before the first snapshot. -ENOMEM. */
int event_log_want_snapshots(struct event_log *log);

struct event_log_snapshot {
	uint32_t number;       /* by which an event of that thread refers to it; not 0 */
	const uint64_t *known; /* as from snapshot_keys_encode(); valid until the next one is added */
};

/* Must be called before the event that it belongs to. */
int event_log_add_snapshot(struct event_log *log, struct snapshot_owner owner, const struct snapshot *snapshot,
			   struct event_log_snapshot *ret_added);

/* Before the first name of an object or a cgroup; may be called again. -ENOMEM. */
int event_log_want_names(struct event_log *log);

/* Any STATE record, a WALK or an OBJECT_NAME. */
int event_log_add(struct event_log *log, const struct event *event);
int event_log_add_meta(struct event_log *log, const char *key, const char *value);

/* Like event_encode_sample and event_encode_walk_task. */
int event_log_add_sample(struct event_log *log, struct event_sample *sample, const struct event_task *task,
			 const struct event_stacks *stacks);
int event_log_add_walk_task(struct event_log *log, struct event_walk_task *row, const struct event_task *task,
			    const struct event_task *owner, const struct event_stacks *stacks);

int event_log_add_wait(struct event_log *log, struct event_wait *wait, const struct event_task *task,
		       const struct event_task *others, const struct event_stacks *stacks);
int event_log_add_wake(struct event_log *log, struct event_wake *wake, const struct event_task *task,
		       const struct event_task *target, const struct event_stacks *stacks);
int event_log_add_user_stack(struct event_log *log, struct event_user_stack *record, const struct event_task *task,
			     const struct event_stacks *stacks);
int event_log_add_wait_sums(struct event_log *log, struct event_wait_sums *sums, const struct event_task *task);
/* After the stop. Symbols must be in ascending order of addresses; they are spread over as many chunks as they need. */
int event_log_add_embed_module(struct event_log *log, const struct event_embed_module *module);
int event_log_add_embed_symbols(struct event_log *log, uint32_t module, const struct event_symbol *symbols,
				size_t count);
int event_log_add_embed_lines(struct event_log *log, uint32_t module, const struct event_line *lines, size_t count);
int event_log_add_embed_unwind(struct event_log *log, const struct event_embed_unwind *piece);
int event_log_add_perf_map(struct event_log *log, uint32_t tgid, const struct event_symbol *symbols, size_t count);

/*
 * Numbers of snapshots have 32 bits. From now on they start again after the largest, for callers
 * that keep no more than SNAPSHOTS_MAX snapshots. last: the number before the next one; 0: the next
 * one is number 1.
 */
void event_log_wrap_snapshots(struct event_log *log, uint32_t last);

void event_log_count(const struct event_log *log, uint32_t source, struct event_log_count *ret_count);

/* 0, or -errno with which the writer failed: nothing is accepted any more. */
int event_log_error(const struct event_log *log);

/* Writes out the chunks that are old enough at `now` (CLOCK_MONOTONIC ns). Called at least every 100 ms. */
int event_log_tick(struct event_log *log, uint64_t now);
/* Writes out everything. */
int event_log_flush(struct event_log *log);
/*
 * Writes out everything, then END with these records and those that were added after a failure
 * (META, LOSS, COST ...), and closes the trace. Returns the first failure.
 */
int event_log_close(struct event_log *log, enum rwk_end_reason reason, const struct event *last, size_t count);

#endif

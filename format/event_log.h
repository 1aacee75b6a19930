/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What the recorder writes its events to: one open STATE chunk, one open EVENTS (later EMBED) chunk, one of SNAPSHOTS, and
 * the trace writer behind them, which stays the caller's. A chunk is written out when it is full or, by event_log_tick, when
 * it is RWK_TARGET_CHUNK_MS old; STATE and SNAPSHOTS always before the EVENTS that may need them. Nothing is allocated after creation.
 * Every function returns 0, -EINVAL where a record breaks a limit of the format (it is left out, the log goes on), or the
 * writer's error. After that one, nothing is taken but what tells of the recording itself (LOSS, COST, PROBE_HITS), for END: close it
 * then, before something else takes the room that is kept for it.
 */
#ifndef RWALKER_FORMAT_EVENT_LOG_H
#define RWALKER_FORMAT_EVENT_LOG_H

#include "format/event_encoder.h"
#include "format/snapshot_code.h"
#include "format/snapshot_keys.h"
#include "format/trace_writer.h"

struct event_log;

enum { EVENT_LOG_SOURCES = 48 }; /* whose events are counted: ids less than this */

/* Samples, waits and wakeups of one source; of source 0: rows of walks. */
struct event_log_count {
	uint64_t held;	    /* in the trace, or in the chunk that is open */
	uint64_t unwritten; /* came with the writer's failure or after it */
};

/* max_cpus: one more than the largest cpu number; 0 for a log without samples and walks (--finalize). */
int event_log_create(struct trace_writer *writer, uint32_t max_cpus, struct event_log **ret_log);
void event_log_destroy(struct event_log *log);

/* Before the first snapshot. -ENOMEM. */
int event_log_want_snapshots(struct event_log *log);

struct event_log_snapshot {
	uint32_t number;       /* by which an event of that thread will refer to it; never more than 2^32 - 1 */
	const uint64_t *known; /* as snapshot_keys_encode() tells; valid until the next one is added */
};

/* Before the event that belongs to it. */
int event_log_add_snapshot(struct event_log *log, struct snapshot_owner owner, const struct snapshot *snapshot,
			   struct event_log_snapshot *ret_added);

/* Any STATE record, or a WALK. */
int event_log_add(struct event_log *log, const struct event *event);
int event_log_add_meta(struct event_log *log, const char *key, const char *value);

/* As event_encode_sample and event_encode_walk_task. */
int event_log_add_sample(struct event_log *log, struct event_sample *sample, const struct event_task *task,
			 const struct event_stacks *stacks);
int event_log_add_walk_task(struct event_log *log, struct event_walk_task *row, const struct event_task *task,
			    const struct event_stacks *stacks);

int event_log_add_wait(struct event_log *log, struct event_wait *wait, const struct event_task *task,
		       const struct event_task *waker, const struct event_stacks *stacks);
int event_log_add_wake(struct event_log *log, struct event_wake *wake, const struct event_task *task,
		       const struct event_task *target, const struct event_stacks *stacks);
int event_log_add_user_stack(struct event_log *log, struct event_user_stack *record, const struct event_task *task,
			     const struct event_stacks *stacks);
int event_log_add_wait_sums(struct event_log *log, struct event_wait_sums *sums, const struct event_task *task);
/* After the stop. Symbols ascend by address, and are spread over as many chunks as they need. */
int event_log_add_embed_module(struct event_log *log, const struct event_embed_module *module);
int event_log_add_embed_symbols(struct event_log *log, uint32_t module, const struct event_symbol *symbols,
				size_t count);
int event_log_add_embed_lines(struct event_log *log, uint32_t module, const struct event_line *lines, size_t count);
int event_log_add_embed_unwind(struct event_log *log, const struct event_embed_unwind *piece);
int event_log_add_perf_map(struct event_log *log, uint32_t tgid, const struct event_symbol *symbols, size_t count);

void event_log_count(const struct event_log *log, uint32_t source, struct event_log_count *ret_count);

/* Writes out what is old enough at `now` (CLOCK_MONOTONIC ns). Called at least every 100 ms. */
int event_log_tick(struct event_log *log, uint64_t now);
/* Writes out everything. */
int event_log_flush(struct event_log *log);
/*
 * Writes out everything, then END with these records and those that were added after a failure (META, LOSS, COST ...),
 * and closes the trace. Returns the first failure.
 */
int event_log_close(struct event_log *log, enum rwk_end_reason reason, const struct event *last, size_t count);

#endif

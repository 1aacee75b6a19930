/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The records inside STATE, EVENTS, EMBED, END, SNAPSHOTS and NAMES chunks, decoded (FORMAT.md
 * §4-§7, §12, §13). On disk a record is
 *
 *     varint length (of what follows) · varint kind · fields
 *
 * and a reader skips kinds it does not know and bytes after the last field it knows. Fields are
 * varints unless said otherwise, in the order of the members of the structs; (z) = zig-zag; (s) =
 * varint length + bytes; (t) = time: zig-zag difference to the previous time in the same chunk,
 * whatever record that was in; the first to 0. A tgid or tid of a STATE or TASK record is
 * zig-zag, the difference to the previous tgid or tid in the same chunk, the first to 0; start
 * (z, to the previous MAPPING), length and file_offset of a MAPPING are in units of 4096 bytes.
 * Kinds are never reused, fields are only appended; an absent field at the end reads as 0 (a
 * difference of 0) or empty.
 */
#ifndef RWALKER_FORMAT_EVENT_H
#define RWALKER_FORMAT_EVENT_H

#include "common/byte_cursor.h"
#include "format/event_account.h"
#include "format/event_cgroup.h"
#include "format/event_embed.h"
#include "format/event_flight.h"
#include "format/event_object.h"
#include "format/event_probe.h"
#include "format/event_sample.h"
#include "format/event_snapshot.h"
#include "format/event_state.h"
#include "format/event_wait.h"

enum event_kind {
	/* STATE */
	EVENT_META = 1,
	EVENT_CLOCK = 2,
	EVENT_SOURCE = 3,
	EVENT_MODULE = 4,
	EVENT_MAPPING = 5,
	EVENT_FORK = 6,
	EVENT_COMM = 7,
	EVENT_EXIT = 8,
	EVENT_KERNEL_SYMBOL = 9,
	EVENT_LOSS = 10,
	EVENT_COST = 11,
	EVENT_MAPS_UNAVAILABLE = 12,
	EVENT_PROBE = 13,
	EVENT_PROBE_HITS = 14,
	EVENT_UNSURE = 15,
	EVENT_COUNTER = 16,
	EVENT_OBJECT = 17,
	EVENT_WINDOW = 18,
	EVENT_TRIGGER = 19,
	EVENT_CGROUP = 20,
	EVENT_BUDGET = 21,
	/* EVENTS */
	EVENT_TASK = 32,     /* defines task 1, 2, 3 ... of the chunk; handled by the codec */
	EVENT_SAMPLE = 33,
	EVENT_WALK = 34,     /* start or end of a task walk */
	EVENT_WALK_TASK = 35,
	EVENT_WAIT = 36,
	EVENT_WAKE = 37,
	EVENT_USER_STACK = 38,
	EVENT_WAIT_SUMS = 39,
	/* EMBED */
	EVENT_EMBED_MODULE = 64,
	EVENT_EMBED_SYMBOLS = 65,
	EVENT_PERF_MAP = 66,
	EVENT_EMBED_LINES = 67,
	EVENT_EMBED_UNWIND = 68,
	/* SNAPSHOTS */
	EVENT_SNAPSHOT = 96,
	/* NAMES */
	EVENT_OBJECT_NAME = 97,
};

enum { EVENT_KINDS = EVENT_OBJECT_NAME + 1 };

/* One record. Texts, segments and symbols point into the payload it was read from, or to what the writer passed. */
struct event {
	enum event_kind kind;
	union {
		struct event_meta meta;
		struct event_clock clock;
		struct event_source source;
		struct event_module module;
		struct event_mapping mapping;
		struct event_fork fork;
		struct event_comm comm;
		struct event_exit exit;
		struct event_kernel_symbol kernel_symbol;
		struct event_loss loss;
		struct event_cost cost;
		struct event_maps_unavailable maps_unavailable;
		struct event_probe probe;
		struct event_probe_hits probe_hits;
		struct event_unsure unsure;
		struct event_counter counter;
		struct event_object object;
		struct event_window window;
		struct event_trigger trigger;
		struct event_cgroup cgroup;
		struct event_budget budget;
		struct event_task task;
		struct event_sample sample;
		struct event_walk walk;
		struct event_walk_task walk_task;
		struct event_wait wait;
		struct event_wake wake;
		struct event_user_stack user_stack;
		struct event_wait_sums wait_sums;
		struct event_embed_module embed_module;
		struct event_embed_symbols embed_symbols;
		struct event_perf_map perf_map;
		struct event_embed_lines embed_lines;
		struct event_embed_unwind embed_unwind;
		struct event_snapshot snapshot;
		struct event_object_name object_name;
	};
	struct byte_cursor symbols; /* EMBED_SYMBOLS, PERF_MAP: for event_next_symbol(); EMBED_LINES */
};

#endif

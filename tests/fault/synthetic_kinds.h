/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Small traces that together hold a record of every kind: seeds of the fuzzers (corpus.c) and of the mutants. */
#pragma once

#include "format/event_log.h"
#include "tests/fault/memory_io.h"
#include "tests/fault/synthetic.h"

#define KINDS_CONTAINER "/docker/00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff"

static inline void kinds_add_other_state(struct event_log *log)
{
	const struct event events[] = {
		{.kind = EVENT_META, .meta = {syn_text("host.name"), syn_text("a\033[2Jb")}},
		{.kind = EVENT_CLOCK, .clock = {SYN_BASE, 1, 2}},
		{.kind = EVENT_EXIT, .exit = {SYN_BASE + 5, 100, 100}}, {.kind = EVENT_BUDGET, .budget = {1, 2, 2, 2}},
		{.kind = EVENT_LOSS, .loss = {SYN_BASE, 1, 0, LOSS_RING_FULL, 300}},
		{.kind = EVENT_COST, .cost = {SYN_BASE, 1, 2, 3, 4, 5, 6}},
		{.kind = EVENT_MAPS_UNAVAILABLE, .maps_unavailable = {SYN_BASE, 100, 110}},
		{.kind = EVENT_PROBE, .probe = {3, SYN_CPU, HOOK_FENTRY, syn_text("vfs_read")}},
		{.kind = EVENT_PROBE_HITS, .probe_hits = {SYN_BASE, 3, 1000, 20, 1}},
		{.kind = EVENT_COUNTER, .counter = {SYN_BASE, 1, 2, 900, 700, 20, 15, 999, 900, 9}},
		{.kind = EVENT_UNSURE, .unsure = {SYN_BASE, SYN_BASE + 9, 1, UNSURE_SILENT, 3}},
		{.kind = EVENT_OBJECT, .object = {.number = 1, .kind = OBJECT_TCP, .inode = 7, .port = 5432}},
		{.kind = EVENT_WINDOW, .window = {SYN_BASE, SYN_BASE + 9, 3, 1, 5, 6}},
		{.kind = EVENT_TRIGGER, .trigger = {SYN_BASE, 1, syn_text("runq>1s"), 42, 43, syn_text("a"), 7, 8}},
		{.kind = EVENT_OBJECT_NAME, .object_name = {1, {0}, {"0123456789abcdef", 16}, {"abcdef", 6}}},
		{.kind = EVENT_OBJECT_NAME, .object_name = {2, syn_text("/var/lib/a"), syn_text(""), syn_text("")}},
		{.kind = EVENT_CGROUP, .cgroup = {SYN_BASE, 7, CGROUP_INITIAL, syn_text(KINDS_CONTAINER)}},
		{.kind = EVENT_CGROUP, .cgroup = {SYN_BASE + 5, 7, CGROUP_REMOVED, syn_text("")}},
	};
	if (event_log_want_names(log) < 0)
		abort();
	for (size_t i = 0; i < sizeof(events) / sizeof(*events); i++)
		if (event_log_add(log, &events[i]))
			abort();
}

static inline void kinds_add_walk(struct event_log *log)
{
	struct event walk = {.kind = EVENT_WALK, .walk = {.time = SYN_BASE, .number = 1, .source = 2}};
	struct event_walk_task row = {SYN_BASE + 1, 1, 0, 2, 0, 5000, WAIT_EXACT, .call = 9, .object = 1, .owner = 1};
	struct synthetic s;

	syn_make(1, &s);
	s.task.cgroup = 8; /* which no record describes */
	if (event_log_add(log, &walk) < 0 || event_log_add_walk_task(log, &row, &s.task, &s.task, &s.stacks) < 0)
		abort();
	walk.walk.flags = WALK_END;
	if (event_log_add(log, &walk) < 0)
		abort();
}

static inline void kinds_add_probed(struct event_log *log)
{
	struct synthetic s;

	syn_make(1, &s);
	s.sample.probe = 3;
	s.task.cgroup = 7;
	if (event_log_add_sample(log, &s.sample, &s.task, &s.stacks) < 0)
		abort();
}

static inline void kinds_add_embedded(struct event_log *log)
{
	struct event_segment segments[] = {{0, 0x400000, 0x1000, 0x1000, 5}, {0x1000, 0x402000, 0x100, 0x200, 6}};
	struct event_embed_module module = {2, EMBED_FULL, 62, 2, segments};
	struct event_symbol symbols[] = {{0x400100, 16, syn_text("main")}, {0x400200, 32, syn_text("_ZN1a1bEv")}};
	struct event_line_level levels[] = {{syn_text("_ZN1a1bEv"), syn_text("/src/a.cc"), 20},
					    {syn_text("main"), syn_text("/src/main.cc"), 7}};
	struct event_line lines[] = {{0x400101, levels + 1, 1}, {0x400110, levels, 2}};

	if (event_log_add_embed_module(log, &module) < 0 || event_log_add_embed_symbols(log, 2, symbols, 2) < 0 ||
	    event_log_add_perf_map(log, 100, symbols, 2) < 0 || event_log_add_embed_lines(log, 2, lines, 2) < 0)
		abort();
}

static inline void kinds_add_everything(struct event_log *log)
{
	kinds_add_other_state(log);
	kinds_add_walk(log);
	kinds_add_probed(log);
	for (uint32_t i = 0; i < 12; i++)
		if (syn_add(log, i, 6) < 0)
			abort();
	kinds_add_embedded(log);
}

/* Found by fuzz_report_waits: a wait without frames, one of a source of samples, one that ends before its start. */
static inline void kinds_add_found(struct event_log *log)
{
	struct event source = {.kind = EVENT_SOURCE,
			       .source = {.id = SYN_OFFCPU, .kind = SOURCE_OFFCPU, .start = UINT64_MAX}};
	struct event_stacks none = {0};
	struct syn_waits w;

	syn_make_waits(9, &w);
	if (event_log_add_wait(log, &w.wait, &w.sleeper.task, &w.waker.task, &none) < 0)
		abort();
	w.wait.source = SYN_CPU;
	if (event_log_add_wait(log, &w.wait, &w.sleeper.task, &w.waker.task, &none) < 0 || event_log_flush(log) < 0)
		abort();
	if (event_log_add(log, &source) < 0)
		abort();
}

/* The caller opens it at its final address (memory_io_open) and closes it. */
static inline struct memory_io kinds_trace(void (*add)(struct event_log *log))
{
	struct memory_io m = {0};
	struct trace_writer *writer;
	struct event_log *log;

	memory_io_open(&m);
	if (trace_writer_create(&m.io, 3, &(struct trace_writer_settings){.realtime = SYN_REALTIME}, &writer) < 0 ||
	    event_log_create(writer, SYN_CPUS, &log) < 0)
		abort();
	add(log);
	if (event_log_close(log, RWK_END_CLEAN, NULL, 0) < 0)
		abort();
	event_log_destroy(log);
	trace_writer_destroy(writer);
	return m;
}

/* A process with snapshots: return addresses into its modules among other words; one is stored as a difference. */
static inline void kinds_add_snapshots(struct event_log *log)
{
	uint64_t words[64] = {0}, user[] = {syn_start(2) + 0x1010};
	struct snapshot snapshot = {.time = SYN_BASE + 5, .known = 0x1ffff, .address = 0x7fff0000,
				    .words = words, .count = 64};
	struct event_stacks stacks = {.user = user, .user_count = 1};
	struct synthetic s;

	syn_make(0, &s);
	if (event_log_want_snapshots(log) < 0)
		abort();
	for (uint32_t i = 0; i < 4; i++) {
		struct event_sample sample = {.time = SYN_BASE + 10 + i, .source = SYN_CPU};
		struct event_log_snapshot added;

		for (uint32_t k = 0; k < 64; k += 3)
			words[k] = k % 2 ? syn_start(2 + k % 4 / 2) + 0x1000 + k * 8 + i : snapshot.address + k * 8;
		snapshot.registers[6] = snapshot.address + 16;
		snapshot.registers[7] = snapshot.address;
		snapshot.registers[16] = syn_start(2) + 0x1010;
		if (event_log_add_snapshot(log, (struct snapshot_owner){s.task.tid, 0}, &snapshot, &added) < 0)
			abort();
		sample.snapshot = added.number;
		if (event_log_add_sample(log, &sample, &s.task, &stacks) < 0)
			abort();
	}
}

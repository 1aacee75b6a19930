/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * corpus DIR: writes what the fuzzers of the trace reader, of the chunk decoders and of the reporter start from, made with
 * the writer: DIR/fuzz_trace_reader/NAME, DIR/fuzz_event_decoder_{state,events,embed}/NAME, DIR/fuzz_report_waits/NAME. For
 * tests/fuzz/corpus/.
 */
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "format/trace_reader.h"
#include "tests/fault/synthetic_trace.h"
#include "tests/fuzz/parts.h"

static void save(const char *dir, const char *target, const char *name, const void *bytes, size_t length)
{
	char path[512];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", dir, target);
	(void)mkdir(path, 0755);
	snprintf(path, sizeof(path), "%s/%s/%s", dir, target, name);
	fd = open(path, O_CREAT | O_TRUNC | O_WRONLY, 0644);
	if (fd < 0 || write(fd, bytes, length) != (ssize_t)length || close(fd) < 0) {
		perror(path);
		exit(1);
	}
}

static void save_traces(const char *dir)
{
	struct memory_io empty = syn_trace(0, 1, true), closed = syn_trace(24, 8, true),
			 killed = syn_trace(6, 3, false);
	uint8_t *joined = malloc(empty.length + killed.length);

	if (!joined)
		abort();
	memcpy(joined, killed.bytes, killed.length - 50);
	memcpy(joined + killed.length - 50, empty.bytes, empty.length);
	save(dir, "fuzz_trace_reader", "empty", empty.bytes, empty.length);
	save(dir, "fuzz_trace_reader", "closed", closed.bytes, closed.length);
	save(dir, "fuzz_trace_reader", "killed", killed.bytes, killed.length);
	save(dir, "fuzz_trace_reader", "headless", closed.bytes + 64, closed.length - 64);
	save(dir, "fuzz_trace_reader", "joined", joined, killed.length - 50 + empty.length);
	free(joined);
	memory_io_close(&empty);
	memory_io_close(&closed);
	memory_io_close(&killed);
}

static void add_other_state(struct event_log *log)
{
	const struct event events[] = {
		{.kind = EVENT_META, .meta = {syn_text("host.name"), syn_text("a\033[2Jb")}},
		{.kind = EVENT_CLOCK, .clock = {SYN_BASE, 1, 2, 3, 4}},
		{.kind = EVENT_EXIT, .exit = {SYN_BASE + 5, 100, 100}},
		{.kind = EVENT_LOSS, .loss = {SYN_BASE, 1, 0, LOSS_RING_FULL, 300}},
		{.kind = EVENT_COST, .cost = {SYN_BASE, 1, 2, 3, 4, 5, 6}},
		{.kind = EVENT_MAPS_UNAVAILABLE, .maps_unavailable = {SYN_BASE, 100, 110}},
		{.kind = EVENT_PROBE, .probe = {3, SYN_CPU, HOOK_FENTRY, syn_text("vfs_read")}},
		{.kind = EVENT_PROBE_HITS, .probe_hits = {SYN_BASE, 3, 1000, 20, 1}},
	};

	for (size_t i = 0; i < sizeof(events) / sizeof(*events); i++)
		if (event_log_add(log, &events[i]) < 0)
			abort();
}

static void add_walk(struct event_log *log)
{
	struct event walk = {.kind = EVENT_WALK, .walk = {.time = SYN_BASE, .number = 1, .source = 2}};
	struct event_walk_task row = {.time = SYN_BASE + 1, .walk = 1, .state = 2, .wait = 5000, .bound = WAIT_EXACT};
	struct synthetic s;

	syn_make(1, &s);
	if (event_log_add(log, &walk) < 0 || event_log_add_walk_task(log, &row, &s.task, &s.stacks) < 0)
		abort();
	walk.walk.flags = WALK_END;
	if (event_log_add(log, &walk) < 0)
		abort();
}

static void add_probed(struct event_log *log)
{
	struct synthetic s;

	syn_make(1, &s);
	s.sample.probe = 3;
	if (event_log_add_sample(log, &s.sample, &s.task, &s.stacks) < 0)
		abort();
}

static void add_embedded(struct event_log *log)
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

static void save_payloads(const char *dir, struct memory_io *m)
{
	static const char *const targets[] = {[RWK_CHUNK_STATE] = "fuzz_event_decoder_state",
					      [RWK_CHUNK_EVENTS] = "fuzz_event_decoder_events",
					      [RWK_CHUNK_EMBED] = "fuzz_event_decoder_embed"};
	const struct trace_chunk *chunks;
	struct trace_reader *reader;
	static uint8_t payload[1 << 16];
	char name[32];

	memory_io_open(m);
	if (trace_reader_create(&m->io, 3, &reader) < 0)
		abort();
	for (size_t i = 0, count = trace_reader_chunks(reader, &chunks); i < count; i++) {
		if (chunks[i].header.type > RWK_CHUNK_EMBED ||
		    chunks[i].header.raw_size > sizeof(payload) || trace_reader_load(reader, &chunks[i], payload) < 0)
			continue;
		snprintf(name, sizeof(name), "chunk-%zu", i);
		save(dir, targets[chunks[i].header.type], name, payload, chunks[i].header.raw_size);
	}
	trace_reader_destroy(reader);
}

/* A trace as the parts that the reporter's fuzzer makes chunks of again; `divided`: a section behind the first EVENTS chunk. */
static void save_parts(const char *dir, struct memory_io *m, const char *name, const uint8_t settings[PARTS_SETTINGS],
		       bool divided)
{
	static const uint8_t kinds[] = {[RWK_CHUNK_STATE] = PART_STATE, [RWK_CHUNK_EVENTS] = PART_EVENTS,
					[RWK_CHUNK_EMBED] = PART_EMBED, [RWK_CHUNK_SNAPSHOTS] = PART_SNAPSHOTS};
	static uint8_t parts[1 << 18], payload[1 << 16];
	const struct trace_chunk *chunks;
	struct trace_reader *reader;
	size_t length = PARTS_SETTINGS, events = 0;

	memcpy(parts, settings, PARTS_SETTINGS);
	memory_io_open(m);
	if (trace_reader_create(&m->io, 3, &reader) < 0)
		abort();
	for (size_t i = 0, count = trace_reader_chunks(reader, &chunks); i < count; i++) {
		const struct rwk_chunk_header *header = &chunks[i].header;

		if ((header->type > RWK_CHUNK_EMBED && header->type != RWK_CHUNK_SNAPSHOTS) || header->raw_size > sizeof(payload) ||
		    length + PARTS_MARK + 1 + header->raw_size > sizeof(parts) ||
		    trace_reader_load(reader, &chunks[i], payload) < 0)
			continue;
		memcpy(parts + length, parts_mark, PARTS_MARK);
		events += header->type == RWK_CHUNK_EVENTS;
		parts[length + PARTS_MARK] =
			divided && header->type == RWK_CHUNK_EVENTS && events == 2 ? PART_SECTION : kinds[header->type];
		memcpy(parts + length + PARTS_MARK + 1, payload, header->raw_size);
		length += PARTS_MARK + 1 + header->raw_size;
	}
	save(dir, "fuzz_report_waits", name, parts, length);
	trace_reader_destroy(reader);
}

static void save_reports(const char *dir)
{
	static const struct {
		const char *name;
		uint32_t steps, per_chunk;
		uint8_t settings[PARTS_SETTINGS];
		bool divided;
	} reports[] = {
		{"all", 21, 7, {0}, false},
		{"twice", 8, 4, {129, 32, 0, 0, 0, 0, 64}, false},
		{"waits", 12, 12, {2, 0, 0, 0, 0, 24, 4 | 64}, false},
		{"sections", 8, 4, {113, 0, 0, 0, 0, 8, 16 | 64}, true},
		{"uneven", 9, 3, {0, 0, 0, 0, 0, 0, 64, 0, 1}, true},
		{"target", 12, 4, {6, 0, 0, 0, 0, 12, 64, 101}, false},
		{"filtered", 12, 6, {10, 4, 32 | 31, 3, 0, 9, 32 | 128}, false},
		{"events", 8, 4, {0, 0, 0, 0, 0, 0, 64, 0, 1}, false},
		{"slices", 8, 4, {2, 0, 0, 0, 0, 0, 128, 0, 3 | 3 << 4}, false},
	};

	for (size_t i = 0; i < sizeof(reports) / sizeof(*reports); i++) {
		struct memory_io m = syn_trace(reports[i].steps, reports[i].per_chunk, false);

		save_parts(dir, &m, reports[i].name, reports[i].settings, reports[i].divided);
		memory_io_close(&m);
	}
}

static void add_everything(struct event_log *log)
{
	add_other_state(log);
	add_walk(log);
	add_probed(log);
	for (uint32_t i = 0; i < 12; i++)
		if (syn_add(log, i, 6) < 0)
			abort();
	add_embedded(log);
}

/* What fuzz_report_waits has found: a wait without frames, one of a source of samples, a source that starts after its end. */
static void add_found(struct event_log *log)
{
	struct event source = {.kind = EVENT_SOURCE, .source = {.id = SYN_OFFCPU, .kind = SOURCE_OFFCPU, .start = UINT64_MAX}};
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

static struct memory_io make(void (*add)(struct event_log *log))
{
	struct memory_io m = {0};
	struct trace_writer *writer;
	struct event_log *log;

	memory_io_open(&m);
	if (trace_writer_create(&m.io, 3, &(struct trace_writer_settings){0}, &writer) < 0 ||
	    event_log_create(writer, SYN_CPUS, &log) < 0)
		abort();
	add(log);
	if (event_log_close(log, RWK_END_CLEAN, NULL, 0) < 0)
		abort();
	event_log_destroy(log);
	trace_writer_destroy(writer);
	return m;
}

/* A process with snapshots: return addresses into its modules among other words, one a difference to the one before. */
static void add_snapshots(struct event_log *log)
{
	uint64_t words[64] = {0}, user[] = {syn_start(2) + 0x1010};
	struct snapshot snapshot = {.time = SYN_BASE + 5, .known = 0x1ffff, .address = 0x7fff0000, .words = words, .count = 64};
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

int main(int argc, char **argv)
{
	static const uint8_t settings[PARTS_SETTINGS] = {0}, every_event[PARTS_SETTINGS] = {[0] = 1, [8] = 1};
	struct memory_io everything, found, unwound;

	if (argc != 2)
		return 2;
	everything = make(add_everything);
	found = make(add_found);
	unwound = make(add_snapshots);
	save_traces(argv[1]);
	save_payloads(argv[1], &everything);
	save(argv[1], "fuzz_trace_reader", "embedded", everything.bytes, everything.length);
	save_reports(argv[1]);
	save_parts(argv[1], &everything, "others", settings, false);
	save_parts(argv[1], &found, "found", every_event, false);
	save_parts(argv[1], &unwound, "unwound", settings, false);
	save(argv[1], "fuzz_report_waits", "nothing", every_event, sizeof(every_event));
	memory_io_close(&everything);
	memory_io_close(&found);
	memory_io_close(&unwound);
	return 0;
}

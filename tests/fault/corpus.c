/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * corpus DIR: writes what the fuzzers of the trace reader and of the chunk decoders start from, made with the writer:
 * DIR/fuzz_trace_reader/NAME and DIR/fuzz_event_decoder_{state,events,embed}/NAME. For tests/fuzz/corpus/.
 */
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "format/trace_reader.h"
#include "tests/fault/synthetic_trace.h"

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
	struct memory_io empty = syn_trace(0, 1, true), closed = syn_trace(8, 4, true),
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

static void add_embedded(struct event_log *log)
{
	struct event_segment segments[] = {{0, 0x400000, 0x1000, 0x1000, 5}, {0x1000, 0x402000, 0x100, 0x200, 6}};
	struct event_embed_module module = {2, EMBED_FULL, 62, 2, segments};
	struct event_symbol symbols[] = {{0x400100, 16, syn_text("main")}, {0x400200, 32, syn_text("_ZN1a1bEv")}};

	if (event_log_add_embed_module(log, &module) < 0 || event_log_add_embed_symbols(log, 2, symbols, 2) < 0 ||
	    event_log_add_perf_map(log, 100, symbols, 2) < 0)
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

int main(int argc, char **argv)
{
	struct memory_io m = {0};
	struct trace_writer *writer;
	struct event_log *log;

	if (argc != 2)
		return 2;
	save_traces(argv[1]);
	memory_io_open(&m);
	if (trace_writer_create(&m.io, 3, &(struct trace_writer_settings){0}, &writer) < 0 ||
	    event_log_create(writer, SYN_CPUS, &log) < 0)
		return 1;
	add_other_state(log);
	add_walk(log);
	for (uint32_t i = 0; i < 12; i++)
		if (syn_add(log, i, 4) < 0)
			return 1;
	add_embedded(log);
	if (event_log_close(log, RWK_END_CLEAN, NULL, 0) < 0)
		return 1;
	save_payloads(argv[1], &m);
	event_log_destroy(log);
	trace_writer_destroy(writer);
	memory_io_close(&m);
	return 0;
}

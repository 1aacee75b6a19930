/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * corpus DIR: writes the seed inputs for the fuzzers of the trace reader, the chunk decoders and
 * the reporter, made with the writer: DIR/fuzz_trace_reader/NAME,
 * DIR/fuzz_event_decoder/NAME, DIR/fuzz_report_waits/NAME.
 */
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "format/trace_reader.h"
#include "tests/fault/fixed_random.h"
#include "tests/fault/synthetic_kinds.h"
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
	save(dir, "fuzz_trace_reader", "headless", closed.bytes + sizeof(struct rwk_file_header),
	     closed.length - sizeof(struct rwk_file_header));
	save(dir, "fuzz_trace_reader", "joined", joined, killed.length - 50 + empty.length);
	free(joined);
	memory_io_close(&empty);
	memory_io_close(&closed);
	memory_io_close(&killed);
}

static void save_payloads(const char *dir, struct memory_io *m)
{
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
		save(dir, "fuzz_event_decoder", name, payload, chunks[i].header.raw_size);
	}
	trace_reader_destroy(reader);
}

/*
 * A trace as the parts from which the reporter's fuzzer builds chunks; `divided`: with a section
 * after the first EVENTS chunk.
 */
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

		if ((header->type > RWK_CHUNK_EMBED && header->type != RWK_CHUNK_SNAPSHOTS) ||
		    header->raw_size > sizeof(payload) ||
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

int main(int argc, char **argv)
{
	static const uint8_t settings[PARTS_SETTINGS] = {0}, every_event[PARTS_SETTINGS] = {[0] = 1, [8] = 1};
	struct memory_io everything, found, unwound;

	if (argc != 2)
		return 2;
	everything = kinds_trace(kinds_add_everything);
	found = kinds_trace(kinds_add_found);
	unwound = kinds_trace(kinds_add_snapshots);
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

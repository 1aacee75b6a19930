/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * large_sections OUT MODULES SECTION PIECES: writes a trace with one sample in each of MODULES
 * modules. For each module the trace has a section (enum unwind_section) that claims the largest
 * size, and PIECES pieces of zeros. With enough pieces the section is complete; in the file it is
 * small.
 */
#include "format/limits.h"
#include "tests/make_events.h"

enum { TGID = 100, LENGTH = 1 << 20 };

static const uint64_t FIRST = 0x10000000;

static void add_module(struct made_trace *trace, uint32_t number)
{
	const struct event_segment segment = {.file_size = LENGTH, .memory_size = LENGTH, .flags = 5};
	const struct event_symbol symbol = {.address = 0, .size = LENGTH, .name = made_text("function")};
	char path[32], id[32];

	(void)snprintf(path, sizeof(path), "/made/%u", number);
	(void)snprintf(id, sizeof(id), "aabbccdd%08x", number);
	made_trace_module(trace, number, MODULE_FILE, path, id);
	made_trace_map(trace, 1000, TGID, FIRST + number * (uint64_t)LENGTH, LENGTH, 0, number, 0);
	made_trace_embed(trace, number, &segment, 1, &symbol, 1);
}

/* A sample there, with a stack of one word. */
static void add_sample(struct made_trace *trace, uint32_t number)
{
	enum { REGISTER_SP = 7, REGISTER_IP = 16 };
	const uint64_t stack[] = {FIRST + number * (uint64_t)LENGTH + 16}, word = 0;
	const struct event_task task = made_task(TGID, TGID, 0, "large");
	const struct event_stacks stacks = {.user = stack, .user_count = 1};
	struct event_sample sample = {.time = 2000 + number, .source = 1, .flags = SAMPLE_HAS_USER};
	struct snapshot snapshot = {.time = sample.time, .known = 1 << REGISTER_SP | 1 << REGISTER_IP,
				    .registers = {[REGISTER_SP] = 0x7000, [REGISTER_IP] = stack[0]},
				    .address = 0x7000, .words = &word, .count = 1};
	struct event_log_snapshot added;

	made_trace_check(event_log_add_snapshot(trace->log, (struct snapshot_owner){TGID, 0}, &snapshot, &added),
			 "snapshot");
	sample.snapshot = added.number;
	made_trace_check(event_log_add_sample(trace->log, &sample, &task, &stacks), "sample");
}

static void add_section(struct made_trace *trace, uint32_t number, uint32_t section, uint32_t pieces)
{
	static const char bytes[RWK_MAX_UNWIND_PIECE];

	for (uint32_t i = 0; i < pieces; i++) {
		const struct event_embed_unwind piece = {.module = number,
							 .section = section,
							 .size = RWK_MAX_UNWIND_SECTION,
							 .offset = i * RWK_MAX_UNWIND_PIECE,
							 .bytes = {bytes, sizeof(bytes)}};

		made_trace_check(event_log_add_embed_unwind(trace->log, &piece), "piece");
	}
}

int main(int argc, char **argv)
{
	struct made_trace *trace;
	uint32_t modules;

	if (argc != 5) {
		(void)fprintf(stderr, "usage: large_sections OUT MODULES SECTION PIECES\n");
		return EXIT_FAILURE;
	}
	trace = made_trace_begin(argv[1]);
	modules = (uint32_t)strtoul(argv[2], NULL, 0);
	made_trace_check(event_log_want_snapshots(trace->log), "snapshots");
	made_trace_meta(trace, "machine", "x86_64");
	made_trace_cpu_clock(trace, SOURCE_SNAPSHOTS);
	for (uint32_t i = 1; i <= modules; i++) {
		add_module(trace, i);
		add_sample(trace, i);
		add_section(trace, i, (uint32_t)strtoul(argv[3], NULL, 0), (uint32_t)strtoul(argv[4], NULL, 0));
		made_trace_flush(trace);
	}
	made_trace_end(trace);
	return EXIT_SUCCESS;
}

/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * named_trace OUT OFFSET PATH BUILD_ID [PATH BUILD_ID]...: writes a trace that refers to these
 * files and embeds nothing of them, with one sample in each, at that offset of the file.
 */
#include "tests/make_events.h"

enum { TGID = 100, LENGTH = 1 << 20 };

static const uint64_t FIRST = 0x10000000;

int main(int argc, char **argv)
{
	struct made_trace *trace;
	uint64_t offset;

	if (argc < 5 || argc % 2 == 0) {
		(void)fprintf(stderr, "usage: named_trace OUT OFFSET PATH BUILD_ID [PATH BUILD_ID]...\n");
		return EXIT_FAILURE;
	}
	offset = strtoull(argv[2], NULL, 0);
	trace = made_trace_begin(argv[1]);
	made_trace_cpu_clock(trace, 0);
	for (int i = 3; i < argc; i += 2) {
		uint32_t number = (uint32_t)i / 2;
		uint64_t start = FIRST + number * (uint64_t)LENGTH;
		const uint64_t stack[] = {start + offset, 0};

		made_trace_module(trace, number, MODULE_FILE, argv[i], argv[i + 1]);
		made_trace_map(trace, 1000, TGID, start, LENGTH, 0, number, 0);
		made_trace_flush(trace);
		made_trace_sample(trace, &(struct made_sample){.time = 2000 + number,
							       .tgid = TGID,
							       .tid = TGID,
							       .comm = "named",
							       .user = stack});
	}
	made_trace_end(trace);
	return EXIT_SUCCESS;
}

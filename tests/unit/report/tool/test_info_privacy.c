/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* --info --privacy: a trace with everything that it reports; every row with its count, its example and its remedy. */
#include "report/tool/tool.h"

#include <sys/stat.h>

#include "tests/make_events.h"
#include "tests/test.h"

static const char IN[] = TEST_FOLDER "/test_info_privacy.rwk";

#define SYMBOL(at, bytes, text) {.address = (at), .size = (bytes), .name = {(text), sizeof(text) - 1}}

static const struct event_task task = {.tgid = 7, .tid = 8, .start = 1, .comm = "hers\x1b[2J"};

static void add_state(struct made_trace *trace)
{
	made_trace_meta(trace, "hostname", "tower");
	made_trace_meta(trace, "boot_id", "b007");
	made_trace_meta(trace, "kernel_release", "6.1-ours");
	made_trace_meta(trace, "machine", "x86_64");
	made_trace_meta(trace, "command_line", "rwalker-record -c secret");
	made_trace_meta(trace, "room", "12b");
	made_trace_source(trace, &(struct event_source){.id = 1, .kind = SOURCE_CPU, .weight = WEIGHT_NS, .start = 10,
							.stop = 5000, .flags = SOURCE_USER_STACKS}, "cpu-clock");
	made_trace_probe(trace, 3, 1, HOOK_KPROBE, "our_function");
	made_trace_add(trace, &(struct event){.kind = EVENT_MODULE,
					      .module = {.id = 1, .kind = MODULE_KERNEL, .path = {"[kernel]", 8},
							 .base = 0xffffffff81000000}});
	made_trace_module(trace, 2, MODULE_FILE, "/usr/bin/cat", "0a0b");
	made_trace_module(trace, 3, MODULE_FILE, "/home/ada/engine", "c0ffee");
	made_trace_map(trace, 5, 7, 0x400000, 0x10000, 0, 3, MAPPING_INITIAL);
	made_trace_exec(trace, 6, 9, "never seen");
}

/* The second frame is a word of memory; the last is code. */
static void add_events(struct made_trace *trace)
{
	static const uint64_t frames[] = {0x400010, 0x7365637265747321, 0x400020};
	static const uint64_t words[] = {1, 2};
	const struct event_stacks stacks = {.user = frames, .user_count = 3};
	struct event_sample sample = {.cpu = 0, .time = 90, .source = 1};
	struct snapshot snapshot = {.time = 90, .known = 1 << 16 | 1 << 7, .address = 0x7000, .words = words,
				    .count = 2};
	struct event_log_snapshot added;

	made_trace_check(event_log_add_snapshot(trace->log, (struct snapshot_owner){8, 0}, &snapshot, &added),
			 "snapshot");
	sample.snapshot = added.number;
	made_trace_check(event_log_add_sample(trace->log, &sample, &task, &stacks), "sample");
}

static void add_embedded(struct made_trace *trace)
{
	static const struct event_symbol of_system[] = {SYMBOL(0x10, 1, "cat_main")},
					 own[] = {SYMBOL(0x10, 1, "compute"), SYMBOL(0x20, 1, "divide")},
					 jit[] = {SYMBOL(0x400000, 1, "SELECT 1")};
	static const struct event_line_level levels[] = {{{"compute", 7}, {"/home/bob/engine.c", 18}, 7}};
	static const struct event_line lines[] = {{0x10, levels, 1}};
	const struct event_embed_unwind code = {.module = 3, .section = UNWIND_CODE, .size = 4, .bytes = {"code", 4}};

	made_trace_embed(trace, 2, NULL, 0, of_system, 1);
	made_trace_embed(trace, 3, NULL, 0, own, 2);
	made_trace_check(event_log_add_embed_lines(trace->log, 3, lines, 1), "lines");
	made_trace_check(event_log_add_embed_unwind(trace->log, &code), "code");
	made_trace_check(event_log_add_perf_map(trace->log, 7, jit, 1), "perf map");
}

static void make_trace(void)
{
	struct made_trace *trace = made_trace_begin(IN);

	made_trace_check(event_log_want_snapshots(trace->log), "snapshots");
	add_state(trace);
	add_events(trace);
	add_embedded(trace);
	made_trace_end(trace);
}

static char *privacy_of(const char *path)
{
	static const struct profile_filter filter = {.to = UINT64_MAX};
	static const struct profile_names names = {0};
	struct tool_request request = {.paths = &path, .path_count = 1, .filter = &filter, .names = &names,
				       .privacy = true};
	char *text = NULL;
	size_t length;
	bool damaged = false;

	request.out = open_memstream(&text, &length);
	if (!request.out || tools[TOOL_INFO].run(&request, &damaged) < 0 || fclose(request.out) != 0)
		abort();
	return text;
}

static void every_row_is_found(struct test *t)
{
	static const char *const rows[] = {
		"  stack memory                   1  --condense              registers and stack of a thread\n",
		"  words of memory                1  --condense              0x7365637265747321\n",
		"  command line                   1  --condense              rwalker-record -c secret\n",
		"  code and unwind tables         1  --condense              pieces of programs\n",
		"  comms in no event              1  --condense              never seen\n",
		"  host name                      1  --scrub=host            tower\n",
		"  boot id                        1  --scrub=host            b007\n",
		"  kernel                         1  --scrub=host            6.1-ours\n",
		"  comms                          2  --scrub=comms           hers\\x1b[2J\n",
		"  paths                          2  --scrub=paths           /home/ada/engine\n",
		"  users (by paths)               2  --scrub=paths,sources   ada\n",
		"  build-ids                      2  --scrub=build-ids       c0ffee\n",
		"  symbols                        2  --scrub=symbols         compute\n",
		"  names of JIT code              1  --scrub=symbols         SELECT 1\n",
		"  source files                   1  --scrub=sources         /home/bob/engine.c\n",
		"  addresses (ASLR)               1  --scrub=addresses       0x400000\n",
		"  kernel addresses (KASLR)       1  --scrub=addresses       0xffffffff81000000\n",
		"  threads                        2  --scrub=pids            8\n",
		"  probes                         1  --scrub                 our_function\n",
		"  other facts                    1  --scrub                 12b\n",
		"  not in it: files waited for, addresses of peers, names of containers, unknown records, "
		"unreadable bytes, control groups, inodes, ports, futexes, "
		"rules of triggers\n",
	};
	char *text;

	make_trace();
	text = privacy_of(IN);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		test_check(t, strstr(text, rows[i]) != NULL, "it lacks: %sof:\n%s", rows[i], text);
	CHECK(t, strstr(text, "  times                          1  --scrub=times "));
	CHECK(t, strstr(text, "rwalker-report --scrub " TEST_FOLDER "/test_info_privacy.rwk -o OUT"));
	free(text);
}

/* Bytes that cannot be read are in the file nevertheless. */
static void bytes_of_no_chunk_count(struct test *t)
{
	static const char rest[] = "0123456789 a secret that is in no chunk of the trace";
	char *text, *told;
	FILE *file;

	make_trace();
	file = fopen(IN, "a");
	REQUIRE(t, file && fputs(rest, file) >= 0 && fclose(file) == 0);
	text = privacy_of(IN);
	told = strstr(text, "  unreadable bytes              52  --condense              outside of whole chunks\n");
	test_check(t, told != NULL, "not told:\n%s", text);
	free(text);
}

/* --condense takes out all that it is said to take out. */
static void condense_takes_out_what_it_should(struct test *t)
{
	static const char *const nowhere[] = {"/nonexistent", NULL};
	static const struct profile_filter filter = {.to = UINT64_MAX};
	static const struct profile_names names = {.debug_dirs = nowhere, .symfs = "/nonexistent"};
	static const char OUT[] = TEST_FOLDER "/test_info_privacy.out.rwk";
	const char *path = IN;
	struct tool_request request = {.paths = &path, .path_count = 1, .filter = &filter, .names = &names,
				       .output = OUT, .partial = true, .out = stdout};
	bool damaged = false;
	char *text;

	make_trace();
	(void)unlink(OUT);
	REQUIRE(t, tools[TOOL_CONDENSE].run(&request, &damaged) == 0);
	text = privacy_of(OUT);
	test_check(t, !strstr(text, "  --condense "), "something is left:\n%s", text);
	CHECK(t, strstr(text, "--scrub=comms           hers\\x1b[2J\n"));
	free(text);
}

TEST_MAIN(TEST(every_row_is_found), TEST(bytes_of_no_chunk_count), TEST(condense_takes_out_what_it_should))

/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * --condense of a trace with one record of every kind: by --dump, all of them are in the new trace as they were, but for what
 * is to go. Only the sample with a snapshot has another stack.
 */
#include "report/tool/tool.h"

#include <sys/stat.h>

#include "tests/make_events.h"
#include "tests/test.h"

static const char IN[] = "build/test_report_condense.rwk", OUT[] = "build/test_report_condense.out.rwk";

enum { PROGRAM = 2, ANON = 3 };

#define SYMBOL(at, bytes, text) {.address = (at), .size = (bytes), .name = {(text), sizeof(text) - 1}}

/* --- the trace --- */

static const uint64_t kernel[] = {UINT64_C(1) << 32 | 0x110, UINT64_C(1) << 32 | 0x210};
static const uint64_t user[] = {0x400010, 0x400020};
static const struct event_stacks stacks = {.kernel = kernel, .user = user, .kernel_count = 2, .user_count = 2};
static const struct event_task task = {.tgid = 7, .tid = 8, .start = 1, .comm = "one"};
static const struct event_task other = {.tgid = 9, .tid = 9, .start = 2, .comm = "two"};

static void add_state(struct made_trace *trace)
{
	const struct event_source source = {.id = 1, .kind = SOURCE_CPU, .weight = WEIGHT_NS, .frequency = 99,
					    .period = 1000, .start = 10, .stop = 5000,
					    .flags = SOURCE_USER_STACKS | SOURCE_SNAPSHOTS};

	made_trace_meta(trace, "hostname", "here");
	made_trace_meta(trace, "machine", "x86_64");
	made_trace_meta(trace, "command_line", "rwalker-record -c secret");
	made_trace_source(trace, &source, "cpu-clock");
	made_trace_probe(trace, 3, 1, HOOK_FENTRY, "tcp_sendmsg");
	made_trace_probe_hits(trace, &(struct event_probe_hits){.probe = 3, .time = 20, .hits = 1000, .skipped = 900, .missed = 7});
	made_trace_module(trace, 1, MODULE_KERNEL, "[kernel]", "0a0b0c");
	made_trace_module(trace, PROGRAM, MODULE_FILE, "/nonexistent/program", "c0ffee");
	made_trace_module(trace, ANON, MODULE_ANONYMOUS, "[anon]", "");
	made_trace_map(trace, 5, 7, 0x400000, 0x10000, 0x1000, PROGRAM, MAPPING_INITIAL);
	made_trace_map(trace, 6, 9, 0x400000, 0x10000, 0x1000, ANON, 0);
	made_trace_fork(trace, 7, 7, 11);
	made_trace_exec(trace, 8, 11, "child");
	made_trace_exit(trace, 9, 11);
	made_trace_kernel_symbol(trace, 1, 0x100, 0x100, "do_read");
	made_trace_add(trace, &(struct event){.kind = EVENT_CLOCK, .clock = {11, 12, 13, 14, 15}});
	made_trace_add(trace, &(struct event){.kind = EVENT_LOSS, .loss = {16, 1, 2, LOSS_RECORDED, 17}});
	made_trace_add(trace, &(struct event){.kind = EVENT_COST, .cost = {18, 19, 20, 21, 22, 23, 24}});
	made_trace_add(trace, &(struct event){.kind = EVENT_MAPS_UNAVAILABLE, .maps_unavailable = {19, 7, 110}});
}

static void add_waits(struct made_trace *trace)
{
	struct event_wait wait = {.cpu = 1, .source = 1, .state = 2, .flags = WAIT_KERNEL_TRUNCATED | WAIT_USER_LATER | WAIT_IOWAIT,
				  .time = 200, .length = 100, .run_queue = 20, .out_cpu = 3, .context = WAKER_TASK, .woken = 25};
	struct event_wake wake = {.cpu = 1, .source = 1, .context = WAKER_TASK, .time = 175, .flags = SAMPLE_USER_TRUNCATED};
	struct event_user_stack stack = {.cpu = 1, .source = 1, .time = 210, .since = 50, .missing = USER_MISSING_CHANGED};
	struct event_wait_sums sums = {.time = 220, .source = 1, .span = 60, .running = 30,
				       .kinds = {[WAIT_SUM_YIELDED] = {1, 2, 3}}};
	struct event_stacks none = {0}, of_kernel = {.kernel = kernel, .kernel_count = 2};

	made_trace_check(event_log_add_wake(trace->log, &wake, &other, &task, &stacks), "wake");
	made_trace_check(event_log_add_wait(trace->log, &wait, &task, &other, &of_kernel), "wait");
	made_trace_check(event_log_add_user_stack(trace->log, &stack, &task, &none), "user stack");
	made_trace_check(event_log_add_wait_sums(trace->log, &sums, &task), "sums");
}

static void add_walk(struct made_trace *trace)
{
	struct event_walk_task row = {.time = 232, .walk = 1, .state = 1, .exit_state = 16, .wait = 5, .bound = WAIT_AT_MOST,
				      .cpu = 2, .flags = WALK_TASK_IOWAIT, .missing = USER_MISSING_BUSY};
	struct event_stacks of_kernel = {.kernel = kernel, .kernel_count = 2};

	made_trace_add(trace, &(struct event){.kind = EVENT_WALK, .walk = {.time = 230, .number = 1, .source = 1}});
	made_trace_check(event_log_add_walk_task(trace->log, &row, &task, &of_kernel), "row");
	made_trace_add(trace, &(struct event){.kind = EVENT_WALK, .walk = {240, 1, 1, WALK_END, 400, 30}});
}

/* At 0x400010 in a stack of two words, the upper one being a return address. */
static uint32_t add_snapshot(struct made_trace *trace)
{
	static const uint64_t words[] = {0x7365637265747321, 0x400030};
	struct snapshot snapshot = {.time = 300, .known = 1 << 16 | 1 << 7 | 1 << 6, .address = 0x7000, .words = words, .count = 2};
	struct event_log_snapshot added;

	snapshot.registers[16] = 0x400010;
	snapshot.registers[7] = 0x7000;
	snapshot.registers[6] = 0;
	made_trace_check(event_log_add_snapshot(trace->log, (struct snapshot_owner){8, 0}, &snapshot, &added), "snapshot");
	return added.number;
}

static void add_embedded(struct made_trace *trace)
{
	static const struct event_segment segments[] = {
		{.file_offset = 0x1000, .address = 0x1000, .file_size = 0x10000, .memory_size = 0x10000, .flags = 5}};
	static const struct event_symbol symbols[] = {SYMBOL(0x1000, 0x100, "main"), SYMBOL(0x1100, 0x40, "")},
					 jit[] = {SYMBOL(0x400000, 0x100, "jitted")};
	static const struct event_line_level levels[] = {
		{{"inner", 5}, {"a.h", 3}, 7}, {{"outer", 5}, {"a.c", 3}, 70}, {{"", 0}, {"b.c", 3}, 0}};
	static const struct event_line lines[] = {{0x1010, levels, 2}, {0x1020, levels + 2, 1}};

	made_trace_embed(trace, PROGRAM, segments, 1, symbols, 2);
	made_trace_check(event_log_add_embed_lines(trace->log, PROGRAM, lines, 2), "lines");
	made_trace_check(event_log_add_perf_map(trace->log, 9, jit, 1), "perf map");
}

static void make_trace(bool with_snapshot)
{
	struct event_sample plain = {.cpu = 2, .time = 90, .source = 1, .period = 77, .probe = 3, .flags = SAMPLE_KERNEL_TRUNCATED},
			    last = {.cpu = 2, .time = 300, .source = 1, .missing = USER_MISSING_FAULT};
	struct made_trace *trace = made_trace_begin(IN);

	last.flags = SAMPLE_USER_TRUNCATED;
	(void)unlink(OUT);
	made_trace_check(event_log_want_snapshots(trace->log), "snapshots");
	add_state(trace);
	made_trace_check(event_log_add_sample(trace->log, &plain, &task, &stacks), "sample");
	add_waits(trace);
	add_walk(trace);
	last.snapshot = with_snapshot ? add_snapshot(trace) : 0;
	made_trace_check(event_log_add_sample(trace->log, &last, &task, &stacks), "sample");
	add_embedded(trace);
	made_trace_end(trace);
}

/* --- what comes of it --- */

static int condense(bool partial, bool *ret_damaged)
{
	static const char *const nowhere[] = {"/nonexistent", NULL};
	static const struct profile_filter filter = {.to = UINT64_MAX};
	static const struct profile_names names = {.debug_dirs = nowhere, .symfs = "/nonexistent"};
	const char *path = IN;
	struct tool_request request = {.paths = &path, .path_count = 1, .filter = &filter, .names = &names, .output = OUT,
				       .partial = partial, .out = stdout};

	*ret_damaged = false;
	return tools[TOOL_CONDENSE].run(&request, ret_damaged);
}

/* Whether the line is a record that a condensed trace has too; chunks have other places and sizes there. */
static bool is_kept(const char *line)
{
	static const char *const others[] = {"\"file-header\"", "\"command_line\"", "\"condensed\"", "  snapshot ", "  index "};

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (strstr(line, others[i]))
			return false;
	return line[0] == ' ';
}

/* The records that are to be the same, and behind them what --dump says from the last sample's new nodes on. The caller's. */
static char *records_of(const char *path)
{
	struct tool_request request = {.paths = &path, .path_count = 1};
	char *text = NULL, *kept = NULL, *line = NULL;
	size_t length, room = 0;
	FILE *in, *out;
	bool damaged;

	request.out = open_memstream(&text, &length);
	if (!request.out || tools[TOOL_DUMP].run(&request, &damaged) < 0 || fclose(request.out) != 0)
		abort();
	in = fmemopen(text, length, "r");
	out = open_memstream(&kept, &length);
	if (!in || !out)
		abort();
	while (getline(&line, &room, in) > 0)
		if (is_kept(line))
			(void)fputs(line, out);
	if (fclose(in) || fclose(out))
		abort();
	free(line);
	free(text);
	return kept;
}

/* Cuts the line out of the text. */
static bool cut(char *text, const char *line)
{
	char *at = strstr(text, line);

	if (at)
		memmove(at, at + strlen(line), strlen(at + strlen(line)) + 1);
	return at;
}

static void every_record_is_carried_over(struct test *t)
{
	static const char before[] = "  sample cpu=2 time=300 task=1 source=1 flags=0xb3 missing=2 period=0 kernel=3 user=5 probe=0 snapshot=1\n",
			  after[] = "  node 6 parent=0 address=0xffd2574b00000003\n"
				    "  node 7 parent=6 address=0x400010\n"
				    "  sample cpu=2 time=300 task=1 source=1 flags=0x3 missing=0 period=0 kernel=3 user=7 probe=0 snapshot=0\n";
	char *old, *new;
	bool damaged;

	make_trace(true);
	REQUIRE(t, condense(true, &damaged) == 0);
	CHECK(t, !damaged);
	old = records_of(IN);
	new = records_of(OUT);
	CHECK(t, strstr(old, "  wait-sums ") && strstr(old, "  perf-map ") && strstr(old, "  embed-symbols ") && strstr(old, "  embed-lines "));
	test_check(t, cut(old, before), "the old trace is not as expected:\n%s", old);
	test_check(t, cut(new, after), "the new trace is not as expected:\n%s", new);
	CHECK_STR(t, new, old);
	free(old);
	free(new);
}

static void missing_tables_are_refused(struct test *t)
{
	struct stat status;
	bool damaged;

	make_trace(true);
	CHECK_INT(t, condense(false, &damaged), -ENODATA);
	CHECK(t, stat(OUT, &status) < 0);
}

static void nothing_to_condense_is_refused(struct test *t)
{
	struct stat status;
	bool damaged;

	make_trace(false);
	CHECK_INT(t, condense(true, &damaged), -ENODATA);
	CHECK(t, stat(OUT, &status) < 0);
}

static void nothing_is_written_over(struct test *t)
{
	struct stat status;
	bool damaged;

	make_trace(true);
	fclose(fopen(OUT, "w"));
	CHECK_INT(t, condense(true, &damaged), -EEXIST);
	CHECK(t, !stat(OUT, &status) && status.st_size == 0);
}

TEST_MAIN(TEST(every_record_is_carried_over), TEST(missing_tables_are_refused), TEST(nothing_to_condense_is_refused),
	  TEST(nothing_is_written_over))

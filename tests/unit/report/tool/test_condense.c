/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * --condense of a trace with records of every kind: by --dump, all of them are in the new trace unchanged, except those
 * that must go: what nothing refers to, words of memory, and the snapshot, whose sample has another stack.
 */
#include "report/tool/tool.h"

#include <sys/stat.h>

#include "tests/make_events.h"
#include "tests/test.h"

static const char IN[] = TEST_FOLDER "/test_condense.rwk", OUT[] = TEST_FOLDER "/test_condense.out.rwk";

enum { PROGRAM = 2, ANON = 3, UNUSED = 4, OTHER_NAME = 5, EXECED = 6 };

#define SYMBOL(at, bytes, text) {.address = (at), .size = (bytes), .name = {(text), sizeof(text) - 1}}

/* --- the trace --- */

static const uint64_t kernel[] = {UINT64_C(1) << 32 | 0x110, UINT64_C(1) << 32 | 0x210};
static const uint64_t user[] = {0x400010, 0x400020};
static const struct event_stacks stacks = {.kernel = kernel, .user = user, .kernel_count = 2, .user_count = 2};
static const struct event_task task = {.tgid = 7, .tid = 8, .start = 1, .comm = "one"};
static const struct event_task execed = {.tgid = 12, .tid = 12, .start = 3, .comm = "three"};
static const struct event_task stranger = {.tgid = 30, .tid = 30, .start = 4, .comm = "four"};
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
	made_trace_probe_hits(trace, &(struct event_probe_hits){.probe = 3, .time = 20,
								.hits = 1000, .skipped = 900,
								.missed = 7});
	made_trace_module(trace, 1, MODULE_KERNEL, "[kernel]", "0a0b0c");
	made_trace_module(trace, PROGRAM, MODULE_FILE, "/nonexistent/program", "c0ffee");
	made_trace_module(trace, ANON, MODULE_ANONYMOUS, "[anon]", "");
	made_trace_map(trace, 5, 7, 0x400000, 0x10000, 0x1000, PROGRAM, MAPPING_INITIAL);
	made_trace_map(trace, 6, 9, 0x400000, 0x10000, 0x1000, ANON, 0);
	made_trace_kernel_symbol(trace, 1, 0x100, 0x100, "do_read");
	made_trace_add(trace, &(struct event){.kind = EVENT_CLOCK, .clock = {11, 12, 13, 14, 15}});
	made_trace_add(trace, &(struct event){.kind = EVENT_LOSS, .loss = {16, 1, 2, LOSS_RECORDED, 17}});
	made_trace_add(trace, &(struct event){.kind = EVENT_COST, .cost = {18, 19, 20, 21, 22, 23, 24}});
	made_trace_add(trace, &(struct event){.kind = EVENT_MAPS_UNAVAILABLE, .maps_unavailable = {19, 7, 110}});
	made_trace_add(trace, &(struct event){.kind = EVENT_UNSURE, .unsure = {20, 30, 1, UNSURE_AWAY, 0}});
}

/* What no event refers to, and what looks like it. */
static void add_names(struct made_trace *trace)
{
	/* The mappings of 7 were inherited from 6; 12 has only those it had before its exec. */
	made_trace_fork(trace, 2, 6, 7);
	made_trace_exec(trace, 8, 12, "after exec");
	made_trace_exit(trace, 9, 12);
	made_trace_module(trace, OTHER_NAME, MODULE_FILE, "/nonexistent/same", "c0ffee");
	made_trace_module(trace, EXECED, MODULE_FILE, "/nonexistent/execed", "");
	made_trace_map(trace, 1, 6, 0x700000, 0x10000, 0, PROGRAM, 0);
	made_trace_map(trace, 4, 12, 0x800000, 0x10000, 0, EXECED, MAPPING_INITIAL);
	made_trace_module(trace, UNUSED, MODULE_FILE, "/nonexistent/unused", "decade");
	made_trace_map(trace, 5, 7, 0x900000, 0x10000, 0, UNUSED, MAPPING_INITIAL);
	made_trace_map(trace, 5, 20, 0x400000, 0x10000, 0x1000, PROGRAM, MAPPING_INITIAL); /* unused: of 20 */
	made_trace_kernel_symbol(trace, 1, 0x1000, 0x100, "unused_function");
	made_trace_fork(trace, 7, 7, 11);
	made_trace_exec(trace, 8, 11, "unused exec");
	made_trace_exit(trace, 9, 11);
}

static void add_waits(struct made_trace *trace)
{
	struct event_wait wait = {.cpu = 1, .source = 1, .state = 2,
				  .flags = WAIT_KERNEL_TRUNCATED | WAIT_USER_LATER | WAIT_IOWAIT,
				  .time = 200, .length = 100, .run_queue = 20, .out_cpu = 3,
				  .context = WAKER_TASK, .woken = 25};
	struct event_wake wake = {.cpu = 1, .source = 1, .context = WAKER_TASK, .time = 175,
				  .flags = SAMPLE_USER_TRUNCATED};
	struct event_user_stack stack = {.cpu = 1, .source = 1, .time = 210, .since = 50,
					 .missing = USER_MISSING_CHANGED};
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
	struct event_walk_task row = {.time = 232, .walk = 1, .state = 1, .exit_state = 16,
				      .wait = 5, .bound = WAIT_AT_MOST,
				      .cpu = 2, .flags = WALK_TASK_IOWAIT, .missing = USER_MISSING_BUSY};
	struct event_stacks of_kernel = {.kernel = kernel, .kernel_count = 2};

	made_trace_add(trace, &(struct event){.kind = EVENT_WALK, .walk = {.time = 230, .number = 1, .source = 1}});
	made_trace_check(event_log_add_walk_task(trace->log, &row, &task, NULL, &of_kernel), "row");
	made_trace_add(trace, &(struct event){.kind = EVENT_WALK, .walk = {240, 1, 1, WALK_END, 400, 30}});
}

/* At 0x400010 in a stack of two words, the upper one being a return address. */
static uint32_t add_snapshot(struct made_trace *trace)
{
	static const uint64_t words[] = {0x7365637265747321, 0x400030};
	struct snapshot snapshot = {.time = 300, .known = 1 << 16 | 1 << 7 | 1 << 6,
				    .address = 0x7000, .words = words, .count = 2};
	struct event_log_snapshot added;

	snapshot.registers[16] = 0x400010;
	snapshot.registers[7] = 0x7000;
	snapshot.registers[6] = 0;
	made_trace_check(event_log_add_snapshot(trace->log, (struct snapshot_owner){8, 0},
						&snapshot, &added), "snapshot");
	return added.number;
}

/*
 * A stack with words of memory, one of which is code by chance; one in a parent's mapping; one from
 * before an exec, and one that looks like it, but has a caller.
 */
static void add_stacks(struct made_trace *trace)
{
	static const uint64_t words[] = {0x400010, 0x400020, 0x7365637265747321, 0x400030}, inherited[] = {0x700010},
			      before_exec[] = {0x800010}, nowhere[] = {0xbad0010, 0x400010},
			      after_exec[] = {0x800010, 0x900010};
	static const struct {
		const struct event_task *task;
		const uint64_t *frames;
		uint32_t count;
	} rows[] = {{&task, words, 4}, {&task, inherited, 1}, {&execed, before_exec, 1}, {&stranger, nowhere, 2},
		    {&execed, after_exec, 2}};

	for (uint64_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct event_sample sample = {.cpu = 2, .time = 250 + i, .source = 1};
		const struct event_stacks given = {.user = rows[i].frames, .user_count = rows[i].count};

		made_trace_check(event_log_add_sample(trace->log, &sample, rows[i].task, &given), "sample");
	}
}

static void add_embedded(struct made_trace *trace)
{
	static const struct event_segment segments[] = {
		{.file_offset = 0, .address = 0, .file_size = 0x20000, .memory_size = 0x20000, .flags = 5}};
	/* Hit are 0x10 to 0x30 from 0x1000 on, for the inherited mapping from 0 on. */
	static const struct event_symbol symbols[] = {SYMBOL(0, 0, "before"), SYMBOL(0x20, 0, "next"),
						      SYMBOL(0x40, 0x10, "unused symbol"),
						      SYMBOL(0x1000, 0x100, "main"), SYMBOL(0x1008, 0x10, "nested"),
						      SYMBOL(0x1100, 0x40, "unused at the end")},
					 nameless[] = {SYMBOL(0x1000, 0x40, "")},
					 unused[] = {SYMBOL(0, 0x100, "unused, all of it")},
					 jit[] = {SYMBOL(0x400000, 0x100, "jitted"), SYMBOL(0x400800, 8, "unused jit")};
	static const struct event_line_level levels[] = {
		{{"inner", 5}, {"a.h", 3}, 7}, {{"outer", 5}, {"a.c", 3}, 70}, {{"", 0}, {"b.c", 3}, 0}};
	static const struct event_line lines[] = {{0x1010, levels, 2}, {0x1020, levels + 2, 1}};

	made_trace_embed(trace, PROGRAM, segments, 1, symbols, 6);
	made_trace_embed(trace, OTHER_NAME, segments, 1, nameless, 1);
	made_trace_embed(trace, UNUSED, segments, 1, unused, 1);
	made_trace_check(event_log_add_embed_lines(trace->log, PROGRAM, lines, 2), "lines");
	made_trace_check(event_log_add_perf_map(trace->log, 9, jit, 2), "perf map");
	made_trace_check(event_log_add_perf_map(trace->log, 7, unused, 1), "perf map"); /* unused: of 7 */
}

static void make_trace(bool with_snapshot)
{
	struct event_sample plain = {.cpu = 2, .time = 90, .source = 1, .period = 77, .probe = 3,
				     .flags = SAMPLE_KERNEL_TRUNCATED},
			    last = {.cpu = 2, .time = 300, .source = 1, .missing = USER_MISSING_FAULT};
	struct made_trace *trace = made_trace_begin(IN);

	last.flags = SAMPLE_USER_TRUNCATED;
	(void)unlink(OUT);
	made_trace_check(event_log_want_snapshots(trace->log), "snapshots");
	add_state(trace);
	add_names(trace);
	made_trace_check(event_log_add_sample(trace->log, &plain, &task, &stacks), "sample");
	add_waits(trace);
	add_walk(trace);
	add_stacks(trace);
	last.snapshot = with_snapshot ? add_snapshot(trace) : 0;
	made_trace_check(event_log_add_sample(trace->log, &last, &task, &stacks), "sample");
	add_embedded(trace);
	made_trace_end(trace);
}

/* --- the result --- */

static int condense(bool partial, bool *ret_damaged)
{
	static const char *const nowhere[] = {"/nonexistent", NULL};
	static const struct profile_filter filter = {.to = UINT64_MAX};
	static const struct profile_names names = {.debug_dirs = nowhere, .symfs = "/nonexistent"};
	const char *path = IN;
	struct tool_request request = {.paths = &path, .path_count = 1, .filter = &filter,
				       .names = &names, .output = OUT,
				       .partial = partial, .out = stdout};

	*ret_damaged = false;
	return tools[TOOL_CONDENSE].run(&request, ret_damaged);
}

/* Whether the line is a record that a condensed trace has, too; chunks have other places and sizes there. */
static bool is_kept(const char *line)
{
	static const char *const others[] = {"\"command_line\"", "\"condensed\"", "  snapshot ", "  index ", "  node "};

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (strstr(line, others[i]))
			return false;
	return line[0] == ' ';
}

enum { NODES = 64 };

struct nodes { /* of a chunk, as --dump prints them */
	unsigned long parents[NODES], addresses[NODES];
};

static void take_node(const char *line, struct nodes *nodes)
{
	unsigned long number, parent, address;

	if (sscanf(line, "  node %lu parent=%lu address=%lx", &number, &parent, &address) != 3 || number >= NODES)
		abort();
	nodes->parents[number] = parent;
	nodes->addresses[number] = address;
}

/* The user stack instead of the number of its leaf, which depends on what else is in the chunk. */
static void put_line(FILE *out, const char *line, const struct nodes *nodes)
{
	static const char key[] = " user=";
	const char *at = strstr(line, key);
	char *end;

	if (!at) {
		(void)fputs(line, out);
		return;
	}
	(void)fprintf(out, "%.*s", (int)(at + strlen(key) - line), line);
	for (unsigned long node = strtoul(at + strlen(key), &end, 10); node > 1; node = nodes->parents[node])
		(void)fprintf(out, "%lx,", nodes->addresses[node]);
	(void)fputs(end, out);
}

static int compare_lines(const void *left, const void *right)
{
	return strcmp(*(char *const *)left, *(char *const *)right);
}

/* Their order is not that of the old trace: records that name something follow the events. */
static char *sorted(char *text)
{
	char *lines[256], *rest = text, *joined = NULL;
	size_t count = 0, length;
	FILE *out = open_memstream(&joined, &length);

	while (count < 256 && (lines[count] = strsep(&rest, "\n")) && lines[count][0])
		count++;
	qsort(lines, count, sizeof(*lines), compare_lines);
	for (size_t i = 0; i < count; i++)
		(void)fprintf(out, "%s\n", lines[i]);
	if (!out || fclose(out))
		abort();
	free(text);
	return joined;
}

/* The records that --dump prints and that must be the same, sorted. The caller frees it. */
static char *records_of(const char *path)
{
	const struct profile_names names = {0};
	struct tool_request request = {.paths = &path, .path_count = 1, .names = &names};
	char *text = NULL, *kept = NULL, *line = NULL;
	struct nodes nodes = {0};
	size_t length, room = 0;
	FILE *in, *out;
	bool damaged = false;

	request.out = open_memstream(&text, &length);
	if (!request.out || tools[TOOL_DUMP].run(&request, &damaged) < 0 || fclose(request.out) != 0)
		abort();
	in = fmemopen(text, length, "r");
	out = open_memstream(&kept, &length);
	if (!in || !out)
		abort();
	while (getline(&line, &room, in) > 0) {
		if (!strncmp(line, "  node ", 7))
			take_node(line, &nodes);
		if (is_kept(line))
			put_line(out, line, &nodes);
	}
	if (fclose(in) || fclose(out))
		abort();
	free(line);
	free(text);
	return sorted(kept);
}

/* Cuts the line out of the text. */
static bool cut(char *text, const char *line)
{
	char *at = strstr(text, line);

	if (at)
		memmove(at, at + strlen(line), strlen(at + strlen(line)) + 1);
	return at;
}

/* What is in the old trace, and what is in its place in the new one; NULL: nothing. */
static const struct {
	const char *old, *new;
} changes[] = {
	/* Unwound. */
	{"  sample cpu=2 time=300 task=1 source=1 flags=0xb3 missing=2 period=0 kernel=3 user=400010,400020, probe=0 "
	 "snapshot=1\n",
	 "  sample cpu=2 time=300 task=1 source=1 flags=0x3 missing=0 period=0 kernel=3 user=400010,ffd2574b00000003, "
	 "probe=0 snapshot=0\n"},
	/* Cut before a word of memory, and where nothing is known of the process. */
	{"  sample cpu=2 time=250 task=1 source=1 flags=0x2 missing=0 period=0 kernel=1 "
	 "user=400010,400020,7365637265747321,400030, probe=0 snapshot=0\n",
	 "  sample cpu=2 time=250 task=1 source=1 flags=0x2 missing=0 period=0 kernel=1 "
	 "user=400010,400020, probe=0 snapshot=0\n"},
	{"  sample cpu=2 time=253 task=4 source=1 flags=0x2 missing=0 period=0 kernel=1 user=bad0010,400010, probe=0 "
	 "snapshot=0\n",
	 "  sample cpu=2 time=253 task=4 source=1 flags=0x2 missing=0 period=0 kernel=1 user=bad0010, probe=0 "
	 "snapshot=0\n"},
	{"  sample cpu=2 time=254 task=3 source=1 flags=0x2 missing=0 period=0 kernel=1 user=800010,900010, probe=0 "
	 "snapshot=0\n",
	 "  sample cpu=2 time=254 task=3 source=1 flags=0x2 missing=0 period=0 kernel=1 user=800010,0, probe=0 "
	 "snapshot=0\n"},
	{NULL, "  loss time=5000 source=0 cpu=0 cause=25 total=2\n"},
	{NULL, "  loss time=5000 source=0 cpu=0 cause=26 total=1\n"},
	/* When the last record was, also if that was left out. */
	{NULL, "  loss time=5000 source=0 cpu=0 cause=20 total=0\n"},
	/* Not there from the beginning, because something was known of the process before. */
	{"  mapping time=5 tgid=7 start=0x400000 length=0x10000 file_offset=0x1000 module=2 flags=0x1\n",
	 "  mapping time=5 tgid=7 start=0x400000 length=0x10000 file_offset=0x1000 module=2 flags=0x0\n"},
	/* Its name is not that of a task in an event. */
	{"  comm time=8 tgid=12 tid=12 flags=0x1 comm=\"after exec\"\n",
	 "  comm time=8 tgid=12 tid=12 flags=0x1 comm=\"\"\n"},
	/* Nothing refers to these. */
	{"  module id=4 kind=1 path=\"/nonexistent/unused\" build_id=decade device=0 inode=0 base=0x0 flags=0x0\n",
	 NULL},
	{"  mapping time=5 tgid=7 start=0x900000 length=0x10000 file_offset=0x0 module=4 flags=0x1\n", NULL},
	{"  mapping time=5 tgid=20 start=0x400000 length=0x10000 file_offset=0x1000 module=2 flags=0x1\n", NULL},
	{"  kernel-symbol module=1 offset=0x1000 size=0x100 name=\"unused_function\"\n", NULL},
	{"  fork time=7 tgid=11 tid=11 parent_tgid=7 parent_tid=7\n", NULL},
	{"  comm time=8 tgid=11 tid=11 flags=0x1 comm=\"unused exec\"\n", NULL},
	{"  exit time=9 tgid=11 tid=11\n", NULL},
	{"  embed-module module=4 status=1 machine=62 segment_count=1\n", NULL},
	{"    segment file_offset=0x0 address=0x0 file_size=0x20000 memory_size=0x20000 flags=0x5\n", NULL},
	{"  embed-symbols module=4 count=1\n", NULL},
	{"    symbol address=0x0 size=0x100 name=\"unused, all of it\"\n", NULL},
	/* Only functions that were hit stay, each with its end. */
	{"  embed-symbols module=2 count=6\n", "  embed-symbols module=2 count=3\n"},
	{"    symbol address=0x0 size=0x0 name=\"before\"\n", "    symbol address=0x0 size=0x20 name=\"before\"\n"},
	{"    symbol address=0x20 size=0x0 name=\"next\"\n", NULL},
	{"  embed-symbols module=5 count=1\n", NULL},
	{"    symbol address=0x1000 size=0x40 name=\"\"\n", NULL},
	{"    symbol address=0x40 size=0x10 name=\"unused symbol\"\n", NULL},
	{"    symbol address=0x1100 size=0x40 name=\"unused at the end\"\n", NULL},
	{"  perf-map tgid=9 count=2\n", "  perf-map tgid=9 count=1\n"},
	{"    symbol address=0x400800 size=0x8 name=\"unused jit\"\n", NULL},
	{"  perf-map tgid=7 count=1\n", NULL},
	{"    symbol address=0x0 size=0x100 name=\"unused, all of it\"\n", NULL},
};

static void only_what_must_go_is_gone(struct test *t)
{
	char *old, *new;
	bool damaged;

	make_trace(true);
	REQUIRE(t, condense(true, &damaged) == 0);
	CHECK(t, !damaged);
	old = records_of(IN);
	new = records_of(OUT);
	CHECK(t, strstr(old, "  wait-sums ") && strstr(old, "  perf-map ") &&
			 strstr(old, "  embed-symbols ") && strstr(old, "  embed-lines "));
	for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
		if (changes[i].old)
			test_check(t, cut(old, changes[i].old), "the old trace lacks: %s", changes[i].old);
		if (changes[i].new)
			test_check(t, cut(new, changes[i].new), "the new trace lacks: %s", changes[i].new);
	}
	CHECK_STR(t, new, old);
	free(old);
	free(new);
}

/* What is condensed stays as it is. */
static void nothing_more_goes(struct test *t)
{
	char *once, *again;
	bool damaged;

	make_trace(false);
	REQUIRE(t, condense(true, &damaged) == 0);
	once = records_of(OUT);
	REQUIRE(t, rename(OUT, IN) == 0 && condense(true, &damaged) == 0);
	again = records_of(OUT);
	CHECK(t, !strstr(once, "unused") && !strstr(once, "7365637265747321"));
	CHECK_STR(t, again, once);
	free(once);
	free(again);
}

static void missing_tables_are_refused(struct test *t)
{
	struct stat status;
	bool damaged;

	make_trace(true);
	CHECK_INT(t, condense(false, &damaged), -ENODATA);
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

/* As --resolve-lines and --finalize add it: a section without events, with numbers of its own. */
static void add_section(struct test *t)
{
	static const char ADDED[] = TEST_FOLDER "/test_condense.added.rwk";
	static const struct event_segment segment = {.file_size = 0x20000, .memory_size = 0x20000, .flags = 5};
	static const struct event_symbol symbols[] = {SYMBOL(0x1000, 0x40, "added later"),
						      SYMBOL(0x5000, 0x40, "unused and added")};
	struct made_trace *trace = made_trace_begin(ADDED);
	FILE *in, *out;

	made_trace_module(trace, 31, MODULE_FILE, "/nonexistent/program", "c0ffee");
	made_trace_module(trace, 32, MODULE_FILE, "/nonexistent/unused", "decade");
	made_trace_embed(trace, 31, &segment, 1, symbols, 2);
	made_trace_embed(trace, 32, &segment, 1, symbols, 2);
	made_trace_end(trace);
	in = fopen(ADDED, "r");
	out = fopen(IN, "a");
	REQUIRE(t, in && out);
	for (int byte; (byte = getc(in)) != EOF;)
		(void)putc(byte, out);
	REQUIRE(t, !fclose(in) && !fclose(out));
}

static void what_is_added_to_a_section_stays_with_it(struct test *t)
{
	bool damaged;
	char *records;

	make_trace(false);
	add_section(t);
	REQUIRE(t, condense(false, &damaged) == 0);
	records = records_of(OUT);
	CHECK(t, strstr(records, "added later"));
	CHECK(t, !strstr(records, "unused and added"));
	CHECK(t, !strstr(records, "id=32"));
	free(records);
}

TEST_MAIN(TEST(only_what_must_go_is_gone), TEST(nothing_more_goes), TEST(missing_tables_are_refused),
	  TEST(nothing_is_written_over), TEST(what_is_added_to_a_section_stays_with_it))

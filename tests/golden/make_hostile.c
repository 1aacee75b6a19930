/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * make_hostile FILE NUMBER: writes a trace with every source in which every name is the hostile
 * name of that number: markup, controls, text directions, separators of CSV and folded stacks,
 * malformed UTF-8, an empty name, the longest one possible. Prints the kind of the name; prints
 * nothing and exits with 1 if there is no such number.
 */
#include <stdlib.h>

#include "tests/make_events.h"

enum { KERNEL = 1, PROGRAM };
enum { CPU = 1, OFFCPU = 2, WAKERS = 3, TRACE = 4, TASKS = 5 };
enum { PID = 100, OTHER = 200, LONG = 4096 };

#define START (UINT64_C(1000) * 1000000000)

static const struct {
	const char *kind, *name;
} names[] = {
	{"markup", "</script><b>\"'&x"},
	{"controls", "\n\r\t\033[2J\a\177\b"},
	{"directions", "\xe2\x80\xae" "live\xe2\x80\xa8\xef\xbb\xbf"},
	{"separators", "a;b,\"c\"\r\n=1+2"},
	{"malformed", "\xff\xfe\xc3(\xed\xa0\x80\x80"},
	{"backslashes", "\\u003c\\\\\"\\x1b\\"},
	{"empty", ""},
	{"longest", NULL},
};

static const uint64_t kernel[] = {UINT64_C(1) << 32 | 0x110, UINT64_C(1) << 32 | 0x210, 0};
static const uint64_t user[] = {0x555511112010, 0x555511112120, 0};

static void add_sources(struct made_trace *trace, const char *name)
{
	static const uint32_t kinds[] = {0, SOURCE_CPU, SOURCE_OFFCPU, SOURCE_WAKERS, SOURCE_TRACEPOINT, SOURCE_TASKS};
	const struct event_source source = {.weight = WEIGHT_NS, .frequency = 99, .period = 1000, .start = START,
					    .stop = START + 1000000, .flags = SOURCE_USER_STACKS};

	for (uint32_t i = CPU; i <= TASKS; i++) {
		struct event_source one = source;

		one.id = i;
		one.kind = kinds[i];
		made_trace_source(trace, &one, name);
	}
	made_trace_probe(trace, 1, TRACE, HOOK_TRACEPOINT, name);
}

static void add_places(struct made_trace *trace, const char *name)
{
	static const struct event_segment segment = {
		.address = 0, .file_size = 0x10000, .memory_size = 0x10000, .flags = 5};
	const struct event_symbol symbol = {.address = 0x2000, .size = 0x200, .name = {name, strlen(name)}};

	made_trace_meta(trace, "hostname", name);
	made_trace_add(trace, &(struct event){.kind = EVENT_CLOCK,
					      .clock = {START, START + 5, UINT64_C(1768439496) * 1000000000,
							UINT64_C(1768439533) * 1000000000, 100}});
	made_trace_module(trace, KERNEL, MODULE_KERNEL, "[kernel]", "");
	made_trace_module(trace, PROGRAM, MODULE_FILE, name, "");
	made_trace_kernel_symbol(trace, KERNEL, 0x100, 0x100, name);
	made_trace_exec(trace, START, PID, "x");
	made_trace_map(trace, START, PID, 0x555511110000, 0x8000, 0, PROGRAM, MAPPING_INITIAL);
	made_trace_embed(trace, PROGRAM, &segment, 1, &symbol, 1);
}

static void add_events(struct made_trace *trace, const char *name)
{
	char comm[16];
	const struct event_stacks stacks = {.kernel = kernel, .kernel_count = 2, .user = user, .user_count = 2};
	struct event_wait wait = {.cpu = 1, .source = OFFCPU, .state = 2, .time = START + 2000, .length = 1900,
				  .context = WAKER_TASK, .woken = 25};
	struct event_wake wake = {.cpu = 1, .source = WAKERS, .context = WAKER_TASK, .time = START + 1975};
	const struct event_walk_task row = {.time = START + 7000, .walk = 1, .state = 1, .wait = 50,
					    .bound = WAIT_EXACT, .cpu = 1};

	(void)snprintf(comm, sizeof(comm), "%s", name);

	const struct event_task task = made_task(PID, PID, 7, comm), other = made_task(OTHER, OTHER, 8, comm);

	for (uint32_t i = 0; i < 4; i++)
		made_trace_sample(trace, &(struct made_sample){
			.time = START + 100 + i, .cpu = 1, .source = i % 2 ? CPU : TRACE, .probe = i % 2 ? 0 : 1,
			.tgid = PID, .tid = PID, .start = 7, .comm = comm, .period = 1000,
			.kernel = i < 2 ? kernel : NULL, .user = user});
	made_trace_check(event_log_add_wake(trace->log, &wake, &other, &task, &stacks), "wake");
	made_trace_check(event_log_add_wait(trace->log, &wait, &task, &other, &stacks), "wait");
	made_trace_add(trace, &(struct event){.kind = EVENT_WALK, .walk = {START + 6900, 1, TASKS, 0, 0, 0}});
	made_trace_walk_task(trace, &row, &task, kernel);
	made_trace_add(trace, &(struct event){.kind = EVENT_WALK, .walk = {START + 7100, 1, TASKS, WALK_END, 1, 1}});
}

int main(int argc, char **argv)
{
	static char long_name[LONG + 1];
	size_t number = argc == 3 ? strtoul(argv[2], NULL, 10) : 0;
	struct made_trace *trace;
	const char *name;

	if (argc != 3 || number >= sizeof(names) / sizeof(names[0]))
		return 1;
	memset(long_name, 'w', LONG);
	name = names[number].name ? names[number].name : long_name;
	trace = made_trace_begin(argv[1]);
	add_sources(trace, name);
	add_places(trace, name);
	add_events(trace, name);
	made_trace_end(trace);
	(void)puts(names[number].kind);
	return fflush(stdout) ? 1 : 0;
}

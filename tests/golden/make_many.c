/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * make_many FILE: writes a trace with more waits than a page shows in ns. Some are shorter than a
 * microsecond: in the middle, and at both ends of the recording, which cut them off. A new thread
 * is not put on a run queue at once. Another one has two sleeps that overlap, because their times
 * are from two clocks.
 */
#include "tests/make_events.h"

enum { OFFCPU = 2, KERNEL = 1, ROUNDS = 50001 };

#define US UINT64_C(1000)
#define START (UINT64_C(5000000) * 1000 * US)
#define LENGTH (1000100 * US + 700) /* not a whole number of microseconds */

static const uint64_t in_sleep[] = {(uint64_t)KERNEL << 32 | 0x1010, 0};

static void add_state(struct made_trace *trace)
{
	made_trace_source(trace, &(struct event_source){.id = OFFCPU, .kind = SOURCE_OFFCPU, .weight = WEIGHT_NS,
							.start = START, .stop = START + LENGTH}, "sched_switch");
	made_trace_meta(trace, "hostname", "example");
	made_trace_meta(trace, "machine", "x86_64");
	made_trace_meta(trace, "cpus", "2");
	made_trace_module(trace, KERNEL, MODULE_KERNEL, "[kernel]", "");
	made_trace_kernel_symbol(trace, KERNEL, 0x1000, 0x100, "do_sleep");
}

/* Times are ns from the start of the recording; a wait may have begun before that. */
static void add_wait(struct made_trace *trace, uint32_t tid, int64_t from, int64_t to)
{
	const struct event_task task = made_task(tid, tid, 7, "pair"), others[WAIT_OTHERS] = {0};
	const struct event_stacks stacks = {.kernel = in_sleep, .kernel_count = 1};
	struct event_wait wait = {
		.source = OFFCPU, .time = START + (uint64_t)to, .length = (uint64_t)(to - from), .state = 1,
		.flags = (from < 0 ? WAIT_BEGAN_BEFORE : 0U) | (to == (int64_t)LENGTH ? WAIT_NOT_ENDED : 0U)};

	made_trace_check(event_log_add_wait(trace->log, &wait, &task, others, &stacks), "wait");
}

/* Only a part of the wait is run queue. */
static void add_new(struct made_trace *trace, uint32_t tid, int64_t from, int64_t to)
{
	const struct event_task task = made_task(101, tid, 7, "new"), others[WAIT_OTHERS] = {0};
	const struct event_stacks stacks = {0};
	struct event_wait wait = {.source = OFFCPU, .time = START + (uint64_t)to, .length = (uint64_t)(to - from),
					.wait_class = WAIT_STARTED, .run_queue = (uint64_t)(to - from) / 4};

	made_trace_check(event_log_add_wait(trace->log, &wait, &task, others, &stacks), "wait");
}

int main(int argc, char **argv)
{
	struct made_trace *trace;

	if (argc != 2)
		return 2;
	trace = made_trace_begin(argv[1]);
	add_state(trace);
	add_wait(trace, 101, -5000, 300);
	add_wait(trace, 102, 200, 900);
	for (int64_t i = 0; i < ROUNDS; i++)
		add_wait(trace, 101, 20000 * i + 2500, 20000 * i + 9500);
	add_new(trace, 103, (int64_t)LENGTH - 900 * (int64_t)US, (int64_t)LENGTH - 500 * (int64_t)US);
	add_wait(trace, 104, (int64_t)(50030 * US), (int64_t)(50036 * US));
	add_wait(trace, 104, (int64_t)(50016 * US), (int64_t)(950000 * US));
	add_wait(trace, 102, (int64_t)LENGTH - 300, (int64_t)LENGTH);
	made_trace_end(trace);
	return 0;
}

/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * make_numa FILE: writes samples/numa/trace.rwk, one second of a host with two NUMA nodes of four
 * CPUs each. A database works on node 0 and waits on node 1; a job that was meant for node 1 is on
 * both. CPU 9 came online after the start.
 */
#include "tests/make_events.h"

enum { CPU_CLOCK = 1, OFFCPU = 2, KERNEL = 1, LATE_CPU = 9 };

#define MS UINT64_C(1000000)
#define START (UINT64_C(5000) * 1000 * MS)
#define LENGTH (1000 * MS)
#define WALL_CLOCK (UINT64_C(1768439496) * 1000 * MS)

static const uint64_t in_work[] = {(uint64_t)KERNEL << 32 | 0x1010, 0},
		      in_sleep[] = {(uint64_t)KERNEL << 32 | 0x2010, 0};

static void add_state(struct made_trace *trace)
{
	static const char *const functions[] = {"do_work", "do_sleep"};

	made_trace_source(trace, &(struct event_source){.id = CPU_CLOCK, .kind = SOURCE_CPU, .weight = WEIGHT_NS,
							.frequency = 100, .period = 10 * MS, .start = START,
							.stop = START + LENGTH}, "cpu-clock");
	made_trace_source(trace, &(struct event_source){.id = OFFCPU, .kind = SOURCE_OFFCPU, .weight = WEIGHT_NS,
							.start = START, .stop = START + LENGTH, .least = MS},
			  "sched_switch");
	made_trace_meta(trace, "hostname", "example");
	made_trace_meta(trace, "machine", "x86_64");
	made_trace_meta(trace, "cpus", "10");
	made_trace_meta(trace, "nodes", "0:0-1,4-5 1:2-3,6-7");
	made_trace_meta(trace, "packages", "0:0-7");
	made_trace_meta(trace, "cores", "0,4 1,5 2,6 3,7");
	made_trace_add(trace, &(struct event){.kind = EVENT_CLOCK,
					      .clock = {.time = START, .realtime = WALL_CLOCK, .window = 1}});
	made_trace_module(trace, KERNEL, MODULE_KERNEL, "[kernel]", "");
	for (size_t i = 0; i < 2; i++)
		made_trace_kernel_symbol(trace, KERNEL, 0x1000 * (i + 1), 0x100, functions[i]);
}

static void add_sample(struct made_trace *trace, uint64_t ms, uint32_t cpu, const char *comm, uint32_t tid)
{
	struct event_sample sample = {.time = START + ms * MS, .cpu = cpu, .source = CPU_CLOCK,
				      .flags = SAMPLE_HAS_KERNEL};
	struct event_task task = made_task(tid, tid, 7, comm);
	struct event_stacks stacks = {.kernel = in_work, .kernel_count = 1};

	made_trace_check(event_log_add_sample(trace->log, &sample, &task, &stacks), "sample");
}

static void add_wait(struct made_trace *trace, uint64_t from, uint64_t to, uint32_t cpu)
{
	struct event_task task = made_task(201, 201, 7, "postgres"), others[WAIT_OTHERS] = {0};
	struct event_wait wait = {.source = OFFCPU, .time = START + to * MS, .length = (to - from) * MS, .state = 1,
				  .cpu = cpu, .out_cpu = cpu};
	struct event_stacks stacks = {.kernel = in_sleep, .kernel_count = 1};

	made_trace_check(event_log_add_wait(trace->log, &wait, &task, others, &stacks), "wait");
}

int main(int argc, char **argv)
{
	struct made_trace *trace;

	if (argc != 2)
		return 2;
	trace = made_trace_begin(argv[1]);
	add_state(trace);
	for (uint64_t i = 0; i < 6; i++)
		add_sample(trace, 10 * i, i % 2 ? 0 : 5, "postgres", 201);
	for (uint64_t i = 0; i < 3; i++)
		add_sample(trace, 100 + 10 * i, i ? 7 : 4, "job", 301);
	add_sample(trace, 200, LATE_CPU, "job", 301);
	add_wait(trace, 300, 400, 6);
	add_wait(trace, 500, 530, 1);
	made_trace_end(trace);
	return 0;
}

/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * make_dump FILE: writes samples/dump/trace.rwk, a dump of 10 seconds that was made because a
 * database waited for its disk for more than two. Events before and after made no dump. Its source
 * has run since long before; what was counted before is in the totals.
 */
#include "tests/make_events.h"

enum { OFFCPU = 3, KERNEL = 1, DATABASE = 812, D = 2 };

#define MS UINT64_C(1000000)
#define START (UINT64_C(90000) * 1000 * MS)
#define LENGTH (10000 * MS)
#define WALL_CLOCK (UINT64_C(1768439496) * 1000 * MS)

static void add_state(struct made_trace *trace)
{
	static const char *const functions[] = {"entry_SYSCALL_64", "io_schedule"};
	const struct event_window window = {.since = START, .until = START + LENGTH, .before = 86400 * 1000 * MS,
					    .dump = 7, .asked = LENGTH, .room = 64 << 20};

	made_trace_add(trace, &(struct event){.kind = EVENT_WINDOW, .window = window});
	made_trace_flush(trace); /* it comes first */
	made_trace_source(trace, &(struct event_source){.id = OFFCPU, .kind = SOURCE_OFFCPU, .weight = WEIGHT_NS,
							.start = START - 50 * LENGTH, .stop = START - 50 * LENGTH,
							.least = MS},
			  "sched_switch");
	made_trace_meta(trace, "hostname", "example");
	made_trace_add(trace, &(struct event){.kind = EVENT_CLOCK,
					      .clock = {.time = START - MS, .realtime = WALL_CLOCK, .window = 1}});
	made_trace_module(trace, KERNEL, MODULE_KERNEL, "[kernel]", "");
	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++)
		made_trace_kernel_symbol(trace, KERNEL, 0x1000 * (i + 1), 0x100, functions[i]);
}

static void add_totals(struct made_trace *trace, uint64_t time, uint64_t waits)
{
	const struct event_loss losses[] = {
		{time, OFFCPU, 1, LOSS_SEEN, 1000 + waits}, {time, OFFCPU, 1, LOSS_RECORDED, 900 + waits},
		{time, OFFCPU, 1, LOSS_BRIEF, 95}, {time, OFFCPU, 1, LOSS_RING_FULL, 5},
	};
	const struct event_cost cost = {time, (10 + waits) * MS, (20 + waits) * MS, 0, 5 << 20, 1 << 20, 100000};

	for (size_t i = 0; i < sizeof(losses) / sizeof(losses[0]); i++)
		made_trace_add(trace, &(struct event){.kind = EVENT_LOSS, .loss = losses[i]});
	made_trace_add(trace, &(struct event){.kind = EVENT_COST, .cost = cost});
}

static void add_wait(struct made_trace *trace, uint64_t end, uint64_t length)
{
	const uint64_t kernel[] = {(uint64_t)KERNEL << 32 | 0x2010, (uint64_t)KERNEL << 32 | 0x1010};
	const struct event_stacks stacks = {.kernel = kernel, .kernel_count = 2};
	const struct event_task task = made_task(DATABASE, DATABASE, 7, "postgres");
	struct event_wait wait = {.cpu = 1, .source = OFFCPU, .state = D, .time = START + end * MS,
				  .length = length * MS, .out_cpu = 1};

	made_trace_check(event_log_add_wait(trace->log, &wait, &task, NULL, &stacks), "wait");
}

static void add_trigger(struct made_trace *trace, const struct event_trigger *trigger, const char *rule)
{
	struct event event = {.kind = EVENT_TRIGGER, .trigger = *trigger};

	event.trigger.rule = made_text(rule);
	event.trigger.comm = trigger->tid ? made_text("postgres") : made_text("");
	made_trace_add(trace, &event);
}

/* For three seconds, less is recorded: four times the least length, no wakers. */
static void add_regimes(struct made_trace *trace)
{
	const struct event_regime regimes[] = {
		{.time = START + 3000 * MS, .step = 1, .reason = REGIME_OVER, .least = 4 * MS, .used = 312,
		 .budget = 100},
		{.time = START + 6000 * MS, .step = 2, .reason = REGIME_OVER, .lacks = REGIME_NO_WAKERS,
		 .least = 4 * MS, .used = 140, .budget = 100},
		{.time = START + 7500 * MS, .step = 0, .reason = REGIME_CALM, .least = MS, .used = 40, .budget = 100},
	};

	for (size_t i = 0; i < sizeof(regimes) / sizeof(regimes[0]); i++)
		made_trace_add(trace, &(struct event){.kind = EVENT_REGIME, .regime = regimes[i]});
}

int main(int argc, char **argv)
{
	static const char rule[] = "wait:D,comm=/^postgres$/>2s";
	struct made_trace *trace;

	if (argc != 2)
		return 2;
	trace = made_trace_begin(argv[1]);
	add_state(trace);
	add_totals(trace, START, 0);
	add_wait(trace, 1000, 40);
	add_trigger(trace, &(struct event_trigger){.time = START + 2000 * MS, .more = 4}, "psi:io.some>30%/2s");
	add_regimes(trace);
	add_wait(trace, 9100, 2412);
	add_trigger(trace, &(struct event_trigger){.time = START + 9200 * MS, .dump = 7, .tgid = DATABASE,
						   .tid = DATABASE, .value = 2412 * MS}, rule);
	add_wait(trace, 9900, 60);
	add_totals(trace, START + LENGTH, 3);
	made_trace_end(trace);
	return 0;
}

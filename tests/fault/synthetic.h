/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * A made-up recording in steps, in which everything follows from the number of the step: a sample;
 * a wait, of every class, context and flag in turn, with the wakeup that ended it, the user stack
 * of the wait three steps before, and sums. Times are within the step and identify its number; no
 * two waits of a thread overlap. Names appear over time: process p (with its own two modules) with
 * step 60 p, kernel function k with step 10 k. synthetic_check.h says what is left of it.
 */
#pragma once

#include <stdio.h>
#include <string.h>

#include "format/event_log.h"
#include "tests/fault/memory_io.h"
#include "tests/random.h"

enum {
	SYN_FRAMES = 16,
	SYN_KERNEL = 1, /* module id of the kernel */
	SYN_CPUS = 4,
	SYN_PROCESS_EVERY = 60,
	SYN_FUNCTION_EVERY = 10,
	SYN_MODULE_SIZE = 1 << 20,
	SYN_STEP = 10000, /* ns */
};
enum syn_source { SYN_CPU = 1, SYN_OFFCPU = 3, SYN_WAKERS = 4 };
static const uint64_t SYN_BASE = 1000000000, SYN_REALTIME = 1700000000000000000;

struct synthetic {
	struct event_sample sample;
	struct event_task task;
	uint64_t kernel[SYN_FRAMES], user[SYN_FRAMES];
	struct event_stacks stacks;
	uint32_t process;
};

static inline uint64_t syn_time(uint32_t number)
{
	return SYN_BASE + (uint64_t)number * SYN_STEP;
}

static inline uint32_t syn_module(uint32_t process, uint32_t which)
{
	return 2 + 2 * process + which;
}

static inline uint64_t syn_start(uint32_t module)
{
	return 0x550000000000 + (uint64_t)module * 0x10000000;
}

/* A task of step `number`, with stacks: a different one for each `which`. */
static inline void syn_make_one(uint32_t number, uint32_t which, struct synthetic *s)
{
	struct random random = random_make(number | (uint64_t)which << 32);
	uint32_t depth = 3 + (uint32_t)random_below(&random, SYN_FRAMES - 3);

	*s = (struct synthetic){.process = (uint32_t)random_below(&random, 1 + number / SYN_PROCESS_EVERY)};
	s->sample = (struct event_sample){
		.time = syn_time(number) + random_below(&random, 5000), .cpu = number % SYN_CPUS, .source = SYN_CPU};
	s->task = (struct event_task){.tgid = 100 + s->process, .tid = 100 + s->process, .start = 7 * s->process};
	snprintf(s->task.comm, sizeof(s->task.comm), "syn-%u", s->process);
	for (uint32_t i = 0; i < depth; i++) { /* leaf first; the outer frames are few */
		uint64_t choices = i < 2 ? 1000 : 3;
		uint32_t module = syn_module(s->process, i & 1);

		s->user[i] = syn_start(module) + (depth - i) * 0x1000 + random_below(&random, choices) * 8;
	}
	s->stacks = (struct event_stacks){.user_count = depth, .kernel_count = random_below(&random, 2) ? 3 : 0};
	for (uint32_t i = 0; i < 3; i++)
		s->kernel[i] = ((uint64_t)SYN_KERNEL << 32) +
			       random_below(&random, 1 + number / SYN_FUNCTION_EVERY) * 0x100 + 0x10;
	s->stacks.kernel = s->kernel;
	s->stacks.user = s->user;
}

static inline void syn_make(uint32_t number, struct synthetic *s)
{
	syn_make_one(number, 0, s);
}

enum { SYN_THREADS = 16, SYN_LATER = 3, SYN_LEAST = 500 }; /* steps until the user stack follows; ns */
enum syn_record { SYN_SAMPLE = 1, SYN_WAIT = 2, SYN_WAKE = 4, SYN_USER_STACK = 8, SYN_SUMS = 16 };

struct syn_waits {
	uint32_t number, records; /* bits of enum syn_record: what the step holds, its sample included */
	struct synthetic sleeper, waker, returner; /* returner: the task whose user stack follows now */
	struct event_wait wait;
	struct event_wake wake;
	struct event_user_stack user_stack;
	struct event_wait_sums sums;
};

static inline uint64_t syn_wait_time(uint32_t number)
{
	return syn_time(number) + 5000 + (uint64_t)number * 797 % 4500;
}

/* CPUs are not in turn, so that waits refer to earlier ones even in small chunks. */
static inline uint32_t syn_wait_cpu(uint32_t number)
{
	return number / 16 % SYN_CPUS;
}

static inline bool syn_has_ended(uint32_t number)
{
	return number % 37 != 20;
}

static inline bool syn_user_is_later(uint32_t number)
{
	return number / 2 % 4 < 2;
}

/* Whether the user stack exists: it does, unless the system call never returned. */
static inline bool syn_has_returned(uint32_t number)
{
	return syn_user_is_later(number) && syn_has_ended(number) && number % 7 != 6;
}

static inline void syn_make_sleeper(uint32_t number, struct synthetic *s)
{
	uint32_t thread = number % SYN_THREADS;

	syn_make_one(number, 1, s);
	s->task.tid = syn_has_ended(number) ? 10000 + s->process * SYN_THREADS + thread : 50000 + number;
	s->task.start += 1 + thread;
}

static inline uint64_t syn_wait_length(uint32_t number, struct random *random)
{
	uint32_t back = number % 4 + (number % 24 >= 12); /* to the wait that ended when it began */

	if (number < 8)
		return syn_wait_time(number) - SYN_BASE + 1000000 * (1 + number); /* began before the recording */
	if (number % 29 == 9)
		return 600; /* less than the time since it was woken */
	if (number % 3 == 0 && back && syn_wait_cpu(number) == syn_wait_cpu(number - back))
		return syn_wait_time(number) - syn_wait_time(number - back);
	return 5000 + random_below(random, 40000);
}

static inline uint64_t syn_wait_flags(uint32_t number)
{
	return (number < 8 ? WAIT_BEGAN_BEFORE : 0) | (syn_has_ended(number) ? 0 : WAIT_NOT_ENDED) |
	       (number < 6 ? WAIT_OUT_LATEST : 0) |
	       (syn_user_is_later(number) ? WAIT_USER_LATER : 0) | (number % 16 == 8 ? WAIT_IOWAIT : 0) |
	       (number % 11 == 0 ? WAIT_KERNEL_TRUNCATED : 0) | (number % 13 == 0 ? WAIT_USER_TRUNCATED : 0);
}

static inline void syn_make_wait(struct syn_waits *w, struct random *random)
{
	static const uint64_t states[] = {1, 2, 0x102, 4};
	uint32_t number = w->number, kind = number % 8;
	uint64_t woken = 100 + random_below(random, 3000);

	w->wait = (struct event_wait){
		.cpu = syn_wait_cpu(number), .source = SYN_OFFCPU,
		.flags = syn_wait_flags(number),
		.wait_class = kind < 4 ? WAIT_BLOCKED : kind - 3,
		.state = kind < 4 ? states[number / 8 % 4] : kind - 3 == WAIT_CANCELLED,
		.time = syn_wait_time(number),
		.length = syn_wait_length(number, random),
		.out_cpu = (syn_wait_cpu(number) + (number % 5 == 0)) % SYN_CPUS,
		.call = number % 5 * number, .object = number % 3, .asked = number % 7 ? 0 : number,
		.owner = number % 5 == 2, .ready = number % 9, .ready_object = number % 9 ? 2 : 0,
	};
	w->wait.run_queue = w->wait.length;
	if (kind < 4) {
		if (kind < 3 && syn_has_ended(number))
			w->wait.context = WAKER_TASK + number / 8 % WAKER_UNKNOWN;
		w->wait.woken = w->wait.context ? woken : 0;
		w->wait.run_queue = woken < w->wait.length ? woken : w->wait.length;
	}
	if (number / 2 % 4 == 3)
		w->wait.missing = 1 + number % USER_MISSING_NO_ROOM;
	if (syn_user_is_later(number) || w->wait.missing)
		w->sleeper.stacks.user_count = 0;
}

static inline void syn_make_sums(struct syn_waits *w, struct random *random)
{
	w->sums = (struct event_wait_sums){.time = syn_time(w->number) + 9900, .source = SYN_OFFCPU,
					   .span = random_below(random, SYN_THREADS * SYN_STEP),
					   .running = random_below(random, 100000)};
	for (uint32_t i = 0; i < WAIT_SUM_KINDS; i++) {
		uint64_t count = random_below(random, 2) ? 1 + random_below(random, 300) : 0;

		w->sums.kinds[i] = (struct event_wait_sum){count, count * 490, count * random_below(random, 300),
							   count * random_below(random, 100)};
	}
}

/* Stacks and texts point into `w`. */
static inline void syn_make_waits(uint32_t number, struct syn_waits *w)
{
	struct random random = random_make(number | 1ULL << 40);

	*w = (struct syn_waits){.number = number, .records = SYN_SAMPLE | SYN_WAIT};
	syn_make_sleeper(number, &w->sleeper);
	syn_make_one(number, 2, &w->waker);
	syn_make_wait(w, &random);
	if (w->wait.context && number % 3 != 1) {
		w->records |= SYN_WAKE;
		w->wake = (struct event_wake){.cpu = (number + 1) % SYN_CPUS, .source = SYN_WAKERS,
					      .context = w->wait.context};
		w->wake.time = w->wait.time - w->wait.woken;
	}
	if (number >= SYN_LATER && syn_has_returned(number - SYN_LATER)) {
		w->records |= SYN_USER_STACK;
		syn_make_sleeper(number - SYN_LATER, &w->returner);
		w->user_stack = (struct event_user_stack){.cpu = number % SYN_CPUS, .source = SYN_OFFCPU};
		w->user_stack.time = syn_time(number) + 9600;
		w->user_stack.since = w->user_stack.time - syn_wait_time(number - SYN_LATER);
		w->user_stack.missing = number % 9 == 0 ? USER_MISSING_CHANGED : 0;
		w->returner.stacks.kernel_count = 0;
		w->returner.stacks.user_count = w->user_stack.missing ? 0 : w->returner.stacks.user_count;
	}
	if (number % 4 == 2) {
		w->records |= SYN_SUMS;
		syn_make_sums(w, &random);
	}
}

static inline struct event_text syn_text(const char *string)
{
	return (struct event_text){string, (uint32_t)strlen(string)};
}

static inline int syn_add_module(struct event_log *log, uint32_t process, uint32_t which, uint64_t time)
{
	uint32_t id = syn_module(process, which);
	struct event module = {.kind = EVENT_MODULE,
			       .module = {.id = id, .kind = MODULE_FILE, .build_id = {(const char *)&id, sizeof(id)}}};
	struct event mapping = {.kind = EVENT_MAPPING,
				.mapping = {time, 100 + process, syn_start(id), SYN_MODULE_SIZE, 0, id, 0}};
	char path[64];
	int r;

	snprintf(path, sizeof(path), "/opt/syn/bin/module-%u", id);
	module.module.path = syn_text(path);
	r = event_log_add(log, &module);
	return r ? r : event_log_add(log, &mapping);
}

static inline int syn_add_process(struct event_log *log, uint32_t process, uint64_t time)
{
	struct event fork = {.kind = EVENT_FORK, .fork = {time, 100 + process, 100 + process, 1}};
	struct event comm = {.kind = EVENT_COMM, .comm = {time, 100 + process, 100 + process, COMM_EXEC, {0}}};
	char name[16];
	int r = event_log_add(log, &fork);

	snprintf(name, sizeof(name), "syn-%u", process);
	comm.comm.comm = syn_text(name);
	if (!r)
		r = event_log_add(log, &comm);
	for (uint32_t which = 0; !r && which < 2; which++)
		r = syn_add_module(log, process, which, time);
	return r;
}

static inline int syn_add_function(struct event_log *log, uint32_t function)
{
	struct event symbol = {.kind = EVENT_KERNEL_SYMBOL, .kernel_symbol = {SYN_KERNEL, function * 0x100, 0x80, {0}}};
	char name[32];

	snprintf(name, sizeof(name), "function_%u", function);
	symbol.kernel_symbol.name = syn_text(name);
	return event_log_add(log, &symbol);
}

static inline int syn_add_start(struct event_log *log)
{
	const struct event events[] = {
		{.kind = EVENT_MODULE, .module = {.id = SYN_KERNEL, .kind = MODULE_KERNEL,
						  .path = syn_text("[kernel]")}},
		{.kind = EVENT_SOURCE,
		 .source = {SYN_CPU, SOURCE_CPU, WEIGHT_NS, syn_text("cpu-clock"), 999, 1001001,
			    SYN_BASE, SYN_BASE, 0, 0, 0}},
		{.kind = EVENT_SOURCE,
		 .source = {SYN_OFFCPU, SOURCE_OFFCPU, WEIGHT_NS, syn_text("sched_switch"), 0, 0, SYN_BASE, SYN_BASE,
			    SOURCE_USER_STACKS, SYN_LEAST, 0}},
		{.kind = EVENT_SOURCE,
		 .source = {SYN_WAKERS, SOURCE_WAKERS, WEIGHT_NS, syn_text("sched_waking"), 0, 0, SYN_BASE, SYN_BASE, 0,
			    SYN_LEAST, 0}},
	};
	int r = 0;

	for (size_t i = 0; !r && i < sizeof(events) / sizeof(*events); i++)
		r = event_log_add(log, &events[i]);
	return r;
}

static inline int syn_add_names(struct event_log *log, uint32_t number)
{
	int r = number ? 0 : syn_add_start(log);

	if (!r && number % SYN_PROCESS_EVERY == 0)
		r = syn_add_process(log, number / SYN_PROCESS_EVERY, syn_time(number));
	if (!r && number % SYN_FUNCTION_EVERY == 0)
		r = syn_add_function(log, number / SYN_FUNCTION_EVERY);
	return r;
}

static inline int syn_add_waits(struct event_log *log, uint32_t number)
{
	struct event_task others[WAIT_OTHERS];
	struct syn_waits w;
	int r = 0;

	syn_make_waits(number, &w);
	others[WAIT_WAKER] = others[WAIT_OWNER] = w.waker.task;
	if (w.records & SYN_WAKE)
		r = event_log_add_wake(log, &w.wake, &w.waker.task, &w.sleeper.task, &w.waker.stacks);
	if (!r)
		r = event_log_add_wait(log, &w.wait, &w.sleeper.task, others, &w.sleeper.stacks);
	if (!r && w.records & SYN_USER_STACK)
		r = event_log_add_user_stack(log, &w.user_stack, &w.returner.task, &w.returner.stacks);
	if (!r && w.records & SYN_SUMS)
		r = event_log_add_wait_sums(log, &w.sums, &w.sleeper.task);
	return r;
}

/* Writes step `number` with its new names, and flushes both chunks after every `per_chunk` steps. */
static inline int syn_add(struct event_log *log, uint32_t number, uint32_t per_chunk)
{
	struct synthetic s;
	int r = syn_add_names(log, number);

	syn_make(number, &s);
	if (!r)
		r = event_log_add_sample(log, &s.sample, &s.task, &s.stacks);
	if (!r)
		r = syn_add_waits(log, number);
	if (!r && (number + 1) % per_chunk == 0)
		r = event_log_flush(log);
	return r;
}

/*
 * Writes steps 0 .. count-1, and closes the trace if `close` is set. Returns the first error,
 * including those of open and close.
 */
static inline int syn_write(struct memory_io *m, const struct trace_writer_settings *settings, uint32_t count,
			    uint32_t per_chunk, bool close)
{
	struct trace_writer *writer = NULL;
	struct event_log *log = NULL;
	int r;

	memory_io_open(m);
	r = trace_writer_create(&m->io, 3, settings, &writer);
	if (!r)
		r = event_log_create(writer, SYN_CPUS, &log);
	for (uint32_t i = 0; !r && i < count; i++)
		r = syn_add(log, i, per_chunk);
	if (log && close) {
		int closed = event_log_close(log, RWK_END_CLEAN, NULL, 0);

		r = r ? r : closed;
	}
	event_log_destroy(log);
	trace_writer_destroy(writer);
	return r;
}

/* As above, but aborts on failure: for tests of what comes afterwards. */
static inline struct memory_io syn_trace(uint32_t count, uint32_t per_chunk, bool close)
{
	struct trace_writer_settings settings = {.realtime = SYN_REALTIME};
	struct memory_io m = {0};

	if (syn_write(&m, &settings, count, per_chunk, close))
		abort();
	m.io.context = NULL; /* it is about to move: the caller calls memory_io_open */
	return m;
}

/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Writes a made-up recording (synthetic.h), step by step. */
#pragma once

#include "tests/fault/synthetic_waits.h"

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
	struct event fork = {.kind = EVENT_FORK, .fork = {time, 100 + process, 100 + process, 1, 1}};
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

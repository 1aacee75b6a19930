/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * A made-up recording in which everything follows from a sample's number. Names come up as it goes on: process p
 * (with its own two modules) with sample 60 p, kernel function k with sample 10 k.
 */
#pragma once

#include <stdio.h>
#include <string.h>

#include "format/event_log.h"
#include "tests/random.h"

enum {
	SYN_FRAMES = 16,
	SYN_KERNEL = 1, /* module id of the kernel */
	SYN_CPUS = 4,
	SYN_PROCESS_EVERY = 60,
	SYN_FUNCTION_EVERY = 10,
	SYN_MODULE_SIZE = 1 << 20,
};
static const uint64_t SYN_BASE = 1000000000;
struct synthetic {
	struct event_sample sample;
	struct event_task task;
	uint64_t kernel[SYN_FRAMES], user[SYN_FRAMES];
	struct event_stacks stacks;
	uint32_t process;
};

static inline uint64_t syn_time(uint32_t number)
{
	return SYN_BASE + (uint64_t)number * 10000;
}

static inline uint32_t syn_module(uint32_t process, uint32_t which)
{
	return 2 + 2 * process + which;
}

static inline uint64_t syn_start(uint32_t module)
{
	return 0x550000000000 + (uint64_t)module * 0x10000000;
}

static inline void syn_make(uint32_t number, struct synthetic *s)
{
	struct random random = random_make(number);
	uint32_t depth = 3 + (uint32_t)random_below(&random, SYN_FRAMES - 3);

	*s = (struct synthetic){.process = (uint32_t)random_below(&random, 1 + number / SYN_PROCESS_EVERY)};
	s->sample = (struct event_sample){
		.time = syn_time(number) + random_below(&random, 5000), .cpu = number % SYN_CPUS, .source = 1};
	s->task = (struct event_task){.tgid = 100 + s->process, .tid = 100 + s->process, .start = 7 * s->process};
	snprintf(s->task.comm, sizeof(s->task.comm), "syn-%u", s->process);
	for (uint32_t i = 0; i < depth; i++) { /* leaf first; the outer frames are few */
		uint64_t choices = i < 2 ? 1000 : 3;
		uint32_t module = syn_module(s->process, i & 1);

		s->user[i] = syn_start(module) + (depth - i) * 0x1000 + random_below(&random, choices) * 8;
	}
	s->stacks = (struct event_stacks){.user = s->user, .user_count = depth, .kernel = s->kernel};
	s->stacks.kernel_count = random_below(&random, 2) ? 3 : 0;
	for (uint32_t i = 0; i < s->stacks.kernel_count; i++)
		s->kernel[i] = ((uint64_t)SYN_KERNEL << 32) +
			       random_below(&random, 1 + number / SYN_FUNCTION_EVERY) * 0x100 + 0x10;
}

static inline struct event_text syn_text(const char *string)
{
	return (struct event_text){string, (uint32_t)strlen(string)};
}

static inline int syn_add_module(struct event_log *log, uint32_t process, uint32_t which, uint64_t time)
{
	uint32_t id = syn_module(process, which);
	struct event module = {.kind = EVENT_MODULE,
			       .module = {.id = id, .kind = MODULE_FILE, .build_id = syn_text("\1\2\3\4")}};
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
	struct event kernel = {.kind = EVENT_MODULE,
			       .module = {.id = SYN_KERNEL, .kind = MODULE_KERNEL, .path = syn_text("[kernel]")}};
	struct event source = {.kind = EVENT_SOURCE,
			       .source = {1, SOURCE_CPU, WEIGHT_NS, syn_text("cpu-clock"), 999, 1001001, SYN_BASE, SYN_BASE, 0}};
	int r = event_log_add(log, &kernel);

	return r ? r : event_log_add(log, &source);
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

/* Writes sample `number` with the names that come up with it, and both chunks out after every `per_chunk` samples. */
static inline int syn_add(struct event_log *log, uint32_t number, uint32_t per_chunk)
{
	struct synthetic s;
	int r = syn_add_names(log, number);

	syn_make(number, &s);
	if (!r)
		r = event_log_add_sample(log, &s.sample, &s.task, &s.stacks);
	if (!r && (number + 1) % per_chunk == 0)
		r = event_log_flush(log);
	return r;
}

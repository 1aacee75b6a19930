/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * A made-up recording in steps, in which everything follows from the number of the step: a sample
 * (here), a wait and its related records (synthetic_waits.h). Names appear over time: process p
 * (with its own two modules) with step 60 p, kernel function k with step 10 k. synthetic_add.h
 * writes it, synthetic_check.h says what is left of it.
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

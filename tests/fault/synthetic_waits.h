/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The records of a step besides its sample: a WAIT, of every class, context and flag in turn; the WAKE that ended it;
 * the USER_STACK of the wait three steps before; WAIT_SUMS. Their times are within the step and identify its number. No
 * two waits of a thread overlap.
 */
#pragma once
#include "tests/fault/synthetic.h"

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
	       (number < 4 ? WAIT_OUT_EARLIEST : number < 6 ? WAIT_OUT_LATEST : 0) |
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

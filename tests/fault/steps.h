/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * A made-up recording in steps, in which everything follows from the number of the step: the names that its stacks need, a
 * sample, a wait with the wakeup that ended it and sums, and the user stack of the wait three steps before. What is left of
 * it after a mishap is compared, chunk by chunk, with the same recording without one (struct steps_whole).
 */
#pragma once

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "format/crc32c.h"
#include "format/event_log.h"
#include "format/trace_reader.h"
#include "tests/fault/memory_io.h"
#include "tests/random.h"

enum { STEPS_MAX = 8192, STEP_NS = 10000, STEP_CPUS = 4, STEP_THREADS = 16, STEP_LATER = 3, STEP_FRAMES = 12 };
enum { STEP_KERNEL = 1, STEP_PROGRAM = 2 }; /* modules */
enum step_source { STEP_CPU = 1, STEP_OFFCPU = 3, STEP_WAKERS = 4 };
static const uint64_t STEP_BASE = 1000000000, STEP_REALTIME = 1700000000000000000, STEP_START = 0x550000000000;

struct step_stacks {
	uint64_t kernel[3], user[STEP_FRAMES];
	struct event_stacks stacks;
};

static inline uint64_t step_time(uint32_t number)
{
	return STEP_BASE + (uint64_t)number * STEP_NS;
}

static inline struct event_text step_text(const char *text)
{
	return (struct event_text){text, (uint32_t)strlen(text)};
}

/* `which`: of the step's own. The kernel's functions are those of this step and of earlier ones. */
static inline void step_make_stacks(uint32_t number, uint32_t which, struct step_stacks *s)
{
	struct random random = random_make(number | (uint64_t)which << 32);
	uint32_t depth = 3 + (uint32_t)random_below(&random, STEP_FRAMES - 3);

	for (uint32_t i = 0; i < depth; i++) /* leaf first; the outer frames are few */
		s->user[i] = STEP_START + (depth - i) * 0x1000 + random_below(&random, i < 2 ? 500 : 3) * 8;
	for (uint32_t i = 0; i < 3; i++)
		s->kernel[i] = (uint64_t)STEP_KERNEL << 32 | (random_below(&random, number + 1) * 0x100 + 0x10);
	s->stacks = (struct event_stacks){.kernel = s->kernel, .kernel_count = 3, .user = s->user, .user_count = depth};
}

static inline struct event_task step_task(uint32_t tid)
{
	return (struct event_task){.tgid = 100, .tid = tid, .start = tid, .comm = "step"};
}

static inline struct event_task step_sleeper(uint32_t number)
{
	return step_task(1000 + number % STEP_THREADS);
}

static inline int step_add_start(struct event_log *log)
{
	const struct event events[] = {
		{.kind = EVENT_MODULE, .module = {.id = STEP_KERNEL, .kind = MODULE_KERNEL, .path = step_text("[kernel]")}},
		{.kind = EVENT_MODULE, .module = {.id = STEP_PROGRAM, .kind = MODULE_FILE, .path = step_text("/opt/step")}},
		{.kind = EVENT_MAPPING, .mapping = {STEP_BASE, 100, STEP_START, 1 << 20, 0, STEP_PROGRAM, 0}},
		{.kind = EVENT_SOURCE, .source = {STEP_CPU, SOURCE_CPU, WEIGHT_NS, step_text("cpu-clock"), 999, 1001001,
						  STEP_BASE, STEP_BASE, 0, 0, 0}},
		{.kind = EVENT_SOURCE, .source = {STEP_OFFCPU, SOURCE_OFFCPU, WEIGHT_NS, step_text("sched_switch"), 0, 0,
						  STEP_BASE, STEP_BASE, SOURCE_USER_STACKS, 500, 0}},
		{.kind = EVENT_SOURCE, .source = {STEP_WAKERS, SOURCE_WAKERS, WEIGHT_NS, step_text("sched_waking"), 0, 0,
						  STEP_BASE, STEP_BASE, 0, 500, 0}},
	};
	int r = 0;

	for (size_t i = 0; !r && i < sizeof(events) / sizeof(*events); i++)
		r = event_log_add(log, &events[i]);
	return r;
}

static inline int step_add_names(struct event_log *log, uint32_t number)
{
	struct event symbol = {.kind = EVENT_KERNEL_SYMBOL, .kernel_symbol = {STEP_KERNEL, number * 0x100, 0x80, {0}}};
	char name[32];
	int r = number ? 0 : step_add_start(log);

	snprintf(name, sizeof(name), "function_%u", number);
	symbol.kernel_symbol.name = step_text(name);
	return r ? r : event_log_add(log, &symbol);
}

static inline struct event_wait step_wait(uint32_t number)
{
	bool blocked = number % 8 < 5;
	uint64_t woken = 100 + number * 797 % 400, length = 600 + number * 7919 % 90000;
	struct event_wait wait = {
		.cpu = number / 16 % STEP_CPUS, .source = STEP_OFFCPU, .out_cpu = (number / 16 + (number % 5 == 0)) % STEP_CPUS,
		.flags = number % 4 < 2 ? WAIT_USER_LATER : 0, .wait_class = blocked ? WAIT_BLOCKED : WAIT_PREEMPTED,
		.state = blocked, .time = step_time(number) + 5000, .length = length,
		.context = blocked ? WAKER_TASK + number / 8 % WAKER_UNKNOWN : 0, .run_queue = blocked ? woken : length,
	};

	wait.woken = wait.context ? woken : 0;
	return wait;
}

static inline int step_add_wait(struct event_log *log, uint32_t number)
{
	struct event_wait wait = step_wait(number);
	struct event_wake wake = {.cpu = (number + 1) % STEP_CPUS, .source = STEP_WAKERS, .context = wait.context,
				  .time = wait.time - wait.woken};
	struct event_wait_sums sums = {.time = step_time(number) + 9900, .source = STEP_OFFCPU, .span = STEP_NS,
				       .running = number % 1000, .kinds = {{number, 490, 0, 0}, {1, number, 0, 0}}};
	const struct event_task sleeper = step_sleeper(number), others[WAIT_OTHERS] = {step_task(100), step_task(100)};
	struct step_stacks s, waker;
	int r = 0;

	step_make_stacks(number, 1, &s);
	step_make_stacks(number, 2, &waker);
	if (wait.flags & WAIT_USER_LATER)
		s.stacks.user_count = 0;
	if (wait.context)
		r = event_log_add_wake(log, &wake, &others[0], &sleeper, &waker.stacks);
	if (!r)
		r = event_log_add_wait(log, &wait, &sleeper, others, &s.stacks);
	return r || number % 4 != 2 ? r : event_log_add_wait_sums(log, &sums, &sleeper);
}

static inline int step_add_user_stack(struct event_log *log, uint32_t number)
{
	struct event_user_stack record = {.cpu = number % STEP_CPUS, .source = STEP_OFFCPU, .time = step_time(number) + 9600};
	const uint32_t before = number - STEP_LATER;
	struct event_task task;
	struct step_stacks s;

	if (number < STEP_LATER || !(step_wait(before).flags & WAIT_USER_LATER))
		return 0;
	task = step_sleeper(before);
	record.since = record.time - step_wait(before).time;
	step_make_stacks(before, 1, &s);
	s.stacks.kernel_count = 0;
	return event_log_add_user_stack(log, &record, &task, &s.stacks);
}

/* Writes a step, and flushes both chunks after every `per_chunk` steps. */
static inline int step_add(struct event_log *log, uint32_t number, uint32_t per_chunk)
{
	struct event_sample sample = {.time = step_time(number), .cpu = number % STEP_CPUS, .source = STEP_CPU};
	const struct event_task task = step_task(100);
	struct step_stacks s;
	int r;

	step_make_stacks(number, 0, &s);
	r = event_log_add_sample(log, &sample, &task, &s.stacks);
	if (!r)
		r = step_add_names(log, number);
	if (!r)
		r = step_add_wait(log, number);
	if (!r)
		r = step_add_user_stack(log, number);
	if (!r && (number + 1) % per_chunk == 0)
		r = event_log_flush(log);
	return r;
}

/* What became of a recording. */
struct steps_written {
	int created, added, closed;
	uint32_t acknowledged; /* steps in chunks whose write returned 0 */
};

static inline struct steps_written steps_write(const struct trace_io *io, int fd, const struct trace_writer_settings *settings,
					       uint32_t count, uint32_t per_chunk, bool close)
{
	struct trace_writer *writer = NULL;
	struct event_log *log = NULL;
	struct steps_written w = {.created = trace_writer_create(io, fd, settings, &writer)};

	if (w.created)
		return w;
	if (event_log_create(writer, STEP_CPUS, &log) < 0)
		abort();
	for (uint32_t i = 0; i < count && !w.added; i++) {
		w.added = step_add(log, i, per_chunk);
		if (!w.added && (i + 1) % per_chunk == 0)
			w.acknowledged = i + 1;
	}
	if (close)
		w.closed = event_log_close(log, RWK_END_CLEAN, NULL, 0);
	event_log_destroy(log);
	trace_writer_destroy(writer);
	return w;
}

/* The caller opens it at its final address (memory_io_open) and closes it. */
static inline struct memory_io steps_trace(uint32_t count, uint32_t per_chunk, bool close)
{
	const struct trace_writer_settings settings = {.realtime = STEP_REALTIME};
	struct memory_io m = {0};
	struct steps_written w;

	memory_io_open(&m);
	w = steps_write(&m.io, 3, &settings, count, per_chunk, close);
	if (w.created || w.added || w.closed)
		abort();
	m.io.context = NULL;
	return m;
}

/* The chunks of steps of an undamaged recording: their payloads, by checksum, and how many steps are in them. */
struct steps_whole {
	struct steps_chunk {
		uint16_t type;
		uint32_t size, crc, steps;
	} *chunks;
	size_t count;
};

static inline uint8_t *steps_load(struct trace_reader *reader, const struct trace_chunk *chunk)
{
	uint8_t *payload = malloc(chunk->header.raw_size + (size_t)1);

	if (!payload)
		abort();
	if (trace_reader_load(reader, chunk, payload) >= 0)
		return payload;
	free(payload);
	return NULL;
}

static inline struct steps_whole steps_whole_make(uint32_t count, uint32_t per_chunk)
{
	struct memory_io m = steps_trace(count, per_chunk, true);
	struct steps_whole whole = {0};
	const struct trace_chunk *chunks;
	struct trace_reader *reader;
	uint32_t left = count;

	memory_io_open(&m);
	if (trace_reader_create(&m.io, 3, &reader) < 0)
		abort();
	whole.count = trace_reader_chunks(reader, &chunks);
	whole.chunks = calloc(whole.count, sizeof(*whole.chunks));
	for (size_t i = 0; i < whole.count; i++) {
		struct steps_chunk *chunk = &whole.chunks[i];
		uint8_t *payload = steps_load(reader, &chunks[i]);

		if (!payload || !whole.chunks || chunks[i].header.sequence != i)
			abort();
		*chunk = (struct steps_chunk){.type = chunks[i].header.type, .size = chunks[i].header.raw_size};
		chunk->crc = crc32c(0, payload, chunk->size);
		if (chunk->type == RWK_CHUNK_EVENTS)
			chunk->steps = left < per_chunk ? left : per_chunk;
		left -= chunk->steps;
		free(payload);
	}
	trace_reader_destroy(reader);
	memory_io_close(&m);
	return whole;
}

struct steps_found {
	int error; /* of trace_reader_create */
	size_t chunks, sections, closed, steps;
	size_t wrong, unnamed; /* chunks: never written like that, or there twice; without names that came before them */
	uint32_t end_reason;
	struct trace_damage damage;
};

static inline bool steps_is_faultless(const struct steps_found *found)
{
	return !found->error && !found->wrong && !found->unnamed;
}

static inline void steps_check_chunks(struct trace_reader *reader, const struct steps_whole *whole, struct steps_found *found)
{
	bool *seen = calloc(whole->count + 1, sizeof(*seen)), missing = false;
	const struct trace_chunk *chunks;

	found->chunks = trace_reader_chunks(reader, &chunks);
	for (size_t i = 0; seen && i < found->chunks; i++) {
		const struct rwk_chunk_header *header = &chunks[i].header;
		const size_t number = header->sequence < whole->count ? header->sequence : whole->count;
		const struct steps_chunk *want = &whole->chunks[number];
		uint8_t *payload = steps_load(reader, &chunks[i]);

		if (payload && header->type <= RWK_CHUNK_EVENTS) {
			if (number < whole->count && !seen[number] && want->type == header->type &&
			    want->size == header->raw_size && want->crc == crc32c(0, payload, want->size))
				found->steps += want->steps;
			else
				found->wrong++;
			seen[number] = true;
		}
		free(payload);
	}
	/* Each chunk of events has names of its own before it. */
	for (size_t i = 0, names = 0, events = 0; seen && i < whole->count; i++) {
		const uint16_t type = whole->chunks[i].type;

		names += type == RWK_CHUNK_STATE;
		missing |= type == RWK_CHUNK_STATE && !seen[i];
		if (type == RWK_CHUNK_EVENTS)
			found->unnamed += (++events > names || missing) && seen[i];
	}
	free(seen);
}

/* How much of `whole`, or of its begin, can be read. */
static inline struct steps_found steps_check(const struct trace_io *io, int fd, const struct steps_whole *whole)
{
	struct trace_reader *reader = NULL;
	struct steps_found found = {.error = trace_reader_create(io, fd, &reader)};
	const struct trace_section *sections;

	if (found.error)
		return found;
	steps_check_chunks(reader, whole, &found);
	found.sections = trace_reader_sections(reader, &sections);
	for (size_t i = 0; i < found.sections; i++) {
		found.closed += sections[i].closed;
		found.end_reason = sections[i].end_reason;
	}
	trace_reader_damage(reader, &found.damage);
	trace_reader_destroy(reader);
	return found;
}

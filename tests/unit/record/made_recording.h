/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * A recording without a kernel: its log is in memory, and what was written to it is read back with
 * the format's reader.
 *
 *	struct made_recording made;
 *
 *	made_recording_open(&made, 4);
 *	samples_take(...);
 *	made_recording_read(&made);
 *	CHECK_INT(t, told_count(&made, EVENT_SAMPLE), 1);
 *	CHECK_INT(t, told(&made, EVENT_SAMPLE, 0)->event.sample.time, 100);
 *	made_recording_close(&made);
 *
 * Failures end the program: a test cannot continue without it. Kernel frames: fake_kernel_map.h.
 */
#pragma once

#include <stdlib.h>

#include "common/address_space.h"
#include "common/array.h"
#include "format/event_decoder.h"
#include "format/event_log.h"
#include "format/trace_reader.h"
#include "record/place/hits.h"
#include "record/place/kernel_map.h"
#include "record/place/module_table.h"
#include "record/plan/recording.h"
#include "tests/fault/memory_io.h"

enum { TOLD_FRAMES = 8 };

struct told { /* an event, and what its numbers refer to */
	struct event event;
	struct event_task task, other; /* other: a wait's waker, a wakeup's target, a lock's owner */
	uint64_t kernel[TOLD_FRAMES], user[TOLD_FRAMES]; /* leaf first */
	uint32_t kernel_count, user_count;
};

static inline uint32_t told_stack(const struct event_decoder *decoder, uint32_t leaf, uint64_t *frames)
{
	size_t nodes;
	const struct stack_node *all = event_decoder_nodes(decoder, &nodes);
	uint32_t count = 0;

	for (; leaf >= STACK_FIRST_NODE && leaf < nodes && count < TOLD_FRAMES; leaf = all[leaf].parent)
		frames[count++] = all[leaf].address;
	return count;
}

static inline struct event_task told_task(const struct event_decoder *decoder, uint32_t number)
{
	const struct event_task *task = number ? event_decoder_task(decoder, number) : NULL;

	return task ? *task : (struct event_task){0};
}

static inline void told_name(struct told *told, const struct event_decoder *decoder, uint32_t task, uint32_t other,
			     uint32_t kernel, uint32_t user)
{
	told->task = told_task(decoder, task);
	told->other = told_task(decoder, other);
	told->kernel_count = told_stack(decoder, kernel, told->kernel);
	told->user_count = told_stack(decoder, user, told->user);
}

static inline struct told told_make(const struct event_decoder *decoder, const struct event *event)
{
	struct told made = {.event = *event};

	if (event->kind == EVENT_SAMPLE)
		told_name(&made, decoder, event->sample.task, 0, event->sample.kernel, event->sample.user);
	else if (event->kind == EVENT_WAIT)
		told_name(&made, decoder, event->wait.task, event->wait.waker, event->wait.kernel, event->wait.user);
	else if (event->kind == EVENT_WAKE)
		told_name(&made, decoder, event->wake.task, event->wake.target, event->wake.kernel, event->wake.user);
	else if (event->kind == EVENT_USER_STACK)
		told_name(&made, decoder, event->user_stack.task, 0, 0, event->user_stack.user);
	else if (event->kind == EVENT_WALK_TASK)
		told_name(&made, decoder, event->walk_task.task, event->walk_task.owner, event->walk_task.kernel,
			  event->walk_task.user);
	return made;
}

struct made_recording {
	struct memory_io io;
	struct record_config config;
	struct recording recording;
	uint32_t anonymous; /* the module of memory without a file */
	ARRAY(struct told) told;
	ARRAY(uint8_t *) payloads; /* the texts' */
};

static inline void made_check(int r)
{
	if (r < 0)
		abort();
}

/* map: for kernel frames and symbols; NULL: none. */
static inline void made_recording_open_with(struct made_recording *made, uint32_t cpus, struct kernel_map *map)
{
	struct recording *recording = &made->recording;

	*made = (struct made_recording){.config = {.user_stacks = true}};
	*recording = (struct recording){.config = &made->config, .max_cpus = cpus, .kernel_map = map, .start = 1};
	memory_io_open(&made->io);
	made_check(trace_writer_create(&made->io.io, 3, &(struct trace_writer_settings){0}, &recording->writer));
	made_check(event_log_create(recording->writer, cpus, &recording->log));
	made_check(module_table_create(recording, &recording->modules));
	made->anonymous = module_table_special(recording->modules, MODULE_ANONYMOUS);
	made_check(hits_create(made->anonymous, true, 0, &recording->hits));
	made_check(kernel_chains_create(map, &recording->kernel_chains));
}

static inline void made_recording_open(struct made_recording *made, uint32_t cpus)
{
	made_recording_open_with(made, cpus, NULL);
}

/* Maps code at [start, start + 0x1000) of the process: offset 0x2000 of module 9. */
static inline void made_recording_map(const struct made_recording *made, uint32_t tgid, uint64_t start)
{
	const struct mapping mapping = {.start = start, .end = start + 0x1000, .file_offset = 0x2000, .module = 9};

	made_check(address_spaces_map(hits_spaces(made->recording.hits), tgid, &mapping));
}

static inline void made_recording_close(struct made_recording *made)
{
	struct recording *recording = &made->recording;

	for (size_t i = 0; i < made->payloads.count; i++)
		free(made->payloads.items[i]);
	array_free(&made->payloads);
	array_free(&made->told);
	kernel_chains_destroy(recording->kernel_chains);
	hits_destroy(recording->hits);
	module_table_destroy(recording->modules);
	event_log_destroy(recording->log);
	trace_writer_destroy(recording->writer);
	memory_io_close(&made->io);
}

/* --- what was written to it --- */

static inline void told_chunk(struct made_recording *made, struct event_decoder *decoder, struct trace_reader *reader,
			      const struct trace_chunk *chunk)
{
	uint8_t *payload = malloc(chunk->header.raw_size + 1);
	struct event event;

	made_check(payload ? array_push(&made->payloads, payload) : -ENOMEM);
	made_check(trace_reader_load(reader, chunk, payload));
	event_decoder_start(decoder, payload, chunk->header.raw_size);
	while (event_decoder_next(decoder, &event) > 0)
		made_check(array_push(&made->told, told_make(decoder, &event)));
}

/* All that was written so far, in its order within a chunk's type; what was read before is read again. */
static inline void made_recording_read(struct made_recording *made)
{
	struct trace_reader *reader = NULL;
	struct event_decoder *decoder = NULL;
	const struct trace_chunk *chunks;

	made->told.count = 0;
	made_check(event_log_flush(made->recording.log));
	made_check(trace_reader_create(&made->io.io, 3, &reader));
	made_check(event_decoder_create(&decoder));
	for (size_t i = 0, count = trace_reader_chunks(reader, &chunks); i < count; i++)
		if (chunks[i].header.type == RWK_CHUNK_STATE || chunks[i].header.type == RWK_CHUNK_EVENTS)
			told_chunk(made, decoder, reader, &chunks[i]);
	event_decoder_destroy(decoder);
	trace_reader_destroy(reader);
}

static inline size_t told_count(const struct made_recording *made, enum event_kind kind)
{
	size_t count = 0;

	for (size_t i = 0; i < made->told.count; i++)
		count += made->told.items[i].event.kind == kind;
	return count;
}

/* The n-th of its kind, from 0; if there is none, one of zeros. */
static inline const struct told *told(const struct made_recording *made, enum event_kind kind, size_t n)
{
	static const struct told none;

	for (size_t i = 0; i < made->told.count; i++)
		if (made->told.items[i].event.kind == kind && n-- == 0)
			return &made->told.items[i];
	return &none;
}

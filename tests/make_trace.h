/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Traces for tests, written with the format's own writer: everything in them is chosen by the test, to the nanosecond.
 *
 *	struct made_trace *trace = made_trace_begin("x.rwk");
 *	made_trace_source(trace, &(struct event_source){.id = 1, .kind = SOURCE_CPU, ...}, "cpu-clock");
 *	made_trace_module(trace, 1, MODULE_FILE, "/bin/cat", "0a0b0c");
 *	made_trace_map(trace, 10, 100, 0x1000, 0x1000, 0, 1, 0);
 *	made_trace_sample(trace, &(struct made_sample){.time = 20, .tgid = 100, .tid = 100, .comm = "cat", ...});
 *	made_trace_end(trace);
 * Any failure ends the program. Header only: every test program can use it.
 */
#pragma once

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "format/event.h"
#include "format/event_log.h"
#include "format/trace_writer.h"

struct made_trace {
	int fd;
	struct trace_writer *writer;
	struct event_log *log;
};

static inline void made_trace_check(int r, const char *what)
{
	if (r >= 0)
		return;
	fprintf(stderr, "make_trace: %s: %s\n", what, strerror(-r));
	abort();
}

/* `flags`: O_TRUNC, or O_APPEND for another section of the same file. */
static inline struct made_trace *made_trace_begin_at(const char *path, int flags)
{
	struct made_trace *trace = calloc(1, sizeof(*trace));
	struct trace_writer_settings settings = {0};

	made_trace_check(trace ? 0 : -ENOMEM, "memory");
	trace->fd = open(path, O_RDWR | O_CREAT | flags, 0600);
	made_trace_check(trace->fd < 0 ? -errno : 0, path);
	made_trace_check(trace_writer_create(&trace_io_system, trace->fd, &settings, &trace->writer), "writer");
	made_trace_check(event_log_create(trace->writer, 256, &trace->log), "log");
	return trace;
}

static inline struct made_trace *made_trace_begin(const char *path)
{
	return made_trace_begin_at(path, O_TRUNC);
}

/* Starts new chunks. */
static inline void made_trace_flush(struct made_trace *trace)
{
	made_trace_check(event_log_flush(trace->log), "flush");
}

static inline void made_trace_end(struct made_trace *trace)
{
	made_trace_check(event_log_close(trace->log, RWK_END_CLEAN, NULL, 0), "close");
	event_log_destroy(trace->log);
	trace_writer_destroy(trace->writer);
	close(trace->fd);
	free(trace);
}

static inline struct event_text made_text(const char *text)
{
	return (struct event_text){.bytes = text, .length = (uint32_t)strlen(text)};
}

static inline void made_trace_add(struct made_trace *trace, const struct event *event)
{
	made_trace_check(event_log_add(trace->log, event), "add");
}

static inline void made_trace_meta(struct made_trace *trace, const char *key, const char *value)
{
	made_trace_check(event_log_add_meta(trace->log, key, value), key);
}

static inline void made_trace_source(struct made_trace *trace, const struct event_source *source, const char *name)
{
	struct event event = {.kind = EVENT_SOURCE, .source = *source};

	event.source.name = made_text(name);
	made_trace_add(trace, &event);
}

/* `build_id` in hex, "" for none. */
static inline void made_trace_module(struct made_trace *trace, uint32_t id, enum module_kind kind, const char *path,
				     const char *build_id)
{
	struct event event = {.kind = EVENT_MODULE, .module = {.id = id, .kind = kind, .path = made_text(path)}};
	char bytes[64];
	uint32_t length = 0;

	for (; build_id[2 * length] && length < sizeof(bytes); length++) {
		unsigned int byte = 0;

		made_trace_check(sscanf(build_id + 2 * length, "%2x", &byte) == 1 ? 0 : -EINVAL, build_id);
		bytes[length] = (char)byte;
	}
	event.module.build_id = (struct event_text){.bytes = bytes, .length = length};
	made_trace_add(trace, &event);
}

static inline void made_trace_map(struct made_trace *trace, uint64_t time, uint32_t tgid, uint64_t start,
				  uint64_t length, uint64_t file_offset, uint32_t module, uint64_t flags)
{
	made_trace_add(trace, &(struct event){.kind = EVENT_MAPPING,
					      .mapping = {.time = time,
							  .tgid = tgid,
							  .start = start,
							  .length = length,
							  .file_offset = file_offset,
							  .module = module,
							  .flags = flags}});
}

static inline void made_trace_exec(struct made_trace *trace, uint64_t time, uint32_t tgid, const char *comm)
{
	const struct event_comm exec = {.time = time, .tgid = tgid, .tid = tgid, .flags = COMM_EXEC,
					.comm = made_text(comm)};

	made_trace_add(trace, &(struct event){.kind = EVENT_COMM, .comm = exec});
}

/* Two seconds of a CPU clock at 1000 Hz with user stacks, source 1, on a host of its own. */
static inline void made_trace_cpu_clock(struct made_trace *trace, uint64_t more_flags)
{
	const struct event_source source = {.id = 1,
					    .kind = SOURCE_CPU,
					    .weight = WEIGHT_NS,
					    .frequency = 1000,
					    .period = 1000000,
					    .start = 1000,
					    .stop = 2000001000,
					    .flags = SOURCE_USER_STACKS | more_flags};

	made_trace_meta(trace, "hostname", "here");
	made_trace_meta(trace, "boot_id", "1-2-3");
	made_trace_source(trace, &source, "cpu-clock");
}

static inline void made_trace_kernel_symbol(struct made_trace *trace, uint32_t module, uint64_t offset, uint64_t size,
					    const char *name)
{
	made_trace_add(trace, &(struct event){.kind = EVENT_KERNEL_SYMBOL,
					      .kernel_symbol = {.module = module,
								.offset = offset,
								.size = size,
								.name = made_text(name)}});
}

struct made_sample {
	uint64_t time, period; /* period 0: it carries none */
	uint32_t cpu, source, tgid, tid;
	uint32_t probe; /* 0: none */
	uint64_t start, flags;
	const char *comm;
	bool kernel_thread;
	const uint64_t *kernel, *user; /* leaf first, ending with 0; NULL: no stack */
};

static inline uint32_t made_count(const uint64_t *frames)
{
	uint32_t count = 0;

	while (frames && frames[count])
		count++;
	return count;
}

static inline struct event_task made_task(uint32_t tgid, uint32_t tid, uint64_t start, const char *comm)
{
	struct event_task task = {.tgid = tgid, .tid = tid, .start = start};

	snprintf(task.comm, sizeof(task.comm), "%s", comm);
	return task;
}

static inline void made_trace_sample(struct made_trace *trace, const struct made_sample *made)
{
	struct event_task task = made_task(made->tgid, made->tid, made->start, made->comm);
	struct event_stacks stacks = {.kernel = made->kernel,
				      .user = made->user,
				      .kernel_count = made_count(made->kernel),
				      .user_count = made_count(made->user)};
	struct event_sample sample = {.time = made->time,
				      .cpu = made->cpu,
				      .source = made->source ? made->source : 1,
				      .probe = made->probe,
				      .flags = made->flags,
				      .period = made->period};

	task.flags = made->kernel_thread ? TASK_KERNEL_THREAD : 0;
	sample.flags |= made->kernel ? SAMPLE_HAS_KERNEL : 0;
	sample.flags |= made->user ? SAMPLE_HAS_USER : 0;
	sample.flags |= made->period ? SAMPLE_HAS_PERIOD : 0;
	made_trace_check(event_log_add_sample(trace->log, &sample, &task, &stacks), "sample");
}

static inline void made_trace_probe(struct made_trace *trace, uint32_t id, uint32_t source,
				    enum probe_hook hook, const char *name)
{
	made_trace_add(trace,
		       &(struct event){.kind = EVENT_PROBE,
				       .probe = {.id = id, .source = source, .hook = hook, .name = made_text(name)}});
}

/* One load segment, and symbols that ascend. */
static inline void made_trace_embed(struct made_trace *trace, uint32_t module, const struct event_segment *segments,
				    uint32_t segment_count, const struct event_symbol *symbols, size_t count)
{
	struct event_embed_module embed = {.module = module,
					   .status = EMBED_FULL,
					   .machine = EM_X86_64,
					   .segments = segments,
					   .segment_count = segment_count};

	made_trace_check(event_log_add_embed_module(trace->log, &embed), "embed");
	made_trace_check(event_log_add_embed_symbols(trace->log, module, symbols, count), "symbols");
}

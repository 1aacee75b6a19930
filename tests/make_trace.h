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
 * Samples, walks and symbols: make_events.h. Any failure ends the program. Header only: every test program can use it.
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

static inline void made_trace_fork(struct made_trace *trace, uint64_t time, uint32_t parent, uint32_t child)
{
	made_trace_add(trace, &(struct event){.kind = EVENT_FORK,
					      .fork = {.time = time,
						       .tgid = child,
						       .tid = child,
						       .parent_tgid = parent}});
}

static inline void made_trace_exec(struct made_trace *trace, uint64_t time, uint32_t tgid, const char *comm)
{
	const struct event_comm exec = {.time = time, .tgid = tgid, .tid = tgid, .flags = COMM_EXEC,
					.comm = made_text(comm)};

	made_trace_add(trace, &(struct event){.kind = EVENT_COMM, .comm = exec});
}

static inline void made_trace_exit(struct made_trace *trace, uint64_t time, uint32_t tgid)
{
	made_trace_add(trace, &(struct event){.kind = EVENT_EXIT, .exit = {.time = time, .tgid = tgid, .tid = tgid}});
}

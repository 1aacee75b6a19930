/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* A whole synthetic recording in memory. */
#pragma once

#include "tests/fault/memory_file.h"
#include "tests/fault/synthetic_add.h"

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

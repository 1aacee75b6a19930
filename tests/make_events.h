/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The events and symbols of traces made for tests; see make_trace.h.
 */
#pragma once

#include "tests/make_trace.h"

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

static inline void made_trace_probe_hits(struct made_trace *trace, const struct event_probe_hits *hits)
{
	made_trace_add(trace, &(struct event){.kind = EVENT_PROBE_HITS, .probe_hits = *hits});
}

static inline void made_trace_walk_task(struct made_trace *trace, const struct event_walk_task *row,
					const struct event_task *task, const uint64_t *kernel)
{
	struct event_walk_task copy = *row;
	struct event_stacks stacks = {.kernel = kernel, .kernel_count = made_count(kernel)};

	made_trace_check(event_log_add_walk_task(trace->log, &copy, task, NULL, &stacks), "walk task");
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

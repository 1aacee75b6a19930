/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "record/source/loss.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "common/time_units.h"
#include "format/event_log.h"
#include "record/place/hits.h"
#include "record/place/module_files.h"
#include "record/place/module_table.h"
#include "record/place/sideband.h"
#include "record/place/streams.h"
#include "record/plan/recording.h"
#include "record/probe/probe.h"
#include "record/source/drain.h"

static const enum loss_cause causes[RING_COUNTERS] = {
	[RING_COUNT_SEEN] = LOSS_SEEN,
	[RING_COUNT_IDLE] = LOSS_IDLE,
	[RING_COUNT_OWN] = LOSS_OWN,
	[RING_COUNT_FILTERED] = LOSS_FILTERED,
	[RING_COUNT_RECORDED] = LOSS_RECORDED,
	[RING_COUNT_RING_FULL] = LOSS_RING_FULL,
	[RING_COUNT_NESTED] = LOSS_NESTED,
	[RING_COUNT_BRIEF] = LOSS_BRIEF,
	[RING_COUNT_NO_ENTRY] = LOSS_NO_TASK_ENTRY,
	[RING_COUNT_RATE_LIMITED] = LOSS_RATE_LIMITED,
	[RING_COUNT_KERNEL_STACK] = LOSS_KERNEL_STACK,
	[RING_COUNT_USER_STACK] = LOSS_USER_STACK,
	[RING_COUNT_TRUNCATED] = LOSS_TRUNCATED,
	[RING_COUNT_SNAPSHOT] = LOSS_SNAPSHOT,
};

enum { TOLD_SOURCES = EVENT_LOG_SOURCES }; /* the sources' ids are smaller */

int loss_init(struct loss *loss)
{
	uint32_t cpus = loss->recording->max_cpus;

	loss->now = calloc(cpus, sizeof(*loss->now));
	loss->told = calloc((size_t)cpus * LOSS_CAUSES * TOLD_SOURCES, sizeof(*loss->told));
	return loss->now && loss->told ? 0 : -ENOMEM;
}

void loss_deinit(struct loss *loss)
{
	free(loss->now);
	free(loss->told);
	loss->now = NULL;
	loss->told = NULL;
}

void loss_add(struct loss *loss, uint32_t source, uint32_t cpu, enum loss_cause cause, uint64_t total)
{
	struct recording *recording = loss->recording;
	uint64_t *told = &loss->told[((size_t)source * recording->max_cpus + cpu) * LOSS_CAUSES + cause];
	struct event event = {
		.kind = EVENT_LOSS,
		.loss = {.time = loss->time, .source = source, .cpu = cpu, .cause = cause, .total = total},
	};

	if (!total || (total == *told && !loss->all))
		return;
	*told = total;
	(void)recording_check(recording, event_log_add(recording->log, &event));
}

void loss_add_counters(struct loss *loss, uint32_t source, uint32_t cpu, const __u64 *counters)
{
	for (size_t i = 0; i < RING_COUNTERS; i++)
		loss_add(loss, source, cpu, causes[i], counters[i]);
	loss->lost += counters[RING_COUNT_RING_FULL] + counters[RING_COUNT_NESTED] + counters[RING_COUNT_NO_ENTRY];
	loss->left_out += counters[RING_COUNT_IDLE] + counters[RING_COUNT_OWN] + counters[RING_COUNT_FILTERED] +
			  counters[RING_COUNT_BRIEF] + counters[RING_COUNT_RATE_LIMITED];
}

static uint64_t nanoseconds(const struct timeval *time)
{
	return (uint64_t)time->tv_sec * SECOND + (uint64_t)time->tv_usec * MICROSECOND;
}

static void tell_cost(struct loss *loss)
{
	struct recording *recording = loss->recording;
	uint64_t rings = drain_mapped_bytes(loss->drain), most;
	struct event event = {
		.kind = EVENT_COST,
		.cost = {.time = loss->time, .bpf_ns = loss->run_ns, .written = trace_writer_bytes(recording->writer)},
	};
	struct rusage usage;

	if (getrusage(RUSAGE_SELF, &usage) < 0)
		return;
	most = (uint64_t)usage.ru_maxrss * 1024;
	loss->max_rss = most > rings ? most - rings : 0;
	event.cost.user_ns = nanoseconds(&usage.ru_utime);
	event.cost.system_ns = nanoseconds(&usage.ru_stime);
	event.cost.max_rss = loss->max_rss;
	event.cost.ring_bytes = drain_ring_bytes(loss->drain) + sideband_ring_bytes(recording->sideband);
	(void)recording_check(recording, event_log_add(recording->log, &event));
}

static void tell_cuts(struct loss *loss)
{
	for (uint32_t source = 0; source < EVENT_LOG_SOURCES; source++) {
		const struct stack_cuts *cuts = &loss->recording->cuts[source];

		loss_add(loss, source, 0, LOSS_USER_ASTRAY, cuts->astray);
		loss_add(loss, source, 0, LOSS_USER_UNKNOWN, cuts->unknown);
	}
}

/* Losses because of which names will be missing in the trace. */
static void tell_names(struct loss *loss)
{
	struct recording *recording = loss->recording;
	struct module_files_counts files;

	if (recording->config->output.embed == EMBED_LEVEL_NONE)
		return;
	module_files_counts(loss->files, &files);
	loss_add(loss, 0, 0, LOSS_HITS, hits_dropped(recording->hits));
	loss_add(loss, 0, 0, LOSS_MODULES, module_table_untracked(recording->modules));
	loss_add(loss, 0, 0, LOSS_FILES, files.asked - files.opened);
}

/* If writing fails, everything in the rings is lost too. */
static void tell_unwritten(struct loss *loss)
{
	struct event_log_count count;

	for (uint32_t source = 0; source < TOLD_SOURCES; source++) {
		event_log_count(loss->recording->log, source, &count);
		loss_add(loss, source, 0, LOSS_UNWRITTEN, count.unwritten);
		loss->lost += count.unwritten;
	}
}

uint64_t loss_most_bytes(const struct recording *recording)
{
	enum { RECORD_BYTES = 24, CAUSES_PER_CPU = 28 };

	return (uint64_t)recording->max_cpus * CAUSES_PER_CPU * RECORD_BYTES;
}

/* Counted for all CPUs together: listed under the first one. */
static void tell_together(struct loss *loss, const struct probe_cost *programs)
{
	const uint64_t refused = loss->drain->refused + loss->recording->refused;

	loss_add(loss, 0, 0, LOSS_RECURSION, programs->recursion_misses);
	loss_add(loss, 0, 0, LOSS_ENCODER, refused);
	loss_add(loss, 0, 0, LOSS_NO_TASK_ENTRY, programs->unfollowed);
	loss_add(loss, 0, 0, LOSS_LOOK, loss->recording->unlooked);
	loss->lost += loss->recording->unlooked + programs->recursion_misses + programs->unfollowed + refused;
}

void loss_begin(struct loss *loss, uint64_t now, bool all)
{
	loss->time = now;
	loss->all = all;
	loss->lost = loss->left_out = loss->run_ns = 0;
}

void loss_end(struct loss *loss)
{
	struct recording *recording = loss->recording;
	struct probe_cost programs;

	probe_cost(loss->probe, &programs);
	for (uint32_t cpu = 0; cpu < recording->max_cpus; cpu++) {
		uint64_t lost = sideband_lost(recording->sideband, cpu);

		loss_add(loss, 0, cpu, LOSS_SIDEBAND, lost);
		loss->lost += lost;
	}
	loss->lost += loss->streams->silent;
	tell_together(loss, &programs);
	tell_cuts(loss);
	tell_names(loss);
	tell_unwritten(loss);
	tell_cost(loss);
}

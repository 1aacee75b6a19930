/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* A trace made by a test, in a file of its own, and the profile read from it. */
#pragma once

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "report/profile/profile.h"
#include "report/profile/profile_account.h"
#include "tests/make_trace.h"

static const struct profile_filter everything = {.to = UINT64_MAX};
static const struct profile_names no_files = {0};

struct scratch {
	char path[64];
	struct profile *profile;
};

static inline struct made_trace *scratch_begin(struct scratch *scratch)
{
	*scratch = (struct scratch){.path = "/tmp/rwalker-test-XXXXXX"};
	close(mkstemp(scratch->path));
	return made_trace_begin(scratch->path);
}

/* With the clock of made_trace_cpu_clock(). */
static inline struct made_trace *made_profile_begin(struct scratch *scratch)
{
	struct made_trace *trace = scratch_begin(scratch);

	made_trace_cpu_clock(trace, 0);
	return trace;
}

enum { MADE_WAITS = 3, MADE_WAKERS = 4, MADE_START = 1000 };

/* Waits and who ended them, until `stop`; functions of the kernel, module 1, of 256 bytes each from 0x100 on. */
static inline struct made_trace *made_waits_begin(struct scratch *scratch, uint64_t stop, size_t count,
						  const char *const *functions)
{
	struct event_source source = {.id = MADE_WAITS, .kind = SOURCE_OFFCPU, .weight = WEIGHT_NS,
				      .start = MADE_START, .stop = stop, .least = 100};
	struct made_trace *trace = scratch_begin(scratch);

	made_trace_meta(trace, "hostname", "here");
	made_trace_meta(trace, "boot_id", "1-2-3");
	made_trace_meta(trace, "machine", "x86_64");
	made_trace_source(trace, &source, "sched_switch");
	source.id = MADE_WAKERS;
	source.kind = SOURCE_WAKERS;
	made_trace_source(trace, &source, "sched_waking");
	made_trace_module(trace, 1, MODULE_KERNEL, "[kernel]", "aabb");
	for (size_t i = 0; i < count; i++)
		made_trace_kernel_symbol(trace, 1, 0x100 * (i + 1), 0x100, functions[i]);
	return trace;
}

/* In the first function of the kernel. */
static inline void made_wait(struct made_trace *trace, const struct event_task *task, const struct event_task *others,
			     struct event_wait wait)
{
	static const uint64_t asleep[] = {1ULL << 32 | 0x110};
	const struct event_stacks stacks = {.kernel = asleep, .kernel_count = 1};
	struct event_task copy = *task;

	wait.source = MADE_WAITS;
	made_trace_check(event_log_add_wait(trace->log, &wait, &copy, others, &stacks), "wait");
}

static inline int load(struct scratch *scratch, const struct profile_filter *filter)
{
	const char *paths[] = {scratch->path};

	return profile_create(paths, 1, filter, &no_files, &scratch->profile);
}

/* Ends the trace. The profile is there until end(). */
static inline struct profile *finish(struct scratch *scratch, struct made_trace *trace, const struct profile_filter *filter)
{
	made_trace_end(trace);
	made_trace_check(load(scratch, filter), "profile");
	return scratch->profile;
}

static inline void end(struct scratch *scratch)
{
	profile_destroy(scratch->profile);
	unlink(scratch->path);
}

/* Whether a note, or a detail of one, contains `part`; *ret_lost (may be NULL): whether losses are reported. */
static inline bool account_has(struct profile *profile, const char *part, bool *ret_lost)
{
	struct profile_account account;
	bool found = false;

	profile_account(profile, &account);
	for (size_t i = 0; i < account.count; i++) {
		found |= strstr(account.notes[i].text, part) != NULL;
		for (size_t j = 0; j < account.notes[i].detail_count; j++)
			found |= strstr(account.notes[i].details[j], part) != NULL;
	}
	if (ret_lost)
		*ret_lost = profile_lost(profile);
	return found;
}

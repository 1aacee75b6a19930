/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* A trace made by a test, in a file of its own, and the profile read from it. */
#ifndef TESTS_UNIT_MADE_PROFILE_H
#define TESTS_UNIT_MADE_PROFILE_H

#include <stdlib.h>
#include <unistd.h>

#include "report/profile/seam/profile.h"
#include "tests/make_events.h"

static const struct profile_filter everything = {.to = UINT64_MAX};
static const struct profile_names no_files = {0};

struct scratch {
	char path[64];
	struct profile *profile;
};

/* With the clock of made_trace_cpu_clock(). */
static inline struct made_trace *made_profile_begin(struct scratch *scratch)
{
	struct made_trace *trace;

	*scratch = (struct scratch){.path = "/tmp/rwalker-test-XXXXXX"};
	close(mkstemp(scratch->path));
	trace = made_trace_begin(scratch->path);
	made_trace_cpu_clock(trace, 0);
	return trace;
}

static inline int load(struct scratch *scratch, const struct profile_filter *filter)
{
	const char *paths[] = {scratch->path};

	return profile_create(paths, 1, filter, &no_files, &scratch->profile);
}

static inline void end(struct scratch *scratch)
{
	profile_destroy(scratch->profile);
	unlink(scratch->path);
}

#endif

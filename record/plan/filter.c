/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "record/plan/filter.h"

#include <errno.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include "common/log.h"

enum { LATE_COMMS = 1024 };

struct comm_verdict {
	char comm[COMM_BYTES];
	bool known, wanted;
};

static int compile_command(struct filter *filter, const char *pattern)
{
	int r = comm_pattern_compile(pattern, &filter->regex);

	if (r < 0)
		return r;
	filter->command = true;
	if (comm_pattern_names(pattern, &filter->names)) {
		filter->knobs.filters |= RING_FILTER_COMM;
		return 0;
	}
	log_info("-c '%s' is more than names: stacks of all threads are walked, and the recorder picks", pattern);
	filter->late = calloc(LATE_COMMS, sizeof(*filter->late));
	return filter->late ? 0 : -ENOMEM;
}

bool filter_wants(const struct filter *filter, const char *comm)
{
	struct comm_verdict *verdict;
	size_t hash = 0;

	if (!filter->late)
		return true;
	for (int i = 0; i < COMM_BYTES - 1 && comm[i]; i++)
		hash = hash * 31 + (unsigned char)comm[i];
	verdict = filter->late + hash % LATE_COMMS;
	if (!verdict->known || strncmp(verdict->comm, comm, COMM_BYTES - 1) != 0) {
		*verdict = (struct comm_verdict){.known = true};
		memcpy(verdict->comm, comm, strnlen(comm, COMM_BYTES - 1));
		verdict->wanted = !regexec(&filter->regex, verdict->comm, 0, NULL, 0);
	}
	return verdict->wanted;
}

int filter_init(struct filter *filter, const struct record_who *who, bool follow)
{
	int r = 0;

	memset(filter, 0, sizeof(*filter));
	filter->tgids = &who->pids;
	filter->tids = &who->tids;
	if (who->pids.count || who->tids.count)
		filter->knobs.filters |= RING_FILTER_IDS;
	if (who->user_threads)
		filter->knobs.filters |= RING_FILTER_USER_THREADS;
	if (who->kernel_threads)
		filter->knobs.filters |= RING_FILTER_KERNEL_THREADS;
	if (who->cpus)
		filter->knobs.filters |= RING_FILTER_CPUS;
	if (follow)
		filter->knobs.filters |= RING_FILTER_FOLLOWED;
	if (who->cgroup || who->container)
		filter->knobs.filters |= RING_FILTER_CGROUP;
	if (who->command)
		r = compile_command(filter, who->command);
	return r;
}

void filter_deinit(struct filter *filter)
{
	if (filter->command)
		regfree(&filter->regex);
	free(filter->late);
	*filter = (struct filter){0};
}

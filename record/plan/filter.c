/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "record/plan/filter.h"

#include <string.h>

#include "common/log.h"

static int compile_regex(struct filter *filter, const char *pattern)
{
	int r = comm_regex_init(&filter->regex, pattern);

	if (r < 0)
		return r;
	filter->late = !filter->regex.fits;
	if (filter->late)
		log_info("-c '%s' is too large for BPF: the recorder applies it, at a higher cost", pattern);
	else
		filter->knobs.filters |= RING_FILTER_COMM;
	return 0;
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
		r = compile_regex(filter, who->command);
	return r;
}

void filter_deinit(struct filter *filter)
{
	comm_regex_deinit(&filter->regex);
}

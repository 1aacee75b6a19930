/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Whom to record, in the form the BPF programs need: knobs, the lists of processes and threads,
 * and the compiled -c. Made once from the command line; the probe copies it into the kernel.
 */
#ifndef RWALKER_RECORD_PLAN_FILTER_H
#define RWALKER_RECORD_PLAN_FILTER_H

#include <linux/types.h>

#include "bpf/ring_event.h"
#include "record/plan/comm_regex.h"
#include "record/plan/record_options.h"

/* Ids of cgroups (version 2); a task passes if it is in one of them or below it. Filled by the code that finds them. */
struct filter_cgroups {
	__u64 ids[RING_MAX_CGROUPS];
	size_t count;
};

struct filter {
	struct ring_filter_knobs knobs;
	const struct id_list *tgids, *tids;
	struct filter_cgroups cgroups;
	struct comm_regex regex;
	bool late; /* -c is too large for the programs' table: the recorder applies it while draining */
};

/* False only if -c is applied late and does not match. comm has COMM_REGEX_BYTES bytes. */
static inline bool filter_wants(const struct filter *filter, const char *comm)
{
	return !filter->late || comm_regex_match(&filter->regex, comm);
}

/* follow: restrict to the command's descendants. 0, or -errno after reporting why. */
int filter_init(struct filter *filter, const struct record_who *who, bool follow);
void filter_deinit(struct filter *filter);

#endif

/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Whom to record, in the form the BPF programs need: knobs, the lists of processes and threads,
 * and -c. Made once from the command line; the probe copies it into the kernel.
 */
#ifndef RWALKER_RECORD_PLAN_FILTER_H
#define RWALKER_RECORD_PLAN_FILTER_H

#include <linux/types.h>

#include "bpf/ring.h"
#include "record/plan/comm_pattern.h"
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
	bool command;  /* there is a -c: */
	regex_t regex;
	struct comm_names names;   /* if it consists of names */
	struct comm_verdict *late; /* if not: what the recorder found while draining, by a hash of the comm */
};

/* False only if -c is applied late and does not match. comm has COMM_BYTES bytes or ends before. */
bool filter_wants(const struct filter *filter, const char *comm);

/* follow: restrict to the command's descendants. 0, or -errno after reporting why. */
int filter_init(struct filter *filter, const struct record_who *who, bool follow);
void filter_deinit(struct filter *filter);

#endif

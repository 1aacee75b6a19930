/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Whom to record, in the form the BPF programs need: knobs, the lists of processes and threads, and -c. Made once from
 * the command line; the probe copies it into the kernel.
 *
 * `-c RE`: a POSIX extended regular expression, searched for anywhere in a comm. The BPF programs know names alone:
 * `nginx`, `^name$`, `^prefix`, `^prefix.*`, `^(a|b)$`, and alternatives of these, 64 bytes in all. Whatever else it
 * is, the recorder matches it with the C library's regexec(), once for each comm that it meets.
 */
#ifndef RWALKER_RECORD_PLAN_FILTER_H
#define RWALKER_RECORD_PLAN_FILTER_H

#include <linux/types.h>
#include <regex.h>
#include <stdbool.h>

#include "bpf/comm_names.h"
#include "bpf/ring.h"
#include "record/plan/record_options.h"

/* 0, or -EINVAL after reporting why it is no regular expression. regfree() when done. */
int comm_pattern_compile(const char *pattern, regex_t *ret_regex);

/* True if it consists of names; *ret_names then matches the same comms. */
bool comm_pattern_names(const char *pattern, struct comm_names *ret_names);

/* Ids of cgroups (version 2); a task passes if it is in one of them or below it. Filled by the code that finds them. */
struct filter_cgroups {
	__u64 ids[RING_MAX_CGROUPS];
	size_t count;
};

struct filter {
	uint64_t filters; /* enum ring_filter */
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

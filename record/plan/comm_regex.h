/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * `-c RE`: a POSIX extended regular expression, searched for anywhere in a comm, byte by byte as
 * in the C locale. It becomes a nondeterministic automaton, which matches in user space, and, if
 * that is small enough, the table that BPF runs (bpf/comm_regex.h). No libc regex: both sides
 * accept exactly the same, and the static recorder needs no locale.
 *
 * What POSIX leaves undefined and glibc defines (\w, \<, back-references) is refused by name. A
 * comm has at most 15 bytes, so an interval never counts beyond 16.
 */
#ifndef RWALKER_RECORD_PLAN_COMM_REGEX_H
#define RWALKER_RECORD_PLAN_COMM_REGEX_H

#include <stdbool.h>
#include <stddef.h>

#include <linux/types.h>

#include "bpf/comm_regex.h"

struct comm_regex_nfa;

struct comm_regex {
	struct comm_regex_nfa *nfa;
	bool fits;		       /* into the table; else only comm_regex_match() can decide, while draining */
	struct comm_regex_table table; /* zero if it does not fit */
};

/*
 * 0; -EINVAL if the pattern is not a regex, -E2BIG if it is too large even for user space (both
 * already reported); -ENOMEM.
 */
int comm_regex_init(struct comm_regex *regex, const char *pattern);
void comm_regex_deinit(struct comm_regex *regex);

/* comm has COMM_REGEX_BYTES bytes and ends at the first NUL. Allocates nothing. */
bool comm_regex_match(const struct comm_regex *regex, const char *comm);

#endif

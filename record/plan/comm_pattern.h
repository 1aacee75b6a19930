/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * `-c RE`: a POSIX extended regular expression, searched for anywhere in a comm. The BPF programs
 * know names alone: `nginx`, `^name$`, `^prefix`, `^prefix.*`, `^(a|b)$`, and alternatives of
 * these, 64 bytes in all. Whatever else it is, the recorder matches it with the C library's
 * regexec(), once for each comm that it meets.
 */
#ifndef RWALKER_RECORD_PLAN_COMM_PATTERN_H
#define RWALKER_RECORD_PLAN_COMM_PATTERN_H

#include <regex.h>
#include <stdbool.h>

#include <linux/types.h>

#include "bpf/comm_names.h"

/* 0, or -EINVAL after reporting why it is no regular expression. regfree() when done. */
int comm_pattern_compile(const char *pattern, regex_t *ret_regex);

/* True if it consists of names; *ret_names then matches the same comms. */
bool comm_pattern_names(const char *pattern, struct comm_names *ret_names);

#endif

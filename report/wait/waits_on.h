/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Selects waits by what they were for. An expression is matched against the kind of the object and
 * the text that all views print for the wait, as in "pipe in read of pipe:866554 (written by cc1
 * 4711)". Waits without an object have the text only; if that is empty, too, nothing matches.
 * Results are cached, because there are many waits for one object.
 */
#ifndef RWALKER_REPORT_WAIT_WAITS_ON_H
#define RWALKER_REPORT_WAIT_WAITS_ON_H

#include <regex.h>

#include "common/hash_map.h"
#include "report/profile/profile.h"

struct object_pattern {
	regex_t expression; /* compiled by the caller: REG_EXTENDED | REG_NOSUB */
	struct hash_map known;
	const struct profile *profile; /* the one that `known` is about */
};

/* The pattern must live as long as it is used. */
struct profile_wait_test object_pattern_test(struct object_pattern *pattern);
/* Frees the expression, too. */
void object_pattern_deinit(struct object_pattern *pattern);

#endif

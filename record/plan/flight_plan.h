/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What --flight and --trigger ask for: how much of the recording is kept in memory, when it is
 * written as a dump, and how many dumps are kept. Texts point into argv.
 */
#ifndef RWALKER_RECORD_PLAN_FLIGHT_PLAN_H
#define RWALKER_RECORD_PLAN_FLIGHT_PLAN_H

#include <stdbool.h>
#include <stdint.h>

#include "record/plan/trigger_rule.h"

enum { FLIGHT_MAX_RULES = 32 };

struct record_flight {
	bool wanted;
	int64_t window; /* ns */
	int64_t bytes;	/* of stored chunks */
	bool bytes_given;
	struct trigger_rule rules[FLIGHT_MAX_RULES];
	uint32_t rule_count;
	bool limits_given; /* any of the next four */
	int64_t post;	   /* ns from a trigger to its dump */
	int64_t cooldown;  /* ns after a dump during which triggers make none */
	int64_t max_dumps; /* 0: any number is kept */
	int64_t max_kept;  /* limit for the bytes of all dumps together; 0: none */
	const char *on_dump; /* a command for the shell; NULL: none */
	const char *stream;  /* for tests: a file to which everything is written as well; NULL: none */
};

#endif

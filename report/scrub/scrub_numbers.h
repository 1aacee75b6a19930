/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* New numbers in place of numbers that identify something: equal ones stay equal, in order of first appearance. */
#ifndef RWALKER_REPORT_SCRUB_SCRUB_NUMBERS_H
#define RWALKER_REPORT_SCRUB_SCRUB_NUMBERS_H

#include "common/hash_map.h"

struct scrub_numbers {
	struct hash_map known;
	uint64_t kept;	/* numbers up to this one stay */
	uint64_t first; /* new number */
};

int scrub_numbers_init(struct scrub_numbers *numbers, uint64_t kept, uint64_t first);
void scrub_numbers_deinit(struct scrub_numbers *numbers);
/* 0, -ENOMEM. */
int scrub_number(struct scrub_numbers *numbers, uint64_t number, uint64_t *ret_number);

#endif

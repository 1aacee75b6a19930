/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Dumps: recordings by a recorder that keeps only the last of what it records. What they hold, and why. */
#ifndef RWALKER_REPORT_PROFILE_SEAM_PROFILE_DUMP_H
#define RWALKER_REPORT_PROFILE_SEAM_PROFILE_DUMP_H

#include "report/profile/seam/profile.h"

enum { PROFILE_DUMP_VALUE = 48 };

struct profile_dump { /* texts belong to the profile */
	uint64_t number;
	uint64_t length, asked; /* ns */
	const char *rule, *comm; /* rule NULL: unknown */
	uint32_t tid;		 /* 0: the trigger was not about a task */
	uint64_t value;
};

/* The dump that is recording `number` (profile_origins()). False if it is not a dump. */
bool profile_dump(const struct profile *profile, size_t number, struct profile_dump *ret_dump);

/* The value of a trigger in the unit of its rule: "812 ms", "43 %", "". */
const char *profile_dump_value(const char *rule, uint64_t value, char text[PROFILE_DUMP_VALUE]);

#endif

/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Why requested user stacks are missing: the reasons as they are counted and reported. A record's
 * reason can mean two things: most threads take their own stack, but the recorder copies the stacks
 * of threads that sleep during a walk or when the recording ends.
 */
#ifndef RWALKER_REPORT_PROFILE_TABLES_MISSING_USER_H
#define RWALKER_REPORT_PROFILE_TABLES_MISSING_USER_H

#include <stdbool.h>
#include <stdint.h>

enum missing_user { /* in the order of the account */
	MISSING_USER_NONE, /* it is not missing, or there can be none */
	MISSING_USER_FAULT,
	MISSING_USER_EXITING,
	MISSING_USER_CHANGED,
	MISSING_USER_NOT_TAKEN,
	MISSING_USER_NOT_RETURNED,
	MISSING_USER_UNSCHEDULED,
	MISSING_USER_NO_ROOM,
	MISSING_USER_BUSY,
	MISSING_USER_RAN,
	MISSING_USER_REFUSED,
	MISSING_USER_ABSENT,
	MISSING_USER_SERVED,
	MISSING_USER_REASONS
};

/* From the reason in a record (enum user_missing). */
enum missing_user missing_user_of(uint64_t reason, bool copied);

/* "its memory could not be read"; brief: worded for one task. NULL for MISSING_USER_NONE. */
const char *missing_user_text(enum missing_user why);
const char *missing_user_brief(enum missing_user why);

#endif

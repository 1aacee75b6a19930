/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/profile/tables/missing_user.h"

#include "report/read/event_stream.h"

static const struct {
	const char *text, *brief; /* brief: NULL if the same */
} texts[MISSING_USER_REASONS] = {
	[MISSING_USER_FAULT] = {.text = "its memory could not be read"},
	[MISSING_USER_EXITING] = {.text = "the task was exiting"},
	[MISSING_USER_CHANGED] = {.text = "the thread continued elsewhere (exec)"},
	[MISSING_USER_NOT_TAKEN] = {.text = "it was not taken when the wait began"},
	[MISSING_USER_NOT_RETURNED] = {.text = "the system call had not returned, or its stack was lost"},
	[MISSING_USER_UNSCHEDULED] = {.text = "too many were due at once"},
	[MISSING_USER_NO_ROOM] = {.text = "there was no room to copy that many at once",
				  .brief = "there was no room for it"},
	[MISSING_USER_BUSY] = {.text = "its memory was locked, or took too long to read",
			       .brief = "its memory was locked"},
	[MISSING_USER_RAN] = {.text = "the task ran before it was copied"},
	[MISSING_USER_REFUSED] = {.text = "the recording kernel does not let it be copied",
				  .brief = "the kernel does not let it be copied"},
	[MISSING_USER_ABSENT] = {.text = "it was not in memory"},
	[MISSING_USER_SERVED] = {.text = "it was in a file on FUSE or a network file system"},
};

enum missing_user missing_user_of(uint64_t reason, bool copied)
{
	switch (reason) {
	case USER_MISSING_KERNEL_THREAD:
		return MISSING_USER_NONE;
	case USER_MISSING_EXITING:
		return MISSING_USER_EXITING;
	case USER_MISSING_CHANGED:
		return MISSING_USER_CHANGED;
	case USER_MISSING_NO_ROOM:
		return copied ? MISSING_USER_NO_ROOM : MISSING_USER_NOT_TAKEN;
	case USER_MISSING_BUSY:
		return MISSING_USER_BUSY;
	case USER_MISSING_RUNNING:
		return MISSING_USER_RAN;
	case USER_MISSING_REFUSED:
		return MISSING_USER_REFUSED;
	case USER_MISSING_UNSCHEDULED:
		return MISSING_USER_UNSCHEDULED;
	case USER_MISSING_ABSENT:
		return MISSING_USER_ABSENT;
	case USER_MISSING_SERVED:
		return MISSING_USER_SERVED;
	default:
		return MISSING_USER_FAULT;
	}
}

const char *missing_user_text(enum missing_user why)
{
	return texts[why].text;
}

const char *missing_user_brief(enum missing_user why)
{
	return texts[why].brief ? texts[why].brief : texts[why].text;
}

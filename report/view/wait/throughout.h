/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The threads whose one wait lasted throughout (profile_apart.h), grouped by their process's name, the place where
 * they waited, and who called that: "8 postgres in do_epoll_wait (WaitLatch < ProcSleep), 2 sshd in do_poll". The
 * largest group comes first. Callers are printed where they tell two groups apart.
 */
#ifndef RWALKER_REPORT_VIEW_WAIT_THROUGHOUT_H
#define RWALKER_REPORT_VIEW_WAIT_THROUGHOUT_H

#include "common/array.h"
#include "common/hash_map.h"
#include "report/view/look/place.h"
#include "report/view/text/view.h"

struct throughout_group { /* without padding */
	char comm[16]; /* of the process */
	struct place at;
	uint32_t callers[PLACE_CALLERS];
	uint32_t threads;
};

struct throughout {
	const struct profile *profile;
	struct places *places;
	ARRAY(struct throughout_group) groups;
	struct hash_map known; /* a group with 0 threads -> its number */
	size_t threads;
};

/* `places` must outlive it. 0, -ENOMEM. */
int throughout_init(struct throughout *throughout, const struct profile *profile, struct places *places);
void throughout_deinit(struct throughout *throughout);

/* 0, -ENOMEM, -EBADMSG. */
int throughout_add(struct throughout *throughout, const struct profile_wait *wait);

/* Sorts the groups and writes the first `most`; nothing can be added afterwards. */
void throughout_write(struct throughout *throughout, size_t most, FILE *out);

/* Below a view: what the profile set apart, as comments. 0, -ENOMEM, -EBADMSG. */
int throughout_comment(const struct view_context *context);

#endif

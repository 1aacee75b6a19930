/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Room of fixed size that processes of several users fill. A user other than root may hold no more
 * than what is left for all others, so that one of them alone gets half of it, and the next one still
 * finds room. Root may take all that is left.
 */
#ifndef RWALKER_RECORD_PLACE_USER_SHARES_H
#define RWALKER_RECORD_PLACE_USER_SHARES_H

#include <stdbool.h>
#include <stdint.h>

enum { SHARE_USERS = 32, /* those beyond have one share together */
       USERS_KNOWN = 64 };

#define USER_UNKNOWN UINT32_MAX /* a user like any other */

struct user_shares {
	uint64_t room, used;
	uint32_t count;
	struct {
		uint32_t uid;
		uint64_t used;
	} users[SHARE_USERS];
};

/* False: it would be more than the user's share. */
bool user_shares_take(struct user_shares *shares, uint32_t uid, uint64_t amount);
void user_shares_give(struct user_shares *shares, uint32_t uid, uint64_t amount);
/* Nobody holds anything. */
void user_shares_clear(struct user_shares *shares);

struct process_users { /* the last answers, by tgid */
	struct {
		uint32_t tgid, uid;
		uint64_t asked; /* CLOCK_MONOTONIC ns */
	} known[USERS_KNOWN];
};

/* The process's real user, also if it hides its folder in /proc; USER_UNKNOWN: it is gone. tgid 0: root. */
uint32_t process_user(struct process_users *users, uint32_t tgid);

#endif

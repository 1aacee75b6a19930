/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Whether the owner of a lock is to be told for all of a wait for it: PROFILE_HELD_ALL. It was seen to own the lock
 * at one moment only, the begin of the wait or a look at its end.
 *
 *     owner    waits for the lock too ----|- holds it
 *     sleeper        waits for the lock ----------- seen
 *     others   no waiter of the lock is woken ------
 *
 * A lock that has waiters is handed over by waking one of them. So its owner stays the same while none is woken; and
 * one that had queued for it when the sleeper came explains what was before: it waited itself.
 */
#ifndef RWALKER_REPORT_PROFILE_TABLES_PROFILE_HELD_H
#define RWALKER_REPORT_PROFILE_TABLES_PROFILE_HELD_H

struct profile;

/* To be called when all waits are known. 0, -ENOMEM. */
int profile_judge_owners(struct profile *profile);

#endif

/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * With whom a chain goes on where the waker of a wait says too little: with who held the lock when the wait began, if
 * nobody is known to have ended it, with who is at the other end of the connection that an interrupt
 * said had data, or who has that end and was stopped, so that no answer could come.
 */
#ifndef RWALKER_REPORT_VIEW_LOOK_WAIT_NEXT_H
#define RWALKER_REPORT_VIEW_LOOK_WAIT_NEXT_H

#include "report/view/look/place.h"
#include "report/view/look/waits.h"

enum wait_next_by { WAIT_NEXT_WAKER, WAIT_NEXT_OWNER, WAIT_NEXT_OTHER_END, WAIT_NEXT_UNANSWERED };

struct wait_next {
	enum wait_next_by by; /* WAIT_NEXT_WAKER: nobody else */
	uint32_t task;
};

/* 0, -ENOMEM. */
int wait_next_find(const struct waits *waits, struct places *places, const struct profile_wait *wait,
		   struct wait_next *ret_next);

#endif

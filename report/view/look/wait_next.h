/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The task with which a chain continues where the waker of a wait says too little. If nobody is
 * known to have ended the wait: the owner of the lock, if it cannot have let go meanwhile, or if the wait had not
 * ended, the child, or the task at the other end of the pipe or connection. If an interrupt ended
 * it: the task at the other end of the connection that the interrupt brought data of.
 */
#ifndef RWALKER_REPORT_VIEW_LOOK_WAIT_NEXT_H
#define RWALKER_REPORT_VIEW_LOOK_WAIT_NEXT_H

#include "report/view/look/place.h"
#include "report/view/look/waits.h"

enum wait_next_by { WAIT_NEXT_WAKER, WAIT_NEXT_OWNER, WAIT_NEXT_OTHER_END, WAIT_NEXT_AWAITED };

struct wait_next {
	enum wait_next_by by; /* WAIT_NEXT_WAKER: no other task than the waker */
	uint32_t task;
};

/* 0, -ENOMEM. */
int wait_next_find(const struct waits *waits, struct places *places, const struct profile_wait *wait,
		   struct wait_next *ret_next);

#endif

/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Who ended a wait. */
#ifndef RWALKER_REPORT_WAIT_WAKERS_H
#define RWALKER_REPORT_WAIT_WAKERS_H

#include "report/view/waits.h"

static inline bool wake_is_interrupt(uint32_t context)
{
	return context == WAKER_SOFTIRQ || context == WAKER_IRQ;
}

/* The context of a wait's waker; NONE if the waker has no task and is not an interrupt. */
enum waker_context wake_context(const struct profile_wait *wait);

#endif

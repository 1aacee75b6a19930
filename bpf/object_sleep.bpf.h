/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* How long a sleep was meant to last. */
#ifndef RWALKER_BPF_OBJECT_SLEEP_H
#define RWALKER_BPF_OBJECT_SLEEP_H

#include "bpf/object_stack.bpf.h"

/*
 * The timer is on the stack. It was set just before the task left the CPU, and will wake it up, or
 * has just done so and forgotten the task. A word that an earlier call left on the stack may look
 * like it, and timers of other clocks count from another time: the intended length of the sleep is
 * then unknown.
 */
static __always_inline void sleep_take(struct task_struct *task, u32 number, u64 now, struct ring_object *object)
{
	const u64 wakeup = object_functions.timer_wakeup, most = 1ULL << 60;
	u64 at = wakeup ? stack_find_again(task, wakeup, wakeup, number, object->call) : 0, sleeper, expires;

	object->kind = OBJECT_SLEEP;
	if (!at || !kernel_has(RING_PART_SLEEP))
		return;
	at -= OFFSET_OF(struct hrtimer, function);
	sleeper = (u64)OBJECT_READ(hrtimer_sleeper, at, task);
	expires = OBJECT_READ(hrtimer, at, _softexpires);
	if (sleeper ? sleeper == as_number(task) && expires < most : expires <= now)
		object->asked = expires;
}

#endif

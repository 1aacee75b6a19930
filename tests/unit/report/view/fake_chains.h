/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Which thread waits for which, in the tests of --chains and --digest. */
#pragma once

#include "tests/unit/report/view/fake_view.h"

/* From `out` to `in`, in ms of the recording. */
static inline struct profile_wait *add_wait(struct profile *p, const char *comm, uint32_t tid, const char *chain, uint64_t out,
				     uint64_t in)
{
	return fake_wait(p, comm, tid, chain, BOOT + out * MS, BOOT + in * MS);
}

static inline void add_waker(struct profile *p, struct profile_wait *wait, const char *comm, uint32_t tid, const char *chain,
		      uint64_t woken)
{
	fake_waker(p, wait, comm, tid, chain, BOOT + woken * MS);
}

#define LOCK "main@app;lock@app;do_futex;futex_wait_queue;schedule"
#define UNLOCK "main@app;unlock@app;futex_wake;wake_up_q;try_to_wake_up"
#define READ "main@app;consume@app;read@libc.so.6;vfs_read;pipe_read;schedule"
#define WRITE "main@c;produce@c;write@libc.so.6;vfs_write;pipe_write;__wake_up_sync_key;try_to_wake_up"
#define SLEEP "main@c;snooze@c;clock_nanosleep@libc.so.6;do_nanosleep;schedule"
#define TIMER "burn@x;asm_sysvec_apic_timer_interrupt;hrtimer_interrupt;__hrtimer_run_queues;" \
	      "hrtimer_wakeup;try_to_wake_up"

/* A waits for B's lock, B for C's pipe, C for a timer; all wait for a CPU for the last 10 ms. */
static inline struct profile *three_hops(void)
{
	struct profile *p = fake_recorded();
	struct profile_wait *wait;

	wait = add_wait(p, "A", 1, LOCK, 100, 400);
	add_waker(p, wait, "B", 2, UNLOCK, 390);
	wait = add_wait(p, "B", 2, READ, 50, 360);
	add_waker(p, wait, "C", 3, WRITE, 350);
	wait = add_wait(p, "C", 3, SLEEP, 20, 340);
	add_waker(p, wait, "idler", 4, TIMER, 330);
	wait->waker_context = PROFILE_WAKER_IRQ;
	return p;
}

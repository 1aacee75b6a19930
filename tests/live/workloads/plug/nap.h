/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Sleeps so that the caller of NAP() is in the stack by frame pointers: syscall() does not change that register. */
#ifndef RWALKER_TESTS_LIVE_NAP_H
#define RWALKER_TESTS_LIVE_NAP_H

#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static __attribute__((noinline, unused)) void nap(void)
{
	const struct timespec some = {.tv_nsec = 2000000};

	(void)syscall(SYS_nanosleep, &some, NULL);
	__asm__ volatile("" ::: "memory");
}

/* This must not be the caller's last call, or the caller would be missing from the stack. */
#define NAP() do { nap(); __asm__ volatile("" ::: "memory"); } while (0)

#endif

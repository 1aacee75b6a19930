/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What a process inherits from whoever starts it, brought to a known state: descriptors 0 to 2 are
 * open, so that no file of ours becomes one of them; children can be waited for; no signal is
 * blocked; and a file that may not grow is an error of write(), not a signal.
 */
#ifndef RWALKER_COMMON_INHERITED_H
#define RWALKER_COMMON_INHERITED_H

#include <signal.h>

enum { INHERITED_SIGNALS = 5 };

struct inherited { /* as it was found, for a program that is run for the user */
	sigset_t blocked;
	struct sigaction actions[INHERITED_SIGNALS];
};

/*
 * First thing in main. What was closed behaves as before: reading from 0 and writing to 1 or 2 fails (EBADF).
 * 0, -errno.
 */
int inherited_reset(struct inherited *ret_inherited);

/* Before an exec: the signals as they were found. */
void inherited_restore(const struct inherited *inherited);

#endif

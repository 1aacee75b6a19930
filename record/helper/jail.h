/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What each helper process may still do: capabilities, system calls, limits. jail.c has the table.
 * A system call that a jail does not list kills the process. No program can be executed, no file
 * written, none opened except for reading, and no memory made executable. A helper that a target or
 * a file has taken over can do no more than that.
 *
 * The nursery enters its own jail first. That jail allows what all others allow, and what starting
 * a helper takes; each helper then gives up what it does not need.
 *
 * The real user is the one as whom the recorder goes on, so that the recorder may end its helpers
 * at any time, as the kernel does when it dies. The effective user is nobody, who owns no file.
 */
#ifndef RWALKER_RECORD_HELPER_JAIL_H
#define RWALKER_RECORD_HELPER_JAIL_H

#include "record/helper/nursery.h"

/* For the nursery, before its first helper. 0, or -errno if a part could not be set up: it must not go on then. */
int jail_enter_nursery(void);

/* For a helper that the nursery forked. Returns the same. */
int jail_enter(enum helper_kind kind);

/*
 * Call it after a change of user or of fsuid, which lets a process outlive its parent and may make
 * it readable for others. Only where the jail allows it: HELPER_OPENER. 0, -errno.
 */
int jail_renew(void);

/*
 * Grants the next piece of work this many seconds of CPU time. If it needs more, the kernel kills
 * the process. Only where the jail allows it: HELPER_ELF.
 */
int jail_grant_cpu_seconds(unsigned int seconds);

#endif

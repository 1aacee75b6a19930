/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What each helper process may still do: capabilities, system calls, limits. jail.c has the table.
 * Nothing that a jail does not list is left: any other system call kills the process, no program
 * can be executed, no file written, none opened but to read, no memory made executable. Whatever a
 * target or a file made of a helper, this is all it has.
 *
 * The nursery enters its own jail first. That is the sum of all others, and what starting a helper
 * takes; each helper then gives up what it does not need.
 *
 * Users: really the one as whom the recorder goes on, so that it may end its helpers at any time,
 * as the kernel does when it dies; in effect nobody, so that no file is theirs.
 */
#ifndef RWALKER_RECORD_HELPER_JAIL_H
#define RWALKER_RECORD_HELPER_JAIL_H

#include "record/helper/nursery.h"

/* For the nursery, before its first helper. 0, or -errno if a part could not be set up: it must not go on then. */
int jail_enter_nursery(void);

/* For a helper that the nursery forked. The same. */
int jail_enter(enum helper_kind kind);

/*
 * After a change of user, also of the one for files, which lets a process outlive its parent and
 * may make it readable for others. Only where the jail allows it: HELPER_OPENER. 0, -errno.
 */
int jail_renew(void);

/*
 * Grants the next piece of work this many seconds of CPU time. If it needs more, the kernel kills
 * the process. Only where the jail allows it: HELPER_ELF and HELPER_ELF_SOON.
 */
int jail_grant_cpu_seconds(unsigned int seconds);

#endif

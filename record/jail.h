/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What a process may still do that reads files nobody vouches for: no user, no capability, no new file, no network, little
 * memory; only the system calls that reading, computing and answering need. Any other kills it.
 */
#ifndef RWALKER_RECORD_JAIL_H
#define RWALKER_RECORD_JAIL_H

/* 0, or -errno where a part of the jail could not be built: the caller must not go on then. */
int jail_enter(void);

/* Grants the next piece of work this many seconds of CPU time; beyond it the kernel kills the process. */
int jail_grant_cpu_seconds(unsigned int seconds);

#endif

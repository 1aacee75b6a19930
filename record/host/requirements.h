/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* What a kernel must have before any program is loaded: its version, its types, and that it is not locked down. */
#ifndef RWALKER_RECORD_HOST_REQUIREMENTS_H
#define RWALKER_RECORD_HOST_REQUIREMENTS_H

#include <stdbool.h>
#include <stdint.h>

#include "record/plan/filter.h"
#include "record/plan/record_options.h"

#define REQUIREMENTS_TYPES "/sys/kernel/btf/vmlinux"
#define REQUIREMENTS_KERNEL "Linux 6.1"

bool requirements_recent(const char *release); /* as of uname() */
bool requirements_types(void);
/* Lockdown, as far as the kernel reports it: programs that read kernel memory are then refused. */
bool requirements_confidential(void);

/* 0, -errno after reporting what is missing. */
int requirements_check(void);

/*
 * What the recorder gives up once everything is open and attached: the root user, all
 * capabilities but the three below, and the way back. What still needs root (reading maps,
 * opening files of targets) is done by helpers of the spawner, which was forked before.
 *
 *     CAP_PERFMON  sampling on CPUs that come online
 *     CAP_BPF      reading the programs' counters on kernels that require it
 *     CAP_SYSLOG   reading /proc/kallsyms again when a module is loaded
 */

/* Those of the three that are not in effect, as in capabilities.h. 0: nothing is missing. */
uint64_t privileges_missing(void);

/*
 * To be called before anything is opened. 0; -EPERM if the recorder lacks the privileges it needs,
 * after reporting which.
 */
int privileges_check(void);

/* 0, or -errno after reporting why: the caller must stop. */
int privileges_drop(void);

/*
 * Whether the processes and threads that the command line names exist now, so that a mistyped
 * number or name is reported at once, and not by an empty trace. Threads may come and go at any
 * time, so this only looks.
 */

/* 0 if any of the processes and threads exists; -ESRCH if none does. Reports those that do not. */
int present_check_ids(const struct record_who *who);

/* In other tools, -p takes a process: warns if a long time is also the number of one. */
void present_check_time(int64_t time);

/*
 * Reports if no thread has such a name: as an error (-ESRCH) if the recording is a single look at
 * what exists, else as a warning (0).
 */
int present_check_comm(const struct record_who *who, const regex_t *regex, bool one_look);

#endif

/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What the recorder gives up once everything is open and attached: the root user, all capabilities but the three below,
 * and the way back. What still needs root (reading maps, opening files of targets) is done by helpers that the nursery
 * forked before.
 *
 *     CAP_PERFMON  sampling on CPUs that come online
 *     CAP_BPF      reading the programs' counters on kernels that ask for it
 *     CAP_SYSLOG   reading /proc/kallsyms again when a module was loaded
 */
#ifndef RWALKER_RECORD_PRIVILEGES_H
#define RWALKER_RECORD_PRIVILEGES_H

/* 0; -EPERM where the recorder does not run with what it needs, after it said what is missing. Before anything is opened. */
int privileges_check(void);

/* 0, or -errno after it said why: the caller must stop. */
int privileges_drop(void);

#endif

/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Landlock (Linux 5.13) with nothing allowed: no file below any path, no TCP, no abstract socket
 * and no signal beyond this process and its children, as far as the kernel's version of it knows
 * these. Descriptors that are open stay.
 */
#ifndef RWALKER_REPORT_SANDBOX_LANDLOCK_H
#define RWALKER_REPORT_SANDBOX_LANDLOCK_H

/* It must have NoNewPrivs. The kernel's ABI version, from 1; 0: the kernel has none, or it is switched off; -errno. */
int landlock_deny_all(void);

#endif

/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * BPF and perf number processes as the host does and tell the host's time; /proc, the command line and our
 * clocks have those of our own namespaces. Time can be mended by entering the host's; numbers cannot.
 */
#ifndef RWALKER_RECORD_MACHINE_NAMESPACES_H
#define RWALKER_RECORD_MACHINE_NAMESPACES_H

#include <stdbool.h>

#define NAMESPACES_PID_REMEDY "start the recorder in the host's (hostPID: true, docker --pid=host)"
#define NAMESPACES_TIME_REMEDY "start the recorder in the host's (nsenter -T -t 2), or with CAP_SYS_ADMIN"

bool namespaces_pid_is_hosts(void);

/* Called while there is one thread. ret_own: what namespaces_leave_time() takes; -1: we were there. 0, -errno. */
int namespaces_enter_time(int *ret_own);

/* Back, for a program that shall see its own time. 0, -errno. */
int namespaces_leave_time(int own);

#endif

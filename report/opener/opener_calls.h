/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What the opener's processes may do (seccomp): open files to read them, look at them, and answer
 * over sockets that are open. The monitor may also fork a worker, which then may do less, and end
 * it. Neither can create a socket, run a program, change a file or its user, or read another
 * process; any other call kills the process.
 */
#ifndef RWALKER_REPORT_OPENER_OPENER_CALLS_H
#define RWALKER_REPORT_OPENER_OPENER_CALLS_H

/*
 * For this process and its children, for good. It must have NoNewPrivs. 0; -ENOTSUP: no filter on
 * this machine or kernel; -errno.
 */
int opener_calls_of_monitor(void);
/* The same for a worker, which inherits the monitor's filter. */
int opener_calls_of_worker(void);

#endif

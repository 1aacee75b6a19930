/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The system calls of the worker, as a seccomp filter: what is needed to read, to compute, to
 * print, to ask over a socket that is open, and to fork. None opens a file, runs a program, reaches
 * another process or makes memory executable; any other call kills the process, but openat,
 * readlinkat, clone3 and ioctl, which libraries try in vain, fail. What remains, and why it does no
 * harm:
 *
 *	newfstatat        only with the flag for a descriptor, but a name passes with it, too: it shows a size and times
 *	fork              for the children that read DWARF, which inherit the jail, and are bounded by RLIMIT_CPU each
 *	memfd_create      for what is unpacked; nothing in it can be run or mapped as code
 *	sendmsg, recvmsg  on sockets that are open: the keeper's and the opener's, which believe nothing
 */
#ifndef RWALKER_REPORT_SANDBOX_WORKER_CALLS_H
#define RWALKER_REPORT_SANDBOX_WORKER_CALLS_H

/* For this process and its children, for good. It must have NoNewPrivs. 0; -ENOTSUP: not on this machine or kernel. */
int worker_calls_install(void);

#endif

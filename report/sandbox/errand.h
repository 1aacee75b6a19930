/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * A process for one desk (desk.h), for what must be kept from both the worker and the keeper, such
 * as libraries that reach the network. It ends when the last process that may ask has closed the
 * socket. It does not hold our standard output open, so that a process that reads that does not
 * wait for it.
 */
#ifndef RWALKER_REPORT_SANDBOX_ERRAND_H
#define RWALKER_REPORT_SANDBOX_ERRAND_H

#include "report/sandbox/desk.h"
#include "report/sandbox/user.h"

/* Forks it, as that user. Only the child uses the desk; it ignores SIGINT. The caller closes *ret_socket. 0, -errno. */
int errand_start(const struct desk *desk, const struct user *user, int *ret_socket);

#endif

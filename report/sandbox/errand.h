/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * A process for one desk (desk.h), for what must be kept from both the worker and the keeper, such as libraries that
 * reach the network. It ends when the last one who may ask has closed the socket. It holds no standard output, so that
 * whoever reads ours does not wait for it.
 */
#ifndef RWALKER_REPORT_SANDBOX_ERRAND_H
#define RWALKER_REPORT_SANDBOX_ERRAND_H

#include "report/sandbox/desk.h"

/* Forks it; the desk is used there only. SIGINT is ignored there. The caller closes *ret_socket. 0, -errno. */
int errand_start(const struct desk *desk, int *ret_socket);

#endif

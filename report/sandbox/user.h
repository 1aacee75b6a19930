/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The user who reads: root need not be root for that. It becomes the user behind sudo, or the one
 * who owns all the traces, with that user's groups; if that is root, root without capabilities.
 */
#ifndef RWALKER_REPORT_SANDBOX_USER_H
#define RWALKER_REPORT_SANDBOX_USER_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Gives up root for good, if this process is root. `fds` are the traces, of which some may be -1.
 * 1: it is another user now; 0: it is the same; -errno after reporting why.
 */
int user_leave_root(const int *fds, size_t count);

#endif

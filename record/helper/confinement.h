/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The recorder's own filter of system calls, from when everything is attached and privileges are
 * dropped: what its loop, its writer, the embedding and the end need. It can create no socket,
 * execute nothing, trace and signal nobody (except to end its helpers), open files only to read
 * them, make no memory executable, load no BPF program, and change neither users nor mounts.
 *
 * A call that is not allowed fails with ENOSYS, as on an older kernel, and is counted: a recording
 * must not be lost because a later C library makes a call that this one does not, and libraries
 * know what to do without a new call.
 */
#ifndef RWALKER_RECORD_HELPER_CONFINEMENT_H
#define RWALKER_RECORD_HELPER_CONFINEMENT_H

#include <stdbool.h>
#include <stdint.h>

struct confinement;

/*
 * Installs the filter for good, with PR_SET_NO_NEW_PRIVS. 0, or -errno after reporting why.
 * *ret_confinement lasts as long as the process. A build with sanitizers has no filter, says so,
 * and returns NULL there. forks: the process may fork, and its children have the same filter.
 */
int confinement_enter(bool forks, const struct confinement **ret_confinement);

/* How many calls were refused, and the number of the first one. NULL: none. */
uint64_t confinement_refused(const struct confinement *confinement, int *ret_first);

/* Says on stderr how many were refused, if any. */
void confinement_warn(const struct confinement *confinement);

#endif

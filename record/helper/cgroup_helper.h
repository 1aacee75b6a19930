/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The helper that lists control groups: it reads the file of an iterator (bpf/cgroups.bpf.c) to its
 * end, which waits for the kernel's lock of all cgroups. The list arrives through a ring, not
 * through this file. Request: one byte, with the file. Reply: struct cgroup_reply, once the file
 * has been read.
 */
#ifndef RWALKER_RECORD_HELPER_CGROUP_HELPER_H
#define RWALKER_RECORD_HELPER_CGROUP_HELPER_H

#include <stdint.h>

struct cgroup_reply {
	int32_t error; /* -errno: the list is not complete */
	uint32_t last;
};

/* The helper's main: serves until the socket closes. */
int cgroup_helper_run(int socket);

#endif

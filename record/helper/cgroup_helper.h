/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The helper that lists control groups: it reads the file of an iterator (bpf/cgroups.bpf.c) to
 * its end, which waits for the kernel's lock of all cgroups. Request: one byte, with the file.
 * Reply: packets that each begin with struct cgroup_reply, followed by what the file holds; a
 * record may be spread over two. The packet with `last` ends it.
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

/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Which NUMA node a CPU of a host belongs to. */
#ifndef RWALKER_REPORT_PROFILE_SEAM_PROFILE_NODES_H
#define RWALKER_REPORT_PROFILE_SEAM_PROFILE_NODES_H

#include "report/profile/seam/profile.h"

enum { PROFILE_MAX_NODES = 1024, PROFILE_NO_NODE = PROFILE_MAX_NODES };

/* host: as in tasks. PROFILE_NO_NODE if no trace of the host says it: the CPU was offline at the start. */
uint16_t profile_node_of(const struct profile *profile, uint32_t host, uint16_t cpu);

/* The number of hosts. */
size_t profile_hosts(const struct profile *profile);

#endif

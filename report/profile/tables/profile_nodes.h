/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The NUMA nodes of hosts, from META "nodes" (FORMAT.md §5), and which CPUs --node wants. */
#ifndef RWALKER_REPORT_PROFILE_TABLES_PROFILE_NODES_H
#define RWALKER_REPORT_PROFILE_TABLES_PROFILE_NODES_H

#include "report/profile/seam/profile_nodes.h"

struct trace_model;

enum { NODE_CPUS = 8192 };

struct cpu_nodes {
	uint16_t of_cpu[NODE_CPUS]; /* PROFILE_NO_NODE: unknown */
};

/* Parses "0:0-3,8 1:4-7". Stops at the first error: the CPUs before it are known. */
void cpu_nodes_parse(const char *text, struct cpu_nodes *ret_nodes);

/* Uses the nodes of a trace for its host, unless the host already has some. 0, -ENOMEM. */
int profile_add_nodes(struct profile *profile, const struct trace_model *model, uint32_t host);
/* Whether --node wants a CPU of the host. */
bool profile_node_is_wanted(const struct profile *profile, uint32_t host, uint64_t cpu);

#endif

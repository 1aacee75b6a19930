/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Which CPUs belong together: NUMA nodes, packages, cores, of the CPUs that were online when the
 * recorder started (META "nodes", "packages", "cores" in FORMAT.md §5). Where the kernel does not
 * say, nothing is recorded.
 */
#ifndef RWALKER_RECORD_MACHINE_TOPOLOGY_H
#define RWALKER_RECORD_MACHINE_TOPOLOGY_H

#include "record/machine/cpus.h"

struct event_log;

/* The CPUs of the nodes in list ("0", "0,2-3"). 0; -EINVAL after reporting what there is instead. */
int topology_cpus_of_nodes(const char *list, struct cpu_set *ret_set);

/* Adds the records. 0, or an error of the log. */
int topology_describe(const struct cpus *cpus, struct event_log *log);

enum { TOPOLOGY_TEXT = 4096 };

/* Appends "0-3,8" to a text of TOPOLOGY_TEXT bytes. False: there is no room. */
bool topology_add_list(char *text, const struct cpu_set *set);
/* Appends " 1:4-7", without the space at the beginning of the text. */
bool topology_add_group(char *text, uint32_t number, const struct cpu_set *set);

#endif

/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* What the objects of BPF programs have in common, whatever their type: for probe_*.c only. */
#ifndef RWALKER_RECORD_PROBE_PROBE_SHARED_H
#define RWALKER_RECORD_PROBE_PROBE_SHARED_H

#include <bpf/libbpf.h>

#include "bpf/ring.h"

/* What every object has in common (bpf/filter.bpf.h). */
struct shared {
	struct ring_filter_knobs *knobs;
	__u64 *cpus; /* RING_CPU_WORDS */
	struct comm_names *comms;
	struct ring_own *own;
	struct bpf_map *tgids, *tids, *cgroups, *followed;
	struct bpf_program *follow, *clock;
	__u64 *follow_failed;
	__u64 *parts;
	bool *budget_may_change;
	struct ring_budget *budget;
	struct ring_object_functions *functions; /* NULL: its programs need none */
};

/* For a loaded or opened skeleton; each has a type of its own. */
#define SHARED_OF(object)                                                                          \
	((struct shared){                                                                          \
		.knobs = &(object)->rodata->knobs,                                                 \
		.cpus = (object)->rodata->wanted_cpus,                                             \
		.own = &(object)->bss->own,                                                        \
		.tgids = (object)->maps.wanted_tgids,                                              \
		.tids = (object)->maps.wanted_tids,                                                \
		.cgroups = (object)->maps.wanted_cgroups,                                          \
		.comms = &(object)->rodata->wanted_comms,                                           \
		.followed = (object)->maps.followed,                                               \
		.follow = (object)->progs.follow_new,                                              \
		.clock = (object)->progs.read_clock,                                               \
		.follow_failed = &(object)->bss->follow_failed,                                    \
		.parts = &(object)->rodata->kernel_parts,                                          \
		.budget_may_change = &(object)->rodata->budget_may_change,                         \
		.budget = &(object)->bss->budget,                                                  \
	})

#endif

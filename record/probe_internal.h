/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* What probe.c and probe_waits.c share and nobody else sees: together they are the door to libbpf. */
#ifndef RWALKER_RECORD_PROBE_INTERNAL_H
#define RWALKER_RECORD_PROBE_INTERNAL_H

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>

#include "common/array.h"
#include "record/cpus.h"
#include "record/filter.h"
#include "record/points.h"
#include "record/probe.h"
#include "record/probe_points.h"

struct cpu_bpf;
struct offcpu_bpf;
struct points_bpf;
struct sleepers_bpf;
struct tasks_bpf;

enum { WAIT_LINKS = 5, MAX_POINT_OBJECTS = 64, PROBE_OBJECTS = 3 + MAX_POINT_OBJECTS };

struct point_object { /* a copy of the programs for tracepoints and functions, of which one is loaded */
	struct points_bpf *programs;
	uint32_t source; /* place in points->sources */
	enum point_hook hook;
	ARRAY(struct bpf_link *) links;
};

struct probe {
	struct probe_settings settings;
	struct ring_wait_knobs waits_knobs; /* settings.waits, made whole */
	struct cpu_bpf *cpu;
	struct offcpu_bpf *waits;
	struct tasks_bpf *tasks;
	struct sleepers_bpf *sleepers; /* NULL: not wanted, or refused */
	struct bpf_link *sleep;
	ARRAY(struct point_object) points;
	struct bpf_link *walk, *follow, *look;
	struct bpf_link *wait_links[WAIT_LINKS];
	ARRAY(int) rings; /* of the CPU source, then as many of the off-CPU source, then of points, where these are there */
	char *counters;	  /* one entry per possible CPU, as the kernel hands them out */
	int possible;
};

/* What every object has (bpf/filter.bpf.h, bpf/follow.bpf.h, bpf/clock.bpf.h). */
struct shared {
	struct ring_filter_knobs *knobs;
	__u64 *cpus; /* RING_CPU_WORDS */
	struct ring_own *own;
	struct bpf_map *tgids, *tids, *comms, *followed;
	struct bpf_program *follow, *clock;
	__u64 *follow_failed;
};

/* The objects that are loaded, in the order of loading: the first one has the map of followed tasks, and its program. */
size_t probe_objects(const struct probe *probe, struct shared *ret_objects);
/* Before the load: knobs, and who follows descendants. */
void probe_share(const struct probe *probe, const struct shared *object);
int probe_fill_filter(const struct shared *object, const struct filter *filter);
/* Gives the object's map of rings the rings from `first` on. */
int probe_fill_rings(const struct probe *probe, struct bpf_map *rings, size_t first);
uint32_t probe_shards(const struct probe *probe);
size_t probe_scratch_bytes(const struct probe *probe, unsigned int stacks);
/* Before the load: room for snapshots in the object's scratch; without them its maps take next to nothing. */
void probe_size_snapshots(const struct probe *probe, struct bpf_map *scratch, struct bpf_map *ranges);
/* An element of a per-CPU array: one item per CPU number below cpus->possible, no larger than struct ring_cpu. */
int probe_read_per_cpu(const struct probe *probe, const struct bpf_map *map, uint32_t key, void *ret_cpus, size_t size);
void probe_add_cost(const struct bpf_program *program, struct probe_cost *cost);

/* probe_waits.c */
struct shared probe_waits_shared(const struct probe *probe);
int probe_waits_load(struct probe *probe);
void probe_waits_unload(struct probe *probe);
void probe_waits_cost(const struct probe *probe, struct probe_cost *cost);

/* probe_points.c */
size_t probe_points_shared(const struct probe *probe, struct shared *ret_objects);
int probe_points_load(struct probe *probe); /* says why it cannot */
void probe_points_unload(struct probe *probe);
/* probe_points_maps.c: before the load of a copy of the object, and after it. */
int probe_points_share_maps(const struct probe *probe, const struct point_object *object);
int probe_points_fill_maps(const struct probe *probe, const struct shared *shared, const struct point_object *object);
void probe_points_cost(const struct probe *probe, struct probe_cost *cost);

/* probe_sleepers.c */
void probe_sleepers_load(struct probe *probe); /* says where it cannot: walks go on without */
void probe_sleepers_unload(struct probe *probe);
void probe_sleepers_cost(const struct probe *probe, struct probe_cost *cost);

#endif

/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Shared by probe.c and the other probe_*.c, and nobody else: together they are the door to libbpf. */
#ifndef RWALKER_RECORD_PROBE_PROBE_INTERNAL_H
#define RWALKER_RECORD_PROBE_PROBE_INTERNAL_H

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>

#include "common/array.h"
#include "record/host/cpus.h"
#include "record/plan/filter.h"
#include "record/probe/points.h"
#include "record/probe/probe.h"
#include "record/probe/probe_points.h"
#include "record/probe/probe_shared.h"
#include "record/probe/probe_user_way.h"

struct cgroups_bpf;
struct cpu_bpf;
struct lives_bpf;
struct offcpu_bpf;
struct points_bpf;
struct sleepers_bpf;
struct tasks_bpf;

enum { WAIT_LINKS = 9, MAX_POINT_OBJECTS = 64, PROBE_OBJECTS = 3 + MAX_POINT_OBJECTS };

struct point_object { /* a copy of the programs for tracepoints and functions, one of which is loaded */
	struct points_bpf *programs;
	uint32_t source; /* index in points->sources */
	enum probe_hook hook;
	ARRAY(struct bpf_link *) links;
};

/* Programs that share rings and scratch. */
enum probe_feed_number { FEED_CPU, FEED_WAITS, FEED_POINTS, PROBE_FEEDS };
struct probe_feed {
	struct bpf_map *rings, *snapshots, *ranges;
	uint32_t slots; /* of scratch on each CPU */
};

struct probe {
	struct probe_settings settings;
	struct ring_wait_knobs waits_knobs; /* settings.waits, completed */
	struct user_way user_way;	     /* of waits, if their user stacks are wanted */
	bool waits_moved;		     /* threads may be moved to another CPU while they sleep */
	enum ring_lock_way lock_way_at_most;  /* the kernel refuses better ones */
	bool walk_objects;		     /* what walked tasks sleep for */
	struct ring_object_knobs object_knobs; /* filled when they are first wanted */
	uint64_t parts; /* of the programs that this kernel's types allow: bits, by enum ring_part */
	struct btf *kernel; /* its types, while programs are loaded; NULL */
	struct cpu_bpf *cpu;
	struct offcpu_bpf *waits;
	struct tasks_bpf *tasks;
	struct sleepers_bpf *sleepers; /* NULL: not wanted, or refused */
	struct lives_bpf *lives; /* likewise */
	struct cgroups_bpf *cgroups; /* likewise */
	ARRAY(struct point_object) points;
	bool points_stay; /* their programs can avoid being preempted */
	bool points_preempted; /* those of fentry may be preempted */
	struct bpf_link *walk, *follow, *look, *sleep;
	struct bpf_link *wait_links[WAIT_LINKS], *throttle_links[2];
	ARRAY(int) rings;
	uint32_t *ring_places; /* index in `rings` plus 1, by feed and shard (probe_rings.c) */
	struct probe_feed feeds[PROBE_FEEDS];
	int pattern; /* fd: template of a CPU's scratch for snapshots, while an object is loaded; 0, -1: none */
	struct cpu_set online; /* CPUs that have rings and scratch */
	char *counters;	  /* one entry per possible CPU, as the kernel returns them */
	int possible;
};

/* The loaded objects, in the order of loading. The first one owns the map of followed tasks and the program for it. */
size_t probe_objects(const struct probe *probe, struct shared *ret_objects);
/* Call it before the load: sets knobs, and which object follows descendants. */
void probe_share(const struct probe *probe, const struct shared *object);
int probe_fill_filter(const struct shared *object, const struct filter *filter);
size_t probe_scratch_bytes(const struct probe *probe, unsigned int stacks);
/* Reads an element of a per-CPU array: one item per CPU number below cpus->possible, at most a struct ring_cpu. */
int probe_read_per_cpu(const struct probe *probe, const struct bpf_map *map, uint32_t key, void *ret_cpus, size_t size);
void probe_add_cost(const struct bpf_program *program, struct probe_cost *cost);

/* probe_rings.c */
int probe_rings_open(struct probe *probe); /* for the CPUs that are online */
void probe_rings_close(struct probe *probe);
/* Before the load of the feed's object: makes room for snapshots. Without snapshots, its maps use almost no memory. */
int probe_size_feed(struct probe *probe, const struct probe_feed *feed);
/* After the load. */
int probe_fill_feed(struct probe *probe, enum probe_feed_number number, const struct probe_feed *feed);
uint64_t probe_scratch_memory(const struct probe *probe);

/* probe_parts.c; reports each part that falls away */
bool probe_kernel_has_quotas(const struct btf *kernel);
uint64_t probe_find_parts(const struct probe_settings *settings, const struct btf *kernel);

/* probe_waits.c */
void probe_choose_objects(struct probe *probe, struct ring_object_knobs *knobs);
/* Of a member in a struct, also in unnamed structs and unions within it; -ENOENT. depth: 0. */
int64_t probe_member_offset(const struct btf *kernel, const struct btf_type *type, const char *name, int depth);
struct shared probe_waits_shared(const struct probe *probe);
int probe_waits_load(struct probe *probe);
void probe_waits_unload(struct probe *probe);
/* While it runs: detaches programs that have nothing to do under `lacks`, attaches the others. 0; -errno, reported. */
int probe_waits_pause(struct probe *probe, bool paused);
void probe_waits_cost(const struct probe *probe, struct probe_cost *cost);

/* probe_points.c */
size_t probe_points_shared(const struct probe *probe, struct shared *ret_objects);
int probe_points_load(struct probe *probe); /* reports why it cannot */
void probe_points_unload(struct probe *probe);
/*
 * probe_points_maps.c: whether the kernel lets a program avoid preemption; whether tasks preempt
 * each other in the kernel; how many slots of scratch a CPU has; what to do before the load of a
 * copy of the object, and after it.
 */
bool probe_points_can_stay(void);
bool probe_points_meet_others(void);
uint32_t probe_point_slots(const struct probe *probe);
int probe_points_share_maps(struct probe *probe, const struct point_object *object);
int probe_points_fill_maps(struct probe *probe, const struct shared *shared, const struct point_object *object);

/* probe_sleepers.c */
void probe_sleepers_load(struct probe *probe); /* reports if it cannot: walks go on without */
void probe_sleepers_unload(struct probe *probe);
void probe_sleepers_cost(const struct probe *probe, struct probe_cost *cost);

/* probe_lives.c; reports if one cannot be loaded */
void probe_lives_load(struct probe *probe);
void probe_lives_unload(struct probe *probe);
void probe_cgroups_load(struct probe *probe);
void probe_cgroups_unload(struct probe *probe);

#endif

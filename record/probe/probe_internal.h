/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Shared by the probe_*.c, and nobody else: together they are the door to libbpf. The programs of a source, and those
 * that answer a question, are a row in probe.c: how they are loaded. What objects have in common is done for all of
 * them, whatever their type.
 */
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

struct cgroups_bpf;
struct cpu_bpf;
struct lives_bpf;
struct offcpu_bpf;
struct points_bpf;
struct sleepers_bpf;
struct tasks_bpf;

struct probe_ops {
	int (*load)(struct probe *probe);
	void (*unload)(struct probe *probe); /* also if it was not loaded, or not all of it */
	/* What the kernel's refusal takes away, in words; NULL: there is no recording without them. */
	const char *cannot, *lost;
	bool reports; /* load() has reported why it failed */
};

/* A loaded object, or one that is about to be loaded. */
struct probe_object {
	enum probe_kind kind;
	struct bpf_object_skeleton *skeleton;
	struct bpf_object *object;
	/* What those of sources have (bpf/filter.bpf.h); NULL in others. */
	struct ring_knobs *knobs;
	__u64 *cpus; /* RING_CPU_WORDS */
	struct comm_names *comms;
	struct ring_own *own;
	struct bpf_map *tgids, *tids, *cgroups, *followed;
	struct bpf_program *follow, *clock;
	__u64 *follow_failed;
	__u64 *parts;
	struct ring_budget *budget;
	struct ring_object_functions *functions; /* NULL: its programs need none */
	struct bpf_map *rings, *scratch, *snapshots, *ranges, *counters; /* of those that write to rings */
	bool copy; /* its maps are those of the first object of its kind */
	const char *function; /* to which a program is bound at the load; NULL: none */
	struct bpf_program *on_function;
};

/* For an opened skeleton; each has a type of its own. The rest sets more members. */
#define PROBE_OBJECT(of_kind, programs, ...)                                                       \
	((struct probe_object){                                                                    \
		.kind = of_kind,                                                                   \
		.skeleton = (programs)->skeleton,                                                  \
		.object = (programs)->obj,                                                         \
		.knobs = &(programs)->rodata->knobs,                                               \
		.cpus = (programs)->rodata->wanted_cpus,                                           \
		.comms = &(programs)->rodata->wanted_comms,                                        \
		.own = &(programs)->bss->own,                                                      \
		.tgids = (programs)->maps.wanted_tgids,                                            \
		.tids = (programs)->maps.wanted_tids,                                              \
		.cgroups = (programs)->maps.wanted_cgroups,                                        \
		.followed = (programs)->maps.followed,                                             \
		.follow = (programs)->progs.follow_new,                                            \
		.clock = (programs)->progs.read_clock,                                             \
		.follow_failed = &(programs)->bss->follow_failed,                                  \
		.parts = &(programs)->rodata->kernel_parts,                                        \
		.budget = &(programs)->bss->budget,                                                \
		__VA_ARGS__                                                                        \
	})
#define PROBE_RINGS(programs)                                                                      \
	.rings = (programs)->maps.rings, .scratch = (programs)->maps.ring_scratch,                 \
	.snapshots = (programs)->maps.snapshot_scratch, .ranges = (programs)->maps.stack_ranges,   \
	.counters = (programs)->maps.ring_cpus

enum { WAIT_LINKS = 9, MAX_POINT_OBJECTS = 64 };

struct point_object { /* a copy of the programs for tracepoints and functions, one of which is loaded */
	struct points_bpf *programs;
	uint32_t source; /* index in points->sources */
	enum probe_hook hook;
	ARRAY(struct bpf_link *) links;
};

struct user_way { /* how user stacks of waits are taken */
	enum ring_user_way way;
	bool plain_name; /* of the function that schedules task work: bpf/wait_user.bpf.h */
	int switch_fd;	 /* BY_SWITCH: a perf event at the end of the switch, to attach a program to; else -1 */
};

struct probe_feed { /* the maps by which programs find rings and scratch */
	struct bpf_map *rings, *snapshots;
	uint32_t slots; /* of scratch on each CPU */
};

struct probe {
	struct probe_settings settings;
	ARRAY(struct probe_object) objects; /* the first of a source owns the map of followed tasks and its program */
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
	uint32_t *ring_places; /* index in `rings` plus 1, by kind and shard (probe_rings.c) */
	struct probe_feed feeds[PROBE_WRITERS];
	int pattern; /* fd: template of a CPU's scratch for snapshots, while an object is loaded; 0, -1: none */
	struct cpu_set online; /* CPUs that have rings and scratch */
	char *counters;	  /* one entry per possible CPU, as the kernel returns them */
	int possible;
};

/* probe.c */
/*
 * Sets what objects have in common; loads it. The caller has set what is its own, unloads it after a failure, and calls
 * probe_forget() before it destroys the skeleton.
 */
int probe_load(struct probe *probe, const struct probe_object *object);
void probe_forget(struct probe *probe, const struct bpf_object *object);
/* Reads an element of a per-CPU array: one item per CPU number below cpus->possible, at most a struct ring_cpu. */
int probe_read_per_cpu(const struct probe *probe, const struct bpf_map *map, uint32_t key, void *ret_cpus, size_t size);
uint64_t probe_misses(const struct bpf_program *program); /* how often the kernel skipped it */

/* probe_rings.c */
size_t probe_scratch_bytes(const struct probe *probe, unsigned int stacks);
int probe_rings_open(struct probe *probe); /* for the CPUs that are online */
void probe_rings_close(struct probe *probe);
/* Before the load: makes room for snapshots. Without snapshots, its maps use almost no memory. */
int probe_size_feed(struct probe *probe, const struct probe_object *object);
int probe_fill_feed(struct probe *probe, const struct probe_object *object); /* after the load */

/* probe_parts.c; reports each part that falls away */
bool probe_kernel_has_quotas(const struct btf *kernel);
uint64_t probe_find_parts(const struct probe_settings *settings, const struct btf *kernel);
/* Of a member in a struct, also in unnamed structs and unions within it; -ENOENT. depth: 0. */
int64_t probe_member_offset(const struct btf *kernel, const struct btf_type *type, const char *name, int depth);

/* probe_waits.c */
void probe_choose_objects(struct probe *probe, struct ring_object_knobs *knobs);
int probe_waits_load(struct probe *probe);
void probe_waits_unload(struct probe *probe);
/* While it runs: detaches programs that have nothing to do in a pause, attaches them again. 0; -errno, reported. */
int probe_waits_pause(struct probe *probe, bool paused);

/* probe_points.c */
int probe_points_load(struct probe *probe); /* reports why it cannot */
void probe_points_unload(struct probe *probe);
uint32_t probe_point_slots(const struct probe *probe); /* of scratch on a CPU */

/* probe_optional.c */
int probe_sleepers_load(struct probe *probe);
void probe_sleepers_unload(struct probe *probe);
int probe_lives_load(struct probe *probe);
void probe_lives_unload(struct probe *probe);
int probe_cgroups_load(struct probe *probe);
void probe_cgroups_unload(struct probe *probe);

#endif

/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "record/probe/probe.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/gate/confine.h"
#include "common/log.h"
#include "record/host/host.h"
#include "record/host/requirements.h"
#include "record/host/waiting_calls.h"
#include "record/probe/probe_internal.h"

#include "bpf/cpu.skel.h"
#include "bpf/tasks.skel.h"

#define MAX_STACK_FILE "/proc/sys/kernel/perf_event_max_stack"

enum { DEFAULT_FRAMES = 127 };

const char *probe_library_version(void)
{
	return libbpf_version_string();
}

uint32_t probe_max_frames(void)
{
	unsigned long frames;
	char text[32];

	small_file_read(MAX_STACK_FILE, text, sizeof(text));
	frames = strtoul(text, NULL, 10);
	if (!frames)
		return DEFAULT_FRAMES;
	return frames < RING_MAX_FRAMES ? (uint32_t)frames : RING_MAX_FRAMES;
}

/*
 * libbpf also searches the BTF of modules for functions that this kernel may lack, and refuses the
 * whole object if it may not list modules, which takes CAP_SYS_ADMIN. It tries once for each
 * object: this makes it try before the load, with a function that no kernel has.
 */
static void modules_skip(struct bpf_program *program)
{
	libbpf_print_fn_t print;
	uint64_t effective = 0;

	(void)capabilities_effective(&effective);
	if (effective & CAPABILITY(SYS_ADMIN))
		return;
	print = libbpf_set_print(NULL);
	(void)bpf_program__set_attach_target(program, 0, "no such function");
	(void)libbpf_set_print(print);
}

static void share(const struct probe *probe, const struct probe_object *object)
{
	const struct probe_settings *settings = &probe->settings;
	const struct probe_object *first = &probe->objects.items[0];
	const bool is_first = first->object == object->object;
	struct ring_knobs *knobs = object->knobs;

	modules_skip(object->clock);
	knobs->filters = settings->filter->filters;
	knobs->ring_bytes = settings->ring_bytes;
	knobs->watermark = settings->ring_bytes / 8;
	knobs->max_frames = settings->max_frames;
	knobs->user_stacks = settings->user_stacks;
	knobs->snapshot_bytes = settings->snapshot_bytes;
	knobs->may_change = settings->budget;
	knobs->hooked = object->kind == PROBE_POINTS;
	knobs->slots = knobs->hooked ? probe_point_slots(probe) : RING_NEST_LEVELS;
	*object->comms = settings->filter->names;
	memcpy(object->cpus, settings->cpus->wanted.words, RING_CPU_WORDS * sizeof(*object->cpus));
	*object->parts = probe->parts;
	if (!settings->filter->cgroups.count)
		(void)bpf_map__set_max_entries(object->cgroups, 1);
	(void)bpf_program__set_autoload(object->follow, settings->follow && is_first);
	(void)bpf_program__set_autoload(object->clock, is_first);
	if (!is_first)
		(void)bpf_map__reuse_fd(object->followed, bpf_map__fd(first->followed));
}

static int fill_ids(struct bpf_map *map, const struct id_list *ids)
{
	for (size_t i = 0; i < ids->count; i++) {
		uint32_t one = 1;
		int r = bpf_map_update_elem(bpf_map__fd(map), &ids->items[i], &one, BPF_ANY);

		if (r < 0)
			return r;
	}
	return 0;
}

static int fill_cgroups(struct bpf_map *map, const struct filter_cgroups *cgroups)
{
	for (size_t i = 0; i < cgroups->count; i++) {
		uint32_t one = 1;
		int r = bpf_map_update_elem(bpf_map__fd(map), &cgroups->ids[i], &one, BPF_ANY);

		if (r < 0)
			return r;
	}
	return 0;
}

static int fill_filter(const struct probe_object *object, const struct filter *filter)
{
	return fill_ids(object->tgids, filter->tgids) ?: fill_ids(object->tids, filter->tids) ?:
	       fill_cgroups(object->cgroups, &filter->cgroups);
}

int probe_load(struct probe *probe, const struct probe_object *object)
{
	const bool fills = object->rings && !object->copy;
	int r = array_push(&probe->objects, *object);

	if (r < 0)
		return r;
	share(probe, object);
	if (object->function)
		r = bpf_program__set_attach_target(object->on_function, 0, object->function);
	if (r >= 0 && fills)
		r = probe_size_feed(probe, object);
	if (r >= 0)
		r = bpf_object__load_skeleton(object->skeleton);
	if (r >= 0 && fills)
		r = probe_fill_feed(probe, object);
	return r < 0 || object->copy ? r : fill_filter(object, probe->settings.filter);
}

void probe_forget(struct probe *probe, const struct bpf_object *object)
{
	size_t left = 0;

	for (size_t i = 0; i < probe->objects.count; i++)
		if (probe->objects.items[i].object != object)
			probe->objects.items[left++] = probe->objects.items[i];
	probe->objects.count = left;
}

/* --- samples --- */

static int load_cpu(struct probe *probe)
{
	struct cpu_bpf *cpu = probe->cpu = cpu_bpf__open();

	if (!cpu)
		return -errno;
	cpu->rodata->knobs.source = probe->settings.cpu_source;
	return probe_load(probe, &PROBE_OBJECT(PROBE_CPU, cpu, PROBE_RINGS(cpu)));
}

static void unload_cpu(struct probe *probe)
{
	probe_forget(probe, probe->cpu ? probe->cpu->obj : NULL);
	cpu_bpf__destroy(probe->cpu);
	probe->cpu = NULL;
}

/* --- walks --- */

static int load_walk(struct probe *probe)
{
	struct tasks_bpf *tasks = probe->tasks = tasks_bpf__open();
	int r;

	if (!tasks)
		return -errno;
	if (probe->walk_objects)
		probe_choose_objects(probe, &tasks->rodata->object_knobs);
	(void)bpf_map__set_value_size(tasks->maps.tasks_scratch, (uint32_t)probe_scratch_bytes(probe, 1));
	r = probe_load(probe, &PROBE_OBJECT(PROBE_TASKS, tasks, .functions = &tasks->bss->object_functions));
	if (r < 0)
		return r;
	probe->walk = bpf_program__attach_iter(tasks->progs.walk_tasks, NULL);
	return probe->walk ? 0 : -errno;
}

static void unload_walk(struct probe *probe)
{
	bpf_link__destroy(probe->walk);
	probe_forget(probe, probe->tasks ? probe->tasks->obj : NULL);
	tasks_bpf__destroy(probe->tasks);
	probe->walk = NULL;
	probe->tasks = NULL;
}

/* A kernel that does not let the program read what tasks sleep for must not prevent walks. */
static int load_tasks(struct probe *probe)
{
	int r;

	probe->walk_objects = probe->settings.objects;
	r = load_walk(probe);
	if (r >= 0 || !probe->walk_objects)
		return r;
	unload_walk(probe);
	probe->walk_objects = false;
	r = load_walk(probe);
	if (r >= 0)
		log_warning("this kernel refuses the program that reads what tasks sleep for: they are walked without");
	return r;
}

bool probe_walk_objects(const struct probe *probe)
{
	return probe->tasks && probe->walk_objects;
}

__u64 *probe_walk_names_forgotten(const struct probe *probe)
{
	return &probe->tasks->bss->names_forgotten;
}

int probe_walk_open(const struct probe *probe, struct ring_walk **ret_walk, int *ret_fd)
{
	int fd = bpf_iter_create(bpf_link__fd(probe->walk));

	if (fd < 0)
		return fd;
	*ret_walk = &probe->tasks->bss->walk;
	*ret_fd = fd;
	return 0;
}

/* --- all of them --- */

static const struct probe_ops ops[PROBE_KINDS] = {
	[PROBE_CPU] = {.load = load_cpu, .unload = unload_cpu},
	[PROBE_WAITS] = {.load = probe_waits_load, .unload = probe_waits_unload},
	[PROBE_TASKS] = {.load = load_tasks, .unload = unload_walk},
	[PROBE_POINTS] = {.load = probe_points_load, .unload = probe_points_unload, .reports = true},
	[PROBE_SLEEPERS] = {.load = probe_sleepers_load, .unload = probe_sleepers_unload,
			    .cannot = "find user stacks of sleeping tasks",
			    .lost = "walks, and waits that have not ended, will lack them"},
	[PROBE_LIVES] = {.load = probe_lives_load, .unload = probe_lives_unload, .cannot = "count forks",
			 .lost = "missing records of processes will go unnoticed"},
	[PROBE_CGROUPS] = {.load = probe_cgroups_load, .unload = probe_cgroups_unload, .cannot = "read control groups",
			   .lost = "the trace will lack their paths, and which containers threads were in"},
};

static void unload(struct probe *probe)
{
	bpf_link__destroy(probe->follow);
	probe->follow = NULL;
	for (int kind = PROBE_KINDS; kind--;)
		ops[kind].unload(probe);
}

/* Those without which there is no recording, and whose failure is not reported yet. */
static int load(struct probe *probe)
{
	int r = 0;

	for (int kind = 0; kind < PROBE_KINDS && r >= 0; kind++)
		if (probe->settings.wants[kind] && !ops[kind].reports && !ops[kind].lost)
			r = ops[kind].load(probe);
	if (r < 0)
		unload(probe);
	return r;
}

/* What a program needs and this kernel's types lack stands far down in the log: "... [33] struct a.b (0:1". */
static void say_lacking(const char *text)
{
	const char *at = strstr(text, "failed to resolve CO-RE relocation"), *name = at ? strstr(at, "] ") : NULL;

	if (name)
		log_warning("this kernel's types lack '%.*s', which that program reads",
			    (int)strcspn(name + 2, "(\n") - 1, name + 2);
}

/* Warnings about missing line info are dropped: the build removes it. Of a log, the first line is printed. */
static int print_warning(enum libbpf_print_level level, const char *format, va_list arguments)
{
	_cleanup_free_ char *text = NULL;

	if (level != LIBBPF_WARN || strstr(format, "line info") || vasprintf(&text, format, arguments) < 0)
		return 0;
	log_warning("%.*s", (int)strcspn(text, "\n"), text);
	say_lacking(text);
	return 0;
}

/* Silent if all is well; if the kernel refuses, a second attempt lets libbpf report why. */
static int load_needed(struct probe *probe)
{
	int r;

	(void)libbpf_set_print(NULL);
	r = load(probe);
	if (r >= 0)
		return 0;
	(void)libbpf_set_print(print_warning);
	r = load(probe);
	(void)libbpf_set_print(NULL);
	if (r >= 0)
		return 0;
	/* EINVAL: wrong usage */
	return log_error(r == -EINVAL ? ENOTSUP : -r, "the kernel rejected the BPF programs: %s", strerror(-r));
}

/* The others, last. */
static int load_rest(struct probe *probe)
{
	int r = 0;

	for (int kind = 0; kind < PROBE_KINDS && r >= 0; kind++) {
		if (!probe->settings.wants[kind] || (!ops[kind].reports && !ops[kind].lost))
			continue;
		r = ops[kind].load(probe);
		if (r >= 0 || !ops[kind].lost)
			continue;
		ops[kind].unload(probe);
		log_warning("cannot %s by BPF (%s): %s", ops[kind].cannot, strerror(-r), ops[kind].lost);
		r = 0;
	}
	return r;
}

static int set_up(struct probe *probe)
{
	int r;

	probe->possible = libbpf_num_possible_cpus();
	if (probe->possible > 0)
		probe->counters = calloc((size_t)probe->possible, sizeof(struct ring_cpu));
	r = probe->counters ? probe_rings_open(probe) : -ENOMEM;
	if (r < 0)
		return r;
	probe->kernel = btf__load_vmlinux_btf();
	probe->parts = probe_find_parts(&probe->settings, probe->kernel);
	r = load_needed(probe);
	btf__free(probe->kernel);
	probe->kernel = NULL;
	return r < 0 ? r : load_rest(probe);
}

int probe_create(const struct probe_settings *settings, struct probe **ret_probe)
{
	struct probe *probe;
	int r = requirements_check();

	if (r < 0)
		return r;
	probe = calloc(1, sizeof(*probe));
	if (!probe)
		return -ENOMEM;
	probe->settings = *settings;
	r = set_up(probe);
	if (r < 0)
		probe_destroy(probe);
	else
		*ret_probe = probe;
	return r;
}

void probe_destroy(struct probe *probe)
{
	if (!probe)
		return;
	unload(probe);
	probe_rings_close(probe);
	array_free(&probe->objects);
	free(probe->counters);
	free(probe);
}

/* --- what is set and asked of all sources --- */

#define EACH_OBJECT(object, probe) \
	(const struct probe_object *object = (probe)->objects.items; \
	 object < (probe)->objects.items + (probe)->objects.count; object++)

int probe_read_clock(const struct probe *probe, struct ring_clock *ret_clock)
{
	LIBBPF_OPTS(bpf_test_run_opts, options, .ctx_in = ret_clock, .ctx_size_in = sizeof(*ret_clock));

	return bpf_prog_test_run_opts(bpf_program__fd(probe->objects.items[0].clock), &options);
}

int probe_set_own(struct probe *probe, pid_t spawner, pid_t flight, uint32_t *ret_tgid)
{
	struct ring_clock clock = {0};
	int r = probe_read_clock(probe, &clock);

	if (r < 0)
		return log_error(-r, "cannot run a BPF program: %s", strerror(-r));
	for EACH_OBJECT(object, probe)
		if (object->own) {
			object->own->tgid = clock.tgid;
			object->own->spawner_tgid = spawner > 0 ? (uint32_t)spawner : clock.tgid;
			object->own->flight_tgid = flight > 0 ? (uint32_t)flight : clock.tgid;
		}
	*ret_tgid = clock.tgid;
	return 0;
}

void probe_set_functions(struct probe *probe, const struct kallsyms *table)
{
	struct ring_object_functions known = {0};

	waiting_calls_find(table, &known);
	for EACH_OBJECT(object, probe)
		if (object->functions)
			*object->functions = known;
}

int probe_follow(struct probe *probe, pid_t command)
{
	_cleanup_close_ int pidfd = (int)syscall(SYS_pidfd_open, command, 0);
	const struct probe_object *first = &probe->objects.items[0];
	uint32_t one = 1;
	int r;

	if (pidfd < 0)
		return -errno;
	for EACH_OBJECT(object, probe)
		if (object->own)
			object->own->command_tgid = (uint32_t)command;
	if (!probe->settings.follow)
		return 0;
	r = bpf_map_update_elem(bpf_map__fd(first->followed), &pidfd, &one, BPF_ANY);
	if (r < 0)
		return r;
	probe->follow = bpf_program__attach(first->follow);
	return probe->follow ? 0 : -errno;
}

int probe_set_budget(struct probe *probe, const struct ring_budget *budget)
{
	for EACH_OBJECT(object, probe) { /* `paused` last: from then on, programs use the rest */
		if (!object->budget)
			continue;
		__atomic_store_n(&object->budget->since, budget->since, __ATOMIC_RELAXED);
		__atomic_store_n(&object->budget->period, budget->period, __ATOMIC_RELAXED);
		__atomic_store_n(&object->budget->least, budget->least, __ATOMIC_RELAXED);
		__atomic_store_n(&object->budget->paused, budget->paused, __ATOMIC_RELEASE);
	}
	return probe_waits_pause(probe, budget->paused);
}

int probe_cpu_program(const struct probe *probe)
{
	return probe->cpu ? bpf_program__fd(probe->cpu->progs.cpu_sample) : -1;
}

int probe_read_per_cpu(const struct probe *probe, const struct bpf_map *map, uint32_t key, void *ret_cpus, size_t size)
{
	const struct cpus *cpus = probe->settings.cpus;
	int r = bpf_map_lookup_elem(bpf_map__fd(map), &key, probe->counters);

	if (r < 0)
		return r;
	for (uint32_t cpu = 0, next = 0; cpu < cpus->possible && next < (uint32_t)probe->possible; cpu++)
		if (cpu_set_has(&cpus->all, cpu))
			memcpy((char *)ret_cpus + cpu * size, probe->counters + next++ * size, size);
	return 0;
}

int probe_counters(const struct probe *probe, enum probe_kind kind, struct ring_cpu *ret_cpus)
{
	for EACH_OBJECT(object, probe)
		if (object->kind == kind)
			return probe_read_per_cpu(probe, object->counters, 0, ret_cpus, sizeof(*ret_cpus));
	return -ENOENT;
}

uint64_t probe_misses(const struct bpf_program *program)
{
	struct bpf_prog_info info = {0};
	uint32_t length = sizeof(info);

	if (bpf_program__fd(program) < 0 || bpf_obj_get_info_by_fd(bpf_program__fd(program), &info, &length) < 0)
		return 0;
	return info.recursion_misses;
}

/*
 * Misses of wait_switched are waits without a user stack, which the reports count; those of wait_lock_begin and
 * wait_lock_end are spinlocks of interrupts, which are not recorded. Those of points are counted by source.
 */
static bool is_counted(enum probe_kind kind, const char *program)
{
	return (kind == PROBE_CPU || kind == PROBE_WAITS) && strcmp(program, "wait_switched") != 0 &&
	       strncmp(program, "wait_lock", 9) != 0 && strcmp(program, "follow_new") != 0;
}

void probe_cost(const struct probe *probe, struct probe_cost *ret_cost)
{
	struct bpf_program *program;

	*ret_cost = (struct probe_cost){0};
	for (size_t i = 0; i < probe->objects.count; i++)
		bpf_object__for_each_program(program, probe->objects.items[i].object)
			if (is_counted(probe->objects.items[i].kind, bpf_program__name(program)))
				ret_cost->recursion_misses += probe_misses(program);
	if (!probe->follow)
		return;
	ret_cost->recursion_misses += probe_misses(probe->objects.items[0].follow);
	ret_cost->unfollowed = *probe->objects.items[0].follow_failed;
}

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
#include "record/probe/probe_internal.h"

#include "bpf/cpu.skel.h"
#include "bpf/tasks.skel.h"

#define MAX_STACK_FILE "/proc/sys/kernel/perf_event_max_stack"

enum { DEFAULT_FRAMES = 127 };

size_t probe_objects(const struct probe *probe, struct shared *ret_objects)
{
	size_t count = 0;

	if (probe->cpu)
		ret_objects[count++] = SHARED_OF(probe->cpu);
	if (probe->waits)
		ret_objects[count++] = probe_waits_shared(probe);
	if (probe->tasks) {
		ret_objects[count] = SHARED_OF(probe->tasks);
		ret_objects[count++].functions = &probe->tasks->bss->object_functions;
	}
	return count + probe_points_shared(probe, ret_objects + count);
}

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

size_t probe_scratch_bytes(const struct probe *probe, unsigned int stacks)
{
	return RING_HEAD_ROOM + stacks * sizeof(uint64_t) * probe->settings.max_frames;
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

void probe_share(const struct probe *probe, const struct shared *object)
{
	struct shared all[PROBE_OBJECTS];
	bool first;

	modules_skip(object->clock);
	(void)probe_objects(probe, all);
	first = all[0].followed == object->followed;
	*object->knobs = probe->settings.filter->knobs;
	*object->comms = probe->settings.filter->names;
	memcpy(object->cpus, probe->settings.cpus->wanted.words, RING_CPU_WORDS * sizeof(*object->cpus));
	if (!probe->settings.filter->cgroups.count)
		(void)bpf_map__set_max_entries(object->cgroups, 1);
	*object->parts = probe->parts;
	*object->budget_may_change = probe->settings.budget;
	(void)bpf_program__set_autoload(object->follow, probe->settings.follow && first);
	(void)bpf_program__set_autoload(object->clock, first);
	if (!first)
		(void)bpf_map__reuse_fd(object->followed, bpf_map__fd(all[0].followed));
}

static struct probe_feed cpu_feed(const struct probe *probe)
{
	const struct cpu_bpf *cpu = probe->cpu;

	return (struct probe_feed){cpu->maps.rings, cpu->maps.snapshot_scratch,
				   cpu->maps.stack_ranges, RING_NEST_LEVELS};
}

static int set_up_cpu(struct probe *probe)
{
	const struct probe_settings *settings = &probe->settings;
	const struct probe_feed feed = cpu_feed(probe);
	struct cpu_bpf *cpu = probe->cpu;

	cpu->rodata->sample_source = settings->cpu_source;
	cpu->rodata->sample_user_stacks = settings->user_stacks;
	cpu->rodata->sample_max_frames = settings->max_frames;
	cpu->rodata->snapshot_bytes = settings->snapshot_bytes;
	cpu->rodata->ring_size = settings->ring_bytes;
	cpu->rodata->ring_watermark = settings->ring_bytes / 8;
	(void)bpf_map__set_value_size(cpu->maps.ring_scratch, (uint32_t)probe_scratch_bytes(probe, 2));
	return probe_size_feed(probe, &feed);
}

static void set_up_tasks(struct probe *probe)
{
	struct tasks_bpf *tasks = probe->tasks;

	if (probe->walk_objects)
		probe_choose_objects(probe, &tasks->rodata->object_knobs);
	tasks->rodata->tasks_max_frames = probe->settings.max_frames;
	(void)bpf_map__set_value_size(tasks->maps.tasks_scratch, (uint32_t)probe_scratch_bytes(probe, 1));
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

int probe_fill_filter(const struct shared *object, const struct filter *filter)
{
	int r = fill_ids(object->tgids, filter->tgids);

	if (r >= 0)
		r = fill_ids(object->tids, filter->tids);
	if (r >= 0)
		r = fill_cgroups(object->cgroups, &filter->cgroups);
	return r;
}

static int load_cpu(struct probe *probe)
{
	struct probe_feed feed;
	struct shared object;
	int r;

	probe->cpu = cpu_bpf__open();
	if (!probe->cpu)
		return -errno;
	object = SHARED_OF(probe->cpu);
	probe_share(probe, &object);
	r = set_up_cpu(probe);
	feed = cpu_feed(probe);
	if (!r)
		r = cpu_bpf__load(probe->cpu);
	if (!r)
		r = probe_fill_feed(probe, FEED_CPU, &feed);
	return r < 0 ? r : probe_fill_filter(&object, probe->settings.filter);
}

static int load_walk(struct probe *probe)
{
	struct shared object;
	int r;

	probe->tasks = tasks_bpf__open();
	if (!probe->tasks)
		return -errno;
	object = SHARED_OF(probe->tasks);
	probe_share(probe, &object);
	set_up_tasks(probe);
	r = tasks_bpf__load(probe->tasks);
	if (r < 0)
		return r;
	probe->walk = bpf_program__attach_iter(probe->tasks->progs.walk_tasks, NULL);
	if (!probe->walk)
		return -errno;
	return probe_fill_filter(&object, probe->settings.filter);
}

static void unload_walk(struct probe *probe)
{
	bpf_link__destroy(probe->walk);
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
	return probe->settings.tasks && probe->walk_objects;
}

__u64 *probe_walk_names_forgotten(const struct probe *probe)
{
	return &probe->tasks->bss->names_forgotten;
}

static void unload(struct probe *probe)
{
	bpf_link__destroy(probe->follow);
	probe_points_unload(probe);
	probe_sleepers_unload(probe);
	probe_cgroups_unload(probe);
	probe_lives_unload(probe);
	unload_walk(probe);
	probe_waits_unload(probe);
	cpu_bpf__destroy(probe->cpu);
	probe->follow = NULL;
	probe->cpu = NULL;
}

static int load(struct probe *probe)
{
	int r = probe->settings.cpu ? load_cpu(probe) : 0;

	if (!r && probe->settings.waits)
		r = probe_waits_load(probe);
	if (!r && probe->settings.tasks)
		r = load_tasks(probe);
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
static int load_all(struct probe *probe)
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
	return log_error(r == -EINVAL ? ENOTSUP : -r, "the kernel rejected the BPF programs: %s",
			 strerror(-r));
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
	probe->kernel = btf__load_vmlinux_btf();
	probe->parts = probe_find_parts(settings, probe->kernel);
	probe->possible = libbpf_num_possible_cpus();
	if (probe->possible > 0)
		probe->counters = calloc((size_t)probe->possible, sizeof(struct ring_cpu));
	r = probe->counters ? 0 : -ENOMEM;
	if (!r)
		r = probe_rings_open(probe);
	if (!r)
		r = load_all(probe);
	btf__free(probe->kernel);
	probe->kernel = NULL;
	if (!r && settings->points)
		r = probe_points_load(probe);
	if (!r && settings->sleepers)
		probe_sleepers_load(probe);
	if (!r && settings->user_stacks)
		probe_lives_load(probe);
	if (!r && settings->cgroups)
		probe_cgroups_load(probe);
	if (r < 0) {
		probe_destroy(probe);
		return r;
	}
	*ret_probe = probe;
	return 0;
}

void probe_destroy(struct probe *probe)
{
	if (!probe)
		return;
	unload(probe);
	probe_rings_close(probe);
	free(probe->counters);
	free(probe);
}

int probe_set_own(struct probe *probe, pid_t spawner, pid_t flight, uint32_t *ret_tgid)
{
	struct ring_clock clock = {0};
	struct shared all[PROBE_OBJECTS];
	size_t count = probe_objects(probe, all);
	int r = probe_read_clock(probe, &clock);

	if (r < 0)
		return log_error(-r, "cannot run a BPF program: %s", strerror(-r));
	for (size_t i = 0; i < count; i++) {
		all[i].own->tgid = clock.tgid;
		all[i].own->spawner_tgid = spawner > 0 ? (uint32_t)spawner : clock.tgid;
		all[i].own->flight_tgid = flight > 0 ? (uint32_t)flight : clock.tgid;
	}
	*ret_tgid = clock.tgid;
	return 0;
}

int probe_follow(struct probe *probe, pid_t command)
{
	_cleanup_close_ int pidfd = (int)syscall(SYS_pidfd_open, command, 0);
	struct shared all[PROBE_OBJECTS];
	size_t count = probe_objects(probe, all);
	uint32_t one = 1;
	int r;

	if (pidfd < 0)
		return -errno;
	for (size_t i = 0; i < count; i++)
		all[i].own->command_tgid = (uint32_t)command;
	if (!probe->settings.follow)
		return 0;
	r = bpf_map_update_elem(bpf_map__fd(all[0].followed), &pidfd, &one, BPF_ANY);
	if (r < 0)
		return r;
	probe->follow = bpf_program__attach(all[0].follow);
	return probe->follow ? 0 : -errno;
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

int probe_cpu_counters(const struct probe *probe, struct ring_cpu *ret_cpus)
{
	return probe_read_per_cpu(probe, probe->cpu->maps.ring_cpus, 0, ret_cpus, sizeof(*ret_cpus));
}

void probe_add_cost(const struct bpf_program *program, struct probe_cost *cost)
{
	struct bpf_prog_info info = {0};
	uint32_t length = sizeof(info);

	if (bpf_program__fd(program) < 0 || bpf_obj_get_info_by_fd(bpf_program__fd(program), &info, &length) < 0)
		return;
	cost->recursion_misses += info.recursion_misses;
}

void probe_cost(const struct probe *probe, struct probe_cost *ret_cost)
{
	struct shared all[PROBE_OBJECTS];

	*ret_cost = (struct probe_cost){0};
	if (probe->cpu)
		probe_add_cost(probe->cpu->progs.cpu_sample, ret_cost);
	if (probe->tasks)
		probe_add_cost(probe->tasks->progs.walk_tasks, ret_cost);
	if (probe->waits)
		probe_waits_cost(probe, ret_cost);
	probe_sleepers_cost(probe, ret_cost);
	if (!probe->follow)
		return;
	(void)probe_objects(probe, all);
	probe_add_cost(all[0].follow, ret_cost);
	ret_cost->unfollowed = *all[0].follow_failed;
}

int probe_set_budget(struct probe *probe, const struct ring_budget *budget)
{
	struct shared all[PROBE_OBJECTS];
	size_t count = probe_objects(probe, all);

	for (size_t i = 0; i < count; i++) { /* `paused` last: from then on, programs use the rest */
		__atomic_store_n(&all[i].budget->since, budget->since, __ATOMIC_RELAXED);
		__atomic_store_n(&all[i].budget->period, budget->period, __ATOMIC_RELAXED);
		__atomic_store_n(&all[i].budget->least, budget->least, __ATOMIC_RELAXED);
		__atomic_store_n(&all[i].budget->paused, budget->paused, __ATOMIC_RELEASE);
	}
	return probe_waits_pause(probe, budget->paused);
}

int probe_read_clock(const struct probe *probe, struct ring_clock *ret_clock)
{
	struct shared all[PROBE_OBJECTS];
	LIBBPF_OPTS(bpf_test_run_opts, options, .ctx_in = ret_clock, .ctx_size_in = sizeof(*ret_clock));

	(void)probe_objects(probe, all);
	return bpf_prog_test_run_opts(bpf_program__fd(all[0].clock), &options);
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

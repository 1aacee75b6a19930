/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <bpf/btf.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "bpf/ring.h"
#include "common/cleanup.h"
#include "common/log.h"
#include "common/time_units.h"
#include "record/host/host.h"
#include "record/host/kallsyms.h"
#include "record/host/waiting_calls.h"
#include "record/probe/probe_internal.h"

#include "bpf/offcpu.skel.h"

/* --- where user stacks of waits are taken: the ways of enum ring_user_way, best first, found by BTF or by trying --- */

#define SWITCH_END "finish_task_switch" /* the kernel function */
#define KPROBES "/sys/bus/event_source/devices/kprobe/type"

bool kernel_has_kprobes(void)
{
	return !access(KPROBES, R_OK);
}

/* --- task work --- */

static bool has_function(const struct btf *kernel, const char *name, unsigned int parameters)
{
	int32_t id = btf__find_by_name_kind(kernel, name, BTF_KIND_FUNC);
	const struct btf_type *function = id > 0 ? btf__type_by_id(kernel, (uint32_t)id) : NULL;
	const struct btf_type *type = function ? btf__type_by_id(kernel, function->type) : NULL;

	return type && btf_is_func_proto(type) && btf_vlen(type) == parameters;
}

static bool find_task_work(const struct btf *kernel, struct user_way *way)
{
	bool full = has_function(kernel, "bpf_task_work_schedule_resume_impl", 5);

	way->plain_name = !full && has_function(kernel, "bpf_task_work_schedule_resume", 4);
	return (full || way->plain_name) && has_function(kernel, "bpf_preempt_disable", 0);
}

/* --- the end of a switch --- */

/*
 * include/linux/perf_event.h has these events since 4.17: bit 0 means the function's return.
 * Returns a descriptor or -errno.
 */
static int open_kprobe(const char *function, bool on_return)
{
	struct perf_event_attr attr = {.size = sizeof(attr), .config = on_return, .kprobe_func = (uintptr_t)function};
	char text[32];

	small_file_read(KPROBES, text, sizeof(text));
	if (!*text)
		return -ENOENT;
	attr.type = (uint32_t)strtoul(text, NULL, 10);
	return (int)syscall(SYS_perf_event_open, &attr, -1, 0, -1, PERF_FLAG_FD_CLOEXEC);
}

/* Also the names that compilers give to variants of the function. */
static bool is_switch_end(const char *name)
{
	const size_t length = strlen(SWITCH_END);

	return !strncmp(name, SWITCH_END ".", length + 1) && !strstr(name, ".cold");
}

static int open_variant(bool on_return)
{
	struct kallsyms table = {0};
	int fd = -ENOENT;

	if (kernel_has_kprobes() && !kallsyms_read(&table))
		for (size_t i = 0; fd < 0 && i < table.symbols.count; i++)
			if (is_switch_end(table.names.items + table.symbols.items[i].name))
				fd = open_kprobe(table.names.items + table.symbols.items[i].name, on_return);
	kallsyms_deinit(&table);
	return fd;
}

static bool find_switch(bool late, struct user_way *way)
{
	static const char *const usual[] = {SWITCH_END, SWITCH_END ".isra.0"};

	for (size_t i = 0; way->switch_fd < 0 && i < sizeof(usual) / sizeof(usual[0]); i++)
		way->switch_fd = open_kprobe(usual[i], late);
	if (way->switch_fd < 0)
		way->switch_fd = open_variant(late);
	return way->switch_fd >= 0;
}

/* --- the first way there is --- */

static void user_way_find(const struct btf *kernel, enum ring_user_way from, bool late, struct user_way *ret_way)
{
	*ret_way = (struct user_way){.way = RING_BY_SYS_EXIT, .switch_fd = -1};
	if (from <= RING_BY_TASK_WORK && kernel && find_task_work(kernel, ret_way))
		ret_way->way = RING_BY_TASK_WORK;
	else if (from <= RING_BY_SWITCH && find_switch(late, ret_way))
		ret_way->way = RING_BY_SWITCH;
}

static void user_way_close(struct user_way *way)
{
	if (way->way == RING_BY_SWITCH && way->switch_fd >= 0)
		(void)close(way->switch_fd);
	*way = (struct user_way){.switch_fd = -1};
}

enum { NAME_AGE = SECOND }; /* names of objects are written again after this to twice this */

/* --- where a CPU's preempt count is, by the kernel's description of its per-CPU variables --- */

/* Offset of a variable in the per-CPU area; -ENOENT. */
static int64_t per_cpu_offset(const struct btf *kernel, const char *name, const struct btf_type **ret_type)
{
	int32_t variable = btf__find_by_name_kind(kernel, name, BTF_KIND_VAR);
	int32_t section = btf__find_by_name_kind(kernel, ".data..percpu", BTF_KIND_DATASEC);
	const struct btf_type *type = section > 0 ? btf__type_by_id(kernel, (uint32_t)section) : NULL;
	const struct btf_var_secinfo *places = type ? btf_var_secinfos(type) : NULL;

	for (int i = 0; variable > 0 && places && i < btf_vlen(type); i++)
		if (places[i].type == (uint32_t)variable) {
			*ret_type = btf__type_by_id(kernel, btf__type_by_id(kernel, places[i].type)->type);
			return places[i].offset;
		}
	return -ENOENT;
}

/*
 * From the run queue; 0: unknown, so the context of wakers will be unknown. *ret_cast: whether a
 * program may read it there by a plain load.
 */
static int64_t preempt_count_distance(const struct btf *kernel, bool *ret_cast)
{
	const struct btf_type *type = NULL;
	int64_t queue = per_cpu_offset(kernel, "runqueues", &type), count, member = 0;

	count = per_cpu_offset(kernel, "__preempt_count", &type);
	if (count < 0) {
		count = per_cpu_offset(kernel, "pcpu_hot", &type); /* x86, 6.2 to 6.14 */
		member = count < 0 ? -ENOENT : probe_member_offset(kernel, type, "preempt_count", 0);
	}
	*ret_cast = btf__find_by_name_kind(kernel, "bpf_rdonly_cast", BTF_KIND_FUNC) > 0; /* Linux 6.2 */
	return queue < 0 || count < 0 || member < 0 ? 0 : count + member - queue;
}

/* --- load --- */

/*
 * If every wait gets a record, its user stack is taken when the wait begins: no stack is taken in vain. But a snapshot
 * can be whole only where the scheduler's locks are not held, and task work is too expensive for every wait.
 */
static void choose_user_way(struct probe *probe, const struct btf *kernel, enum ring_user_way from)
{
	struct ring_wait_knobs *knobs = &probe->waits_knobs;
	bool whole = probe->settings.snapshot_bytes;

	knobs->user_before = !knobs->least && !whole;
	user_way_close(&probe->user_way);
	if (!knobs->least && whole && from < RING_BY_SWITCH)
		from = RING_BY_SWITCH;
	user_way_find(kernel, from, whole, &probe->user_way);
	if (probe->user_way.way == RING_BY_SYS_EXIT && knobs->user_before)
		probe->user_way.way = RING_BY_NONE;
	knobs->user_way = probe->user_way.way;
}

static bool has_member(const struct btf *kernel, const char *type, const char *name)
{
	int32_t number = btf__find_by_name_kind(kernel, type, BTF_KIND_STRUCT);

	return number > 0 && probe_member_offset(kernel, btf__type_by_id(kernel, (uint32_t)number), name, 0) >= 0;
}

/* Since Linux 6.12: threads may be moved to another CPU after they went to sleep. */
static bool delays_dequeue(const struct btf *kernel)
{
	return has_member(kernel, "sched_entity", "sched_delayed");
}

/* Linux 6.18 has task work, too, beside which the programs for kernels before it would be too long. */
static enum ring_throttle_way find_throttle_way(const struct probe *probe)
{
	if (!probe_kernel_has_quotas(probe->kernel))
		return RING_THROTTLE_NONE;
	if (!(probe->parts >> RING_PART_QUOTAS & 1))
		return RING_THROTTLE_UNKNOWN;
	if (probe->parts >> RING_PART_MARKS & 1)
		return RING_THROTTLE_MARKED;
	if (btf__find_by_name_kind(probe->kernel, "bpf_task_work", BTF_KIND_STRUCT) > 0)
		return RING_THROTTLE_UNKNOWN;
	if (!kernel_has_kprobes() || !has_member(probe->kernel, "cfs_rq", "throttle_count"))
		return RING_THROTTLE_UNKNOWN;
	return RING_THROTTLE_PROBED;
}

/*
 * The kernel marks tasks since Linux 6.16 if it is configured to, but not for PREEMPT_RT's locks; it has tracepoints
 * since 5.19, unless they were left out.
 */
static enum ring_lock_way find_lock_way(const struct probe *probe)
{
	const struct btf *kernel = probe->kernel;

	if (!probe->settings.objects || !kernel)
		return RING_LOCKS_UNKNOWN;
	if (probe->lock_way_at_most >= RING_LOCKS_MARKED && has_member(kernel, "task_struct", "blocker") &&
	    has_member(kernel, "rwsem_waiter", "type"))
		return RING_LOCKS_MARKED;
	if (probe->lock_way_at_most >= RING_LOCKS_TRACED &&
	    btf__find_by_name_kind(kernel, "btf_trace_contention_begin", BTF_KIND_TYPEDEF) > 0)
		return RING_LOCKS_TRACED;
	return RING_LOCKS_UNKNOWN;
}

/* How many bits of the kernel's count of ticks make up this time, at least. */
static uint32_t tick_bits(uint64_t time)
{
	struct timespec tick = {0};
	uint32_t bits = 0;

	(void)clock_getres(CLOCK_MONOTONIC_COARSE, &tick);
	while (((uint64_t)tick.tv_nsec << bits) < time && bits < 16)
		bits++;
	return bits;
}

void probe_choose_objects(struct probe *probe, struct ring_object_knobs *knobs)
{
	struct ring_object_knobs *known = &probe->object_knobs;

	if (!known->on) {
		waiting_calls_fill(known);
		known->max_frames = probe_max_frames();
		known->age_bits = tick_bits(NAME_AGE);
		known->page_size = (__u32)sysconf(_SC_PAGESIZE);
		known->by_cast = probe->kernel &&
				 btf__find_by_name_kind(probe->kernel, "bpf_rdonly_cast", BTF_KIND_FUNC) > 0;
		known->on = true;
	}
	*knobs = *known;
}

/* Sets what depends on the kernel's BTF. */
static void choose_knobs(struct probe *probe, enum ring_user_way from)
{
	struct ring_wait_knobs *knobs = &probe->waits_knobs;
	const struct btf *kernel = probe->kernel;

	*knobs = *probe->settings.waits;
	probe->waits_moved = kernel && delays_dequeue(kernel);
	knobs->throttle = kernel ? find_throttle_way(probe) : RING_THROTTLE_UNKNOWN;
	knobs->locks = find_lock_way(probe);
	if (probe->settings.objects)
		probe_choose_objects(probe, &probe->waits->rodata->object_knobs);
	if (knobs->wakers && kernel)
		knobs->preempt_count = preempt_count_distance(kernel, &probe->waits->rodata->waker_cast);
	if (knobs->user_stacks)
		choose_user_way(probe, kernel, from);
}

static void set_up(struct probe *probe)
{
	struct offcpu_bpf *waits = probe->waits;
	struct ring_wait_knobs *knobs = &probe->waits_knobs;

	memcpy(&waits->rodata->wait_knobs, knobs, sizeof(*knobs));
	waits->rodata->task_work_plain_name = probe->user_way.plain_name;
	(void)bpf_map__set_value_size(waits->maps.look_scratch, (uint32_t)probe_scratch_bytes(probe, 1));
	(void)bpf_program__set_autoload(waits->progs.wait_waking, knobs->wakers);
	(void)bpf_program__set_autoload(waits->progs.wait_moved, probe->waits_moved);
	(void)bpf_program__set_autoload(waits->progs.wait_lock_begin, knobs->locks == RING_LOCKS_TRACED);
	(void)bpf_program__set_autoload(waits->progs.wait_lock_end, knobs->locks == RING_LOCKS_TRACED);
	(void)bpf_program__set_autoload(waits->progs.wait_throttled, knobs->throttle == RING_THROTTLE_PROBED);
	(void)bpf_program__set_autoload(waits->progs.wait_unthrottled, knobs->throttle == RING_THROTTLE_PROBED);
	(void)bpf_program__set_autoload(waits->progs.wait_switched, knobs->user_way == RING_BY_SWITCH);
	(void)bpf_program__set_autoload(waits->progs.wait_sys_exit, knobs->user_way == RING_BY_SYS_EXIT);
}

static int load(struct probe *probe, enum ring_user_way from)
{
	struct offcpu_bpf *waits = probe->waits = offcpu_bpf__open();
	int r;

	if (!waits)
		return -errno;
	choose_knobs(probe, from);
	set_up(probe);
	r = probe_load(probe, &PROBE_OBJECT(PROBE_WAITS, waits, PROBE_RINGS(waits),
					    .functions = &waits->bss->object_functions));
	if (r < 0)
		return r;
	probe->look = bpf_program__attach_iter(waits->progs.wait_look_at, NULL);
	return probe->look ? 0 : -errno;
}

/* A kernel that has task work but refuses it must not prevent recording. */
static int load_some_way(struct probe *probe)
{
	int r = load(probe, RING_BY_TASK_WORK);

	if (r >= 0 || probe->waits_knobs.user_way != RING_BY_TASK_WORK)
		return r;
	probe_waits_unload(probe);
	return load(probe, RING_BY_SWITCH);
}

/* Nor must a kernel that does not let the programs read what waits are for, or which locks. */
int probe_waits_load(struct probe *probe)
{
	int r;

	probe->lock_way_at_most = RING_LOCKS_MARKED;
	r = load_some_way(probe);
	while (r < 0 && probe->waits_knobs.locks) {
		probe->lock_way_at_most = probe->waits_knobs.locks - 1;
		probe_waits_unload(probe);
		r = load_some_way(probe);
		if (r >= 0 && !probe->waits_knobs.locks)
			log_warning("this kernel refuses the program that reads which of its locks waits are for");
	}
	if (r >= 0 || !probe->settings.objects)
		return r;
	probe_waits_unload(probe);
	probe->settings.objects = false;
	r = load_some_way(probe);
	if (r >= 0)
		log_warning("this kernel refuses the program that reads what waits are for: they are recorded without");
	return r;
}

bool probe_wait_objects(const struct probe *probe)
{
	return probe->waits && probe->settings.objects;
}

void probe_waits_unload(struct probe *probe)
{
	probe_waits_detach(probe);
	user_way_close(&probe->user_way);
	bpf_link__destroy(probe->look);
	probe_forget(probe, probe->waits ? probe->waits->obj : NULL);
	offcpu_bpf__destroy(probe->waits);
	probe->look = NULL;
	probe->waits = NULL;
}

/* --- run --- */

static struct bpf_link *attach(struct probe *probe, const struct bpf_program *program)
{
	struct bpf_link *link;

	if (program != probe->waits->progs.wait_switched)
		return bpf_program__attach(program);
	link = bpf_program__attach_perf_event(program, probe->user_way.switch_fd);
	if (link)
		probe->user_way.switch_fd = -1; /* the link owns it now */
	return link;
}

static void say_sys_exit(const struct ring_wait_knobs *knobs)
{
	log_warning("user stacks of waits are taken when system calls return, which makes every "
		    "system call on this host about 0.1 us slower: %s",
		    knobs->least ?
		    "the kernel has no task work for BPF (Linux 6.18) and no probe on " SWITCH_END :
		    "every wait needs a snapshot; -m above 0 avoids this if the kernel can");
}

/* A new task must have its entry before it is switched: the program that creates entries is attached first. */
static void choose_programs(const struct probe *probe, const struct bpf_program *programs[WAIT_LINKS])
{
	const struct offcpu_bpf *waits = probe->waits;
	const struct bpf_program *const all[WAIT_LINKS] = {
		waits->progs.wait_new_task,
		waits->progs.wait_exec,
		waits->progs.wait_moved,
		waits->progs.wait_lock_end,
		waits->progs.wait_lock_begin,
		waits->progs.wait_switch,
		waits->progs.wait_waking,
		waits->progs.wait_switched,
		waits->progs.wait_sys_exit,
	};

	memcpy(programs, all, sizeof(all));
}

static int attach_one(struct probe *probe, const struct bpf_program *program, struct bpf_link **ret_link)
{
	*ret_link = attach(probe, program);
	return *ret_link ? 0 :
			   log_error(errno, "cannot attach to '%s': %s", bpf_program__section_name(program),
				     strerror(errno));
}

/* Programs that would find nothing to do, at each switch and wakeup of the host. */
static bool is_frequent(const struct probe *probe, const struct bpf_program *program)
{
	return program == probe->waits->progs.wait_switch || program == probe->waits->progs.wait_waking;
}

/* Attaches what should run and does not, detaches what is paused. */
static int attach_all(struct probe *probe, bool paused)
{
	const struct bpf_program *programs[WAIT_LINKS];
	int r = 0;

	choose_programs(probe, programs);
	for (size_t i = 0; i < WAIT_LINKS && !r; i++) {
		if (paused && is_frequent(probe, programs[i])) {
			bpf_link__destroy(probe->wait_links[i]);
			probe->wait_links[i] = NULL;
		} else if (bpf_program__autoload(programs[i]) && !probe->wait_links[i]) {
			r = attach_one(probe, programs[i], &probe->wait_links[i]);
		}
	}
	return r;
}

/* Both or none: a time without its end would never end. */
static void attach_throttles(struct probe *probe)
{
	const struct offcpu_bpf *waits = probe->waits;
	struct bpf_link **links = probe->throttle_links;

	if (probe->waits_knobs.throttle != RING_THROTTLE_PROBED || links[0])
		return;
	links[0] = bpf_program__attach_kprobe(waits->progs.wait_unthrottled, false, "tg_unthrottle_up");
	links[1] = links[0] ? bpf_program__attach_kprobe(waits->progs.wait_throttled, false, "tg_throttle_down") : NULL;
	if (!links[1])
		probe->waits_knobs.throttle = RING_THROTTLE_UNKNOWN;
}

int probe_waits_attach(struct probe *probe)
{
	int r = attach_all(probe, false);

	attach_throttles(probe);

	if (r >= 0 && probe->waits_knobs.user_way == RING_BY_SYS_EXIT)
		say_sys_exit(&probe->waits_knobs);
	return r;
}

int probe_waits_pause(struct probe *probe, bool paused)
{
	bool runs = probe->waits && probe->wait_links[0];

	return runs ? attach_all(probe, paused) : 0;
}

bool probe_waits_throttled(const struct probe *probe)
{
	return probe->waits_knobs.throttle != RING_THROTTLE_UNKNOWN;
}

void probe_waits_detach(struct probe *probe)
{
	for (size_t i = 0; i < 2; i++) {
		bpf_link__destroy(probe->throttle_links[i]);
		probe->throttle_links[i] = NULL;
	}
	for (size_t i = 0; i < WAIT_LINKS; i++) {
		bpf_link__destroy(probe->wait_links[i]);
		probe->wait_links[i] = NULL;
	}
}

__u64 *probe_wait_names_forgotten(const struct probe *probe)
{
	return &probe->waits->bss->names_forgotten;
}

struct ring_look_state *probe_wait_look(const struct probe *probe)
{
	return &probe->waits->bss->wait_look;
}

int probe_wait_hide(const struct probe *probe, pid_t tid)
{
	enum { THREAD = O_EXCL }; /* PIDFD_THREAD, Linux 6.9; before it, leaders only */
	const struct bpf_map *entries = probe->waits->maps.wait_entries;
	_cleanup_close_ int pidfd = (int)syscall(SYS_pidfd_open, tid, THREAD);
	_cleanup_free_ char *entry = calloc(1, bpf_map__value_size(entries));

	if (!entry)
		return -ENOMEM;
	if (pidfd < 0 && errno == EINVAL)
		pidfd = (int)syscall(SYS_pidfd_open, tid, 0);
	if (pidfd < 0)
		return -errno;
	entry[0] = 1; /* hidden */
	return bpf_map_update_elem(bpf_map__fd(entries), &pidfd, entry, BPF_NOEXIST);
}

int probe_wait_look_open(const struct probe *probe)
{
	return bpf_iter_create(bpf_link__fd(probe->look));
}

/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/log.h"
#include "record/probe_internal.h"

#include "bpf/offcpu.skel.h"

/* --- where a CPU's preempt count lies, by the kernel's description of its per-CPU variables --- */

/* Offset of a variable among the per-CPU ones; -ENOENT. */
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

/* Bytes from the beginning of a struct to a member, nameless structs and unions within it searched too; -ENOENT. */
static int64_t member_offset(const struct btf *kernel, const struct btf_type *type, const char *name, int depth)
{
	enum { MAX_DEPTH = 4 };
	const struct btf_member *member = type && btf_is_composite(type) ? btf_members(type) : NULL;

	for (int i = 0; member && depth < MAX_DEPTH && i < btf_vlen(type); i++, member++) {
		const char *called = btf__name_by_offset(kernel, member->name_off);
		int64_t here = btf_member_bit_offset(type, (uint32_t)i) / 8, inner;

		if (called && !strcmp(called, name))
			return here;
		if (called && *called)
			continue;
		inner = member_offset(kernel, btf__type_by_id(kernel, member->type), name, depth + 1);
		if (inner >= 0)
			return here + inner;
	}
	return -ENOENT;
}

/* 0: not known, and what context a waker is in will not be told. */
static int64_t preempt_count_distance(void)
{
	const struct btf_type *type = NULL;
	struct btf *kernel = btf__load_vmlinux_btf();
	int64_t queue = per_cpu_offset(kernel, "runqueues", &type), count, member = 0;

	if (!kernel)
		return 0;
	count = per_cpu_offset(kernel, "__preempt_count", &type);
	if (count < 0) {
		count = per_cpu_offset(kernel, "pcpu_hot", &type); /* x86, 6.2 to 6.14 */
		member = count < 0 ? -ENOENT : member_offset(kernel, type, "preempt_count", 0);
	}
	btf__free(kernel);
	return queue < 0 || count < 0 || member < 0 ? 0 : count + member - queue;
}

/* --- load --- */

struct shared probe_waits_shared(const struct probe *probe)
{
	struct offcpu_bpf *waits = probe->waits;

	return (struct shared){
		.knobs = &waits->rodata->knobs,
		.cpus = waits->rodata->wanted_cpus,
		.own = &waits->bss->own,
		.tgids = waits->maps.wanted_tgids,
		.tids = waits->maps.wanted_tids,
		.comms = waits->maps.wanted_comms,
		.followed = waits->maps.followed,
		.follow = waits->progs.follow_fork,
		.clock = waits->progs.read_clock,
		.follow_failed = &waits->bss->follow_failed,
	};
}

static void set_up(struct probe *probe)
{
	const struct probe_settings *settings = &probe->settings;
	struct offcpu_bpf *waits = probe->waits;
	struct ring_wait_knobs *knobs = &probe->waits_knobs;

	*knobs = *settings->waits;
	if (knobs->wakers)
		knobs->preempt_count = preempt_count_distance();
	memcpy(&waits->rodata->wait_knobs, knobs, sizeof(*knobs));
	waits->rodata->wait_max_frames = settings->max_frames;
	waits->rodata->snapshot_bytes = settings->snapshot_bytes;
	waits->rodata->ring_size = settings->ring_bytes;
	waits->rodata->ring_watermark = settings->ring_bytes / 8;
	(void)bpf_map__set_max_entries(waits->maps.rings, probe_shards(probe));
	(void)bpf_map__set_value_size(waits->maps.ring_scratch, (uint32_t)probe_scratch_bytes(probe, 2));
	(void)bpf_map__set_value_size(waits->maps.look_scratch, (uint32_t)probe_scratch_bytes(probe, 1));
	probe_size_snapshots(probe, waits->maps.snapshot_scratch, waits->maps.stack_ranges);
	(void)bpf_program__set_autoload(waits->progs.wait_waking, knobs->wakers);
	(void)bpf_program__set_autoload(waits->progs.wait_sys_exit, knobs->user_stacks);
}

int probe_waits_load(struct probe *probe)
{
	struct shared object;
	int r;

	probe->waits = offcpu_bpf__open();
	if (!probe->waits)
		return -errno;
	object = probe_waits_shared(probe);
	probe_share(probe, &object);
	set_up(probe);
	r = offcpu_bpf__load(probe->waits);
	if (!r)
		r = probe_fill_rings(probe, probe->waits->maps.rings, probe->settings.cpu ? probe_shards(probe) : 0);
	if (!r)
		r = probe_fill_filter(&object, probe->settings.filter);
	if (r < 0)
		return r;
	probe->look = bpf_program__attach_iter(probe->waits->progs.wait_look_at, NULL);
	return probe->look ? 0 : -errno;
}

void probe_waits_unload(struct probe *probe)
{
	probe_waits_detach(probe);
	bpf_link__destroy(probe->look);
	offcpu_bpf__destroy(probe->waits);
	probe->look = NULL;
	probe->waits = NULL;
}

/* --- run --- */

/* A new task must have its entry before it is switched: who makes them comes first. */
int probe_waits_attach(struct probe *probe)
{
	const struct offcpu_bpf *waits = probe->waits;
	struct bpf_program *const programs[WAIT_LINKS] = {
		waits->progs.wait_new_task,
		waits->progs.wait_exec,
		waits->progs.wait_switch,
		probe->waits_knobs.wakers ? waits->progs.wait_waking : NULL,
		probe->waits_knobs.user_stacks ? waits->progs.wait_sys_exit : NULL,
	};

	for (size_t i = 0; i < WAIT_LINKS; i++) {
		if (!programs[i])
			continue;
		probe->wait_links[i] = bpf_program__attach(programs[i]);
		if (!probe->wait_links[i])
			return log_error(errno, "cannot attach to \"%s\": %s", bpf_program__section_name(programs[i]),
					 strerror(errno));
	}
	return 0;
}

void probe_waits_detach(struct probe *probe)
{
	for (size_t i = 0; i < WAIT_LINKS; i++) {
		bpf_link__destroy(probe->wait_links[i]);
		probe->wait_links[i] = NULL;
	}
}

struct ring_look_state *probe_wait_look(const struct probe *probe)
{
	return &probe->waits->bss->wait_look;
}

int probe_wait_hide(const struct probe *probe, pid_t tid)
{
	enum { THREAD = O_EXCL }; /* PIDFD_THREAD, Linux 6.9; before it, leaders only */
	const struct bpf_map *entries = probe->waits->maps.wait_entries;
	const uint64_t hidden = 1; /* the entry's first member */
	_cleanup_close_ int pidfd = (int)syscall(SYS_pidfd_open, tid, THREAD);
	_cleanup_free_ char *entry = calloc(1, bpf_map__value_size(entries));

	if (!entry)
		return -ENOMEM;
	if (pidfd < 0 && errno == EINVAL)
		pidfd = (int)syscall(SYS_pidfd_open, tid, 0);
	if (pidfd < 0)
		return -errno;
	memcpy(entry, &hidden, sizeof(hidden));
	return bpf_map_update_elem(bpf_map__fd(entries), &pidfd, entry, BPF_NOEXIST);
}

int probe_wait_look_open(const struct probe *probe)
{
	return bpf_iter_create(bpf_link__fd(probe->look));
}

int probe_wait_counters(const struct probe *probe, struct ring_cpu *ret_cpus)
{
	return probe_read_per_cpu(probe, probe->waits->maps.ring_cpus, 0, ret_cpus, sizeof(*ret_cpus));
}

void probe_waits_cost(const struct probe *probe, struct probe_cost *cost)
{
	const struct offcpu_bpf *waits = probe->waits;

	probe_add_cost(waits->progs.wait_switch, cost);
	probe_add_cost(waits->progs.wait_waking, cost);
	probe_add_cost(waits->progs.wait_sys_exit, cost);
	probe_add_cost(waits->progs.wait_new_task, cost);
	probe_add_cost(waits->progs.wait_exec, cost);
	probe_add_cost(waits->progs.wait_look_at, cost);
}

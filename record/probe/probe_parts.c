/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "bpf/ring.h"
#include "common/log.h"
#include "record/probe/probe_internal.h"

#include "bpf/steady.skel.h"

static const struct {
	enum ring_part part;
	const char *type, *members;
} needs[] = {
	{RING_PART_CGROUPS, "task_struct", "cgroups"},
	{RING_PART_CGROUPS, "css_set", "dfl_cgrp"},
	{RING_PART_CGROUPS, "cgroup", "kn"},
	{RING_PART_CGROUPS, "kernfs_node", "id"},
	{RING_PART_QUOTAS, "sched_entity", "cfs_rq"},
	{RING_PART_QUOTAS, "cfs_rq", "tg"},
	{RING_PART_QUOTAS, "task_group", "cfs_rq parent css cfs_bandwidth"},
	{RING_PART_QUOTAS, "cfs_bandwidth", "quota period"},
	{RING_PART_QUOTAS, "cgroup_subsys_state", "cgroup"},
	{RING_PART_QUOTAS, "cgroup", "kn"},
	{RING_PART_QUOTAS, "kernfs_node", "id name"},
	{RING_PART_MARKS, "task_struct", "throttled"},
	{RING_PART_MARKS, "cfs_rq", "throttled throttled_clock_self throttled_clock_self_time"},
	{RING_PART_FILES, "task_struct", "files"},
	{RING_PART_FILES, "files_struct", "count fdt"},
	{RING_PART_FILES, "fdtable", "max_fds fd"},
	{RING_PART_FILES, "hlist_head", "first"},
	{RING_PART_FILES, "file", "private_data f_inode"},
	{RING_PART_FILES, "inode", "i_mode i_sb i_ino i_rdev"},
	{RING_PART_FILES, "super_block", "s_dev s_magic"},
	{RING_PART_NAMES, "file", "f_path"},
	{RING_PART_NAMES, "path", "mnt dentry"},
	{RING_PART_NAMES, "dentry", "d_hash d_parent d_name"},
	{RING_PART_NAMES, "hlist_bl_node", "pprev"},
	{RING_PART_NAMES, "qstr", "hash_len len name"},
	{RING_PART_NAMES, "mount", "mnt mnt_parent mnt_mountpoint"},
	{RING_PART_NAMES, "vfsmount", "mnt_root"},
	{RING_PART_SOCKETS, "socket", "sk"},
	{RING_PART_SOCKETS, "sock", "__sk_common"},
	{RING_PART_SOCKETS, "sock_common", "skc_family skc_state"},
	{RING_PART_ADDRESSES, "sock", "sk_protocol"},
	{RING_PART_ADDRESSES, "sock_common", "skc_num skc_dport skc_daddr skc_rcv_saddr"},
	{RING_PART_UNIX, "unix_sock", "addr peer"},
	{RING_PART_UNIX, "unix_address", "len name"},
	{RING_PART_UNIX, "sock", "sk_socket"},
	{RING_PART_UNIX, "socket_alloc", "vfs_inode"},
	{RING_PART_EPOLL, "eventpoll", "rdllist"},
	{RING_PART_EPOLL, "epitem", "rdllink ffd"},
	{RING_PART_EPOLL, "epoll_filefd", "file fd"},
	{RING_PART_EPOLL, "list_head", "next"},
	{RING_PART_MAPPINGS, "task_struct", "mm"},
	{RING_PART_MAPPINGS, "mm_struct", "start_data start_brk brk start_stack exe_file"},
	{RING_PART_MAPPINGS, "vm_area_struct", "vm_start vm_end vm_pgoff vm_flags vm_file"},
	{RING_PART_THREADS, "task_struct", "thread_pid pid_links"},
	{RING_PART_THREADS, "pid", "level tasks numbers"},
	{RING_PART_THREADS, "upid", "ns"},
	{RING_PART_THREADS, "pid_namespace", "idr"},
	{RING_PART_THREADS, "idr", "idr_rt"},
	{RING_PART_THREADS, "xarray", "xa_head"},
	{RING_PART_THREADS, "xa_node", "shift slots"},
	{RING_PART_THREADS, "hlist_head", "first"},
	{RING_PART_SLEEP, "hrtimer", "function _softexpires"},
	{RING_PART_SLEEP, "hrtimer_sleeper", "task"},
	{RING_PART_WORK, "task_struct", "worker_private"},
	{RING_PART_WORK, "kthread", "data"},
	{RING_PART_WORK, "worker", "current_func"},
	{RING_PART_LOCKS, "list_head", "next prev"},
	{RING_PART_LOCKS, "task_struct", "stack"},
	{RING_PART_OWNERS, "mutex", "owner"},
	{RING_PART_OWNERS, "rw_semaphore", "owner"},
};
enum { NEEDS = sizeof(needs) / sizeof(needs[0]) };

static const char *const lost[RING_PARTS] = {
	[RING_PART_CGROUPS] = "which control groups threads are in",
	[RING_PART_QUOTAS] = "what quotas of control groups take",
	[RING_PART_MARKS] = "what quotas of control groups take",
	[RING_PART_FILES] = "which files and sockets threads wait for",
	[RING_PART_NAMES] = "the names of files",
	[RING_PART_SOCKETS] = "what kind of sockets threads wait for",
	[RING_PART_ADDRESSES] = "the addresses of connections",
	[RING_PART_UNIX] = "the names and other ends of unix sockets",
	[RING_PART_EPOLL] = "which files end waits in epoll",
	[RING_PART_MAPPINGS] = "in which mappings futexes are",
	[RING_PART_THREADS] = "the owners of futexes, and which children are waited for",
	[RING_PART_SLEEP] = "how long sleeps were to last",
	[RING_PART_WORK] = "what workers of the kernel do",
	[RING_PART_LOCKS] = "which of the kernel's locks were waited for before the start",
	[RING_PART_OWNERS] = "who holds the kernel's locks",
};

int64_t probe_member_offset(const struct btf *kernel, const struct btf_type *type, const char *name, int depth)
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
		inner = probe_member_offset(kernel, btf__type_by_id(kernel, member->type), name, depth + 1);
		if (inner >= 0)
			return here + inner;
	}
	return -ENOENT;
}

/* Takes out of `missing` ("a b c"), which begins as needs[].members, what this type has: overwritten with blanks. */
static void take_members(const struct btf *kernel, const struct btf_type *type, char *missing)
{
	char name[64];

	for (char *at = missing + strspn(missing, " "); *at; at += strspn(at, " ")) {
		const size_t length = strcspn(at, " ");

		(void)snprintf(name, sizeof(name), "%.*s", (int)length, at);
		if (probe_member_offset(kernel, type, name, 0) >= 0)
			memset(at, ' ', length);
		at += length;
	}
}

static void find_members(const struct btf *kernel, char missing[NEEDS][64])
{
	for (uint32_t id = 1; id < btf__type_cnt(kernel); id++) {
		const struct btf_type *type = btf__type_by_id(kernel, id);
		const char *name = btf_is_struct(type) ? btf__name_by_offset(kernel, type->name_off) : NULL;

		for (size_t i = 0; name && *name && i < NEEDS; i++)
			if (!strcmp(name, needs[i].type))
				take_members(kernel, type, missing[i]);
	}
}

bool probe_kernel_has_quotas(const struct btf *kernel)
{
	return btf__find_by_name_kind(kernel, "tg_throttle_down", BTF_KIND_FUNC) > 0;
}

/* Kernels without quotas, without marks before 6.18, and with other locks for PREEMPT_RT, lack nothing. */
static bool is_expected(const struct btf *kernel, enum ring_part part)
{
	if (part == RING_PART_QUOTAS)
		return probe_kernel_has_quotas(kernel);
	if (part == RING_PART_OWNERS)
		return btf__find_by_name_kind(kernel, "rwbase_rt", BTF_KIND_STRUCT) < 0;
	return part != RING_PART_MARKS || btf__find_by_name_kind(kernel, "bpf_task_work", BTF_KIND_STRUCT) > 0;
}

static bool is_wanted(const struct probe_settings *settings, enum ring_part part)
{
	if (part == RING_PART_CGROUPS)
		return true;
	if (part < RING_PART_FILES)
		return settings->wants[PROBE_WAITS];
	return settings->objects && (settings->wants[PROBE_WAITS] || settings->wants[PROBE_TASKS]);
}

uint64_t probe_find_parts(const struct probe_settings *settings, const struct btf *kernel)
{
	uint64_t parts = (1ULL << RING_PARTS) - 1;
	char missing[NEEDS][64];

	if (!kernel)
		return parts;
	for (size_t i = 0; i < NEEDS; i++)
		(void)snprintf(missing[i], sizeof(missing[i]), "%s", needs[i].members);
	find_members(kernel, missing);
	for (size_t i = 0; i < NEEDS; i++) {
		const enum ring_part part = needs[i].part;
		const char *first = missing[i] + strspn(missing[i], " ");

		if (!*first)
			continue;
		if (parts >> part & 1 && is_wanted(settings, part) && is_expected(kernel, part))
			log_warning("this kernel's types lack '%s.%.*s': nothing is recorded about %s", needs[i].type,
				    (int)strcspn(first, " "), first, lost[part]);
		parts &= ~(1ULL << part);
	}
	return parts;
}

/* --- one question, before anything of a recording exists --- */

int probe_sched_clock_is_stable(void)
{
	int steady = -ENOENT, r;
	LIBBPF_OPTS(bpf_test_run_opts, options, .ctx_in = &steady, .ctx_size_in = sizeof(steady));
	struct steady_bpf *programs;

	(void)libbpf_set_print(NULL);
	programs = steady_bpf__open_and_load();
	if (!programs)
		return -errno;
	r = bpf_prog_test_run_opts(bpf_program__fd(programs->progs.read_steady), &options);
	steady_bpf__destroy(programs);
	return r < 0 ? r : steady;
}

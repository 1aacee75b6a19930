/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The control groups of version 2: those that exist (an iterator, which holds the kernel's lock of all
 * cgroups, so a helper process reads its file), and those that are made and removed during the recording.
 * Records have only the last component of a path: the recorder puts paths together. The cgroup of a task is
 * reported wherever a task is described (bpf/filter.bpf.h). Version 2 has no renaming.
 */
#include "bpf/kernel.h"

__u64 cgroups_lost; /* made or removed without a record: the ring was full */

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, RING_CGROUP_BYTES);
} cgroups_ring SEC(".maps");

/* Copies, for the reason that TASK_POINTER() exists (bpf/kernel_objects.bpf.h). */
static __always_inline void describe(struct cgroup *cgroup, u32 kind, struct ring_cgroup *record)
{
	const struct cgroup_subsys_state *parent = BPF_CORE_READ(cgroup, self.parent);
	long length = bpf_probe_read_kernel_str(record->name, sizeof(record->name), BPF_CORE_READ(cgroup, kn, name));

	record->time = bpf_ktime_get_ns();
	record->id = BPF_CORE_READ(cgroup, kn, id);
	record->parent = parent ? BPF_CORE_READ(parent, cgroup, kn, id) : 0;
	record->kind = kind;
	record->length = length > 0 ? length - 1 : 0;
}

static __always_inline int write(struct cgroup *cgroup, u32 kind)
{
	struct ring_cgroup *record;

	if (BPF_CORE_READ(cgroup, root, hierarchy_id))
		return 0;
	record = bpf_ringbuf_reserve(&cgroups_ring, sizeof(*record), 0);
	if (!record) {
		__sync_fetch_and_add(&cgroups_lost, 1);
		return 0;
	}
	describe(cgroup, kind, record);
	bpf_ringbuf_submit(record, BPF_RB_NO_WAKEUP);
	return 0;
}

/* Through the ring: the kernel lists cgroups in one go, and the file's own buffer does not hold many. */
SEC("iter/cgroup")
int list_cgroups(struct bpf_iter__cgroup *ctx)
{
	struct cgroup *cgroup = ctx->cgroup;

	return cgroup ? write(cgroup, RING_CGROUP_EXISTS) : 0;
}

/* Called before a task can be in it. */
SEC("tp_btf/cgroup_mkdir")
int cgroups_made(u64 *ctx)
{
	return write((void *)ctx[0], RING_CGROUP_MADE);
}

/* Called when no task is in it any more, except some that have ended. */
SEC("tp_btf/cgroup_rmdir")
int cgroups_removed(u64 *ctx)
{
	return write((void *)ctx[0], RING_CGROUP_REMOVED);
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";

/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Programs that a recording can do without, and reports it if the kernel refuses them: they are loaded last. */
#include <errno.h>

#include "record/probe/probe_internal.h"

#include "bpf/cgroups.skel.h"
#include "bpf/lives.skel.h"
#include "bpf/sleepers.skel.h"

/* Only its memory is asked for as that of others is. */
static int add(struct probe *probe, enum probe_kind kind, struct bpf_object *object)
{
	return array_push(&probe->objects, (struct probe_object){.kind = kind, .object = object});
}

/* --- lives: forks, renames, exits --- */

int probe_lives_load(struct probe *probe)
{
	probe->lives = lives_bpf__open_and_load();
	if (!probe->lives)
		return -errno;
	return add(probe, PROBE_LIVES, probe->lives->obj) < 0 ? -ENOMEM : lives_bpf__attach(probe->lives);
}

void probe_lives_unload(struct probe *probe)
{
	probe_forget(probe, probe->lives ? probe->lives->obj : NULL);
	lives_bpf__destroy(probe->lives);
	probe->lives = NULL;
}

int probe_lives(const struct probe *probe, struct ring_lives *ret_cpus)
{
	if (!probe->lives)
		return -ENODEV;
	return probe_read_per_cpu(probe, probe->lives->maps.lives, 0, ret_cpus, sizeof(*ret_cpus));
}

const struct ring_shares *probe_shares(const struct probe *probe)
{
	return probe->lives ? &probe->lives->bss->lives_shares : NULL;
}

/* --- control groups --- */

/* Lists the whole tree that the recorder may see. */
static struct bpf_link *attach_list(const struct cgroups_bpf *cgroups)
{
	union bpf_iter_link_info info = {.cgroup.order = BPF_CGROUP_ITER_DESCENDANTS_PRE};
	LIBBPF_OPTS(bpf_iter_attach_opts, options, .link_info = &info, .link_info_len = sizeof(info));

	return bpf_program__attach_iter(cgroups->progs.list_cgroups, &options);
}

/* New cgroups are followed before the existing ones can be listed, so that none is missed. */
int probe_cgroups_load(struct probe *probe)
{
	struct cgroups_bpf *cgroups = probe->cgroups = cgroups_bpf__open_and_load();

	if (!cgroups)
		return -errno;
	if (add(probe, PROBE_CGROUPS, cgroups->obj) < 0)
		return -ENOMEM;
	cgroups->links.cgroups_made = bpf_program__attach(cgroups->progs.cgroups_made);
	if (cgroups->links.cgroups_made)
		cgroups->links.cgroups_removed = bpf_program__attach(cgroups->progs.cgroups_removed);
	if (cgroups->links.cgroups_removed)
		cgroups->links.list_cgroups = attach_list(cgroups);
	return cgroups->links.list_cgroups ? 0 : -errno;
}

void probe_cgroups_unload(struct probe *probe)
{
	probe_forget(probe, probe->cgroups ? probe->cgroups->obj : NULL);
	cgroups_bpf__destroy(probe->cgroups);
	probe->cgroups = NULL;
}

int probe_cgroups_ring(const struct probe *probe)
{
	return probe->cgroups ? bpf_map__fd(probe->cgroups->maps.cgroups_ring) : -1;
}

int probe_cgroups_open(const struct probe *probe, int *ret_fd)
{
	int fd = bpf_iter_create(bpf_link__fd(probe->cgroups->links.list_cgroups));

	if (fd < 0)
		return fd;
	*ret_fd = fd;
	return 0;
}

uint64_t probe_cgroups_lost(const struct probe *probe)
{
	return probe->cgroups->bss->cgroups_lost;
}

/* --- where user stacks of sleeping tasks are --- */

int probe_sleepers_load(struct probe *probe)
{
	probe->sleepers = sleepers_bpf__open_and_load();
	if (!probe->sleepers)
		return -errno;
	if (add(probe, PROBE_SLEEPERS, probe->sleepers->obj) < 0)
		return -ENOMEM;
	probe->sleep = bpf_program__attach_iter(probe->sleepers->progs.look_at_sleepers, NULL);
	return probe->sleep ? 0 : -errno;
}

void probe_sleepers_unload(struct probe *probe)
{
	bpf_link__destroy(probe->sleep);
	probe_forget(probe, probe->sleepers ? probe->sleepers->obj : NULL);
	sleepers_bpf__destroy(probe->sleepers);
	probe->sleep = NULL;
	probe->sleepers = NULL;
}

int probe_sleepers_page(const struct probe *probe)
{
	return probe->sleepers ? bpf_map__fd(probe->sleepers->maps.sleepers_asked) : -1;
}

int probe_sleepers_want(const struct probe *probe, uint32_t tid, const struct ring_sleeper_wanted *wanted)
{
	return bpf_map_update_elem(bpf_map__fd(probe->sleepers->maps.sleepers_wanted), &tid, wanted, BPF_ANY);
}

bool probe_sleepers_forget(const struct probe *probe, uint32_t tid)
{
	int map = bpf_map__fd(probe->sleepers->maps.sleepers_wanted);
	struct ring_sleeper_wanted wanted = {0};

	if (bpf_map_lookup_elem(map, &tid, &wanted) < 0)
		return false;
	(void)bpf_map_delete_elem(map, &tid);
	return wanted.stage != RING_SLEEPER_WANTED;
}

int probe_sleepers_open(const struct probe *probe, int *ret_fd)
{
	int fd = bpf_iter_create(bpf_link__fd(probe->sleep));

	if (fd < 0)
		return fd;
	*ret_fd = fd;
	return 0;
}

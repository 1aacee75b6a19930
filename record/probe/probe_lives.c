/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The programs that count lives (forks, renames, exits), and those that report control groups. A
 * recording can do without either, and reports it: they are loaded last.
 */
#include <errno.h>
#include <linux/types.h>
#include <string.h>

#include "bpf/ring.h"
#include "common/log.h"
#include "record/probe/probe_internal.h"

#include "bpf/cgroups.skel.h"
#include "bpf/lives.skel.h"

static int load_lives(struct probe *probe)
{
	probe->lives = lives_bpf__open_and_load();
	return probe->lives ? lives_bpf__attach(probe->lives) : -errno;
}

void probe_lives_load(struct probe *probe)
{
	int r = load_lives(probe);

	if (r >= 0)
		return;
	probe_lives_unload(probe);
	log_warning("cannot count forks by BPF (%s): missing records of processes will go unnoticed",
		    strerror(-r));
}

void probe_lives_unload(struct probe *probe)
{
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
static int load_cgroups(struct probe *probe)
{
	struct cgroups_bpf *cgroups = probe->cgroups = cgroups_bpf__open_and_load();

	if (!cgroups)
		return -errno;
	cgroups->links.cgroups_made = bpf_program__attach(cgroups->progs.cgroups_made);
	if (cgroups->links.cgroups_made)
		cgroups->links.cgroups_removed = bpf_program__attach(cgroups->progs.cgroups_removed);
	if (cgroups->links.cgroups_removed)
		cgroups->links.list_cgroups = attach_list(cgroups);
	return cgroups->links.list_cgroups ? 0 : -errno;
}

void probe_cgroups_load(struct probe *probe)
{
	int r = load_cgroups(probe);

	if (r >= 0)
		return;
	probe_cgroups_unload(probe);
	log_warning("cannot read control groups by BPF (%s): the trace will lack their paths, and which containers "
		    "threads were in", strerror(-r));
}

void probe_cgroups_unload(struct probe *probe)
{
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

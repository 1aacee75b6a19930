/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The program that says where user stacks of sleeping tasks are. A walk can do without it: it is
 * loaded last, and may be refused.
 */
#include <errno.h>
#include <linux/types.h>
#include <string.h>

#include "bpf/ring.h"
#include "common/log.h"
#include "record/probe/probe_internal.h"

#include "bpf/sleepers.skel.h"

static int load(struct probe *probe)
{
	int r;

	probe->sleepers = sleepers_bpf__open();
	if (!probe->sleepers)
		return -errno;
	r = sleepers_bpf__load(probe->sleepers);
	if (r < 0)
		return r;
	probe->sleep = bpf_program__attach_iter(probe->sleepers->progs.look_at_sleepers, NULL);
	return probe->sleep ? 0 : -errno;
}

void probe_sleepers_load(struct probe *probe)
{
	int r = load(probe);

	if (r >= 0)
		return;
	probe_sleepers_unload(probe);
	log_warning("cannot find user stacks of sleeping tasks by BPF (%s): walks, and waits that "
		    "have not ended, will lack them", strerror(-r));
}

void probe_sleepers_unload(struct probe *probe)
{
	bpf_link__destroy(probe->sleep);
	sleepers_bpf__destroy(probe->sleepers);
	probe->sleep = NULL;
	probe->sleepers = NULL;
}

void probe_sleepers_cost(const struct probe *probe, struct probe_cost *cost)
{
	if (probe->sleepers)
		probe_add_cost(probe->sleepers->progs.look_at_sleepers, cost);
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

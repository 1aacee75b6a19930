/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The programs that count lives. A recording can do without them, and reports it: they are loaded last. */
#include <errno.h>
#include <linux/types.h>
#include <string.h>

#include "bpf/ring_lives.h"
#include "common/log.h"
#include "record/probe/probe_internal.h"

#include "bpf/lives.skel.h"

static int load(struct probe *probe)
{
	probe->lives = lives_bpf__open_and_load();
	return probe->lives ? lives_bpf__attach(probe->lives) : -errno;
}

void probe_lives_load(struct probe *probe)
{
	int r = load(probe);

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

void probe_lives_cost(const struct probe *probe, struct probe_cost *cost)
{
	struct probe_cost own = {0};

	if (!probe->lives)
		return;
	probe_add_cost(probe->lives->progs.lives_fork, &own);
	probe_add_cost(probe->lives->progs.lives_rename, &own);
	probe_add_cost(probe->lives->progs.lives_exit, &own);
	cost->run_ns += own.run_ns; /* a life that is not counted is not a missing event */
}

/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The part of fake_probe.h for waits and sleepers; included only by it. */
#pragma once

#include "common/unconst.h"
#include "tests/unit/record/fake_probe_struct.h"

int probe_waits_attach(struct probe *probe)
{
	probe->attached = true;
	return 0;
}

void probe_waits_detach(struct probe *probe)
{
	probe->attached = false;
}

bool probe_wait_objects(const struct probe *probe)
{
	(void)probe;
	return false;
}

struct ring_look_state *probe_wait_look(const struct probe *probe)
{
	return unconst(&probe->look);
}

int probe_wait_look_open(const struct probe *probe)
{
	return probe->look_fd;
}

int probe_wait_hide(const struct probe *probe, pid_t tid)
{
	(void)probe, (void)tid;
	return -EEXIST;
}

int probe_read_clock(const struct probe *probe, struct ring_clock *ret_clock)
{
	*ret_clock = probe->clock;
	return 0;
}

/* --- user stacks of sleepers: the kernel refused the program --- */

int probe_sleepers_page(const struct probe *probe)
{
	(void)probe;
	return -1;
}

int probe_sleepers_want(const struct probe *probe, uint32_t tid, const struct ring_sleeper_wanted *wanted)
{
	(void)probe, (void)tid, (void)wanted;
	return -E2BIG;
}

bool probe_sleepers_forget(const struct probe *probe, uint32_t tid)
{
	(void)probe, (void)tid;
	return false;
}

int probe_sleepers_open(const struct probe *probe, int *ret_fd)
{
	(void)probe, (void)ret_fd;
	return -ENODEV;
}

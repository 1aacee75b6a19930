/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* What fake_probe.h has instead of the kernel. */
#pragma once

#include <errno.h>
#include <linux/types.h>
#include <stdbool.h>
#include <string.h>

#include "bpf/ring_lives.h"
#include "record/probe/probe.h"
#include "record/probe/probe_points.h"

#ifndef FAKE_CPUS /* a benchmark has more */
enum { FAKE_CPUS = 4, FAKE_RINGS = 4 };
#endif
enum { FAKE_SOURCES = 2, FAKE_POINTS = 4 };

struct probe {
	uint32_t rings; /* files in memory (made_ring.h) */
	int ring_fds[FAKE_RINGS];
	struct ring_cpu cpu[FAKE_CPUS], waits[FAKE_CPUS];
	struct ring_point_source points[FAKE_SOURCES][FAKE_CPUS];
	struct ring_point_hits hits[FAKE_POINTS + 1]; /* by number */
	uint64_t missed[FAKE_SOURCES];
	struct ring_lives lives[FAKE_CPUS];
	bool blind; /* these are not counted */
	bool armed[FAKE_SOURCES];
	struct probe_cost cost;
	struct ring_look_state look;
	struct ring_clock clock;
	bool attached;
	int look_fd; /* the result of a look at all tasks; the caller closes it */
};

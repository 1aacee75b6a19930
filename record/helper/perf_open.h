/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Opens a perf event that counts on one CPU. If only root may do that on the host
 * (perf_event_paranoid above 2, Debian's default), and the recorder is no longer root, a helper
 * process opens it and passes it on. Request: struct perf_open_request. Reply: an int32_t, 0 with
 * the descriptor or -errno.
 */
#ifndef RWALKER_RECORD_HELPER_PERF_OPEN_H
#define RWALKER_RECORD_HELPER_PERF_OPEN_H

#include <linux/perf_event.h>
#include <stdint.h>

struct nursery;

struct perf_open_request {
	struct perf_event_attr attr;
	uint32_t cpu, unused;
};

/* A descriptor, -errno. nursery NULL: we are root. */
int perf_open(struct nursery *nursery, const struct perf_event_attr *attr, uint32_t cpu);

/* The helper's main: serves until the socket closes. */
int perf_open_helper_run(int socket);

#endif

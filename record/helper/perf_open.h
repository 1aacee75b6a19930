/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Opens a perf event that counts on one CPU. If only root may do that on the host
 * (perf_event_paranoid above 2, Debian's default), and the recorder is no longer root, the process
 * that starts helpers opens it and passes it on: it has the rights anyway, and nothing is read.
 */
#ifndef RWALKER_RECORD_HELPER_PERF_OPEN_H
#define RWALKER_RECORD_HELPER_PERF_OPEN_H

#include <linux/perf_event.h>
#include <stddef.h>
#include <stdint.h>

struct spawner;

/* A descriptor, -errno. spawner NULL: we are root. */
int perf_open(struct spawner *spawner, const struct perf_event_attr *attr, uint32_t cpu);

/* That process's part. The same. */
int perf_open_task(const void *request, size_t size);

#endif

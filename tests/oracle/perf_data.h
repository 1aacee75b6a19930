/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * A perf.data file as snapshots: `perf record --call-graph dwarf`, one event, not compressed.
 * Mappings, forks and execs are replayed in time order, so that each sample has the address space
 * in which it was taken. The format is described in the kernel's
 * tools/perf/Documentation/perf.data-file-format.txt and perf_event_open(2).
 */
#pragma once

#include "tests/oracle/snapshot.h"

struct perf_sample {
	uint32_t pid, tid;
	uint64_t time;
	struct oracle_snapshot snapshot; /* its stack is in the file */
};

struct perf_data {
	struct oracle_modules modules;
	ARRAY(struct perf_sample) samples; /* by time; those that have user registers */
	unsigned long without;		   /* samples of kernel threads and of 32-bit code */
	const uint8_t *bytes;
	size_t size;
};

/* 0 or -errno, reported on stderr. Is never closed. */
int perf_data_open(const char *path, struct perf_data *ret_data);

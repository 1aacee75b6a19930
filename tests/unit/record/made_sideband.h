/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The sideband on rings that are files in memory: records are put there as the kernel would do, and
 * sideband_look() finds them. Defines the functions of record/helper/perf_open.h, so a test program
 * includes it once.
 */
#pragma once

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "record/helper/perf_open.h"
#include "record/host/cpus.h"
#include "record/place/sideband_internal.h"
#include "record/place/sideband_records.h"
#include "tests/unit/record/made_perf_ring.h"
#include "tests/unit/record/made_recording.h"

enum { MADE_RING_MOST = 4 << 20 }; /* no ring is larger; unwritten parts take no memory */

int perf_open(struct spawner *spawner, const struct perf_event_attr *attr, uint32_t cpu)
{
	int fd = memfd_create("ring", MFD_CLOEXEC);

	(void)spawner, (void)cpu;
	if (fd < 0 || attr->type != PERF_TYPE_SOFTWARE || ftruncate(fd, MADE_RING_MOST) < 0)
		abort();
	return fd;
}

int perf_open_task(const void *request, size_t size)
{
	(void)request, (void)size;
	return -EINVAL;
}

/* On all CPUs. */
static inline void made_sideband_open(struct made_recording *made)
{
	struct cpu_set online = {0};

	for (uint32_t cpu = 0; cpu < made->recording.max_cpus; cpu++)
		cpu_set_add(&online, cpu);
	made_check(sideband_create(&made->recording, NULL, &online, &made->recording.sideband));
}

static inline void made_sideband_close(struct made_recording *made)
{
	sideband_destroy(made->recording.sideband);
}

/* --- records --- */

/* The record, the text that ends it (NULL: none), and the time: as the kernel lays them out. */
static inline void made_put(const struct made_recording *made, uint32_t cpu, const void *record, size_t size,
			    const char *text, uint64_t time)
{
	struct perf_ring *ring = &made->recording.sideband->rings[cpu];
	uint64_t bytes[64] = {0};
	size_t words = size / sizeof(uint64_t) + (text ? strlen(text) / sizeof(uint64_t) + 1 : 0);
	struct perf_event_header *header = (void *)bytes;

	if (words + 1 > sizeof(bytes) / sizeof(bytes[0]))
		abort();
	memcpy(bytes, record, size);
	if (text)
		memcpy((char *)bytes + size, text, strlen(text));
	bytes[words++] = time;
	header->size = (uint16_t)(words * sizeof(uint64_t));
	made_perf_ring_put(ring, bytes, words);
}

static inline void made_put_task(const struct made_recording *made, uint32_t cpu,
				 const struct task_record *task, uint32_t type)
{
	struct task_record record = *task;

	record.header.type = type;
	made_put(made, cpu, &record, sizeof(record), NULL, task->time);
}

static inline void made_put_fork(const struct made_recording *made, uint32_t cpu, uint64_t time,
				 uint32_t parent, uint32_t child)
{
	const struct task_record task = {.tgid = child, .parent_tgid = parent, .tid = child,
					 .parent_tid = parent, .time = time};

	made_put_task(made, cpu, &task, PERF_RECORD_FORK);
}

static inline void made_put_exit(const struct made_recording *made, uint32_t cpu, uint64_t time,
				 uint32_t tgid, uint32_t tid)
{
	const struct task_record task = {.tgid = tgid, .parent_tgid = 1, .tid = tid, .parent_tid = 1, .time = time};

	made_put_task(made, cpu, &task, PERF_RECORD_EXIT);
}

static inline void made_put_comm(const struct made_recording *made, uint32_t cpu, uint64_t time,
				 uint32_t tgid, bool exec, const char *comm)
{
	const struct comm_record record = {.header = {.type = PERF_RECORD_COMM,
						      .misc = exec ? PERF_RECORD_MISC_COMM_EXEC :
								     0},
					   .tgid = tgid,
					   .tid = tgid};

	made_put(made, cpu, &record, sizeof(record), comm, time);
}

/* 0x1000 bytes; of a file by its device and inode. */
static inline void made_put_map(const struct made_recording *made, uint32_t cpu, uint64_t time,
				uint32_t tgid, uint64_t start, uint64_t file_offset,
				const char *path)
{
	struct mmap2_record record = {.header = {.type = PERF_RECORD_MMAP2},
				      .tgid = tgid,
				      .tid = tgid,
				      .start = start,
				      .length = 0x1000,
				      .file_offset = file_offset,
				      .protection = PROT_READ | PROT_EXEC};

	record.device_major = 8;
	record.device_minor = 1;
	record.inode = path[0] ? 500 : 0;
	made_put(made, cpu, &record, sizeof(record), path, time);
}

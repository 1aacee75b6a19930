/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The kernel's records that the sideband asks for, as laid out in its rings. */
#ifndef RWALKER_RECORD_PLACE_SIDEBAND_RECORDS_H
#define RWALKER_RECORD_PLACE_SIDEBAND_RECORDS_H

#include <linux/perf_event.h>
#include <stdint.h>

/* Records as linux/perf_event.h documents them; all end with the time (sample_id_all with PERF_SAMPLE_TIME alone). */
struct mmap2_record {
	struct perf_event_header header;
	uint32_t tgid, tid;
	uint64_t start, length, file_offset;
	/* Also if the header has PERF_RECORD_MISC_MMAP_BUILD_ID: it is somebody else who gets build-ids. */
	uint32_t device_major, device_minor;
	uint64_t inode, generation;
	uint32_t protection, flags;
	char path[];
};

struct comm_record {
	struct perf_event_header header;
	uint32_t tgid, tid;
	char comm[];
};

struct task_record { /* FORK, EXIT */
	struct perf_event_header header;
	uint32_t tgid, parent_tgid, tid, parent_tid;
	uint64_t time;
};

struct ksymbol_record {
	struct perf_event_header header;
	uint64_t address;
	uint32_t length;
	uint16_t type, flags;
	char name[];
};

struct lost_record {
	struct perf_event_header header;
	uint64_t id, lost;
};

#endif

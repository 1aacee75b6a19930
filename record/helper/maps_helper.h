/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The helper that reads /proc/PID/comm and /proc/PID/maps: the read waits for the target's mm lock,
 * which a stuck task may hold forever. Request: a uint32_t tgid. Reply: packets that each begin
 * with struct maps_reply, followed by `count` records: struct maps_record, then path_length bytes.
 * The packet with `last` ends the answer. A request for tgid 0 asks for the list of processes,
 * which the recorder may no longer be allowed to see: its records are uint32_t tgids.
 */
#ifndef RWALKER_RECORD_HELPER_MAPS_HELPER_H
#define RWALKER_RECORD_HELPER_MAPS_HELPER_H

#include <stdint.h>

struct maps_reply {
	uint32_t tgid;
	int32_t error; /* -errno; -ESRCH if the process is gone */
	uint32_t count;
	uint32_t last;
	char comm[16];
};

struct maps_record { /* one executable mapping */
	uint64_t start, end, file_offset, device, inode;
	uint32_t path_length;
	uint32_t deleted;
	/* Memory without a file between two parts of one, perhaps a copy of it: reported as that file. */
	uint32_t copied;
};

/* The helper's main: serves until the socket closes. */
int maps_helper_run(int socket, const void *context);

#endif

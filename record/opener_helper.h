/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The helper that opens files of other processes: path lookups there can hang on a dead file server, and
 * /proc/PID/map_files takes the target's mm lock. It opens the very inode that is mapped, also when the path
 * means another file by now, is deleted, or lies in another mount namespace. Request: struct opener_request and, for
 * a mapping, path_length bytes. Reply: struct opener_reply, with the descriptor (O_RDONLY) where error is 0.
 */
#ifndef RWALKER_RECORD_OPENER_HELPER_H
#define RWALKER_RECORD_OPENER_HELPER_H

#include <stdint.h>

enum opener_what { OPENER_MAPPING = 1,
		   OPENER_PERF_MAP = 2 };

struct opener_request {
	uint32_t what;  /* enum opener_what */
	uint32_t token; /* comes back in the reply */
	uint32_t tgid;
	uint32_t path_length;
	uint64_t start, end;     /* OPENER_MAPPING: the mapping */
	uint64_t device, inode;  /* of the file, 0, 0 where not known */
	uint64_t verified_later; /* its build-id is known and will be compared: where the process is gone, our own root will do */
};

struct opener_reply {
	uint32_t token;
	int32_t error; /* -errno; -ESTALE: the path holds another file; -EREMOTE: a file system that may hang */
	uint64_t device, inode;
};

int opener_helper_run(int socket);

#endif

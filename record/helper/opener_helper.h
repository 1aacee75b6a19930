/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The helper that opens files which other processes have named: path lookups there can hang on a
 * dead file server, and /proc/PID/map_files takes the target's mm lock. What an unprivileged
 * process names is opened with that process's own rights (file_gate.h), below its own root, through
 * no link, and looked at before it is opened (file_gate.h):
 *
 *     a mapped ELF file   the very inode that is mapped, through map_files, which follows no path; else by path, and
 *                         then only the file of that device and inode, or if its build-id will be compared
 *     a perf-PID.map      by path in the process's root, with its rights; its user or root must own the file
 *
 * A process that is gone has no root, and its rights are not known. Its programs are then looked
 * for in our own root with the rights of whoever started the recorder, and what its JIT compiler
 * wrote with those of its user if it had been asked for before (OPENER_OWNER): in the /tmp that it had then,
 * of which the answer has a descriptor (O_PATH) if it is not ours. It comes with OPENER_PERF_MAP.
 *
 * Some programs put a copy of their code in its place. For OPENER_COPY, pages of the memory that are resident are
 * compared with the file; 0: there are some, and all are equal; else -EAGAIN.
 *
 * Request: struct opener_request and path_length bytes. Reply: struct opener_reply, with the
 * descriptor (O_RDONLY) if error is 0; none for OPENER_COPY.
 */
#ifndef RWALKER_RECORD_HELPER_OPENER_HELPER_H
#define RWALKER_RECORD_HELPER_OPENER_HELPER_H

#include <stdint.h>

enum opener_what { OPENER_MAPPING = 1, /* an ELF file; has a path */
		   OPENER_PERF_MAP = 2,
		   OPENER_DEBUG = 3, /* the caller's own ELF file, through people's links; has a path */
		   OPENER_OWNER = 4,
		   OPENER_COPY = 5 /* whether memory holds what a file has: comes with its descriptor */ };

/* A process and its user. */
struct opener_owner {
	uint32_t uid, gid;
	uint64_t start; /* clock ticks since boot, as in /proc/PID/stat; 0: nothing is known */
	uint32_t inner_tgid; /* in the innermost pid namespace: JIT compilers use it in file names */
	uint64_t map_size;   /* of its perf-PID.map at that time, in bytes; 0: there was none */
};

struct opener_request {
	uint32_t what;  /* enum opener_what */
	uint32_t token; /* returned in the reply */
	uint32_t tgid;
	uint32_t path_length;
	uint64_t start, end;     /* the mapping; 0, 0: unknown */
	uint64_t offset;	 /* in the file, of start: OPENER_COPY */
	uint64_t device, inode;  /* of the file; 0, 0: unknown */
	uint32_t generation;	 /* of the inode; 0: unknown */
	/* CLOCK_REALTIME, ns: a file known only by device and inode must not have changed since; 0: it may have. */
	uint64_t unchanged_since;
	uint32_t verified_later; /* its build-id is known and will be compared */
	/* By path in our own root with the rights of whoever started the recorder, and never through the process. */
	uint32_t as_caller;
	struct opener_owner owner; /* an earlier answer about tgid */
};

struct opener_reply {
	uint32_t token;
	/*
	 * -errno. Refused: -ESTALE: another file, or changed; -ELOOP: a link; -EREMOTE: a file system that is not read;
	 * -EINVAL: not a regular file; -ENOEXEC: the mapped file is none of ELF; -EPERM, -EMLINK: somebody else's, or a
	 * file with several names.
	 */
	int32_t error;
	struct opener_owner owner; /* OPENER_OWNER */
};

/* The helper's main: serves until the socket closes. */
int opener_helper_run(int socket, const void *context);

#endif

/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Whether a file is on FUSE, found out without asking the process that serves it. That process
 * may be dead or hang, and who waits for its answer cannot be killed: a helper that asked would
 * stay behind for as long as the mount does.
 */
#ifndef RWALKER_RECORD_HELPER_FUSE_MOUNTS_H
#define RWALKER_RECORD_HELPER_FUSE_MOUNTS_H

#include <stdbool.h>
#include <stdint.h>

struct fuse_device {
	uint64_t device; /* 0: none */
	bool fuse;
};

enum { FUSE_DEVICES_KNOWN = 16 };

struct fuse_mounts {
	int folder; /* in /proc: of the process whose mounts are looked through; -1: our own */
	unsigned int next;
	struct fuse_device known[FUSE_DEVICES_KNOWN]; /* a list may have thousands of lines: the last answers */
};

/*
 * Of an open file; O_PATH will do. By the list of mounts, proc_pid_mountinfo(5); false if it is
 * not in there. The working directory must be /proc.
 */
bool fuse_mounts_have(struct fuse_mounts *mounts, int fd);

/* The same of an absolute path that is to be opened below the root of that process: walking there would ask, too. */
bool fuse_mounts_cover(const struct fuse_mounts *mounts, const char *path);

#endif

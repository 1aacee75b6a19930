/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Whether a file is on FUSE, found out without asking the process that serves it. That process
 * may be dead or hang, and a process that waits for its answer cannot be killed: a helper that
 * asked would stay for as long as the mount does.
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
	int folder; /* in /proc, of the process whose mounts are searched; -1: our own */
	unsigned int next;
	struct fuse_device known[FUSE_DEVICES_KNOWN]; /* the last answers: a list may have thousands of lines */
};

/*
 * Whether an open file is on FUSE; O_PATH will do. Decided by the list of mounts,
 * proc_pid_mountinfo(5); false if it lacks the device. The working directory must be /proc.
 */
bool fuse_mounts_have(struct fuse_mounts *mounts, int fd);

/* The same for an absolute path to be opened below the root of that process: the lookup would ask the server, too. */
bool fuse_mounts_cover(const struct fuse_mounts *mounts, const char *path);

#endif

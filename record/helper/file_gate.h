/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The gate that a file named by others passes before anything reads it. The file is found with
 * O_PATH, which opens no device, wakes no writer of a FIFO and asks nobody for permission; then it
 * is checked; and only then opened, through /proc/self/fd, with the rights that are in effect. So
 * the file that was checked is opened, whatever its name refers to by then. The working directory
 * must be /proc, which helpers.c sets: the user in effect may have no access to "/".
 */
#ifndef RWALKER_RECORD_HELPER_FILE_GATE_H
#define RWALKER_RECORD_HELPER_FILE_GATE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "record/helper/fuse_mounts.h"

struct file_gate_rules {
	/* For files of JIT compilers: owned by `owner` or root, with one name at most, on a local file system. */
	bool written;
	uid_t owner;
	bool elf; /* begins like an ELF file */
	struct fuse_mounts *mounts; /* of the process whose path was used; NULL: its server is asked, whoever that is */
};

/*
 * Finds a file below a folder (O_PATH), never above it. Follows no symbolic links or, with `links`,
 * all but the kernel's magic links. An O_PATH descriptor, or -errno; -ELOOP: a link.
 */
int file_gate_find(int root, const char *path, bool links);

/*
 * Opens what was found, if it is a regular file that the rules allow. A descriptor (O_RDONLY), or
 * -errno: -EINVAL: not a regular file; -EREMOTE: on a file system that it must not be on; -EPERM:
 * somebody else's; -EMLINK: has other names; -ENOEXEC: no ELF file; -EACCES.
 */
int file_gate_open(int found, const struct file_gate_rules *rules);

/*
 * Whether an open file has the device and inode that the kernel lists for mappings of it. Where
 * stat(2) returns another device, as on btrfs and overlayfs, the file is mapped here and looked up
 * in our own list.
 */
bool file_gate_is(int fd, uint64_t device, uint64_t inode);

#endif

/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The gate that a file named by others passes before anything reads it. It is found with O_PATH,
 * which opens no device, wakes no writer of a FIFO and asks nobody for permission; looked at; and
 * only then opened, through /proc/self/fd, with the rights that are in effect. What was looked at
 * is what is opened, whatever its name leads to by then. The working directory must be /proc, as
 * the nursery has made it: "/" may be closed to the user in effect.
 */
#ifndef RWALKER_RECORD_HELPER_FILE_GATE_H
#define RWALKER_RECORD_HELPER_FILE_GATE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "record/helper/fuse_mounts.h"

struct file_gate_rules {
	/* Owned by that user or by root, with one name at most, on a local file system: what a JIT compiler writes. */
	bool written;
	uid_t owner;
	bool elf; /* begins like an ELF file */
	struct fuse_mounts *mounts; /* of whoever's name for it was taken; NULL: it is asked, whoever serves it */
};

/*
 * Below a folder (O_PATH), never above it, through no symbolic link (or, with `links`, through
 * those of people but not of the kernel). An O_PATH descriptor, or -errno; -ELOOP: a link.
 */
int file_gate_find(int root, const char *path, bool links);

/*
 * Opens what was found, if it is a regular file that the rules allow. A descriptor (O_RDONLY), or
 * -errno: -EINVAL: not a regular file; -EREMOTE: on a file system that it must not be on; -EPERM:
 * somebody else's; -EMLINK: has other names; -ENOEXEC: no ELF file; -EACCES.
 */
int file_gate_open(int found, const struct file_gate_rules *rules);

/*
 * Whether an open file has the device and inode by which the kernel lists mappings. Where stat(2)
 * says another device, as on btrfs and overlayfs, the file is mapped here and looked up in our own
 * list.
 */
bool file_gate_is(int fd, uint64_t device, uint64_t inode);

#endif

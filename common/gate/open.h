/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Opening files that others have named. A path may lead anywhere: to a FIFO, a device, a server
 * that does not answer. So a helper (helper.h) does it, in three steps:
 *
 *     find   with O_PATH, which opens no device, wakes no writer of a FIFO and asks nobody for permission
 *     look   at what was found: is it a regular file, what is it on, whose is it
 *     open   that, through /proc/self/fd, with the rights that are in effect: whatever its name refers to by then
 *
 * Even the first step asks a server if the path leads into one. The list of mounts,
 * proc_pid_mountinfo(5), tells that before anything there is touched: reading it asks no file
 * system. What is refused then is each program's own rule.
 */
#ifndef RWALKER_COMMON_GATE_OPEN_H
#define RWALKER_COMMON_GATE_OPEN_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/stat.h>

#include "common/array.h"

enum file_system_kind {
	FILE_SYSTEM_LOCAL,    /* disks, memory, and overlays of them */
	FILE_SYSTEM_NETWORK,  /* of another machine, or the hypervisor's */
	FILE_SYSTEM_FUSE,     /* anybody may serve it, and who waits for that server cannot be killed */
	FILE_SYSTEM_NO_FILES, /* what the kernel makes up: procfs, sysfs, cgroups ... */
	FILE_SYSTEM_OTHER,    /* automounters; unknown */
};

/* By the type that statfs(2) returns; NO_FILES counts as OTHER. */
enum file_system_kind file_system_of_magic(unsigned long magic);

struct mount {
	uint32_t id, parent;
	uint64_t device;
	enum file_system_kind kind;
	bool automounts; /* opening a folder in it mounts something there */
	char *point;
};

struct mount_list { /* begins zeroed */
	FILE *stream;
	ARRAY(struct mount) mounts;
};

/*
 * Reads the list of a process, or again if mounts have changed since. That moves all mounts.
 * mountinfo: its path, from `folder` on if it is relative. 0, -ENOMEM, -errno.
 */
int mount_list_read(struct mount_list *list, int folder, const char *mountinfo);
void mount_list_free(struct mount_list *list);

/*
 * Opens what was found (O_PATH), if it is still a regular file: O_RDONLY, not blocking. proc: how procfs is
 * reached, "/proc" or, if that is the working directory, ".". A descriptor; -EINVAL: not a regular file; -ESTALE, -errno.
 */
int file_open_found(int found, const char *proc);

/* Whether it begins with these bytes. */
bool file_begins_with(int fd, const void *bytes, size_t size);

#endif

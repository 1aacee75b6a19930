/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The mounts of this process, from /proc/self/mountinfo (proc_pid_mountinfo(5)). Reading that asks
 * no file system, so we know what a path would lead into before anything there is touched. The
 * root's mount counts as local, whatever it is: if it did not answer nothing would run.
 */
#ifndef RWALKER_REPORT_OPENER_MOUNT_TABLE_H
#define RWALKER_REPORT_OPENER_MOUNT_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "common/array.h"

enum mount_kind {
	MOUNT_LOCAL,	/* disks, memory, and layers of these */
	MOUNT_NETWORK,	/* another machine, a FUSE process or an automounter answers; or it is unknown */
	MOUNT_NO_FILES, /* what the kernel makes up: procfs, sysfs, cgroups ... */
};

struct mount {
	uint32_t id, parent;
	enum mount_kind kind;
	bool automounts; /* opening a folder in it mounts something there */
	const char *point;
};

struct mount_table {
	int fd;	    /* mountinfo; -1: not read yet */
	char *text; /* the mounts point into it */
	ARRAY(struct mount) mounts;
	struct mount root;
};

/* Reads the table if that was not done yet or mounts have changed since. That moves all mounts. 0, -ENOMEM, -errno. */
int mount_table_refresh(struct mount_table *table);
void mount_table_deinit(struct mount_table *table);

/* The mount that a path without links leads into, if everything above its last component is in `from`. */
const struct mount *mount_table_enter(const struct mount_table *table, const struct mount *from, const char *path);

#endif

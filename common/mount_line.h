/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * A line of a list of mounts, proc_pid_mountinfo(5). Reading such a list asks no file system, so it
 * tells what a path or a file is on before anything there is touched.
 */
#ifndef RWALKER_COMMON_MOUNT_LINE_H
#define RWALKER_COMMON_MOUNT_LINE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct mount_line {
	uint32_t id, parent;
	dev_t device;
	const char *point, *type; /* in the line; escapes are undone */
};

/* Cuts the line into its fields, with or without its newline. False: it has another shape. */
bool mount_line_parse(char *line, struct mount_line *ret_mount);

#endif

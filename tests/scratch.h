/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Folders for a unit test's files, which are gone when it ends. */
#pragma once

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/shell.h"

static struct {
	char path[32];
	unsigned int used;
	pid_t owner; /* a child that exits leaves them */
} scratch_top;

static inline void scratch_remove(void)
{
	if (getpid() == scratch_top.owner)
		(void)shell_run("rm -rf '%s'", scratch_top.path);
}

/* A new empty folder in /tmp, which only we may enter. A test that gets none cannot go on: abort(). */
static inline void scratch_folder(char ret_path[static 48])
{
	if (!scratch_top.owner) {
		(void)snprintf(scratch_top.path, sizeof(scratch_top.path), "/tmp/rwalker-unit-XXXXXX");
		if (!mkdtemp(scratch_top.path) || atexit(scratch_remove))
			abort();
		scratch_top.owner = getpid();
	}
	(void)snprintf(ret_path, 48, "%s/%u", scratch_top.path, ++scratch_top.used);
	if (mkdir(ret_path, 0700))
		abort();
}

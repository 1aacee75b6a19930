/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * ns DIR SECONDS: in its own mount and pid namespace, mounts a tmpfs on DIR,
 * copies itself to DIR/inner and burns that much CPU time there as pid 1. The program's path
 * does not exist outside, and its pid inside is not the one the recorder sees.
 */
#define _GNU_SOURCE
#include "copy.h"
#include "truth.h"

#include <limits.h>
#include <sched.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/wait.h>

void burn_inside(uint64_t stop_at)
{
	uint64_t x = stop_at;

	while (clock_ns(CLOCK_PROCESS_CPUTIME_ID) < stop_at)
		BURN_SLICE(x);
}

static int inner_main(int argc, char **argv)
{
	if (getpid() != 1)
		return 1;
	burn_inside(clock_ns(CLOCK_PROCESS_CPUTIME_ID) + seconds_arg(argc, argv, 2, 2));
	return 0;
}

static int enter(const char *dir, char *path, size_t path_size)
{
	if (unshare(CLONE_NEWNS | CLONE_NEWPID) < 0 ||
	    mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0 ||
	    mount("inner", dir, "tmpfs", 0, "size=16m") < 0)
		return -1;
	snprintf(path, path_size, "%s/inner", dir);
	return self_copy(path);
}

int main(int argc, char **argv)
{
	char path[PATH_MAX];
	int status = 1;
	pid_t pid;

	if (argc < 3)
		return 2;
	if (strcmp(argv[1], "--inner") == 0)
		return inner_main(argc, argv);
	if (enter(argv[1], path, sizeof(path)) < 0)
		return 1;
	pid = fork();
	if (pid == 0) {
		execl(path, path, "--inner", argv[2], (char *)NULL);
		_exit(127);
	}
	if (pid < 0 || waitpid(pid, &status, 0) < 0)
		return 1;
	return status != 0;
}

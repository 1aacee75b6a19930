/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * A process that wants to see what it may not read: an unprivileged user in a mount namespace of
 * its own, whose /tmp is empty but for two files. Root has put there what only root can.
 */
#pragma once

#include <fcntl.h>
#include <grp.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "record/helper/opener_helper.h"

enum { VILLAIN = 65533,
       STRANGER = 65532,
       GROUP = 65531 };

static const char HONEST[] = "1000 10 honest\n", SECRET[] = "1000 10 canary\n";

static void must(bool good, const char *what)
{
	if (good)
		return;
	perror(what);
	_exit(1);
}

static void put(const char *path, const char *text, uid_t owner, gid_t group, mode_t mode)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL, 0600);

	must(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text) &&
		     (geteuid() || !fchown(fd, owner, group)) && !fchmod(fd, mode) && !close(fd), path);
}

struct villain {
	pid_t pid;
};

static void become(uid_t user)
{
	static const gid_t groups[] = {GROUP};

	must(!setgroups(1, groups) && !setresgid(user, user, user) && !setresuid(user, user, user), "setresuid");
	must(!prctl(PR_SET_DUMPABLE, 1), "prctl"); /* like any program that was executed */
}

static void own_tmp(void)
{
	must(!unshare(CLONE_NEWNS) && !mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) &&
		     !mount("villain", "/tmp", "tmpfs", 0, "size=16m,mode=1777"), "mount");
	put("/tmp/secret", SECRET, 0, 0, 0600);
	put("/tmp/own", HONEST, VILLAIN, VILLAIN, 0644);
}

static void path_of(pid_t pid, char path[64])
{
	(void)snprintf(path, 64, "/tmp/perf-%d.map", (int)pid);
}

static _Noreturn void villain_run(void (*make)(const char *path), int report)
{
	char path[64];

	must(!prctl(PR_SET_PDEATHSIG, SIGKILL) && !setpgid(0, 0), "prctl");
	own_tmp();
	path_of(getpid(), path);
	make(path);
	become(VILLAIN);
	must(write(report, "", 1) == 1, "report");
	for (;;)
		(void)pause();
}

static bool villain_start(void (*make)(const char *path), struct villain *villain)
{
	int report[2];
	ssize_t got;
	char ready;

	if (pipe2(report, O_CLOEXEC))
		return false;
	villain->pid = fork();
	if (!villain->pid)
		villain_run(make, report[1]);
	(void)close(report[1]);
	got = read(report[0], &ready, 1);
	(void)close(report[0]);
	return got == 1;
}

static void villain_end(const struct villain *villain)
{
	/* Those that it forked, too: a dying process may not signal another user's. */
	(void)kill(-villain->pid, SIGKILL);
	(void)kill(villain->pid, SIGKILL);
	(void)waitpid(villain->pid, NULL, 0);
}

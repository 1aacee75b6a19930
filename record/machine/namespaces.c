/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "record/machine/namespaces.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/cleanup.h"

/* include/linux/proc_ns.h: PROC_PID_INIT_INO, PROC_TIME_INIT_INO */
enum { INIT_PID = 0xeffffffc, INIT_TIME = 0xeffffffa };

#ifndef CLONE_NEWTIME
#define CLONE_NEWTIME 0x80
#endif

#define OWN_TIME "/proc/self/ns/time"
#define HOSTS_TIME "/proc/2/ns/time" /* kthreadd's: it is always 2, and enters no other */

/* A kernel without such namespaces has only its own. */
static bool is_hosts(const char *path, unsigned int inode)
{
	struct stat status;

	return stat(path, &status) || status.st_ino == (ino_t)inode;
}

bool namespaces_pid_is_hosts(void)
{
	return is_hosts("/proc/self/ns/pid", INIT_PID);
}

static bool time_is_hosts(void)
{
	return is_hosts(OWN_TIME, INIT_TIME);
}

int namespaces_enter_time(int *ret_own)
{
	_cleanup_close_ int own = -1, hosts = -1;

	*ret_own = -1;
	if (time_is_hosts())
		return 0;
	own = open(OWN_TIME, O_RDONLY | O_CLOEXEC);
	hosts = open(HOSTS_TIME, O_RDONLY | O_CLOEXEC);
	if (own < 0 || hosts < 0 || setns(hosts, CLONE_NEWTIME))
		return -errno;
	if (!time_is_hosts())
		return -EXDEV;
	*ret_own = steal_fd(&own);
	return 0;
}

int namespaces_leave_time(int own)
{
	return own >= 0 && setns(own, CLONE_NEWTIME) ? -errno : 0;
}

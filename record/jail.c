/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "record/jail.h"

#include <errno.h>
#include <grp.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "record/arch_jail.h"

enum { NOBODY = 65534,
       MAX_MEMORY = 1 << 30,
       MAX_FILES = 16 };

static const unsigned int ALLOWED[] = {
	SYS_read,
	SYS_pread64,
	SYS_recvmsg,
	SYS_sendmsg,
	SYS_ppoll,
	SYS_close,
	SYS_fstat,
	SYS_lseek,
	SYS_fcntl,
	SYS_newfstatat,
	SYS_mmap,
	SYS_munmap,
	SYS_mremap,
	SYS_mprotect,
	SYS_madvise,
	SYS_brk,
	SYS_futex,
	SYS_getrandom,
	SYS_getrusage,
	SYS_sysinfo /* qsort asks */,
	SYS_clock_gettime,
	SYS_prlimit64,
	SYS_rt_sigreturn,
	SYS_restart_syscall,
	SYS_exit,
	SYS_exit_group,
};
enum { ALLOWED_COUNT = sizeof(ALLOWED) / sizeof(ALLOWED[0]) };

static int filter_install(void)
{
	struct sock_filter code[ALLOWED_COUNT + 8];
	struct sock_fprog program = {.len = ALLOWED_COUNT + 8, .filter = code};
	size_t at = 0;

	code[at++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch));
	code[at++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, arch_audit(), 1, 0);
	code[at++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS);
	code[at++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
	code[at++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, arch_poll_call(), ALLOWED_COUNT + 1, 0);
	for (size_t i = 0; i < ALLOWED_COUNT; i++)
		code[at++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ALLOWED[i],
							  (unsigned char)(ALLOWED_COUNT - i), 0);
	code[at++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS);
	code[at++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	program.len = (unsigned short)at;
	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) ? -errno : 0;
}

static int limits_set(void)
{
	const struct {
		int resource;
		rlim_t limit;
	} limits[] = {{RLIMIT_AS, MAX_MEMORY}, {RLIMIT_NOFILE, MAX_FILES}, {RLIMIT_CORE, 0}, {RLIMIT_FSIZE, 0}, {RLIMIT_NPROC, 0}};

	for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++)
		if (setrlimit(limits[i].resource, &(struct rlimit){limits[i].limit, limits[i].limit}))
			return -errno;
	return 0;
}

/* By number: a static program has no user database. Leaving uid 0 empties the capability sets. */
static int user_leave(void)
{
	if (geteuid())
		return 0;
	return setgroups(0, NULL) || setresgid(NOBODY, NOBODY, NOBODY) || setresuid(NOBODY, NOBODY, NOBODY) ? -errno : 0;
}

int jail_enter(void)
{
	int rc = limits_set();

	if (!rc)
		rc = user_leave();
	if (!rc && (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_DUMPABLE, 0) ||
		    prctl(PR_SET_PDEATHSIG, 9 /* a change of user clears it */)))
		rc = -errno;
	return rc ? rc : filter_install();
}

int jail_grant_cpu_seconds(unsigned int seconds)
{
	struct rusage used;
	struct rlimit limit = {.rlim_max = RLIM_INFINITY};

	if (getrusage(RUSAGE_SELF, &used))
		return -errno;
	limit.rlim_cur = (rlim_t)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) + 1 + seconds;
	return setrlimit(RLIMIT_CPU, &limit) ? -errno : 0;
}

/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "record/helper/jail.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/fs.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "common/confine/call_filter.h"
#include "common/confine/capabilities.h"
#include "common/sanitized.h"
#include "record/machine/caller.h"
#include "record/plan/deadlines.h"

enum { NOBODY = 65534,
       MAX_MEMORY = 1 << 30,
       MAX_FILES = 16,
       WRITING = O_ACCMODE | O_CREAT | O_TRUNC,
       NEW_SPACES = CLONE_VM | CLONE_THREAD | CLONE_NEWNS | CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET |
		    CLONE_NEWIPC | CLONE_NEWUTS | CLONE_NEWCGROUP };

/* --- the calls ---------------------------------------------------------------------------------- */

/* Messages, memory, exiting. */
static const struct call_row SHARED[] = {
	CALL(recvmsg), CALL(sendmsg), CALL(ppoll), CALL(close), CALL(read), CALL(lseek), CALL(fcntl),
	CALL(fstat), CALL(newfstatat), CALL(getpid),
	CALL(brk), CALL(munmap), CALL(mremap), CALL(madvise), CALL(futex),
	CALL_WITHOUT(mmap, 2, PROT_EXEC), CALL_WITHOUT(mprotect, 2, PROT_EXEC),
	CALL(clock_gettime), CALL(getrandom), CALL(sysinfo) /* qsort asks */,
	CALL(rt_sigreturn), CALL(restart_syscall), CALL(exit), CALL(exit_group),
};

static const struct call_row MAPS[] = {
	CALL_WITHOUT(openat, 2, WRITING), CALL(getdents64),
};

/* The flags of openat2() are in memory, where no filter sees them: RLIMIT_FSIZE and a user without files limit it. */
static const struct call_row OPENER[] = {
	CALL_WITHOUT(openat, 2, WRITING), CALL(openat2), CALL(statx), CALL(pread64),
	CALL(fstatfs), CALL(getdents64), CALL_EQUAL(ioctl, 1, FS_IOC_GETVERSION),
	CALL(getuid), CALL(geteuid), CALL(getgid), CALL(getegid),
	CALL(setfsuid), CALL(setfsgid), CALL(setgroups), CALL(capget), CALL(capset),
	CALL_EQUAL(prctl, 0, PR_SET_PDEATHSIG), CALL_EQUAL(prctl, 0, PR_SET_DUMPABLE),
};

static const struct call_row ELF[] = {
	CALL(pread64), CALL(getrusage), CALL_EQUAL(prlimit64, 0, 0), CALL_EQUAL(setpriority, 2, 0),
};

static const struct call_row ITERATOR[] = {
	CALL_WITHOUT(openat, 2, WRITING), CALL(pread64), CALL(process_vm_readv), CALL(setitimer),
};

static const struct call_row PERF_OPEN[] = {
	CALL(perf_event_open),
};

/* To fork a helper, which puts itself into its own jail; to end one that does not. */
static const struct call_row NURSERY[] = {
	CALL_WITHOUT(clone, 0, NEW_SPACES), CALL(set_robust_list), CALL(rt_sigprocmask), CALL(getppid), CALL(gettid),
	CALL(socketpair), CALL(dup3), CALL(close_range), CALL(capget), CALL(capset), CALL_EQUAL(prlimit64, 0, 0),
	CALL_EQUAL(prctl, 0, PR_SET_PDEATHSIG), CALL_EQUAL(prctl, 0, PR_SET_SECCOMP), CALL_EQUAL(kill, 1, SIGKILL),
	CALL_EQUAL(setpriority, 2, 0),
};

/* --- the jails ---------------------------------------------------------------------------------- */

static const struct jail {
	uint64_t capabilities;
	struct call_list calls; /* besides the shared ones */
} JAILS[HELPER_KINDS] = {
	/* /proc/PID/maps of everybody */
	[HELPER_MAPS] = {CAPABILITY(SYS_PTRACE), CALL_LIST(MAPS)},
	/* /proc/PID/map_files, /proc/PID/root; a target's user; mapped files that it could read when it mapped them */
	[HELPER_OPENER] = {CAPABILITY(SYS_PTRACE) | CAPABILITY(CHECKPOINT_RESTORE) | CAPABILITY(SETUID) |
				   CAPABILITY(SETGID) | CAPABILITY(DAC_READ_SEARCH), CALL_LIST(OPENER)},
	[HELPER_ELF] = {0, CALL_LIST(ELF)},
	/* memory of everybody, and /proc/PID/pagemap, which only a process's own user may open */
	[HELPER_ITERATOR] = {CAPABILITY(SYS_PTRACE) | CAPABILITY(DAC_READ_SEARCH), CALL_LIST(ITERATOR)},
	/* Debian's kernels ask for CAP_SYS_ADMIN where perf_event_paranoid is above 2 */
	[HELPER_PERF_OPEN] = {CAPABILITY(PERFMON) | CAPABILITY(SYS_ADMIN), CALL_LIST(PERF_OPEN)},
};

static const struct limit {
	int resource;
	rlim_t limit;
	bool forks; /* also holds for the nursery, which forks */
} LIMITS[] = {
	{RLIMIT_AS, MAX_MEMORY, true}, {RLIMIT_NOFILE, MAX_FILES, true}, {RLIMIT_CORE, 0, true},
	{RLIMIT_FSIZE, 0, true},       {RLIMIT_NPROC, 0, false},
};

static int limits_set(bool forks)
{
	for (size_t i = 0; i < sizeof(LIMITS) / sizeof(LIMITS[0]); i++) {
		rlim_t limit = LIMITS[i].limit;
		struct rlimit ours;

		if ((forks && !LIMITS[i].forks) || (sanitized_build() && LIMITS[i].resource == RLIMIT_AS))
			continue;
		if (!getrlimit(LIMITS[i].resource, &ours) && ours.rlim_max < limit)
			limit = ours.rlim_max; /* we were started with less */
		if (setrlimit(LIMITS[i].resource, &(struct rlimit){limit, limit}))
			return -errno;
	}
	return 0;
}

/* The limit on processes counts all those of the user that helpers become. */
static void limits_lift(void)
{
	(void)setrlimit(RLIMIT_NPROC, &(struct rlimit){RLIM_INFINITY, RLIM_INFINITY});
}

/* By number: a static program has no user database. The capabilities stay permitted. */
static int user_leave(void)
{
	struct caller caller;

	if (geteuid())
		return 0;
	caller_get_unprivileged(&caller);
	if (prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0) || setgroups(0, NULL) || setresgid(caller.gid, NOBODY, NOBODY) ||
	    setresuid(caller.uid, NOBODY, NOBODY))
		return -errno;
	return 0;
}

static uint64_t all_capabilities(void)
{
	uint64_t all = 0;

	for (int kind = 0; kind < HELPER_KINDS; kind++)
		all |= JAILS[kind].capabilities;
	return all;
}

static int filter_all(void)
{
	struct call_list lists[HELPER_KINDS + 2] = {CALL_LIST(SHARED), CALL_LIST(NURSERY)};

	for (int kind = 0; kind < HELPER_KINDS; kind++)
		lists[kind + 2] = JAILS[kind].calls;
	return call_filter_install(lists, HELPER_KINDS + 2, CALL_REFUSAL_KILLS);
}

int jail_renew(void)
{
	return prctl(PR_SET_DUMPABLE, 0) || prctl(PR_SET_PDEATHSIG, SIGKILL) ? -errno : 0;
}

static int isolate(void)
{
	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ? -errno : jail_renew();
}

int jail_enter_nursery(void)
{
	int rc;

	limits_lift();
	(void)setpriority(PRIO_PROCESS, 0, RECORDER_NICE);
	rc = limits_set(true);
	if (!rc)
		rc = capabilities_unbind();
	if (!rc)
		rc = user_leave();
	if (!rc)
		rc = capabilities_keep(all_capabilities());
	if (!rc)
		rc = isolate();
	return rc ? rc : filter_all();
}

int jail_enter(enum helper_kind kind)
{
	const struct call_list lists[] = {CALL_LIST(SHARED), JAILS[kind].calls};
	int rc = limits_set(false);

	if (!rc)
		rc = capabilities_keep(JAILS[kind].capabilities);
	return rc ? rc : call_filter_install(lists, 2, CALL_REFUSAL_KILLS);
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

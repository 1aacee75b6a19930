/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/opener/opener_internal.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>

#include "common/gate/confine.h"

enum { WRITING = O_ACCMODE | O_CREAT | O_TRUNC,
       FORK_FLAGS = CLONE_CHILD_SETTID | CLONE_CHILD_CLEARTID | SIGCHLD };

static const struct call_row WORKER[] = {
	/* requests and answers */
	CALL(ppoll), CALL(recvmsg), CALL(sendmsg),
	/* files; the table of mounts */
	CALL_WITHOUT(openat, 2, WRITING), CALL(close), CALL(fstat), CALL(newfstatat), CALL(statx), CALL(readlinkat),
	CALL(pread64), CALL(read), CALL(lseek), CALL(geteuid) /* whether a file is ours */,
	/* memory */
	CALL_WITHOUT(mmap, 2, PROT_EXEC), CALL_WITHOUT(mprotect, 2, PROT_EXEC), CALL(munmap), CALL(mremap),
	CALL(madvise), CALL(brk), CALL(futex),
	/* itself */
	CALL(clock_gettime), CALL(getrandom), CALL(getpid), CALL(rt_sigprocmask), CALL(rt_sigreturn),
	CALL(restart_syscall), CALL(exit), CALL(exit_group),
};

/* To fork a worker, which puts itself under its own filter; to collect it, or to end it. */
static const struct call_row MONITOR[] = {
	CALL_EQUAL(clone, 0, FORK_FLAGS), CALL(set_robust_list), CALL(getppid), CALL(wait4),
	CALL_EQUAL(kill, 1, SIGKILL), CALL_EQUAL(prctl, 0, PR_SET_PDEATHSIG), CALL_EQUAL(prctl, 0, PR_SET_SECCOMP),
};

static int install(size_t count)
{
	static const struct call_list lists[] = {CALL_LIST(WORKER), CALL_LIST(MONITOR)};

	return call_filter_install(lists, count, CALL_REFUSAL_KILLS);
}

int opener_calls_of_monitor(void)
{
	return install(2);
}

int opener_calls_of_worker(void)
{
	return install(1);
}

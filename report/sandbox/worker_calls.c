/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/sandbox/worker_calls.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>

#include "common/gate/confine.h"

#ifndef SYS_clone3
#define SYS_clone3 435
#endif

static const struct call_row ROWS[] = {
	CALL(read), CALL(pread64), CALL(write), CALL(pwrite64), CALL(writev), CALL(lseek), CALL(close), CALL(dup),
	CALL(dup3), CALL(pipe2), CALL(ppoll), CALL(recvmsg), CALL(recvfrom), CALL(sendmsg), CALL(sendto),
	/* open files */
	CALL(fstat), CALL_WITH(newfstatat, 3, AT_EMPTY_PATH), CALL(fstatfs), CALL(ftruncate), CALL(fallocate),
	CALL(fsync), CALL(fdatasync), CALL(memfd_create),
	CALL_EQUAL(fcntl, 1, F_DUPFD), CALL_EQUAL(fcntl, 1, F_DUPFD_CLOEXEC), CALL_EQUAL(fcntl, 1, F_GETFD),
	CALL_EQUAL(fcntl, 1, F_SETFD), CALL_EQUAL(fcntl, 1, F_GETFL), CALL_EQUAL(fcntl, 1, F_SETFL),
	/* the terminal: its size, and whether it is one */
	CALL_EQUAL(ioctl, 1, TIOCGWINSZ), CALL_EQUAL(ioctl, 1, TCGETS), CALL_FAILS(ioctl, ENOTTY),
	/* libdw looks for the path of a file and for files that it refers to, and goes on if it finds nothing */
	CALL_FAILS(readlinkat, ENOENT), CALL_FAILS(openat, EACCES),
	/* memory */
	CALLS_OF_MEMORY,
	/* itself, and its children */
	CALL_FORK, CALL_FAILS(clone3, ENOSYS), CALL(wait4), CALL(getpid),
	CALL(getppid), CALL(gettid), CALL(getrusage), CALL_EQUAL(prlimit64, 0, 0),
	CALL_EQUAL(prctl, 0, PR_SET_PDEATHSIG), CALL(rt_sigaction), CALL(rt_sigprocmask), CALLS_OF_ENDING,
	CALL(timer_create), CALL(timer_settime),
	/* the machine */
	CALL(getrandom), CALL(clock_gettime), CALL(clock_nanosleep), CALL(gettimeofday), CALL(sched_getaffinity),
	CALL(sysinfo), CALL(uname),
};

int worker_calls_install(void)
{
	const struct call_list list = CALL_LIST(ROWS);

	return call_filter_install(&list, 1, CALL_REFUSAL_KILLS);
}

/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "record/helper/confinement.h"

#include <errno.h>
#include <inttypes.h>
#include <linux/bpf.h>
#include <linux/membarrier.h>
#include <linux/perf_event.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <termios.h>
#include <ucontext.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/gate/confine.h"
#include "common/log.h"
#include "common/printable.h"

enum { BY_FILTER = 1, /* SYS_SECCOMP in si_code; the C library's headers lack it */
       STACK_BYTES = 64 << 10 }; /* the registers that a signal saves take up to 12 KB */

/* Memory, time, waiting, exiting. */
static const struct call_row PROCESS[] = {
	CALLS_OF_MEMORY, CALLS_OF_ENDING, CALL(membarrier),
	CALL(clock_gettime), CALL(clock_getres), CALL(clock_nanosleep), CALL(nanosleep), CALL(getrandom), CALL(uname),
	CALL(sysinfo), CALL(sched_getaffinity), CALL(getcpu), CALL(getpid), CALL(gettid), CALL(getuid), CALL(geteuid),
	CALL(getgid), CALL(getegid), CALL(getrusage), CALL_EQUAL(prlimit64, 0, 0) /* our own */,
	CALL(epoll_pwait), CALL(epoll_ctl), CALL(ppoll),
	CALL(rt_sigprocmask), CALL(rt_sigaction),
};

/* The trace, the terminal; /proc and /sys, which are only read. */
static const struct call_row FILES[] = {
	CALL(read), CALL(pread64), CALL(readv), CALL(write), CALL(writev), CALL(lseek), CALL(close), CALL(fcntl),
	CALL(fstat), CALL(newfstatat), CALL(statx), CALL(fstatfs), CALL(ftruncate), CALL(fallocate), CALL(fdatasync),
	CALL(getdents64), CALL(faccessat), CALL(readlinkat), CALL(memfd_create), CALL_OPEN_TO_READ,
	CALL_EQUAL(ioctl, 1, TCGETS), CALL_EQUAL(ioctl, 1, TIOCGWINSZ),
};

/* kill: helpers, which have our user. wait4: these and the command. */
static const struct call_row HELPERS[] = {
	CALL(sendmsg), CALL(recvmsg), CALL(setsockopt), CALL(pidfd_open), CALL(wait4), CALL_EQUAL(kill, 1, SIGKILL),
};

static const struct call_row EVENTS[] = {
	CALL(perf_event_open),
	CALL_EQUAL(ioctl, 1, PERF_EVENT_IOC_ENABLE), CALL_EQUAL(ioctl, 1, PERF_EVENT_IOC_DISABLE),
	CALL_EQUAL(ioctl, 1, PERF_EVENT_IOC_PERIOD),
	CALL_EQUAL(ioctl, 1, PERF_EVENT_IOC_SET_BPF), CALL_EQUAL(ioctl, 1, PERF_EVENT_IOC_SET_OUTPUT),
	CALL_EQUAL(bpf, 0, BPF_MAP_CREATE), /* rings of CPUs that come online */
	CALL_EQUAL(bpf, 0, BPF_MAP_LOOKUP_ELEM), CALL_EQUAL(bpf, 0, BPF_MAP_UPDATE_ELEM),
	CALL_EQUAL(bpf, 0, BPF_MAP_DELETE_ELEM), CALL_EQUAL(bpf, 0, BPF_MAP_GET_NEXT_KEY),
	CALL_EQUAL(bpf, 0, BPF_PROG_TEST_RUN), CALL_EQUAL(bpf, 0, BPF_OBJ_GET_INFO_BY_FD),
	CALL_EQUAL(bpf, 0, BPF_LINK_CREATE), CALL_EQUAL(bpf, 0, BPF_ITER_CREATE),
};

/* The lowest bytes of the stack on which the handler runs: a handler gets no argument, but it finds its stack. */
struct confinement {
	volatile uint64_t refused;
	volatile int first;
};

static void refuse(int signal, siginfo_t *info, void *context)
{
	const ucontext_t *interrupted = context;
	struct confinement *confinement = interrupted->uc_stack.ss_sp;

	(void)signal;
	if (info->si_code != BY_FILTER)
		return; /* somebody's kill */
	if (!confinement->refused)
		confinement->first = info->si_syscall;
	confinement->refused++;
	call_return(context, -ENOSYS);
}

static int handler_install(struct confinement *confinement)
{
	const stack_t stack = {.ss_sp = confinement, .ss_size = STACK_BYTES};
	struct sigaction action = {.sa_sigaction = refuse, .sa_flags = SA_SIGINFO | SA_ONSTACK};

	(void)sigfillset(&action.sa_mask);
	return sigaltstack(&stack, NULL) || sigaction(SIGSYS, &action, NULL) ? -errno : 0;
}

/* For a child that writes a dump while we go on recording. It has the same filter. */
static const struct call_row CHILDREN[] = {
	CALL_FORK,
};

static int filter_install(bool forks)
{
	const struct call_row abort_row[] = {CALL_EQUAL(tgkill, 0, getpid())};
	const struct call_list lists[] = {CALL_LIST(PROCESS), CALL_LIST(FILES), CALL_LIST(HELPERS),
					  CALL_LIST(EVENTS), CALL_LIST(abort_row), CALL_LIST(CHILDREN)};

	return call_filter_install(lists, sizeof(lists) / sizeof(lists[0]) - !forks, CALL_REFUSAL_SIGNALS);
}

int confinement_enter(bool forks, const struct confinement **ret_confinement)
{
	_cleanup_free_ struct confinement *confinement = NULL;
	int rc;

	*ret_confinement = NULL;
	if (sanitized_build()) {
		log_info("a build with sanitizers: system calls are not filtered");
		return 0;
	}
	confinement = calloc(1, STACK_BYTES);
	rc = confinement ? handler_install(confinement) : -ENOMEM;
	if (!rc && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		rc = -errno;
	if (!rc)
		rc = filter_install(forks);
	if (rc)
		return log_error(-rc, "cannot filter system calls: %s", strerror(-rc));
	*ret_confinement = steal_ptr(confinement);
	return 0;
}

uint64_t confinement_refused(const struct confinement *confinement, int *ret_first)
{
	if (!confinement || !confinement->refused)
		return 0;
	*ret_first = confinement->first;
	return confinement->refused;
}

void confinement_warn(const struct confinement *confinement)
{
	int first = 0;
	uint64_t refused = confinement_refused(confinement, &first);

	if (refused)
		log_warning("refused %" PRIu64 " system call%s that no recording makes; the first was number %d",
			    refused, plural(refused), first);
}

/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "record/helper/nursery.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/descriptors.h"
#include "common/log.h"
#include "common/packet.h"
#include "common/sanitized.h"
#include "common/time_units.h"
#include "record/helper/elf_helper.h"
#include "record/helper/iterator_helper.h"
#include "record/helper/jail.h"
#include "record/helper/maps_helper.h"
#include "record/helper/opener_helper.h"
#include "record/helper/perf_open.h"
#include "record/machine/clocks.h"
#include "record/plan/deadlines.h"

static const struct timeval SEND_TIMEOUT = {.tv_usec = 200000};

enum { HELPERS_KNOWN = 16, HELPERS_LEFT = 32 };

struct known_helper { /* its CPU time is counted */
	pid_t pid; /* 0: none */
	enum helper_kind kind;
	uint64_t time;
};

struct left_helper {
	pid_t pid;
	enum helper_kind kind;
	uint64_t since; /* CLOCK_MONOTONIC ns */
};

struct nursery {
	int socket;
	pid_t pid;
	bool mute; /* the last request was not answered in time, nor since: nothing more is asked */
	struct known_helper known[HELPERS_KNOWN];
	size_t next_known;
	uint64_t ended; /* CPU time of helpers that are no longer in `known` */
	struct left_helper left[HELPERS_LEFT]; /* that were not returned yet */
	size_t left_count;
};

static const struct {
	int (*run)(int socket);
	const char *name;
} HELPERS[HELPER_KINDS] = {
	[HELPER_MAPS] = {maps_helper_run, "maps"},
	[HELPER_OPENER] = {opener_helper_run, "opener"},
	[HELPER_ELF] = {elf_helper_run, "ELF"},
	[HELPER_ITERATOR] = {iterator_helper_run, "iterator"},
	[HELPER_PERF_OPEN] = {perf_open_helper_run, "perf-open"},
};

/* Terminal signals go to the whole group; helpers end with their socket or their parent instead. */
static void signals_ignore(void)
{
	static const int ignored[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGCHLD /* the kernel reaps */};

	for (size_t i = 0; i < sizeof(ignored) / sizeof(ignored[0]); i++)
		(void)signal(ignored[i], SIG_IGN);
}

static void end_with(pid_t parent)
{
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) || getppid() != parent)
		_exit(1);
}

/*
 * Helpers must not keep the trace, the terminal (except stderr), or the folder in which we were
 * started, which may have to be unmounted. From /proc, they find processes even if the user that
 * they become has no access to "/".
 */
static void places_leave(void)
{
	_cleanup_close_ int null = descriptors_open_nothing(O_RDWR | O_CLOEXEC);

	if (null < 0 || dup2(null, STDIN_FILENO) < 0 || dup2(null, STDOUT_FILENO) < 0 || chdir("/proc"))
		_exit(1);
}

/* Closes everything but the standard files and the socket: a helper must not keep another's socket open. */
static int keep_only(int socket)
{
	int kept = fcntl(socket, F_DUPFD_CLOEXEC, 3);

	if (kept < 0 || (kept != 3 && dup3(kept, 3, O_CLOEXEC) < 0))
		_exit(1);
	(void)close_range(4, ~0u, 0);
	return 3;
}

/* In the child: says that it is in its jail, or why not, then works. Never returns. */
static void helper_begin(enum helper_kind kind, pid_t parent, int socket)
{
	int32_t rc;

	end_with(parent);
	socket = keep_only(socket);
	rc = jail_enter(kind);
	_exit(packet_send(socket, &rc, sizeof(rc), -1) || rc || HELPERS[kind].run(socket) ? 1 : 0);
}

/* A helper is handed over once it is in its jail and will end with us. */
static pid_t helper_await(pid_t pid, int socket)
{
	int32_t rc = 0;

	if (packet_receive(socket, &rc, sizeof(rc), DEADLINE_JAIL, NULL) == sizeof(rc) && !rc)
		return pid;
	(void)kill(pid, SIGKILL);
	return rc ? rc : -ECHILD;
}

static pid_t helper_fork(enum helper_kind kind, int pair[2])
{
	pid_t parent = getpid(), pid;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair))
		return -errno;
	pid = fork();
	if (!pid)
		helper_begin(kind, parent, pair[1]);
	(void)close(pair[1]);
	return pid < 0 ? -errno : helper_await(pid, pair[0]);
}

static int nursery_run(int socket)
{
	uint32_t kind;
	int64_t rc = jail_enter_nursery();

	if (packet_send(socket, &rc, sizeof(rc), -1) || rc)
		return 1;
	while (packet_receive(socket, &kind, sizeof(kind), PACKET_FOREVER, NULL) == sizeof(kind)) {
		int pair[2] = {-1, -1};
		int64_t pid = kind < HELPER_KINDS ? helper_fork(kind, pair) : -EINVAL;

		(void)packet_send(socket, &pid, sizeof(pid), pid > 0 ? pair[0] : -1);
		if (pair[0] >= 0)
			(void)close(pair[0]);
	}
	return 0;
}

/* If this fails, the jail's limits still apply. */
static void limit_memory(uint64_t bytes)
{
	if (bytes && !sanitized_build())
		(void)setrlimit(RLIMIT_DATA, &(struct rlimit){bytes, bytes});
}

/* In the child. Never returns. */
static void nursery_begin(pid_t parent, int socket, uint64_t bytes)
{
	limit_memory(bytes);
	signals_ignore();
	end_with(parent);
	places_leave();
	_exit(nursery_run(keep_only(socket)));
}

/* Waits until the child has ended, at most timeout_ms: one that is stuck in the kernel is left behind. */
static void await_end(pid_t pid, int timeout_ms)
{
	_cleanup_close_ int ended = (int)syscall(SYS_pidfd_open, pid, 0);
	struct pollfd wanted = {.fd = ended, .events = POLLIN};

	if (ended >= 0)
		(void)poll(&wanted, 1, timeout_ms);
	(void)waitpid(pid, NULL, WNOHANG);
}

void nursery_destroy(struct nursery *nursery)
{
	if (!nursery)
		return;
	(void)close(nursery->socket);
	(void)kill(nursery->pid, SIGKILL); /* its helpers follow, also those that are stopped */
	await_end(nursery->pid, DEADLINE_END);
	free(nursery);
}

pid_t nursery_pid(const struct nursery *nursery)
{
	return nursery->pid;
}

bool nursery_has_ended(const struct nursery *nursery)
{
	struct pollfd other = {.fd = nursery->socket};

	return poll(&other, 1, 0) == 1 && other.revents & (POLLHUP | POLLERR);
}

/* By its CPU clock (clock_getcpuclockid(3), without its system call). 0: it has ended. */
static uint64_t cpu_time_of(pid_t pid)
{
	enum { SCHEDULED = 2 };
	struct timespec time;

	if (clock_gettime((clockid_t)(~(unsigned int)pid << 3 | SCHEDULED), &time))
		return 0;
	return (uint64_t)time.tv_sec * SECOND + (uint64_t)time.tv_nsec;
}

uint64_t nursery_cpu_time(struct nursery *nursery)
{
	uint64_t sum = nursery->ended + cpu_time_of(nursery->pid);

	for (size_t i = 0; i < HELPERS_KNOWN; i++) {
		struct known_helper *helper = &nursery->known[i];
		uint64_t time = helper->pid ? cpu_time_of(helper->pid) : 0;

		if (time > helper->time)
			helper->time = time;
		sum += helper->time;
	}
	return sum;
}

/* Replaces a helper that has ended, or else any one; the CPU time of that one stays. */
static void know_helper(struct nursery *nursery, enum helper_kind kind, pid_t pid)
{
	struct known_helper *place = &nursery->known[nursery->next_known];

	for (size_t i = 0; i < HELPERS_KNOWN; i++)
		if (!nursery->known[i].pid || !cpu_time_of(nursery->known[i].pid))
			place = &nursery->known[i];
	nursery->next_known = (nursery->next_known + 1) % HELPERS_KNOWN;
	nursery->ended += place->time;
	*place = (struct known_helper){.pid = pid, .kind = kind};
}

/* The answer to the last request, which may come after we gave up on it: a helper's pid, or -errno. */
static int receive_answer(struct nursery *nursery, int timeout_ms, int64_t *ret_pid, int *ret_socket)
{
	ssize_t got = packet_receive(nursery->socket, ret_pid, sizeof(*ret_pid), timeout_ms, ret_socket);

	nursery->mute = got == -ETIMEDOUT;
	if (got < 0)
		return (int)got;
	return got == sizeof(*ret_pid) ? 0 : -ECHILD;
}

/* The nursery's first packet, without a request: 0 once it is in its jail. */
static int await_start(struct nursery *nursery)
{
	int64_t rc = 0;
	int r = receive_answer(nursery, DEADLINE_NURSERY, &rc, NULL);

	return r ? r : (int)rc;
}

int nursery_create(struct nursery **ret_nursery)
{
	return nursery_create_within(0, ret_nursery);
}

int nursery_create_within(uint64_t bytes, struct nursery **ret_nursery)
{
	_cleanup_free_ struct nursery *nursery = calloc(1, sizeof(*nursery));
	pid_t parent = getpid();
	int pair[2], rc;

	if (!nursery)
		return -ENOMEM;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair))
		return log_error(errno, "cannot create a socket for helper processes: %s", strerror(errno));
	nursery->pid = fork();
	if (nursery->pid < 0) {
		int error = errno;

		(void)close(pair[0]);
		(void)close(pair[1]);
		return log_error(error, "cannot start a helper process: %s", strerror(error));
	}
	if (!nursery->pid)
		nursery_begin(parent, pair[1], bytes);
	(void)close(pair[1]);
	nursery->socket = pair[0];
	rc = await_start(nursery);
	if (rc) {
		nursery_destroy(steal_ptr(nursery));
		return log_error(-rc, "cannot confine helper processes: %s", strerror(-rc));
	}
	*ret_nursery = steal_ptr(nursery);
	return 0;
}

/* 0 if the nursery can be asked, else -errno. If a late answer brings a helper, closing its socket ends it. */
static int make_ready(struct nursery *nursery)
{
	_cleanup_close_ int socket = -1;
	int64_t late;

	return nursery->mute ? receive_answer(nursery, 0, &late, &socket) : 0;
}

int nursery_spawn(struct nursery *nursery, enum helper_kind kind, int *ret_socket, pid_t *ret_pid)
{
	_cleanup_close_ int socket = -1;
	uint32_t wanted = kind;
	int64_t pid = 0;
	int r = make_ready(nursery);

	if (!r)
		r = packet_send(nursery->socket, &wanted, sizeof(wanted), -1);
	if (!r)
		r = receive_answer(nursery, DEADLINE_SPAWN, &pid, &socket);
	if (r < 0)
		return r;
	if (pid <= 0 || socket < 0)
		return pid < 0 ? (int)pid : -ECHILD;
	/* A helper that has stopped reading must not stop us. */
	(void)setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &SEND_TIMEOUT, sizeof(SEND_TIMEOUT));
	*ret_socket = steal_fd(&socket);
	*ret_pid = (pid_t)pid;
	know_helper(nursery, kind, (pid_t)pid);
	return 0;
}

void nursery_leave(struct nursery *nursery, pid_t pid)
{
	struct left_helper *left = &nursery->left[nursery->left_count];

	(void)kill(pid, SIGKILL);
	for (size_t i = 0; i < HELPERS_KNOWN && nursery->left_count < HELPERS_LEFT; i++)
		if (nursery->known[i].pid == pid) {
			*left = (struct left_helper){pid, nursery->known[i].kind, clocks_now()};
			nursery->left_count++;
			return;
		}
}

bool nursery_next_left(struct nursery *nursery, bool last, const char **ret_what, pid_t *ret_pid)
{
	for (size_t i = nursery->left_count; i-- > 0;) {
		const struct left_helper left = nursery->left[i];
		uint64_t passed = (clocks_now() - left.since) / MILLISECOND;

		if (last && passed < DEADLINE_LEFT)
			await_end(left.pid, (int)(DEADLINE_LEFT - passed));
		else if (passed < DEADLINE_LEFT)
			continue;
		nursery->left[i] = nursery->left[--nursery->left_count];
		if (!cpu_time_of(left.pid))
			continue;
		*ret_what = HELPERS[left.kind].name;
		*ret_pid = left.pid;
		return true;
	}
	return false;
}

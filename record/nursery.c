/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "record/nursery.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/log.h"
#include "record/elf_helper.h"
#include "record/maps_helper.h"
#include "record/opener_helper.h"
#include "record/packet.h"
#include "record/sleeper_helper.h"

enum { SPAWN_TIMEOUT_MS = 1000 };
static const struct timeval SEND_TIMEOUT = {.tv_usec = 200000};

struct nursery {
	int socket;
	pid_t pid;
};

static int (*const HELPERS[HELPER_KINDS])(int socket) = {
	[HELPER_MAPS] = maps_helper_run,
	[HELPER_OPENER] = opener_helper_run,
	[HELPER_ELF] = elf_helper_run,
	[HELPER_SLEEPER] = sleeper_helper_run,
};

/* Terminal signals go to the whole group; helpers end with their socket or their parent instead. */
static void child_settle(pid_t parent)
{
	(void)signal(SIGINT, SIG_IGN);
	(void)signal(SIGTERM, SIG_IGN);
	(void)signal(SIGHUP, SIG_IGN);
	(void)signal(SIGQUIT, SIG_IGN);
	(void)signal(SIGPIPE, SIG_IGN);
	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(0);
}

/* Everything but stderr and the socket: a helper must not hold the trace, the terminal or the other helpers' sockets open. */
static int keep_only(int socket)
{
	int kept = fcntl(socket, F_DUPFD_CLOEXEC, 3), null = open("/dev/null", O_RDWR | O_CLOEXEC);

	if (kept < 0 || null < 0)
		_exit(1);
	if (kept != 3 && dup3(kept, 3, O_CLOEXEC) < 0)
		_exit(1);
	(void)dup2(null, STDIN_FILENO);
	(void)dup2(null, STDOUT_FILENO);
	(void)close_range(4, ~0u, 0);
	return 3;
}

static pid_t helper_fork(enum helper_kind kind, int pair[2])
{
	pid_t parent = getpid(), pid;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair))
		return -errno;
	pid = fork();
	if (pid)
		return pid < 0 ? -errno : pid;
	child_settle(parent);
	_exit(HELPERS[kind](keep_only(pair[1])) ? 1 : 0);
}

static int nursery_run(int socket)
{
	uint32_t kind;

	(void)signal(SIGCHLD, SIG_IGN); /* the kernel reaps */
	while (packet_receive(socket, &kind, sizeof(kind), PACKET_FOREVER, NULL) == sizeof(kind)) {
		int pair[2] = {-1, -1};
		int64_t pid = kind < HELPER_KINDS ? helper_fork(kind, pair) : -EINVAL;

		(void)packet_send(socket, &pid, sizeof(pid), pid > 0 ? pair[0] : -1);
		if (pair[0] >= 0)
			(void)close(pair[0]);
		if (pair[1] >= 0)
			(void)close(pair[1]);
	}
	return 0;
}

int nursery_create(struct nursery **ret_nursery)
{
	_cleanup_free_ struct nursery *nursery = calloc(1, sizeof(*nursery));
	pid_t parent = getpid();
	int pair[2];

	if (!nursery)
		return -ENOMEM;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair))
		return log_error(errno, "cannot make a socket for helper processes");
	nursery->pid = fork();
	if (nursery->pid < 0) {
		(void)close(pair[0]);
		(void)close(pair[1]);
		return log_error(errno, "cannot start a helper process");
	}
	if (!nursery->pid) {
		child_settle(parent);
		_exit(nursery_run(keep_only(pair[1])));
	}
	(void)close(pair[1]);
	nursery->socket = pair[0];
	*ret_nursery = steal_ptr(nursery);
	return 0;
}

void nursery_destroy(struct nursery *nursery)
{
	if (!nursery)
		return;
	(void)close(nursery->socket);
	(void)kill(nursery->pid, SIGKILL);
	(void)waitpid(nursery->pid, NULL, 0); /* it never blocks in the kernel: this returns at once */
	free(nursery);
}

pid_t nursery_pid(const struct nursery *nursery)
{
	return nursery->pid;
}

int nursery_spawn(struct nursery *nursery, enum helper_kind kind, int *ret_socket, pid_t *ret_pid)
{
	uint32_t wanted = kind;
	int64_t pid = 0;
	ssize_t got;
	int socket = -1, rc = packet_send(nursery->socket, &wanted, sizeof(wanted), -1);

	if (rc)
		return rc;
	got = packet_receive(nursery->socket, &pid, sizeof(pid), SPAWN_TIMEOUT_MS, &socket);
	if (got != sizeof(pid) || pid <= 0 || socket < 0) {
		if (socket >= 0)
			(void)close(socket);
		return got < 0 ? (int)got : pid < 0 ? (int)pid
						    : -ECHILD;
	}
	/* A helper that has stopped reading must not stop us. */
	(void)setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &SEND_TIMEOUT, sizeof(SEND_TIMEOUT));
	*ret_socket = socket;
	*ret_pid = (pid_t)pid;
	return 0;
}

/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "record/flight/forked.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/confine/capabilities.h"
#include "common/log.h"
#include "common/packet.h"
#include "record/machine/caller.h"
#include "record/plan/deadlines.h"

void forked_settle(int first, int socket)
{
	static const int ignored[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGUSR2};

	for (size_t i = 0; i < sizeof(ignored) / sizeof(ignored[0]); i++)
		(void)signal(ignored[i], SIG_IGN);
	(void)close_range((unsigned int)first, (unsigned int)socket - 1, 0);
	(void)close_range((unsigned int)socket + 1, ~0u, 0);
}

int forked_become_caller(void)
{
	struct caller caller;
	int r = 0;

	if (!geteuid()) {
		caller_get(&caller);
		r = caller.sudo ? caller_become(&caller) : 0;
	}
	if (r >= 0)
		r = capabilities_unbind();
	return r < 0 ? r : capabilities_keep(0);
}

int forked_start(struct forked *forked, forked_run *run, const void *context, const char *task, int32_t *ret_rc)
{
	int pair[2];
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair))
		return log_error(errno, "cannot create a socket for a helper process: %s", strerror(errno));
	pid = fork();
	if (!pid) {
		(void)close(pair[0]);
		run(context, pair[1]);
	}
	(void)close(pair[1]);
	*forked = (struct forked){.socket_plus_1 = pair[0] + 1, .pid = pid};
	if (pid < 0 || packet_receive(pair[0], ret_rc, sizeof(*ret_rc), DEADLINE_NURSERY, NULL) != sizeof(*ret_rc))
		return log_error(ECHILD, "cannot start the helper process that %s", task);
	return 0;
}

void forked_end(struct forked *forked)
{
	if (!forked->socket_plus_1)
		return;
	(void)close(forked->socket_plus_1 - 1);
	if (forked->pid > 0)
		(void)waitpid(forked->pid, NULL, 0);
	*forked = (struct forked){0};
}

/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/sandbox/errand.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>

#include "common/cleanup.h"
#include "common/descriptors.h"
#include "report/sandbox/keeper.h"

static _Noreturn void run(const struct desk *desk, const struct user *user, int socket)
{
	_cleanup_close_ int nothing = descriptors_open_nothing(O_RDWR | O_CLOEXEC);

	(void)signal(SIGINT, SIG_IGN);
	(void)signal(SIGPIPE, SIG_IGN);
	if (nothing < 0 || user_become(user) < 0 || dup2(nothing, STDIN_FILENO) < 0 || dup2(nothing, STDOUT_FILENO) < 0)
		_exit(1);
	while (keeper_serve(socket, desk, 1) > 0)
		;
	_exit(0);
}

int errand_start(const struct desk *desk, const struct user *user, int *ret_socket)
{
	int ends[2], r = keeper_line_open(ends);
	pid_t pid;

	if (r < 0)
		return r;
	pid = fork();
	if (!pid) {
		(void)close(ends[1]);
		run(desk, user, ends[0]);
	}
	r = pid < 0 ? -errno : 0;
	(void)close(ends[0]);
	if (r < 0)
		(void)close(ends[1]);
	else
		*ret_socket = ends[1];
	return r;
}

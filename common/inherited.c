/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "common/inherited.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "common/descriptors.h"

static const int changed[INHERITED_SIGNALS] = {SIGCHLD, SIGXFSZ, SIGPIPE, SIGUSR1, SIGUSR2};

/* The lowest free number is the one that was closed. */
static int open_standard(void)
{
	static const int flags[] = {[STDIN_FILENO] = O_WRONLY, [STDOUT_FILENO] = O_RDONLY, [STDERR_FILENO] = O_RDONLY};

	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
		int nothing;

		if (fcntl(fd, F_GETFD) >= 0)
			continue;
		nothing = descriptors_open_nothing(flags[fd]);
		if (nothing != fd)
			return nothing < 0 ? nothing : -EBADF;
	}
	return 0;
}

int inherited_reset(struct inherited *ret_inherited)
{
	sigset_t none;

	(void)sigemptyset(&none);
	for (size_t i = 0; i < INHERITED_SIGNALS; i++)
		(void)sigaction(changed[i], NULL, &ret_inherited->actions[i]);
	(void)signal(SIGCHLD, SIG_DFL);
	(void)signal(SIGXFSZ, SIG_IGN);
	(void)sigprocmask(SIG_SETMASK, &none, &ret_inherited->blocked);
	return open_standard();
}

void inherited_restore(const struct inherited *inherited)
{
	for (size_t i = 0; i < INHERITED_SIGNALS; i++)
		(void)sigaction(changed[i], &inherited->actions[i], NULL);
	(void)sigprocmask(SIG_SETMASK, &inherited->blocked, NULL);
}

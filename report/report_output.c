/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/report_output.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/log.h"

static const char *pager_command(void)
{
	const char *command = getenv("RWALKER_PAGER");

	if (!command)
		command = getenv("PAGER");
	return command ? command : "less";
}

/* In the child: the pager reads from the pipe. It begins when there is something to read: until then the terminal is for
 * progress, and a Ctrl-C that is meant for the work does not end it. */
static void run_pager(const char *command, const int ends[static 2])
{
	struct pollfd something = {.fd = ends[0], .events = POLLIN};
	void (*usual)(int) = signal(SIGINT, SIG_IGN);

	(void)close(ends[1]);
	while (poll(&something, 1, -1) < 0 && errno == EINTR)
		;
	if (!(something.revents & POLLIN))
		_exit(0);
	(void)signal(SIGINT, usual);
	if (dup2(ends[0], STDIN_FILENO) < 0 || setenv("LESS", "FRX", 0) < 0)
		_exit(127);
	(void)execl("/bin/sh", "sh", "-c", command, (char *)NULL);
	_exit(127);
}

/* stdout becomes a pipe to the pager; without one (no command, no process) it stays what it is. */
static pid_t start_pager(const char *command)
{
	int ends[2];
	pid_t pid;

	if (!*command || !strcmp(command, "cat") || pipe2(ends, O_CLOEXEC) < 0)
		return 0;
	pid = fork();
	if (!pid)
		run_pager(command, ends);
	if (pid > 0 && dup2(ends[1], STDOUT_FILENO) < 0) {
		(void)kill(pid, SIGTERM);
		(void)waitpid(pid, NULL, 0);
		pid = -1;
	}
	(void)close(ends[0]);
	(void)close(ends[1]);
	return pid > 0 ? pid : 0;
}

static bool wants_color(enum report_color color, bool terminal)
{
	const char *no_color = getenv("NO_COLOR"), *name = getenv("TERM");

	if (color != REPORT_COLOR_AUTO)
		return color == REPORT_COLOR_ALWAYS;
	return terminal && !(no_color && *no_color) && name && strcmp(name, "dumb") != 0;
}

void report_output_open(struct report_output *output, const struct report_options *options)
{
	bool terminal = isatty(STDOUT_FILENO);

	*output = (struct report_output){.stream = stdout, .color = wants_color(options->color, terminal)};
	if (terminal && !options->no_pager)
		output->pager = start_pager(pager_command());
	/* A reader that goes away ends a pipeline quietly; a pager that is left is no failure at all. */
	(void)signal(SIGPIPE, output->pager ? SIG_IGN : SIG_DFL);
}

int report_output_close(struct report_output *output)
{
	bool failed = ferror(output->stream) != 0;
	int error = 0;

	errno = 0;
	if (fclose(output->stream) != 0)
		error = errno ? errno : EIO;
	else if (failed)
		error = EIO;
	if (output->pager) {
		while (waitpid(output->pager, NULL, 0) < 0 && errno == EINTR)
			;
		return 0;
	}
	if (error)
		return log_error(error, "cannot write the report to stdout: %s", strerror(error));
	return 0;
}

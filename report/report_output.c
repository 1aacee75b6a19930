/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/report_output.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/log.h"
#include "report/ascii_stream.h"

static const char *pager_command(void)
{
	const char *command = getenv("RWALKER_PAGER");

	if (!command)
		command = getenv("PAGER");
	return command ? command : "less";
}

/*
 * In the child: the pager reads from the pipe. It starts when there is something to read: until
 * then the terminal shows progress, and Ctrl-C is meant for the report and must not end the pager.
 */
static void run_pager(const char *command, const struct user *user, const int ends[static 2])
{
	struct pollfd something = {.fd = ends[0], .events = POLLIN};
	void (*usual)(int) = signal(SIGINT, SIG_IGN);

	(void)close(ends[1]);
	if (user_become(user) < 0)
		_exit(127);
	while (poll(&something, 1, -1) < 0 && errno == EINTR)
		;
	if (!(something.revents & POLLIN))
		_exit(0);
	(void)signal(SIGINT, usual);
	(void)signal(SIGXFSZ, SIG_DFL);
	/* A hostile trace may aim at the pager: it runs no programs for anyone, and gains no rights. */
	if (dup2(ends[0], STDIN_FILENO) < 0 || setenv("LESS", "FRX", 0) < 0 || setenv("LESSSECURE", "1", 1) < 0 ||
	    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		_exit(127);
	(void)execl("/bin/sh", "sh", "-c", command, (char *)NULL);
	_exit(127);
}

/* Makes stdout a pipe to the pager. Without a pager (no command, no process) stdout stays as it is. */
static pid_t start_pager(const char *command, const struct user *user)
{
	int ends[2];
	pid_t pid;

	if (!*command || !strcmp(command, "cat") || pipe2(ends, O_CLOEXEC) < 0)
		return 0;
	pid = fork();
	if (!pid)
		run_pager(command, user, ends);
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

/* Output for programs has the same bytes in every locale. */
static bool is_for_people(const struct report_options *options)
{
	if (options->tool)
		return options->tool->for_people;
	return !options->view || (!options->view->bare && !options->view->exports);
}

/* Terminals that do not report a size get the traditional width. */
static unsigned int terminal_width(void)
{
	enum { USUAL = 80 };
	struct winsize size = {0};

	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) < 0 || !size.ws_col)
		return USUAL;
	return size.ws_col;
}

void report_output_open(struct report_output *output, const struct report_options *options,
			const struct user *user)
{
	bool terminal = isatty(STDOUT_FILENO);
	FILE *plain = NULL;

	*output = (struct report_output){.stream = stdout, .color = wants_color(options->color, terminal),
					  .width = terminal ? terminal_width() : 0};
	if (terminal && !options->no_pager)
		output->pager = start_pager(pager_command(), user);
	if (is_for_people(options) && ascii_stream_is_needed())
		plain = ascii_stream_open(stdout);
	if (plain)
		output->stream = plain;
	/* A reader that goes away ends a pipeline silently; quitting the pager is not a failure. */
	(void)signal(SIGPIPE, output->pager ? SIG_IGN : SIG_DFL);
}

void report_output_flush(struct report_output *output)
{
	if (fflush(output->stream) && !output->error)
		output->error = errno;
}

int report_output_close(struct report_output *output)
{
	bool failed = ferror(output->stream) != 0;
	int error = 0;

	errno = 0;
	if (fclose(output->stream) != 0)
		error = errno ? errno : EIO;
	else if (failed)
		error = output->error ? output->error : EIO;
	if (error && !output->pager)
		return log_error(error, "cannot write the report to stdout: %s", strerror(error));
	return 0;
}

void report_output_wait(const struct report_output *output)
{
	if (!output->pager)
		return;
	(void)close(STDOUT_FILENO);
	while (waitpid(output->pager, NULL, 0) < 0 && errno == EINTR)
		;
}

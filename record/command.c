/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "record/command.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/log.h"
#include "record/host/caller.h"
#include "record/host/host.h"

/* If stdout carries the trace, the program's output goes to stderr. */
static int stdout_leave(bool stdout_taken)
{
	return stdout_taken && dup2(STDERR_FILENO, STDOUT_FILENO) < 0 ? errno : 0;
}

static bool is_program(const char *path)
{
	struct stat status;

	return !stat(path, &status) && S_ISREG(status.st_mode) && !faccessat(AT_FDCWD, path, X_OK, AT_EACCESS);
}

/* Whether the interpreter in a script's first line can be run, too; true if it is no script, or cannot be read. */
static bool has_interpreter(const char *path)
{
	char line[256] = "", *name = line + 2;
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	if (fd < 0 || read(fd, line, sizeof(line) - 1) < 3 || line[0] != '#' || line[1] != '!')
		return true;
	name += strspn(name, " \t");
	name[strcspn(name, " \t\n")] = '\0';
	return is_program(name);
}

/* Looks where execvp() would: 0, or the errno with which that would fail. Call it as the user who runs the program. */
static int find_program(const char *name)
{
	const char *folder = getenv("PATH"), *end;
	int error = ENOENT;
	char path[PATH_MAX];
	struct stat status;

	if (strchr(name, '/') || !folder)
		return is_program(name) ? (has_interpreter(name) ? 0 : ENOENT) : stat(name, &status) ? errno : EACCES;
	for (;; folder = end + 1) {
		end = strchrnul(folder, ':');
		(void)snprintf(path, sizeof(path), "%.*s/%s", (int)(end - folder), end > folder ? folder : ".", name);
		if (is_program(path))
			return has_interpreter(path) ? 0 : ENOENT;
		if (!stat(path, &status))
			error = EACCES;
		if (!*end)
			return error;
	}
}

/* In the child: becomes the user, says whether there is such a program, waits for its release, runs it. No return. */
static void child_run(const struct caller *caller, const struct command_settings *settings, int held, int failure,
		      char *const words[])
{
	int error = -namespaces_leave_time(settings->own_time);
	char byte;

	if (!error)
		error = -caller_become(caller);
	if (!error)
		error = find_program(words[0]);
	if (write(failure, &error, sizeof(error)) != sizeof(error) || error || read(held, &byte, 1) != 1)
		_exit(127);
	error = stdout_leave(settings->stdout_taken);
	if (!error) {
		inherited_restore(settings->inherited);
		(void)execvp(words[0], words);
		error = errno;
	}
	(void)!write(failure, &error, sizeof(error));
	_exit(error == ENOENT ? 127 : 126);
}

/* The next error that the child reports, or 0; also 0 if it reports no more, because the exec succeeded. */
static int read_error(const struct command *command)
{
	int error = 0;
	ssize_t got;

	do
		got = read(command->failure, &error, sizeof(error));
	while (got < 0 && errno == EINTR);
	return error;
}

int command_start(struct command *command, char *const words[], const struct command_settings *settings)
{
	int held[2] = {-1, -1}, failure[2] = {-1, -1};
	struct caller caller;
	int error;

	caller_get(&caller);
	*command = (struct command){.pid = -1, .release = -1, .failure = -1};
	if (pipe2(held, O_CLOEXEC) || pipe2(failure, O_CLOEXEC))
		return log_error(errno, "cannot create a pipe for '%s': %s", words[0], strerror(errno));
	command->pid = fork();
	if (command->pid < 0)
		return log_error(errno, "cannot start '%s': %s", words[0], strerror(errno));
	if (!command->pid) {
		(void)close(held[1]);
		(void)close(failure[0]);
		child_run(&caller, settings, held[0], failure[1], words);
	}
	(void)close(held[0]);
	(void)close(failure[1]);
	command->release = held[1];
	command->failure = failure[0];
	error = read_error(command);
	if (!error)
		return 0;
	command_abandon(command);
	return log_error(error, "cannot run '%s': %s", words[0], strerror(error));
}

int command_release(struct command *command, const char *name)
{
	int error = write(command->release, "", 1) != 1 ? errno : 0;

	(void)close(command->release);
	command->release = -1;
	if (!error)
		error = read_error(command);
	(void)close(command->failure);
	command->failure = -1;
	return error ? log_error(error, "cannot run '%s': %s", name, strerror(error)) : 0;
}

bool command_ended(struct command *command, bool wait)
{
	pid_t got;

	if (command->ended || command->pid < 0)
		return true;
	do
		got = waitpid(command->pid, &command->status, wait ? 0 : WNOHANG);
	while (got < 0 && errno == EINTR);
	command->ended = got != 0;
	if (got < 0)
		command->status = 127 << 8; /* it is not known how it ended */
	return command->ended;
}

void command_abandon(struct command *command)
{
	if (command->release >= 0)
		(void)close(command->release);
	if (command->failure >= 0)
		(void)close(command->failure);
	command->release = command->failure = -1;
	if (command->pid > 0 && !command->ended)
		(void)kill(command->pid, SIGKILL); /* also one that somebody stopped */
	(void)command_ended(command, true);
}

int command_exit_code(const struct command *command)
{
	return WIFSIGNALED(command->status) ? 128 + WTERMSIG(command->status) : WEXITSTATUS(command->status);
}

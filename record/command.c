/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "record/command.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/log.h"
#include "record/caller.h"

static void signals_restore(void)
{
	sigset_t none;

	(void)sigemptyset(&none);
	(void)signal(SIGPIPE, SIG_DFL);
	(void)sigprocmask(SIG_SETMASK, &none, NULL);
}

/* Where stdout is the trace's, what the program prints goes to stderr. */
static int stdout_leave(bool stdout_taken)
{
	return stdout_taken && dup2(STDERR_FILENO, STDOUT_FILENO) < 0 ? errno : 0;
}

/* In the child: waits for its release, becomes the user, becomes the program. Never returns. */
static void child_run(int held, int failure, char *const words[], bool stdout_taken)
{
	struct caller caller;
	int error;
	char byte;

	if (read(held, &byte, 1) != 1)
		_exit(127);
	caller_get(&caller);
	error = -caller_become(&caller);
	if (!error)
		error = stdout_leave(stdout_taken);
	if (!error) {
		signals_restore();
		(void)execvp(words[0], words);
		error = errno;
	}
	(void)!write(failure, &error, sizeof(error));
	_exit(error == ENOENT ? 127 : 126);
}

int command_start(struct command *command, char *const words[], bool stdout_taken)
{
	int held[2] = {-1, -1}, failure[2] = {-1, -1};

	*command = (struct command){.pid = -1, .release = -1, .failure = -1};
	if (pipe2(held, O_CLOEXEC) || pipe2(failure, O_CLOEXEC))
		return log_error(errno, "cannot make a pipe for '%s': %s", words[0], strerror(errno));
	command->pid = fork();
	if (command->pid < 0)
		return log_error(errno, "cannot start '%s': %s", words[0], strerror(errno));
	if (!command->pid) {
		(void)close(held[1]);
		(void)close(failure[0]);
		child_run(held[0], failure[1], words, stdout_taken);
	}
	(void)close(held[0]);
	(void)close(failure[1]);
	command->release = held[1];
	command->failure = failure[0];
	return 0;
}

/* The pipe closes by itself when the exec succeeds. */
int command_release(struct command *command, const char *name)
{
	int error = 0;
	ssize_t got;

	if (write(command->release, "", 1) != 1)
		error = errno;
	(void)close(command->release);
	command->release = -1;
	do
		got = read(command->failure, &error, sizeof(error));
	while (got < 0 && errno == EINTR);
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
	return command->ended;
}

void command_abandon(struct command *command)
{
	if (command->release >= 0)
		(void)close(command->release);
	if (command->failure >= 0)
		(void)close(command->failure);
	command->release = command->failure = -1;
	(void)command_ended(command, true);
}

int command_exit_code(const struct command *command)
{
	return WIFSIGNALED(command->status) ? 128 + WTERMSIG(command->status) : WEXITSTATUS(command->status);
}

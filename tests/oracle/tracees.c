/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "tests/oracle/tracees.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/array.h"

enum { PATIENCE_US = 20000, LOOK_AGAIN_US = 50 };

struct tracee {
	pid_t task;
	bool asked; /* was asked to stop, and has not yet */
};

struct tracees {
	ARRAY(struct tracee) tasks;
	bool (*stopped)(void *context, pid_t task);
	void *context;
	bool enough;
};

static pid_t start(char *const *command)
{
	pid_t pid = fork();

	if (pid)
		return pid;
	raise(SIGSTOP);
	(void)dup2(open("/dev/null", O_RDWR | O_CLOEXEC), 0);
	(void)dup2(0, 1);
	(void)dup2(0, 2);
	execvp(command[0], command);
	_exit(127);
}

static void forget(struct tracees *tracees, pid_t task)
{
	for (size_t i = 0; i < tracees->tasks.count; i++)
		if (tracees->tasks.items[i].task == task) {
			tracees->tasks.items[i] = tracees->tasks.items[--tracees->tasks.count];
			return;
		}
}

static struct tracee *find(struct tracees *tracees, pid_t task)
{
	for (size_t i = 0; i < tracees->tasks.count; i++)
		if (tracees->tasks.items[i].task == task)
			return &tracees->tasks.items[i];
	if (array_push(&tracees->tasks, (struct tracee){.task = task}) < 0)
		abort();
	return &tracees->tasks.items[tracees->tasks.count - 1];
}

/* A stop that we asked for may coincide with one that was due anyway. */
static void handle_stop(struct tracees *tracees, pid_t task, int status)
{
	int signal = WSTOPSIG(status), event = status >> 16;
	struct tracee *tracee = find(tracees, task);

	if (event == PTRACE_EVENT_STOP && tracee->asked) {
		tracee->asked = false;
		if (!tracees->enough)
			tracees->enough = !tracees->stopped(tracees->context, task);
	}
	(void)ptrace(PTRACE_CONT, task, NULL, (void *)(long)(event ? 0 : signal));
}

/* Handles all events so far. false: all tasks have exited. */
static bool drain(struct tracees *tracees)
{
	int status;
	pid_t task;

	while ((task = waitpid(-1, &status, __WALL | WNOHANG)) > 0) {
		if (WIFSTOPPED(status))
			handle_stop(tracees, task, status);
		else
			forget(tracees, task);
	}
	return task == 0 || errno != ECHILD;
}

static bool any_asked(const struct tracees *tracees)
{
	for (size_t i = 0; i < tracees->tasks.count; i++)
		if (tracees->tasks.items[i].asked)
			return true;
	return false;
}

/* Waits for those that were asked to stop, but not forever: the first thread may have ended before the others. */
static bool take_in(struct tracees *tracees)
{
	for (int waited = 0; waited < PATIENCE_US; waited += LOOK_AGAIN_US) {
		if (!drain(tracees))
			return false;
		if (!any_asked(tracees))
			return true;
		usleep(LOOK_AGAIN_US);
	}
	return true;
}

static void interrupt_all(struct tracees *tracees)
{
	for (size_t i = 0; i < tracees->tasks.count; i++)
		tracees->tasks.items[i].asked = !ptrace(PTRACE_INTERRUPT, tracees->tasks.items[i].task, NULL, NULL);
}

/* A task that was just created is stopped, and not in the list yet. */
static void kill_all(struct tracees *tracees)
{
	int status;
	pid_t task;

	for (size_t i = 0; i < tracees->tasks.count; i++)
		kill(tracees->tasks.items[i].task, SIGKILL);
	while ((task = waitpid(-1, &status, __WALL)) > 0)
		if (WIFSTOPPED(status))
			kill(task, SIGKILL);
	array_free(&tracees->tasks);
}

int tracees_run(char *const *command, unsigned int interval_us,
		bool (*stopped)(void *context, pid_t task), void *context)
{
	const long options = PTRACE_O_TRACECLONE | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | PTRACE_O_EXITKILL;
	struct tracees tracees = {.stopped = stopped, .context = context};
	pid_t pid = start(command);
	int status;

	if (pid < 0 || waitpid(pid, &status, WUNTRACED) < 0 || ptrace(PTRACE_SEIZE, pid, NULL, (void *)options) < 0)
		return -1;
	(void)find(&tracees, pid);
	kill(pid, SIGCONT);
	while (!tracees.enough && take_in(&tracees)) {
		usleep(interval_us);
		interrupt_all(&tracees);
	}
	kill_all(&tracees);
	return 0;
}

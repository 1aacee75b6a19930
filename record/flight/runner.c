/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "record/flight/flight_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/gate/confine.h"
#include "common/gate/helper.h"
#include "common/gate/packet.h"
#include "common/log.h"
#include "common/process.h"
#include "common/time_units.h"
#include "record/host/caller.h"
#include "record/host/clocks.h"
#include "record/plan/deadlines.h"

/* --- helper processes --- */

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
	int socket = -1;
	pid_t pid = process_fork(run, context, &socket);

	*forked = (struct forked){.socket_plus_1 = socket + 1, .pid = pid};
	if (pid < 0 || packet_receive(socket, ret_rc, sizeof(*ret_rc), DEADLINE_START, NULL) != sizeof(*ret_rc))
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

/* --- the helper that runs commands --- */

enum { TURN_MS = 200 };

struct job { /* the command of a rule */
	pid_t pid;     /* 0: not running */
	uint64_t next; /* when it is started next; UINT64_MAX: never */
};

struct running {
	const struct record_flight *plan;
	int socket;
	struct job jobs[FLIGHT_MAX_RULES];
};

/* In a child. Output goes where messages go. Never returns. */
static void execute(const struct running *running, const char *command, bool ends_with_us)
{
	int null = descriptors_open_nothing(O_RDWR);
	sigset_t none;

	(void)sigemptyset(&none);
	(void)sigprocmask(SIG_SETMASK, &none, NULL);
	for (int number = 1; number < NSIG; number++)
		(void)signal(number, SIG_DFL);
	if (ends_with_us)
		(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	(void)close(running->socket);
	(void)dup2(null, STDIN_FILENO);
	(void)dup2(STDERR_FILENO, STDOUT_FILENO);
	execl("/bin/sh", "sh", "-c", command, (char *)NULL);
	_exit(127);
}

static pid_t start_command(const struct running *running, const char *command, bool ends_with_us)
{
	pid_t pid = fork();

	if (!pid)
		execute(running, command, ends_with_us);
	return pid > 0 ? pid : 0;
}

static void start_due(struct running *running, uint64_t now)
{
	for (uint32_t i = 0; i < running->plan->rule_count; i++) {
		struct job *job = &running->jobs[i];

		if (job->pid || now < job->next)
			continue;
		job->pid = start_command(running, running->plan->rules[i].name, true);
		job->next = now + running->plan->rules[i].window;
	}
}

static void collect_ended(struct running *running)
{
	int status;
	pid_t pid;

	while ((pid = waitpid(-1, &status, WNOHANG)) > 0)
		for (uint32_t i = 0; i < running->plan->rule_count; i++) {
			if (running->jobs[i].pid != pid)
				continue;
			running->jobs[i].pid = 0;
			if (WIFEXITED(status) && !WEXITSTATUS(status))
				(void)packet_send(running->socket, &i, sizeof(i), -1);
		}
}

/* False: the recorder is gone. */
static bool take_path(const struct running *running)
{
	char path[DUMP_PATH_MAX];
	ssize_t got = packet_receive(running->socket, path, sizeof(path) - 1, TURN_MS, NULL);

	if (got == -ETIMEDOUT || got == -EINTR)
		return true;
	if (got <= 0)
		return false;
	path[got] = '\0';
	if (!setenv("RWALKER_DUMP", path, 1) && running->plan->on_dump)
		(void)start_command(running, running->plan->on_dump, false);
	return true;
}

/* Never returns. */
static void helper_run(const void *context, int socket)
{
	const struct record_flight *plan = context;
	struct running running = {.plan = plan, .socket = socket};
	int32_t rc = forked_become_caller() ?: (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ? -errno : 0);

	forked_settle(STDERR_FILENO + 1, socket);
	(void)fcntl(socket, F_SETFD, FD_CLOEXEC);
	for (uint32_t i = 0; i < plan->rule_count; i++)
		running.jobs[i].next = plan->rules[i].kind == TRIGGER_EXEC ? clocks_now() : UINT64_MAX;
	(void)packet_send(socket, &rc, sizeof(rc), -1);
	while (!rc && take_path(&running)) {
		collect_ended(&running);
		start_due(&running, clocks_now());
	}
	_exit(0);
}

/* --- the recorder --- */

int runner_open(struct forked *runner, const struct record_flight *plan)
{
	int32_t rc = 0;
	int r = forked_start(runner, helper_run, plan, "runs commands", &rc);

	if (r < 0 || rc >= 0)
		return r;
	return log_error(-rc, "cannot give up rights before commands are run: %s", strerror(-rc));
}

bool runner_next(const struct forked *runner, uint32_t *ret_rule)
{
	const int socket = runner->socket_plus_1 - 1;

	return socket >= 0 && packet_receive(socket, ret_rule, sizeof(*ret_rule), 0, NULL) == sizeof(*ret_rule);
}

void runner_run(const struct forked *runner, const char *path)
{
	if (runner->socket_plus_1)
		(void)packet_send(runner->socket_plus_1 - 1, path, strlen(path), -1);
}

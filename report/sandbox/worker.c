/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/sandbox/worker.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/log.h"
#include "report/sandbox/keeper.h"

static bool is_ignored(int number)
{
	struct sigaction now;

	return !sigaction(number, NULL, &now) && now.sa_handler == SIG_IGN;
}

static sigset_t only(int number)
{
	sigset_t set;

	(void)sigemptyset(&set);
	(void)sigaddset(&set, number);
	return set;
}

/* --- the fork --- */

/* A change of user resets the signal that comes when the keeper dies. */
static int begin_worker(struct worker *worker, const struct user *user, const int ends[static 2], pid_t keeper,
			const sigset_t *mask)
{
	int r;

	(void)close(ends[0]);
	*worker = (struct worker){.socket = ends[1], .uninterrupted = worker->uninterrupted};
	(void)signal(WORKER_INTERRUPT, worker->uninterrupted ? SIG_IGN : SIG_DFL);
	(void)signal(SIGINT, SIG_IGN);
	r = user_become(user);
	if (r < 0)
		return r;
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) || getppid() != keeper || sigprocmask(SIG_SETMASK, mask, NULL))
		return -ESRCH; /* there is nobody to tell */
	return 0;
}

int worker_fork(struct worker *ret_worker, const struct user *user)
{
	const sigset_t interrupt = only(SIGINT);
	const pid_t keeper = getpid();
	sigset_t mask;
	int ends[2], r = keeper_line_open(ends);

	if (r < 0)
		return log_error(-r, "cannot open a socket: %s", strerror(-r));
	*ret_worker = (struct worker){.uninterrupted = is_ignored(SIGINT), .socket = ends[0]};
	(void)sigprocmask(SIG_BLOCK, &interrupt, &mask);
	ret_worker->pid = fork();
	if (!ret_worker->pid)
		return begin_worker(ret_worker, user, ends, keeper, &mask);
	(void)close(ends[1]);
	if (ret_worker->pid > 0)
		return 0;
	r = -errno;
	(void)close(ends[0]);
	return log_error(-r, "cannot start a process: %s", strerror(-r));
}

/* --- the keeper --- */

static int interrupts_open(const struct worker *worker)
{
	const sigset_t interrupt = only(SIGINT);

	return worker->uninterrupted ? -1 : signalfd(-1, &interrupt, SFD_CLOEXEC | SFD_NONBLOCK);
}

static void pass_on(const struct worker *worker, int interrupts)
{
	struct signalfd_siginfo information;

	while (read(interrupts, &information, sizeof(information)) == sizeof(information))
		(void)kill(worker->pid, WORKER_INTERRUPT);
}

/*
 * Serves until the worker closes its end of the line. poll() checks the interrupts after the
 * socket, and they are passed on first. So interrupts that came before a request arrive before its
 * answer.
 */
static int serve(const struct worker *worker, int interrupts, const struct desk *desks, size_t count)
{
	struct pollfd waiting[] = {{.fd = worker->socket, .events = POLLIN}, {.fd = interrupts, .events = POLLIN}};
	int r = 1;

	while (r > 0) {
		if (poll(waiting, 2, -1) < 0 && errno != EINTR)
			return -errno;
		if (waiting[1].revents)
			pass_on(worker, interrupts);
		if (waiting[0].revents)
			r = keeper_serve(worker->socket, desks, count);
	}
	return r;
}

static int answer_nothing(void *context, const void *request, size_t size, struct desk_answer *answer)
{
	(void)context;
	(void)request;
	(void)answer;
	return size ? -EPROTO : 0;
}

struct desk worker_interrupts_desk(void)
{
	return (struct desk){.serve = answer_nothing};
}

/* Dies of the signal, so that the process that waits for us sees it. */
static int die_of(int number)
{
	const sigset_t blocked = only(number);

	(void)signal(number, SIG_DFL);
	(void)raise(number);
	(void)sigprocmask(SIG_UNBLOCK, &blocked, NULL);
	return 1; /* it was no deadly signal */
}

static int judge(int status)
{
	if (WIFEXITED(status))
		return WEXITSTATUS(status);
	if (WTERMSIG(status) == SIGSYS)
		return -log_error(1, "the sandbox ended the report: it made a system call that reports do not need. "
				     "Please report this bug; --no-sandbox does without it, for traces that you trust");
	return die_of(WTERMSIG(status) == WORKER_INTERRUPT ? SIGINT : WTERMSIG(status));
}

int worker_keep(const struct worker *worker, const struct desk *desks, size_t count)
{
	_cleanup_close_ int interrupts = interrupts_open(worker);
	int r = serve(worker, interrupts, desks, count), status;

	if (r < 0) {
		(void)log_error(-r, "the report is ended: it made a request that reports do not make");
		(void)kill(worker->pid, SIGKILL);
	}
	(void)close(worker->socket);
	while (waitpid(worker->pid, &status, 0) < 0)
		if (errno != EINTR)
			return 1;
	return r < 0 ? 1 : judge(status);
}

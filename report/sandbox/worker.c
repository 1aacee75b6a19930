/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/sandbox/worker.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/log.h"

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

/* A change of user resets the signal that comes when the parent dies. */
static int begin_worker(struct worker *worker, const struct user *user, pid_t parent, const sigset_t *mask)
{
	int r;

	worker->pid = 0;
	for (size_t i = 0; i < WORKER_LINES; i++) {
		(void)close(worker->lines[i]);
		worker->lines[i] = worker->far[i];
	}
	(void)signal(WORKER_INTERRUPT, worker->uninterrupted ? SIG_IGN : SIG_DFL);
	(void)signal(SIGINT, SIG_IGN);
	r = user_become(user);
	if (r < 0)
		return r;
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) || getppid() != parent || sigprocmask(SIG_SETMASK, mask, NULL))
		return -ESRCH; /* there is nobody to tell */
	return 0;
}

static int open_lines(struct worker *worker)
{
	int r = 0;

	for (size_t i = 0; i < WORKER_LINES && !r; i++) {
		int ends[2];

		r = service_line_open(ends);
		if (!r) {
			worker->lines[i] = ends[0];
			worker->far[i] = ends[1];
		}
	}
	return r < 0 ? log_error(-r, "cannot open a socket: %s", strerror(-r)) : 0;
}

int worker_fork(struct worker *worker, const struct user *user)
{
	const sigset_t interrupt = only(SIGINT);
	const pid_t parent = getpid();
	sigset_t mask;
	int r;

	*worker = (struct worker){.uninterrupted = is_ignored(SIGINT)};
	r = open_lines(worker);
	if (r < 0)
		return r; /* the program ends */
	(void)sigprocmask(SIG_BLOCK, &interrupt, &mask);
	worker->pid = fork();
	if (!worker->pid)
		return begin_worker(worker, user, parent, &mask);
	if (worker->pid < 0)
		return log_error(errno, "cannot start a process: %s", strerror(errno));
	for (size_t i = 0; i < WORKER_LINES; i++)
		(void)close(worker->far[i]);
	return 0;
}

/* --- the parent --- */

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

/* Its child may have been taken over by what it reads, and has only this service: it costs the child, not the report. */
static void serve_child(struct pollfd *line, const struct service *opener)
{
	if (service_serve(line->fd, opener, 1, SERVICE_MOST_SHORT) > 0)
		return;
	(void)shutdown(line->fd, SHUT_RDWR);
	line->fd = -1;
}

/*
 * Serves until the worker closes its end of the line. poll() checks the interrupts after the
 * socket, and they are passed on first. So interrupts that came before a request arrive before its
 * answer.
 */
static int serve(const struct worker *worker, int interrupts, const struct worker_services *services)
{
	struct pollfd waiting[] = {{.fd = worker->lines[WORKER_LINE], .events = POLLIN},
				   {.fd = worker->lines[WORKER_CHILD_LINE], .events = POLLIN},
				   {.fd = interrupts, .events = POLLIN}};
	int r = 1;

	while (r > 0) {
		if (poll(waiting, 3, -1) < 0 && errno != EINTR)
			return -errno;
		if (waiting[2].revents)
			pass_on(worker, interrupts);
		if (waiting[1].revents)
			serve_child(&waiting[1], services->of_child);
		if (waiting[0].revents)
			r = service_serve(worker->lines[WORKER_LINE], services->all, services->count, SERVICE_MOST);
	}
	return r;
}

static int answer_nothing(void *context, const void *request, size_t size, struct service_answer *answer)
{
	(void)context;
	(void)request;
	(void)answer;
	return size ? -EPROTO : 0;
}

struct service worker_interrupts_service(void)
{
	return (struct service){.serve = answer_nothing};
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

static int exit_code_of(int status)
{
	if (WIFEXITED(status))
		return WEXITSTATUS(status);
	if (WTERMSIG(status) == SIGSYS)
		return -log_error(1, "the sandbox ended the report: it made a system call that reports do not need. "
				     "Please report this bug; --no-sandbox does without it, for traces that you trust");
	return die_of(WTERMSIG(status) == WORKER_INTERRUPT ? SIGINT : WTERMSIG(status));
}

int worker_serve(const struct worker *worker, const struct worker_services *services)
{
	_cleanup_close_ int interrupts = interrupts_open(worker);
	int r = serve(worker, interrupts, services), status;

	if (r < 0) {
		(void)log_error(-r, "the report is ended: it made a request that reports do not make");
		(void)kill(worker->pid, SIGKILL);
	}
	(void)close(worker->lines[WORKER_LINE]);
	while (waitpid(worker->pid, &status, 0) < 0)
		if (errno != EINTR)
			return 1;
	return r < 0 ? 1 : exit_code_of(status);
}

/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/descriptors.h"
#include "common/gate/confine.h"
#include "common/gate/packet.h"
#include "common/process_state.h"
#include "report/opener/opener_internal.h"

enum {
	LOOK_MS = 200,	 /* how often an idle worker is checked */
	DEATHS_MAX = 16, /* workers that ended by themselves */
	UNREAD_MAX = 4,	 /* looks at which a request was there, and an idle worker did not read it */
};

struct monitor {
	const struct opener_settings *settings;
	struct opener_shared *shared;
	int channels[OPENER_CHANNELS]; /* -1: the other end was closed */
	pid_t worker;		       /* 0: none */
	unsigned int deaths, unread;
};

/* --- the process --- */

/* A worker that is left behind must hold nothing that others wait to see closed. */
static void close_others(const int kept[static OPENER_CHANNELS])
{
	int nowhere = descriptors_open_nothing(O_RDWR | O_CLOEXEC);

	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (nowhere < 0 || dup2(nowhere, fd) < 0)
			(void)close(fd);
	descriptors_close_others(kept, OPENER_CHANNELS);
}

/*
 * Keeps the real user's rights; if that is root, only what it takes to read files of others, what
 * is below /proc/PID/root, and the addresses in /proc/kallsyms.
 */
static int give_up(const struct opener_settings *settings)
{
	const uint64_t kept = CAPABILITY(DAC_READ_SEARCH) | CAPABILITY(SYS_PTRACE) | CAPABILITY(SYSLOG);
	int r = user_become(&settings->user);

	if (r < 0)
		return r;
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 || setresgid(getgid(), getgid(), getgid()) < 0 ||
	    setresuid(getuid(), getuid(), getuid()) < 0)
		return -errno;
	r = capabilities_keep(kept);
	if (!r && !settings->no_filter)
		r = opener_calls_of_monitor();
	return r == -ENOTSUP ? 0 : r;
}

/* Ctrl-C is for the reporter, which may go on; the monitor ends with it. */
static void settle(const int channels[static OPENER_CHANNELS], const struct opener_settings *settings)
{
	static const int ignored[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE};

	for (size_t i = 0; i < sizeof(ignored) / sizeof(ignored[0]); i++)
		(void)signal(ignored[i], SIG_IGN);
	(void)signal(SIGCHLD, SIG_DFL);
	(void)prctl(PR_SET_NAME, "rwalker-opener");
	close_others(channels);
	if (give_up(settings) < 0)
		_exit(1);
}

/* --- the worker --- */

static int confine_worker(const struct opener_settings *settings)
{
	int r = settings->no_filter ? 0 : opener_calls_of_worker();

	return r == -ENOTSUP ? 0 : r;
}

static void start_worker(struct monitor *monitor)
{
	pid_t parent = getpid(), pid = fork();

	if (pid < 0)
		_exit(1);
	if (pid == 0) {
		if (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0 || getppid() != parent ||
		    confine_worker(monitor->settings) < 0)
			_exit(1);
		opener_worker(monitor->channels, monitor->settings, monitor->shared);
	}
	monitor->worker = pid;
}

static void answer_instead(struct monitor *monitor, int error)
{
	const struct opener_shared *shared = monitor->shared;
	const struct opener_answer answer = {.number = shared->request.number, .error = error};
	uint32_t channel = shared->channel;

	if (channel < OPENER_CHANNELS && monitor->channels[channel] >= 0)
		(void)packet_send(monitor->channels[channel], &answer, opener_answer_size(&answer), -1);
}

/* The next worker would be, too: better no report than one without names. */
static bool was_filtered(int status)
{
	return WIFSIGNALED(status) && WTERMSIG(status) == SIGSYS;
}

/* Reaps workers that have ended; one that was left behind may end late, or never. */
static void bury(struct monitor *monitor)
{
	int status;
	pid_t pid;

	while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
		if (pid != monitor->worker)
			continue;
		monitor->worker = 0;
		if (++monitor->deaths == DEATHS_MAX || was_filtered(status))
			_exit(1);
		if (opener_end_work(monitor->shared, atomic_load(&monitor->shared->work)))
			answer_instead(monitor, -ENOENT);
	}
}

/* A place that did not answer is not asked again, unless it is on a local file system, which others need, too. */
static void note_silence(struct opener_shared *shared)
{
	const struct walk_place place = shared->place;

	shared->timeouts++;
	if (!place.local && shared->silent_count < WALK_SILENT_MAX)
		shared->silent[shared->silent_count++] = place;
	if (shared->request.what != OPENER_NAMED)
		refusals_add(&shared->refusals, OPENER_NO_ANSWER, shared->request.path);
}

/* A worker that was stopped while it was idle reads no request; another one does. */
static int look_at_idle(struct monitor *monitor)
{
	struct pollfd entries[OPENER_CHANNELS];

	for (size_t i = 0; i < OPENER_CHANNELS; i++)
		entries[i] = (struct pollfd){.fd = monitor->channels[i], .events = POLLIN};
	monitor->unread = poll(entries, OPENER_CHANNELS, 0) > 0 ? monitor->unread + 1 : 0;
	if (monitor->unread < UNREAD_MAX || process_is_runnable(monitor->worker))
		return LOOK_MS;
	(void)kill(monitor->worker, SIGKILL);
	monitor->worker = 0;
	monitor->unread = 0;
	return 0;
}

/* ms until the worker must be checked; -1: there is none. */
static int look(struct monitor *monitor)
{
	struct opener_shared *shared = monitor->shared;
	uint64_t work = atomic_load(&shared->work), passed;

	if (!monitor->worker || !work)
		return monitor->worker ? look_at_idle(monitor) : -1;
	passed = (clock_now(CLOCK_MONOTONIC) - shared->since) / MILLISECOND;
	if (passed < OPENER_DEADLINE_MS)
		return (int)(OPENER_DEADLINE_MS - passed);
	if (passed < OPENER_BUSY_MS && process_is_runnable(monitor->worker)) /* a busy machine is no dead file server */
		return LOOK_MS;
	if (opener_end_work(shared, work)) {
		(void)kill(monitor->worker, SIGKILL);
		monitor->worker = 0;
		note_silence(shared);
		answer_instead(monitor, shared->request.what == OPENER_NAMED ? -ETIMEDOUT : -EPERM);
	}
	return 0;
}

/* An idle worker ends at once; one at work may be stuck, and is not waited for. */
static _Noreturn void end(const struct monitor *monitor)
{
	if (monitor->worker && kill(monitor->worker, SIGKILL) == 0 && !atomic_load(&monitor->shared->work))
		(void)waitpid(monitor->worker, NULL, 0);
	_exit(0);
}

/* --- the loop --- */

/* Requests are for the worker to read. If there is no worker, a request starts one. */
static void wait_for_channels(struct monitor *monitor, int timeout_ms)
{
	struct pollfd entries[OPENER_CHANNELS];
	bool wanted = false, open = false;

	for (size_t i = 0; i < OPENER_CHANNELS; i++)
		entries[i] = (struct pollfd){.fd = monitor->channels[i],
					     .events = monitor->worker ? 0 : POLLIN};
	if (poll(entries, OPENER_CHANNELS, timeout_ms) < 0)
		return;
	for (size_t i = 0; i < OPENER_CHANNELS; i++) {
		wanted |= entries[i].revents & POLLIN;
		if (entries[i].revents & (POLLHUP | POLLERR | POLLNVAL))
			monitor->channels[i] = -1;
		open |= monitor->channels[i] >= 0;
	}
	if (!open)
		end(monitor);
	if (wanted && !monitor->worker)
		start_worker(monitor);
}

_Noreturn void opener_monitor(const int channels[static OPENER_CHANNELS], const struct opener_settings *settings)
{
	struct monitor monitor = {.settings = settings};

	settle(channels, settings);
	memcpy(monitor.channels, channels, sizeof(monitor.channels));
	monitor.shared = mmap(NULL, sizeof(*monitor.shared), PROT_READ | PROT_WRITE,
			      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (monitor.shared == MAP_FAILED)
		_exit(1);
	for (;;) {
		int timeout_ms = look(&monitor);

		bury(&monitor);
		wait_for_channels(&monitor, timeout_ms);
	}
}

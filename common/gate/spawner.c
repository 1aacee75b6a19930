/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "common/gate/helper.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/gate/confine.h"
#include "common/gate/packet.h"
#include "common/process.h"
#include "common/time_units.h"

enum { SPAWN_MS = 1000, /* for a new helper */
       JAIL_MS = 800, /* for a new helper to be in its jail */
       END_MS = 1000, /* for the end of the spawner; else it is left behind */
       HELPERS_KNOWN = 16, HELPERS_LEFT = 32,
       LISTS_MAX = 16 };

static const struct timeval SEND_TIMEOUT = {.tv_usec = 200000};

struct known_helper { /* its CPU time is counted */
	pid_t pid; /* 0: none */
	unsigned int kind;
	uint64_t time;
};

struct left_helper {
	pid_t pid;
	unsigned int kind;
	uint64_t since; /* CLOCK_MONOTONIC ns */
};

struct spawner {
	const struct helper_table *table;
	const void *context;
	bool filter; /* helpers get a filter of system calls */
	int socket;
	pid_t owner;
	pid_t pid; /* 0: this process starts helpers itself */
	bool mute; /* the last request was not answered in time, nor since: nothing more is asked */
	struct known_helper known[HELPERS_KNOWN];
	size_t next_known;
	uint64_t ended; /* CPU time of helpers that are no longer in `known` */
	struct left_helper left[HELPERS_LEFT]; /* that were not returned yet */
	size_t left_count;
};

/* --- the jail ---------------------------------------------------------------------------------------- */

/* Messages, memory, exiting. */
static const struct call_row SHARED[] = {
	CALL(recvmsg), CALL(sendmsg), CALL(ppoll), CALL(close), CALL(read), CALL(lseek), CALL(fstat), CALL(newfstatat),
	CALL(getpid), CALLS_OF_MEMORY, CALLS_OF_ENDING, CALL(clock_gettime), CALL(getrandom),
};

/* To fork a helper, which puts itself into its own jail; to end one that does not. */
static const struct call_row SPAWNING[] = {
	CALL_FORK, CALL(rt_sigprocmask), CALL(getppid), CALL(gettid), CALL(socketpair), CALL(dup3), CALL(close_range),
	CALL_EQUAL(fcntl, 1, F_DUPFD_CLOEXEC), CALL(capget), CALL(capset), CALL_EQUAL(prlimit64, 0, 0),
	CALL_EQUAL(prctl, 0, PR_SET_PDEATHSIG), CALL_EQUAL(prctl, 0, PR_SET_SECCOMP), CALL_EQUAL(kill, 1, SIGKILL),
};

static const struct limit {
	int resource;
	rlim_t limit;
	bool forks; /* also holds for the spawner, which forks */
} LIMITS[] = {
	{RLIMIT_AS, 1 << 30, true}, {RLIMIT_NOFILE, 16, true}, {RLIMIT_CORE, 0, true}, {RLIMIT_FSIZE, 0, true},
	{RLIMIT_NPROC, 0, false},
};

static int limits_set(bool forks)
{
	for (size_t i = 0; i < sizeof(LIMITS) / sizeof(LIMITS[0]); i++) {
		rlim_t limit = LIMITS[i].limit;
		struct rlimit ours;

		if ((forks && !LIMITS[i].forks) || (sanitized_build() && LIMITS[i].resource == RLIMIT_AS))
			continue;
		if (!getrlimit(LIMITS[i].resource, &ours) && ours.rlim_max < limit)
			limit = ours.rlim_max; /* we were started with less */
		if (setrlimit(LIMITS[i].resource, &(struct rlimit){limit, limit}))
			return -errno;
	}
	return 0;
}

/* Of one kind, or (NULL) of the spawner: what all may do, and what starting them takes. */
static int filter_install(const struct helper_table *table, const struct helper_kind *kind)
{
	struct call_list lists[LISTS_MAX] = {CALL_LIST(SHARED), CALL_LIST(SPAWNING)};
	size_t count = 2;
	int r;

	if (kind)
		lists[1] = kind->calls;
	else if (table->count + count > LISTS_MAX)
		return -E2BIG;
	for (size_t i = 0; !kind && i < table->count; i++)
		lists[count++] = table->kinds[i].calls;
	r = call_filter_install(lists, count, CALL_REFUSAL_KILLS);
	return r == -ENOTSUP && table->filter_may_lack ? 0 : r;
}

static uint64_t capabilities_of(const struct helper_table *table, const struct helper_kind *kind)
{
	uint64_t all = kind ? kind->capabilities : 0;

	for (size_t i = 0; !kind && i < table->count; i++)
		all |= table->kinds[i].capabilities;
	return all;
}

/* kind NULL: the spawner's. first: nobody has begun before. */
static int jail_enter(const struct helper_table *table, const struct helper_kind *kind, const void *context,
		      bool first, bool filter)
{
	int r = first && table->begin ? table->begin(context) : 0;

	if (!r)
		r = limits_set(!kind);
	if (!r)
		r = capabilities_keep(capabilities_of(table, kind));
	if (!r && first)
		r = process_isolate();
	if (!r && first)
		r = process_end_with_parent();
	return r || !filter ? r : filter_install(table, kind);
}

/* --- processes --------------------------------------------------------------------------------------- */

/* Terminal signals go to the whole group; helpers end with their socket or their parent instead. */
static void signals_ignore(void)
{
	static const int ignored[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGCHLD /* the kernel reaps */};

	for (size_t i = 0; i < sizeof(ignored) / sizeof(ignored[0]); i++)
		(void)signal(ignored[i], SIG_IGN);
}

/* A helper that is left behind must hold nothing that others wait to see closed. Sanitizers report on stderr. */
static void files_leave(void)
{
	int nothing = descriptors_open_nothing(O_RDWR | O_CLOEXEC);

	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO - sanitized_build(); fd++)
		if (nothing < 0 || dup2(nothing, fd) < 0)
			_exit(1);
}

/* Closes everything but the standard files and the socket: a helper must not keep another's socket open. */
static int keep_only(int socket)
{
	int kept = fcntl(socket, F_DUPFD_CLOEXEC, 3);

	if (kept < 0 || (kept != 3 && dup3(kept, 3, O_CLOEXEC) < 0))
		_exit(1);
	descriptors_close_others(&(int){3}, 1);
	return 3;
}

/* In a new child. */
struct start {
	const struct spawner *spawner;
	const struct helper_kind *kind; /* NULL: the spawner */
	bool first;			/* this process has the rights of the program */
	uint64_t most_data;
	pid_t parent;
};

static int spawner_run(const struct spawner *spawner, int socket);

/* Says that it is in its jail, or why not, then works. */
static void child_run(const void *context, int socket)
{
	const struct start *start = context;
	const struct spawner *spawner = start->spawner;
	int32_t rc;

	if (start->first) {
		if (start->most_data && !sanitized_build())
			(void)setrlimit(RLIMIT_DATA, &(struct rlimit){start->most_data, start->most_data});
		signals_ignore();
	}
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) || getppid() != start->parent)
		_exit(1);
	if (start->first)
		files_leave();
	socket = keep_only(socket);
	rc = jail_enter(spawner->table, start->kind, spawner->context, start->first, spawner->filter);
	if (packet_send(socket, &rc, sizeof(rc), -1) || rc)
		_exit(1);
	_exit(start->kind ? start->kind->run(socket, spawner->context) : spawner_run(spawner, socket));
}

pid_t process_fork(void (*run)(const void *context, int socket), const void *context, int *ret_socket)
{
	_cleanup_close_ int near = -1, far = -1;
	int pair[2];
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair))
		return -errno;
	near = pair[0];
	far = pair[1];
	pid = fork();
	if (!pid) {
		(void)close(steal_fd(&near));
		run(context, far);
		_exit(0);
	}
	if (pid < 0)
		return -errno;
	*ret_socket = steal_fd(&near);
	return pid;
}

/* A child is handed over once it is in its jail and will end with us. Its pid, -errno. */
static pid_t child_start(struct start *start, int *ret_socket, int timeout_ms)
{
	_cleanup_close_ int near = -1;
	int32_t rc = 0;
	pid_t pid;

	start->parent = getpid();
	pid = process_fork(child_run, start, &near);
	if (pid < 0)
		return pid;
	if (packet_receive(near, &rc, sizeof(rc), timeout_ms, NULL) != sizeof(rc) || rc) {
		(void)kill(pid, SIGKILL);
		return rc ? rc : -ECHILD;
	}
	*ret_socket = steal_fd(&near);
	return pid;
}

/* --- the spawner's process --------------------------------------------------------------------------- */

struct request {
	uint32_t kind, size; /* size: of the task's request; 0: a helper is wanted */
	uint8_t bytes[HELPER_TASK_MAX];
};

static int64_t request_serve(const struct spawner *spawner, const struct request *request, int *ret_fd)
{
	const struct helper_kind *kind = &spawner->table->kinds[request->kind];
	struct start start = {.spawner = spawner, .kind = kind};
	int fd;

	if (kind->run)
		return child_start(&start, ret_fd, JAIL_MS);
	fd = kind->task(request->bytes, request->size);
	if (fd >= 0)
		*ret_fd = fd;
	return fd < 0 ? fd : 0;
}

static int spawner_run(const struct spawner *spawner, int socket)
{
	const ssize_t least = offsetof(struct request, bytes);
	struct request request;
	ssize_t got;

	while ((got = packet_receive(socket, &request, sizeof(request), PACKET_FOREVER, NULL)) >= least) {
		_cleanup_close_ int fd = -1;
		bool sound = request.kind < spawner->table->count && request.size == (size_t)(got - least);
		int64_t result = sound ? request_serve(spawner, &request, &fd) : -EINVAL;

		(void)packet_send(socket, &result, sizeof(result), fd);
	}
	return 0;
}

/* --- from outside ------------------------------------------------------------------------------------ */

/* Waits until the child has ended, at most timeout_ms: one that is stuck in the kernel is left behind. Its status. */
static int await_end(pid_t pid, int timeout_ms)
{
	int status = 0;
	_cleanup_close_ int ended = (int)syscall(SYS_pidfd_open, pid, 0);
	struct pollfd wanted = {.fd = ended, .events = POLLIN};

	if (ended >= 0)
		(void)poll(&wanted, 1, timeout_ms);
	return waitpid(pid, &status, WNOHANG) == pid ? status : 0;
}

void spawner_destroy(struct spawner *spawner)
{
	if (!spawner)
		return;
	if (spawner->pid)
		(void)close(spawner->socket);
	if (spawner->pid && spawner->owner == getpid()) {
		(void)kill(spawner->pid, SIGKILL); /* its helpers follow, also those that are stopped */
		(void)await_end(spawner->pid, END_MS);
	}
	free(spawner);
}

const struct helper_kind *spawner_kind(const struct spawner *spawner, unsigned int kind)
{
	return &spawner->table->kinds[kind];
}

pid_t spawner_pid(const struct spawner *spawner)
{
	return spawner->pid;
}

bool spawner_has_ended(const struct spawner *spawner)
{
	struct pollfd other = {.fd = spawner->socket};

	return spawner->pid && poll(&other, 1, 0) == 1 && other.revents & (POLLHUP | POLLERR);
}

/* By its CPU clock (clock_getcpuclockid(3), without its system call). 0: it has ended. */
static uint64_t cpu_time_of(pid_t pid)
{
	enum { SCHEDULED = 2 };
	struct timespec time;

	if (clock_gettime((clockid_t)(~(unsigned int)pid << 3 | SCHEDULED), &time))
		return 0;
	return (uint64_t)time.tv_sec * SECOND + (uint64_t)time.tv_nsec;
}

uint64_t spawner_cpu_time(struct spawner *spawner)
{
	uint64_t sum = spawner->ended + cpu_time_of(spawner->pid);

	for (size_t i = 0; i < HELPERS_KNOWN; i++) {
		struct known_helper *helper = &spawner->known[i];
		uint64_t time = helper->pid ? cpu_time_of(helper->pid) : 0;

		if (time > helper->time)
			helper->time = time;
		sum += helper->time;
	}
	return sum;
}

/* Replaces a helper that has ended, or else any one; the CPU time of that one stays. */
static void know_helper(struct spawner *spawner, unsigned int kind, pid_t pid)
{
	struct known_helper *place = &spawner->known[spawner->next_known];

	for (size_t i = 0; i < HELPERS_KNOWN; i++)
		if (!spawner->known[i].pid || !cpu_time_of(spawner->known[i].pid))
			place = &spawner->known[i];
	spawner->next_known = (spawner->next_known + 1) % HELPERS_KNOWN;
	spawner->ended += place->time;
	*place = (struct known_helper){.pid = pid, .kind = kind};
}

/* The answer to the last request, which may come after we gave up on it: a helper's pid, 0, or -errno. */
static int receive_answer(struct spawner *spawner, int timeout_ms, int64_t *ret_result, int *ret_fd)
{
	ssize_t got = packet_receive(spawner->socket, ret_result, sizeof(*ret_result), timeout_ms, ret_fd);

	spawner->mute = got == -ETIMEDOUT;
	if (got < 0)
		return (int)got;
	return got == sizeof(*ret_result) ? 0 : -ECHILD;
}

int spawner_create_here(const struct helper_table *table, const void *context, bool filter,
			struct spawner **ret_spawner)
{
	struct spawner *spawner = calloc(1, sizeof(*spawner));

	if (!spawner)
		return -ENOMEM;
	*spawner = (struct spawner){.table = table, .context = context, .filter = filter, .socket = -1,
				    .owner = getpid()};
	*ret_spawner = spawner;
	return 0;
}

int spawner_create(const struct helper_table *table, const void *context, uint64_t most_data,
		   struct spawner **ret_spawner)
{
	struct spawner *spawner;
	int r = spawner_create_here(table, context, true, &spawner);
	struct start start = {.spawner = spawner, .first = true, .most_data = most_data};
	pid_t pid;

	if (r)
		return r;
	pid = child_start(&start, &spawner->socket, HELPER_START_MS);
	if (pid < 0) {
		free(spawner);
		return pid;
	}
	spawner->pid = pid;
	*ret_spawner = spawner;
	return 0;
}

/* 0 if the spawner can be asked, else -errno. If a late answer brings a helper, closing its socket ends it. */
static int make_ready(struct spawner *spawner)
{
	_cleanup_close_ int fd = -1;
	int64_t late;

	return spawner->mute ? receive_answer(spawner, 0, &late, &fd) : 0;
}

static int64_t ask(struct spawner *spawner, unsigned int kind, const void *bytes, size_t size, int *ret_fd)
{
	struct request request = {.kind = kind, .size = (uint32_t)size};
	int64_t result = 0;
	int r = size <= sizeof(request.bytes) ? make_ready(spawner) : -E2BIG;

	if (!r && size)
		memcpy(request.bytes, bytes, size);
	if (!r)
		r = packet_send(spawner->socket, &request, offsetof(struct request, bytes) + size, -1);
	if (!r)
		r = receive_answer(spawner, SPAWN_MS, &result, ret_fd);
	return r ? r : result;
}

int spawner_do(struct spawner *spawner, unsigned int kind, const void *request, size_t size)
{
	_cleanup_close_ int fd = -1;
	int64_t result = ask(spawner, kind, request, size, &fd);

	return result < 0 ? (int)result : fd < 0 ? -ECHILD : steal_fd(&fd);
}

int spawner_start(struct spawner *spawner, unsigned int kind, int *ret_socket, pid_t *ret_pid)
{
	struct start start = {.spawner = spawner, .kind = spawner_kind(spawner, kind), .first = true};
	_cleanup_close_ int socket = -1;
	int64_t pid = spawner->pid ? ask(spawner, kind, NULL, 0, &socket) : child_start(&start, &socket, HELPER_START_MS);

	if (pid <= 0 || socket < 0)
		return pid < 0 ? (int)pid : -ECHILD;
	/* A helper that has stopped reading must not stop us. */
	(void)setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &SEND_TIMEOUT, sizeof(SEND_TIMEOUT));
	*ret_socket = steal_fd(&socket);
	*ret_pid = (pid_t)pid;
	know_helper(spawner, kind, (pid_t)pid);
	return 0;
}

bool spawner_saw_attack(const struct spawner *spawner, pid_t pid)
{
	int status = spawner->pid ? 0 : await_end(pid, END_MS);

	return WIFSIGNALED(status) && WTERMSIG(status) == SIGSYS;
}

void spawner_leave(struct spawner *spawner, pid_t pid)
{
	struct left_helper *left = &spawner->left[spawner->left_count];

	(void)kill(pid, SIGKILL);
	for (size_t i = 0; i < HELPERS_KNOWN && spawner->left_count < HELPERS_LEFT; i++)
		if (spawner->known[i].pid == pid) {
			*left = (struct left_helper){pid, spawner->known[i].kind, clock_now(CLOCK_MONOTONIC)};
			spawner->left_count++;
			return;
		}
}

bool spawner_next_left(struct spawner *spawner, bool last, const char **ret_what, pid_t *ret_pid)
{
	for (size_t i = spawner->left_count; i-- > 0;) {
		const struct left_helper left = spawner->left[i];
		uint64_t passed = (clock_now(CLOCK_MONOTONIC) - left.since) / MILLISECOND;

		if (last && passed < HELPER_LEFT_MS)
			(void)await_end(left.pid, (int)(HELPER_LEFT_MS - passed));
		else if (passed < HELPER_LEFT_MS)
			continue;
		spawner->left[i] = spawner->left[--spawner->left_count];
		if (!cpu_time_of(left.pid))
			continue;
		*ret_what = spawner_kind(spawner, left.kind)->name;
		*ret_pid = left.pid;
		return true;
	}
	return false;
}

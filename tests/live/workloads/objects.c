/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * objects N FOLDER: N waits on each kind of object, each kind in a thread that is named after it,
 * all in one process, so that descriptors are shared. Another thread ends each wait 3 ms after its
 * begin. Prints what was waited for:
 *
 *	COMM CALL KIND MEMBER=VALUE...	as in the record OBJECT of a trace, `path` of OBJECT_NAME, `asked` of WAIT
 *
 * While w-swap sleeps, its descriptor is replaced by another pipe, from which it read just before;
 * that of w-close is closed; that of w-dup is duplicated first.
 */
#include "workload.h"

#include <linux/futex.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>

enum { WAIT_US = 3000, SLEEP_MS = 7, FILE_KIND = 1, PIPE = 3, TCP, UDP, UNIX, EVENTFD = 8, TIMERFD, SIGNALFD, INOTIFY,
       EPOLL, FUTEX = 14, CHILD, SLEEP };

static int rounds;
static char folder[256];

struct job { /* one wait at a time; another thread ends it */
	const char *comm;
	void (*set_up)(struct job *job);
	void (*sleep)(struct job *job);
	void (*end)(struct job *job);
	int fd, other, spare[2], round;
	pid_t tid;
	unsigned int word;
	pthread_barrier_t barrier;
	char path[300];
};

static void await(const struct job *job)
{
	await_call(job->tid, &job->barrier, sizeof(job->barrier));
	rest_us(WAIT_US);
}

static void say_inode(const struct job *job, const char *call, int kind, int fd)
{
	printf("%s %s %d inode=%lu\n", job->comm, call, kind, inode_of(fd));
}

static void say_descriptor(const struct job *job, const char *call, int kind)
{
	printf("%s %s %d descriptor=%d tgid=%d\n", job->comm, call, kind, job->fd + 1, getpid());
}

static void take(struct job *job)
{
	char bytes[sizeof(struct signalfd_siginfo)];

	must(read(job->fd, bytes, sizeof(bytes)) > 0, job->comm);
}

static void give(struct job *job) { must(write(job->other, "xxxxxxx", 8) > 0, "write"); }

/* --- descriptors --- */

static void pipe_up(struct job *job)
{
	int ends[2];

	must(!pipe(ends), "pipe");
	job->fd = ends[0];
	job->other = ends[1];
	say_inode(job, "read", PIPE, job->fd);
}

static void unix_up(struct job *job)
{
	int ends[2];

	must(!socketpair(AF_UNIX, SOCK_STREAM, 0, ends), "socketpair");
	job->fd = ends[0];
	job->other = ends[1];
	printf("%s recvfrom %d inode=%lu peer=%lu\n", job->comm, UNIX, inode_of(job->fd), inode_of(job->other));
}

static void receive(struct job *job)
{
	char byte[64];

	must(recv(job->fd, byte, sizeof(byte), 0) > 0, "recv");
}

static void send_some(struct job *job) { must(send(job->other, "x", 1, 0) == 1, "send"); }

static unsigned int bind_here(int fd)
{
	struct sockaddr_in here = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t length = sizeof(here);

	must(!bind(fd, (void *)&here, length) && !getsockname(fd, (void *)&here, &length), "bind");
	return ntohs(here.sin_port);
}

static void connect_to(int fd, unsigned int port)
{
	struct sockaddr_in there = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
				    .sin_port = htons((uint16_t)port)};

	must(!connect(fd, (void *)&there, sizeof(there)), "connect");
}

static void listen_up(struct job *job)
{
	job->fd = socket(AF_INET, SOCK_STREAM, 0);
	job->word = bind_here(job->fd);
	must(!listen(job->fd, 8), "listen");
	printf("%s accept %d inode=%lu port=%u peer_port=0 state=10\n", job->comm, TCP, inode_of(job->fd), job->word);
}

static void accept_one(struct job *job)
{
	int fd = accept(job->fd, NULL, NULL);

	must(fd >= 0, "accept");
	close(fd);
}

static void connect_one(struct job *job)
{
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	connect_to(fd, job->word);
	close(fd);
}

static void tcp_up(struct job *job)
{
	int listener = socket(AF_INET, SOCK_STREAM, 0);
	unsigned int port = bind_here(listener), own;

	must(!listen(listener, 1), "listen");
	job->fd = socket(AF_INET, SOCK_STREAM, 0);
	own = bind_here(job->fd);
	connect_to(job->fd, port);
	job->other = accept(listener, NULL, NULL);
	close(listener);
	printf("%s recvfrom %d inode=%lu port=%u peer_port=%u state=1\n", job->comm, TCP, inode_of(job->fd), own, port);
}

static void udp_up(struct job *job)
{
	unsigned int port;

	job->fd = socket(AF_INET, SOCK_DGRAM, 0);
	job->other = socket(AF_INET, SOCK_DGRAM, 0);
	port = bind_here(job->fd);
	connect_to(job->other, port);
	printf("%s recvfrom %d inode=%lu port=%u\n", job->comm, UDP, inode_of(job->fd), port);
}

static void eventfd_up(struct job *job)
{
	job->fd = job->other = eventfd(0, 0);
	say_descriptor(job, "read", EVENTFD);
}

static void timerfd_up(struct job *job)
{
	job->fd = timerfd_create(CLOCK_MONOTONIC, 0);
	say_descriptor(job, "read", TIMERFD);
}

static void timer_sleep(struct job *job)
{
	const struct itimerspec once = {.it_value.tv_nsec = WAIT_US * 1000};

	must(!timerfd_settime(job->fd, 0, &once, NULL), "settime");
	take(job);
}

static void signalfd_up(struct job *job)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	job->fd = signalfd(-1, &set, 0);
	say_descriptor(job, "read", SIGNALFD);
}

static void raise_one(struct job *job)
{
	(void)job;
	kill(getpid(), SIGUSR1);
}

static void inotify_up(struct job *job)
{
	job->fd = inotify_init1(0);
	snprintf(job->path, sizeof(job->path), "%s/watched", folder);
	(void)mkdir(job->path, 0700);
	must(inotify_add_watch(job->fd, job->path, IN_DELETE) >= 0, "inotify_add_watch");
	strcat(job->path, "/file");
	say_descriptor(job, "read", INOTIFY);
}

static void inotify_sleep(struct job *job)
{
	char bytes[4096];

	must(read(job->fd, bytes, sizeof(bytes)) > 0, "inotify");
}

static void touch_one(struct job *job)
{
	close(open(job->path, O_CREAT | O_WRONLY, 0600));
	unlink(job->path);
}

static void epoll_up(struct job *job)
{
	struct epoll_event event = {.events = EPOLLIN};

	job->other = job->spare[0] = eventfd(0, 0);
	job->fd = epoll_create1(0);
	must(!epoll_ctl(job->fd, EPOLL_CTL_ADD, job->other, &event), "epoll_ctl");
	say_descriptor(job, "epoll_wait", EPOLL);
}

static void epoll_sleep(struct job *job)
{
	struct epoll_event event;
	unsigned long count;

	must(epoll_wait(job->fd, &event, 1, -1) == 1 && read(job->spare[0], &count, 8) == 8, "epoll_wait");
}

/* --- locks, children, sleeps --- */

static void futex_up(struct job *job)
{
	printf("%s futex %d tgid=%d place=0x%lx\n", job->comm, FUTEX, getpid(), (unsigned long)&job->word);
	for (size_t i = 0; i < sizeof(job->barrier); i += 4) /* where it waits for its ender */
		printf("%s futex %d tgid=%d place=0x%lx\n", job->comm, FUTEX, getpid(),
		       (unsigned long)&job->barrier + i);
}

static void futex_sleep(struct job *job)
{
	while (!__atomic_load_n(&job->word, __ATOMIC_ACQUIRE))
		syscall(SYS_futex, &job->word, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0);
	job->word = 0;
}

static void futex_end(struct job *job)
{
	__atomic_store_n(&job->word, 1, __ATOMIC_RELEASE);
	syscall(SYS_futex, &job->word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

/* The child lives until its parent waits for it in that call, and a bit longer. */
static pid_t brief_child(pid_t parent, long call)
{
	pid_t child = fork();

	if (!child) {
		await_call_number(parent, call);
		rest_us(WAIT_US);
		_exit(0);
	}
	return child;
}

static void child_sleep(struct job *job)
{
	pid_t child = brief_child(job->tid, SYS_wait4);

	printf("%s wait4 %d tgid=%d\n", job->comm, CHILD, child);
	waitpid(child, NULL, 0);
}

static void waitid_sleep(struct job *job)
{
	pid_t child = brief_child(job->tid, SYS_waitid);
	siginfo_t ended;

	printf("%s waitid %d tgid=%d\n", job->comm, CHILD, child);
	must(!waitid(P_PID, (id_t)child, &ended, WEXITED), "waitid");
}

static void sleep_up(struct job *job) { printf("%s clock_nanosleep %d asked=%d000000\n", job->comm, SLEEP, SLEEP_MS); }

static void sleep_sleep(struct job *job)
{
	(void)job;
	rest_us(SLEEP_MS * 1000);
}

static void lock_up(struct job *job)
{
	snprintf(job->path, sizeof(job->path), "%s/%s", folder, job->comm);
	job->fd = open(job->path, O_CREAT | O_RDWR, 0600);
	job->other = open(job->path, O_RDWR);
	must(job->fd >= 0 && job->other >= 0, job->path);
	if (!strcmp(job->comm, "w-renamed")) {
		char before[300];

		memcpy(before, job->path, sizeof(before));
		strcat(job->path, "2");
		must(!rename(before, job->path), "rename");
	}
	if (!strcmp(job->comm, "w-deleted"))
		unlink(job->path);
	must(!flock(job->other, LOCK_EX), "flock");
	printf("%s flock %d inode=%lu path=%s flags=0x%d\n", job->comm, FILE_KIND, inode_of(job->fd), job->path,
	       !strcmp(job->comm, "w-deleted"));
}

static void lock_sleep(struct job *job)
{
	must(!flock(job->fd, LOCK_EX) && !flock(job->fd, LOCK_UN), "flock");
	pthread_barrier_wait(&job->barrier); /* the other thread locks it again */
	pthread_barrier_wait(&job->barrier);
}

static void lock_end(struct job *job)
{
	must(!flock(job->other, LOCK_UN), "flock");
	pthread_barrier_wait(&job->barrier);
	must(!flock(job->other, LOCK_EX), "flock");
	pthread_barrier_wait(&job->barrier);
}

/* --- a descriptor that changes while its reader sleeps --- */

static void swap_up(struct job *job)
{
	int one[2], two[2];

	must(!pipe(one) && !pipe(two), "pipe");
	memcpy(job->spare, (int[]){one[0], two[0]}, sizeof(job->spare));
	job->fd = fcntl(one[0], F_DUPFD, 500); /* once it is closed, no other thread gets that number */
	job->other = one[1];
	job->word = (unsigned int)two[1];
	printf("%s-a read %d inode=%lu\n", job->comm, PIPE, inode_of(one[0]));
	printf("%s-b read %d inode=%lu\n", job->comm, PIPE, inode_of(two[0]));
}

/* Reads from two pipes in turn by the same descriptor, which meanwhile is replaced by the other one, or closed. */
static void swap_sleep(struct job *job)
{
	int turn = job->round & 1;
	char name[16], bytes[8];

	snprintf(name, sizeof(name), "%s-%c", job->comm, "ab"[turn]);
	prctl(PR_SET_NAME, name);
	must(dup2(job->spare[turn], job->fd) >= 0, "dup2");
	must(read(job->fd, bytes, 8) > 0, "read");
}

static void swap_end(struct job *job)
{
	int turn = job->round & 1;

	if (!strcmp(job->comm, "w-dup")) /* the pipe has another descriptor, and no longer this one */
		must(dup2(job->fd, job->fd + 100) >= 0, "dup2");
	if (strcmp(job->comm, "w-swap"))
		close(job->fd);
	else
		must(dup2(job->spare[!turn], job->fd) >= 0, "dup2");
	must(write(turn ? (int)job->word : job->other, "xxxxxxx", 8) == 8, "write");
}

/* --- all of them --- */

static struct job jobs[] = {
	{.comm = "w-pipe", pipe_up, take, give},
	{.comm = "w-unix", unix_up, receive, send_some},
	{.comm = "w-accept", listen_up, accept_one, connect_one},
	{.comm = "w-tcp", tcp_up, receive, send_some},
	{.comm = "w-udp", udp_up, receive, send_some},
	{.comm = "w-eventfd", eventfd_up, take, give},
	{.comm = "w-timerfd", timerfd_up, timer_sleep, NULL},
	{.comm = "w-signalfd", signalfd_up, take, raise_one},
	{.comm = "w-inotify", inotify_up, inotify_sleep, touch_one},
	{.comm = "w-epoll", epoll_up, epoll_sleep, give},
	{.comm = "w-futex", futex_up, futex_sleep, futex_end},
	{.comm = "w-child", NULL, child_sleep, NULL},
	{.comm = "w-waitid", NULL, waitid_sleep, NULL},
	{.comm = "w-sleep", sleep_up, sleep_sleep, NULL},
	{.comm = "w-file", lock_up, lock_sleep, lock_end},
	{.comm = "w-renamed", lock_up, lock_sleep, lock_end},
	{.comm = "w-deleted", lock_up, lock_sleep, lock_end},
	{.comm = "w-swap", swap_up, swap_sleep, swap_end},
	{.comm = "w-close", swap_up, swap_sleep, swap_end},
	{.comm = "w-dup", swap_up, swap_sleep, swap_end},
};

static void *wait_often(void *argument)
{
	struct job *job = argument;

	prctl(PR_SET_NAME, job->comm);
	job->tid = (pid_t)syscall(SYS_gettid);
	for (job->round = 0; job->round < rounds;) {
		if (job->end)
			pthread_barrier_wait(&job->barrier);
		job->sleep(job);
		if (job->end)
			pthread_barrier_wait(&job->barrier);
		job->round++;
	}
	return NULL;
}

static void *end_often(void *argument)
{
	struct job *job = argument;

	prctl(PR_SET_NAME, "ender");
	for (int i = 0; i < rounds; i++) {
		pthread_barrier_wait(&job->barrier);
		await(job);
		job->end(job);
		pthread_barrier_wait(&job->barrier);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	enum { JOBS = COUNT(jobs) };
	pthread_t waiters[JOBS], enders[JOBS];
	sigset_t set;

	must(argc == 3 && (rounds = atoi(argv[1])) > 0, "usage: objects N FOLDER");
	snprintf(folder, sizeof(folder), "%s", argv[2]);
	setvbuf(stdout, NULL, _IOLBF, 0);
	sigfillset(&set);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	for (int i = 0; i < JOBS; i++) {
		pthread_barrier_init(&jobs[i].barrier, NULL, 2);
		if (jobs[i].set_up)
			jobs[i].set_up(&jobs[i]);
	}
	for (int i = 0; i < JOBS; i++) {
		must(!pthread_create(&waiters[i], NULL, wait_often, &jobs[i]), "pthread_create");
		if (jobs[i].end)
			must(!pthread_create(&enders[i], NULL, end_often, &jobs[i]), "pthread_create");
	}
	for (int i = 0; i < JOBS; i++) {
		pthread_join(waiters[i], NULL);
		if (jobs[i].end)
			pthread_join(enders[i], NULL);
	}
	return 0;
}

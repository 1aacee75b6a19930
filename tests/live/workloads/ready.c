/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * ready N: N waits for any of several descriptors, in each way to wait for them, each in a thread
 * that is named after it. Another thread makes one of them ready 3 ms after the begin of the wait.
 * Prints what the call returned, and when:
 *
 *	COMM NS DESCRIPTOR KIND INODE	INODE is 0 if there is none; DESCRIPTOR -1: that one was not ready
 *
 * Threads wait for a pipe, an eventfd, a unix and a TCP socket, in turn. While r-*-swap sleeps, its
 * descriptor is replaced by another pipe: the original pipe ends the wait, under a number that
 * leads elsewhere. (The other pipe is ready as well, because poll and select look up the number
 * once more.)
 */
#include "workload.h"

#include <poll.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/select.h>

enum { WAIT_US = 3000, TIMEOUT_MS = 5, FDS = 4, HIGH = 300, PIPE = 3, TCP = 4, UNIX = 6, EVENTFD = 8 };
enum { MANY, ONE, SWAP, TIMEOUT };

static int rounds;

struct way {
	const char *comm;
	void (*set_up)(struct way *way);
	int (*wait)(struct way *way); /* returns the descriptor that is ready */
	int variant, count, round;
	int fds[FDS], ends[FDS], kinds[FDS]; /* writing to ends[i] makes fds[i] ready */
	unsigned long inodes[FDS];
	int poll, spare;
	pid_t tid;
	pthread_barrier_t barrier;
};

/* --- what is waited for --- */

static void open_all(struct way *way)
{
	static const int kinds[FDS] = {PIPE, EVENTFD, UNIX, TCP};

	way->count = way->variant == MANY ? FDS : 1;
	for (int i = 0; i < way->count; i++) {
		int ends[2];

		if (kinds[i] == PIPE)
			must(!pipe(ends), "pipe");
		else if (kinds[i] == EVENTFD)
			must((ends[0] = ends[1] = eventfd(0, 0)) >= 0, "eventfd");
		else if (kinds[i] == UNIX)
			must(!socketpair(AF_UNIX, SOCK_STREAM, 0, ends), "socketpair");
		else
			tcp_pair(ends);
		way->fds[i] = ends[0];
		way->ends[i] = ends[1];
		way->kinds[i] = kinds[i];
		way->inodes[i] = kinds[i] == EVENTFD ? 0 : inode_of(ends[0]);
	}
	if (way->variant != SWAP)
		return;
	way->spare = way->fds[0];
	way->fds[0] = fcntl(way->spare, F_DUPFD, HIGH);
}

/* --- ways to wait --- */

static void epoll_up(struct way *way)
{
	open_all(way);
	way->poll = epoll_create1(0);
	for (int i = 0; i < way->count; i++) {
		struct epoll_event event = {.events = EPOLLIN, .data.fd = way->fds[i]};

		must(!epoll_ctl(way->poll, EPOLL_CTL_ADD, way->fds[i], &event), "epoll_ctl");
	}
}

static int epoll_one(struct way *way)
{
	struct epoll_event event;

	if (epoll_wait(way->poll, &event, 1, way->variant == TIMEOUT ? TIMEOUT_MS : -1) != 1)
		return -1;
	return event.data.fd;
}

static int poll_one(struct way *way)
{
	struct pollfd fds[FDS];

	for (int i = 0; i < way->count; i++)
		fds[i] = (struct pollfd){.fd = way->fds[i], .events = POLLIN};
	if (poll(fds, (nfds_t)way->count, way->variant == TIMEOUT ? TIMEOUT_MS : -1) != 1)
		return -1;
	for (int i = 0; i < way->count; i++)
		if (fds[i].revents)
			return fds[i].fd;
	return -1;
}

static int select_one(struct way *way)
{
	struct timeval timeout = {.tv_usec = TIMEOUT_MS * 1000};
	fd_set set;
	int most = 0;

	FD_ZERO(&set);
	for (int i = 0; i < way->count; i++) {
		FD_SET(way->fds[i], &set);
		if (way->fds[i] > most)
			most = way->fds[i];
	}
	if (select(most + 1, &set, NULL, NULL, way->variant == TIMEOUT ? &timeout : NULL) != 1)
		return -1;
	for (int i = 0; i < way->count; i++)
		if (FD_ISSET(way->fds[i], &set))
			return way->fds[i];
	return -1;
}

/* --- all of them --- */

static struct way ways[] = {
	{"r-epoll", epoll_up, epoll_one, MANY},
	{"r-epoll-one", epoll_up, epoll_one, ONE},
	{"r-epoll-swap", epoll_up, epoll_one, SWAP},
	{"r-epoll-time", epoll_up, epoll_one, TIMEOUT},
	{"r-poll", open_all, poll_one, MANY},
	{"r-poll-one", open_all, poll_one, ONE},
	{"r-poll-swap", open_all, poll_one, SWAP},
	{"r-poll-time", open_all, poll_one, TIMEOUT},
	{"r-select", open_all, select_one, MANY},
	{"r-select-one", open_all, select_one, ONE},
	{"r-select-swap", open_all, select_one, SWAP},
	{"r-select-time", open_all, select_one, TIMEOUT},
};

static void say_ready(const struct way *way, int fd)
{
	uint64_t now = clock_ns(CLOCK_MONOTONIC);
	int i = 0;

	while (fd >= 0 && i < way->count && way->fds[i] != fd)
		i++;
	printf("%s %lu %d %d %lu\n", way->comm, now, fd, way->kinds[i], way->inodes[i]);
}

static void take(const struct way *way, int fd)
{
	char bytes[8];

	if (way->variant == SWAP)
		fd = way->spare;
	must(fd < 0 || read(fd, bytes, sizeof(bytes)) > 0, way->comm);
}

static void *wait_often(void *argument)
{
	struct way *way = argument;

	prctl(PR_SET_NAME, way->comm);
	way->tid = (pid_t)syscall(SYS_gettid);
	for (way->round = 0; way->round < rounds; way->round++) {
		int fd;

		pthread_barrier_wait(&way->barrier);
		fd = way->wait(way);
		say_ready(way, fd);
		take(way, fd);
		pthread_barrier_wait(&way->barrier);
	}
	return NULL;
}

static void await(const struct way *way)
{
	await_call(way->tid, &way->barrier, sizeof(way->barrier));
	rest_us(WAIT_US);
}

static void *end_often(void *argument)
{
	char bytes[8] = "xxxxxxx";
	struct way *way = argument;
	int other[2];

	prctl(PR_SET_NAME, "ender");
	must(!pipe(other), "pipe");
	for (int i = 0; i < rounds; i++) {
		pthread_barrier_wait(&way->barrier);
		if (way->variant != TIMEOUT)
			await(way);
		if (way->variant == SWAP)
			must(write(other[1], bytes, sizeof(bytes)) > 0 && dup2(other[0], way->fds[0]) >= 0, "dup2");
		if (way->variant != TIMEOUT)
			must(write(way->ends[i % way->count], bytes, sizeof(bytes)) > 0, "write");
		pthread_barrier_wait(&way->barrier);
		if (way->variant == SWAP)
			must(read(other[0], bytes, sizeof(bytes)) > 0 && dup2(way->spare, way->fds[0]) >= 0, "dup2");
	}
	return NULL;
}

int main(int argc, char **argv)
{
	enum { WAYS = COUNT(ways) };
	pthread_t waiters[WAYS], enders[WAYS];

	must(argc == 2 && (rounds = atoi(argv[1])) > 0, "usage: ready N");
	setvbuf(stdout, NULL, _IOLBF, 0);
	for (int i = 0; i < WAYS; i++) {
		pthread_barrier_init(&ways[i].barrier, NULL, 2);
		ways[i].set_up(&ways[i]);
	}
	for (int i = 0; i < WAYS; i++)
		must(!pthread_create(&waiters[i], NULL, wait_often, &ways[i]) &&
			     !pthread_create(&enders[i], NULL, end_often, &ways[i]), "pthread_create");
	for (int i = 0; i < WAYS; i++) {
		pthread_join(waiters[i], NULL);
		pthread_join(enders[i], NULL);
	}
	return 0;
}

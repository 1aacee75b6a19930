/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * handover WAY N: two threads on one CPU hand a byte to each other, N times each, and wait for it
 * in one way:
 *
 *	read, recv, recvtcp, poll, poll4, select, epoll, futex
 *
 * recv reads from a unix socket, recvtcp from a TCP one. poll and select wait for one pipe, poll4
 * for four, the last of which gets the byte. With "sleep" each thread sleeps for 1 us instead; with
 * "pi" it holds a PI futex while it lets the other one run; with "mmap" it maps memory, touches it
 * and unmaps it, on any CPU.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <limits.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "sleeping.h"

enum { SIDES = 2, MANY = 4 };

static const struct way *way;
static long rounds;

struct side {
	int fd, other[MANY - 1], peer; /* reads from fd; the other side reads what is written to peer */
	int epoll;
	unsigned int word, *others;
};

struct way {
	const char *name;
	void (*open)(int ends[2]);
	void (*wait)(struct side *side); /* until there is something to read */
	bool everywhere;
};

/* --- what the byte goes through --- */

static void open_pipe(int ends[2])
{
	must(!pipe(ends), "pipe");
}

static void open_unix(int ends[2])
{
	must(!socketpair(AF_UNIX, SOCK_STREAM, 0, ends), "socketpair");
}

static void open_tcp(int ends[2])
{
	struct sockaddr_in here = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t length = sizeof(here);
	int listener = socket(AF_INET, SOCK_STREAM, 0);

	must(!bind(listener, (void *)&here, length) && !getsockname(listener, (void *)&here, &length), "bind");
	ends[0] = socket(AF_INET, SOCK_STREAM, 0);
	must(!listen(listener, 1) && !connect(ends[0], (void *)&here, sizeof(here)), "connect");
	ends[1] = accept(listener, NULL, NULL);
	close(listener);
}

/* --- ways to wait --- */

static void wait_in_read(struct side *side)
{
	(void)side;
}

static void wait_in_poll(struct side *side)
{
	struct pollfd one = {.fd = side->fd, .events = POLLIN};

	must(poll(&one, 1, -1) == 1, "poll");
}

static void wait_in_poll_of_many(struct side *side)
{
	struct pollfd all[MANY];

	for (int i = 0; i < MANY; i++)
		all[i] = (struct pollfd){.fd = i < MANY - 1 ? side->other[i] : side->fd, .events = POLLIN};
	must(poll(all, MANY, -1) == 1, "poll");
}

static void wait_in_select(struct side *side)
{
	fd_set set;

	FD_ZERO(&set);
	FD_SET(side->fd, &set);
	must(select(side->fd + 1, &set, NULL, NULL, NULL) == 1, "select");
}

static void wait_in_epoll(struct side *side)
{
	struct epoll_event event;

	must(epoll_wait(side->epoll, &event, 1, -1) == 1, "epoll_wait");
}

static void wait_in_futex(struct side *side)
{
	while (!__atomic_load_n(&side->word, __ATOMIC_ACQUIRE))
		syscall(SYS_futex, &side->word, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0);
}

static void sleep_instead(struct side *side)
{
	(void)side;
	clock_nanosleep(CLOCK_MONOTONIC, 0, &(struct timespec){.tv_nsec = 1000}, NULL);
}

static void hold_in_turn(struct side *side)
{
	static unsigned int word; /* the holder's tid */
	unsigned int nobody = 0, self = (unsigned int)syscall(SYS_gettid);

	(void)side;
	if (!__atomic_compare_exchange_n(&word, &nobody, self, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
		must(!syscall(SYS_futex, &word, FUTEX_LOCK_PI_PRIVATE, 0, NULL, NULL, 0), "FUTEX_LOCK_PI");
	sched_yield();
	if (!__atomic_compare_exchange_n(&word, &self, 0, false, __ATOMIC_RELEASE, __ATOMIC_RELAXED))
		must(!syscall(SYS_futex, &word, FUTEX_UNLOCK_PI_PRIVATE, 0, NULL, NULL, 0), "FUTEX_UNLOCK_PI");
}

static void map_and_unmap(struct side *side)
{
	enum { BYTES = 65536 };
	char *memory = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	(void)side;
	must(memory != MAP_FAILED, "mmap");
	*memory = 1;
	must(!munmap(memory, BYTES), "munmap");
}

static const struct way ways[] = {
	{"read", open_pipe, wait_in_read},   {"recv", open_unix, wait_in_read},
	{"recvtcp", open_tcp, wait_in_read}, {"poll", open_pipe, wait_in_poll},
	{"poll4", open_pipe, wait_in_poll_of_many}, {"select", open_pipe, wait_in_select},
	{"epoll", open_pipe, wait_in_epoll}, {"futex", NULL, wait_in_futex},
	{"sleep", NULL, sleep_instead},	     {"pi", NULL, hold_in_turn},
	{"mmap", NULL, map_and_unmap, true},
};

/* --- both sides --- */

static void take(struct side *side)
{
	char byte;

	way->wait(side);
	if (way->open)
		must(read(side->fd, &byte, 1) == 1, "read");
	else
		__atomic_store_n(&side->word, 0, __ATOMIC_RELAXED);
}

static void give(struct side *side)
{
	if (way->open) {
		must(write(side->peer, "x", 1) == 1, "write");
		return;
	}
	__atomic_store_n(side->others, 1, __ATOMIC_RELEASE);
	if (way->wait == wait_in_futex)
		syscall(SYS_futex, side->others, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
}

static void open_side(struct side *side, struct side *other)
{
	struct epoll_event event = {.events = EPOLLIN};
	int ends[2];

	side->others = &other->word;
	if (!way->open)
		return;
	for (int i = 0; i < MANY - 1; i++) { /* nobody ever writes to these */
		must(!pipe(ends), "pipe");
		side->other[i] = ends[0];
	}
	way->open(ends);
	side->fd = ends[0];
	other->peer = ends[1];
	side->epoll = epoll_create1(0);
	must(!epoll_ctl(side->epoll, EPOLL_CTL_ADD, side->fd, &event), "epoll_ctl");
}

static void *answer(void *argument)
{
	for (long i = 0; i < rounds; i++) {
		take(argument);
		give(argument);
	}
	return NULL;
}

static void ask(struct side *side)
{
	for (long i = 0; i < rounds; i++) {
		give(side);
		take(side);
	}
}

static const struct way *way_called(const char *name)
{
	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++)
		if (!strcmp(ways[i].name, name))
			return &ways[i];
	return NULL;
}

int main(int argc, char **argv)
{
	struct side sides[SIDES] = {0};
	pthread_t thread;
	cpu_set_t cpu;

	way = argc == 3 ? way_called(argv[1]) : NULL;
	if (!way || (rounds = atol(argv[2])) <= 0) {
		fputs("usage: handover WAY N\n", stderr);
		return 2;
	}
	CPU_ZERO(&cpu);
	CPU_SET(sched_getcpu(), &cpu);
	must(way->everywhere || !sched_setaffinity(0, sizeof(cpu), &cpu), "sched_setaffinity");
	open_side(&sides[0], &sides[1]);
	open_side(&sides[1], &sides[0]);
	must(!pthread_create(&thread, NULL, answer, &sides[1]), "pthread_create");
	ask(&sides[0]);
	pthread_join(thread, NULL);
	return 0;
}

/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * unanswered: clients that wait for servers, in several situations at once. Each has a server s-NAME,
 * a client a-NAME that asks it something, and two clients k-NAME that have got their answers and only
 * keep their connections open; these were there before. All sleep when this prints
 *
 *	owed NAME	the server owes a-NAME an answer, and no other thread may be meant
 *	owed-by NAME	likewise, but which of its threads is not known
 *	idle NAME	nothing can be concluded
 *	ready
 *
 * and until it is killed.
 */
#define _GNU_SOURCE
#include "sleeping.h"

#include <arpa/inet.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

enum serving {
	STUCK,	  /* reads the question, then waits for something else; its epoll still has the connection */
	UNREAD,	  /* waits for something else, and never reads the question */
	STOPPED,  /* by a signal, before the question */
	STOPPED_IN_POLL,
	THREADS,  /* one for each connection; that of a-NAME reads the question and waits for something else */
	WATCHES,  /* reads the question and waits for more: it may answer some time */
	BETWEEN,  /* one thread, without an epoll: waits in recv() for the next question, from a client that is away */
};
enum asking { RECV, POLL, SELECT };

static const struct situation {
	const char *name, *says;
	enum serving serving;
	int family;
	enum asking asking;
} situations[] = {
	{"stuck4", "owed", STUCK, AF_INET, RECV},	  {"stuck6", "owed", STUCK, AF_INET6, POLL},
	{"unread4", "owed", UNREAD, AF_INET, SELECT},	  {"unread", "owed", UNREAD, AF_UNIX, POLL},
	{"stopped4", "owed", STOPPED, AF_INET, RECV},	  {"stopped", "owed", STOPPED, AF_UNIX, SELECT},
	{"polling4", "owed", STOPPED_IN_POLL, AF_INET, POLL}, {"polling", "owed", STOPPED_IN_POLL, AF_UNIX, RECV},
	{"threads4", "owed-by", THREADS, AF_INET, RECV}, {"threads", "owed-by", THREADS, AF_UNIX, POLL},
	{"watches4", "idle", WATCHES, AF_INET, RECV},	  {"watches", "idle", WATCHES, AF_UNIX, RECV},
	{"between4", "idle", BETWEEN, AF_INET, RECV},	  {"between", "idle", BETWEEN, AF_UNIX, RECV},
	{"stuck", "idle", STUCK, AF_UNIX, RECV}, /* three connections, and no way to tell which one is worked for */
};
enum { SITUATIONS = sizeof(situations) / sizeof(situations[0]), SERVER = 0, ASKS, KEEPS, RESTS, ROLES };

/* Shared by all processes. */
static volatile struct progress {
	int asked;	     /* a-NAME may ask */
	int asleep[ROLES]; /* will sleep next, for good */
} *progress;

static const struct situation *own;
static volatile struct progress *now;

static void take_name(char role, char *comm)
{
	snprintf(comm, 16, "%c-%s", role, own->name);
	prctl(PR_SET_NAME, comm);
}

static void sleep_for_good(void)
{
	int ends[2];
	char byte;

	must(!pipe(ends), "pipe");
	now->asleep[SERVER] = 1;
	(void)!read(ends[0], &byte, 1);
}

/* --- the server --- */

/* Answers a greeting. Returns whether the server goes on. */
static bool serve(int connection)
{
	char byte = 0;

	if (recv(connection, &byte, 1, 0) != 1)
		return false;
	if (byte == 'h')
		must(send(connection, &byte, 1, 0) == 1, "send");
	if (byte == 'q' && own->serving != WATCHES)
		sleep_for_good();
	if (byte == 'q')
		now->asleep[SERVER] = 1;
	return true;
}

static void *serve_one(void *argument)
{
	while (serve((int)(long)argument))
		;
	return NULL;
}

static void serve_by_threads(int listener)
{
	for (;;) {
		pthread_t thread;
		int connection = accept(listener, NULL, NULL);

		must(connection >= 0 && !pthread_create(&thread, NULL, serve_one, (void *)(long)connection), "thread");
	}
}

static void serve_by_poll(int listener)
{
	struct pollfd all[4] = {{.fd = listener, .events = POLLIN}};

	for (nfds_t count = 1;;) {
		must(poll(all, count, -1) > 0, "poll");
		if (all[0].revents)
			all[count++] = (struct pollfd){.fd = accept(listener, NULL, NULL), .events = POLLIN};
		for (nfds_t i = 1; i < count; i++)
			if (all[i].revents)
				(void)serve(all[i].fd);
		now->asleep[SERVER] = count == 4;
	}
}

static void serve_by_epoll(int listener)
{
	int poll = epoll_create1(0), greeted = 0;
	struct epoll_event event = {.events = EPOLLIN, .data.fd = listener};

	must(poll >= 0 && !epoll_ctl(poll, EPOLL_CTL_ADD, listener, &event), "epoll");
	for (;;) {
		must(epoll_wait(poll, &event, 1, -1) == 1, "epoll_wait");
		if (event.data.fd != listener) {
			(void)serve(event.data.fd);
			greeted++;
		} else {
			event.data.fd = accept(listener, NULL, NULL);
			must(!epoll_ctl(poll, EPOLL_CTL_ADD, event.data.fd, &event), "epoll_ctl");
		}
		if (greeted == 3 && own->serving == UNREAD)
			sleep_for_good();
		if (greeted == 3 && own->serving == STOPPED)
			now->asleep[SERVER] = 1;
	}
}

/* There is no other connection, and the client of this is away. */
static void serve_between(int listener)
{
	int connection = accept(listener, NULL, NULL);

	(void)serve(connection);
	now->asleep[SERVER] = 1;
	(void)serve(connection);
}

static void be_server(int listener)
{
	if (own->serving == THREADS)
		serve_by_threads(listener);
	else if (own->serving == STOPPED_IN_POLL)
		serve_by_poll(listener);
	else if (own->serving == BETWEEN)
		serve_between(listener);
	else
		serve_by_epoll(listener);
}

/* --- clients --- */

static void wait_for(int connection, enum asking way)
{
	struct pollfd one = {.fd = connection, .events = POLLIN};
	fd_set set;
	char byte;

	FD_ZERO(&set);
	FD_SET(connection, &set);
	if (way == POLL)
		(void)poll(&one, 1, -1);
	else if (way == SELECT)
		(void)select(connection + 1, &set, NULL, NULL, NULL);
	(void)recv(connection, &byte, 1, 0);
}

static void be_client(int role, const struct sockaddr *address, socklen_t length)
{
	int connection = socket(own->family, SOCK_STREAM, 0);
	char byte = 'h';

	if (own->serving == BETWEEN && role != ASKS) {
		now->asleep[role] = 1;
		sigsuspend(&(sigset_t){0});
	}
	while (role == ASKS && !(now->asleep[KEEPS] && now->asleep[RESTS]))
		rest_us(1000);
	must(connection >= 0 && !connect(connection, address, length), "connect");
	must(send(connection, &byte, 1, 0) == 1 && recv(connection, &byte, 1, 0) == 1, "greeting");
	while (role == ASKS && !now->asked)
		rest_us(1000);
	byte = 'q';
	if (role == ASKS && own->serving != BETWEEN)
		must(send(connection, &byte, 1, 0) == 1, "question");
	now->asleep[role] = 1;
	if (own->serving == BETWEEN)
		sigsuspend(&(sigset_t){0});
	wait_for(connection, role == ASKS ? own->asking : RECV);
}

/* --- all of it --- */

static int listen_at(struct sockaddr_storage *address, socklen_t *length)
{
	int listener = socket(own->family, SOCK_STREAM, 0);
	struct sockaddr_in *v4 = (void *)address;
	struct sockaddr_in6 *v6 = (void *)address;
	struct sockaddr_un *local = (void *)address;

	memset(address, 0, sizeof(*address));
	address->ss_family = (sa_family_t)own->family;
	*length = own->family == AF_INET ? sizeof(*v4) : own->family == AF_INET6 ? sizeof(*v6) : sizeof(*local);
	if (own->family == AF_INET)
		v4->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	else if (own->family == AF_INET6)
		v6->sin6_addr = in6addr_loopback;
	else
		snprintf(local->sun_path + 1, sizeof(local->sun_path) - 1, "rwalker-%s-%d", own->name, getpid());
	if (listener < 0 || bind(listener, (void *)address, *length) || listen(listener, 8))
		return -1;
	must(!getsockname(listener, (void *)address, length), "getsockname");
	return listener;
}

static pid_t start(int role, int listener, const struct sockaddr_storage *address, socklen_t length)
{
	pid_t parent = getpid(), child = fork();
	char comm[16];

	must(child >= 0, "fork");
	if (child)
		return child;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(0);
	take_name("sakk"[role], comm);
	if (role == SERVER)
		be_server(listener);
	close(listener);
	be_client(role, (const void *)address, length);
	_exit(0);
}

static void await(pid_t process, int role, char state)
{
	while (!now->asleep[role] || state_of(process) != state)
		rest_us(1000);
}

static void await_answers(const pid_t *processes)
{
	if (own->serving != STUCK && own->serving != THREADS && own->serving != WATCHES)
		await(processes[SERVER], SERVER, 'S');
	await(processes[KEEPS], KEEPS, 'S');
	await(processes[RESTS], RESTS, 'S');
}

static void begin(void)
{
	struct sockaddr_storage address;
	socklen_t length;
	int listener = listen_at(&address, &length);
	const bool stopped = own->serving == STOPPED || own->serving == STOPPED_IN_POLL;
	pid_t processes[ROLES];

	if (listener < 0 && own->family == AF_INET6)
		return; /* this host has none */
	must(listener >= 0, "listen");
	for (int role = 0; role < ROLES; role++)
		processes[role] = start(role, listener, &address, length);
	close(listener);
	await_answers(processes);
	if (stopped)
		must(!kill(processes[SERVER], SIGSTOP), "kill");
	if (stopped)
		await(processes[SERVER], SERVER, 'T');
	now->asked = 1;
	await(processes[ASKS], ASKS, 'S');
	await(processes[SERVER], SERVER, stopped ? 'T' : 'S');
	printf("%s %s\n", own->says, own->name);
}

int main(void)
{
	progress = mmap(NULL, SITUATIONS * sizeof(*progress), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
			-1, 0);
	must(progress != MAP_FAILED, "mmap");
	for (size_t i = 0; i < SITUATIONS; i++) {
		own = &situations[i];
		now = &progress[i];
		begin();
	}
	printf("ready\n");
	fflush(stdout);
	for (;;)
		pause();
}

/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * claims FILE: processes of which something false is easily said, each beside one of which it is true. Prints
 * "COMM PID" of each, then "ready" once all are where they should be; they end with this program.
 *
 *	w-read		reads an empty pipe
 *	w-notify	the same call, but a seccomp supervisor has not let it begin
 *	w-replaced	reads it too, but a thread that has ended since put another file at its descriptor
 *	w-touch		touches a page of its own that never comes
 *	w-write		writes that page to a pipe
 *	w-direct	writes it to FILE with O_DIRECT, so that the kernel itself takes the fault; if FILE can do that
 *	w-iced, w-spin	read an empty pipe and compute, until they are frozen (which is left to the test)
 *
 * Two network namespaces have a connection each, with the same addresses and ports. In the first, web waits for api,
 * which never waits for web. In the second, shop and stock wait for each other.
 */
#include "workload.h"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <net/if.h>

enum { CLIENT = 40000, SERVER = 7411 };

static const char *file;
static int pipe_fds[2], replaced[2], direct;

/* --- sleeps --- */

static void read_pipe(void)
{
	char byte;

	for (;;)
		(void)!read(pipe_fds[0], &byte, 1);
}

static void read_supervised(void)
{
	struct sock_filter steps[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_read, 0, 1), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
	struct sock_fprog program = {COUNT(steps), steps};

	must(!prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), "PR_SET_NO_NEW_PRIVS");
	must(syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER, &program) >= 0, "seccomp");
	read_pipe();
}

/* Each process has to do that itself. */
static char *absent_page(void) { return missing_pages(faults_open(), PAGE); }
static void touch(void) { (void)*(volatile char *)absent_page(); }

static void write_absent(void)
{
	int own[2]; /* it holds the pipe's mutex meanwhile */

	must(!pipe(own), "pipe");
	(void)!write(own[1], absent_page(), 1);
}

static void write_direct(void) { (void)!write(direct, absent_page(), PAGE); }

static void spin(void)
{
	for (volatile unsigned long i = 0;; i++)
		;
}

/* --- connections --- */

static struct sockaddr_in here(int port)
{
	return (struct sockaddr_in){.sin_family = AF_INET, .sin_port = htons(port),
				    .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
}

/* *ends: the client's, the server's. */
static void connect_in_own_namespace(int ends[2])
{
	struct sockaddr_in client = here(CLIENT), server = here(SERVER);
	struct ifreq loopback = {.ifr_name = "lo", .ifr_flags = IFF_UP | IFF_LOOPBACK | IFF_RUNNING};
	int listener;

	must(!unshare(CLONE_NEWNET), "unshare");
	listener = socket(AF_INET, SOCK_STREAM, 0);
	ends[0] = socket(AF_INET, SOCK_STREAM, 0);
	must(!ioctl(listener, SIOCSIFFLAGS, &loopback), "SIOCSIFFLAGS");
	must(!bind(listener, (void *)&server, sizeof(server)) && !listen(listener, 1), "listen");
	must(!bind(ends[0], (void *)&client, sizeof(client)), "bind");
	must(!connect(ends[0], (void *)&server, sizeof(server)), "connect");
	ends[1] = accept(listener, NULL, NULL);
	must(ends[1] >= 0, "accept");
	close(listener);
}

static void ask(int fd)
{
	for (char byte = '?';; rest_us(20000))
		must(write(fd, &byte, 1) == 1 && read(fd, &byte, 1) == 1, "ask");
}

static void answer(int fd)
{
	for (char byte;;) {
		must(read(fd, &byte, 1) == 1, "read");
		rest_us(20000);
		must(write(fd, &byte, 1) == 1, "write");
	}
}

static void look_at_times(int fd)
{
	char byte;

	for (;; rest_us(50000))
		(void)!recv(fd, &byte, 1, MSG_DONTWAIT);
}

/* --- all of them --- */

static pid_t begin(const char *comm)
{
	pid_t pid = fork();

	must(pid >= 0, "fork");
	if (pid) {
		printf("%s %d\n", comm, pid);
		return pid;
	}
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	prctl(PR_SET_NAME, comm);
	return 0;
}

static pid_t run(const char *comm, void (*what)(void))
{
	pid_t pid = begin(comm);

	if (pid)
		return pid;
	what();
	exit(1);
}

static void *replace(void *unused)
{
	(void)unused;
	await_state(getpid(), "S");
	must(dup2(open("/dev/null", O_RDONLY), pipe_fds[0]) >= 0 && write(replaced[1], "", 1) == 1, "dup2");
	return NULL;
}

static void read_replaced(void)
{
	pthread_t thread;

	must(!pthread_create(&thread, NULL, replace, NULL), "pthread_create");
	read_pipe();
}

int main(int argc, char **argv)
{
	int ends[2];
	char byte;

	must(argc == 2 && (file = argv[1]), "usage: claims FILE");
	setvbuf(stdout, NULL, _IOLBF, 0);
	must(!pipe(pipe_fds) && !pipe(replaced), "pipe");
	direct = open(file, O_WRONLY | O_CREAT | O_DIRECT, 0600);
	await_state(run("w-read", read_pipe), "S");
	await_state(run("w-notify", read_supervised), "S");
	run("w-replaced", read_replaced);
	must(read(replaced[0], &byte, 1) == 1, "read");
	await_state(run("w-iced", read_pipe), "S");
	await_state(run("w-touch", touch), "SD");
	await_state(run("w-write", write_absent), "SD");
	if (direct >= 0)
		await_state(run("w-direct", write_direct), "SD");
	connect_in_own_namespace(ends);
	if (!begin("api"))
		look_at_times(ends[1]);
	if (!begin("web"))
		ask(ends[0]);
	connect_in_own_namespace(ends);
	if (!begin("stock"))
		answer(ends[1]);
	if (!begin("shop"))
		ask(ends[0]);
	run("w-spin", spin);
	say("ready");
	for (;;)
		pause();
}

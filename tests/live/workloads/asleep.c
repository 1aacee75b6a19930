/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * asleep FOLDER [SECONDS]: one thread sleeps on each kind of object, and is named after it. When
 * all of them sleep, the program prints its process id, what each thread waits for, and "ready";
 * then it sleeps that long, or until killed.
 *
 *	process TGID
 *	COMM CALL KIND MEMBER=VALUE...	as in the record OBJECT of a trace, `path` of OBJECT_NAME; tids of owners
 *
 * Walks with user stacks know the holder of a mutex of the process; not that of w-left, which is gone.
 *
 * Kernel locks are held by threads that pass the kernel memory whose pages are missing, and whose
 * userfaultfd nobody serves: a write to a pipe holds the pipe's mutex at that point, one to a file
 * the inode's rwsem, and getdents64 the folder's, for reading. w-mutex2 queues after w-mutex.
 * w-rwsem2 wants the mutex of the open file that w-rwsem holds, which itself waits for the rwsem.
 */
#include "workload.h"

#include <linux/futex.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/file.h>

enum { STACK = 1 << 16, FILE_KIND = 1, PIPE = 3, UNIX = 6, EPOLL = 12, FUTEX = 14, CHILD, SLEEP,
       LOCK = 18, SHARED = 5, MUTEX = 1, RWSEM = 2, SLEEP_SECONDS = 3600 };

static struct {
	const char *folder;
	int pipe[2], sockets[2], epoll, held[2], file, other_file, folder_fd, watched;
	unsigned int word, *shared_word;
	pthread_mutex_t mutex, left; /* left: its holder ended, and another thread got the holder's tid */
	int end[2];
	char *absent; /* pages that never come */
	pid_t child;
} all;

struct sleeper {
	const char *comm, *state; /* state: as /proc will show it */
	void (*sleep)(void);
	pid_t tid;
};

/* --- one function per kind --- */

static void sleep_pipe(void)
{
	char byte;

	(void)!read(all.pipe[0], &byte, 1);
}

static void sleep_unix(void)
{
	char byte;

	(void)recv(all.sockets[0], &byte, 1, 0);
}

static void sleep_futex(void) { syscall(SYS_futex, &all.word, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0); }
static void sleep_shared(void) { syscall(SYS_futex, all.shared_word, FUTEX_WAIT, 0, NULL, NULL, 0); }

static void hold_pthread(void)
{
	pthread_mutex_lock(&all.mutex);
	sleep(SLEEP_SECONDS);
}

static void want_pthread(void) { pthread_mutex_lock(&all.mutex); }

static void hold_left(void)
{
	char byte;

	pthread_mutex_lock(&all.left);
	(void)!read(all.end[0], &byte, 1);
	pthread_exit(NULL);
}

static void want_left(void) { pthread_mutex_lock(&all.left); }

static void sleep_epoll(void)
{
	struct epoll_event event;

	(void)epoll_wait(all.epoll, &event, 1, -1);
}

static void sleep_child(void) { (void)waitpid(all.child, NULL, 0); }
static void sleep_long(void) { sleep(SLEEP_SECONDS); }
static void sleep_flock(void) { (void)flock(all.watched, LOCK_EX); }

static void sleep_poll(void)
{
	struct pollfd one = {.fd = all.pipe[0], .events = POLLIN};

	(void)poll(&one, 1, -1);
}

/* --- kernel locks: their holders, their waiters --- */

static void hold_mutex(void) { (void)!write(all.held[1], all.absent, 1); }
static void want_mutex(void) { (void)!write(all.held[1], "x", 1); }
static void hold_rwsem(void) { (void)!write(all.file, all.absent + PAGE, 1); }
static void want_rwsem(void) { (void)!write(all.other_file, "x", 1); }
static void hold_reading(void) { syscall(SYS_getdents64, all.folder_fd, all.absent + 2 * PAGE, PAGE); }
static void want_writing(void) { (void)unlinkat(all.folder_fd, "none", 0); }

static struct sleeper sleepers[] = {
	{"w-pipe", "S", sleep_pipe, 0},	      {"w-unix", "S", sleep_unix, 0},
	{"w-futex", "S", sleep_futex, 0},     {"w-epoll", "S", sleep_epoll, 0},
	{"w-child", "S", sleep_child, 0},     {"w-sleep", "S", sleep_long, 0},
	{"w-flock", "S", sleep_flock, 0},     {"w-poll", "S", sleep_poll, 0},
	{"w-shared", "S", sleep_shared, 0},
	{"h-pthread", "S", hold_pthread, 0},  {"w-pthread", "S", want_pthread, 0},
	{"h-left", "S", hold_left, 0},	      {"w-left", "S", want_left, 0},
	{"h-mutex", "SD", hold_mutex, 0},     {"w-mutex", "D", want_mutex, 0},
	{"w-mutex2", "D", want_mutex, 0},     {"h-rwsem", "SD", hold_rwsem, 0},
	{"w-rwsem", "D", want_rwsem, 0},      {"w-rwsem2", "D", want_rwsem, 0},
	{"h-reading", "SD", hold_reading, 0}, {"w-writing", "D", want_writing, 0},
};

static pid_t tid_of(const char *comm)
{
	for (size_t i = 0; i < COUNT(sleepers); i++)
		if (!strcmp(sleepers[i].comm, comm))
			return sleepers[i].tid;
	return 0;
}

static void say_all(bool reborn)
{
	printf("process %d\n", getpid());
	printf("w-pipe read %d inode=%lu\n", PIPE, inode_of(all.pipe[0]));
	printf("w-unix recvfrom %d inode=%lu peer=%lu\n", UNIX, inode_of(all.sockets[0]), inode_of(all.sockets[1]));
	printf("w-futex futex %d tgid=%d place=0x%lx\n", FUTEX, getpid(), (unsigned long)&all.word);
	printf("w-shared futex %d mapping=%d place=0x%lx\n", FUTEX, SHARED, (unsigned long)all.shared_word);
	printf("w-pthread futex %d tgid=%d place=0x%lx holder=%d\n", FUTEX, getpid(), (unsigned long)&all.mutex,
	       tid_of("h-pthread"));
	if (reborn)
		printf("w-left futex %d tgid=%d place=0x%lx holder=0\n", FUTEX, getpid(), (unsigned long)&all.left);
	printf("w-epoll epoll_wait %d tgid=%d descriptor=%d\n", EPOLL, getpid(), all.epoll + 1);
	printf("w-child wait4 %d tgid=%d\n", CHILD, all.child);
	printf("w-sleep clock_nanosleep %d asked=%d000000000\n", SLEEP, SLEEP_SECONDS);
	printf("w-flock flock %d inode=%lu path=%s/flock\n", FILE_KIND, inode_of(all.watched), all.folder);
	printf("w-poll poll 0\n"); /* nobody saw it begin */
	printf("w-mutex write %d lock=%d owner=%d\n", LOCK, MUTEX, tid_of("h-mutex"));
	printf("w-mutex2 write %d lock=%d owner=%d\n", LOCK, MUTEX, tid_of("h-mutex"));
	printf("w-rwsem write %d lock=%d owner=%d\n", LOCK, RWSEM, tid_of("h-rwsem"));
	printf("w-rwsem2 write %d lock=%d owner=%d\n", LOCK, MUTEX, tid_of("w-rwsem"));
	printf("w-writing unlinkat %d lock=%d reader=%d\n", LOCK, RWSEM, tid_of("h-reading"));
	say("ready");
}

/* --- all of them --- */

static void *run(void *data)
{
	struct sleeper *sleeper = data;

	prctl(PR_SET_NAME, sleeper->comm);
	__atomic_store_n(&sleeper->tid, (pid_t)syscall(SYS_gettid), __ATOMIC_RELEASE);
	sleeper->sleep();
	fprintf(stderr, "%s did not sleep\n", sleeper->comm);
	exit(1);
}

/* Whether it sleeps for good. */
static void await(struct sleeper *sleeper)
{
	while (!__atomic_load_n(&sleeper->tid, __ATOMIC_ACQUIRE))
		rest_us(1000);
	await_state(sleeper->tid, sleeper->state);
}

static int open_file(const char *name)
{
	char path[300];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", all.folder, name);
	fd = open(path, O_CREAT | O_RDWR, 0600);
	must(fd >= 0, path);
	return fd;
}

static void set_up(void)
{
	struct epoll_event event = {.events = EPOLLIN};

	must(!pipe(all.pipe) && !pipe(all.held) && !pipe(all.end), "pipe");
	must(!socketpair(AF_UNIX, SOCK_STREAM, 0, all.sockets), "socketpair");
	all.epoll = epoll_create1(0);
	must(!epoll_ctl(all.epoll, EPOLL_CTL_ADD, all.pipe[0], &event), "epoll_ctl");
	all.file = open_file("file");
	all.other_file = open_file("file");
	must(!flock(open_file("flock"), LOCK_EX), "flock");
	all.watched = open_file("flock");
	all.folder_fd = open(all.folder, O_RDONLY | O_DIRECTORY);
	must(all.folder_fd >= 0, all.folder);
	all.shared_word = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	must(all.shared_word != MAP_FAILED, "mmap");
	all.absent = missing_pages(faults_open(), 3 * PAGE);
	all.child = fork();
	if (!all.child) {
		prctl(PR_SET_PDEATHSIG, 9);
		for (;;)
			pause();
	}
}

static void *be_reborn(void *data)
{
	prctl(PR_SET_NAME, "h-reborn");
	__atomic_store_n((pid_t *)data, (pid_t)syscall(SYS_gettid), __ATOMIC_RELEASE);
	for (;;)
		pause();
	return NULL;
}

/* Ends the thread, and gives its tid to a new one. False: the kernel does not let us choose. */
static bool replace(pid_t tid, const pthread_attr_t *small)
{
	static pid_t got[64];
	char path[64];

	must(write(all.end[1], "x", 1) == 1, "write");
	snprintf(path, sizeof(path), "/proc/self/task/%d", tid);
	while (!access(path, F_OK))
		usleep(1000);
	for (size_t i = 0; i < COUNT(got); i++) {
		FILE *last = fopen("/proc/sys/kernel/ns_last_pid", "w");
		pthread_t thread;

		if (!last || fprintf(last, "%d", tid - 1) < 0 || fclose(last))
			return false;
		must(!pthread_create(&thread, small, be_reborn, &got[i]), "pthread_create");
		while (!__atomic_load_n(&got[i], __ATOMIC_ACQUIRE))
			usleep(1000);
		if (got[i] == tid) /* else somebody else's process was faster */
			return true;
	}
	return false;
}

int main(int argc, char **argv)
{
	pthread_attr_t small;

	must(argc == 2 || argc == 3, "usage: asleep FOLDER [SECONDS]");
	all.folder = argv[1];
	set_up();
	must(!pthread_attr_init(&small) && !pthread_attr_setstacksize(&small, STACK), "pthread_attr_setstacksize");
	for (size_t i = 0; i < COUNT(sleepers); i++) {
		pthread_t thread;

		must(!pthread_create(&thread, &small, run, &sleepers[i]), "pthread_create");
		await(&sleepers[i]);
	}
	say_all(replace(tid_of("h-left"), &small));
	if (argc == 3)
		sleep((unsigned int)atoi(argv[2]));
	while (argc == 2)
		pause();
	kill(all.child, SIGKILL);
	_exit(0);
}

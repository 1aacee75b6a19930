/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * waiter NAME KIND [PATH] [NUMBER] : a task called NAME that reports its truth (guest.h) and then
 * waits, or does not.
 *
 *   read PATH OFFSET    direct read, D on a suspended device
 *   write PATH OFFSET   direct write, the same
 *   create PATH         makes a file, D in a frozen file system
 *   burn PATH SECONDS   keeps a CPU until SECONDS have passed without a switch, then does the same:
 *                       unlike a read it wakes no kernel thread that would switch this task out
 *                       again
 *   sync PATH           syncfs of the file system that holds PATH
 *   vfork               waits for its vfork child, D
 *   flock PATH SECONDS  waits for a file lock, which a child called NAME-holder keeps for so long
 *   mutex - SECONDS     the same for a mutex in its memory and a thread of its own
 *   sleep               S
 *   stop                stops itself, T
 *   spin                R until killed
 *   eat - MB            allocates that much memory
 *   tick PATH           short direct reads forever; before each, the comm becomes NAME's first
 *                       letter + milliseconds of CLOCK_MONOTONIC, so that the comm in a recording
 *                       gives the time; each such comm is a line on stdout
 */
#include "guest.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/resource.h>

struct wait {
	const char *name;
	const char *path;
	uint64_t number;
};

static void spin_until(uint64_t end_ns)
{
	while (now_ns() < end_ns)
		;
}

static char block[4096] __attribute__((aligned(4096)));

static void read_direct(const char *path, uint64_t offset)
{
	int fd = open(path, O_RDONLY | O_DIRECT | O_CLOEXEC);

	if (fd < 0 || pread(fd, block, sizeof(block), (off_t)offset) < 0)
		die(path);
	close(fd);
}

static void wait_read(const struct wait *wait)
{
	tell_truth(wait->name, 'D');
	read_direct(wait->path, wait->number);
}

static void wait_write(const struct wait *wait)
{
	int fd = open(wait->path, O_WRONLY | O_DIRECT | O_CLOEXEC);

	if (fd < 0)
		die(wait->path);
	tell_truth(wait->name, 'D');
	if (pwrite(fd, block, sizeof(block), (off_t)wait->number) < 0)
		die(wait->path);
}

static void wait_create(const struct wait *wait)
{
	tell_truth(wait->name, 'D');
	if (open(wait->path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600) < 0)
		die(wait->path);
}

/*
 * At least twice span_ns, and until this task has kept its CPU for span_ns without a single switch;
 * gives up after twenty times as long.
 */
static void burn(uint64_t span_ns)
{
	uint64_t begin = now_ns(), span_begin = begin;
	long switches = -1;

	while ((now_ns() - begin < 2 * span_ns || now_ns() - span_begin < span_ns) && now_ns() - begin < 20 * span_ns) {
		struct rusage usage;

		getrusage(RUSAGE_SELF, &usage);
		if (usage.ru_nivcsw + usage.ru_nvcsw != switches)
			span_begin = now_ns();
		switches = usage.ru_nivcsw + usage.ru_nvcsw;
		spin_until(now_ns() + 1000000u);
	}
	fprintf(stderr, "burned %llu ns without a switch\n", (unsigned long long)(now_ns() - span_begin));
}

static void wait_burn(const struct wait *wait)
{
	prctl(PR_SET_NAME, wait->name);
	burn(wait->number * 1000000000u);
	wait_create(wait);
}

static void wait_sync(const struct wait *wait)
{
	int fd = open(wait->path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		die(wait->path);
	tell_truth(wait->name, 'D');
	syncfs(fd);
}

static void wait_vfork(const struct wait *wait)
{
	tell_truth(wait->name, 'D');
	if (vfork() == 0) {
		prctl(PR_SET_NAME, "vforked");
		sleep(3600);
		_exit(0);
	}
}

static void name_holder(const char *of)
{
	char name[16];

	snprintf(name, sizeof(name), "%.8s-holder", of);
	prctl(PR_SET_NAME, name);
}

static void hold_file(const struct wait *wait, int told)
{
	int fd = open(wait->path, O_CREAT | O_RDWR | O_CLOEXEC, 0600);

	name_holder(wait->name);
	if (fd < 0 || flock(fd, LOCK_EX) || write(told, "", 1) != 1)
		die(wait->path);
	sleep((unsigned int)wait->number);
	_exit(0);
}

static void wait_flock(const struct wait *wait)
{
	int fd, told[2];
	char byte;

	if (pipe(told))
		die("pipe");
	if (!fork())
		hold_file(wait, told[1]);
	if (read(told[0], &byte, 1) != 1)
		die("the holder");
	fd = open(wait->path, O_RDWR | O_CLOEXEC);
	tell_truth(wait->name, 'S');
	if (fd < 0 || flock(fd, LOCK_EX))
		die(wait->path);
}

static pthread_mutex_t wanted = PTHREAD_MUTEX_INITIALIZER;
static volatile bool is_held, is_wanted;

/* Lives on: the holder of the mutex is looked up when the wait is over. */
static void *hold_mutex(void *of)
{
	const struct wait *wait = of;

	name_holder(wait->name);
	pthread_mutex_lock(&wanted);
	is_held = true;
	while (!is_wanted)
		usleep(1000);
	sleep((unsigned int)wait->number);
	pthread_mutex_unlock(&wanted);
	pause();
	return NULL;
}

static void wait_mutex(const struct wait *wait)
{
	pthread_t holder;

	if (pthread_create(&holder, NULL, hold_mutex, (void *)wait))
		die("pthread_create");
	while (!is_held)
		usleep(1000);
	tell_truth(wait->name, 'S');
	is_wanted = true;
	pthread_mutex_lock(&wanted);
}

static void wait_sleep(const struct wait *wait)
{
	tell_truth(wait->name, 'S');
	pause();
}

static void wait_stop(const struct wait *wait)
{
	tell_truth(wait->name, 'T');
	raise(SIGSTOP);
}

static void wait_spin(const struct wait *wait)
{
	tell_truth(wait->name, 'R');
	spin_until(UINT64_MAX);
}

static void wait_eat(const struct wait *wait)
{
	size_t size = (size_t)wait->number << 20;
	volatile char *memory = malloc(size);

	if (!memory)
		die("malloc");
	tell_truth(wait->name, 'R');
	for (size_t at = 0; at < size; at += 4096)
		memory[at] = 1;
}

static void wait_tick(const struct wait *wait)
{
	char comm[16];

	for (;;) {
		int len = snprintf(comm, sizeof(comm), "%c%llu", *wait->name, (unsigned long long)(now_ns() / 1000000));

		prctl(PR_SET_NAME, comm);
		if (dprintf(STDOUT_FILENO, "%s\n", comm) != len + 1)
			die("stdout");
		read_direct(wait->path, 0);
	}
}

static const struct {
	const char *name;
	void (*run)(const struct wait *wait);
} kinds[] = {
	{"read", wait_read},   {"write", wait_write}, {"burn", wait_burn}, {"sync", wait_sync}, {"create", wait_create},
	{"vfork", wait_vfork}, {"sleep", wait_sleep}, {"stop", wait_stop}, {"spin", wait_spin}, {"tick", wait_tick},
	{"flock", wait_flock}, {"mutex", wait_mutex}, {"eat", wait_eat},
};

int main(int argc, char **argv)
{
	struct wait wait = {
		.name = argc > 1 ? argv[1] : "",
		.path = argc > 3 ? argv[3] : "",
		.number = argc > 4 ? strtoull(argv[4], NULL, 10) : 0,
	};

	for (size_t i = 0; argc > 2 && i < sizeof(kinds) / sizeof(*kinds); i++) {
		if (strcmp(kinds[i].name, argv[2]) == 0) {
			kinds[i].run(&wait);
			return 0;
		}
	}
	fprintf(stderr, "usage: waiter NAME KIND [PATH] [NUMBER]\n");
	return 2;
}

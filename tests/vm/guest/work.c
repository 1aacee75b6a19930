/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * work SECONDS THREADS : a load for the profile, one thread bound to each of the first THREADS
 * CPUs, until the time is over or a SIGTERM comes.
 *
 * Rounds of work_user, which stays in user space, and work_kernel, which reads /dev/zero. At
 * the end it prints
 *
 *     work user NS kernel NS
 *
 * the time in each, summed over the threads, by CLOCK_THREAD_CPUTIME_ID. Both have frames, and
 * the system call is made in work_kernel itself, because libc's read() has no frame and would
 * hide its caller.
 */
#include "guest.h"

#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>

#define FRAMED __attribute__((noinline, noclone, optimize("no-omit-frame-pointer", "no-optimize-sibling-calls")))
#define MAX_THREADS 64

struct worker {
	pthread_t thread;
	int cpu;
	uint64_t user_ns, kernel_ns;
};

static volatile sig_atomic_t over; /* set by the signal */

void work_user(int rounds);
void work_kernel(int fd, int rounds);

FRAMED void work_user(int rounds)
{
	uint64_t sum = 0;

	for (int i = 0; i < rounds * 1000; i++)
		__asm__ volatile("add %1, %0" : "+r"(sum) : "r"((uint64_t)i));
}

FRAMED void work_kernel(int fd, int rounds)
{
	char buffer[8192];
	long done;

	for (int i = 0; i < rounds; i++)
		__asm__ volatile("syscall"
				 : "=a"(done)
				 : "a"(SYS_read), "D"(fd), "S"(buffer), "d"(sizeof(buffer))
				 : "rcx", "r11", "memory");
}

static uint64_t used_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

static void *run(void *arg)
{
	struct worker *worker = arg;
	int fd = open("/dev/zero", O_RDONLY | O_CLOEXEC);
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(worker->cpu, &set);
	if (fd < 0 || sched_setaffinity(0, sizeof(set), &set))
		die("worker");
	while (!over) {
		uint64_t begin = used_ns(), middle;

		work_user(2000);
		middle = used_ns();
		work_kernel(fd, 1000);
		worker->user_ns += middle - begin;
		worker->kernel_ns += used_ns() - middle;
	}
	return NULL;
}

static void stop(int signal)
{
	(void)signal;
	over = 1;
}

int main(int argc, char **argv)
{
	unsigned int seconds = argc > 1 ? (unsigned int)strtoul(argv[1], NULL, 10) : 1;
	int threads = argc > 2 ? (int)strtol(argv[2], NULL, 10) : 1;
	struct worker workers[MAX_THREADS] = {0};
	uint64_t user_ns = 0, kernel_ns = 0;

	signal(SIGTERM, stop);
	signal(SIGALRM, stop);
	alarm(seconds);
	for (int i = 0; i < threads && i < MAX_THREADS; i++) {
		workers[i].cpu = i;
		if (pthread_create(&workers[i].thread, NULL, run, &workers[i]))
			die("pthread_create");
	}
	for (int i = 0; i < threads && i < MAX_THREADS; i++) {
		pthread_join(workers[i].thread, NULL);
		user_ns += workers[i].user_ns;
		kernel_ns += workers[i].kernel_ns;
	}
	printf("work user %llu kernel %llu\n", (unsigned long long)user_ns, (unsigned long long)kernel_ns);
	return 0;
}

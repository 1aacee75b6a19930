/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * work SECONDS THREADS : a load for the profile, one thread bound to each of the first THREADS CPUs.
 *
 * Each round spends about as long in user space (work_user) as in the kernel (reads of /dev/zero, work_kernel), with
 * frame pointers, so that both show in a call chain. At the end it prints what it used, from getrusage(2).
 */
#include "guest.h"

#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <sys/resource.h>

#define FRAMED __attribute__((noinline, noclone, optimize("no-omit-frame-pointer", "no-optimize-sibling-calls")))
#define ROUND_NS 2000000u

static uint64_t deadline;

uint64_t work_user(uint64_t end_ns);
void work_kernel(int fd, uint64_t end_ns);

FRAMED uint64_t work_user(uint64_t end_ns)
{
	uint64_t sum = 0;

	while (now_ns() < end_ns)
		for (uint64_t i = 0; i < 2000; i++)
			__asm__ volatile("add %1, %0" : "+r"(sum) : "r"(i));
	return sum;
}

FRAMED void work_kernel(int fd, uint64_t end_ns)
{
	char buffer[65536];

	while (now_ns() < end_ns)
		if (read(fd, buffer, sizeof(buffer)) < 0)
			die("/dev/zero");
}

static void *run(void *arg)
{
	int cpu = (int)(intptr_t)arg;
	int fd = open("/dev/zero", O_RDONLY | O_CLOEXEC);
	cpu_set_t set;

	if (fd < 0)
		die("/dev/zero");
	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		die("sched_setaffinity");
	while (now_ns() < deadline) {
		work_user(now_ns() + ROUND_NS);
		work_kernel(fd, now_ns() + ROUND_NS);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	int seconds = argc > 1 ? (int)strtol(argv[1], NULL, 10) : 1;
	int threads = argc > 2 ? (int)strtol(argv[2], NULL, 10) : 1;
	pthread_t thread[64];
	struct rusage usage;

	deadline = now_ns() + (uint64_t)seconds * 1000000000u;
	for (int i = 0; i < threads && i < 64; i++)
		if (pthread_create(&thread[i], NULL, run, (void *)(intptr_t)i))
			die("pthread_create");
	for (int i = 0; i < threads && i < 64; i++)
		pthread_join(thread[i], NULL);
	getrusage(RUSAGE_SELF, &usage);
	printf("work user %ld.%06ld system %ld.%06ld\n", usage.ru_utime.tv_sec, usage.ru_utime.tv_usec,
	       usage.ru_stime.tv_sec, usage.ru_stime.tv_usec);
	return 0;
}

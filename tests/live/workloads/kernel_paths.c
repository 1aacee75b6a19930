/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * kernel_paths SECONDS: burns that much CPU time in the kernel and in user code.
 *
 *   main > path_zero > read_zero   reads /dev/zero        (kernel: vfs_read)
 *   main > path_pid  > many_pids   a storm of getppid()   (kernel: system call entry)
 *   main > path_stat > many_stats  stat() of a long path  (kernel: path lookup)
 *   main > path_user > spin        user code only
 *
 * libc's system call stubs keep no frame of their own, so a frame-pointer walk
 * skips the stub's caller; that is why each path is two functions deep.
 */
#include "workload.h"

enum { BUFFER_BYTES = 1 << 18 };

struct work {
	int zero_fd;
	char *buffer;
	uint64_t seed;
};

void read_zero(struct work *work)
{
	for (int i = 0; i < 160; i++)
		if (read(work->zero_fd, work->buffer, BUFFER_BYTES) < 0)
			abort();
}

void path_zero(struct work *work)
{
	read_zero(work);
	__asm__ volatile("");
}

void many_pids(struct work *work)
{
	for (int i = 0; i < 10000; i++)
		work->seed += (uint64_t)syscall(SYS_getppid);
}

void path_pid(struct work *work)
{
	many_pids(work);
	__asm__ volatile("");
}

void many_stats(struct work *work)
{
	struct stat st;

	for (int i = 0; i < 1000; i++)
		work->seed += (uint64_t)stat("/proc/../usr/../proc/../usr/bin/../lib", &st);
}

void path_stat(struct work *work)
{
	many_stats(work);
	__asm__ volatile("");
}

void spin(struct work *work)
{
	uint64_t x = work->seed;

	for (int i = 0; i < 6; i++)
		BURN_SLICE(x);
	work->seed = x;
}

void path_user(struct work *work)
{
	spin(work);
	__asm__ volatile("");
}

static const struct path {
	const char *name;
	void (*walk)(struct work *);
} paths[] = {
	{ "main;path_zero", path_zero },
	{ "main;path_pid", path_pid },
	{ "main;path_stat", path_stat },
	{ "main;path_user", path_user },
};

enum { PATH_COUNT = COUNT(paths) };

static void rounds(struct work *work, uint64_t stop_at, uint64_t *ns)
{
	while (clock_ns(CLOCK_PROCESS_CPUTIME_ID) < stop_at)
		for (int i = 0; i < PATH_COUNT; i++) {
			uint64_t from = clock_ns(CLOCK_THREAD_CPUTIME_ID);

			paths[i].walk(work);
			ns[i] += clock_ns(CLOCK_THREAD_CPUTIME_ID) - from;
		}
}

int main(int argc, char **argv)
{
	uint64_t ns[PATH_COUNT] = { 0 }, total = 0;
	struct work work = { .zero_fd = open("/dev/zero", O_RDONLY | O_CLOEXEC),
			     .buffer = malloc(BUFFER_BYTES), .seed = 42 };

	if (work.zero_fd < 0 || !work.buffer)
		return 1;
	rounds(&work, clock_ns(CLOCK_PROCESS_CPUTIME_ID) + seconds_arg(argc, argv, 1, 5), ns);
	for (int i = 0; i < PATH_COUNT; i++)
		total += ns[i];
	for (int i = 0; i < PATH_COUNT; i++)
		printf("truth %s %.6f\n", paths[i].name, (double)ns[i] / (double)total);
	printf("total_ns %llu\n", (unsigned long long)total);
	free(work.buffer);
	close(work.zero_fd);
	return 0;
}

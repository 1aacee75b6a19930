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
		must(read(work->zero_fd, work->buffer, BUFFER_BYTES) >= 0, "read");
}

void many_pids(struct work *work)
{
	for (int i = 0; i < 10000; i++)
		work->seed += (uint64_t)syscall(SYS_getppid);
}

void many_stats(struct work *work)
{
	struct stat st;

	for (int i = 0; i < 1000; i++)
		work->seed += (uint64_t)stat("/proc/../usr/../proc/../usr/bin/../lib", &st);
}

void spin(struct work *work)
{
	uint64_t x = work->seed;

	for (int i = 0; i < 6; i++)
		BURN_SLICE(x);
	work->seed = x;
}

#define PATH(name, leaf)                       \
	void path_##name(struct work *work)    \
	{                                      \
		leaf(work);                    \
		__asm__ volatile("");          \
	}
PATH(zero, read_zero)
PATH(pid, many_pids)
PATH(stat, many_stats)
PATH(user, spin)

int main(int argc, char **argv)
{
	static const char *const names[] = {"main;path_zero", "main;path_pid", "main;path_stat", "main;path_user"};
	static void (*const walks[])(struct work *) = {path_zero, path_pid, path_stat, path_user};
	struct work work = {.zero_fd = open("/dev/zero", O_RDONLY | O_CLOEXEC), .buffer = malloc(BUFFER_BYTES), .seed = 42};
	uint64_t ns[COUNT(names)] = {0}, stop_at = clock_ns(CLOCK_PROCESS_CPUTIME_ID) + seconds_arg(argc, argv, 1, 5);

	must(work.zero_fd >= 0 && work.buffer, "/dev/zero");
	while (clock_ns(CLOCK_PROCESS_CPUTIME_ID) < stop_at)
		for (size_t i = 0; i < COUNT(names); i++) {
			uint64_t from = clock_ns(CLOCK_THREAD_CPUTIME_ID);

			walks[i](&work);
			ns[i] += clock_ns(CLOCK_THREAD_CPUTIME_ID) - from;
		}
	truth_print(names, ns, COUNT(names));
	return 0;
}

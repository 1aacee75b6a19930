/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * far_stacks FILE [SERVED]: threads that sleep in pause() with their stack pointer in a private
 * mapping of FILE, or of SERVED, until killed:
 *
 *     fs_copied   in a page that it has written to
 *     fs_absent   in a page that nobody has touched
 *     fs_served   in a page of SERVED that it has written to
 *     fs_dead     in a page of SERVED that nobody has touched
 *
 * fs_mapper maps and unmaps memory all the time.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { SIZE = 1 << 20, FAR = SIZE / 4 /* farther than the kernel reads ahead */ };

struct far_stack {
	const char *comm;
	char *at;
	int written;
};

/* pause() with another stack pointer; the system call itself does not touch the stack. */
static void *sleep_there(void *context)
{
	const struct far_stack *stack = context;

	(void)prctl(PR_SET_NAME, stack->comm);
	if (stack->written)
		*(volatile long *)stack->at = 1;
	for (;;) {
#ifdef __x86_64__
		long call = SYS_pause;

		__asm__ volatile("mov %%rsp, %%rbx; mov %1, %%rsp; syscall; mov %%rbx, %%rsp"
				 : "+a"(call)
				 : "r"(stack->at)
				 : "rbx", "rcx", "r11", "memory");
#else
		register long call __asm__("x8") = SYS_ppoll, x0 __asm__("x0") = 0, x1 __asm__("x1") = 0,
				   x2 __asm__("x2") = 0, x3 __asm__("x3") = 0;

		__asm__ volatile("mov x9, sp; mov sp, %5; svc 0; mov sp, x9"
				 : "+r"(x0)
				 : "r"(call), "r"(x1), "r"(x2), "r"(x3), "r"(stack->at)
				 : "x9", "memory");
#endif
	}
	return NULL;
}

static void *map_and_unmap(void *context)
{
	(void)prctl(PR_SET_NAME, "fs_mapper");
	for (;;) {
		(void)munmap(mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), 4096);
		(void)usleep(20000);
	}
	return context;
}

static char *map_file(const char *path)
{
	int file = open(path, O_RDONLY | O_CLOEXEC);
	char *memory = file < 0 ? MAP_FAILED : mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE, file, 0);

	if (memory == MAP_FAILED) {
		perror(path);
		exit(EXIT_FAILURE);
	}
	return memory;
}

int main(int argc, char **argv)
{
	struct far_stack stacks[] = {{"fs_copied", NULL, 1}, {"fs_absent", NULL, 0}, {"fs_served", NULL, 1},
				     {"fs_dead", NULL, 0}};
	int count = argc > 2 ? 4 : 2;
	pthread_t thread;

	if (argc < 2)
		return EXIT_FAILURE;
	(void)pthread_create(&thread, NULL, map_and_unmap, NULL);
	for (int i = 0; i < count; i++) {
		stacks[i].at = map_file(argv[i < 2 ? 1 : 2]) + FAR + i % 2 * 2 * FAR;
		(void)pthread_create(&thread, NULL, sleep_there, &stacks[i]);
	}
	for (;;)
		(void)pause();
}

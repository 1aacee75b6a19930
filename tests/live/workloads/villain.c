/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * A program that wants the recorder to read a file for it. Until it is killed it spins, a
 * millisecond out of two hundred, in its own function and in machine code at a fixed address.
 * Somebody has put names into a perf-PID.map, or into:
 *
 *     villain FILE        a jit-PID.dump, which it maps executable
 *     villain FILE EVIL   the same, but each time a new file, which it unmaps at once; it then exchanges the names of
 *                         that file and EVIL, so that the path which the kernel has reported leads to EVIL
 *     villain -           neither, and it ends after the first millisecond
 */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define CODE_AT ((void *)0x200000000) /* hostile_files.py knows it, too */

/* Counts its argument down to 0. */
static const uint8_t code[] = {
	0x55,			/* push %rbp */
	0x48, 0x89, 0xe5,	/* mov %rsp, %rbp */
	0x48, 0x83, 0xef, 0x01, /* 1: sub $1, %rdi */
	0x75, 0xfa,		/* jne 1b */
	0x5d, 0xc3,		/* pop %rbp; ret */
};

static int fail(const char *what)
{
	(void)fprintf(stderr, "villain: %s: %s\n", what, strerror(errno));
	return EXIT_FAILURE;
}

static volatile unsigned long sink;

__attribute__((noinline)) void own_code_of_the_villain_(unsigned long rounds) /* as long as other names */
{
	while (rounds--)
		sink += rounds;
}

static void spin(void (*made)(long))
{
	clock_t end = clock() + CLOCKS_PER_SEC / 1000;

	while (clock() < end) {
		made(100000);
		own_code_of_the_villain_(20000);
	}
}

static void *map_executable(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	void *at = fd < 0 ? MAP_FAILED : mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);

	if (fd >= 0)
		(void)close(fd);
	return at;
}

/* Replaces this file by another one with the same content. */
static int renew(const char *path)
{
	char text[4096], next[4096];
	int from = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), to = -1;
	ssize_t length = from < 0 ? -1 : read(from, text, sizeof(text));

	(void)snprintf(next, sizeof(next), "%s.next", path);
	if (length > 0)
		to = open(next, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	if (to < 0 || write(to, text, (size_t)length) != length || rename(next, path))
		length = -1;
	if (from >= 0)
		(void)close(from);
	if (to >= 0)
		(void)close(to);
	return length > 0 ? 0 : -1;
}

/* Another villain may swap these files all the time: if something fails, the next round tries it once more. */
static void deceive(const char *path, const char *evil)
{
	void *at = renew(path) ? MAP_FAILED : map_executable(path);

	if (at != MAP_FAILED)
		(void)munmap(at, 4096);
	if (renameat2(AT_FDCWD, path, AT_FDCWD, evil, RENAME_EXCHANGE))
		return;
	(void)nanosleep(&(struct timespec){.tv_nsec = 300000000}, NULL); /* for the recorder to look at it */
	(void)renameat2(AT_FDCWD, path, AT_FDCWD, evil, RENAME_EXCHANGE);
}

int main(int argc, char **argv)
{
	void *memory = mmap(CODE_AT, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
	void (*made)(long);

	if (memory != CODE_AT)
		return fail("memory");
	memcpy(memory, code, sizeof(code));
	memcpy(&made, &memory, sizeof(made));
	if (argc == 2 && strcmp(argv[1], "-") != 0 && map_executable(argv[1]) == MAP_FAILED)
		return fail(argv[1]);
	do {
		spin(made);
		if (argc > 2)
			deceive(argv[1], argv[2]);
		if (argc == 2 && !strcmp(argv[1], "-"))
			return 0;
		(void)nanosleep(&(struct timespec){.tv_nsec = 200000000}, NULL);
	} while (1);
}

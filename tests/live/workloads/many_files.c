/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * many_files FOLDER COUNT: makes that many executables there, copies of the first pages of its own
 * program, maps each as code, and removes it. Prints "done" and sleeps until killed.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { SIZE = 8192 };

static int map_one(const char *folder, long number, const char *program)
{
	char path[512];
	int file;

	(void)snprintf(path, sizeof(path), "%s/%ld", folder, number);
	file = open(path, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0755);
	if (file < 0 || write(file, program, SIZE) != SIZE ||
	    mmap(NULL, SIZE, PROT_READ | PROT_EXEC, MAP_PRIVATE, file, 0) == MAP_FAILED) {
		perror(path);
		return -1;
	}
	(void)close(file);
	return unlink(path);
}

int main(int argc, char **argv)
{
	char program[SIZE];
	int self = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	long count = argc > 2 ? strtol(argv[2], NULL, 10) : 0;

	if (self < 0 || read(self, program, SIZE) != SIZE)
		return EXIT_FAILURE;
	for (long i = 0; i < count; i++)
		if (map_one(argv[1], i, program))
			return EXIT_FAILURE;
	(void)puts("done");
	(void)fflush(stdout);
	for (;;)
		(void)pause();
}

/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * README: a program whose own code is cheap and whose system calls are not. The leaf
 * groups are kernel functions; -u shows which of three user functions paid for them,
 * and -K and -U show either half alone.
 *
 *   sudo rwalker-record -p 3 -u -c kernel_io -o trace.rwk     beside   workload 3
 *   main > round_trip > copy_blocks   reads and writes a file in memory
 *   main > round_trip > look_up       stat() of a long path
 *   main > round_trip > talk          one byte back and forth through a pipe
 */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { BLOCK = 65536, BLOCKS = 16 };

struct job {
	int file;
	int pipe[2];
	char block[BLOCK];
	long failures;
};

/* libc's stubs keep no frame; the extra level keeps each name below in the walk. */
static void blocks_forth_and_back(struct job *job)
{
	for (off_t i = 0; i < BLOCKS; i++) {
		job->failures += pwrite(job->file, job->block, BLOCK, i * BLOCK) != BLOCK;
		job->failures += pread(job->file, job->block, BLOCK, i * BLOCK) != BLOCK;
	}
}

void copy_blocks(struct job *job)
{
	blocks_forth_and_back(job);
	__asm__ volatile("");
}

static void many_stats(struct job *job)
{
	struct stat st;

	for (int i = 0; i < 200; i++)
		job->failures += stat("/usr/../proc/../usr/../proc/../usr/bin", &st) != 0;
}

void look_up(struct job *job)
{
	many_stats(job);
	__asm__ volatile("");
}

static void many_bytes(struct job *job)
{
	char c = 'x';

	for (int i = 0; i < 200; i++) {
		job->failures += write(job->pipe[1], &c, 1) != 1;
		job->failures += read(job->pipe[0], &c, 1) != 1;
	}
}

void talk(struct job *job)
{
	many_bytes(job);
	__asm__ volatile("");
}

void round_trip(struct job *job)
{
	copy_blocks(job);
	look_up(job);
	talk(job);
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

int main(int argc, char **argv)
{
	double end = now() + (argc > 1 ? strtod(argv[1], NULL) : 3);
	struct job *job = calloc(1, sizeof(*job));

	prctl(PR_SET_NAME, "kernel_io");
	if (!job || pipe(job->pipe) < 0)
		return 1;
	job->file = memfd_create("blocks", MFD_CLOEXEC);
	while (job->file >= 0 && now() < end)
		round_trip(job);
	return job->failures != 0;
}

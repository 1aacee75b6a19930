/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * aged_names FOLDER: waits for a futex in a shared file and for two pipes with names; then another file is mapped in
 * the place of the first, and folders are renamed, the nearest one and one far above. Waits again: for what has another
 * token at once, and for the rest when its name has aged. The thread's name says for what:
 *
 *	w-a, w-b		FOLDER/a, then FOLDER/b, at the same address
 *	w-near, w-moved		FOLDER/old/pipe, then FOLDER/new/pipe
 *	w-far, w-aged		FOLDER/above/1/2/3/4/pipe, then FOLDER/below/1/2/3/4/pipe
 *	w-kept, w-still		FOLDER/kept
 */
#define _GNU_SOURCE
#include "sleeping.h"

#include <fcntl.h>
#include <linux/futex.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

enum { WAITS = 8, WAIT_MS = 3, AGED_SECONDS = 2 };

static void wait_for_futex(const char *comm, unsigned *word)
{
	struct timespec limit = {.tv_nsec = WAIT_MS * 1000000};

	prctl(PR_SET_NAME, comm);
	for (int i = 0; i < WAITS; i++)
		(void)syscall(SYS_futex, word, FUTEX_WAIT, 0, &limit, NULL, 0);
}

static void wait_for_pipe(const char *comm, int fd)
{
	struct pollfd set = {.fd = fd, .events = POLLIN};

	prctl(PR_SET_NAME, comm);
	for (int i = 0; i < WAITS; i++)
		(void)poll(&set, 1, WAIT_MS);
}

static int make_pipe(const char *path)
{
	int fd;

	must(!mkfifo(path, 0600), "mkfifo");
	fd = open(path, O_RDWR);
	must(fd >= 0, "open");
	return fd;
}

static unsigned *map_shared(const char *path, void *place)
{
	int fd = open(path, O_RDWR | O_CREAT, 0600);
	void *mapped;

	must(fd >= 0 && !ftruncate(fd, 4096), "ftruncate");
	mapped = mmap(place, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | (place ? MAP_FIXED : 0), fd, 0);
	must(mapped != MAP_FAILED, "mmap");
	return mapped;
}

int main(int argc, char **argv)
{
	static const char *const folders[] = {"old", "above", "above/1", "above/1/2", "above/1/2/3", "above/1/2/3/4"};
	unsigned *word, *kept;
	int near, far;

	must(argc == 2 && !chdir(argv[1]), "usage: aged_names FOLDER");
	for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++)
		must(!mkdir(folders[i], 0700), "mkdir");
	near = make_pipe("old/pipe");
	far = make_pipe("above/1/2/3/4/pipe");
	word = map_shared("a", NULL);
	kept = map_shared("kept", NULL);
	wait_for_futex("w-a", word);
	wait_for_futex("w-kept", kept);
	wait_for_pipe("w-near", near);
	wait_for_pipe("w-far", far);
	(void)map_shared("b", word);
	must(!rename("old", "new") && !rename("above", "below"), "rename");
	wait_for_pipe("w-moved", near);
	prctl(PR_SET_NAME, "w-rest");
	sleep(AGED_SECONDS);
	wait_for_futex("w-b", word);
	wait_for_pipe("w-aged", far);
	wait_for_futex("w-still", kept);
	return 0;
}

/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * away N FOLDER: N waits for a file's lock in each of several places, each in a process that is
 * named after the place: below a mount within a mount, in a folder that is mounted a second time,
 * below a root made by chroot() and one like a container's, and in a pid namespace. Prints what was
 * waited for, as objects.c does; paths start at the root of the process's mount namespace. Needs
 * root. Its mounts are visible only to itself.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "sleeping.h"

enum { WAIT_MS = 3, FILE_KIND = 1, BYTES = 512 };

static int rounds;
static const char *folder; /* below which everything is */

struct place { /* path: by which the file is opened; told: from the root of the mount namespace */
	const char *comm, *path, *told;
	void (*go)(void); /* moves the process there */
	int flags; /* for unshare() */
};

static const char *below(const char *name)
{
	static char paths[4][BYTES];
	static unsigned int turn;
	char *path = paths[turn++ % 4];

	snprintf(path, BYTES, "%s%s", folder, name);
	return path;
}

/* --- places --- */

static void mount_at(const char *name)
{
	(void)mkdir(below(name), 0700);
	must(!mount("tmpfs", below(name), "tmpfs", 0, "size=1m"), "mount");
}

static void nest(void)
{
	mount_at("/mount");
	mount_at("/mount/deeper");
}

static void bind(void)
{
	must(!mkdir(below("/source"), 0700) && !mkdir(below("/bound"), 0700), "mkdir");
	must(!mount(below("/source"), below("/bound"), NULL, MS_BIND, NULL), "mount");
}

static void change_root(void)
{
	must(!mkdir(below("/root"), 0700), "mkdir");
	must(!chroot(below("/root")) && !chdir("/"), "chroot");
}

static void be_container(void)
{
	mount_at("/image");
	must(!mkdir(below("/image/old"), 0700) && !chdir(below("/image")), "mkdir");
	must(!syscall(SYS_pivot_root, ".", "old") && !chroot(".") && !umount2("/old", MNT_DETACH), "pivot_root");
}

static void stay(void)
{
}

static const struct place places[] = {
	{"w-mount", "%s/mount/deeper/file", "%s/mount/deeper/file", nest, CLONE_NEWNS},
	{"w-bind", "%s/bound/file", "%s/bound/file", bind, CLONE_NEWNS},
	{"w-chroot", "/file", "%s/root/file", change_root, 0},
	{"w-container", "/file", "/file", be_container, CLONE_NEWNS},
	{"w-pid", "%s/pid", "%s/pid", stay, CLONE_NEWPID},
};

/* --- waits --- */

/* Waits until the process sleeps in that call. */
static void await(pid_t pid, long wanted)
{
	char line[256];
	long call;

	do {
		rest_us(1000);
		proc_line(pid, "syscall", line, sizeof(line));
	} while (sscanf(line, "%ld", &call) != 1 || call != wanted);
	rest_us(WAIT_MS * 1000);
}

/* The other process has the lock, and releases it for a moment in each round. */
static void lock_often(const struct place *place, int ready, int turn)
{
	char path[BYTES], byte = 'x';
	int fd;

	snprintf(path, sizeof(path), place->path, folder);
	fd = open(path, O_CREAT | O_RDWR, 0600);
	must(fd >= 0, path);
	printf("%s flock %d inode=%lu path=", place->comm, FILE_KIND, inode_of(fd));
	printf(place->told, folder);
	puts("");
	for (int i = 0; i < rounds; i++) {
		const pid_t holder = fork(); /* its own file description, and so its own lock */

		if (!holder) {
			const int other = open(path, O_RDWR);

			must(!flock(other, LOCK_EX), "flock");
			must(write(ready, &byte, 1) == 1 && read(turn, &byte, 1) == 1, "pipe");
			_exit(0);
		}
		while (!flock(fd, LOCK_EX | LOCK_NB)) { /* it does not have it yet */
			must(!flock(fd, LOCK_UN), "flock");
			rest_us(1000);
		}
		must(!flock(fd, LOCK_EX) && !flock(fd, LOCK_UN) && waitpid(holder, NULL, 0) == holder, "flock");
	}
}

static void end_often(pid_t pid, int ready, int turn)
{
	char byte;

	for (int i = 0; i < rounds; i++) {
		must(read(ready, &byte, 1) == 1, "a process ended");
		await(pid, SYS_flock);
		must(write(turn, "x", 1) == 1, "write");
	}
}

/* Runs a process in that place, and one that ends its waits. */
static void start(const struct place *place)
{
	int ready[2], turn[2];
	pid_t pid;

	must(!pipe(ready) && !pipe(turn), "pipe");
	must(!(place->flags & CLONE_NEWPID) || !unshare(CLONE_NEWPID), "unshare");
	pid = fork();
	if (!pid) {
		prctl(PR_SET_NAME, place->comm);
		if (place->flags & CLONE_NEWNS)
			must(!unshare(CLONE_NEWNS) && !mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL), "unshare");
		place->go();
		lock_often(place, ready[1], turn[0]);
		exit(0);
	}
	end_often(pid, ready[0], turn[1]);
	waitpid(pid, NULL, 0);
	exit(0);
}

int main(int argc, char **argv)
{
	enum { PLACES = sizeof(places) / sizeof(places[0]) };
	int failed = 0, status;

	must(argc == 3 && (rounds = atoi(argv[1])) > 0, "usage: away N FOLDER");
	folder = argv[2];
	setvbuf(stdout, NULL, _IOLBF, 0);
	for (int i = 0; i < PLACES; i++)
		if (!fork())
			start(&places[i]);
	for (int i = 0; i < PLACES; i++)
		failed |= wait(&status) < 0 || status;
	return failed;
}

/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Copies of this program, in files that are gone or hidden when they run. SECONDS are of CPU time.
 *
 * copies deleted PATH SECONDS   copies itself to PATH, execs the copy, and the copy deletes its own file before it burns in
 *                               burn_deleted
 * copies ns DIR SECONDS         in its own mount and pid namespace, mounts a tmpfs on DIR, copies itself to DIR/inner and
 *                               burns there, in burn_inside, as pid 1. Its path does not exist outside, and its pid is not
 *                               the one the recorder sees
 * copies many DIR COUNT         makes that many executables there, of the first pages of this program, maps each as code,
 *                               and removes it. Prints "done" and sleeps until killed
 */
#include "workload.h"

#include <sys/mount.h>

BURNER(burn_deleted)
BURNER(burn_inside)

/* Reads all of this program's file. */
static char *self_read(size_t *ret_size)
{
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	struct stat status;
	char *bytes;

	must(fd >= 0 && !fstat(fd, &status), "/proc/self/exe");
	*ret_size = (size_t)status.st_size;
	bytes = malloc(*ret_size);
	must(bytes && read(fd, bytes, *ret_size) == status.st_size, "/proc/self/exe");
	return bytes;
}

static int program_write(const char *path, const char *bytes, size_t size)
{
	int fd;

	unlink(path);
	fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0755);
	must(fd >= 0 && write(fd, bytes, size) == (ssize_t)size, path);
	return fd;
}

static void self_copy(const char *path)
{
	size_t size;
	const char *bytes = self_read(&size);

	must(!close(program_write(path, bytes, size)), path);
}

static void deleted(char **argv)
{
	self_copy(argv[0]);
	execl(argv[0], argv[0], "burn_deleted", argv[0], argv[1], (char *)NULL);
	must(false, argv[0]);
}

static void delete_and_burn(char **argv)
{
	must(!unlink(argv[0]), argv[0]);
	burn_deleted(seconds_arg(2, argv, 1, 2));
}

static void ns(char **argv)
{
	char path[PATH_MAX];
	int status;
	pid_t pid;

	must(!unshare(CLONE_NEWNS | CLONE_NEWPID) && !mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) &&
		     !mount("inner", argv[0], "tmpfs", 0, "size=16m"), "mount");
	snprintf(path, sizeof(path), "%s/inner", argv[0]);
	self_copy(path);
	pid = fork();
	if (!pid) {
		execl(path, path, "burn_inside", argv[0], argv[1], (char *)NULL);
		_exit(127);
	}
	must(pid > 0 && waitpid(pid, &status, 0) == pid && !status, "wait");
}

static void burn_as_first(char **argv)
{
	must(getpid() == 1, "being the first process");
	burn_inside(seconds_arg(2, argv, 1, 2));
}

/* --- many --------------------------------------------------------------------------------------- */

static void many(char **argv)
{
	enum { SIZE = 2 * PAGE };
	long count = strtol(argv[1], NULL, 10);
	size_t size;
	const char *program = self_read(&size);

	for (long i = 0; i < count; i++) {
		char path[PATH_MAX];
		int file;

		snprintf(path, sizeof(path), "%s/%ld", argv[0], i);
		file = program_write(path, program, SIZE);
		must(mmap(NULL, SIZE, PROT_READ | PROT_EXEC, MAP_PRIVATE, file, 0) != MAP_FAILED, path);
		must(!close(file) && !unlink(path), path);
	}
	say("done");
	pause();
}

int main(int argc, char **argv)
{
	static const struct kind {
		const char *name;
		void (*run)(char **argv);
	} kinds[] = {{"deleted", deleted}, {"burn_deleted", delete_and_burn}, {"ns", ns}, {"burn_inside", burn_as_first},
		     {"many", many}};

	for (size_t i = 0; argc == 4 && i < COUNT(kinds); i++)
		if (!strcmp(argv[1], kinds[i].name)) {
			kinds[i].run(argv + 2);
			return 0;
		}
	fprintf(stderr, "usage: copies KIND PATH SECONDS; the kinds are told in copies.c\n");
	return 2;
}

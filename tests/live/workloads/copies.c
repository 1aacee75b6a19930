/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Copies of this program, in files that are gone, renamed, hidden or odd when they run. SECONDS are of CPU time.
 *
 * copies deleted PATH SECONDS   copies itself to PATH, execs the copy, and the copy deletes its own file before it burns in
 *                               burn_deleted
 * copies ns DIR SECONDS         in its own mount and pid namespace, mounts a tmpfs on DIR, copies itself to DIR/inner and
 *                               burns there, in burn_inside, as pid 1. Its path does not exist outside, and its pid is not
 *                               the one the recorder sees
 * copies evil DIR SECONDS       burns under a comm, from a path and in a function whose names have terminal escape
 *                               sequences: set the title, clear the screen, a new line, a carriage return and an 8-bit
 *                               control character (CSI, 0x9b). A compiler writes no such symbol, so the copy is patched
 * copies many DIR COUNT         makes that many executables there, of the first pages of this program, maps each as code,
 *                               and removes it. Prints "done" and sleeps until killed
 */
#include "workload.h"

#include <sys/mount.h>

BURNER(burn_deleted)
BURNER(burn_inside)
BURNER(evil_placeholder)

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

/* --- odd names ---------------------------------------------------------------------------------- */

#define PLACE "evil_" "placeholder"
static const char evil_symbol[] = "ev\033[2J\n\rsym\233m\007__";	/* as long as PLACE */
_Static_assert(sizeof(evil_symbol) == sizeof(PLACE), "names must be equally long");

/* Patches every "\0evil_placeholder\0". The pattern is put together from two halves, so as not to find itself. */
static void symbol_patch(char *bytes, size_t size)
{
	char needle[sizeof(PLACE) + 1] = {0};
	int found = 0;

	memcpy(needle + 1, "evil_", 5);
	memcpy(needle + 6, "placeholder", 11);
	for (size_t i = 0; i + sizeof(needle) <= size; i++)
		if (memcmp(bytes + i, needle, sizeof(needle)) == 0) {
			memcpy(bytes + i + 1, evil_symbol, sizeof(evil_symbol) - 1);
			found++;
		}
	must(found, "the symbol");
}

/* A different program needs a different build-id: with the old one it would get the names of the original. */
static void build_id_patch(char *bytes, size_t size)
{
	static const char NOTE[] = {4, 0, 0, 0, 20, 0, 0, 0, 3, 0, 0, 0, 'G', 'N', 'U', 0};
	char *note = memmem(bytes, size, NOTE, sizeof(NOTE));

	must(note != NULL, "the build-id");
	note[sizeof(NOTE)] ^= 0x5a;
}

static void evil(char **argv)
{
	char path[PATH_MAX], *bytes;
	size_t size;

	snprintf(path, sizeof(path), "%s/p\033]0;owned\007\n\033[2J", argv[0]);
	bytes = self_read(&size);
	symbol_patch(bytes, size);
	build_id_patch(bytes, size);
	must(!close(program_write(path, bytes, size)), path);
	execl(path, path, "burn_evil", argv[0], argv[1], (char *)NULL);
	must(false, path);
}

static void burn_evil(char **argv)
{
	prctl(PR_SET_NAME, "c\033]0;x\007\n\033[2J");
	evil_placeholder(seconds_arg(2, argv, 1, 2));
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
		     {"evil", evil}, {"burn_evil", burn_evil}, {"many", many}};

	for (size_t i = 0; argc == 4 && i < COUNT(kinds); i++)
		if (!strcmp(argv[1], kinds[i].name)) {
			kinds[i].run(argv + 2);
			return 0;
		}
	fprintf(stderr, "usage: copies KIND PATH SECONDS; the kinds are told in copies.c\n");
	return 2;
}

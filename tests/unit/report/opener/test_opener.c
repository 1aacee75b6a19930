/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The opener on files made for the purpose, by another process and in this one: what it opens must
 * be the inode that stat() and realpath() find, and anything but a regular file is refused and
 * counted. Mounts that do not answer are in tests/fault/test_opened_files.sh.
 */
#include "report/opener/opener.h"

#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/test.h"

struct place { /* a scratch folder, and the opener of what is in it */
	char path[PATH_MAX], named[PATH_MAX], folder[PATH_MAX];
	const char *files[2], *folders[2];
	struct opener *opener; /* asks a process of its own, as the worker and its child ask the worker's parent */
	int lines[2];
};

/* Serves both lines until the first one is closed. Never returns. */
static void serve(const struct opener_settings *settings, const int lines[static 2])
{
	struct pollfd waiting[] = {{.fd = lines[0], .events = POLLIN}, {.fd = lines[1], .events = POLLIN}};
	struct opener_server *server;
	struct service service;
	int r = opener_server_create(settings, false, &server);

	if (r < 0)
		_exit(1);
	service = opener_server_service(server);
	while (r >= 0) {
		if (poll(waiting, 2, -1) < 0)
			_exit(1);
		if (waiting[1].revents && service_serve(lines[1], &service, 1, SERVICE_MOST_SHORT) <= 0)
			waiting[1].fd = -1;
		if (waiting[0].revents && service_serve(lines[0], &service, 1, SERVICE_MOST) <= 0)
			break;
	}
	opener_server_destroy(server);
	_exit(0);
}

static bool place_serve(struct place *place, const struct opener_settings *settings)
{
	int ends[2][2];

	if (service_line_open(ends[0]) || service_line_open(ends[1]))
		return false;
	if (!fork()) {
		(void)close(ends[0][0]);
		(void)close(ends[1][0]);
		serve(settings, (const int[]){ends[0][1], ends[1][1]});
	}
	for (size_t i = 0; i < 2; i++) {
		(void)close(ends[i][1]);
		place->lines[i] = ends[i][0];
	}
	return !opener_create_far(place->lines[0], 0, place->lines[1], &place->opener);
}

static void join(const struct place *place, const char *name, char path[static PATH_MAX])
{
	(void)snprintf(path, PATH_MAX, "%.3000s/%s", place->path, name);
}

static bool write_file(const struct place *place, const char *name, const char *text)
{
	char path[PATH_MAX];
	int fd;
	bool good;

	join(place, name, path);
	fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
	good = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);
	(void)close(fd);
	return good;
}

static bool make_link(const struct place *place, const char *target, const char *name)
{
	char path[PATH_MAX];

	join(place, name, path);
	return symlink(target, path) == 0;
}

static bool make_folder(const struct place *place, const char *name)
{
	char path[PATH_MAX];

	join(place, name, path);
	return mkdir(path, 0755) == 0;
}

static bool make_fifo(const struct place *place, const char *name)
{
	char path[PATH_MAX];

	join(place, name, path);
	return mkfifo(path, 0644) == 0;
}

static bool fill(struct place *place)
{
	char absolute[PATH_MAX];

	join(place, "deep/er/elf", absolute);
	return make_folder(place, "deep") && make_folder(place, "deep/er") && make_folder(place, "tree") &&
	       write_file(place, "deep/er/elf", "\177ELF and so on") &&
	       write_file(place, "tree/other", "\177ELF and nothing else") && write_file(place, "text", "hello") &&
	       write_file(place, "packed.ko.zst", "\x28\xb5\x2f\xfd") && write_file(place, "modules.dep", "a.ko:\n") &&
	       make_fifo(place, "fifo") && make_link(place, "deep/er/elf", "near") &&
	       make_link(place, "../tree/../deep/./er//elf", "deep/up") && make_link(place, absolute, "whole") &&
	       make_link(place, "loop", "loop") && make_link(place, "deep", "folder") &&
	       make_link(place, "/proc/self/exe", "magic") && make_link(place, "../near", "tree/out");
}

static bool place_make(struct place *place, bool apart)
{
	char made[] = "/tmp/rwalker-opener-XXXXXX";

	*place = (struct place){0};
	if (!mkdtemp(made) || !realpath(made, place->path) || !fill(place))
		return false;
	join(place, "fifo", place->named);
	join(place, "tree", place->folder);
	place->files[0] = place->named;
	place->folders[0] = place->folder;
	return !apart || place_serve(place, &(struct opener_settings){.files = place->files, .folders = place->folders});
}

static void place_remove(struct place *place)
{
	char command[PATH_MAX + 16];

	opener_destroy(place->opener);
	if (place->opener) {
		(void)close(place->lines[0]);
		(void)close(place->lines[1]);
		(void)wait(NULL);
	}
	(void)snprintf(command, sizeof(command), "rm -rf '%s'", place->path);
	if (system(command) != 0)
		(void)fprintf(stderr, "cannot remove '%s'\n", place->path);
}

static int try_path(struct place *place, enum opener_kind kind, const char *path, struct opened_file *ret_file)
{
	char full[PATH_MAX];

	if (path[0] != '/') {
		join(place, path, full);
		path = full;
	}
	return opener_open(place->opener, kind, path, ret_file);
}

static int refused(struct place *place, enum opener_kind kind, const char *path)
{
	struct opened_file file;
	int r = try_path(place, kind, path, &file);

	if (!r) {
		(void)close(file.fd);
		free(file.real);
	}
	return r;
}

/* The descriptor is of the file that stat() finds, and `real` is its path. */
static void opens(struct test *t, struct place *place, const char *name)
{
	char path[PATH_MAX], real[PATH_MAX];
	struct stat wanted, found;
	struct opened_file file;

	join(place, name, path);
	REQUIRE(t, stat(path, &wanted) == 0 && realpath(path, real));
	REQUIRE(t, try_path(place, OPENER_ELF, name, &file) == 0);
	CHECK(t, fstat(file.fd, &found) == 0 && found.st_ino == wanted.st_ino && found.st_dev == wanted.st_dev);
	CHECK_STR(t, file.real, real);
	CHECK(t, (fcntl(file.fd, F_GETFL) & O_ACCMODE) == O_RDONLY);
	CHECK(t, fcntl(file.fd, F_GETFD) & FD_CLOEXEC);
	(void)close(file.fd);
	free(file.real);
}

/* --- the same by another process and in this one --- */

static void check_paths(struct test *t, struct place *place)
{
	static const char *const good[] = {"deep/er/elf", "near", "deep/up", "whole", "folder/er/elf", "deep/../near",
					   "tree/out", "tree/other", "tree/../folder/../near"};
	static const struct {
		enum opener_kind kind;
		const char *path;
		int result;
	} paths[] = {
		{OPENER_ELF, "absent", -ENOENT},	  {OPENER_ELF, "text/below", -ENOENT},
		{OPENER_ELF, "loop", -ENOENT},		  {OPENER_ELF, "text", -ENOEXEC},
		{OPENER_ELF, "packed.ko.zst", -ENOEXEC},  {OPENER_KERNEL_MODULE, "packed.ko.zst", 0},
		{OPENER_KERNEL_MODULE, "near", 0},	  {OPENER_KERNEL_MODULE, "text", -ENOEXEC},
		{OPENER_MODULE_LIST, "modules.dep", 0},	  {OPENER_MODULE_LIST, "text", -ENOENT},
		{OPENER_KERNEL_MODULE, "fifo", -EPERM},	  {OPENER_ELF, "deep", -EPERM},
		{OPENER_ELF, "/dev/zero", -EPERM},	  {OPENER_ELF, "/proc/kmsg", -EPERM},
		{OPENER_ELF, "/proc/self/exe", -EPERM},	  {OPENER_ELF, "magic", -EPERM},
	};

	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++)
		opens(t, place, good[i]);
	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++)
		test_check(t, refused(place, paths[i].kind, paths[i].path) == paths[i].result, "%s", paths[i].path);
}

/* Files that the kernel finds, and anything but a regular file is refused. */
static void opens_what_the_kernel_finds(struct test *t)
{
	for (int apart = 0; apart < 2; apart++) {
		struct place place;

		REQUIRE(t, place_make(&place, apart));
		check_paths(t, &place);
		place_remove(&place);
	}
}

/* --- by another process --- */

/* A process that asks cannot name more files than the user did. */
static void names_are_the_users(struct test *t)
{
	struct place place;

	REQUIRE(t, place_make(&place, true));
	CHECK_INT(t, refused(&place, OPENER_NAMED, "text"), -EPERM);
	CHECK_INT(t, refused(&place, OPENER_NAMED, "tree/out"), -EPERM);
	CHECK_INT(t, refused(&place, OPENER_NAMED, "/etc/passwd"), -EPERM);
	place_remove(&place);
}

/* A child has a line of its own, and receives the file that it asked for. */
static void children_do_not_mix_answers(struct test *t)
{
	enum { TIMES = 100 };
	struct place place;
	int status;
	pid_t child;

	REQUIRE(t, place_make(&place, true));
	child = fork();
	if (child == 0) {
		struct test own = {0};

		opener_use_child_line(place.opener);
		for (int k = 0; k < TIMES; k++)
			opens(&own, &place, k % 2 ? "near" : "tree/other");
		_exit(own.failures || !own.checks);
	}
	for (int k = 0; k < TIMES; k++)
		opens(t, &place, "whole");
	CHECK(t, waitpid(child, &status, 0) == child && status == 0);
	place_remove(&place);
}

/* Killed while it waits for an answer, which comes nevertheless. */
static void kill_one_that_asks(struct test *t, struct place *place)
{
	int ends[2];
	char byte;
	pid_t pid;

	REQUIRE(t, pipe(ends) == 0);
	pid = fork();
	if (pid == 0) {
		opener_use_child_line(place->opener);
		while (write(ends[1], "", 1) == 1)
			(void)refused(place, OPENER_ELF, "tree/other");
	}
	for (int i = 0; i < 10; i++)
		CHECK(t, read(ends[0], &byte, 1) == 1);
	CHECK(t, kill(pid, SIGKILL) == 0 && waitpid(pid, NULL, 0) == pid);
	(void)close(ends[0]);
	(void)close(ends[1]);
}

static void answers_for_the_dead_are_thrown_away(struct test *t)
{
	enum { TIMES = 20 };
	struct place place;
	int status;

	REQUIRE(t, place_make(&place, true));
	for (int i = 0; i < TIMES; i++) {
		pid_t pid;

		kill_one_that_asks(t, &place);
		pid = fork();
		if (pid == 0) {
			struct test own = {0};

			opener_use_child_line(place.opener);
			opens(&own, &place, "near");
			_exit(own.failures || !own.checks);
		}
		CHECK(t, waitpid(pid, &status, 0) == pid && status == 0);
	}
	place_remove(&place);
}

/* A missing file is requested only once. Its neighbours, and the target of a link, are other paths. */
static void what_is_missing_is_asked_for_once(struct test *t)
{
	struct place place;

	REQUIRE(t, place_make(&place, true));
	REQUIRE(t, make_link(&place, "later", "dangling") && make_link(&place, "deep/later", "below"));
	CHECK_INT(t, refused(&place, OPENER_ELF, "deep/none"), -ENOENT);
	CHECK_INT(t, refused(&place, OPENER_ELF, "later/er/elf"), -ENOENT);
	CHECK_INT(t, refused(&place, OPENER_ELF, "dangling/er/elf"), -ENOENT);
	CHECK_INT(t, refused(&place, OPENER_ELF, "below/er/elf"), -ENOENT);
	CHECK_INT(t, refused(&place, OPENER_ELF, "text"), -ENOEXEC);
	REQUIRE(t, make_folder(&place, "later") && make_folder(&place, "later/er") &&
			   make_folder(&place, "deep/later") && make_folder(&place, "deep/later/er") &&
			   write_file(&place, "deep/none", "\177ELF") &&
			   write_file(&place, "later/er/elf", "\177ELF") &&
			   write_file(&place, "deep/later/er/elf", "\177ELF"));
	CHECK_INT(t, refused(&place, OPENER_ELF, "deep/none"), -ENOENT);
	CHECK_INT(t, refused(&place, OPENER_ELF, "later//er/elf"), -ENOENT);
	CHECK_INT(t, refused(&place, OPENER_ELF, "later/other"), -ENOENT);
	CHECK_INT(t, refused(&place, OPENER_ELF, "dangling/er/elf"), -ENOENT);
	CHECK_INT(t, refused(&place, OPENER_ELF, "below/er/elf"), -ENOENT);
	opens(t, &place, "deep/later/er/elf"); /* nobody had asked for it by this path */
	opens(t, &place, "deep/er/elf");
	opens(t, &place, "folder/er/elf");
	opens(t, &place, "near");
	place_remove(&place);
}

/* --- file owner --- */

struct owned {
	char root[32], folder[48], file[64];
};

static void owned_make(struct owned *owned)
{
	(void)snprintf(owned->root, sizeof(owned->root), "/tmp/rwalker-owner-XXXXXX");
	if (!mkdtemp(owned->root))
		abort();
	(void)snprintf(owned->folder, sizeof(owned->folder), "%s/folder", owned->root);
	(void)snprintf(owned->file, sizeof(owned->file), "%s/file", owned->folder);
	if (mkdir(owned->folder, 0755) < 0 || close(open(owned->file, O_WRONLY | O_CREAT, 0644)) < 0)
		abort();
}

static void owned_remove(const struct owned *owned)
{
	(void)unlink(owned->file);
	(void)rmdir(owned->folder);
	(void)rmdir(owned->root);
}

static bool is_ours(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	bool ours = file_is_ours(fd);

	(void)close(fd);
	return ours;
}

static void modes_count(struct test *t)
{
	static const struct {
		mode_t folder, file;
		bool ours;
	} cases[] = {
		{0755, 0644, true}, {0700, 0600, true}, {01777, 0644, true}, {0755, 0664, false},
		{0755, 0646, false}, {0775, 0644, false}, {0757, 0644, false}, {0777, 0600, false},
	};
	struct owned owned;

	owned_make(&owned);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		CHECK_INT(t, chmod(owned.folder, cases[i].folder), 0);
		CHECK_INT(t, chmod(owned.file, cases[i].file), 0);
		CHECK_INT(t, is_ours(owned.file), cases[i].ours);
	}
	CHECK_INT(t, chmod(owned.folder, 0755), 0);
	CHECK_INT(t, chmod(owned.file, 0644), 0);
	CHECK_INT(t, chmod(owned.root, 0777), 0); /* every folder counts */
	CHECK(t, !is_ours(owned.file));
	CHECK(t, !is_ours("/dev/null") && !file_is_ours(-1));
	owned_remove(&owned);
}

static void owners_count(struct test *t)
{
	enum { STRANGER = 65534 };
	struct owned owned;

	if (geteuid() != 0)
		SKIP(t, "only root can give a file away");
	owned_make(&owned);
	CHECK_INT(t, chown(owned.file, STRANGER, STRANGER), 0);
	CHECK(t, !is_ours(owned.file));
	CHECK_INT(t, chown(owned.file, 0, 0), 0);
	CHECK(t, is_ours(owned.file));
	CHECK_INT(t, chown(owned.folder, STRANGER, STRANGER), 0);
	CHECK(t, !is_ours(owned.file));
	owned_remove(&owned);
}

TEST_MAIN(TEST(opens_what_the_kernel_finds), TEST(names_are_the_users),
	  TEST(children_do_not_mix_answers), TEST(answers_for_the_dead_are_thrown_away),
	  TEST(what_is_missing_is_asked_for_once), TEST(modes_count), TEST(owners_count))

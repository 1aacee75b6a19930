/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "record/helper/opener_helper.h"

#include <fcntl.h>
#include <grp.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/gate/packet.h"
#include "record/helper/file_gate.h"
#include "record/helper/helpers.h"
#include "tests/test.h"

/* --- villain: an unprivileged user, in whose mount namespace root has put what only root can --- */

enum { VILLAIN = 65533,
       STRANGER = 65532,
       GROUP = 65531 };

static const char HONEST[] = "1000 10 honest\n", SECRET[] = "1000 10 canary\n";

static void must(bool good, const char *what)
{
	if (good)
		return;
	perror(what);
	_exit(1);
}

static void put(const char *path, const char *text, uid_t owner, gid_t group, mode_t mode)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL, 0600);

	must(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text) &&
		     (geteuid() || !fchown(fd, owner, group)) && !fchmod(fd, mode) && !close(fd), path);
}

struct villain {
	pid_t pid;
};

static void become(uid_t user)
{
	static const gid_t groups[] = {GROUP};

	must(!setgroups(1, groups) && !setresgid(user, user, user) && !setresuid(user, user, user), "setresuid");
	must(!prctl(PR_SET_DUMPABLE, 1), "prctl"); /* like any program that was executed */
}

static void own_tmp(void)
{
	must(!unshare(CLONE_NEWNS) && !mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) &&
		     !mount("villain", "/tmp", "tmpfs", 0, "size=16m,mode=1777"), "mount");
	put("/tmp/secret", SECRET, 0, 0, 0600);
	put("/tmp/own", HONEST, VILLAIN, VILLAIN, 0644);
}

static void path_of(pid_t pid, char path[64])
{
	(void)snprintf(path, 64, "/tmp/perf-%d.map", (int)pid);
}

static _Noreturn void villain_run(void (*make)(const char *path), int report)
{
	char path[64];

	must(!prctl(PR_SET_PDEATHSIG, SIGKILL) && !setpgid(0, 0), "prctl");
	own_tmp();
	path_of(getpid(), path);
	make(path);
	become(VILLAIN);
	must(write(report, "", 1) == 1, "report");
	for (;;)
		(void)pause();
}

static bool villain_start(void (*make)(const char *path), struct villain *villain)
{
	int report[2];
	ssize_t got;
	char ready;

	if (pipe2(report, O_CLOEXEC))
		return false;
	villain->pid = fork();
	if (!villain->pid)
		villain_run(make, report[1]);
	(void)close(report[1]);
	got = read(report[0], &ready, 1);
	(void)close(report[0]);
	return got == 1;
}

static void villain_end(const struct villain *villain)
{
	/* Those that it forked, too: a dying process may not signal another user's. */
	(void)kill(-villain->pid, SIGKILL);
	(void)kill(villain->pid, SIGKILL);
	(void)waitpid(villain->pid, NULL, 0);
}

/* --- files --- */

static void bind_over(const char *what, const char *path)
{
	put(path, "", VILLAIN, VILLAIN, 0644);
	must(!mount(what, path, NULL, MS_BIND, NULL), "mount");
}

/* Each runs as root and makes `path`. */
static void its_own(const char *path) { put(path, HONEST, VILLAIN, VILLAIN, 0600); }
static void of_root(const char *path) { put(path, HONEST, 0, 0, 0644); }
static void of_its_group(const char *path) { put(path, HONEST, 0, GROUP, 0640); }
static void of_root_alone(const char *path) { put(path, SECRET, 0, 0, 0600); }
static void of_a_stranger(const char *path) { put(path, SECRET, STRANGER, STRANGER, 0644); }
static void link_to_own(const char *path) { must(!symlink("/tmp/own", path), path); }
static void link_to_secret(const char *path) { must(!symlink("/tmp/secret", path), path); }
static void second_name_of_secret(const char *path) { must(!link("/tmp/secret", path), path); }
static void second_name_of_own(const char *path) { must(!link("/tmp/own", path), path); }
static void mount_of_secret(const char *path) { bind_over("/tmp/secret", path); }
static void mount_of_symbols(const char *path) { bind_over("/proc/kallsyms", path); }
static void mount_of_sysfs(const char *path) { bind_over("/sys/kernel/mm/transparent_hugepage/enabled", path); }
static void fifo(const char *path) { must(!mkfifo(path, 0666) && !chown(path, VILLAIN, VILLAIN), path); }
static void folder(const char *path) { must(!mkdir(path, 0777) && !chown(path, VILLAIN, VILLAIN), path); }
static void nothing(const char *path) { (void)path; }

static void device(const char *path)
{
	must(!mknod(path, S_IFCHR | 0666, makedev(1, 5)) && !chown(path, VILLAIN, VILLAIN), path);
}

static void socket_file(const char *path)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	(void)snprintf(address.sun_path, sizeof(address.sun_path), "%s", path);
	must(fd >= 0 && !bind(fd, (const struct sockaddr *)&address, sizeof(address)) &&
		     !chown(path, VILLAIN, VILLAIN) && !close(fd), path);
}

/* --- the opener --- */

struct bench {
	struct spawner *spawner;
	int socket;
};

static bool bench_open(struct bench *b)
{
	pid_t pid;

	return !helpers_start(0, &b->spawner) && !spawner_start(b->spawner, HELPER_OPENER, &b->socket, &pid);
}

static void bench_close(struct bench *b)
{
	(void)close(b->socket);
	spawner_destroy(b->spawner);
}

/* The error, and what the descriptor reads as: empty without one. */
static int ask(struct bench *b, const struct opener_request *head, const char *path, char text[64],
	       struct opener_reply *reply)
{
	struct {
		struct opener_request head;
		char path[256];
	} request = {.head = *head};
	ssize_t length = 0;
	int fd = -1;

	request.head.token = 7;
	request.head.path_length = (uint32_t)strlen(path);
	memcpy(request.path, path, strlen(path));
	text[0] = '\0';
	if (packet_send(b->socket, &request, sizeof(*head) + strlen(path), -1) ||
	    packet_receive(b->socket, reply, sizeof(*reply), 60000, &fd) != sizeof(*reply) || reply->token != 7)
		return -EPIPE;
	if (fd >= 0) {
		length = read(fd, text, 63);
		text[length > 0 ? length : 0] = '\0';
		(void)close(fd);
	}
	return reply->error;
}

/* --- the matrix --- */

struct attack {
	const char *name;
	void (*make)(const char *path);
	int error; /* what the opener says of such a perf-PID.map */
};

static const struct attack ATTACKS[] = {
	{"its own", its_own, 0},
	{"of root, for everybody", of_root, 0},
	{"of root, for its group", of_its_group, 0},
	{"of root alone", of_root_alone, -EACCES},
	{"of a stranger", of_a_stranger, -EPERM},
	{"a link to its own", link_to_own, -ELOOP},
	{"a link to root's", link_to_secret, -ELOOP},
	{"another name of its own", second_name_of_own, -EMLINK},
	{"another name of root's", second_name_of_secret, -EMLINK},
	{"a mount of root's", mount_of_secret, -EACCES},
	{"a mount of the kernel's symbols", mount_of_symbols, -EREMOTE},
	{"a mount of sysfs", mount_of_sysfs, -EREMOTE},
	{"a FIFO", fifo, -EINVAL},
	{"a folder", folder, -EINVAL},
	{"a device", device, -EINVAL},
	{"a socket", socket_file, -EINVAL},
	{"nothing", nothing, -ENOENT},
};

static void attack_try(struct test *t, struct bench *b, const struct attack *attack)
{
	struct opener_request request = {.what = OPENER_PERF_MAP};
	struct opener_reply reply;
	struct villain villain;
	char text[64];
	int error;

	if (!test_check(t, villain_start(attack->make, &villain), "the villain with %s does not start", attack->name))
		return;
	request.tgid = (uint32_t)villain.pid;
	error = ask(b, &request, "", text, &reply);
	test_check(t, error == attack->error, "%s: %d (%s), not %d", attack->name, error, strerror(-error),
		   attack->error);
	test_check(t, !strcmp(text, attack->error ? "" : HONEST), "%s: reads '%s'", attack->name, text);
	villain_end(&villain);
}

static void reads_no_file_that_the_process_may_not_read(struct test *t)
{
	struct bench b;

	if (geteuid())
		SKIP(t, "needs root");
	REQUIRE(t, bench_open(&b));
	for (size_t i = 0; i < sizeof(ATTACKS) / sizeof(ATTACKS[0]); i++)
		attack_try(t, &b, &ATTACKS[i]);
	bench_close(&b);
}

/* --- races and namespaces --- */

/* Replaces its map as fast as it can: its own file, a link to root's, another name of root's. */
static void replaced_all_the_time(const char *path)
{
	pid_t replacer = fork();

	must(replacer >= 0, "fork");
	if (replacer)
		return;
	must(!prctl(PR_SET_PDEATHSIG, SIGKILL), "prctl");
	for (;;) {
		(void)(link("/tmp/secret", "/tmp/next") || rename("/tmp/next", path));
		(void)unlink("/tmp/next"); /* if both are names of one file, rename() does nothing */
		(void)(symlink("/tmp/secret", "/tmp/next") || rename("/tmp/next", path));
		put("/tmp/next", HONEST, VILLAIN, VILLAIN, 0644);
		must(!rename("/tmp/next", path), path);
	}
}

static void reads_nothing_else_while_a_map_is_replaced(struct test *t)
{
	enum { TRIES = 100000 };
	struct opener_request request = {.what = OPENER_PERF_MAP};
	unsigned int good = 0, refused = 0;
	struct opener_reply reply;
	struct villain villain;
	char text[64];
	struct bench b;

	if (geteuid())
		SKIP(t, "needs root");
	REQUIRE(t, bench_open(&b) && villain_start(replaced_all_the_time, &villain));
	request.tgid = (uint32_t)villain.pid;
	for (int i = 0; i < TRIES && (good < 100 || refused < 100); i++) {
		int error = ask(&b, &request, "", text, &reply);

		good += !error;
		refused += error == -ELOOP || error == -EMLINK;
		if (!CHECK(t, !strstr(text, "canary")))
			break;
	}
	CHECK(t, good >= 100 && refused >= 100);
	villain_end(&villain);
	bench_close(&b);
}

static void one_id(const char *path, unsigned int outside)
{
	char line[32];
	int fd = open(path, O_WRONLY), length = snprintf(line, sizeof(line), "0 %u 1", outside);

	must(fd >= 0 && write(fd, line, (size_t)length) == length && !close(fd), path);
}

/* Root in a user namespace of its own mounts a file that it cannot read where its map should be. */
static void root_of_its_own_namespace(const char *path)
{
	int fd;

	become(VILLAIN);
	must(!unshare(CLONE_NEWUSER | CLONE_NEWNS), "unshare");
	fd = open("/proc/self/setgroups", O_WRONLY);
	must(fd >= 0 && write(fd, "deny", 4) == 4 && !close(fd), "setgroups");
	one_id("/proc/self/uid_map", VILLAIN);
	one_id("/proc/self/gid_map", VILLAIN);
	must(!geteuid(), "geteuid");
	put(path, "", 0, 0, 0600);
	must(!mount("/tmp/secret", path, NULL, MS_BIND, NULL), "mount");
}

static void maps_for_its_own_root(const char *path)
{
	struct opener_request mapped = {.tgid = (uint32_t)getpid()};

	root_of_its_own_namespace(path);
	must(write(3, &mapped, sizeof(mapped)) == sizeof(mapped), "report");
	for (;;)
		(void)pause();
}

static void root_of_a_namespace_is_an_ordinary_user(struct test *t)
{
	struct opener_request request = {.what = OPENER_PERF_MAP};
	struct opener_reply reply;
	struct bench b;
	int report[2];
	char text[64], path[64];
	ssize_t got;
	pid_t pid;

	if (geteuid())
		SKIP(t, "needs root");
	if (access("/proc/self/ns/user", F_OK))
		SKIP(t, "the kernel has no user namespaces");
	REQUIRE(t, bench_open(&b) && !pipe(report));
	pid = fork();
	if (!pid) {
		must(!prctl(PR_SET_PDEATHSIG, SIGKILL) && dup2(report[1], 3) == 3, "report");
		own_tmp();
		path_of(getpid(), path);
		maps_for_its_own_root(path);
	}
	(void)close(report[1]);
	got = read(report[0], &request, sizeof(request));
	request.what = OPENER_PERF_MAP;
	if (CHECK(t, got == sizeof(request)))
		CHECK_INT(t, ask(&b, &request, "", text, &reply), -EACCES);
	CHECK_STR(t, text, "");
	(void)close(report[0]);
	villain_end(&(struct villain){.pid = pid});
	bench_close(&b);
}

/* --- processes that are gone --- */

/* A map that a process left behind counts if it is that process's user's, as far as that is known. */
static void believes_the_map_of_a_process_that_is_gone_only_from_its_user(struct test *t)
{
	static const struct {
		void (*make)(const char *path);
		int error;
	} left[] = {{its_own, 0}, {of_root, 0}, {of_root_alone, -EACCES}, {of_a_stranger, -EPERM},
		    {link_to_secret, -ELOOP}, {fifo, -EINVAL}, {nothing, -ENOENT}};
	struct opener_request request = {.what = OPENER_OWNER};
	struct opener_reply reply;
	struct villain villain;
	char path[64], text[64];
	struct bench b;

	if (geteuid())
		SKIP(t, "needs root");
	REQUIRE(t, bench_open(&b) && villain_start(nothing, &villain));
	request.tgid = (uint32_t)villain.pid;
	path_of(villain.pid, path);
	CHECK_INT(t, ask(&b, &request, "", text, &reply), 0);
	CHECK_INT(t, reply.owner.uid, VILLAIN);
	CHECK_INT(t, reply.owner.gid, VILLAIN);
	villain_end(&villain);
	request.what = OPENER_PERF_MAP;
	for (size_t i = 0; i < sizeof(left) / sizeof(left[0]); i++) {
		left[i].make(path);
		request.owner = (struct opener_owner){0};
		CHECK_INT(t, ask(&b, &request, "", text, &reply), -ESRCH);
		request.owner = (struct opener_owner){VILLAIN, VILLAIN, 1, (uint32_t)villain.pid, 0};
		CHECK_INT(t, ask(&b, &request, "", text, &reply), left[i].error);
		CHECK_STR(t, text, left[i].error ? "" : HONEST);
		(void)unlink(path);
	}
	bench_close(&b);
}

/* --- mapped files --- */

/* Asks about a mapping of ours. */
static int ask_mapped(struct bench *b, void *at, const struct stat *file, const char *path, char text[64])
{
	struct opener_request request = {.what = OPENER_MAPPING, .tgid = (uint32_t)getpid(), .start = (uint64_t)at,
					 .end = (uint64_t)at + 4096 * !!at, .device = file->st_dev,
					 .inode = file->st_ino};
	struct opener_reply reply;

	return ask(b, &request, path, text, &reply);
}

/* A mapped file keeps its inode in map_files, whatever its name is now. */
static void opens_the_inode_that_is_mapped(struct test *t)
{
	static const char ELF[] = "\177ELF not really";
	char path[] = "/tmp/rwalker-mapped-XXXXXX", link[sizeof(path) + 1], text[64];
	int fd = mkstemp(path);
	struct stat file, other;
	struct bench b;
	void *at;

	if (geteuid())
		SKIP(t, "needs root");
	REQUIRE(t, fd >= 0 && write(fd, ELF, sizeof(ELF)) == sizeof(ELF) && !fchmod(fd, 0711) && !fstat(fd, &file) &&
			   !stat("/proc/self/exe", &other) && bench_open(&b));
	at = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
	(void)snprintf(link, sizeof(link), "%sl", path);
	CHECK(t, at != MAP_FAILED && !symlink(path, link));
	CHECK_INT(t, ask_mapped(&b, NULL, &file, path, text), 0);
	CHECK_STR(t, text, ELF);
	CHECK_INT(t, ask_mapped(&b, NULL, &file, link, text), -ELOOP);
	CHECK_INT(t, ask_mapped(&b, NULL, &other, path, text), -ESTALE);
	CHECK_INT(t, ask_mapped(&b, NULL, &(struct stat){.st_dev = 0}, path, text), -ESTALE);
	other = file;
	other.st_dev++;
	CHECK_INT(t, ask_mapped(&b, NULL, &other, path, text), -ESTALE);
	(void)unlink(link);
	(void)unlink(path);
	CHECK_INT(t, ask_mapped(&b, at, &file, path, text), 0);
	CHECK_STR(t, text, ELF);
	CHECK(t, pwrite(fd, "#!", 2, 0) == 2);
	CHECK_INT(t, ask_mapped(&b, at, &file, path, text), -ENOEXEC);
	CHECK_INT(t, ask_mapped(&b, NULL, &file, path, text), -ENOENT);
	CHECK_INT(t, ask_mapped(&b, NULL, &file, "/dev/zero", text), -EINVAL);
	CHECK_INT(t, ask_mapped(&b, NULL, &file, "/proc/kallsyms", text), -EREMOTE);
	(void)munmap(at, 4096);
	(void)close(fd);
	bench_close(&b);
}

/* A process that is gone had a file of that build-id and path, perhaps one of its own, shown at root's place. */
static void opens_another_file_for_a_process_that_is_gone_only_if_everybody_may(struct test *t)
{
	struct opener_request request = {.what = OPENER_MAPPING, .verified_later = 1};
	char path[] = "/tmp/rwalker-gone-XXXXXX", text[64];
	int fd = mkstemp(path);
	struct opener_reply reply;
	struct villain villain;
	struct stat file;
	struct bench b;

	if (geteuid())
		SKIP(t, "needs root");
	REQUIRE(t, fd >= 0 && write(fd, "\177ELF", 5) == 5 && !fstat(fd, &file) && bench_open(&b) &&
			   villain_start(nothing, &villain));
	request.tgid = (uint32_t)villain.pid;
	villain_end(&villain);
	CHECK_INT(t, ask(&b, &request, path, text, &reply), -EACCES);
	request.device = file.st_dev;
	request.inode = file.st_ino;
	CHECK_INT(t, ask(&b, &request, path, text, &reply), 0);
	request.inode++;
	CHECK_INT(t, ask(&b, &request, path, text, &reply), -EACCES);
	CHECK(t, !fchmod(fd, 0644));
	CHECK_INT(t, ask(&b, &request, path, text, &reply), 0);
	(void)unlink(path);
	(void)close(fd);
	bench_close(&b);
}

/* What a trace names is opened with the rights of the user behind sudo, and only if it is the same file. */
static void opens_for_the_caller_what_the_caller_may_read(struct test *t)
{
	struct opener_request request = {.what = OPENER_MAPPING, .as_caller = 1, .verified_later = 1};
	char path[] = "/tmp/rwalker-caller-XXXXXX", text[64];
	int fd = mkstemp(path);
	struct opener_reply reply;
	struct stat file;
	struct bench b;

	if (geteuid())
		SKIP(t, "needs root");
	REQUIRE(t, fd >= 0 && write(fd, "\177ELF", 5) == 5 && !fstat(fd, &file) &&
			   !setenv("SUDO_UID", "65533", 1) && !setenv("SUDO_GID", "65533", 1) && bench_open(&b));
	CHECK_INT(t, ask(&b, &request, path, text, &reply), -EACCES);
	request.what = OPENER_DEBUG;
	CHECK_INT(t, ask(&b, &request, path, text, &reply), -EACCES);
	CHECK(t, !fchmod(fd, 0644));
	CHECK_INT(t, ask(&b, &request, path, text, &reply), 0);
	request.what = OPENER_MAPPING;
	CHECK_INT(t, ask(&b, &request, path, text, &reply), 0);
	request.verified_later = 0;
	CHECK_INT(t, ask(&b, &request, path, text, &reply), -ESTALE);
	request.device = file.st_dev;
	CHECK_INT(t, ask(&b, &request, path, text, &reply), -ESTALE);
	request.inode = file.st_ino;
	CHECK_INT(t, ask(&b, &request, path, text, &reply), 0);
	REQUIRE(t, !fstat(fd, &file));
	request.unchanged_since = (uint64_t)file.st_ctim.tv_sec * 1000000000 + (uint64_t)file.st_ctim.tv_nsec;
	CHECK_INT(t, ask(&b, &request, path, text, &reply), 0);
	request.unchanged_since--;
	CHECK_INT(t, ask(&b, &request, path, text, &reply), -ESTALE);
	request.verified_later = 1;
	CHECK_INT(t, ask(&b, &request, path, text, &reply), 0);
	/* A process of root's, whose map only root may read, is nobody's business. */
	request.what = OPENER_PERF_MAP;
	request.tgid = (uint32_t)getpid();
	path_of(getpid(), text);
	of_root_alone(text);
	CHECK_INT(t, ask(&b, &request, "", text, &reply), -EACCES);
	path_of(getpid(), text);
	(void)unlink(text);
	(void)unsetenv("SUDO_UID");
	(void)unlink(path);
	(void)close(fd);
	bench_close(&b);
}

/* --- fuse mounts --- */

/* A folder as a process has it in /proc, whose list of mounts has a line of this type with the device of the file. */
static void list_mounts(struct test *t, int folder, uint64_t device, const char *type)
{
	int fd = openat(folder, "mountinfo", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	FILE *list = fd < 0 ? NULL : fdopen(fd, "w");

	REQUIRE(t, list);
	(void)fprintf(list, "21 1 4095:1 / / rw shared:1 - ext4 /dev/vda rw\n");
	if (type)
		(void)fprintf(list, "36 35 %u:%u / /mnt/a\\040b rw,nosuid shared:9 master:1 - %s server rw,user_id=0\n",
			      major(device), minor(device), type);
	(void)fprintf(list, "37 35 4095:2 / /fuse rw - fuse x rw\n");
	REQUIRE(t, fclose(list) == 0);
}

static void by_the_deepest_mount_of_a_path(struct test *t)
{
	static const struct {
		const char *path;
		bool fuse;
	} rows[] = {
		{"/", false}, {"/mnt", false}, {"/mnt/a b", true}, {"/mnt/a b/x/y", true}, {"/mnt/a bc", false},
		{"/fuse", true}, {"/fuse/prog", true}, {"/fused", false}, {"/tmp/perf-1.map", false},
	};
	char path[] = "/tmp/rwalker-mounts.XXXXXX";
	struct fuse_mounts mounts;

	REQUIRE(t, mkdtemp(path));
	mounts = (struct fuse_mounts){.folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
	REQUIRE(t, mounts.folder >= 0);
	list_mounts(t, mounts.folder, 1, "fuse.sshfs");
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		CHECK_INT(t, fuse_mounts_cover(&mounts, rows[i].path), rows[i].fuse);
	CHECK(t, !unlinkat(mounts.folder, "mountinfo", 0) && !rmdir(path));
	(void)close(mounts.folder);
	mounts.folder = -1;
	CHECK(t, !fuse_mounts_cover(&mounts, "/"));
}

/* --- rights: with another user's, a helper still ends with the recorder, and nobody may look into it --- */

enum { SOMEBODY = 65533 };

static bool is_bound(void)
{
	int signal = 0;

	return !prctl(PR_GET_PDEATHSIG, &signal) && signal == SIGKILL && !prctl(PR_GET_DUMPABLE);
}

/* The number of the step that failed, 0: none. */
static int become_and_return(void)
{
	struct rights rights = rights_of_user(SOMEBODY, SOMEBODY);

	if (process_end_with_parent() || !is_bound())
		return 1;
	if (rights_enter(&rights))
		return 2;
	if (!is_bound())
		return 3;
	if (rights_leave(&rights))
		return 4;
	return is_bound() ? 0 : 5;
}

static void ends_with_its_parent(struct test *t)
{
	int status;
	pid_t pid;

	if (geteuid())
		SKIP(t, "needs root");
	pid = fork();
	REQUIRE(t, pid >= 0);
	if (!pid)
		_exit(become_and_return());
	REQUIRE(t, waitpid(pid, &status, 0) == pid);
	CHECK_INT(t, WIFEXITED(status) ? WEXITSTATUS(status) : -1, 0);
}

TEST_MAIN(TEST(ends_with_its_parent), TEST(reads_no_file_that_the_process_may_not_read),
	  TEST(reads_nothing_else_while_a_map_is_replaced),
	  TEST(root_of_a_namespace_is_an_ordinary_user),
	  TEST(believes_the_map_of_a_process_that_is_gone_only_from_its_user),
	  TEST(opens_the_inode_that_is_mapped),
	  TEST(opens_another_file_for_a_process_that_is_gone_only_if_everybody_may),
	  TEST(opens_for_the_caller_what_the_caller_may_read), TEST(by_the_deepest_mount_of_a_path))

/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "record/flight/flight_internal.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/gate/confine.h"
#include "common/gate/packet.h"
#include "common/log.h"
#include "common/printable.h"
#include "record/host/clocks.h"
#include "record/plan/deadlines.h"

enum { NAME_MAX_BYTES = 256 };

enum request_kind { REQUEST_CREATE, REQUEST_FINISH, REQUEST_DROP, REQUEST_LIMIT };

struct request {
	uint32_t kind;
	uint64_t number; /* repeated in the answer: a late one, or one to a killed process, answers no other request */
	uint64_t kept, bytes;
};

struct answer {
	int32_t rc;
	uint64_t number;
	char path[DUMP_PATH_MAX];
};

/* --- the helper: its folder --- */

/*
 * Files under a temporary name are locked (flock) while any process has them open, so one that is not locked was left
 * by a process that was killed. A folder that is gone is looked for again by its path.
 */
struct folder {
	int fd; /* of the folder */
	uid_t owner; /* of the folder */
	char path[3584]; /* as the user named it, "" for the current one, else with a slash */
	char prefix[NAME_MAX_BYTES - 64];
	char temporary[NAME_MAX_BYTES]; /* "": none */
	uint64_t kept, bytes; /* 0: all */
};

static const char SUFFIX[] = ".rwk", DIGITS[] = "0123456789";

/* For files of one folder, messages, and exiting. */
static const struct call_row CALLS[] = {
	CALL(openat), CALL(renameat2), CALL(unlinkat), CALL(newfstatat), CALL(fstat), CALL(close), CALL(fcntl),
	CALL(flock), CALL(getdents64), CALL(geteuid), CALL(dup3),
	CALL(getpid), CALL(recvmsg), CALL(sendmsg), CALL(ppoll), CALL(read), CALL(lseek), CALL(clock_gettime),
	CALLS_OF_MEMORY, CALLS_OF_ENDING,
};

/* --- names --- */

/* "-20261125-081500.rwk", or with "-2" and so on before the dot. */
static bool is_name(const struct folder *folder, const char *name)
{
	static const char pattern[] = "-dddddddd-dddddd";
	size_t prefix = strlen(folder->prefix), length = strlen(name);
	const char *at = name + prefix;

	if (length >= NAME_MAX_BYTES || strncmp(name, folder->prefix, prefix) != 0)
		return false;
	for (const char *expected = pattern; *expected; expected++, at++)
		if (*expected == 'd' ? *at < '0' || *at > '9' : *at != *expected)
			return false;
	at += *at == '-' ? 1 + strspn(at + 1, DIGITS) : 0;
	return !strcmp(at, SUFFIX);
}

/* ".PREFIX.4711.new" */
static bool is_temporary(const struct folder *folder, const char *name)
{
	size_t prefix = strlen(folder->prefix);

	if (name[0] != '.' || strncmp(name + 1, folder->prefix, prefix) != 0 || name[1 + prefix] != '.')
		return false;
	name += 2 + prefix;
	return strspn(name, DIGITS) && !strcmp(name + strspn(name, DIGITS), ".new");
}

/* --- what is there --- */

struct dumps { /* of this folder, also of earlier recorders */
	size_t count;
	uint64_t bytes;
	char oldest[NAME_MAX_BYTES];
};

static bool is_ours(const struct folder *folder, const char *name, struct stat *ret_status)
{
	return !fstatat(folder->fd, name, ret_status, AT_SYMLINK_NOFOLLOW) && S_ISREG(ret_status->st_mode) &&
	       ret_status->st_uid == geteuid();
}

/* Removes a file that nobody writes any more. */
static bool remove_unfinished(const struct folder *folder, const char *name)
{
	_cleanup_close_ int fd = openat(folder->fd, name, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);

	return fd >= 0 && !flock(fd, LOCK_EX | LOCK_NB) && !unlinkat(folder->fd, name, 0);
}

static void count_dump(struct dumps *dumps, const char *name, uint64_t bytes)
{
	dumps->bytes += bytes;
	if (!dumps->count++ || strcmp(name, dumps->oldest) < 0)
		(void)snprintf(dumps->oldest, sizeof(dumps->oldest), "%s", name);
}

/* Looks at all dumps, and removes files that nobody finished. Returns how many it removed. */
static int look(const struct folder *folder, struct dumps *ret_dumps)
{
	int fd = openat(folder->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), removed = 0;
	DIR *stream = fd >= 0 ? fdopendir(fd) : NULL;
	const struct dirent *entry;
	struct stat status;

	*ret_dumps = (struct dumps){0};
	if (!stream && fd >= 0)
		(void)close(fd);
	while (stream && (entry = readdir(stream))) { /* else the folder can be written but not read */
		if (is_temporary(folder, entry->d_name) && is_ours(folder, entry->d_name, &status))
			removed += remove_unfinished(folder, entry->d_name);
		if (is_name(folder, entry->d_name) && is_ours(folder, entry->d_name, &status))
			count_dump(ret_dumps, entry->d_name, (uint64_t)status.st_size);
	}
	if (stream)
		(void)closedir(stream);
	return removed;
}

static bool are_too_many(const struct folder *folder, const struct dumps *dumps)
{
	return dumps->count > 1 && ((folder->kept && dumps->count > folder->kept) ||
				    (folder->bytes && dumps->bytes > folder->bytes));
}

/* Removes the oldest dumps beyond the limits, but not the last one. Returns how many files were not finished. */
static int tidy(const struct folder *folder)
{
	struct dumps dumps;
	int removed = look(folder, &dumps);

	while (are_too_many(folder, &dumps) && !unlinkat(folder->fd, dumps.oldest, 0))
		removed += look(folder, &dumps);
	return removed;
}

/* --- one dump --- */

static void folder_drop(struct folder *folder)
{
	if (*folder->temporary)
		(void)unlinkat(folder->fd, folder->temporary, 0);
	*folder->temporary = '\0';
}

static int open_path(const struct folder *folder, int flags, struct stat *ret_status)
{
	_cleanup_close_ int fd = open(*folder->path ? folder->path : ".", O_PATH | O_DIRECTORY | O_CLOEXEC | flags);

	if (fd < 0 || fstat(fd, ret_status))
		return -errno;
	return steal_fd(&fd);
}

/* The folder is gone. Another one of the same owner may have its path by now. */
static int open_again(struct folder *folder)
{
	struct stat status;
	_cleanup_close_ int fd = open_path(folder, O_NOFOLLOW, &status);

	if (fd < 0)
		return fd;
	if (status.st_uid != folder->owner)
		return -EPERM;
	if (dup3(fd, folder->fd, O_CLOEXEC) < 0)
		return -errno;
	return 0;
}

/* Creates a file under a name that nobody else uses, and locks it. */
static int make_temporary(struct folder *folder)
{
	_cleanup_close_ int fd = -1;
	struct stat status;

	(void)snprintf(folder->temporary, sizeof(folder->temporary), ".%s.%d.new", folder->prefix, (int)getpid());
	(void)remove_unfinished(folder, folder->temporary); /* left by a process that had our pid */
	fd = openat(folder->fd, folder->temporary, O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC | O_RDWR, 0600);
	if (fd < 0)
		return -errno;
	(void)flock(fd, LOCK_EX | LOCK_NB); /* not every file system can do that */
	if (fstat(fd, &status))
		return -errno;
	return status.st_nlink ? steal_fd(&fd) : -EAGAIN; /* another recorder removed it before it was locked */
}

static int folder_create(struct folder *folder, int *ret_fd)
{
	int fd;

	folder_drop(folder);
	fd = make_temporary(folder);
	if (fd == -ENOENT && !open_again(folder))
		fd = make_temporary(folder);
	if (fd == -EAGAIN)
		fd = make_temporary(folder);
	if (fd < 0)
		*folder->temporary = '\0';
	else
		*ret_fd = fd;
	return fd < 0 ? fd : 0;
}

static int rename_to(struct folder *folder, const char *name)
{
	struct stat status;

	if (!renameat2(folder->fd, folder->temporary, folder->fd, name, RENAME_NOREPLACE))
		return 0;
	if (errno != EINVAL) /* not every file system can do that */
		return -errno;
	if (!fstatat(folder->fd, name, &status, AT_SYMLINK_NOFOLLOW))
		return -EEXIST;
	return renameat(folder->fd, folder->temporary, folder->fd, name) ? -errno : 0;
}

static int folder_finish(struct folder *folder, char ret_path[DUMP_PATH_MAX])
{
	char date[32], name[NAME_MAX_BYTES], number[16] = "";
	time_t seconds = time(NULL);
	struct tm local;
	int r = -EEXIST;

	if (!*folder->temporary || !localtime_r(&seconds, &local) ||
	    !strftime(date, sizeof(date), "%Y%m%d-%H%M%S", &local))
		return *folder->temporary ? -EINVAL : -ENOENT;
	for (unsigned int i = 2; r == -EEXIST && i < 1000; i++) {
		(void)snprintf(name, sizeof(name), "%s-%s%s%s", folder->prefix, date, number, SUFFIX);
		(void)snprintf(number, sizeof(number), "-%u", i);
		r = rename_to(folder, name);
	}
	if (r < 0)
		return r;
	*folder->temporary = '\0';
	(void)tidy(folder);
	(void)snprintf(ret_path, DUMP_PATH_MAX, "%s%s", folder->path, name);
	return 0;
}

/* --- opening --- */

static int default_prefix(struct folder *folder)
{
	struct utsname host;

	if (uname(&host))
		return -errno;
	(void)snprintf(folder->prefix, sizeof(folder->prefix), "rwalker-%s", host.nodename);
	for (char *at = folder->prefix; *at; at++)
		*at = *at == '/' ? '_' : *at;
	return 0;
}

/* "/var/tmp/" and "/var/tmp" (a folder), "/var/tmp/web", "web.rwk". */
static int split_path(struct folder *folder, const char *path)
{
	const char *name = strrchr(path, '/');
	size_t length;
	struct stat status;

	name = name ? name + 1 : path;
	if (!stat(path, &status) && S_ISDIR(status.st_mode)) {
		(void)snprintf(folder->path, sizeof(folder->path), "%s%s", path, *name ? "/" : "");
		return default_prefix(folder);
	}
	length = strlen(name);
	if (length > sizeof(SUFFIX) - 1 && !strcmp(name + length - (sizeof(SUFFIX) - 1), SUFFIX))
		length -= sizeof(SUFFIX) - 1;
	if (!length)
		return -ENOENT;
	if (length >= sizeof(folder->prefix) || (size_t)(name - path) >= sizeof(folder->path))
		return -ENAMETOOLONG;
	(void)snprintf(folder->path, sizeof(folder->path), "%.*s", (int)(name - path), path);
	(void)snprintf(folder->prefix, sizeof(folder->prefix), "%.*s", (int)length, name);
	return 0;
}

static int confine(void)
{
	const struct call_list lists[] = {CALL_LIST(CALLS)};

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_DUMPABLE, 0))
		return -errno;
	return call_filter_install(lists, 1, CALL_REFUSAL_KILLS);
}

/* Tries to create a file; confines the process for good. Returns how many unfinished files it removed, or -errno. */
static int folder_open(struct folder *folder, const struct dump_files_settings *settings)
{
	_cleanup_close_ int fd = -1;
	struct stat status;
	int r, removed;

	*folder = (struct folder){.fd = -1, .kept = settings->kept, .bytes = settings->bytes};
	r = forked_become_caller() ?: (settings->path ? split_path(folder, settings->path) : default_prefix(folder));
	if (r < 0)
		return r;
	folder->fd = open_path(folder, 0, &status);
	if (folder->fd < 0)
		return folder->fd;
	folder->owner = status.st_uid;
	tzset();
	removed = tidy(folder);
	r = folder_create(folder, &fd);
	folder_drop(folder);
	return r ?: confine() ?: removed;
}

/* --- the helper: requests --- */

static void answer_request(struct folder *folder, int socket, const struct request *request)
{
	struct answer answer = {.number = request->number};
	_cleanup_close_ int fd = -1;

	if (request->kind == REQUEST_CREATE)
		answer.rc = folder_create(folder, &fd);
	else if (request->kind == REQUEST_FINISH)
		answer.rc = folder_finish(folder, answer.path);
	else if (request->kind == REQUEST_DROP)
		folder_drop(folder);
	else {
		folder->kept = request->kept;
		folder->bytes = request->bytes;
		(void)tidy(folder);
	}
	(void)packet_send(socket, &answer, sizeof(answer), fd);
}

/* Ends when the recorder closes its socket or dies, after removing an unfinished file. Never returns. */
static void helper_run(const void *context, int socket)
{
	struct folder folder;
	struct request request;
	int32_t rc;

	forked_settle(0, socket);
	rc = folder_open(&folder, context);
	(void)packet_send(socket, &rc, sizeof(rc), -1);
	while (rc >= 0 && packet_receive(socket, &request, sizeof(request), PACKET_FOREVER, NULL) == sizeof(request))
		answer_request(&folder, socket, &request);
	folder_drop(&folder);
	_exit(0);
}

/* --- the recorder --- */

int dump_files_open(struct dump_files *files, const struct dump_files_settings *settings)
{
	int32_t removed = 0;

	for (size_t i = 0; i < DUMP_HELPERS; i++) {
		int32_t rc = 0;
		int r = forked_start(&files->helpers[i], helper_run, settings, "makes the files of dumps", &rc);

		if (r < 0)
			return r;
		if (rc < 0)
			return log_error(-rc, "cannot write dumps to '%s': %s; -o names a folder, or what the names of "
					 "dumps begin with", settings->path ? settings->path : ".", strerror(-rc));
		removed += rc;
	}
	if (removed)
		log_info("removed %d file%s of dumps that an earlier recorder had not finished", removed,
			 plural((uint64_t)removed));
	return 0;
}

void dump_files_close(struct dump_files *files)
{
	for (size_t i = 0; i < DUMP_HELPERS; i++)
		forked_end(&files->helpers[i]);
}

/* Other answers than to this request are to requests that nobody waits for any more. */
static int ask_one(const struct forked *helper, struct request request, struct answer *ret_answer, int *ret_fd)
{
	const int socket = helper->socket_plus_1 - 1;
	ssize_t got;
	int fd = -1;

	request.number = clocks_now();
	got = packet_send(socket, &request, sizeof(request), -1);
	if (got < 0)
		return got == -ECONNRESET ? -EPIPE : (int)got;
	do {
		if (fd >= 0)
			(void)close(fd);
		got = packet_receive(socket, ret_answer, sizeof(*ret_answer), DEADLINE_START, &fd);
	} while (got == sizeof(*ret_answer) && ret_answer->number != request.number);
	if (got == sizeof(*ret_answer) && ret_fd)
		*ret_fd = fd;
	else if (fd >= 0)
		(void)close(fd);
	if (got < 0)
		return got == -ECONNRESET ? -EPIPE : (int)got; /* it was killed before it read the request */
	return got == sizeof(*ret_answer) ? ret_answer->rc : -EPIPE;
}

/* Asks the first helper that is alive. */
static int ask(const struct dump_files *files, struct request request, struct answer *ret_answer, int *ret_fd)
{
	int r = -EPIPE;

	for (size_t i = 0; i < DUMP_HELPERS && r == -EPIPE; i++)
		r = ask_one(&files->helpers[i], request, ret_answer, ret_fd);
	return r;
}

int dump_files_create(const struct dump_files *files, int *ret_fd)
{
	struct answer answer;
	int r = ask(files, (struct request){.kind = REQUEST_CREATE}, &answer, ret_fd);

	return r < 0 ? r : *ret_fd < 0 ? -EPROTO : 0;
}

int dump_files_finish(const struct dump_files *files, char ret_path[DUMP_PATH_MAX])
{
	struct answer answer;
	int r = ask(files, (struct request){.kind = REQUEST_FINISH}, &answer, NULL);

	if (r >= 0)
		(void)snprintf(ret_path, DUMP_PATH_MAX, "%s", answer.path);
	return r;
}

int dump_files_limit(const struct dump_files *files, uint64_t kept, uint64_t bytes)
{
	const struct request request = {.kind = REQUEST_LIMIT, .bytes = bytes, .kept = kept};
	struct answer answer;
	int r = -EPIPE;

	for (size_t i = 0; i < DUMP_HELPERS; i++) {
		int one = ask_one(&files->helpers[i], request, &answer, NULL);

		r = one == -EPIPE ? r : one;
	}
	return r;
}

int dump_files_drop(const struct dump_files *files)
{
	struct answer answer;

	return ask(files, (struct request){.kind = REQUEST_DROP}, &answer, NULL);
}

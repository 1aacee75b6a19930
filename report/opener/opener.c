/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/opener/opener.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/hash_map.h"
#include "common/log.h"
#include "report/opener/opener_internal.h"

struct opener {
	struct service service;
	struct far_service far, child; /* child: what a forked child asks instead */
	struct hash_map missing;  /* paths */
	bool gone;
};

static const char *const reason_texts[OPENER_REASONS] = {
	[OPENER_SWITCHED_OFF] = "left alone (--no-local-files)",
	[OPENER_NETWORK] = "on network or FUSE file systems (--network-files opens them)",
	[OPENER_NO_FILE_SYSTEM] = "on file systems that hold no files (procfs, sysfs ...)",
	[OPENER_NOT_REGULAR] = "not regular files",
	[OPENER_NOT_READABLE] = "not readable by this user",
	[OPENER_NO_ANSWER] = "on file systems that did not answer",
	[OPENER_NOT_ASKED] = "not asked for, because other files there got no answer",
};

const char *opener_reason_text(enum opener_reason reason)
{
	return reason_texts[reason];
}

int opener_create(const struct service *service, struct opener **ret_opener)
{
	_cleanup_free_ struct opener *opener = calloc(1, sizeof(*opener));
	int r = opener ? hash_map_init(&opener->missing) : -ENOMEM;

	if (r < 0)
		return log_error(-r, "not enough memory");
	opener->service = *service;
	opener->far.line = opener->child.line = -1;
	*ret_opener = steal_ptr(opener);
	return 0;
}

int opener_create_far(int line, uint32_t number, int child_line, struct opener **ret_opener)
{
	const struct service none = {0};
	int r = opener_create(&none, ret_opener);

	if (r < 0)
		return r;
	(*ret_opener)->far = (struct far_service){.line = line, .number = number};
	(*ret_opener)->child = (struct far_service){.line = child_line};
	(*ret_opener)->service = service_far(&(*ret_opener)->far);
	return 0;
}

void opener_destroy(struct opener *opener)
{
	if (!opener)
		return;
	hash_map_deinit(&opener->missing);
	free(opener);
}

void opener_use_child_line(struct opener *opener)
{
	if (!opener || opener->child.line < 0)
		return;
	(void)close(opener->far.line);
	opener->service = service_far(&opener->child);
}

/* --- questions --- */

static int be_gone(struct opener *opener)
{
	if (opener->gone)
		return -EIO;
	opener->gone = true;
	return log_error(EIO, "the process that opens files has ended");
}

/* The answer is whole, with a path that ends, and a descriptor if a file was opened. */
static int ask(struct opener *opener, enum opener_question question, uint32_t what, const char *path,
	       struct service_answer *ret_answer)
{
	const size_t least = offsetof(struct opener_answer, path), length = strlen(path) + 1;
	struct opener_request request = {.question = question, .what = what};
	int r = opener->gone ? -EIO : 0;

	*ret_answer = (struct service_answer){.fd = -1};
	if (!r) {
		memcpy(request.path, path, length);
		r = service_ask(&opener->service, &request, offsetof(struct opener_request, path) + length, ret_answer);
	}
	if (r == -ENOMEM)
		return r;
	if (r < 0 || ret_answer->result == OPENER_GONE || ret_answer->size <= least ||
	    ret_answer->bytes[ret_answer->size - 1] ||
	    (ret_answer->fd < 0 && question == OPENER_QUESTION_FILE && !ret_answer->result))
		return be_gone(opener);
	return ret_answer->result;
}

/* --- what was found not to exist: most folders of debug files; what is created later is not found --- */

enum { PATHS_MAX = 1 << 16 };

/* Does nothing if there is no memory, or if there are too many. */
static void add_missing(struct opener *opener, const char *path)
{
	if (opener->missing.entries.count < PATHS_MAX)
		(void)hash_map_add(&opener->missing, path, strlen(path), 0, NULL);
}

/* Whether the path, or a folder on its way, is missing. */
static bool is_missing(const struct opener *opener, const char *path)
{
	size_t length = 0;

	if (!opener->missing.entries.count)
		return false;
	while (path[length]) {
		length += strspn(path + length, "/");
		length += strcspn(path + length, "/");
		if (hash_map_find(&opener->missing, path, length))
			return true;
	}
	return false;
}

/* --- files --- */

/* Descriptors of this process have names, too. -1 if the path is not one of these. */
static int own_descriptor(const char *path)
{
	static const char *const folders[] = {"/dev/fd/", "/proc/self/fd/"};

	if (!strcmp(path, "/dev/stdin"))
		return STDIN_FILENO;
	for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++) {
		size_t length = strlen(folders[i]);
		char *end;
		long number;

		if (strncmp(path, folders[i], length) != 0 || path[length] < '0' || path[length] > '9')
			continue;
		number = strtol(path + length, &end, 10);
		return *end || number > INT_MAX ? -1 : (int)number;
	}
	return -1;
}

/*
 * The file was opened so that nothing blocks; from now on it may. A FIFO that nobody has opened for
 * writing yet would read like one at its end.
 */
static int let_block(int fd)
{
	struct pollfd entry = {.fd = fd, .events = POLLIN};
	struct stat status;
	int flags = fcntl(fd, F_GETFL);

	if (fstat(fd, &status) < 0)
		return -errno;
	while (S_ISFIFO(status.st_mode) && poll(&entry, 1, -1) < 0)
		if (errno != EINTR)
			return -errno;
	return flags < 0 || fcntl(fd, F_SETFL, flags & ~O_NONBLOCK) < 0 ? -errno : 0;
}

static int open_here(enum opener_kind kind, const char *path, struct opened_file *ret_file)
{
	_cleanup_(mount_list_free) struct mount_list mounts = {0};
	const struct opener_settings settings = {0};
	const struct walk_rules rules = {.settings = &settings, .mounts = &mounts, .watcher = -1};
	struct opener_reply reply = {0};
	int fd = -1, r = open_checked(&rules, kind, path, &reply, &fd);

	if (r < 0)
		return r;
	*ret_file = (struct opened_file){.fd = fd, .ours = reply.ours, .real = strdup(reply.path)};
	if (!ret_file->real)
		(void)close(fd);
	return ret_file->real ? 0 : -ENOMEM;
}

static int open_there(struct opener *opener, enum opener_kind kind, const char *path, struct opened_file *ret_file)
{
	_cleanup_(service_answer_deinit) struct service_answer answer = {.fd = -1};
	const struct opener_answer *found;
	char *real;
	int r;

	if (strlen(path) >= PATH_MAX || (kind != OPENER_NAMED && is_missing(opener, path)))
		return -ENOENT;
	r = ask(opener, OPENER_QUESTION_FILE, kind, path, &answer);
	found = (const void *)answer.bytes;
	if (r == -ENOENT && kind != OPENER_NAMED && found->path[0])
		add_missing(opener, found->path);
	if (r < 0)
		return r;
	real = strdup(found->path);
	if (!real)
		return -ENOMEM;
	*ret_file = (struct opened_file){.fd = steal_fd(&answer.fd), .ours = found->ours, .real = real};
	return 0;
}

int opener_open(struct opener *opener, enum opener_kind kind, const char *path, struct opened_file *ret_file)
{
	int own = kind == OPENER_NAMED ? own_descriptor(path) : -1, r;

	if (own >= 0) {
		own = fcntl(own, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
		*ret_file = (struct opened_file){.fd = own, .real = own < 0 ? NULL : strdup("")};
		return own < 0 ? -errno : 0;
	}
	r = opener ? open_there(opener, kind, path, ret_file) : open_here(kind, path, ret_file);
	if (r < 0 || kind != OPENER_NAMED)
		return r;
	r = let_block(ret_file->fd);
	if (r < 0) {
		(void)close(ret_file->fd);
		free(ret_file->real);
	}
	return r;
}

/* --- what was refused --- */

int opener_refusals(struct opener *opener, struct opener_refusals *ret_refusals)
{
	struct opener_refusals refusals = {0};
	int r = 0;

	for (enum opener_reason i = 0; opener && i < OPENER_REASONS && !r; i++) {
		_cleanup_(service_answer_deinit) struct service_answer answer = {.fd = -1};
		const struct opener_answer *found;

		r = ask(opener, OPENER_QUESTION_REFUSALS, i, "", &answer);
		found = (const void *)answer.bytes;
		if (r < 0 || !found->count)
			continue;
		refusals.counts[i] = found->count;
		refusals.examples[i] = strdup(found->path);
		r = refusals.examples[i] ? 0 : -ENOMEM;
	}
	if (r < 0)
		opener_refusals_deinit(&refusals);
	else
		*ret_refusals = refusals;
	return r;
}

void opener_refusals_deinit(struct opener_refusals *refusals)
{
	for (size_t i = 0; i < OPENER_REASONS; i++)
		free(refusals->examples[i]);
	*refusals = (struct opener_refusals){0};
}

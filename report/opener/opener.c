/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/opener/opener.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/gate/packet.h"
#include "common/hash_map.h"
#include "common/log.h"
#include "report/opener/open_checked.h"
#include "report/opener/opener_internal.h"

struct opener {
	pid_t monitor, owner; /* owner: its parent */
	int channels[OPENER_CHANNELS]; /* -1: closed */
	unsigned int own;	       /* the one that this process uses */
	uint64_t last;		       /* number of a request */
	struct hash_map missing; /* paths */
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

/* --- the other processes --- */

static void close_all(int fds[static OPENER_CHANNELS])
{
	for (size_t i = 0; i < OPENER_CHANNELS; i++) {
		if (fds[i] >= 0)
			(void)close(fds[i]);
		fds[i] = -1;
	}
}

static int make_channels(int near[static OPENER_CHANNELS], int far[static OPENER_CHANNELS])
{
	for (size_t i = 0; i < OPENER_CHANNELS; i++)
		near[i] = far[i] = -1;
	for (size_t i = 0; i < OPENER_CHANNELS; i++) {
		int ends[2];

		if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0)
			return -errno;
		near[i] = ends[0];
		far[i] = ends[1];
	}
	return 0;
}

int opener_start(const struct opener_settings *settings, struct opener **ret_opener)
{
	struct opener *opener = calloc(1, sizeof(*opener));
	int far[OPENER_CHANNELS], r;
	pid_t pid = -1;

	if (!opener)
		return log_error(ENOMEM, "not enough memory");
	r = make_channels(opener->channels, far);
	if (!r)
		r = hash_map_init(&opener->missing);
	if (!r) {
		pid = fork();
		r = pid < 0 ? -errno : 0;
		opener->monitor = pid;
		opener->owner = getpid();
	}
	if (pid == 0)
		opener_monitor(far, settings);
	close_all(far);
	if (r < 0) {
		opener_stop(opener);
		return log_error(-r, "cannot start the process that opens files: %s", strerror(-r));
	}
	*ret_opener = opener;
	return 0;
}

/* The monitor ends when it has nobody to serve; if not, because somebody has stopped it, it is left behind. */
static void await_end(pid_t monitor)
{
	int fd = pidfd_open(monitor, 0);
	struct pollfd entry = {.fd = fd, .events = POLLIN};

	if (fd >= 0 && poll(&entry, 1, OPENER_END_MS) > 0)
		(void)waitpid(monitor, NULL, 0);
	if (fd >= 0)
		(void)close(fd);
}

void opener_leave(struct opener *opener)
{
	close_all(opener->channels);
}

size_t opener_descriptors(const struct opener *opener, int fds[static OPENER_CHANNELS])
{
	size_t count = 0;

	for (size_t i = 0; i < OPENER_CHANNELS; i++)
		if (opener->channels[i] >= 0)
			fds[count++] = opener->channels[i];
	return count;
}

void opener_stop(struct opener *opener)
{
	if (!opener)
		return;
	close_all(opener->channels);
	if (opener->monitor > 0 && opener->owner == getpid())
		await_end(opener->monitor);
	hash_map_deinit(&opener->missing);
	free(opener);
}

void opener_use_channel(struct opener *opener, unsigned int channel)
{
	if (!opener)
		return;
	for (unsigned int i = 0; i < OPENER_CHANNELS; i++) {
		if (i == channel || opener->channels[i] < 0)
			continue;
		(void)close(opener->channels[i]);
		opener->channels[i] = -1;
	}
	opener->own = channel;
}

/* --- questions --- */

static int be_gone(struct opener *opener)
{
	if (opener->gone)
		return -EIO;
	opener->gone = true;
	return log_error(EIO, "the process that opens files has ended");
}

/* Answers for a process that had the channel before are skipped. */
static int ask(struct opener *opener, const struct opener_request *request, struct opener_answer *answer, int *ret_fd)
{
	const ssize_t least = offsetof(struct opener_answer, path);
	int channel = opener->channels[opener->own];

	if (opener->gone || packet_send(channel, request, opener_request_size(request), -1) < 0)
		return be_gone(opener);
	for (;;) {
		_cleanup_close_ int fd = -1;
		ssize_t size = packet_receive(channel, answer, sizeof(*answer), OPENER_WAIT_MS, &fd);

		if (size == -EINTR)
			continue;
		if (size <= least || !memchr(answer->path, '\0', (size_t)(size - least)))
			return be_gone(opener);
		if (answer->number != request->number)
			continue;
		*ret_fd = steal_fd(&fd);
		return answer->error;
	}
}

static void prepare(struct opener *opener, enum opener_question question, uint32_t what,
		    struct opener_request *request)
{
	*request = (struct opener_request){.number = (uint64_t)getpid() << 32 | (uint32_t)++opener->last,
					   .question = question,
					   .what = what};
}

/* --- what was found not to exist: most folders of debug files; what is created later is not found --- */

enum { PATHS_MAX = 1 << 16 };

/* Does nothing if there is no memory, or if there are too many. */
static void add_missing(struct opener *opener, const char *path)
{
	if (opener->missing.count < PATHS_MAX)
		(void)hash_map_add(&opener->missing, path, strlen(path), 0, NULL);
}

/* Whether the path, or a folder on its way, is missing. */
static bool is_missing(const struct opener *opener, const char *path)
{
	size_t length = 0;

	if (!opener->missing.count)
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
	_cleanup_(mount_table_deinit) struct mount_table mounts = {0};
	const struct opener_settings settings = {0};
	struct walk_place place = {0};
	const struct walk_rules rules = {.settings = &settings, .mounts = &mounts, .place = &place};
	struct checked_file file;
	int r = open_checked(&rules, kind, path, &file);

	if (r < 0)
		return r;
	*ret_file = (struct opened_file){.fd = file.fd, .ours = file.ours, .real = strdup(file.real)};
	if (!ret_file->real)
		(void)close(file.fd);
	return ret_file->real ? 0 : -ENOMEM;
}

static int open_there(struct opener *opener, enum opener_kind kind, const char *path, struct opened_file *ret_file)
{
	_cleanup_close_ int fd = -1;
	struct opener_request request;
	struct opener_answer answer;
	size_t length = strlen(path);
	char *real;
	int r;

	if (length >= sizeof(request.path) || (kind != OPENER_NAMED && is_missing(opener, path)))
		return -ENOENT;
	prepare(opener, OPENER_QUESTION_FILE, kind, &request);
	memcpy(request.path, path, length + 1);
	r = ask(opener, &request, &answer, &fd);
	if (r == -ENOENT && kind != OPENER_NAMED && answer.path[0])
		add_missing(opener, answer.path);
	if (r < 0)
		return r;
	if (fd < 0)
		return be_gone(opener);
	real = strdup(answer.path);
	if (!real)
		return -ENOMEM;
	*ret_file = (struct opened_file){.fd = steal_fd(&fd), .ours = answer.ours, .real = real};
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
	struct opener_request request;
	struct opener_answer answer;
	int fd = -1, r = 0;

	for (enum opener_reason i = 0; opener && i < OPENER_REASONS && !r; i++) {
		prepare(opener, OPENER_QUESTION_REFUSALS, i, &request);
		r = ask(opener, &request, &answer, &fd);
		if (r < 0 || !answer.count)
			continue;
		refusals.counts[i] = answer.count;
		refusals.examples[i] = strdup(answer.path);
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

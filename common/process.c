/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "common/process.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* --- descriptors --- */

#ifndef SYS_close_range
#define SYS_close_range 436
#endif

enum { CLOSED_AT_MOST = 1 << 16 }; /* one by one */

static void close_between(unsigned int first, unsigned int last)
{
	if (first > last || !syscall(SYS_close_range, first, last, 0) || errno != ENOSYS)
		return;
	for (unsigned int fd = first; fd <= last && fd < CLOSED_AT_MOST; fd++)
		(void)close((int)fd);
}

/* The lowest that is kept, from `least` on; ~0u: there is none. */
static unsigned int next_kept(const int *kept, size_t count, unsigned int least)
{
	unsigned int next = ~0u;

	for (size_t i = 0; i < count; i++)
		if (kept[i] >= 0 && (unsigned int)kept[i] >= least && (unsigned int)kept[i] < next)
			next = (unsigned int)kept[i];
	return next;
}

void descriptors_close_others(const int *kept, size_t count)
{
	unsigned int first = STDERR_FILENO + 1, next;

	while ((next = next_kept(kept, count, first)) != ~0u) {
		close_between(first, next - 1);
		first = next + 1;
	}
	close_between(first, ~0u);
}

int descriptors_open_nothing(int flags)
{
	int fd = open("/dev/null", flags);
	struct stat status;

	if (fd >= 0 && !fstat(fd, &status) && S_ISCHR(status.st_mode))
		return fd;
	if (fd >= 0)
		(void)close(fd);
	fd = memfd_create("nothing", MFD_ALLOW_SEALING | (flags & O_CLOEXEC ? MFD_CLOEXEC : 0));
	if (fd >= 0)
		(void)fcntl(fd, F_ADD_SEALS, F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE);
	return fd < 0 ? -errno : fd;
}

ssize_t descriptor_read(int fd, void *bytes, size_t length, uint64_t offset)
{
	size_t done = 0;

	while (done < length) {
		ssize_t got = pread(fd, (char *)bytes + done, length - done, (off_t)(offset + done));

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -errno;
		if (!got)
			break;
		done += (size_t)got;
	}
	return (ssize_t)done;
}

int descriptor_read_whole(int fd, size_t most, char **ret_bytes, size_t *ret_size)
{
	struct stat status;
	ssize_t size;
	char *bytes;

	if (fstat(fd, &status) < 0)
		return -errno;
	if (status.st_size < 0 || (uint64_t)status.st_size > most)
		return -E2BIG;
	bytes = malloc((size_t)status.st_size + 1);
	if (!bytes)
		return -ENOMEM;
	size = descriptor_read(fd, bytes, (size_t)status.st_size, 0);
	if (size < 0) {
		free(bytes);
		return (int)size;
	}
	bytes[size] = '\0';
	*ret_bytes = bytes;
	*ret_size = (size_t)size;
	return 0;
}

int descriptor_write(int fd, const void *bytes, size_t length)
{
	for (size_t done = 0; done < length;) {
		ssize_t written = write(fd, (const char *)bytes + done, length - done);

		if (written < 0 && errno == EINTR)
			continue;
		if (written <= 0)
			return written ? -errno : -EIO;
		done += (size_t)written;
	}
	return 0;
}

/* --- what is inherited --- */

static const int changed[INHERITED_SIGNALS] = {SIGCHLD, SIGXFSZ, SIGPIPE, SIGUSR1, SIGUSR2};

/* The lowest free number is the one that was closed. */
static int open_standard(void)
{
	static const int flags[] = {[STDIN_FILENO] = O_WRONLY, [STDOUT_FILENO] = O_RDONLY, [STDERR_FILENO] = O_RDONLY};

	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
		int nothing;

		if (fcntl(fd, F_GETFD) >= 0)
			continue;
		nothing = descriptors_open_nothing(flags[fd]);
		if (nothing != fd)
			return nothing < 0 ? nothing : -EBADF;
	}
	return 0;
}

int inherited_reset(struct inherited *ret_inherited)
{
	sigset_t none;

	(void)sigemptyset(&none);
	for (size_t i = 0; i < INHERITED_SIGNALS; i++)
		(void)sigaction(changed[i], NULL, &ret_inherited->actions[i]);
	(void)signal(SIGCHLD, SIG_DFL);
	(void)signal(SIGXFSZ, SIG_IGN);
	(void)sigprocmask(SIG_SETMASK, &none, &ret_inherited->blocked);
	return open_standard();
}

void inherited_restore(const struct inherited *inherited)
{
	for (size_t i = 0; i < INHERITED_SIGNALS; i++)
		(void)sigaction(changed[i], &inherited->actions[i], NULL);
	(void)sigprocmask(SIG_SETMASK, &inherited->blocked, NULL);
}

/* --- the user behind sudo --- */

static bool number_from(const char *name, unsigned int *ret_number)
{
	const char *text = getenv(name);
	unsigned long value;
	char *end;

	if (!text || *text < '0' || *text > '9')
		return false;
	errno = 0;
	value = strtoul(text, &end, 10);
	if (*end || errno || value >= 0xffffffffu)
		return false;
	*ret_number = (unsigned int)value;
	return true;
}

bool sudo_user(uid_t *ret_uid, gid_t *ret_gid)
{
	unsigned int uid, gid;

	if (geteuid() || !number_from("SUDO_UID", &uid) || !number_from("SUDO_GID", &gid) || !uid)
		return false;
	*ret_uid = uid;
	*ret_gid = gid;
	return true;
}

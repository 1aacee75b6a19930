/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/scrub/key_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/log.h"
#include "common/random_bytes.h"
#include "report/scrub/key_text.h"

enum { KEY_FILE_MAX = 1 << 28 }; /* bytes: more than any table of names that fits in memory */

/* --- opening --- */

/* Follows no link: a process that can create one in the folder must not choose what is read or written. */
static int open_it(const char *path, enum key_file_use use, int *ret_fd)
{
	const int flags = O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY;
	int fd = open(path, O_RDONLY | flags);

	if (fd < 0 && errno == ENOENT && use == KEY_FILE_GROWS)
		fd = open(path, O_CREAT | O_EXCL | O_RDWR | flags, 0600);
	if (fd < 0)
		return log_error(errno, "cannot open the key '%s': %s", path, strerror(errno));
	*ret_fd = fd;
	return 0;
}

static int check(const char *path, int fd)
{
	struct stat status;

	if (fstat(fd, &status) < 0)
		return log_error(errno, "cannot read the key '%s': %s", path, strerror(errno));
	if (!S_ISREG(status.st_mode))
		return log_error(EINVAL, "'%s' cannot hold a key: it is not a regular file", path);
	if (status.st_uid != geteuid())
		return log_error(EPERM, "the key '%s' belongs to another user", path);
	if (status.st_mode & 077)
		return log_error(EPERM, "others may read the key '%s', and know what it hides: chmod 600 '%s'",
				 path, path);
	if (status.st_size > KEY_FILE_MAX)
		return log_error(EFBIG, "the key '%s' is too large", path);
	return 0;
}

/* Whether the path still leads to the file: another process may have replaced it before the lock was taken. */
static bool is_current(const char *path, int fd)
{
	struct stat opened, now;

	return !fstat(fd, &opened) && !lstat(path, &now) && opened.st_dev == now.st_dev && opened.st_ino == now.st_ino;
}

static int open_locked(const char *path, enum key_file_use use, int *ret_fd)
{
	_cleanup_close_ int fd = -1;
	int r;

	do {
		if (fd >= 0)
			(void)close(steal_fd(&fd));
		r = open_it(path, use, &fd);
		if (!r)
			r = check(path, fd);
		if (!r && flock(fd, use == KEY_FILE_READ ? LOCK_SH : LOCK_EX) < 0)
			r = log_error(errno, "cannot lock the key '%s': %s", path, strerror(errno));
	} while (!r && !is_current(path, fd));
	if (!r)
		*ret_fd = steal_fd(&fd);
	return r;
}

static int open_next(struct key_file *file)
{
	if (asprintf(&file->next_path, "%s.XXXXXX", file->path) < 0) {
		file->next_path = NULL;
		return log_error(ENOMEM, "not enough memory");
	}
	file->next_fd = mkostemp(file->next_path, O_CLOEXEC); /* mode 0600 */
	if (file->next_fd >= 0)
		return 0;
	free(steal_ptr(file->next_path));
	return log_error(errno, "cannot create a file next to the key '%s': %s", file->path, strerror(errno));
}

int key_file_open(const char *path, enum key_file_use use, struct key_file *ret_file)
{
	struct key_file file = {.path = path, .fd = -1, .next_fd = -1};
	int r = open_locked(path, use, &file.fd);

	if (!r && use == KEY_FILE_GROWS)
		r = open_next(&file);
	if (r < 0) {
		if (file.fd >= 0)
			(void)close(file.fd);
		return r;
	}
	*ret_file = file;
	return 0;
}

/* --- reading --- */

static int read_text(int fd, char **ret_text, size_t *ret_length)
{
	struct stat status;
	_cleanup_free_ char *text = NULL;
	size_t length = 0, room;

	if (fstat(fd, &status) < 0)
		return -errno;
	room = (size_t)status.st_size;
	text = malloc(room + 1);
	if (!text)
		return -ENOMEM;
	while (length < room) {
		ssize_t got = pread(fd, text + length, room - length, (off_t)length);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return got ? -errno : -EIO;
		length += (size_t)got;
	}
	text[length] = '\0';
	*ret_text = steal_ptr(text);
	*ret_length = length;
	return 0;
}

static int make_new(struct pseudonyms **ret_names)
{
	uint8_t key[PSEUDONYM_KEY];
	int r = random_bytes(key, sizeof(key));

	if (!r)
		r = pseudonyms_create(key, PSEUDONYM_DIGITS, ret_names);
	explicit_bzero(key, sizeof(key));
	return r < 0 ? log_error(-r, "cannot make a key: %s", strerror(-r)) : 0;
}

int key_file_read(const struct key_file *file, struct pseudonyms **ret_names)
{
	_cleanup_free_ char *text = NULL;
	size_t length = 0;
	int r;

	if (!file->path)
		return make_new(ret_names);
	r = read_text(file->fd, &text, &length);
	if (!r && !length && file->next_fd >= 0)
		return make_new(ret_names);
	if (!r)
		r = key_text_parse(text, length, ret_names);
	if (r == -EBADMSG)
		return log_error(EBADMSG, "'%s' is no key of --scrub-key, or it is damaged", file->path);
	return r < 0 ? log_error(-r, "cannot read the key '%s': %s", file->path, strerror(-r)) : 0;
}

/* --- writing --- */

int key_file_write(const struct key_file *file, const struct pseudonyms *names)
{
	_cleanup_free_ char *text = NULL;
	size_t length, done = 0;
	int r;

	if (!file->path)
		return 0;
	r = key_text_make(names, &text, &length);
	if (!r && ftruncate(file->next_fd, 0) < 0)
		r = -errno;
	while (!r && done < length) {
		ssize_t written = pwrite(file->next_fd, text + done, length - done, (off_t)done);

		if (written >= 0)
			done += (size_t)written;
		else if (errno != EINTR)
			r = -errno;
	}
	if (!r && fsync(file->next_fd) < 0)
		r = -errno;
	return r < 0 ? log_error(-r, "cannot write the key '%s': %s", file->path, strerror(-r)) : 0;
}

static int settle(const struct key_file *file, bool is_written)
{
	if (!file->next_path)
		return 0;
	if (!is_written) {
		(void)unlink(file->next_path);
		return 0;
	}
	if (rename(file->next_path, file->path) < 0)
		return log_error(errno, "cannot replace the key '%s': %s; what translates the new trace is in '%s'",
				 file->path, strerror(errno), file->next_path);
	return 0;
}

int key_file_close(struct key_file *file, bool is_written)
{
	int r = settle(file, is_written);

	if (file->next_fd >= 0)
		(void)close(file->next_fd);
	if (file->fd >= 0)
		(void)close(file->fd);
	free(file->next_path);
	*file = (struct key_file){.fd = -1, .next_fd = -1};
	return r;
}

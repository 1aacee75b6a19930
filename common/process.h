/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* What a process has from whoever starts it: descriptors, signals, and the user behind sudo. */
#ifndef RWALKER_COMMON_PROCESS_H
#define RWALKER_COMMON_PROCESS_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* For one that is about to do less than its parent: closes all above stderr but these, some of which may be -1. Works on kernels without close_range() as well. */
void descriptors_close_others(const int *kept, size_t count);

/*
 * A file that holds nothing and keeps nothing: /dev/null, or, where that cannot be opened (a chroot without /dev),
 * memory that may not grow, to which writing fails. flags: O_RDONLY, O_WRONLY or O_RDWR, and O_CLOEXEC. -errno.
 */
int descriptors_open_nothing(int flags);

/* Reads all of [offset, offset + length) that the file has: the number of bytes; -errno. */
ssize_t descriptor_read(int fd, void *bytes, size_t length, uint64_t offset);
/* A whole file of at most `most` bytes, with a NUL behind it, which the caller frees. -E2BIG, -ENOMEM, -errno. */
int descriptor_read_whole(int fd, size_t most, char **ret_bytes, size_t *ret_size);
/* All of it. 0; -errno. */
int descriptor_write(int fd, const void *bytes, size_t length);

/*
 * What a process inherits from whoever starts it, brought to a known state: descriptors 0 to 2 are
 * open, so that no file of ours becomes one of them; children can be waited for; no signal is
 * blocked; and a file that may not grow is an error of write(), not a signal.
 */
enum { INHERITED_SIGNALS = 5 };

struct inherited { /* as it was found, for a program that is run for the user */
	sigset_t blocked;
	struct sigaction actions[INHERITED_SIGNALS];
};

/*
 * First thing in main. What was closed behaves as before: reading from 0 and writing to 1 or 2 fails (EBADF).
 * 0, -errno.
 */
int inherited_reset(struct inherited *ret_inherited);

/* Before an exec: the signals as they were found. */
void inherited_restore(const struct inherited *inherited);

/* The user behind sudo, from SUDO_UID and SUDO_GID: by number, because a static program has no user database. */

/* False: we do not run as root, or there is no such user, or it is root; then nothing is returned. */
bool sudo_user(uid_t *ret_uid, gid_t *ret_gid);

#endif

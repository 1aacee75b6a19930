/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The rules for files that recorded programs have named (common/gate/open.h). The working directory
 * must be /proc, which helpers.c sets: the user in effect may have no access to "/".
 */
#ifndef RWALKER_RECORD_HELPER_FILE_GATE_H
#define RWALKER_RECORD_HELPER_FILE_GATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>


struct fuse_device {
	uint64_t device; /* 0: none */
	bool fuse;
};

enum { FUSE_DEVICES_KNOWN = 16 };

/*
 * Whether a file is on FUSE, found out without asking the process that serves it. That process
 * may be dead or hang, and a process that waits for its answer cannot be killed: a helper that
 * asked would stay for as long as the mount does.
 */
struct fuse_mounts {
	int folder; /* in /proc, of the process whose mounts are searched; -1: our own */
	unsigned int next;
	struct fuse_device known[FUSE_DEVICES_KNOWN]; /* the last answers: a list may have thousands of lines */
};

/* For an absolute path to be opened below the root of that process. False if the list cannot be read. */
bool fuse_mounts_cover(const struct fuse_mounts *mounts, const char *path);

struct file_gate_rules {
	/* For files of JIT compilers: owned by `owner` or root, with one name at most, on a local file system. */
	bool written;
	uid_t owner;
	bool elf; /* begins like an ELF file */
	struct fuse_mounts *mounts; /* of the process whose path was used; NULL: its server is asked, whoever that is */
};

/*
 * Finds a file below a folder (O_PATH), never above it. Follows no symbolic links or, with `links`,
 * all but the kernel's magic links. An O_PATH descriptor, or -errno; -ELOOP: a link.
 */
int file_gate_find(int root, const char *path, bool links);

/*
 * Opens what was found, if it is a regular file that the rules allow. A descriptor (O_RDONLY), or
 * -errno: -EINVAL: not a regular file; -EREMOTE: on a file system that it must not be on; -EPERM:
 * somebody else's; -EMLINK: has other names; -ENOEXEC: no ELF file; -EACCES.
 */
int file_gate_open(int found, const struct file_gate_rules *rules);

/*
 * Whether an open file has the device and inode that the kernel lists for mappings of it. Where
 * stat(2) returns another device, as on btrfs and overlayfs, the file is mapped here and looked up
 * in our own list.
 */
bool file_gate_is(int fd, uint64_t device, uint64_t inode);

/*
 * Whose rights a file is opened with. A helper that opens what an unprivileged process has named
 * first becomes that process's user for the file system: its fsuid, fsgid and groups, and no
 * effective capability. Whatever a check overlooks, the kernel then refuses what that user may not
 * read. Only the file system sees another user: to signals and ptrace the helper remains what it
 * was, so that the user cannot touch it.
 *
 * Ids are those of our own user namespace; root in a namespace of its own is an ordinary user here.
 */
struct rights {
	bool own; /* the helper's own: nothing is changed */
	uid_t uid;
	gid_t gid;
	gid_t *groups; /* owned; NULL: none */
	size_t group_count;
};

/*
 * The rights of a process, from "status" in its folder of /proc, which keeps referring to that
 * process. Those of its first thread count. 0; -ESRCH: it is gone; -ENOMEM, -errno.
 */
int rights_of_process(int folder, struct rights *ret_rights);

/* The rights of a user about whom no more is known. */
struct rights rights_of_user(uid_t uid, gid_t gid);

/* The rights of the recorder's caller: the user behind sudo, else the helper's own, which read what root may read. */
void rights_of_caller(struct rights *ret_rights);

bool rights_equal(const struct rights *a, const struct rights *b);
void rights_deinit(struct rights *rights);

/* 0, or -errno: then nothing may be opened, but rights_leave() must still be called. */
int rights_enter(const struct rights *rights);
/* Returns to the helper's own rights, without groups. 0, or -errno: then the helper must end. */
int rights_leave(const struct rights *rights);

#endif

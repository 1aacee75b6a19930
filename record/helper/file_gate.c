/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "record/helper/file_gate.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "record/helper/file_system.h"

int file_gate_find(int root, const char *path, bool links)
{
	struct open_how how = {
		.flags = O_PATH | O_CLOEXEC,
		.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS | (links ? 0 : RESOLVE_NO_SYMLINKS),
	};
	int fd = (int)syscall(SYS_openat2, root, path, &how, sizeof(how));

	return fd < 0 ? -errno : fd;
}

/* A mapped program may be on a file server: the caller's deadline bounds the wait. Anybody may serve FUSE. */
static bool file_system_fits(int fd, bool written)
{
	enum file_system_kind kind = file_system_kind(fd);

	return kind == FILE_SYSTEM_LOCAL || (!written && kind == FILE_SYSTEM_NETWORK);
}

static int look(int fd, const struct file_gate_rules *rules, struct stat *ret_status)
{
	if (rules->mounts && fuse_mounts_have(rules->mounts, fd))
		return -EREMOTE;
	if (fstat(fd, ret_status))
		return -errno;
	if (!S_ISREG(ret_status->st_mode))
		return -EINVAL;
	if (!file_system_fits(fd, rules->written))
		return -EREMOTE;
	if (!rules->written)
		return 0;
	if (ret_status->st_uid != rules->owner && ret_status->st_uid)
		return -EPERM;
	return ret_status->st_nlink > 1 ? -EMLINK : 0;
}

static bool is_elf(int fd)
{
	char magic[SELFMAG];

	return pread(fd, magic, sizeof(magic), 0) == sizeof(magic) && !memcmp(magic, ELFMAG, sizeof(magic));
}

int file_gate_open(int found, const struct file_gate_rules *rules)
{
	struct stat before, after;
	_cleanup_close_ int fd = -1;
	char path[32];
	int r = look(found, rules, &before);

	if (r)
		return r;
	(void)snprintf(path, sizeof(path), "self/fd/%d", found);
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		return -errno;
	r = look(fd, rules, &after);
	if (r)
		return r;
	if (after.st_dev != before.st_dev || after.st_ino != before.st_ino)
		return -ESTALE;
	return rules->elf && !is_elf(fd) ? -ENOEXEC : steal_fd(&fd);
}

/* Whether our own list of mappings (proc(5)) has this device and inode at this address. */
static bool line_names(const void *at, uint64_t device, uint64_t inode)
{
	_cleanup_fclose_ FILE *maps = fopen("self/maps", "re");
	unsigned int major_number, minor_number;
	uint64_t start, found;
	char line[512];

	while (maps && fgets(line, sizeof(line), maps))
		if (sscanf(line, "%" SCNx64 "-%*x %*s %*x %x:%x %" SCNu64, &start, &major_number, &minor_number,
			   &found) == 4 && start == (uint64_t)(uintptr_t)at)
			return found == inode && makedev(major_number, minor_number) == device;
	return false;
}

bool file_gate_is(int fd, uint64_t device, uint64_t inode)
{
	struct stat status;
	bool same;
	void *at;

	if (!inode || fstat(fd, &status))
		return false;
	if (status.st_ino == inode && status.st_dev == device)
		return true;
	at = mmap(NULL, 1, PROT_READ, MAP_PRIVATE, fd, 0);
	if (at == MAP_FAILED)
		return false;
	same = line_names(at, device, inode);
	(void)munmap(at, 1);
	return same;
}

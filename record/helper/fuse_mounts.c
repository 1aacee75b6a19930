/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "record/helper/fuse_mounts.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "common/cleanup.h"
#include "common/mount_line.h"

/* The types are "fuse" and "fuseblk", alone or with the server's name: "fuse.sshfs". Not "fusectl". */
static bool is_fuse(const char *type)
{
	static const char *const names[] = {"fuse", "fuseblk"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		size_t length = strlen(names[i]);

		if (!strncmp(type, names[i], length) && (type[length] == '.' || !type[length]))
			return true;
	}
	return false;
}

static FILE *open_list(int folder)
{
	_cleanup_close_ int fd = folder < 0 ? open("self/mountinfo", O_RDONLY | O_CLOEXEC) :
					      openat(folder, "mountinfo", O_RDONLY | O_CLOEXEC);
	FILE *list = fd < 0 ? NULL : fdopen(fd, "r");

	if (list)
		(void)steal_fd(&fd);
	return list;
}

static bool look_up(int folder, uint64_t device)
{
	_cleanup_fclose_ FILE *list = open_list(folder);
	_cleanup_free_ char *line = NULL;
	struct mount_line mount;
	size_t room = 0;

	while (list && getline(&line, &room, list) > 0)
		if (mount_line_parse(line, &mount) && mount.device == device)
			return is_fuse(mount.type);
	return false;
}

bool fuse_mounts_have(struct fuse_mounts *mounts, int fd)
{
	struct fuse_device *fresh = &mounts->known[mounts->next % FUSE_DEVICES_KNOWN];
	struct statx status;
	uint64_t device;

	if (statx(fd, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, STATX_TYPE, &status))
		return false;
	device = makedev(status.stx_dev_major, status.stx_dev_minor);
	for (size_t i = 0; i < FUSE_DEVICES_KNOWN; i++)
		if (device && mounts->known[i].device == device)
			return mounts->known[i].fuse;
	*fresh = (struct fuse_device){.device = device, .fuse = look_up(mounts->folder, device)};
	mounts->next++;
	return fresh->fuse;
}

/* How much of the path the mount point covers; 0: nothing. */
static size_t covered(const char *path, const char *point)
{
	size_t length = strlen(point);

	if (length == 1)
		return 1; /* "/" */
	return !strncmp(path, point, length) && (path[length] == '/' || !path[length]) ? length : 0;
}

bool fuse_mounts_cover(const struct fuse_mounts *mounts, const char *path)
{
	_cleanup_fclose_ FILE *list = open_list(mounts->folder);
	_cleanup_free_ char *line = NULL;
	struct mount_line mount;
	size_t room = 0, most = 0;
	bool fuse = false;

	while (list && getline(&line, &room, list) > 0) {
		size_t length = mount_line_parse(line, &mount) ? covered(path, mount.point) : 0;

		if (!length || length < most)
			continue; /* of two at one place the later one is on top */
		most = length;
		fuse = is_fuse(mount.type);
	}
	return fuse;
}

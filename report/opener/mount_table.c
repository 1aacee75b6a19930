/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/opener/mount_table.h"

#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/mount_line.h"

static const char mountinfo[] = "/proc/self/mountinfo";

enum { TEXT_MAX = 64 << 20 };

/* --- kinds, by the names of file systems --- */

static const char *const local_names[] = {
	"adfs", "affs", "apfs", "aufs", "bcachefs", "befs", "btrfs", "cramfs", "devtmpfs", "ecryptfs", "erofs", "exfat",
	"ext2", "ext3", "ext4", "f2fs", "hfs", "hfsplus", "iso9660", "jffs2", "jfs", "minix", "msdos", "nilfs2",
	"ntfs", "ntfs3", "overlay", "ramfs", "reiserfs", "romfs", "rootfs", "squashfs", "tmpfs", "ubifs", "udf",
	"ufs", "vfat", "xfs", "zfs", "zonefs", NULL};

static const char *const no_files_names[] = {
	"binder", "binfmt_misc", "bpf", "cgroup", "cgroup2", "configfs", "cpuset", "debugfs", "devpts",
	"efivarfs", "fusectl", "hugetlbfs", "mqueue", "nfsd", "nsfs", "pipefs", "proc", "pstore", "resctrl",
	"rpc_pipefs", "securityfs", "selinuxfs", "smackfs", "sockfs", "sysfs", "tracefs", "xenfs", NULL};

static bool is_among(const char *const *names, const char *name)
{
	for (; *names; names++)
		if (!strcmp(*names, name))
			return true;
	return false;
}

static enum mount_kind kind_of(const char *name)
{
	if (is_among(local_names, name))
		return MOUNT_LOCAL;
	return is_among(no_files_names, name) ? MOUNT_NO_FILES : MOUNT_NETWORK;
}

/* --- the text --- */

static int parse(struct mount_table *table)
{
	char *rest = table->text, *line;
	struct mount_line mount;

	table->mounts.count = 0;
	while ((line = strsep(&rest, "\n")))
		if (mount_line_parse(line, &mount) &&
		    array_push(&table->mounts, (struct mount){.id = mount.id,
							      .parent = mount.parent,
							      .kind = kind_of(mount.type),
							      .automounts = !strcmp(mount.type, "autofs"),
							      .point = mount.point}) < 0)
			return -ENOMEM;
	return 0;
}

static int read_text(int fd, char **ret_text)
{
	ARRAY(char) text = {0};
	ssize_t got = 1;

	if (lseek(fd, 0, SEEK_SET) < 0)
		return -errno;
	while (got > 0) {
		enum { STEP = 16 << 10 };

		if (text.count > TEXT_MAX || array_reserve(&text, text.count + STEP + 1) < 0) {
			array_free(&text);
			return -ENOMEM;
		}
		got = read(fd, text.items + text.count, STEP);
		text.count += got > 0 ? (size_t)got : 0;
	}
	if (got < 0) {
		int r = -errno;

		array_free(&text);
		return r;
	}
	text.items[text.count] = '\0';
	*ret_text = text.items;
	return 0;
}

/* --- the table --- */

/* After chroot() the list may lack the root's mount, but its number is known. */
static struct mount find_root(void)
{
	struct mount root = {.kind = MOUNT_LOCAL, .point = "/"};
	struct statx status;

	if (statx(AT_FDCWD, "/", AT_STATX_DONT_SYNC, STATX_MNT_ID, &status) == 0 &&
	    (status.stx_mask & STATX_MNT_ID))
		root.id = (uint32_t)status.stx_mnt_id;
	return root;
}

static bool has_changed(const struct mount_table *table)
{
	struct pollfd entry = {.fd = table->fd, .events = POLLPRI};

	return poll(&entry, 1, 0) > 0 && (entry.revents & (POLLPRI | POLLERR));
}

int mount_table_refresh(struct mount_table *table)
{
	char *text = NULL;
	int r;

	if (table->text && !has_changed(table))
		return 0;
	if (!table->text) {
		table->fd = open(mountinfo, O_RDONLY | O_CLOEXEC);
		if (table->fd < 0)
			return -errno;
	}
	r = read_text(table->fd, &text);
	if (r < 0) {
		if (!table->text)
			(void)close(table->fd);
		return r;
	}
	free(table->text);
	table->text = text;
	table->root = find_root();
	return parse(table);
}

void mount_table_deinit(struct mount_table *table)
{
	if (table->text)
		(void)close(table->fd);
	free(table->text);
	array_free(&table->mounts);
	*table = (struct mount_table){0};
}

static const struct mount *child_of(const struct mount_table *table, const struct mount *parent, const char *path)
{
	for (size_t i = 0; i < table->mounts.count; i++) {
		const struct mount *mount = &table->mounts.items[i];

		if (mount->parent == parent->id && mount->id != parent->id && !strcmp(mount->point, path))
			return mount;
	}
	return NULL;
}

const struct mount *mount_table_enter(const struct mount_table *table, const struct mount *from, const char *path)
{
	const struct mount *above;
	size_t most = table->mounts.count;

	/* Mounts may be stacked on one point. */
	while (most-- > 0 && (above = child_of(table, from, path)))
		from = above;
	return from;
}

/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "common/gate/open.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "common/cleanup.h"

/* --- kinds of file systems --------------------------------------------------------------------------- */

/* By names in the list of mounts, and by numbers: of the latter, linux/magic.h lacks many. 0: is not needed. */
static const struct file_system {
	const char *name;
	unsigned int magic;
	enum file_system_kind kind;
} FILE_SYSTEMS[] = {
#define LOCAL(name, magic) {name, magic, FILE_SYSTEM_LOCAL}
	LOCAL("adfs", 0), LOCAL("affs", 0), LOCAL("apfs", 0), LOCAL("aufs", 0), LOCAL("bcachefs", 0xca451a4e),
	LOCAL("befs", 0), LOCAL("btrfs", BTRFS_SUPER_MAGIC), LOCAL("cramfs", CRAMFS_MAGIC), LOCAL("devtmpfs", 0),
	LOCAL("ecryptfs", 0), LOCAL("erofs", 0xe0f5e1e2), LOCAL("exfat", 0x2011bab0), LOCAL("ext2", 0),
	LOCAL("ext3", 0), LOCAL("ext4", EXT4_SUPER_MAGIC), LOCAL("f2fs", F2FS_SUPER_MAGIC), LOCAL("hfs", 0),
	LOCAL("hfsplus", 0x482b), LOCAL("hugetlbfs", HUGETLBFS_MAGIC), LOCAL("iso9660", ISOFS_SUPER_MAGIC),
	LOCAL("jffs2", JFFS2_SUPER_MAGIC), LOCAL("jfs", 0x3153464a), LOCAL("minix", MINIX3_SUPER_MAGIC),
	LOCAL("msdos", 0), LOCAL("nilfs2", NILFS_SUPER_MAGIC), LOCAL("ntfs", 0), LOCAL("ntfs3", 0x7366746e),
	LOCAL("overlay", 0x794c7630), LOCAL("ramfs", RAMFS_MAGIC), LOCAL("reiserfs", REISERFS_SUPER_MAGIC),
	LOCAL("romfs", 0), LOCAL("rootfs", 0), LOCAL("squashfs", SQUASHFS_MAGIC), LOCAL("tmpfs", TMPFS_MAGIC),
	LOCAL("ubifs", 0x24051905), LOCAL("udf", 0x15013346), LOCAL("ufs", 0), LOCAL("vfat", MSDOS_SUPER_MAGIC),
	LOCAL("vxfs", 0xa501fcf5), LOCAL("xfs", 0x58465342), LOCAL("zfs", 0x2fc12fc1), LOCAL("zonefs", 0),
#undef LOCAL
#define NETWORK(name, magic) {name, magic, FILE_SYSTEM_NETWORK}
	NETWORK("9p", V9FS_MAGIC), NETWORK("afs", AFS_SUPER_MAGIC), NETWORK("afs", AFS_FS_MAGIC),
	NETWORK("ceph", 0x00c36400), NETWORK("cifs", 0xff534d42), NETWORK("coda", 0x73757245),
	NETWORK("gfs2", 0x01161970), NETWORK("lustre", 0x0bd00bd0), NETWORK("nfs", NFS_SUPER_MAGIC),
	NETWORK("nfs4", NFS_SUPER_MAGIC), NETWORK("ocfs2", 0x7461636f), NETWORK("smb3", 0xfe534d42),
	NETWORK("smbfs", SMB_SUPER_MAGIC),
#undef NETWORK
#define FUSE(name) {name, 0x65735546, FILE_SYSTEM_FUSE}
	FUSE("fuse"), FUSE("fuseblk"),
#undef FUSE
#define MADE_UP(name) {name, 0, FILE_SYSTEM_NO_FILES}
	MADE_UP("binder"), MADE_UP("binfmt_misc"), MADE_UP("bpf"), MADE_UP("cgroup"), MADE_UP("cgroup2"),
	MADE_UP("configfs"), MADE_UP("cpuset"), MADE_UP("debugfs"), MADE_UP("devpts"), MADE_UP("efivarfs"),
	MADE_UP("fusectl"), MADE_UP("mqueue"), MADE_UP("nfsd"), MADE_UP("nsfs"), MADE_UP("pipefs"), MADE_UP("proc"),
	MADE_UP("pstore"), MADE_UP("resctrl"), MADE_UP("rpc_pipefs"), MADE_UP("securityfs"), MADE_UP("selinuxfs"),
	MADE_UP("smackfs"), MADE_UP("sockfs"), MADE_UP("sysfs"), MADE_UP("tracefs"), MADE_UP("xenfs"),
#undef MADE_UP
};

enum { FILE_SYSTEM_COUNT = sizeof(FILE_SYSTEMS) / sizeof(FILE_SYSTEMS[0]) };

/* Only of FUSE, names may end with the server's: "fuse.sshfs". */
static enum file_system_kind kind_of_name(const char *name)
{
	for (size_t i = 0; i < FILE_SYSTEM_COUNT; i++) {
		const struct file_system *known = &FILE_SYSTEMS[i];
		const size_t length = strlen(known->name);

		if (!strncmp(name, known->name, length) &&
		    (!name[length] || (known->kind == FILE_SYSTEM_FUSE && name[length] == '.')))
			return known->kind;
	}
	return FILE_SYSTEM_OTHER;
}

enum file_system_kind file_system_of_magic(unsigned long magic)
{
	/* f_type is signed on some machines: only its lower half counts. */
	for (size_t i = 0; i < FILE_SYSTEM_COUNT; i++)
		if (FILE_SYSTEMS[i].magic && FILE_SYSTEMS[i].magic == (unsigned int)magic)
			return FILE_SYSTEMS[i].kind;
	return FILE_SYSTEM_OTHER;
}

/* --- the list of mounts ------------------------------------------------------------------------------ */

/* "\040" is a space; in place. */
static void unescape(char *text)
{
	char *to = text;

	while (*text) {
		if (text[0] == '\\' && text[1] >= '0' && text[1] <= '3' && text[2] >= '0' && text[2] <= '7' &&
		    text[3] >= '0' && text[3] <= '7') {
			*to++ = (char)((text[1] - '0') << 6 | (text[2] - '0') << 3 | (text[3] - '0'));
			text += 4;
		} else {
			*to++ = *text++;
		}
	}
	*to = '\0';
}

/* "36 35 98:0 /mnt1 /mnt2 rw,noatime master:1 - ext3 /dev/root rw,errors=continue". The point stays in the line. */
static bool line_parse(char *line, struct mount *ret_mount)
{
	enum { ID, PARENT, DEVICE, ROOT, POINT, FIELDS };
	unsigned int major_number, minor_number;
	char *fields[FIELDS], *rest = line, *type;

	for (size_t i = 0; i < FIELDS; i++) {
		fields[i] = strsep(&rest, " ");
		if (!rest)
			return false;
	}
	type = strstr(rest, " - ");
	if (!type || sscanf(fields[DEVICE], "%u:%u", &major_number, &minor_number) != 2)
		return false;
	type += strlen(" - ");
	type[strcspn(type, " \n")] = '\0';
	unescape(fields[POINT]);
	*ret_mount = (struct mount){.id = (uint32_t)strtoul(fields[ID], NULL, 10),
				    .parent = (uint32_t)strtoul(fields[PARENT], NULL, 10),
				    .device = makedev(major_number, minor_number),
				    .kind = kind_of_name(type),
				    .automounts = !strcmp(type, "autofs"),
				    .point = fields[POINT]};
	return true;
}

static void clear(struct mount_list *list)
{
	for (size_t i = 0; i < list->mounts.count; i++)
		free(list->mounts.items[i].point);
	list->mounts.count = 0;
}

static int add(struct mount_list *list, const struct mount *mount)
{
	struct mount copy = *mount;

	copy.point = strdup(mount->point);
	if (copy.point && array_push(&list->mounts, copy) >= 0)
		return 0;
	free(copy.point);
	return -ENOMEM;
}

static int lines_read(struct mount_list *list)
{
	_cleanup_free_ char *line = NULL;
	struct mount mount;
	size_t room = 0;
	int r = 0;

	clear(list);
	while (!r && getline(&line, &room, list->stream) > 0)
		if (line_parse(line, &mount))
			r = add(list, &mount);
	return !r && ferror(list->stream) ? -EIO : r;
}

static bool has_changed(const struct mount_list *list)
{
	struct pollfd entry = {.fd = fileno(list->stream), .events = POLLPRI};

	return poll(&entry, 1, 0) > 0 && (entry.revents & (POLLPRI | POLLERR));
}

int mount_list_read(struct mount_list *list, int folder, const char *mountinfo)
{
	int fd;

	if (list->stream) {
		if (!has_changed(list))
			return 0;
		rewind(list->stream);
		return lines_read(list);
	}
	fd = openat(folder, mountinfo, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	list->stream = fdopen(fd, "r");
	if (list->stream)
		return lines_read(list);
	(void)close(fd);
	return -ENOMEM;
}

void mount_list_free(struct mount_list *list)
{
	if (list->stream)
		(void)fclose(list->stream);
	clear(list);
	array_free(&list->mounts);
	*list = (struct mount_list){0};
}

/* --- the file ---------------------------------------------------------------------------------------- */

int file_open_found(int found, const char *proc)
{
	_cleanup_close_ int fd = -1;
	struct stat before, after;
	char path[64];

	(void)snprintf(path, sizeof(path), "%s/self/fd/%d", proc, found);
	if (fstat(found, &before) < 0)
		return -errno;
	if (!S_ISREG(before.st_mode))
		return -EINVAL;
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (fd < 0 || fstat(fd, &after) < 0)
		return -errno;
	if (before.st_dev != after.st_dev || before.st_ino != after.st_ino || !S_ISREG(after.st_mode))
		return -ESTALE;
	return steal_fd(&fd);
}

bool file_begins_with(int fd, const void *bytes, size_t size)
{
	uint8_t begin[8];

	return size <= sizeof(begin) && pread(fd, begin, size, 0) == (ssize_t)size && !memcmp(begin, bytes, size);
}

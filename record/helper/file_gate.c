/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "record/helper/file_gate.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <inttypes.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/fsuid.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/gate/confine.h"
#include "common/gate/open.h"
#include "record/helper/process_folder.h"

int file_gate_find(int root, const char *path, bool links)
{
	struct open_how how = {
		.flags = O_PATH | O_CLOEXEC,
		.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS | (links ? 0 : RESOLVE_NO_SYMLINKS),
	};
	int fd = (int)syscall(SYS_openat2, root, path, &how, sizeof(how));

	return fd < 0 ? -errno : fd;
}

/* --- FUSE -------------------------------------------------------------------------------------------- */

static void list_read(struct mount_list *list, int folder)
{
	(void)mount_list_read(list, folder < 0 ? AT_FDCWD : folder, folder < 0 ? "self/mountinfo" : "mountinfo");
}

static bool look_up(int folder, uint64_t device)
{
	_cleanup_(mount_list_free) struct mount_list list = {0};

	list_read(&list, folder);
	for (size_t i = 0; i < list.mounts.count; i++)
		if (list.mounts.items[i].device == device)
			return list.mounts.items[i].kind == FILE_SYSTEM_FUSE;
	return false;
}

/* By the device of an open file; O_PATH will do. False if the list lacks it. */
static bool is_on_fuse(struct fuse_mounts *mounts, int fd)
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
	_cleanup_(mount_list_free) struct mount_list list = {0};
	size_t most = 0;
	bool fuse = false;

	list_read(&list, mounts->folder);
	for (size_t i = 0; i < list.mounts.count; i++) {
		const size_t length = covered(path, list.mounts.items[i].point);

		if (!length || length < most)
			continue; /* of two at one place the later one is on top */
		most = length;
		fuse = list.mounts.items[i].kind == FILE_SYSTEM_FUSE;
	}
	return fuse;
}

/* --- a file ------------------------------------------------------------------------------------------ */

/* A mapped program may be on a file server: the caller's deadline bounds the wait. Anybody may serve FUSE. */
static bool file_system_fits(int fd, bool written)
{
	struct statfs status;
	enum file_system_kind kind = FILE_SYSTEM_OTHER;

	if (!fstatfs(fd, &status))
		kind = file_system_of_magic((unsigned long)status.f_type);
	return kind == FILE_SYSTEM_LOCAL || (!written && kind == FILE_SYSTEM_NETWORK);
}

static int look(int fd, const struct file_gate_rules *rules)
{
	struct stat status;

	if (rules->mounts && is_on_fuse(rules->mounts, fd))
		return -EREMOTE;
	if (fstat(fd, &status))
		return -errno;
	if (!S_ISREG(status.st_mode))
		return -EINVAL;
	if (!file_system_fits(fd, rules->written))
		return -EREMOTE;
	if (!rules->written)
		return 0;
	if (status.st_uid != rules->owner && status.st_uid)
		return -EPERM;
	return status.st_nlink > 1 ? -EMLINK : 0;
}

/* What was opened is looked at again: its owner may have changed. */
int file_gate_open(int found, const struct file_gate_rules *rules)
{
	_cleanup_close_ int fd = -1;
	int r = look(found, rules);

	if (!r)
		fd = r = file_open_found(found, ".");
	if (r >= 0)
		r = look(fd, rules);
	if (r < 0)
		return r;
	return rules->elf && !file_begins_with(fd, ELFMAG, SELFMAG) ? -ENOEXEC : steal_fd(&fd);
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

/* --- rights ------------------------------------------------------------------------------------------ */

/* The next number of the line, 1; 0: there is none. */
static int number_next(const char **at, unsigned int *ret_number)
{
	char *end;
	unsigned long number;

	*at += strspn(*at, " \t");
	if (**at < '0' || **at > '9')
		return 0;
	number = strtoul(*at, &end, 10);
	*at = end;
	*ret_number = (unsigned int)number;
	return 1;
}

/* Real, effective, saved and that of the file system, which is the one that counts. */
static int id_parse(const char *at, unsigned int *ret_id)
{
	for (int i = 0; i < 4; i++)
		if (!number_next(&at, ret_id))
			return -EPROTO;
	return 0;
}

static int groups_parse(const char *at, struct rights *rights)
{
	size_t room = 0;
	unsigned int id;

	for (const char *next = at; number_next(&next, &id);)
		room++;
	rights->groups = calloc(room + 1, sizeof(*rights->groups));
	if (!rights->groups)
		return -ENOMEM;
	while (number_next(&at, &id))
		rights->groups[rights->group_count++] = id;
	return 0;
}

static const char *after(const char *line, const char *name)
{
	return !strncmp(line, name, strlen(name)) ? line + strlen(name) : NULL;
}

/* The groups are the last of the three. 1; 0: another line. */
static int status_parse(const char *line, struct rights *rights)
{
	const char *at;
	int r = 0;

	if ((at = after(line, "Uid:")))
		r = id_parse(at, &rights->uid);
	else if ((at = after(line, "Gid:")))
		r = id_parse(at, &rights->gid);
	else if (!rights->groups && (at = after(line, "Groups:")))
		return groups_parse(at, rights) ? -ENOMEM : 1;
	return r;
}

int rights_of_process(int folder, struct rights *ret_rights)
{
	_cleanup_(rights_deinit) struct rights rights = {.uid = (uid_t)-1, .gid = (gid_t)-1};
	_cleanup_fclose_ FILE *status = process_folder_file(folder, "status");
	_cleanup_free_ char *line = NULL;
	size_t room = 0;
	int r = 0;

	if (!status)
		return errno == ENOENT ? -ESRCH : -errno;
	while (!r && getline(&line, &room, status) > 0)
		r = status_parse(line, &rights);
	if (r <= 0)
		return r < 0 ? r : ferror(status) ? -ESRCH : -EPROTO;
	if (rights.uid == (uid_t)-1 || rights.gid == (gid_t)-1)
		return -EPROTO;
	*ret_rights = rights;
	rights.groups = NULL;
	return 0;
}

/* --- others -------------------------------------------------------------------------------------- */

struct rights rights_of_user(uid_t uid, gid_t gid)
{
	return (struct rights){.uid = uid, .gid = gid};
}

/* helpers.c has kept the user behind sudo as the real one; root's helpers are nobody in both. */
void rights_of_caller(struct rights *ret_rights)
{
	*ret_rights = rights_of_user(getuid(), getgid());
	ret_rights->own = getuid() == geteuid();
}

bool rights_equal(const struct rights *a, const struct rights *b)
{
	return a->own == b->own && a->uid == b->uid && a->gid == b->gid && a->group_count == b->group_count &&
	       (!a->group_count || !memcmp(a->groups, b->groups, a->group_count * sizeof(*a->groups)));
}

void rights_deinit(struct rights *rights)
{
	free(rights->groups);
	*rights = (struct rights){0};
}

/* --- becoming ------------------------------------------------------------------------------------ */

/* setfsuid() cannot report failure: a second call shows the ids now in effect. */
static int fs_ids_set(uid_t uid, gid_t gid)
{
	(void)setfsgid(gid);
	(void)setfsuid(uid);
	return (gid_t)setfsgid((gid_t)-1) == gid && (uid_t)setfsuid((uid_t)-1) == uid ? 0 : -EPERM;
}

int rights_enter(const struct rights *rights)
{
	int r;

	if (rights->own)
		return 0;
	/* A recorder that is not root may not set groups, and need not where the user is its own. */
	if (setgroups(rights->group_count, rights->groups) && (errno != EPERM || rights->uid != geteuid()))
		return -errno;
	r = fs_ids_set(rights->uid, rights->gid);
	if (!r) /* changing ids made the kernel forget that we end with the recorder */
		r = process_end_with_parent();
	return r ? r : capabilities_use(false);
}

/* If fsuid was root's, leaving it takes capabilities away, so they are restored after that. */
int rights_leave(const struct rights *rights)
{
	int r;

	if (rights->own)
		return 0;
	r = fs_ids_set(geteuid(), getegid());
	if (!r)
		r = capabilities_use(true);
	if (!r && setgroups(0, NULL) && errno != EPERM)
		r = -errno;
	return r ? r : process_end_with_parent();
}

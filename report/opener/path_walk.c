/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/opener/path_walk.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/gate/packet.h"

enum {
	LINKS_MAX = 40,	   /* as many as the kernel follows */
	RESTARTS_MAX = 80, /* from the root, for links and ".." */
	PART_MAX = 256,
};

struct walk {
	const struct walk_rules *rules;
	int fd;		       /* where it is: O_PATH */
	uint32_t named;	       /* number of the named path that it is below; 0: none */
	size_t named_length;   /* of that path, in `real` */
	struct mount mount;    /* where it is, if `named` is 0 */
	char real[PATH_MAX];   /* its path; "" is the root */
	char rest[PATH_MAX];   /* still to follow */
	size_t at;	       /* in `rest` */
	size_t own;	       /* bytes at the end of `rest` that are of the path itself, not of a link */
	unsigned int links, restarts;
	enum opener_reason reason;
};

/* --- what the user named --- */

static bool is_below(const char *path, const char *folder)
{
	size_t length = strlen(folder);

	return length && !strncmp(path, folder, length) &&
	       (path[length] == '/' || path[length] == '\0' || folder[length - 1] == '/');
}

/* The named path with that number, files first. NULL: there are fewer. */
static const char *named_text(const struct opener_settings *settings, uint32_t number, bool *ret_folder)
{
	const char *const *lists[] = {settings->files, settings->folders};

	for (size_t list = 0; list < 2; list++)
		for (size_t i = 0; lists[list] && lists[list][i]; i++)
			if (--number == 0) {
				*ret_folder = list;
				return lists[list][i];
			}
	return NULL;
}

bool walk_names_file(const struct opener_settings *settings, const char *path)
{
	for (size_t i = 0; settings->files && settings->files[i]; i++)
		if (!strcmp(settings->files[i], path))
			return true;
	return false;
}

uint32_t walk_named(const struct opener_settings *settings, const char *path)
{
	uint32_t best = 0;
	size_t longest = 0;
	const char *text;
	bool folder;

	for (uint32_t number = 1; (text = named_text(settings, number, &folder)); number++) {
		size_t length = strlen(text);

		if (length > longest && (folder ? is_below(path, text) : !strcmp(path, text))) {
			best = number;
			longest = length;
		}
	}
	return best;
}

/* --- mounts --- */

/* After chroot() the list may lack the root's mount, but its number is known. If it did not answer, nothing would run. */
static struct mount root_mount(void)
{
	struct mount root = {.kind = FILE_SYSTEM_LOCAL};
	struct statx status;

	if (statx(AT_FDCWD, "/", AT_STATX_DONT_SYNC, STATX_MNT_ID, &status) == 0 && (status.stx_mask & STATX_MNT_ID))
		root.id = (uint32_t)status.stx_mnt_id;
	return root;
}

static const struct mount *mount_on(const struct mount_list *list, const struct mount *parent, const char *path)
{
	for (size_t i = 0; i < list->mounts.count; i++) {
		const struct mount *mount = &list->mounts.items[i];

		if (mount->parent == parent->id && mount->id != parent->id && !strcmp(mount->point, path))
			return mount;
	}
	return NULL;
}

/* The mount that a path without links leads into, if everything above its last component is in `from`. */
static const struct mount *mount_enter(const struct mount_list *list, const struct mount *from, const char *path)
{
	const struct mount *above;
	size_t most = list->mounts.count;

	/* Mounts may be stacked on one point. */
	while (most-- > 0 && (above = mount_on(list, from, path)))
		from = above;
	return from;
}

static int mounts_read(const struct walk *walk)
{
	return mount_list_read(walk->rules->mounts, AT_FDCWD, "/proc/self/mountinfo");
}

/* --- where it may go --- */

static int refuse(struct walk *walk, enum opener_reason reason)
{
	walk->reason = reason;
	return -EPERM;
}

void walk_tell(const struct walk_rules *rules, const struct walk_place *place)
{
	if (rules->watcher < 0 || !memcmp(rules->told, place, sizeof(*place)))
		return;
	*rules->told = *place;
	(void)packet_send(rules->watcher, place, sizeof(*place), -1);
}

static int approach(struct walk *walk, struct walk_place place)
{
	const struct walk_rules *rules = walk->rules;

	walk_tell(rules, &place);
	for (size_t i = 0; i < rules->silent_count; i++)
		if (rules->silent[i].mount == place.mount && rules->silent[i].named == place.named)
			return refuse(walk, OPENER_NOT_ASKED);
	return 0;
}

static int approach_mount(struct walk *walk, const struct mount *mount)
{
	if (mount->kind == FILE_SYSTEM_NO_FILES)
		return refuse(walk, OPENER_NO_FILE_SYSTEM);
	if (mount->kind != FILE_SYSTEM_LOCAL && !walk->rules->settings->network_files)
		return refuse(walk, OPENER_NETWORK);
	return approach(walk, (struct walk_place){.mount = mount->id, .local = mount->kind == FILE_SYSTEM_LOCAL});
}

static void move_to(struct walk *walk, int fd)
{
	if (walk->fd >= 0)
		(void)close(walk->fd);
	walk->fd = fd;
}

/* The path of what the descriptor refers to; "": the root, or unknown. */
static void read_real(int fd, char real[static PATH_MAX])
{
	char link[64];
	ssize_t length;

	(void)snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	length = readlink(link, real, PATH_MAX - 1);
	real[length > 1 ? length : 0] = '\0';
}

/* What the user named is opened as the kernel would open it, links and all. */
static int start_named(struct walk *walk, uint32_t number)
{
	bool folder;
	const char *text = named_text(walk->rules->settings, number, &folder);
	int fd, r = approach(walk, (struct walk_place){.named = number});

	if (r < 0)
		return r;
	fd = open(text, O_PATH | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	move_to(walk, fd);
	read_real(fd, walk->real);
	walk->named = number;
	walk->named_length = strlen(walk->real);
	return 0;
}

static int start_at_root(struct walk *walk)
{
	int r = mounts_read(walk);

	if (r < 0)
		return r;
	walk->named = 0;
	walk->mount = root_mount();
	walk->real[0] = '\0';
	r = approach_mount(walk, &walk->mount);
	if (r < 0)
		return r;
	move_to(walk, open("/", O_PATH | O_CLOEXEC));
	return walk->fd < 0 ? -errno : 0;
}

/* Starts at the beginning of `rest`, which is a whole path. */
static int start(struct walk *walk)
{
	const struct opener_settings *settings = walk->rules->settings;
	uint32_t number = walk_named(settings, walk->rest);
	bool folder;

	if (walk->restarts++ == RESTARTS_MAX)
		return -ELOOP;
	walk->at = number ? strlen(named_text(settings, number, &folder)) : 0;
	if (number)
		return start_named(walk, number);
	return walk->rest[0] == '/' ? start_at_root(walk) : -ENOENT;
}

/* How many bytes at the end of the path itself were not reached. */
static size_t own_left(const struct walk *walk)
{
	size_t left = strlen(walk->rest + walk->at);

	return left < walk->own ? left : walk->own;
}

/* Puts `before` in front of what is left of the path. */
static int go_on_with(struct walk *walk, const char *before)
{
	char rest[PATH_MAX];
	int length = snprintf(rest, sizeof(rest), "%s/%s", before, walk->rest + walk->at);

	if (length < 0 || (size_t)length >= sizeof(rest))
		return -ENAMETOOLONG;
	walk->own = own_left(walk);
	memcpy(walk->rest, rest, (size_t)length + 1);
	walk->at = 0;
	return 0;
}

/* --- one component --- */

/* All ".." in a row at once: up from `real`, which has no links, and down again from where the walk started. */
static int go_up(struct walk *walk)
{
	const char *rest = walk->rest + walk->at;
	bool inside;
	int r;

	while (!strncmp(rest, "..", 2) && (rest[2] == '/' || !rest[2])) {
		char *slash = strrchr(walk->real, '/');

		if (slash)
			*slash = '\0';
		rest += 2;
		rest += strspn(rest, "/");
	}
	walk->at = (size_t)(rest - walk->rest);
	inside = walk->named && strlen(walk->real) >= walk->named_length;
	r = go_on_with(walk, walk->real + (inside ? walk->named_length : 0));
	if (r < 0 || !inside)
		return r < 0 ? r : start(walk);
	return walk->restarts++ == RESTARTS_MAX ? -ELOOP : start_named(walk, walk->named);
}

static int follow_link(struct walk *walk, int link)
{
	char target[PATH_MAX];
	ssize_t length = readlinkat(link, "", target, sizeof(target) - 1);
	int r;

	if (length <= 0 || walk->links++ == LINKS_MAX)
		return length < 0 ? -errno : -ELOOP;
	target[length] = '\0';
	r = go_on_with(walk, target);
	return r < 0 || target[0] != '/' ? r : start(walk);
}

/* An automounter mounts what is opened as a folder. */
static int open_part(struct walk *walk, const char *name, const char *real, struct mount *mount)
{
	bool automounts = !walk->named && mount->automounts;
	int fd = openat(walk->fd, name, O_PATH | O_NOFOLLOW | O_CLOEXEC | (automounts ? O_DIRECTORY : 0));
	int r = fd < 0 ? -errno : 0;

	if (!r && automounts)
		r = mounts_read(walk);
	if (!r && automounts) {
		*mount = *mount_enter(walk->rules->mounts, mount, real);
		r = approach_mount(walk, mount);
	}
	if (r < 0 && fd >= 0)
		(void)close(fd);
	return r < 0 ? r : fd;
}

/* Moves to the folder or file, or follows the link. */
static int take(struct walk *walk, int fd, const struct mount *mount, const char *real)
{
	struct stat status;
	int r = fstat(fd, &status) < 0 ? -errno : S_ISLNK(status.st_mode) ? follow_link(walk, fd) : 1;

	if (r <= 0) {
		(void)close(fd);
		return r;
	}
	move_to(walk, fd);
	walk->mount = *mount;
	memcpy(walk->real, real, strlen(real) + 1);
	return 0;
}

static int enter(struct walk *walk, const char *name)
{
	struct mount mount = walk->mount;
	char real[PATH_MAX];
	int length = snprintf(real, sizeof(real), "%s/%s", walk->real, name), fd, r = 0;

	if (length < 0 || (size_t)length >= sizeof(real))
		return -ENAMETOOLONG;
	if (!walk->named) {
		mount = *mount_enter(walk->rules->mounts, &mount, real);
		r = approach_mount(walk, &mount);
	}
	fd = r < 0 ? r : open_part(walk, name, real, &mount);
	return fd < 0 ? fd : take(walk, fd, &mount, real);
}

/* Follows one component. 1: there is more. */
static int step(struct walk *walk)
{
	const char *part = walk->rest + walk->at;
	char name[PART_MAX];
	size_t length;
	int r;

	part += strspn(part, "/");
	length = strcspn(part, "/");
	walk->at = (size_t)(part - walk->rest);
	if (!length)
		return 0;
	if (length == 2 && !memcmp(part, "..", 2)) {
		r = go_up(walk);
		return r < 0 ? r : 1;
	}
	if (length >= sizeof(name))
		return -ENAMETOOLONG;
	memcpy(name, part, length);
	name[length] = '\0';
	walk->at += length;
	r = length == 1 && name[0] == '.' ? 0 : enter(walk, name);
	return r < 0 ? r : 1;
}

int path_walk(const struct walk_rules *rules, const char *path, int *ret_fd, char ret_real[static PATH_MAX],
	      enum opener_reason *ret_reason)
{
	struct walk walk = {.rules = rules, .fd = -1, .reason = OPENER_NOT_READABLE};
	size_t length = strlen(path);
	int r = length < sizeof(walk.rest) ? 0 : -ENAMETOOLONG;

	ret_real[0] = '\0';
	if (!r) {
		memcpy(walk.rest, path, length + 1);
		walk.own = length;
		r = start(&walk);
	}
	while (!r && (r = step(&walk)) > 0)
		r = 0;
	*ret_reason = walk.reason;
	if (r == -ENOENT)
		(void)snprintf(ret_real, PATH_MAX, "%.*s", (int)(length - own_left(&walk)), path);
	if (r < 0) {
		move_to(&walk, -1);
		return r;
	}
	memcpy(ret_real, walk.real, strlen(walk.real) + 1);
	*ret_fd = walk.fd;
	return 0;
}

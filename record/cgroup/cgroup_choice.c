/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "record/cgroup/cgroup_choice.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <mntent.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <linux/magic.h>

#include "common/cleanup.h"
#include "common/container/container.h"
#include "common/log.h"

enum { MOST_DEPTH = 64, NAMED = 8, NAMED_TEXT = 512 };

struct search {
	const struct record_who *who;
	struct filter_cgroups *found;
	char path[PATH_MAX]; /* of the folder at hand, below the mount; "" is the mount itself */
	size_t length;
	char seen[NAMED_TEXT]; /* containers, for the message */
	size_t containers, named;
};

/* --- the mount --- */

static bool is_cgroup2(const char *path)
{
	struct statfs system;

	return !statfs(path, &system) && system.f_type == CGROUP2_SUPER_MAGIC;
}

static bool find_mount(char path[static PATH_MAX])
{
	_cleanup_fclose_ FILE *mounts = fopen("/proc/self/mounts", "re");
	char text[2 * PATH_MAX];
	struct mntent entry;
	bool found = false;

	while (mounts && !found && getmntent_r(mounts, &entry, text, sizeof(text)))
		if (!strcmp(entry.mnt_type, "cgroup2") && strlen(entry.mnt_dir) < PATH_MAX) {
			(void)snprintf(path, PATH_MAX, "%s", entry.mnt_dir);
			found = is_cgroup2(path);
		}
	return found;
}

static int say_no_mount(const struct record_who *who)
{
	return log_error(ENODEV, "--%s chooses by control groups of version 2, which are not mounted here: boot with "
				 "systemd.unified_cgroup_hierarchy=1, or mount -t cgroup2 none /sys/fs/cgroup",
			 who->container ? "container" : "cgroup");
}

/* --- what fits --- */

static void note_container(struct search *search, const char *id)
{
	size_t used = strlen(search->seen);

	search->containers++;
	if (search->named == NAMED)
		return;
	search->named++;
	(void)snprintf(search->seen + used, sizeof(search->seen) - used, "%s%.*s", used ? ", " : "",
		       CONTAINER_SHORT, id);
}

static bool container_is_wanted(struct search *search)
{
	char id[CONTAINER_ID + 1];

	if (!container_find(search->path, id))
		return false;
	note_container(search, id);
	return container_fits(search->who->container, id);
}

static bool is_wanted(struct search *search)
{
	const struct record_who *who = search->who;

	if (who->cgroup && !cgroup_path_fits(who->cgroup, search->length ? search->path : "/"))
		return false;
	return !who->container || container_is_wanted(search);
}

static int add(struct search *search, int folder)
{
	struct filter_cgroups *found = search->found;
	struct stat status;

	if (fstat(folder, &status) < 0)
		return 0; /* it was removed */
	if (found->count == RING_MAX_CGROUPS)
		return log_error(E2BIG, "more than %d control groups fit: choose one above them", RING_MAX_CGROUPS);
	found->ids[found->count++] = status.st_ino;
	return 0;
}

/* --- the tree --- */

static int look_below(struct search *search, DIR *folder, unsigned int depth);

static void enter(struct search *search, const char *name)
{
	int added = snprintf(search->path + search->length, sizeof(search->path) - search->length, "/%s", name);

	if (added > 0 && (size_t)added < sizeof(search->path) - search->length)
		search->length += (size_t)added;
}

/* If a control group matches, those below it are included. */
static int look_at(struct search *search, int parent, const char *name, unsigned int depth)
{
	const size_t before = search->length;
	int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC), r = 0;
	DIR *folder = fd < 0 ? NULL : fdopendir(fd);

	if (!folder) {
		if (fd >= 0)
			(void)close(fd);
		return 0;
	}
	enter(search, name);
	r = is_wanted(search) ? add(search, fd) : look_below(search, folder, depth);
	search->length = before;
	search->path[before] = '\0';
	(void)closedir(folder);
	return r;
}

static int look_below(struct search *search, DIR *folder, unsigned int depth)
{
	const struct dirent *entry;
	int r = 0;

	while (depth < MOST_DEPTH && !r && (entry = readdir(folder)))
		if (entry->d_type == DT_DIR && strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
			r = look_at(search, dirfd(folder), entry->d_name, depth + 1);
	return r;
}

/* Reports a directory of another file system, which matches nothing. */
static int check_folder(const char *path)
{
	struct stat status;

	if (*path != '/' || stat(path, &status) < 0 || !S_ISDIR(status.st_mode) || is_cgroup2(path))
		return 0;
	return log_error(EINVAL, "'%s' is not a control group of version 2, such as /sys/fs/cgroup/system.slice", path);
}

static int say_none(const struct search *search)
{
	const struct record_who *who = search->who;

	if (who->cgroup && check_folder(who->cgroup) < 0)
		return -EINVAL;
	if (!who->container)
		return log_error(ENOENT, "no control group fits --cgroup '%s'; 'systemd-cgls' and /proc/PID/cgroup "
					 "have their paths", who->cgroup);
	if (!search->containers)
		return log_error(ENOENT, "no control group of version 2 is a container's, as --container '%s' wants",
				 who->container);
	return log_error(ENOENT, "no container fits --container '%s'; there %s %s%s", who->container,
			 search->containers == 1 ? "is" : "are", search->seen,
			 search->containers > search->named ? " and others" : "");
}

/* The pattern relative to the mount. */
static const char *without_mount(const char *pattern, const char *mount)
{
	const size_t length = strlen(mount);

	if (strncmp(pattern, mount, length) != 0 || (pattern[length] && pattern[length] != '/'))
		return pattern;
	return pattern[length] ? pattern + length : "/";
}

static int search_mount(struct search *search, const char *mount)
{
	DIR *folder = opendir(mount);
	int r;

	if (!folder)
		return log_error(errno, "cannot read '%s': %s", mount, strerror(errno));
	r = is_wanted(search) ? add(search, dirfd(folder)) : look_below(search, folder, 0);
	(void)closedir(folder);
	if (r < 0)
		return r;
	return search->found->count ? 0 : say_none(search);
}

int cgroup_choice_make(const struct record_who *who, struct filter_cgroups *cgroups)
{
	struct record_who below = *who;
	struct search search = {.who = &below, .found = cgroups};
	char mount[PATH_MAX];
	struct stat status;

	if (!who->cgroup && !who->container)
		return 0;
	if (who->cgroup && !who->container && is_cgroup2(who->cgroup) && !stat(who->cgroup, &status)) {
		cgroups->ids[cgroups->count++] = status.st_ino; /* of any mount */
		return 0;
	}
	if (!find_mount(mount))
		return say_no_mount(who);
	if (who->cgroup)
		below.cgroup = without_mount(who->cgroup, mount);
	return search_mount(&search, mount);
}

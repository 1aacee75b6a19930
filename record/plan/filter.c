/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "record/plan/filter.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include <linux/magic.h>

#include "common/log.h"

/* "system.slice" and "/system.slice", as /proc/PID/cgroup has it, are below the mount. */
static int say_unreachable(const char *path, int error)
{
	char full[PATH_MAX];
	struct statfs system;

	(void)snprintf(full, sizeof(full), "/sys/fs/cgroup/%s", path + strspn(path, "/"));
	if (statfs(full, &system) < 0 || system.f_type != CGROUP2_SUPER_MAGIC)
		return log_error(error, "cannot access cgroup '%s': %s", path, strerror(error));
	return log_error(error, "cannot access cgroup '%s': %s; did you mean '%s'?", path, strerror(error), full);
}

/* A cgroup's id is the inode of its directory in the cgroup v2 file system. */
static int find_cgroup(const char *path, __u64 *ret_id)
{
	struct statfs system;
	struct stat status;

	if (statfs(path, &system) < 0 || stat(path, &status) < 0)
		return say_unreachable(path, errno);
	if (system.f_type != CGROUP2_SUPER_MAGIC || !S_ISDIR(status.st_mode))
		return log_error(EINVAL, "'%s' is not a cgroup v2 directory such as "
					 "/sys/fs/cgroup/system.slice", path);
	*ret_id = status.st_ino;
	return 0;
}

static int compile_regex(struct filter *filter, const char *pattern)
{
	int r = comm_regex_init(&filter->regex, pattern);

	if (r < 0)
		return r;
	filter->late = !filter->regex.fits;
	if (filter->late)
		log_info("-c '%s' is too large for BPF: the recorder applies it, at a higher cost", pattern);
	else
		filter->knobs.filters |= RING_FILTER_COMM;
	return 0;
}

int filter_init(struct filter *filter, const struct record_who *who, bool follow)
{
	int r = 0;

	memset(filter, 0, sizeof(*filter));
	filter->tgids = &who->pids;
	filter->tids = &who->tids;
	if (who->pids.count || who->tids.count)
		filter->knobs.filters |= RING_FILTER_IDS;
	if (who->user_threads)
		filter->knobs.filters |= RING_FILTER_USER_THREADS;
	if (who->kernel_threads)
		filter->knobs.filters |= RING_FILTER_KERNEL_THREADS;
	if (who->cpus)
		filter->knobs.filters |= RING_FILTER_CPUS;
	if (follow)
		filter->knobs.filters |= RING_FILTER_FOLLOWED;
	if (who->cgroup) {
		filter->knobs.filters |= RING_FILTER_CGROUP;
		r = find_cgroup(who->cgroup, &filter->knobs.cgroup_id);
	}
	if (r >= 0 && who->command)
		r = compile_regex(filter, who->command);
	return r;
}

void filter_deinit(struct filter *filter)
{
	comm_regex_deinit(&filter->regex);
}

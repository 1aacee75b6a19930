/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "record/filter.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include <linux/magic.h>

#include "common/log.h"

/* A cgroup's number is the inode of its directory in the cgroup v2 file system. */
static int find_cgroup(const char *path, __u64 *ret_id)
{
	struct statfs system;
	struct stat status;

	if (statfs(path, &system) < 0 || stat(path, &status) < 0)
		return log_error(errno, "cannot look at cgroup \"%s\": %s", path, strerror(errno));
	if (system.f_type != CGROUP2_SUPER_MAGIC || !S_ISDIR(status.st_mode))
		return log_error(EINVAL, "\"%s\" is no directory of a cgroup v2 file system (as in /sys/fs/cgroup/...)",
				 path);
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
		log_info("-c \"%s\" is too large for the kernel side: applied by the recorder, at more cost", pattern);
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

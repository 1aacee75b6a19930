/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "record/machine/cpus.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/log.h"
#include "common/options/options.h"

#define CPU_FOLDER "/sys/devices/system/cpu/"

/* A kernel's list of CPUs: "0-3,7\n". */
static int read_list(int fd, struct cpu_set *ret_set)
{
	char text[4096];
	ssize_t length = pread(fd, text, sizeof(text) - 1, 0);

	if (length < 0)
		return -errno;
	text[length] = '\0';
	text[strcspn(text, "\n")] = '\0';
	if (!*text)
		return -ENODATA;
	return options_parse_list(text, ret_set->words, RWK_MAX_CPUS);
}

static int read_possible(struct cpus *cpus)
{
	_cleanup_close_ int fd = open(CPU_FOLDER "possible", O_RDONLY | O_CLOEXEC);
	int r = fd < 0 ? -errno : read_list(fd, &cpus->all);

	if (r < 0)
		return log_error(-r, "cannot read '" CPU_FOLDER "possible': %s", strerror(-r));
	for (uint32_t cpu = 0; cpu < RWK_MAX_CPUS; cpu++)
		if (cpu_set_has(&cpus->all, cpu))
			cpus->possible = cpu + 1;
	return 0;
}

static int parse_wanted(struct cpus *cpus, const char *list)
{
	int r;

	if (!list) {
		memset(&cpus->wanted, 0xff, sizeof(cpus->wanted));
		return 0;
	}
	r = options_parse_list(list, cpus->wanted.words, RWK_MAX_CPUS);
	if (r < 0)
		return log_error(EINVAL, "-P expects CPUs such as 0-3,7, not '%s'", list);
	for (uint32_t cpu = cpus->possible; cpu < RWK_MAX_CPUS; cpu++)
		if (cpu_set_has(&cpus->wanted, cpu))
			return log_error(EINVAL, "-P %s: this machine has no CPU %u", list, cpu);
	return 0;
}

int cpus_open(struct cpus *cpus, const char *list)
{
	_cleanup_close_ int fd = -1;
	int r;

	cpus->online_fd = -1;
	r = read_possible(cpus);
	if (r < 0)
		return r;
	r = parse_wanted(cpus, list);
	if (r < 0)
		return r;
	fd = open(CPU_FOLDER "online", O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return log_error(errno, "cannot open '" CPU_FOLDER "online': %s", strerror(errno));
	cpus->online_fd = steal_fd(&fd);
	return 0;
}

void cpus_close(struct cpus *cpus)
{
	if (cpus->online_fd >= 0)
		(void)close(cpus->online_fd);
	cpus->online_fd = -1;
}

int cpus_online_all(const struct cpus *cpus, struct cpu_set *ret_set)
{
	struct cpu_set set = {0};
	int r = read_list(cpus->online_fd, &set);

	if (r >= 0)
		*ret_set = set;
	return r;
}

int cpus_online(const struct cpus *cpus, struct cpu_set *ret_set)
{
	struct cpu_set set;
	int r = cpus_online_all(cpus, &set);

	if (r < 0)
		return r;
	for (size_t i = 0; i < RWK_MAX_CPUS / 64; i++)
		ret_set->words[i] = set.words[i] & cpus->wanted.words[i];
	return 0;
}

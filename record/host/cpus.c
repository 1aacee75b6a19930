/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "record/host/cpus.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/log.h"
#include "common/options/options.h"
#include "common/time_units.h"

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

/* --- how long CPUs ran tasks --- */

enum { ROW_BYTES = 256 };

int cpu_busy_open(struct cpu_busy *busy, uint32_t count)
{
	*busy = (struct cpu_busy){.fd = -1, .count = count, .room = (size_t)ROW_BYTES * (count + 1)};
	busy->text = malloc(busy->room);
	busy->begin = calloc(count, sizeof(*busy->begin));
	busy->end = calloc(count, sizeof(*busy->end));
	if (!busy->text || !busy->begin || !busy->end) {
		cpu_busy_close(busy);
		return -ENOMEM;
	}
	busy->fd = open("/proc/stat", O_RDONLY | O_CLOEXEC);
	return 0;
}

void cpu_busy_close(struct cpu_busy *busy)
{
	if (busy->fd >= 0)
		(void)close(busy->fd);
	free(busy->text);
	free(busy->begin);
	free(busy->end);
	*busy = (struct cpu_busy){.fd = -1};
}

/*
 * Parses the rows "cpuN user nice system idle iowait ..." of a text, in ticks (`ticks` per
 * second), into accounts by CPU, below count.
 */
static void cpu_busy_parse(const char *text, long ticks, struct cpu_account *accounts, uint32_t count)
{
	uint64_t tick = SECOND / (uint64_t)ticks;
	const char *end;

	memset(accounts, 0, count * sizeof(*accounts));
	for (const char *row = text; row && !strncmp(row, "cpu", 3); row = (end = strchr(row, '\n')) ? end + 1 : NULL) {
		uint64_t user, nice, system, idle, waiting;
		uint32_t cpu;

		if (row[3] == ' ') /* of all CPUs together */
			continue;
		if (sscanf(row,
			   "cpu%" SCNu32 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64,
			   &cpu, &user, &nice, &system, &idle, &waiting) == 6 && cpu < count)
			accounts[cpu] = (struct cpu_account){(user + nice + system) * tick, (idle + waiting) * tick};
	}
}

static void look(struct cpu_busy *busy, struct cpu_account *accounts)
{
	ssize_t length = busy->fd < 0 ? 0 : pread(busy->fd, busy->text, busy->room - 1, 0);

	if (!busy->count)
		return;
	busy->text[length > 0 ? length : 0] = '\0';
	cpu_busy_parse(busy->text, sysconf(_SC_CLK_TCK), accounts, busy->count);
}

void cpu_busy_begin(struct cpu_busy *busy)
{
	look(busy, busy->begin);
}

void cpu_busy_end(struct cpu_busy *busy)
{
	look(busy, busy->end);
}

static bool is_known(const struct cpu_account *begin, const struct cpu_account *end)
{
	return (begin->ran || begin->idle) && end->ran >= begin->ran && end->idle >= begin->idle;
}

bool cpu_busy_time(const struct cpu_busy *busy, uint32_t cpu, uint64_t elapsed, uint64_t *ret_ns)
{
	uint64_t ran, idle;

	if (cpu >= busy->count || !is_known(&busy->begin[cpu], &busy->end[cpu]))
		return false;
	ran = busy->end[cpu].ran - busy->begin[cpu].ran;
	idle = busy->end[cpu].idle - busy->begin[cpu].idle;
	if (ran > elapsed || idle > elapsed - ran)
		ran = elapsed > idle ? elapsed - idle : 0;
	*ret_ns = ran;
	return true;
}

/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "record/machine/cpu_busy.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/time_units.h"

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

void cpu_busy_parse(const char *text, long ticks, struct cpu_account *accounts, uint32_t count)
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

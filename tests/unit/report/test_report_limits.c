/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The default limit of memory, on made-up machines and control groups. */
#include "report/report_limits.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "report/host_memory.h"
#include "tests/test.h"

enum { MB = 1 << 20 };

struct file {
	const char *path, *text;
};

struct machine {
	const char *name;
	struct file files[6];
	uint64_t memory;
};

#define MEMINFO_4G {"proc/meminfo", "MemFree: 9 kB\nMemTotal:        4194304 kB\nMemAvailable: 7 kB\n"}

static const struct machine machines[] = {
	{"nothing is known", {{0}}, UINT64_MAX},
	{"no groups", {MEMINFO_4G}, 4096ull * MB},
	{"v2",
	 {MEMINFO_4G, {"proc/self/cgroup", "0::/a/b\n"}, {"groups/a/b/memory.max", "536870912\n"}},
	 512ull * MB},
	{"v2, no limit",
	 {MEMINFO_4G, {"proc/self/cgroup", "0::/a/b\n"}, {"groups/a/b/memory.max", "max\n"}},
	 4096ull * MB},
	{"v2, the one above has less",
	 {MEMINFO_4G, {"proc/self/cgroup", "0::/a/b\n"}, {"groups/a/b/memory.max", "536870912\n"},
	  {"groups/a/memory.max", "268435456\n"}},
	 256ull * MB},
	{"v2, seen from within",
	 {MEMINFO_4G, {"proc/self/cgroup", "0::/\n"}, {"groups/memory.max", "134217728\n"}},
	 128ull * MB},
	{"v1",
	 {MEMINFO_4G, {"proc/self/cgroup", "9:cpu:/x\n4:memory:/a\n0::/\n"},
	  {"groups/memory/a/memory.limit_in_bytes", "1048576\n"}},
	 1 * MB},
	{"v1, the path is that of outside",
	 {MEMINFO_4G, {"proc/self/cgroup", "4:memory:/docker/0123\n"},
	  {"groups/memory/memory.limit_in_bytes", "2097152\n"}},
	 2 * MB},
	{"v1, another's limit",
	 {MEMINFO_4G, {"proc/self/cgroup", "4:cpu,memory_x:/a\n0::/:memory:/a\n"},
	  {"groups/memory/a/memory.limit_in_bytes", "1048576\n"}},
	 4096ull * MB},
	{"beside v1",
	 {MEMINFO_4G, {"proc/self/cgroup", "0::/a\n"}, {"groups/unified/a/memory.max", "3145728\n"}},
	 3 * MB},
	{"more than the machine has",
	 {MEMINFO_4G, {"proc/self/cgroup", "4:memory:/\n"},
	  {"groups/memory/memory.limit_in_bytes", "9223372036854771712\n"}},
	 4096ull * MB},
};

static void write_file(const char *top, const struct file *file)
{
	char path[256];
	FILE *stream;

	(void)snprintf(path, sizeof(path), "%s/%s", top, file->path);
	for (char *slash = path + strlen(top) + 1; (slash = strchr(slash, '/')); *slash++ = '/') {
		*slash = '\0';
		(void)mkdir(path, 0700);
	}
	stream = fopen(path, "we");
	if (!stream || fputs(file->text, stream) < 0 || fclose(stream))
		abort();
}

static uint64_t memory_of(const struct machine *machine)
{
	char top[] = "/tmp/rwalker-test-XXXXXX", proc[64], groups[64], command[64];
	uint64_t memory;

	if (!mkdtemp(top))
		abort();
	for (const struct file *file = machine->files; file->path; file++)
		write_file(top, file);
	(void)snprintf(proc, sizeof(proc), "%s/proc", top);
	(void)snprintf(groups, sizeof(groups), "%s/groups", top);
	memory = host_memory(proc, groups);
	(void)snprintf(command, sizeof(command), "rm -r %s", top);
	if (system(command))
		abort();
	return memory;
}

static void knows_what_there_is(struct test *t)
{
	for (size_t i = 0; i < sizeof(machines) / sizeof(machines[0]); i++) {
		const uint64_t memory = memory_of(&machines[i]);

		test_check(t, memory == machines[i].memory, "%s: %llu bytes, not %llu", machines[i].name,
			   (unsigned long long)memory, (unsigned long long)machines[i].memory);
	}
}

/* At most what the kernel says this machine has; a control group may allow less. */
static void this_machine_has_some(struct test *t)
{
	const uint64_t memory = host_memory("/proc", "/sys/fs/cgroup");

	CHECK(t, memory > 0);
	CHECK(t, memory <= (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE));
}

static void the_limit_is_a_share(struct test *t)
{
	CHECK(t, report_limits_memory(UINT64_MAX) == 2048ull * MB);
	CHECK(t, report_limits_memory(64ull << 30) == 2048ull * MB);
	CHECK(t, report_limits_memory(6144ull * MB) == 2048ull * MB);
	CHECK(t, report_limits_memory(3072ull * MB) == 1024ull * MB);
	CHECK(t, report_limits_memory(600ull * MB) == 200ull * MB);
}

TEST_MAIN(TEST(knows_what_there_is), TEST(this_machine_has_some), TEST(the_limit_is_a_share))

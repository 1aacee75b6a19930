/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* What /proc and /sys show, to anybody or to root. */
#include "record/check/check_host.h"

#include <errno.h>
#include <inttypes.h>
#include <linux/types.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "bpf/ring_event.h"
#include "common/gate/confine.h"
#include "record/machine/cpus.h"
#include "record/machine/host.h"
#include "record/machine/kallsyms.h"
#include "record/machine/namespaces.h"
#include "record/machine/requirements.h"
#include "record/machine/small_file.h"
#include "record/probe/probe_user_way.h"

enum { RING_MB = 8, SOURCES = 2, OWN_MB = 20 }; /* of samples and waits; of all else */

static const struct {
	uint64_t set;
	const char *name;
} names[] = {
	{CAPABILITY(BPF), "BPF"}, {CAPABILITY(PERFMON), "PERFMON"}, {CAPABILITY(SYSLOG), "SYSLOG"},
	{CAPABILITY(SYS_PTRACE), "SYS_PTRACE"}, {CAPABILITY(DAC_READ_SEARCH), "DAC_READ_SEARCH"},
	{CAPABILITY(CHECKPOINT_RESTORE), "CHECKPOINT_RESTORE"}, {CAPABILITY(SETUID), "SETUID"},
	{CAPABILITY(SETGID), "SETGID"}, {CAPABILITY(SETPCAP), "SETPCAP"},
};
enum { REQUIRED_NAMES = 3, ALL_NAMES = sizeof(names) / sizeof(names[0]) };

__attribute__((format(printf, 3, 4)))
static void say(struct check_row *row, enum check_verdict verdict, const char *format, ...)
{
	va_list arguments;

	row->verdict = verdict;
	va_start(arguments, format);
	(void)vsnprintf(row->means, sizeof(row->means), format, arguments);
	va_end(arguments);
}

void check_kernel(struct check_row *row)
{
	struct utsname host = {0};

	row->remedy = "boot " REQUIREMENTS_KERNEL " or later";
	(void)uname(&host);
	say(row, requirements_recent(host.release) ? CHECK_YES : CHECK_NO, "Linux %.100s", host.release);
}

void check_types(struct check_row *row)
{
	row->remedy = "a kernel with CONFIG_DEBUG_INFO_BTF, and /sys mounted";
	if (requirements_types())
		say(row, CHECK_YES, REQUIREMENTS_TYPES);
	else
		say(row, CHECK_NO, "'" REQUIREMENTS_TYPES "' cannot be read: no program can be loaded");
}

void check_lockdown(struct check_row *row)
{
	row->remedy = "boot without lockdown=confidentiality; lockdown=integrity is fine";
	if (requirements_confidential())
		say(row, CHECK_NO, "confidentiality: BPF cannot read the kernel's memory");
	else
		say(row, CHECK_YES, "the kernel's memory may be read");
}

/* Those of names[first..end) that are in the set, as text. */
static void list_names(char *text, size_t room, uint64_t set, size_t first, size_t end)
{
	size_t at = 0;

	*text = '\0';
	for (size_t i = first; i < end && at < room; i++)
		if (set & names[i].set)
			at += (size_t)snprintf(text + at, room - at, " CAP_%s", names[i].name);
}

void check_capabilities(struct check_row *row)
{
	char text[128];

	list_names(text, sizeof(text), privileges_missing(), 0, REQUIRED_NAMES);
	row->remedy = "run it with sudo, or as a service with these capabilities";
	if (*text)
		say(row, CHECK_NO, "missing:%s", text);
	else
		say(row, CHECK_YES, "CAP_BPF CAP_PERFMON CAP_SYSLOG");
}

void check_helper_capabilities(struct check_row *row)
{
	uint64_t effective = 0;
	char text[140];

	(void)capabilities_effective(&effective);
	list_names(text, sizeof(text), ~effective, REQUIRED_NAMES, ALL_NAMES);
	row->remedy = "run it with sudo: else mappings and names of other users' programs are missing";
	if (*text)
		say(row, CHECK_LIMITED, "missing:%s", text);
	else
		say(row, CHECK_YES, "mappings and names of all programs can be read");
}

void check_pid_namespace(struct check_row *row)
{
	row->remedy = NAMESPACES_PID_REMEDY;
	if (namespaces_pid_is_hosts())
		say(row, CHECK_YES, "the host's");
	else
		say(row, CHECK_NO, "its own: processes have other numbers than in the kernel");
}

void check_time_namespace(struct check_row *row)
{
	int own = -1, r = namespaces_enter_time(&own);

	row->remedy = NAMESPACES_TIME_REMEDY;
	if (r < 0)
		say(row, CHECK_NO, "its own, and the host's cannot be entered: %s", strerror(-r));
	else
		say(row, CHECK_YES, own < 0 ? "the host's" : "its own; a recording enters the host's");
	if (own >= 0)
		(void)close(own);
}

void check_kernel_names(struct check_row *row)
{
	struct kallsyms table = {0};
	int r = kallsyms_read(&table);

	row->remedy = "CAP_SYSLOG, kernel.kptr_restrict below 2, and a /proc/kallsyms that nothing masks";
	if (r < 0)
		say(row, CHECK_NO, "/proc/kallsyms: %s", r == -EPERM ? "addresses are hidden" : strerror(-r));
	else if (!table.symbols.count)
		say(row, CHECK_NO, "/proc/kallsyms names no function");
	else
		say(row, CHECK_YES, "/proc/kallsyms names %zu functions", (size_t)table.symbols.count);
	kallsyms_deinit(&table);
}

void check_paranoid(struct check_row *row)
{
	enum { DEBIAN_ROOT_ONLY = 3 };
	uint64_t effective = 0;
	char text[32];

	(void)capabilities_effective(&effective);
	small_file_read("/proc/sys/kernel/perf_event_paranoid", text, sizeof(text));
	text[strcspn(text, "\n")] = '\0';
	row->remedy = "run it with sudo: CAP_PERFMON stands above this setting";
	if (!*text)
		say(row, CHECK_NO, "this kernel has no perf events: no samples, and no sideband for user stacks");
	else if (privileges_missing() & CAPABILITY(PERFMON))
		say(row, CHECK_LIMITED, "%s: binds whoever has no CAP_PERFMON", text);
	else if (strtol(text, NULL, 10) >= DEBIAN_ROOT_ONLY && !(effective & CAPABILITY(SYS_ADMIN)))
		say(row, CHECK_LIMITED, "%s: Debian's kernels ask for CAP_SYS_ADMIN as well", text);
	else
		say(row, CHECK_YES, "%s: does not bind CAP_PERFMON", text);
}

void check_kprobes(struct check_row *row)
{
	row->remedy = "a kernel with CONFIG_KPROBE_EVENTS";
	if (kernel_has_kprobes())
		say(row, CHECK_YES, "perf events can open them");
	else
		say(row, CHECK_LIMITED, "none: before Linux 6.18 user stacks of waits cost every system call, "
					"and --kfunc reaches fewer functions");
}

void check_tracefs(struct check_row *row)
{
	row->remedy = "run it with sudo, or: mount -t tracefs tracefs /sys/kernel/tracing";
	if (!access("/sys/kernel/tracing/events", R_OK | X_OK) ||
	    !access("/sys/kernel/debug/tracing/events", R_OK | X_OK))
		say(row, CHECK_YES, "tracepoints and traceable functions are listed");
	else
		say(row, CHECK_LIMITED, "cannot be read: tracepoints are known without their categories");
}

void check_debugfs(struct check_row *row)
{
	row->remedy = "run it with sudo, or: mount -t debugfs debugfs /sys/kernel/debug";
	if (!access("/sys/kernel/debug/kprobes/blacklist", R_OK))
		say(row, CHECK_YES, "functions that must not be traced are listed");
	else
		say(row, CHECK_LIMITED, "cannot be read: --kfunc finds out by trying what cannot be traced");
}

void check_psi(struct check_row *row)
{
	char text[64];

	small_file_read("/proc/pressure/cpu", text, sizeof(text));
	row->remedy = "boot with psi=1 (CONFIG_PSI)";
	if (*text)
		say(row, CHECK_YES, "/proc/pressure");
	else
		say(row, CHECK_NO, "no stall figures in /proc/pressure; recording does not need them");
}

void check_cgroups(struct check_row *row)
{
	row->remedy = "boot with systemd.unified_cgroup_hierarchy=1, or mount cgroup2 on /sys/fs/cgroup";
	if (!access("/sys/fs/cgroup/cgroup.controllers", R_OK))
		say(row, CHECK_YES, "/sys/fs/cgroup: --cgroup");
	else
		say(row, CHECK_LIMITED, "not on /sys/fs/cgroup: --cgroup needs another mount of it");
}

/* Rings are shared by CPUs whose numbers are near. */
static uint64_t shards(const struct cpu_set *online, uint32_t possible)
{
	uint64_t count = 0, end = 0; /* of the last one: a CPU */

	for (uint32_t cpu = 0; cpu < possible; cpu++)
		if (cpu >= end && cpu_set_has(online, cpu)) {
			end = (cpu / RING_CPUS_PER_SHARD + 1) * RING_CPUS_PER_SHARD;
			count++;
		}
	return count;
}

void check_memory(struct check_row *row)
{
	struct cpus cpus = {.online_fd = -1};
	struct cpu_set online = {0};
	uint64_t available = host_memory_free() >> 20, needed;

	if (cpus_open(&cpus, NULL) < 0 || cpus_online_all(&cpus, &online) < 0)
		return say(row, CHECK_UNKNOWN, "the CPUs are not known");
	needed = OWN_MB + shards(&online, cpus.possible) * SOURCES * RING_MB;
	cpus_close(&cpus);
	row->remedy = "smaller rings (--ringbuf-size), or more memory";
	say(row, available >= needed ? CHECK_YES : CHECK_NO,
	    "samples and waits take about %" PRIu64 " MB; %" PRIu64 " MB are available", needed, available);
}

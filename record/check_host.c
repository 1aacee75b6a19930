/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "record/check_host.h"

#include <errno.h>
#include <inttypes.h>
#include <linux/types.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "bpf/ring.h"
#include "common/cleanup.h"
#include "common/gate/confine.h"
#include "record/host/cpus.h"
#include "record/host/host.h"
#include "record/host/kallsyms.h"
#include "record/host/requirements.h"
#include "record/perf/perf_event.h"
#include "record/plan/budget.h"
#include "record/plan/filter.h"
#include "record/probe/points.h"
#include "record/probe/probe.h"

enum check_verdict { CHECK_YES, CHECK_LIMITED, CHECK_NO, CHECK_UNKNOWN /* not without more rights */ };

struct check_row {
	const char *what;
	bool required; /* a default recording needs it */
	enum check_verdict verdict;
	char means[160];
	const char *remedy; /* NULL: none is needed */
};

/* --- what /proc and /sys show, to anybody or to root --- */

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

static void say_if(struct check_row *row, bool good, const char *what, enum check_verdict otherwise, const char *instead)
{
	say(row, good ? CHECK_YES : otherwise, "%s", good ? what : instead);
}

static void check_kernel(struct check_row *row)
{
	struct utsname host = {0};

	row->remedy = "boot " REQUIREMENTS_KERNEL " or later";
	(void)uname(&host);
	say(row, requirements_recent(host.release) ? CHECK_YES : CHECK_NO, "Linux %.100s", host.release);
}

static void check_types(struct check_row *row)
{
	row->remedy = "a kernel with CONFIG_DEBUG_INFO_BTF, and /sys mounted";
	say_if(row, requirements_types(), REQUIREMENTS_TYPES, CHECK_NO,
	       "'" REQUIREMENTS_TYPES "' cannot be read: no program can be loaded");
}

static void check_lockdown(struct check_row *row)
{
	row->remedy = "boot without lockdown=confidentiality; lockdown=integrity is fine";
	say_if(row, !requirements_confidential(), "the kernel's memory may be read", CHECK_NO,
	       "confidentiality: BPF cannot read the kernel's memory");
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

static void check_capabilities(struct check_row *row)
{
	char text[128];

	list_names(text, sizeof(text), privileges_missing(), 0, REQUIRED_NAMES);
	row->remedy = "run it with sudo, or as a service with these capabilities";
	if (*text)
		say(row, CHECK_NO, "missing:%s", text);
	else
		say(row, CHECK_YES, "CAP_BPF CAP_PERFMON CAP_SYSLOG");
}

static void check_helper_capabilities(struct check_row *row)
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

static void check_pid_namespace(struct check_row *row)
{
	row->remedy = NAMESPACES_PID_REMEDY;
	say_if(row, namespaces_pid_is_hosts(), "the host's", CHECK_NO,
	       "its own: processes have other numbers than in the kernel");
}

static void check_time_namespace(struct check_row *row)
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

static void check_kernel_names(struct check_row *row)
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

static void check_paranoid(struct check_row *row)
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

static void check_kprobes(struct check_row *row)
{
	row->remedy = "a kernel with CONFIG_KPROBE_EVENTS";
	say_if(row, kernel_has_kprobes(),
	       "perf events can open them", CHECK_LIMITED,
	       "none: before Linux 6.18 user stacks of waits cost every system call, and --kfunc reaches fewer functions");
}

static void check_tracefs(struct check_row *row)
{
	row->remedy = "run it with sudo, or: mount -t tracefs tracefs /sys/kernel/tracing";
	say_if(row, !access("/sys/kernel/tracing/events", R_OK | X_OK) ||
	       !access("/sys/kernel/debug/tracing/events", R_OK | X_OK),
	       "tracepoints and traceable functions are listed", CHECK_LIMITED,
	       "cannot be read: tracepoints are known without their categories");
}

static void check_debugfs(struct check_row *row)
{
	row->remedy = "run it with sudo, or: mount -t debugfs debugfs /sys/kernel/debug";
	say_if(row, !access("/sys/kernel/debug/kprobes/blacklist", R_OK),
	       "functions that must not be traced are listed", CHECK_LIMITED,
	       "cannot be read: --kfunc finds out by trying what cannot be traced");
}

static void check_psi(struct check_row *row)
{
	char text[64];

	small_file_read("/proc/pressure/cpu", text, sizeof(text));
	row->remedy = "boot with psi=1 (CONFIG_PSI)";
	if (*text)
		say(row, CHECK_YES, "/proc/pressure");
	else
		say(row, CHECK_NO, "no stall figures in /proc/pressure; recording does not need them");
}

static void check_cgroups(struct check_row *row)
{
	row->remedy = "boot with systemd.unified_cgroup_hierarchy=1, or mount cgroup2 on /sys/fs/cgroup";
	say_if(row, !access("/sys/fs/cgroup/cgroup.controllers", R_OK), "/sys/fs/cgroup: --cgroup", CHECK_LIMITED,
	       "not on /sys/fs/cgroup: --cgroup needs another mount of it");
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

static void check_memory(struct check_row *row)
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

/* --- what loading programs and opening events as a recording does shows; they are closed again --- */

enum { SMALL_RING = 64 << 10 }; /* bytes: memory is checked separately */

static const char *const as_root = "run this with sudo: only root can try";

struct trial {
	struct cpus cpus;
	struct filter filter;
	struct probe *probe;
};

static int trial_open(struct trial *trial, struct probe_settings settings)
{
	static const struct record_who everybody;
	int r;

	*trial = (struct trial){.cpus = {.online_fd = -1}};
	r = cpus_open(&trial->cpus, NULL);
	if (r >= 0)
		r = filter_init(&trial->filter, &everybody, false);
	settings.cpus = &trial->cpus;
	settings.filter = &trial->filter;
	settings.max_frames = probe_max_frames();
	settings.ring_bytes = SMALL_RING;
	return r < 0 ? r : probe_create(&settings, &trial->probe);
}

static void trial_close(struct trial *trial)
{
	probe_destroy(trial->probe);
	filter_deinit(&trial->filter);
	cpus_close(&trial->cpus);
}

/* False: there is no need to try. */
static bool may_try(struct check_row *row)
{
	if (!privileges_missing())
		return true;
	row->verdict = CHECK_UNKNOWN;
	row->remedy = as_root;
	(void)snprintf(row->means, sizeof(row->means), "not tried: capabilities are missing");
	return false;
}

static void say_result(struct check_row *row, int r, const char *means)
{
	row->verdict = r < 0 ? CHECK_NO : CHECK_YES;
	row->remedy = "the rows above, and what the kernel says on stderr";
	if (r < 0)
		(void)snprintf(row->means, sizeof(row->means), "the kernel refused: %s", strerror(-r));
	else
		(void)snprintf(row->means, sizeof(row->means), "%s", means);
}

static void check_walks(struct check_row *row)
{
	struct trial trial;

	if (!may_try(row))
		return;
	say_result(row, trial_open(&trial, (struct probe_settings){.wants[PROBE_TASKS] = true}),
	      "its programs load: -a, -r, -s, -i");
	trial_close(&trial);
}

/* Opens the events of a profile as well. */
static int try_events(const struct trial *trial, bool *ret_software)
{
	const struct perf_event_settings settings = {.frequency = SAMPLE_RATE};
	struct perf_events events = {0};
	int r = perf_events_open(&events, &trial->cpus, &settings, probe_cpu_program(trial->probe));

	*ret_software = events.software;
	if (r >= 0)
		perf_events_close(&events);
	return r;
}

static int try_samples(bool *ret_software)
{
	struct trial trial;
	int r = trial_open(&trial, (struct probe_settings){.wants[PROBE_CPU] = true});

	if (r >= 0)
		r = try_events(&trial, ret_software);
	trial_close(&trial);
	return r;
}

static void check_samples(struct check_row *row)
{
	bool software;

	if (may_try(row))
		say_result(row, try_samples(&software), "its programs load and its events open: -p");
}

static void check_cycles(struct check_row *row)
{
	bool software = false;
	int r;

	if (!may_try(row))
		return;
	r = try_samples(&software);
	say_result(row, r, "samples are taken by hardware cycles");
	if (r < 0 || !software)
		return;
	row->verdict = CHECK_LIMITED;
	row->remedy = "in a virtual machine: let the hypervisor pass on its performance counters";
	(void)snprintf(row->means, sizeof(row->means), "there are none: samples are taken by the CPU clock");
}

static void check_waits(struct check_row *row)
{
	const struct ring_wait_knobs knobs = {
		.least = 1000000, .most = UINT64_MAX, .states = RING_STATES_ALL, .wakers = true, .user_stacks = true,
		.source = 1, .wakers_source = 2, .clock = RING_CLOCK_EXACT,
	};
	struct trial trial;
	int r;

	if (!may_try(row))
		return;
	r = trial_open(&trial, (struct probe_settings){.wants[PROBE_WAITS] = true, .waits = &knobs,
							.objects = true, .user_stacks = true});
	if (r >= 0) {
		r = probe_waits_attach(trial.probe);
		probe_waits_detach(trial.probe);
	}
	say_result(row, r, "its programs load and attach: --offcpu, --wakers, -u");
	trial_close(&trial);
}

static int try_point(const char *name, bool function)
{
	const struct record_points asked = {
		.items = {{.text = name, .length = (int)strlen(name), .function = function}}, .count = 1, .most = 1,
	};
	struct points points = {0};
	const struct probe_points_settings settings = {.points = &points, .first_source = 1};
	struct trial trial;
	int r = points_resolve(&asked, &points);

	if (r < 0)
		return r;
	r = trial_open(&trial, (struct probe_settings){.wants[PROBE_POINTS] = true, .points = &settings});
	trial_close(&trial);
	points_deinit(&points);
	return r;
}

static void check_tracepoints(struct check_row *row)
{
	if (may_try(row))
		say_result(row, try_point("sched_process_exit", false), "one was attached to: --trace");
}

static void check_functions(struct check_row *row)
{
	if (may_try(row))
		say_result(row, try_point("do_exit", true), "one was attached to: --kfunc");
}

/* --- the table --- */

static const struct {
	const char *what;
	bool required;
	void (*find)(struct check_row *row);
} checks[] = {
	{"kernel", true, check_kernel},
	{"kernel types (BTF)", true, check_types},
	{"lockdown", true, check_lockdown},
	{"capabilities", true, check_capabilities},
	{"... of helpers", false, check_helper_capabilities},
	{"pid namespace", true, check_pid_namespace},
	{"time namespace", true, check_time_namespace},
	{"kernel names", true, check_kernel_names},
	{"walks", true, check_walks},
	{"samples", true, check_samples},
	{"waits", true, check_waits},
	{"tracepoints", false, check_tracepoints},
	{"kernel functions", false, check_functions},
	{"hardware cycles", false, check_cycles},
	{"perf_event_paranoid", false, check_paranoid},
	{"kprobes", false, check_kprobes},
	{"tracefs", false, check_tracefs},
	{"debugfs", false, check_debugfs},
	{"pressure (PSI)", false, check_psi},
	{"cgroup v2", false, check_cgroups},
	{"memory", true, check_memory},
};

static void check_print(FILE *out, const struct check_row *row)
{
	static const char *const words[] = {
		[CHECK_YES] = "yes", [CHECK_LIMITED] = "limited", [CHECK_NO] = "no", [CHECK_UNKNOWN] = "?",
	};

	(void)fprintf(out, "%-20s %-8s %s\n", row->what, words[row->verdict], row->means);
	if (row->remedy && row->verdict != CHECK_YES)
		(void)fprintf(out, "%-20s %-8s -> %s\n", "", "", row->remedy);
}

int check_host(FILE *out)
{
	bool works = true;

	for (size_t i = 0; i < sizeof(checks) / sizeof(checks[0]); i++) {
		struct check_row row = {.what = checks[i].what, .required = checks[i].required};

		checks[i].find(&row);
		check_print(out, &row);
		works &= !row.required || row.verdict == CHECK_YES || row.verdict == CHECK_LIMITED;
	}
	(void)fprintf(out, "\n%s\n", works ? "A default recording works here." :
					    "A default recording does not work here, or not as this user.");
	return !works;
}

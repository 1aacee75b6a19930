/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "record/host/requirements.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/gate/confine.h"
#include "common/log.h"
#include "common/time_units.h"
#include "record/host/caller.h"
#include "record/host/host.h"

#define LOCKDOWN_FILE "/sys/kernel/security/lockdown"

enum { LEAST_MAJOR = 6, LEAST_MINOR = 1 };

bool requirements_recent(const char *release)
{
	unsigned int major = 0, minor = 0;

	return sscanf(release, "%u.%u", &major, &minor) == 2 &&
	       (major > LEAST_MAJOR || (major == LEAST_MAJOR && minor >= LEAST_MINOR));
}

bool requirements_types(void)
{
	return !access(REQUIREMENTS_TYPES, R_OK);
}

bool requirements_confidential(void)
{
	char text[128];

	small_file_read(LOCKDOWN_FILE, text, sizeof(text));
	return strstr(text, "[confidentiality]");
}

int requirements_check(void)
{
	struct utsname host;

	if (uname(&host) < 0)
		return log_error(ENOTSUP, "cannot determine the kernel's version");
	if (!requirements_recent(host.release))
		return log_error(ENOTSUP, "recording requires " REQUIREMENTS_KERNEL " or later; this kernel is %s",
				 host.release);
	if (!requirements_types())
		return log_error(ENOTSUP, "recording requires the kernel's types in '" REQUIREMENTS_TYPES
					  "' (CONFIG_DEBUG_INFO_BTF)");
	if (requirements_confidential())
		return log_error(EPERM, "this kernel is locked down (lockdown=confidentiality): "
					"BPF cannot read its memory, which recording requires");
	return 0;
}

/* --- privileges --- */

static const uint64_t KEPT = CAPABILITY(PERFMON) | CAPABILITY(BPF) | CAPABILITY(SYSLOG);

uint64_t privileges_missing(void)
{
	uint64_t effective = 0;

	return capabilities_effective(&effective) < 0 ? KEPT : KEPT & ~effective;
}

int privileges_check(void)
{
	if (!privileges_missing())
		return 0;
	return log_error(EPERM, "recording requires root (CAP_BPF, CAP_PERFMON and CAP_SYSLOG): "
				"run it with sudo");
}

static int user_leave(void)
{
	struct caller caller;

	if (geteuid())
		return 0;
	caller_get_unprivileged(&caller);
	if (prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0))
		return -errno;
	return caller_become(&caller);
}

int privileges_drop(void)
{
	const struct rlimit unlimited = {RLIM_INFINITY, RLIM_INFINITY};
	uint64_t effective = 0;
	int rc = capabilities_effective(&effective);

	(void)setrlimit(RLIMIT_MEMLOCK, &unlimited); /* for rings that are opened later */
	if (!rc)
		rc = capabilities_unbind();
	if (!rc)
		rc = user_leave();
	if (!rc)
		rc = capabilities_keep(effective & KEPT);
	if (!rc && (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_DUMPABLE, 0) ||
		    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0})))
		rc = -errno;
	return rc ? log_error(-rc, "cannot drop privileges: %s", strerror(-rc)) : 0;
}

/* --- what is asked for and is not there --- */

enum {
	LINE_BYTES = 64,
	LONG_SECONDS = 600,
	LOOKED_AT = 20000, /* threads: with more of them, the search ends */
};

static bool is_process(uint32_t pid)
{
	return !syscall(SYS_tgkill, pid, pid, 0) || errno != ESRCH;
}

static bool is_thread(uint32_t tid)
{
	char path[32];

	(void)snprintf(path, sizeof(path), "/proc/%" PRIu32, tid); /* not listed, but there */
	return !access(path, F_OK);
}

static size_t count_absent(const struct id_list *list, bool (*is_there)(uint32_t id), uint32_t *first)
{
	size_t absent = 0;

	for (size_t i = 0; i < list->count; i++)
		if (!is_there(list->items[i]) && !absent++)
			*first = list->items[i];
	return absent;
}

/* all: nothing would be recorded. */
static int say_absent(const char *what, uint32_t first, size_t absent, bool all)
{
	char more[48] = "";

	if (absent > 1)
		(void)snprintf(more, sizeof(more), ", nor %zu more", absent - 1);
	if (all)
		return log_error(ESRCH, "there is no %s %" PRIu32 "%s", what, first, more);
	log_warning("there is no %s %" PRIu32 "%s; the others are recorded", what, first, more);
	return 0;
}

int present_check_ids(const struct record_who *who)
{
	uint32_t pid = 0, tid = 0;
	size_t pids, tids;
	bool all;

	pids = count_absent(&who->pids, is_process, &pid);
	tids = count_absent(&who->tids, is_thread, &tid);
	all = pids + tids == who->pids.count + who->tids.count;
	if (pids && is_thread(pid))
		return log_error(ESRCH, "there is no process %" PRIu32 ", but a thread: --tid %" PRIu32, pid, pid);
	if (pids)
		return say_absent("process", pid, pids, all);
	return tids ? say_absent("thread", tid, tids, all) : 0;
}

void present_check_time(int64_t time)
{
	uint64_t seconds = time > 0 ? (uint64_t)time / SECOND : 0;

	if (seconds < LONG_SECONDS || seconds > INT32_MAX || (uint64_t)time % SECOND || !is_process((uint32_t)seconds))
		return;
	log_warning("-p takes a time; the process of that number is chosen by --pid %" PRIu64, seconds);
}

/* --- names --- */

static void close_folder(DIR **folder)
{
	if (*folder)
		(void)closedir(*folder);
}

/* Looks at the threads of one process; `left` counts down. */
static bool any_thread_fits(const char *process, const regex_t *regex, int *left)
{
	_cleanup_(close_folder) DIR *threads = NULL;
	const struct dirent *entry;
	char path[300], comm[LINE_BYTES];

	(void)snprintf(path, sizeof(path), "/proc/%.20s/task", process);
	threads = opendir(path);
	while (threads && (entry = readdir(threads))) {
		(void)snprintf(path, sizeof(path), "/proc/%.20s/task/%.20s/comm", process, entry->d_name);
		if (!isdigit((unsigned char)entry->d_name[0]))
			continue;
		small_file_read(path, comm, sizeof(comm));
		comm[strcspn(comm, "\n")] = '\0';
		comm[COMM_BYTES - 1] = '\0'; /* /proc has longer names of kernel threads */
		if (!regexec(regex, comm, 0, NULL, 0) || --*left <= 0)
			return true;
	}
	return false;
}

static bool any_fits(const regex_t *regex)
{
	_cleanup_(close_folder) DIR *processes = opendir("/proc");
	const struct dirent *entry;
	int left = LOOKED_AT;

	while (processes && (entry = readdir(processes)))
		if (isdigit((unsigned char)entry->d_name[0]) && any_thread_fits(entry->d_name, regex, &left))
			return true;
	return !processes;
}

int present_check_comm(const struct record_who *who, const regex_t *regex, bool one_look)
{
	if (!who->command || any_fits(regex))
		return 0;
	if (one_look)
		return log_error(ESRCH, "no thread has a name that matches -c '%s'", who->command);
	log_warning("no thread has a name that matches -c '%s' now: only those that get one are recorded",
		    who->command);
	return 0;
}

/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "record/helper/helpers.h"

#include <errno.h>
#include <grp.h>
#include <linux/fs.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "common/log.h"
#include "record/helper/elf_helper.h"
#include "record/helper/iterator_helper.h"
#include "record/helper/maps_helper.h"
#include "record/helper/opener_helper.h"
#include "record/helper/perf_open.h"
#include "record/host/caller.h"
#include "record/plan/deadlines.h"

enum { NOBODY = 65534 };

static const struct call_row MAPS[] = {
	CALL_OPEN_TO_READ, CALL(getdents64), CALL_EQUAL(fcntl, 1, F_GETFL),
	CALL_EQUAL(fcntl, 1, F_SETFD) /* fdopendir() asks */,
};

/* The flags of openat2() are in memory, where no filter sees them: RLIMIT_FSIZE and a user without files limit it. */
static const struct call_row OPENER[] = {
	CALL_OPEN_TO_READ, CALL(openat2), CALL(statx), CALL(pread64),
	CALL(fstatfs), CALL(getdents64), CALL_EQUAL(fcntl, 1, F_GETFL),
	CALL_EQUAL(fcntl, 1, F_SETFD) /* fdopendir() asks */, CALL_EQUAL(ioctl, 1, FS_IOC_GETVERSION),
	CALL(getuid), CALL(geteuid), CALL(getgid), CALL(getegid),
	CALL(setfsuid), CALL(setfsgid), CALL(setgroups), CALL(capget), CALL(capset),
	CALL_EQUAL(prctl, 0, PR_SET_PDEATHSIG), CALL_EQUAL(prctl, 0, PR_SET_DUMPABLE),
};

static const struct call_row ELF[] = {
	CALL(pread64), CALL(sysinfo) /* qsort asks */, CALL(getrusage), CALL_EQUAL(prlimit64, 0, 0), CALL_EQUAL(setpriority, 2, 0),
};

static const struct call_row ITERATOR[] = {
	CALL_OPEN_TO_READ, CALL(pread64), CALL(process_vm_readv), CALL(setitimer),
};

static const struct call_row PERF_OPEN[] = {
	CALL(perf_event_open),
};

static const struct helper_kind KINDS[HELPER_KINDS] = {
	/* /proc/PID/maps of everybody */
	[HELPER_MAPS] = {"maps", maps_helper_run, .capabilities = CAPABILITY(SYS_PTRACE), .calls = CALL_LIST(MAPS),
			 .deadline_ms = DEADLINE_PROCESS, .busy_ms = DEADLINE_BUSY},
	/* /proc/PID/map_files, /proc/PID/root; a target's user; mapped files that it could read when it mapped them */
	[HELPER_OPENER] = {"opener", opener_helper_run,
			   .capabilities = CAPABILITY(SYS_PTRACE) | CAPABILITY(CHECKPOINT_RESTORE) |
					   CAPABILITY(SETUID) | CAPABILITY(SETGID) | CAPABILITY(DAC_READ_SEARCH),
			   .calls = CALL_LIST(OPENER), .deadline_ms = DEADLINE_PROCESS, .busy_ms = DEADLINE_BUSY},
	[HELPER_ELF] = {"ELF", elf_helper_run, .calls = CALL_LIST(ELF), .deadline_ms = DEADLINE_PROCESS,
			.busy_ms = DEADLINE_BUSY},
	/* memory of everybody, and /proc/PID/pagemap, which only a process's own user may open */
	[HELPER_ITERATOR] = {"iterator", iterator_helper_run,
			     .capabilities = CAPABILITY(SYS_PTRACE) | CAPABILITY(DAC_READ_SEARCH),
			     .calls = CALL_LIST(ITERATOR), .deadline_ms = DEADLINE_SLEEPER, .busy_ms = DEADLINE_SLEEPER},
	/* Debian's kernels ask for CAP_SYS_ADMIN where perf_event_paranoid is above 2 */
	[HELPER_PERF_OPEN] = {"perf-open", .task = perf_open_task,
			      .capabilities = CAPABILITY(PERFMON) | CAPABILITY(SYS_ADMIN),
			      .calls = CALL_LIST(PERF_OPEN)},
};

/* By number: a static program has no user database. The capabilities stay permitted. */
static int user_leave(void)
{
	struct caller caller;

	if (geteuid())
		return 0;
	caller_get_unprivileged(&caller);
	if (prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0) || setgroups(0, NULL) || setresgid(caller.gid, NOBODY, NOBODY) ||
	    setresuid(caller.uid, NOBODY, NOBODY))
		return -errno;
	return 0;
}

/*
 * From /proc, helpers find processes even if the user that they become has no access to "/", and they keep no folder
 * busy that may have to be unmounted. The limit on processes counts all those of that user.
 */
static int begin(const void *context)
{
	int r;

	(void)context;
	if (chdir("/proc"))
		return -errno;
	(void)setrlimit(RLIMIT_NPROC, &(struct rlimit){RLIM_INFINITY, RLIM_INFINITY});
	(void)setpriority(PRIO_PROCESS, 0, RECORDER_NICE);
	r = capabilities_unbind();
	return r ? r : user_leave();
}

const struct helper_table RECORD_HELPERS = {KINDS, HELPER_KINDS, .begin = begin};

int helpers_start(uint64_t most_data, struct spawner **ret_spawner)
{
	int r = spawner_create(&RECORD_HELPERS, NULL, most_data, ret_spawner);

	return r ? log_error(-r, "cannot start and confine helper processes: %s", strerror(-r)) : 0;
}

/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "record/machine/privileges.h"

#include <errno.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "common/confine/capabilities.h"
#include "common/log.h"
#include "record/machine/caller.h"

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

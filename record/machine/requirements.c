/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "record/machine/requirements.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "common/gate/confine.h"
#include "common/log.h"
#include "record/machine/caller.h"
#include "record/machine/small_file.h"

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

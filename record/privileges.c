/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "record/privileges.h"

#include <errno.h>
#include <grp.h>
#include <linux/capability.h>
#include <string.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/log.h"
#include "record/caller.h"

enum { NOBODY = 65534 };

static const uint64_t KEPT = 1ull << CAP_PERFMON | 1ull << CAP_BPF | 1ull << CAP_SYSLOG;

static int capabilities_get(uint64_t *ret_effective)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct data[2] = {{0}};

	if (syscall(SYS_capget, &header, data))
		return -errno;
	*ret_effective = (uint64_t)data[1].effective << 32 | data[0].effective;
	return 0;
}

static int capabilities_set(uint64_t kept)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct data[2];

	for (int i = 0; i < 2; i++) {
		data[i].effective = data[i].permitted = (uint32_t)(kept >> 32 * i);
		data[i].inheritable = 0;
	}
	return syscall(SYS_capset, &header, data) ? -errno : 0;
}

int privileges_check(void)
{
	uint64_t effective = 0;

	if (!capabilities_get(&effective) && (effective & KEPT) == KEPT)
		return 0;
	return log_error(EPERM, "recording needs root (CAP_BPF, CAP_PERFMON and CAP_SYSLOG): run it with sudo");
}

static int bounds_drop(void)
{
	for (unsigned long capability = 0; capability <= CAP_LAST_CAP; capability++)
		if (prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) && errno != EINVAL && errno != EPERM)
			return -errno;
	return 0;
}

static int user_leave(void)
{
	struct caller caller;

	caller_get(&caller);
	if (geteuid())
		return 0;
	if (!caller.sudo)
		caller = (struct caller){NOBODY, NOBODY, true};
	if (prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0))
		return -errno;
	return caller_become(&caller);
}

int privileges_drop(void)
{
	uint64_t effective = 0;
	int rc = capabilities_get(&effective);

	if (!rc)
		rc = bounds_drop();
	if (!rc)
		rc = user_leave();
	if (!rc)
		rc = capabilities_set(effective & KEPT);
	if (!rc && (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_DUMPABLE, 0) ||
		    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0})))
		rc = -errno;
	return rc ? log_error(-rc, "cannot give up root: %s", strerror(-rc)) : 0;
}

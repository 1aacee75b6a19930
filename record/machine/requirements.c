/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "record/machine/requirements.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "common/log.h"
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

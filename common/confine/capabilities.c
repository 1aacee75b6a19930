/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "common/confine/capabilities.h"

#include <errno.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

struct sets {
	struct __user_cap_header_struct header;
	struct __user_cap_data_struct data[2];
};

static int sets_get(struct sets *sets)
{
	*sets = (struct sets){.header.version = _LINUX_CAPABILITY_VERSION_3};
	return syscall(SYS_capget, &sets->header, sets->data) ? -errno : 0;
}

int capabilities_effective(uint64_t *ret_set)
{
	struct sets sets;
	int rc = sets_get(&sets);

	if (!rc)
		*ret_set = (uint64_t)sets.data[1].effective << 32 | sets.data[0].effective;
	return rc;
}

int capabilities_permitted(uint64_t *ret_set)
{
	struct sets sets;
	int rc = sets_get(&sets);

	if (!rc)
		*ret_set = (uint64_t)sets.data[1].permitted << 32 | sets.data[0].permitted;
	return rc;
}

int capabilities_keep(uint64_t set)
{
	struct sets sets = {.header.version = _LINUX_CAPABILITY_VERSION_3};
	uint64_t permitted;
	int rc = capabilities_permitted(&permitted);

	if (rc)
		return rc;
	for (int i = 0; i < 2; i++)
		sets.data[i].effective = sets.data[i].permitted = (uint32_t)((set & permitted) >> 32 * i);
	return syscall(SYS_capset, &sets.header, sets.data) ? -errno : 0;
}

int capabilities_unbind(void)
{
	for (unsigned long capability = 0; capability <= CAP_LAST_CAP; capability++)
		if (prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) && errno != EINVAL && errno != EPERM)
			return -errno;
	return 0;
}

/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "common/sudo_user.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

static bool number_from(const char *name, unsigned int *ret_number)
{
	const char *text = getenv(name);
	unsigned long value;
	char *end;

	if (!text || *text < '0' || *text > '9')
		return false;
	errno = 0;
	value = strtoul(text, &end, 10);
	if (*end || errno || value >= 0xffffffffu)
		return false;
	*ret_number = (unsigned int)value;
	return true;
}

bool sudo_user(uid_t *ret_uid, gid_t *ret_gid)
{
	unsigned int uid, gid;

	if (geteuid() || !number_from("SUDO_UID", &uid) || !number_from("SUDO_GID", &gid) || !uid)
		return false;
	*ret_uid = uid;
	*ret_gid = gid;
	return true;
}

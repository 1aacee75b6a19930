/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The user behind sudo, from SUDO_UID and SUDO_GID: by number, because a static program has no user database. */
#ifndef RWALKER_COMMON_SUDO_USER_H
#define RWALKER_COMMON_SUDO_USER_H

#include <stdbool.h>
#include <sys/types.h>

/* False: we do not run as root, or there is no such user, or it is root; then nothing is returned. */
bool sudo_user(uid_t *ret_uid, gid_t *ret_gid);

#endif

/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Capabilities of this process, as sets of bits: 1 << CAP_*. By the calls themselves, without libcap. */
#ifndef RWALKER_COMMON_CONFINE_CAPABILITIES_H
#define RWALKER_COMMON_CONFINE_CAPABILITIES_H

#include <linux/capability.h>
#include <stdint.h>

#define CAPABILITY(name) (1ull << CAP_##name)

/* Those in effect. 0, -errno. */
int capabilities_effective(uint64_t *ret_set);

/*
 * Those that may be used at all. After a change of user that kept them (PR_SET_KEEPCAPS) these are
 * more than those in effect. 0, -errno.
 */
int capabilities_permitted(uint64_t *ret_set);

/*
 * Keeps those of the set that are permitted, in effect, and gives up all others for good, also as
 * inheritable and ambient ones. 0, -errno.
 */
int capabilities_keep(uint64_t set);

/* No program that is executed from here on gets any. Needs CAP_SETPCAP, and does nothing without it. 0, -errno. */
int capabilities_unbind(void);

#endif

/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Random bytes from the kernel, for seeds and factors that keep an attacker from forcing collisions. */
#ifndef RWALKER_COMMON_RANDOM_BYTES_H
#define RWALKER_COMMON_RANDOM_BYTES_H

#include <stddef.h>

/* 0, or -errno if the kernel provides none. */
int random_bytes(void *bytes, size_t length);

#endif

/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Lengths of time as people type them: "5", "0.5", "10s", "500ms", "2m". */
#ifndef RWALKER_COMMON_DURATION_H
#define RWALKER_COMMON_DURATION_H

#include <stdint.h>

/*
 * The whole text: a decimal number and ns, us, ms, s, m (minutes), h, d, or no unit, which means `unit` nanoseconds.
 * -EINVAL if it is something else, is no whole number of nanoseconds, or does not fit.
 */
int duration_parse(const char *text, uint64_t unit, uint64_t *ret_ns);

#endif

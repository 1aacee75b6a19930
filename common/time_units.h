/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Times and lengths of time are in nanoseconds; these are the units that people count in. */
#ifndef RWALKER_COMMON_TIME_UNITS_H
#define RWALKER_COMMON_TIME_UNITS_H

#include <stdint.h>

#define MICROSECOND UINT64_C(1000)
#define MILLISECOND UINT64_C(1000000)
#define SECOND UINT64_C(1000000000)

#endif

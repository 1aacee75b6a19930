/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* One of three programs that differ only in names; see fruit.h. */
#define BURN burn_berry
#include "fruit.h"

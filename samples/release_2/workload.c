/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The next release of samples/release_1, which explains what has changed. */
#define PARSING 3
#define TAPE 20

#include "../release_1/workload.c"

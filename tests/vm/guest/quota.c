/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The workload of tests/live/test_times.sh, as a static program: see there. */
#include "../../live/workloads/quota.c"

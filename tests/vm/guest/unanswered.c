/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The workload of the live test of idle threads, as a static program: see there. */
#include "../../live/workloads/unanswered.c"

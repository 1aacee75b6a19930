/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The workload of the live tests of tracepoints and kernel functions, as a static program: see there. */
#pragma GCC optimize("no-omit-frame-pointer", "no-optimize-sibling-calls")

#include "../../live/workloads/calls.c"

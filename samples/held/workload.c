/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Threads that sleep on each kind of object, and for locks of the kernel that others hold. */
#include "../../tests/live/workloads/asleep.c"

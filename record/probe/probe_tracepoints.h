/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The part of the door to libbpf that lists the kernel's tracepoints, even without tracefs. */
#ifndef RWALKER_RECORD_PROBE_PROBE_TRACEPOINTS_H
#define RWALKER_RECORD_PROBE_PROBE_TRACEPOINTS_H

/* Calls `take` for every tracepoint in the kernel's BTF. Returns 0, or what `take` returned. */
int probe_tracepoints(int (*take)(void *context, const char *name), void *context);

#endif

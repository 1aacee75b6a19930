/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* What a kernel must have before any program is loaded: its version, its types, and that it is not locked down. */
#ifndef RWALKER_RECORD_MACHINE_REQUIREMENTS_H
#define RWALKER_RECORD_MACHINE_REQUIREMENTS_H

#include <stdbool.h>

#define REQUIREMENTS_TYPES "/sys/kernel/btf/vmlinux"
#define REQUIREMENTS_KERNEL "Linux 6.1"

bool requirements_recent(const char *release); /* as of uname() */
bool requirements_types(void);
/* Lockdown, as far as the kernel reports it: programs that read kernel memory are then refused. */
bool requirements_confidential(void);

/* 0, -errno after reporting what is missing. */
int requirements_check(void);

#endif

/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* What the gate's files share: what a filter of system calls must know about the machine. */
#ifndef RWALKER_COMMON_GATE_GATE_INTERNAL_H
#define RWALKER_COMMON_GATE_GATE_INTERNAL_H

#include <stddef.h>
#include <stdint.h>

/* On an old architecture, the C library makes an older call where younger architectures have only the newer one. */
struct arch_older_call {
	int newer, older;
};

uint32_t arch_audit(void); /* AUDIT_ARCH_* of our own calls; 0: there is no filter for this machine */

/* How many there are, at most one for each newer call; they are constant. Their arguments differ from the newer's. */
size_t arch_older_calls(const struct arch_older_call **ret_calls);

#endif

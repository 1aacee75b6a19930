/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* What the jail's filter must know of the machine. */
#ifndef RWALKER_RECORD_ARCH_JAIL_H
#define RWALKER_RECORD_ARCH_JAIL_H

#include <stdint.h>

uint32_t arch_audit(void);     /* AUDIT_ARCH_* of our own calls */
uint32_t arch_poll_call(void); /* the number of the call that poll(3) makes */

#endif

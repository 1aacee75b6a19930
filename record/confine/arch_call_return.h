/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef RWALKER_RECORD_CONFINE_ARCH_CALL_RETURN_H
#define RWALKER_RECORD_CONFINE_ARCH_CALL_RETURN_H

/* In a signal handler: makes the interrupted system call return `result`. context is the handler's third argument. */
void arch_call_return(void *context, int result);

#endif

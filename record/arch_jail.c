/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "record/arch_jail.h"

#include <linux/audit.h>
#include <sys/syscall.h>

#if defined(__x86_64__)

uint32_t arch_audit(void)
{
	return AUDIT_ARCH_X86_64;
}

uint32_t arch_poll_call(void)
{
	return SYS_poll;
}

#elif defined(__aarch64__)

uint32_t arch_audit(void)
{
	return AUDIT_ARCH_AARCH64;
}

uint32_t arch_poll_call(void)
{
	return SYS_ppoll;
}

#endif

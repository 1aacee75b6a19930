/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "common/gate/confine.h"
#include "common/gate/gate_internal.h"

#include <linux/audit.h>
#include <sys/syscall.h>
#include <ucontext.h>

static const struct arch_older_call OLDER[] = {
	{SYS_dup3, SYS_dup2},
	{SYS_epoll_pwait, SYS_epoll_wait},
	{SYS_faccessat, SYS_access},
	{SYS_ppoll, SYS_poll},
	{SYS_readlinkat, SYS_readlink},
};

uint32_t arch_audit(void)
{
	return AUDIT_ARCH_X86_64;
}

size_t arch_older_calls(const struct arch_older_call **ret_calls)
{
	*ret_calls = OLDER;
	return sizeof(OLDER) / sizeof(OLDER[0]);
}

void call_return(void *context, int result)
{
	ucontext_t *interrupted = context;

	interrupted->uc_mcontext.gregs[REG_RAX] = result;
}

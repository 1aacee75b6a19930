/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "record/confine/arch_call_return.h"

#include <ucontext.h>

void arch_call_return(void *context, int result)
{
	ucontext_t *interrupted = context;

	interrupted->uc_mcontext.gregs[REG_RAX] = result;
}

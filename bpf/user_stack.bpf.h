/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What is common to all programs that copy a task's user registers and user stack: how much there
 * is to copy, and how a read proceeds page by page. Has no maps and no knobs of its own.
 */
#ifndef RWALKER_BPF_USER_STACK_BPF_H
#define RWALKER_BPF_USER_STACK_BPF_H

#include "bpf/kernel.h"
#include "bpf/ring_snapshot.h"

enum {
	STACK_PAGE = 4096,
	STACK_PAGES = RING_MAX_SNAPSHOT / STACK_PAGE + 1, /* pages that the largest copy may touch */
	MAIN_STACK_MOST = 64 << 20, /* anything further below the end is a mapping (mmap_base) */
};

/* `end`: mm->start_stack. */
static __always_inline bool on_main_stack(u64 end, u64 sp)
{
	return sp < end && end - sp < MAIN_STACK_MOST;
}

/* Size of the kernel's struct pt_regs as a record holds it. */
static __always_inline u64 user_registers_bytes(void)
{
	return bpf_core_field_exists(struct pt_regs___kernel, orig_ax) ? RING_REGISTERS_X86 * 8 :
									 RING_REGISTERS_ARM64 * 8;
}

/*
 * How many of `size` bytes from an address are in its page `number`; 0 if none, or beyond `most`.
 * *ret_at: where they start. That follows from the number alone: with a running sum, the verifier
 * would track every value.
 */
static __always_inline u64 page_part(u32 number, u64 from, u64 size, u64 most, u64 *ret_at)
{
	u64 into = from % STACK_PAGE, at = number ? (u64)number * STACK_PAGE - into : 0;
	u64 part = number ? STACK_PAGE : STACK_PAGE - into;

	*ret_at = at;
	if (at >= size || at >= most)
		return 0;
	if (part > size - at)
		part = size - at;
	return part > STACK_PAGE ? 0 : part; /* never happens, but the verifier does not know */
}

#endif

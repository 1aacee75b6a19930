/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/resolve/unwind/unwind_arch.h"

#include <elf.h>
#include <stddef.h>

#define BIT(n) (UINT64_C(1) << (n))

/* Preserved: rbx, rbp, r12-r15. In the frame for rt_sigreturn rsp points to the ucontext; registers start at +40. */
static const struct unwind_arch x86_64 = {
	.machine = EM_X86_64,
	.register_count = 17,
	.pc = 16,
	.sp = 7,
	.fp = 6,
	.link = 16,
	.preserved = BIT(3) | BIT(6) | BIT(12) | BIT(13) | BIT(14) | BIT(15),
	.address_mask = UINT64_MAX,
	.signal_frame = {
		[0] = 144, /* rax */
		[1] = 136, /* rdx */
		[2] = 152, /* rcx */
		[3] = 128, /* rbx */
		[4] = 112, /* rsi */
		[5] = 104, /* rdi */
		[6] = 120, /* rbp */
		[7] = 160, /* rsp */
		[8] = 40,
		[9] = 48,
		[10] = 56,
		[11] = 64,
		[12] = 72,
		[13] = 80,
		[14] = 88,
		[15] = 96,
		[16] = 168, /* rip */
	},
};

#define AARCH64_SIGNAL_REGISTER(n) [n] = 312 + 8 * (n)

/*
 * x19-x29. x30 is preserved in the sense of the table: a leaf without a rule returns to it. Pointer
 * authentication keeps its code in bits 63-56 and 54-48 (48-bit addresses); bit 55 is 0 in user
 * space. A stripped address is the same whether it was signed or not, so the RA state does not
 * matter. sp is at the rt_sigframe: 128 bytes of siginfo, the ucontext, in it the registers after
 * fault_address.
 */
static const struct unwind_arch aarch64 = {
	.machine = EM_AARCH64,
	.register_count = 33,
	.pc = 32,
	.sp = 31,
	.fp = 29,
	.link = 30,
	.preserved = BIT(19) | BIT(20) | BIT(21) | BIT(22) | BIT(23) | BIT(24) | BIT(25) | BIT(26) |
		     BIT(27) | BIT(28) | BIT(29) | BIT(30),
	.address_mask = UINT64_C(0x0000ffffffffffff),
	.signal_frame = {
		AARCH64_SIGNAL_REGISTER(0), AARCH64_SIGNAL_REGISTER(1), AARCH64_SIGNAL_REGISTER(2),
		AARCH64_SIGNAL_REGISTER(3), AARCH64_SIGNAL_REGISTER(4), AARCH64_SIGNAL_REGISTER(5),
		AARCH64_SIGNAL_REGISTER(6), AARCH64_SIGNAL_REGISTER(7), AARCH64_SIGNAL_REGISTER(8),
		AARCH64_SIGNAL_REGISTER(9), AARCH64_SIGNAL_REGISTER(10), AARCH64_SIGNAL_REGISTER(11),
		AARCH64_SIGNAL_REGISTER(12), AARCH64_SIGNAL_REGISTER(13), AARCH64_SIGNAL_REGISTER(14),
		AARCH64_SIGNAL_REGISTER(15), AARCH64_SIGNAL_REGISTER(16), AARCH64_SIGNAL_REGISTER(17),
		AARCH64_SIGNAL_REGISTER(18), AARCH64_SIGNAL_REGISTER(19), AARCH64_SIGNAL_REGISTER(20),
		AARCH64_SIGNAL_REGISTER(21), AARCH64_SIGNAL_REGISTER(22), AARCH64_SIGNAL_REGISTER(23),
		AARCH64_SIGNAL_REGISTER(24), AARCH64_SIGNAL_REGISTER(25), AARCH64_SIGNAL_REGISTER(26),
		AARCH64_SIGNAL_REGISTER(27), AARCH64_SIGNAL_REGISTER(28), AARCH64_SIGNAL_REGISTER(29),
		AARCH64_SIGNAL_REGISTER(30), AARCH64_SIGNAL_REGISTER(31), AARCH64_SIGNAL_REGISTER(32),
	},
	.has_ra_state = true,
};

const struct unwind_arch *unwind_arch_find(uint16_t machine)
{
	static const struct unwind_arch *const all[] = {&x86_64, &aarch64};

	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
		if (all[i]->machine == machine)
			return all[i];
	return NULL;
}

/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Takes CPU time away as a hypervisor does (steal.c). A BPF program on a CPU clock event runs in an
 * interrupt and spins there: no switch, no preemption, no other interrupt and no account shows it.
 * A thread that reads the clock before and after sees a gap.
 */
#include "bpf/kernel.h"

enum { ROUNDS = 1 << 23 }; /* the most that the kernel allows; the clock ends it long before */

const volatile __u64 least_ns, most_ns;
const volatile __u32 permille;
const volatile __s32 own;

__u64 stolen_ns, times;

static long is_over(u32 round, void *until)
{
	return bpf_ktime_get_ns() >= *(u64 *)until;
}

static __always_inline void steal(void)
{
	u64 now = bpf_ktime_get_ns(), until = now + least_ns + bpf_get_prandom_u32() % (most_ns - least_ns + 1);

	bpf_loop(ROUNDS, is_over, &until, 0);
	__sync_fetch_and_add(&stolen_ns, bpf_ktime_get_ns() - now);
	__sync_fetch_and_add(&times, 1);
}

/* Called twice as often as wanted, and does nothing half of the times, so that it is in step with nothing. */
SEC("perf_event")
int on_clock(void *context)
{
	if (bpf_get_prandom_u32() & 1)
		steal();
	return 0;
}

/* Whether the current task descends from the command. */
static __always_inline bool is_ours(void)
{
	struct task_struct *task = (struct task_struct *)bpf_get_current_task();

	for (int i = 0; i < 12; i++) {
		if (BPF_CORE_READ(task, tgid) == own)
			return true;
		task = BPF_CORE_READ(task, real_parent);
	}
	return false;
}

extern void bpf_local_irq_save(unsigned long *flags) __ksym __weak; /* since 6.14 */
extern void bpf_local_irq_restore(unsigned long *flags) __ksym __weak;

/*
 * Runs where a thread is most sensitive to lost time: between reading its clock and the wait, and
 * between the wait and reading its clock. Interrupts are disabled, so that no profile samples it;
 * if that is impossible, profiles show this program.
 */
static __always_inline int at_call(void)
{
	unsigned long flags;

	if (bpf_get_prandom_u32() % 1000 >= permille || !is_ours())
		return 0;
	if (!&bpf_local_irq_save) {
		steal();
		return 0;
	}
	bpf_local_irq_save(&flags);
	steal();
	bpf_local_irq_restore(&flags);
	return 0;
}

SEC("raw_tp/sys_enter")
int on_enter(void *context)
{
	return at_call();
}

SEC("raw_tp/sys_exit")
int on_exit(void *context)
{
	return at_call();
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";

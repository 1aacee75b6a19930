/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* What is known of a task's current wait, and how that is found out: since when it has been off the CPU, and why. */
#ifndef RWALKER_BPF_WAIT_ENTRY_BPF_H
#define RWALKER_BPF_WAIT_ENTRY_BPF_H

#include "bpf/kernel_objects.bpf.h"

/* --- since when, if nobody saw the task leave the CPU --- */

/*
 * To be called before the task is switched
 * in: the scheduler begins its account of the next run before the tracepoint of that switch.
 *
 * The scheduler has two clocks. A run queue's clock follows sched_clock. The one by which tasks are charged
 * pauses while interrupts or the host have the CPU, and so lags behind more and more. A time of that clock
 * lies between two times of the other: the lag was at most what it is now.
 *
 *     earliest  the last arrival, plus what was charged since: right if nothing was stolen from that
 *               run. Only fair tasks have this figure; for others the last charge itself is a time
 *               before the switch-out.
 *     latest    the last charge, plus the present lag: right if nothing was stolen since.
 */

/* ns: bounds this close count as exact; the time between two clock reads; one round of soft interrupts. */
enum { SWITCHED_CLOSE = 10 * 1000 * 1000, SWITCHED_SLACK = 1000 * 1000, SWITCHED_SOFTIRQ = 2 * 1000 * 1000 };

/* By the clock of the CPU on which the task last ran, so that `charged` is older than this lag. */
struct charge {
	u64 charged, ran; /* until when, by the clock of charges; how much in the last run */
	u64 lag, stolen;  /* the present lag of that clock; how much the host has taken since boot */
	bool known, fair;
};

/* Asleep, and on the run queue only because of its lag: not waiting for a CPU. */
static __always_inline bool is_delayed(struct task_struct *task)
{
	return bpf_core_field_exists(task->se.sched_delayed) && task->se.sched_delayed;
}

static __always_inline bool is_queued(struct task_struct *task)
{
	return task->on_rq && !is_delayed(task);
}

/* task: an address, here and below. */
static __always_inline bool is_ext(u64 task)
{
	u32 state;

	if (!bpf_core_field_exists(struct task_struct, scx.flags))
		return false;
	if (!bpf_core_enum_value_exists(enum scx_ent_flags, SCX_TASK_STATE_MASK))
		return true; /* cannot be known */
	state = OBJECT_READ(task_struct, task, scx.flags);
	state &= bpf_core_enum_value(enum scx_ent_flags, SCX_TASK_STATE_MASK);
	if (bpf_core_enum_value_exists(enum scx_ent_flags___shifted, SCX_TASK_ENABLED___shifted))
		return state == bpf_core_enum_value(enum scx_ent_flags___shifted, SCX_TASK_ENABLED___shifted);
	if (!bpf_core_enum_value_exists(enum scx_task_state, SCX_TASK_ENABLED))
		return true;
	return state >> bpf_core_enum_value(enum scx_ent_flags, SCX_TASK_STATE_SHIFT) ==
	       bpf_core_enum_value(enum scx_task_state, SCX_TASK_ENABLED);
}

static __always_inline void read_lag(u64 task, struct charge *charge)
{
	u64 cfs = (u64)OBJECT_READ(task_struct, task, se.cfs_rq), rq = (u64)OBJECT_READ(cfs_rq, cfs, rq);
	const u64 charges = OBJECT_READ(rq, rq, clock_task);

	barrier(); /* read first, so that the lag is rather too large than too small */
	charge->lag = OBJECT_READ(rq, rq, clock) - charges;
	if (bpf_core_field_exists(struct rq, prev_steal_time_rq))
		charge->stolen = OBJECT_READ(rq, rq, prev_steal_time_rq);
}

static __always_inline struct charge last_charge(u64 task)
{
	struct charge charge = {.charged = OBJECT_READ(task_struct, task, se.exec_start)};

	charge.fair = OBJECT_READ(task_struct, task, prio) >= MAX_RT_PRIO && !is_ext(task);
	charge.ran = OBJECT_READ(task_struct, task, se.sum_exec_runtime) -
		     OBJECT_READ(task_struct, task, se.prev_sum_exec_runtime);
	/* A fair task forgets its charge when it changes CPUs; others change CPUs only while queued. */
	if (!charge.charged || !bpf_core_field_exists(struct sched_entity, cfs_rq) ||
	    !bpf_core_field_exists(struct cfs_rq, rq))
		return charge;
	charge.known = charge.fair || !(OBJECT_READ(task_struct, task, on_rq) ||
					OBJECT_READ(task_struct, task, __state) & TASK_WAKING);
	read_lag(task, &charge);
	return charge;
}

/*
 * Whether the task really ran since its arrival for as long as its account says: the lag at the arrival,
 * which follows from that, must be possible. It is not if the task was of another class then, or the
 * scheduler restarted its account in the middle of the run.
 */
static __always_inline bool ran_since(const struct charge *charge, u64 arrival, u64 now)
{
	s64 lag = arrival + charge->ran - charge->charged;

	if (!charge->fair || arrival > now || charge->ran > now - arrival)
		return false;
	return !charge->known || (lag > -SWITCHED_SLACK && lag <= (s64)charge->lag + SWITCHED_SLACK);
}

/*
 * How much later than `earliest` the switch-out may have been. Most hosts steal nothing, and interrupts take less of
 * a run than the task itself does. If together they took more than a 64th, this does not hold.
 */
static __always_inline u64 uncertain(const struct charge *charge, u64 earliest, u64 latest, u64 now)
{
	u64 all = latest > earliest ? latest - earliest : 0, part = charge->stolen + charge->ran + SWITCHED_SOFTIRQ;

	return charge->known && part < all && all < SWITCHED_CLOSE + (now - earliest) / 64 ? part : all;
}

/*
 * When the task was switched out, by sched_clock. *ret_bound: WAIT_EXACT, or WAIT_AT_LEAST with the latest
 * possible time. For a task that has run.
 */
SEPARATE u64 switched_out(u64 task, u64 now, u32 *ret_bound)
{
	/* First: everything below holds only for a task that is off the CPU. */
	const bool on_cpu = OBJECT_READ(task_struct, task, on_cpu);
	u64 arrival = OBJECT_READ(task_struct, task, sched_info.last_arrival);
	u64 queued = OBJECT_READ(task_struct, task, sched_info.last_queued);
	struct charge charge = last_charge(task);
	u64 earliest = arrival, latest = now, error;

	if (!ret_bound)
		return now;
	*ret_bound = WAIT_AT_LEAST;
	if (on_cpu || arrival > now)
		return now;
	if (charge.known && charge.charged + charge.lag < latest)
		latest = charge.charged + charge.lag;
	if (queued && queued < latest)
		latest = queued;
	if (ran_since(&charge, arrival, now)) {
		earliest = arrival + charge.ran;
		error = uncertain(&charge, earliest, latest, now);
	} else {
		if (charge.charged > arrival)
			earliest = charge.charged;
		error = latest - earliest;
	}
	if (latest > earliest && error > SWITCHED_CLOSE)
		return latest;
	*ret_bound = WAIT_EXACT;
	return latest < earliest ? latest : earliest;
}

/* --- why it leaves the CPU, or has left it: enum wait_class --- */

static __always_inline bool in_system_call(struct task_struct *task, long *ret_number)
{
	struct pt_regs___kernel *regs = (void *)bpf_task_pt_regs(task);

	*ret_number = bpf_core_field_exists(regs->orig_ax) ? regs->orig_ax : regs->syscallno;
	return *ret_number >= 0;
}

/* False on the way back to user space: the call's registers are still there then, but already hold its result. */
static __always_inline bool in_unfinished_call(struct task_struct *task, long *ret_number)
{
	struct pt_regs___kernel *regs = (void *)bpf_task_pt_regs(task);

	if (!in_system_call(task, ret_number))
		return false;
	return bpf_core_field_exists(regs->orig_x0) ? regs->regs[0] == regs->orig_x0 : regs->ax == -ENOSYS;
}

/* For a runnable task that is off the CPU and was not preempted in the kernel: its registers show what it did. */
static __always_inline u8 classify_runnable(struct task_struct *task)
{
	enum { X86_SCHED_YIELD = 24, ARM64_SCHED_YIELD = 124 };
	bool is_x86 = bpf_core_field_exists(struct pt_regs___kernel, orig_ax);
	long number;

	if (!in_unfinished_call(task, &number))
		return WAIT_PREEMPTED;
	if (number == (is_x86 ? X86_SCHED_YIELD : ARM64_SCHED_YIELD))
		return WAIT_YIELDED;
	if (bpf_core_field_exists(task->preempt_notifiers.first) && task->preempt_notifiers.first)
		return WAIT_PREEMPTED; /* on its way back to its guest, within a call that continues */
	return WAIT_CANCELLED;
}

/*
 * `preempt` alone does not decide: a task that is interrupted in user space is switched on its way back there, by a
 * plain call of the scheduler in state 0, just like one that yields. A pending signal cancels a sleep before it begins:
 * the state is 0 again (since 6.15 also in the tracepoint), and the switch still counts as voluntary. A wakeup that
 * arrives before the sleep also leaves state 0 and an involuntary switch, but in the middle of a system call.
 */
static __always_inline u8 classify_switch(struct task_struct *prev, bool preempt, u32 state, bool voluntary)
{
	if (preempt)
		return WAIT_PREEMPTED;
	if (state)
		return prev->__state ? WAIT_BLOCKED : WAIT_CANCELLED;
	if (voluntary)
		return WAIT_CANCELLED;
	if (prev->flags & (PF_KTHREAD | PF_IO_WORKER))
		return WAIT_YIELDED; /* it called the scheduler itself: it is not returning to user space */
	return classify_runnable(prev);
}

/* --- the entry --- */

enum wait_entry_flag {
	/* Copied into the record as they are. */
	ENTRY_COPIED = RING_WAIT_IOWAIT | RING_WAIT_BEGAN_BEFORE | RING_WAIT_OUT_LATEST,
	ENTRY_MOVED = 8,	      /* to another CPU while asleep: the kernel's account of run queues is wrong for it */
	ENTRY_THROTTLED = 16, /* a quota kept it from running: `throttle` says for how long, at the end */
	ENTRY_USER_WRITTEN = 32,  /* its user stack was written when it left the CPU */
	ENTRY_IN_SYSCALL = 64, /* it left the CPU within a system call, whose return a hook would see */
	ENTRY_CLOSED = 128,    /* the last look has written all there was to write */
};

struct wait_waker { /* data for a struct ring_waker */
	u64 time, start;
	u32 tgid, tid;
	u64 comm[RING_COMM_SIZE / 8];
};

struct wait_lock {
	u64 address; /* of the lock that the task waits for, or is about to; 0: of none */
	u32 flags;   /* LCB_F_* */
	u32 held;    /* enum wait_held */
	struct ring_task owner;
};

/*
 * Ordered by use, because most entries are not in any cache when they are used. The kernel's own
 * word and the first WAIT_SWITCH_BYTES share one cache line, for every switch. A wakeup, and the
 * end of a wait that is only summed, need the next line. The rest is for waits that are written.
 */
enum { WAIT_SWITCH_BYTES = 56, WAIT_LINE = 64, WAIT_BRIEF = 16 };

struct wait_entry {
	union {
		struct {
			u8 hidden; /* the recorder made it for a task not seen by the first look: until a switch-out */
			u8 first_seen;
			u8 wait_class, flags;
		};
		u32 head; /* all four at once: a switch-out writes them all, and most switches find nothing odd here */
	};
	u16 out_cpu;
	/* Preempted waits since a long one: is the next one's user stack taken before its length is known? */
	u8 hasty;
	u8 brief; /* waits since one that got a record, up to WAIT_BRIEF: is the next one's object worth noting? */
	u32 state;
	u32 voluntary; /* the task's nvcsw at its last switch-out */
	u64 out; /* when its current wait began; 0: it is on a CPU, or has not been seen to leave one yet */
	u64 run_delay; /* the kernel's sched_info.run_delay at `out` */
	u64 since, ran; /* for the next record of sums: where it starts, and the task's sum_exec_runtime then */
	u64 pending; /* switch-in of the first wait whose user stack has not been taken yet; 0: none */

	struct wait_waker waker;
	u64 sum_total, sum_run_queue; /* of waits like the latest one, not yet in `sums` */
	u32 sum_count;
	u16 sum_state; /* what they have in common: state and class */
	u8 sum_class;
	u8 waker_context; /* and WAIT_WAKER_KERNEL */

	struct ring_sum sums[WAIT_SUM_KINDS];
	u64 ip, sp; /* user registers at `pending` */
	u64 noted, noted_out; /* its descriptor's file, or its futex's owner, at the switch-out `noted_out` */
	struct wait_lock lock;
	struct ring_throttle throttle;
	u64 throttle_queue, throttle_before; /* at the switch-out: its run queue, and for how long that was throttled */
	/* When the first look found the task: its last arrival; since when it had been off the CPU. */
	u64 first_arrival, first_out;
	u32 first_state;
	u8 first_class, first_flags;
	u16 unused_too;
};
_Static_assert(__builtin_offsetof(struct wait_entry, waker) == WAIT_SWITCH_BYTES &&
		       __builtin_offsetof(struct wait_entry, sums) == WAIT_SWITCH_BYTES + WAIT_LINE,
	       "each part has its line");

#endif

/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Since when a task has been off the CPU, if nobody saw it leave. To be called before the task is switched
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
#ifndef RWALKER_BPF_SWITCHED_OUT_BPF_H
#define RWALKER_BPF_SWITCHED_OUT_BPF_H

#include "bpf/kernel_calls.bpf.h"
#include "bpf/ring_event.h"

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

#endif

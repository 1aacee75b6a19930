/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The private ABI between the BPF programs and the recorder that loads them. It may change with
 * each build; it is never written to a file. Includes no types: the including file provides __u32
 * and __u64. No padding: no kernel memory leaks.
 */
#ifndef RWALKER_BPF_RING_EVENT_H
#define RWALKER_BPF_RING_EVENT_H

#include "format/kinds.h"

enum {
	RING_CPUS_PER_SHARD = 8,
	RING_MAX_SHARDS = 1024,
	RING_MAX_FRAMES = 1024, /* of a kernel or a user stack; the kernel's own limit is 127 unless raised */
	RING_MAX_IDS = 1024,
	RING_MAX_CGROUPS = 1024,
	RING_NEST_LEVELS = 3, /* task, interrupt, NMI */
	RING_SLOTS = 8, /* of scratch at most, if programs can be preempted: each keeps its own meanwhile */
	RING_COMM_SIZE = 16,
	RING_HEAD_ROOM = 704, /* no record's fixed part is larger */
	RING_CPU_WORDS = 128, /* of a bitmap of CPUs */
};

/* Per CPU, running totals. SEEN = the sum of IDLE to RATE_LIMITED. */
enum ring_counter {
	RING_COUNT_SEEN,
	RING_COUNT_IDLE,
	RING_COUNT_OWN,
	RING_COUNT_FILTERED,
	RING_COUNT_RECORDED,
	RING_COUNT_RING_FULL,
	RING_COUNT_NESTED, /* no scratch was left, or the interrupted code is about to write to a ring itself */
	RING_COUNT_BRIEF,  /* waits: shorter than the threshold, summed by task */
	RING_COUNT_NO_ENTRY, /* waits: the task's switch-out is unknown */
	RING_COUNT_RATE_LIMITED, /* points: counted, but beyond the rate limit */
	/* of RECORDED: */
	RING_COUNT_KERNEL_STACK, /* its kernel stack could not be walked */
	RING_COUNT_USER_STACK,	 /* its user stack was wanted and is missing */
	RING_COUNT_TRUNCATED,	 /* a stack was cut at the depth limit */
	RING_COUNT_SNAPSHOT,	 /* its snapshot was wanted and is missing */
	RING_COUNTERS
};

struct ring_cpu { /* one per CPU and program object */
	__u64 counters[RING_COUNTERS];
	__u64 runs, run_ns; /* of the main programs; ns: from those that are measured (bpf/ring_budget.h) */
	__u64 taken; /* a bit for each slot of scratch */
	__u64 preempt_count; /* its address, once known */
	__u64 wakes_lost; /* waits: stacks of wakers for which there was no room */
	__u64 pending; /* waits: the current task here lacks a user stack (bpf/wait_user.bpf.h) */
	/* sampling, in the event's own unit: */
	__u64 counted;	   /* what the event had counted at its last tick */
	__u64 weight_seen; /* periods that ended in a tick */
	__u64 weight_idle; /* whole periods that were counted, had no tick, and ended in the idle task */
	__u64 unseen;	   /* counted, but in none of these yet (signed: a tick may come early) */
	__u64 writers[RING_SLOTS]; /* by slot: the task current when its holder began to write to a ring; 0: none */
};

enum ring_filter { /* bits; a task must pass all that are set; CPUS applies to events that happen on a CPU */
	RING_FILTER_IDS = 1,	/* the task's tgid is in wanted_tgids, or its tid in wanted_tids */
	RING_FILTER_COMM = 2,
	RING_FILTER_CGROUP = 4, /* its control group or one above that is in wanted_cgroups */
	RING_FILTER_USER_THREADS = 8,
	RING_FILTER_KERNEL_THREADS = 16,
	RING_FILTER_FOLLOWED = 32, /* descends from the command that the recorder started */
	RING_FILTER_CPUS = 64,
};

struct ring_filter_knobs {
	__u64 filters;	 /* enum ring_filter */
};

struct ring_own { /* tgids in the init pid namespace; 0 (that of the idle tasks) until known */
	__u32 tgid, spawner_tgid, command_tgid, flight_tgid /* the spawner of --flight */;
};

struct ring_task {
	__u64 start; /* CLOCK_BOOTTIME */
	__u32 tgid, tid;
	__u64 kernel_thread, cgroup; /* 0, 1; its id in version 2, 0: not read */
	char comm[RING_COMM_SIZE];
};

enum ring_sample_flag {
	RING_SAMPLE_KERNEL_TRUNCATED = 1,
	RING_SAMPLE_USER_TRUNCATED = 2,
	RING_SAMPLE_NO_USER_KTHREAD = 4, /* the user stack was wanted, and this is why there is none */
	RING_SAMPLE_NO_USER_EXITING = 8,
	RING_SAMPLE_NO_USER_FAULT = 16,
	RING_SAMPLE_SNAPSHOT = 32,    /* a struct ring_snapshot precedes this record, */
	RING_SAMPLE_NO_SNAPSHOT = 64, /* or should, but was lost */
	RING_SAMPLE_TOP_SHIFT = 16,   /* from this bit on: words of the struct ring_top behind the user frames */
};

enum { RING_TOP_WORDS = 48, RING_TOP_HEAD = 3 };

struct ring_top { /* of a user stack: its words from the stack pointer on, up to the frame pointer */
	__u64 stack, frame, link; /* stack pointer; frame pointer; the link register, 0 on machines that have none */
	__u64 words[];
};

enum ring_kind { RING_SAMPLE, RING_WAIT, RING_WAKE, RING_USER_STACK, RING_SUMS, RING_HIT, RING_SNAPSHOT, RING_NAME,
		 RING_KINDS };

/* How every record in a ring begins. */
struct ring_head {
	__u64 time; /* CLOCK_MONOTONIC */
	__u32 cpu;
	__u16 kind; /* enum ring_kind */
	__u16 source;
};

struct ring_sample { /* of kind RING_SAMPLE or RING_HIT */
	struct ring_head head;
	union { __u64 period, point; }; /* point: the number of the one that was hit, from 1 */
	__u32 flags;
	__u16 kernel_count, user_count;
	struct ring_task task;
	__u64 frames[]; /* kernel_count, user_count, the top; leaf first; for a hit, the program's own frames on top */
};

#endif

/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The private ABI between the BPF programs and the recorder that loads them. It may change with
 * each build; it is never written to a file. No padding: no kernel memory leaks.
 */
#ifndef RWALKER_BPF_RING_H
#define RWALKER_BPF_RING_H

#include <linux/types.h>

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
	__u64 runs, run_ns; /* of the main programs; ns: from those that are measured (RING_MEASURED) */
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

struct ring_knobs { /* of the programs of a source, set before they are loaded */
	__u64 filters; /* enum ring_filter */
	__u64 ring_bytes, watermark;
	__u32 source; /* id */
	__u32 max_frames; /* of a kernel or a user stack */
	__u32 user_stacks, may_change; /* bools; may_change: there is a struct ring_budget */
	__u32 snapshot_bytes; /* of a stack, at most; 0: no snapshots */
	__u32 slots; /* of scratch on each CPU */
	__u32 hooked; /* bool: they may run inside code that writes to their own rings: in an NMI, or at a function */
	__u32 unused;
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

/* --- what the recorder sets and asks --- */

/* --max-cpu: changed while programs run, so that they cost less. */
struct ring_budget {
	__u64 paused; /* nothing is recorded */
	__u64 least; /* ns: shorter waits are summed */
	__u64 period; /* of ticks, ns; 0: as the event says, which is its first one if that was changed */
	__u64 since; /* CLOCK_MONOTONIC: anything noted of a wait before this is outdated; 0: nothing is */
};

enum { RING_MEASURED = 61 }; /* of so many runs of a program, one is timed */

/* Argument and result of read_clock() (bpf/filter.bpf.h). */
struct ring_clock {
	__u64 monotonic;    /* now */
	__u64 last_arrival; /* when the caller was switched in, sched_clock */
	__u32 tgid;	    /* of the caller, in the init pid namespace */
	__u32 unused;
};

/*
 * What falls away by itself if this kernel's types lack a member that it needs (record/probe/probe_parts.c has the
 * members). Programs ask kernel_has(), bpf/kernel.h.
 */
enum ring_part {
	RING_PART_CGROUPS,
	RING_PART_QUOTAS,
	RING_PART_MARKS, /* of threads that a quota keeps from running; Linux 6.18 */
	RING_PART_FILES, /* this one and those that follow: of what threads wait for */
	RING_PART_NAMES,
	RING_PART_SOCKETS,
	RING_PART_ADDRESSES,
	RING_PART_UNIX,
	RING_PART_EPOLL,
	RING_PART_MAPPINGS,
	RING_PART_THREADS,
	RING_PART_SLEEP,
	RING_PART_WORK,
	RING_PART_LOCKS,
	RING_PART_OWNERS, /* of locks */
	RING_PARTS
};

/* --- snapshots of user stacks: each right before its record, the next one of that CPU with the same time and source --- */

enum {
	RING_MAX_SNAPSHOT = 64 << 10,	   /* bytes of a stack */
	RING_MAX_HOOK_SNAPSHOT = 16 << 10, /* the same, inside the scheduler */
	RING_REGISTERS_X86 = 21,	   /* words of the kernel's struct pt_regs */
	RING_REGISTERS_ARM64 = 34,
	RING_REGISTERS = RING_REGISTERS_ARM64,
};

enum ring_snapshot_flag { /* besides enum snapshot_flag */
	RING_SNAPSHOT_BEFORE = 4,   /* for a wait that is beginning and may turn out too short */
	RING_SNAPSHOT_MORE = 8,	    /* another stack of the thread: belongs to the snapshot written right before */
};

struct ring_snapshot {
	struct ring_head head;
	__u64 address; /* of the stack's first byte: the stack pointer, rounded down to a word */
	__u32 size;    /* of the stack */
	__u32 flags;
	struct ring_task task;
	__u64 registers[RING_REGISTERS]; /* in the kernel's order */
	__u64 stack[];
};

/* --- what the programs must know about the running kernel to find out what waits are for --- */

/* What a system call's arguments say about its object. */
enum ring_call_kind {
	RING_CALL_OTHER,
	RING_CALL_DESCRIPTOR, /* the first one is a descriptor */
	RING_CALL_FUTEX,
	RING_CALL_WAIT4,
	RING_CALL_WAITID,
	RING_CALL_CLONE, /* with CLONE_VFORK, it waits for the child to execute a program or exit */
	RING_CALL_SLEEP,
	RING_CALL_POLL,
	RING_CALL_SELECT,
};

/* A kernel function in which tasks sleep that queue for a lock. */
enum ring_queue { RING_QUEUE_NONE, RING_QUEUE_MUTEX, RING_QUEUE_RWSEM, RING_QUEUE_SEMAPHORE, RING_QUEUE_PERCPU };
struct ring_lock_function {
	__u64 start, end;
	__u32 queue; /* enum ring_queue */
	__u32 reads; /* bool: they only want to read */
};

struct ring_function {
	__u64 start, end; /* 0, 0: the kernel has no such function */
};

/* What a kernel function among a thread's frames says: that it is not, or not only, in its system call's own work. */
enum ring_mark {
	RING_MARK_ENTRY = 1,   /* a page fault */
	RING_MARK_FAULT = 2,   /* any fault, also one by the kernel for a call */
	RING_MARK_BEFORE = 4,  /* the call has not begun */
	RING_MARK_BACK = 8,    /* on its way back to user space */
	RING_MARK_RECLAIM = 16,
	RING_MARK_UNKNOWN = 32, /* some frames are missing */
};

struct ring_marked_function {
	__u64 bytes;
	__u64 mark; /* enum ring_mark */
};

enum { RING_LOCK_FUNCTIONS = 24, RING_TRANSMITS = 3, RING_CALLS = 1024 };
enum { RING_MARKED_BITS = 5, RING_MARKED_FUNCTIONS = 1 << RING_MARKED_BITS };

/* Addresses of kernel functions. Set after the programs are loaded and before they run: that is when symbols are read. */
struct ring_object_functions {
	__u64 timer_wakeup; /* address of hrtimer_wakeup; 0: unknown, and so are the requested lengths of sleeps */
	__u64 percpu_wakeup; /* of percpu_rwsem_wake_function; 0: unknown */
	struct ring_function bh_enable, backlog;	 /* __local_bh_enable_ip, process_backlog */
	struct ring_function transmits[RING_TRANSMITS]; /* which send packets, and call bh_enable thereafter */
	__u64 locks_start, locks_end; /* all of these are in this range: */
	struct ring_lock_function locks[RING_LOCK_FUNCTIONS]; /* the known ones; the rest is empty */
	__u64 marks_known; /* bool: enough of these: */
	__u64 starts[RING_MARKED_FUNCTIONS]; /* ascending; the rest is ~0 */
	struct ring_marked_function marked[RING_MARKED_FUNCTIONS];
};

struct ring_object_knobs {
	__u32 on, by_cast;  /* bools; by_cast: the kernel has bpf_rdonly_cast, which makes reading cheap */
	__u32 page_size, max_frames;
	__u32 age_bits, unused; /* names are written again after 1 << age_bits ticks, or a little later */
	__u8 calls[RING_CALLS]; /* enum ring_call_kind of the kernel's own calls */
};

/* --- what a wait was for --- */

/*
 * A part of the wait's record, after the waker. A name precedes the first wait for its object on each CPU, in a record
 * of its own; the two have the same token. Kernel addresses (token, place of OBJECT_WORK and _LOCK) do not leave the
 * recorder.
 */
enum { RING_NAME_BYTES = 256, RING_OBJECT_ADDRESS = 16 };

enum ring_object_flag {
	RING_OBJECT_LOCKED = 1, /* the futex word looks like that of a lock that somebody holds */
};

struct ring_object {
	__u64 call;   /* its number, for NATIVE and COMPAT */
	__u64 place;  /* of a futex or lock: its address; of a kworker: the function's */
	__u64 device, inode;
	__u64 peer;   /* inode of a unix socket's other end, 0: unknown */
	__u64 net;    /* of an internet socket: its network namespace's cookie; 0: unknown */
	__u64 token;  /* of its name, 0: it has none */
	__u64 asked;  /* for SLEEP: ns; until object_lasts(), when it is to end; 0: unknown */
	__u64 offset; /* of a control group: its quota */
	__u32 mapping; /* enum object_mapping, unless it comes with the name */
	__u32 context, kind;
	__u32 process; /* tgid that a futex, descriptor or mmap_lock belongs to; the child's, 0: any */
	__u32 descriptor; /* plus 1; of kinds that nothing else tells apart */
	__u32 lock;   /* enum lock_kind */
	__u32 beside; /* bool: a struct ring_beside follows */
	__u32 flags; /* enum ring_object_flag, about the wait */
	__u16 state, port, peer_port, unused; /* of a socket */
	__u8 address[RING_OBJECT_ADDRESS], peer_address[RING_OBJECT_ADDRESS]; /* IPv4 in the form ::ffff:a.b.c.d */
};

struct ring_beside { /* what only few waits have */
	struct ring_task owner; /* if HELD_BY_OWNER */
	__u32 held;  /* enum wait_held */
	__u32 ready; /* a descriptor, plus 1; 0: none */
	struct ring_object object; /* what the descriptor refers to */
};

struct ring_name { /* of kind RING_NAME */
	struct ring_head head;
	__u64 token;
	__u32 length, flags; /* enum object_flag */
	struct ring_task task; /* that waited for it */
	/* For a futex: its mapping (enum object_mapping), the mapped file, and where the futex is in it. */
	__u64 device, inode, offset;
	__u32 mapping, unused;
	char bytes[2 * RING_NAME_BYTES]; /* a path begins at RING_NAME_BYTES - length */
};

/* --- waits --- */

/*
 * A wait is written when it ends. Its user stack comes before it (taken when the thread went to sleep) or after it
 * (taken before the thread runs on), because it can be read only while the thread is current. Its waker's stacks come
 * before it, at the wakeup. The reader joins them.
 */

enum ring_wait_flag {
	RING_WAIT_IOWAIT = 1,
	RING_WAIT_BEGAN_BEFORE = 2,
	RING_WAIT_OUT_LATEST = 4, /* `out` is a bound: the wait may have begun earlier */
	RING_WAIT_NOT_ENDED = 8,
	RING_WAIT_KERNEL_TRUNCATED = 16,
	RING_WAIT_HAS_WAKER = 32, /* a struct ring_waker precedes the frames */
	RING_WAIT_USER_LATER = 64,
	RING_WAIT_USER_BEFORE = 128,
	RING_WAIT_USER_KTHREAD = 256, /* requested, but there is none */
	RING_WAIT_HAS_OBJECT = 512, /* a struct ring_object precedes the frames, after the waker */
	RING_WAIT_THROTTLED = 1024, /* a struct ring_throttle precedes the frames, after the object */
};

struct ring_waker {
	__u64 time;
	__u64 context; /* enum waker_context */
	struct ring_task task;
};

struct ring_throttle {
	__u64 throttled;      /* ns; not in run_queue */
	__u64 token;	      /* of the path of the group whose quota was used up (RING_NAME), 0: not known */
	__u64 id;	      /* st_ino of its folder */
	__u64 quota, period; /* ns */
};

struct ring_wait {
	struct ring_head head; /* time: of the switch-in */
	__u64 out;
	__u64 out_key; /* which the user stack taken at the switch-out has, too. NOT_ENDED with USER_LATER:
			  since which switch-in waits of the same system call have no user stack; 0: only this one */
	__u64 run_queue;
	__u32 state;
	__u16 wait_class, out_cpu;
	__u32 flags;
	__u32 kernel_count;
	struct ring_task task;
	/* [ring_waker] · [ring_object · [ring_beside]] · [ring_throttle] · frames · NOT_ENDED: switches so far */
	__u64 rest[];
};

struct ring_wake {
	struct ring_head head;
	__u32 context;
	__u32 flags; /* enum ring_sample_flag */
	__u32 kernel_count, user_count;
	struct ring_task task; /* the waker */
	struct ring_task target;
	__u64 frames[];
};

struct ring_user_stack {
	struct ring_head head;
	__u64 since; /* switch-in of the first wait it belongs to; 0: taken at a switch-out, head.time is its out_key */
	__u32 reason; /* enum user_missing: why there is no stack */
	__u32 flags;  /* enum ring_sample_flag */
	__u64 count;
	struct ring_task task;
	__u64 frames[];
};

struct ring_sum {
	__u64 count, total, run_queue, throttled; /* ns; total: all */
};

struct ring_sums { /* of one task since the last record of this kind */
	struct ring_head head;
	__u64 since;
	__u64 running; /* ns */
	struct ring_task task;
	struct ring_sum kinds[WAIT_SUM_KINDS];
};

/*
 * The run queue's clock is the one by which the scheduler itself accounts. It may pause for microseconds at a wakeup.
 * Reading it is free; reading the exact clock costs as much as everything else that is done at a switch.
 */
enum ring_wait_clock {
	RING_CLOCK_EXACT,   /* CLOCK_MONOTONIC at each switch */
	RING_CLOCK_SHIFTED, /* lengths by the run queue's clock; a wait that is written ends at the exact time */
	RING_CLOCK_QUEUE,   /* the run queue's clock, calibrated; only without wakers, whose times are exact */
};

/*
 * Where the user stack of a wait is taken once the wait is known to get a record: in the sleeper's own context, which
 * alone can read it. If all waits get records, it is taken before the wait, when the thread leaves the CPU.
 */
enum ring_user_way {
	RING_BY_NONE,
	RING_BY_TASK_WORK, /* on the way back to user space; costs only threads whose stack is wanted; Linux 6.18 */
	RING_BY_SWITCH,	   /* at the end of the switch to the thread: a probe that every switch hits */
	RING_BY_SYS_EXIT,  /* at the return of its system call: a hook that every call hits */
};

/* How the time that quotas take is known. */
enum ring_throttle_way {
	RING_THROTTLE_UNKNOWN,
	RING_THROTTLE_NONE,   /* the kernel has no quotas */
	RING_THROTTLE_MARKED, /* by the kernel, on the thread */
	RING_THROTTLE_PROBED, /* by programs on two of its functions */
};

/* How it is known which lock of the kernel a wait is for. */
enum ring_lock_way {
	RING_LOCKS_UNKNOWN,
	RING_LOCKS_TRACED, /* by the kernel's tracepoints at contended locks, which fire for those that spin as well */
	RING_LOCKS_MARKED, /* by the kernel, on the task, else by the lock's list of waiters */
};

struct ring_wait_knobs {
	__u64 least, most; /* ns: shorter waits are summed, longer ones left out */
	__u32 states;	   /* bits of prev_state, and RING_STATE_RUNNABLE */
	__u32 wakers, user_stacks; /* bools */
	__u32 source, wakers_source;
	__u32 user_way; /* enum ring_user_way */
	__u32 user_before;  /* bool: at the switch-out of each wait */
	__u32 most_entries; /* of tasks; 0: any number */
	__u32 locks; /* enum ring_lock_way */
	__u32 throttle; /* enum ring_throttle_way */
	__u64 clock; /* enum ring_wait_clock */
	__s64 preempt_count; /* offset of a CPU's preempt count from its run queue, bytes; 0: unknown */
};
enum { RING_STATE_RUNNABLE = 1 << 30 /* prev_state 0 */, RING_STATES_ALL = 0x7fffffff };

enum ring_look { RING_LOOK_FIRST, RING_LOOK_LAST, RING_LOOK_OPEN /* changes nothing */ }; /* looks at all tasks */
struct ring_look_state {
	__u64 clock_offset; /* CLOCK_MONOTONIC - sched_clock, ns (may wrap): varies by microseconds */
	__u64 clock_base;   /* the same at the first reading */
	__u64 kind;	    /* enum ring_look */
	__u64 armed;	    /* CLOCK_MONOTONIC: since when events are written; 0: they are not yet */
	__u64 seen;	    /* tasks that the first look saw */
	__u64 until;	    /* CLOCK_MONOTONIC: tasks that are met later are left out of a look */
	__u64 left_out;
};

/* --- walks over all tasks (bpf/tasks.bpf.c) --- */

enum ring_walk_task_flag {
	RING_WALK_TRACE_FLAGS = 127, /* enum walk_task_flag, of these */
	/* After the frames, in this order: a struct ring_object, a struct ring_beside, a struct ring_name. */
	RING_WALK_OBJECT = 1 << 16,
	RING_WALK_BESIDE = 1 << 17,
	RING_WALK_NAME = 1 << 18,
};

enum ring_walk_filter { /* which tasks a walk keeps; RING_WALK_DEFAULT is D and R */
	RING_WALK_DEFAULT,
	RING_WALK_ALL,
	RING_WALK_RUNNING,
};

/* Set before each walk, read after it. */
struct ring_walk {
	__u64 clock_offset; /* CLOCK_MONOTONIC - sched_clock, ns (may wrap) */
	__u64 least_wait;   /* ns; tasks that have waited for less are filtered */
	__u64 filter;	    /* enum ring_walk_filter */
	__u64 seen, kept, own, filtered;
	__u64 until; /* CLOCK_MONOTONIC: tasks that are met later are left out */
	__u64 left_out;
};

struct ring_walk_task {
	__u64 time; /* CLOCK_MONOTONIC */
	__u64 wait; /* ns since switch-out */
	__u32 bound, cpu; /* enum wait_bound */
	__u32 state, exit_state;
	__u32 flags; /* enum ring_walk_task_flag */
	__u32 count; /* of frames */
	__u64 switches; /* so far; all that is read while this stays the same belongs to one moment */
	struct ring_task task;
	__u64 frames[];
};

/* --- user stacks of sleepers: bpf/sleepers.bpf.c, the helper that copies (record/helper/iterator_helper.h) --- */

enum { RING_MAX_SLEEPERS = 16384 /* of one round */ };

enum ring_sleeper_stage {
	RING_SLEEPER_WANTED,
	RING_SLEEPER_BEGUN, /* a helper was asked to copy: never again in this round */
	RING_SLEEPER_DONE,
};

/* By tid, written by the recorder: whose stack is wanted. */
struct ring_sleeper_wanted {
	__u64 start;	/* CLOCK_BOOTTIME */
	__u64 switches; /* so far; it has slept since then */
	__u64 futex;	/* the futex it sleeps for, which may be a mutex; 0: none */
	__u64 began;	/* CLOCK_MONOTONIC: the sleep, or later */
	__u32 stage, outcome;
};

struct ring_sleeper_place { /* in the memory of a process */
	__u64 from, to;	   /* to: at most the end of the mapping. from 0: nowhere */
	__u64 file_system; /* of the mapping's file, as statfs(2) has it (f_type); 0: memory without a file */
};

/*
 * What the helper shall copy before it reads on. A page that it shares with the program; the copy
 * counts only if the record that is read next is of the same task and has the same stack pointer.
 */
struct ring_sleeper_asked {
	struct ring_sleeper_place stack, mutex;
	__u32 tgid, tid;
	__u32 operation, value; /* of the call that waits for the mutex */
	/* by the helper: */
	__u32 owner; /* of the mutex: its tid in its pid namespace; 0: not known */
	__u32 unused;
};

struct ring_sleeper {
	__u64 start;
	__u32 tid, outcome; /* enum user_missing */
	__u64 address; /* of the stack's first byte: the stack pointer, rounded down to a word */
	/* by the helper: */
	__u32 size;  /* of the stack */
	__u32 flags; /* enum snapshot_flag */
	struct ring_task owner; /* owner of the mutex `futex`; tid 0: not known */
	__u64 registers[RING_REGISTERS];
	__u64 stack[];
};

/* --- tracepoints and kernel functions ("points") --- */

enum { RING_MAX_POINT_SOURCES = 32 };

/* Per CPU, of one --trace or --kfunc: running totals, and how much --rate-limit still allows. */
struct ring_point_source {
	__u64 counters[RING_COUNTERS];
	__u64 runs, run_ns; /* as in struct ring_cpu */
	__u64 due; /* when the next stack would be due if they were evenly spaced */
};

struct ring_point_hits { /* per CPU, of one point: running totals */
	__u64 hits;    /* those that passed the filters */
	__u64 skipped; /* of these, skipped by the rate limit */
};

/* --- control groups of version 2, in a ring of their own: those that exist, parents first; later changes --- */

enum {
	RING_CGROUP_BYTES = 4 << 20, /* of the ring: about 14,000 records */
	RING_CGROUP_NAME = 256,	       /* bytes, with the NUL */
};

enum ring_cgroup_kind { RING_CGROUP_EXISTS, RING_CGROUP_MADE, RING_CGROUP_REMOVED };

struct ring_cgroup {
	__u64 time; /* CLOCK_MONOTONIC */
	__u64 id;
	__u64 parent; /* id; 0: this is the root of the hierarchy */
	__u32 kind;   /* enum ring_cgroup_kind */
	__u32 length; /* of the name, without a NUL */
	char name[RING_CGROUP_NAME];
};

/* --- what bpf/lives.bpf.c counts, and the recorder counts in the kernel's records --- */

enum ring_life { RING_LIFE_FORK, RING_LIFE_RENAME, RING_LIFE_EXIT, RING_LIVES };

struct ring_lives { /* of one CPU, running totals */
	__u64 counts[RING_LIVES];
};

/*
 * Processes that share their memory with their parent, which no record tells: clone(CLONE_VM) without CLONE_THREAD.
 * Those of vfork() and posix_spawn(), which are many, are left out: the parent waits until they call exec.
 */
enum { RING_SHARES = 64 };

struct ring_shares {
	__u32 count; /* so far; the latest ones are in items, each at its number modulo RING_SHARES */
	struct ring_share {
		__u64 time;
		__u32 parent_tgid, tgid;
	} items[RING_SHARES];
};

#endif

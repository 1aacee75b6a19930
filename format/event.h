/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The records inside STATE, EVENTS, EMBED, END, SNAPSHOTS and NAMES chunks, decoded (FORMAT.md
 * §4-§7, §12, §13). On disk a record is
 *
 *     varint length (of what follows) · varint kind · fields
 *
 * and a reader skips kinds it does not know and bytes after the last field it knows. Fields are
 * varints unless said otherwise, in the order of the members of the structs; (z) = zig-zag; (s) =
 * varint length + bytes; (t) = time: zig-zag difference to the previous time in a record of the same
 * kind in the chunk, the first to 0. So is a tgid or tid of a STATE or TASK record, to the previous
 * tgid or tid, and the start of a MAPPING; that, its length and file_offset are in units of 4096 bytes.
 * Kinds are never reused, fields are only appended; an absent field at the end reads as 0 (a
 * difference of 0) or empty.
 */
#ifndef RWALKER_FORMAT_EVENT_H
#define RWALKER_FORMAT_EVENT_H

#include <stdbool.h>
#include <stdint.h>

#include "common/bytes.h"
#include "format/kinds.h"

/* Bytes inside a record. Untrusted: they hold names that a process chose for itself or its files. */
struct event_text { /* bytes of the chunk, not NUL-terminated; valid while the chunk is */
	const char *bytes;
	uint32_t length;
};

/*
 * The records of STATE chunks (FORMAT.md §5): they give addresses and ids their meaning. They are
 * idempotent: a known fact may be repeated. Ids of modules and sources are assigned by the recorder,
 * are never reused within a section, and are valid for the section.
 */

/* (s) key, (s) value. A later record with the same key replaces the earlier. Keys: FORMAT.md §5. */
struct event_meta {
	struct event_text key, value;
};

/* Two clocks, read back to back: at the start, every 10 s, after a clock step, at the end. */
struct event_clock {
	uint64_t time;			   /* (t) CLOCK_MONOTONIC, the time of all events */
	uint64_t realtime;		   /* CLOCK_REALTIME, ns */
	uint64_t window;		   /* ns between the first and the last reading */
};

enum source_kind {
	SOURCE_CPU = 1,
	SOURCE_OFFCPU = 2,
	SOURCE_WAKERS = 3,
	SOURCE_TRACEPOINT = 4,
	SOURCE_KFUNC = 5,
	SOURCE_TASKS = 6,
};
enum source_weight { WEIGHT_COUNT = 1, WEIGHT_NS = 2, WEIGHT_CYCLES = 3 };

/* What was recorded; restated when its end is known. */
struct event_source {
	uint32_t id;		/* from 1 */
	uint32_t kind;		/* enum source_kind */
	uint32_t weight;	/* enum source_weight: unit of event_sample.period */
	struct event_text name; /* (s) "cycles", "cpu-clock" */
	uint64_t frequency;	/* Hz per CPU, 0 if it does not apply */
	uint64_t period;	/* nominal, in the weight's unit; for samples without one */
	uint64_t start, stop;	/* (t) (t); stop = start while running */
	uint64_t flags;		/* enum source_flag */
	uint64_t least, most;	/* of waits, ns: shorter ones are only summed, longer ones are left out */
};
enum source_flag { SOURCE_USER_STACKS = 1, SOURCE_SOFTWARE_FALLBACK = 2, SOURCE_SNAPSHOTS = 4 };

enum module_kind {
	MODULE_FILE = 1,	/* mapped from a file */
	MODULE_KERNEL = 2,	/* vmlinux; offset 0 = _text */
	MODULE_KERNEL_MODULE = 3,
	MODULE_BPF = 4,		/* one BPF program */
	MODULE_KERNEL_OTHER = 5,/* trampolines, dispatchers and other code generated at run time */
	MODULE_VDSO = 6,
	MODULE_ANONYMOUS = 7,	/* executable memory without an ELF file: JIT code; one module for all without a name */
};

struct event_module {
	uint32_t id;			/* from 1; 0 = unknown */
	uint32_t kind;			/* enum module_kind */
	struct event_text path;		/* (s) as seen by the process; "[kernel]", "ext4", program name ... */
	struct event_text build_id;	/* (s) bytes, empty if there is none */
	uint64_t device, inode;
	uint64_t base;			/* run-time base of kernel modules, only with --keep-kernel-addresses, else 0 */
	uint64_t flags;			/* enum module_flag */
};
enum module_flag {
	MODULE_DELETED = 1, /* the file had already been deleted when it was first seen */
	/* From this bit on: the number of the file among different ones with its build-id; 0 for the first. */
	MODULE_VARIANT_SHIFT = 8,
};

struct event_mapping { /* executable mappings only */
	uint64_t time;	       /* (t) when it was created, or first seen */
	uint32_t tgid;
	uint64_t start, length; /* start: (z) difference to the start of the previous MAPPING in the chunk */
	uint64_t file_offset;
	uint32_t module;
	uint64_t flags;
};
enum mapping_flag {
	MAPPING_INITIAL = 1, /* existed before the recording */
	MAPPING_COPIED = 2,  /* memory in place of this file's code, and a copy of it: pages were compared */
};

struct event_fork {
	uint64_t time;	/* (t) */
	uint32_t tgid, tid, parent_tgid; /* tgid == parent_tgid: a new thread */
};

struct event_comm {
	uint64_t time;	/* (t) */
	uint32_t tgid, tid;
	uint64_t flags; /* enum comm_flag */
	struct event_text comm; /* (s) */
};
enum comm_flag { COMM_EXEC = 1 /* from here on the address space is a new, empty one */, COMM_INITIAL = 2 };

struct event_exit {
	uint64_t time; /* (t) */
	uint32_t tgid, tid; /* tgid == tid: the process's leader */
};

/* A kernel function that a kernel frame points into. Holds offsets within the module, not addresses. */
struct event_kernel_symbol {
	uint32_t module;
	uint64_t offset, size;
	struct event_text name; /* (s) */
};

/*
 * The records of STATE chunks (FORMAT.md §5) that describe the quality of the others: what was
 * lost, what is unreliable, and what the recording cost.
 */

/*
 * Why events are missing, left out, or less complete than requested (FORMAT.md: the loss record).
 * Numbers are never reused.
 */
enum loss_cause {
	LOSS_RING_FULL = 1,
	LOSS_NO_TASK_ENTRY = 2,
	LOSS_RECURSION = 3,	 /* the kernel skipped the program */
	LOSS_THROTTLED = 4,	 /* the kernel throttled sampling */
	LOSS_NESTED = 5,	 /* no scratch left at this nesting level */
	LOSS_SIDEBAND = 6,	 /* perf LOST records: mappings or task events are missing */
	LOSS_OWN = 7,		 /* the recorder's own, left out on purpose: not a loss */
	LOSS_FILTERED = 8,	 /* seen and filtered out: not a loss */
	LOSS_IDLE = 9,		 /* idle task: not a loss */
	LOSS_KERNEL_STACK = 10,	 /* recorded without its kernel stack: a quality note */
	LOSS_ENCODER = 11,	 /* event refused by the encoder */
	LOSS_RECORDED = 12,	 /* not a loss: recorded events, for the identity seen = recorded + lost */
	LOSS_SEEN = 13,		 /* not a loss: number of runs of the BPF program */
	LOSS_NOT_DELIVERED = 14, /* samples counted by the kernel but not delivered, while the CPU was idle or busy */
	LOSS_USER_STACK = 15,	 /* recorded without the requested user stack: a quality note */
	LOSS_TRUNCATED = 16,	 /* recorded with a stack cut at the depth limit: a quality note */
	LOSS_HITS = 17,		 /* addresses not kept for embedding because of lack of room: a quality note */
	LOSS_MODULES = 18,	 /* mapped files not kept for embedding because of lack of room: a quality note */
	LOSS_FILES = 19,	 /* mapped files not opened for embedding while they were mapped: a quality note */
	LOSS_BRIEF = 20,	 /* waits shorter than the threshold, which are summed: not a loss */
	LOSS_UNWRITTEN = 21,	 /* recorded, but then the trace could no longer be written: a quality note */
	LOSS_RATE_LIMITED = 22,	 /* hits of a probe beyond --rate-limit, which are counted: not a loss */
	LOSS_SNAPSHOT = 23,	 /* recorded without the requested snapshot: a quality note */
	LOSS_USER_ASTRAY = 24,	 /* recorded with a user stack cut at a frame that was no code: a quality note */
	LOSS_USER_UNKNOWN = 25,	 /* recorded with its user leaf only, its process's mappings unknown: a quality note */
	LOSS_LOOK = 26,		 /* threads that a look at all of them did not reach in its time */
	LOSS_CAUSES		 /* one more than the largest known number */
};

/* Running total, restated every second and at the end; a later record replaces an earlier one with the same key. */
struct event_loss {
	uint64_t time;	 /* (t) */
	uint32_t source; /* 0: all */
	uint32_t cpu;
	uint32_t cause;	 /* enum loss_cause */
	uint64_t total;
};

/* What the recording cost the host so far. */
struct event_cost {
	uint64_t time; /* (t) */
	uint64_t user_ns, system_ns; /* of the recorder and its helpers */
	uint64_t bpf_ns;	     /* of the main programs, from 1 in RING_MEASURED of their runs */
	uint64_t max_rss, ring_bytes; /* bytes; rss without the rings */
	uint64_t written;	     /* bytes */
};

struct event_maps_unavailable {
	uint64_t time; /* (t) */
	uint32_t tgid;
	uint32_t reason; /* errno: ETIMEDOUT the target's lock was held ... */
};

/*
 * A span of time in which records of processes and mappings are missing, after which all of them
 * were written again. A later one with the same start and CPU replaces an earlier one.
 */
struct event_unsure {
	uint64_t time, until; /* (t) (t) */
	uint32_t cpu;	      /* whose records are missing; their processes may have run on any CPU */
	uint32_t cause;	      /* enum unsure_cause */
	uint64_t missing;     /* lower bound, records; 0: not known */
};
enum unsure_cause {
	UNSURE_SILENT = 1, /* the kernel delivered none, though it counted some */
	UNSURE_LOST = 2,   /* the ring was full */
	UNSURE_AWAY = 3,   /* the CPU was offline, and its ring with it */
};

/*
 * What a perf event counted on a CPU, and how much of it was delivered: running totals. A later one
 * (by time) replaces an earlier one.
 */
struct event_counter {
	uint64_t time; /* (t) */
	uint32_t source, cpu;
	uint64_t counted;	 /* by the kernel, in the source's weight (WEIGHT_*) */
	uint64_t seen;		 /* of these: periods that ended in an event for which the program ran */
	uint64_t missed;	 /* events: what was counted and not seen */
	uint64_t missed_idle;	 /* part of `missed`: while the CPU was idle; the rest while it was busy */
	/* ns for which it was enabled; of these, on a hardware counter, which the event may share with others. */
	uint64_t enabled, running;
	uint64_t throttled;	 /* ns in which the kernel had throttled it; neither counted nor missed */
};

/*
 * The STATE records about probes (FORMAT.md §5): the tracepoints and kernel functions of a source,
 * and how often each was hit.
 */

/* One tracepoint or function of a source that covers one or several. */
struct event_probe {
	uint32_t id;		/* from 1 */
	uint32_t source;
	uint32_t hook;		/* enum probe_hook */
	struct event_text name; /* (s) "sched:sched_switch", "tcp_sendmsg" ... */
};

/* Running totals of a probe on all CPUs; a later record replaces an earlier one. */
struct event_probe_hits {
	uint64_t time;	  /* (t) */
	uint32_t probe;	  /* id */
	uint64_t hits;	  /* that passed the filters: recorded, skipped or lost */
	uint64_t skipped; /* of hits: without an event because of --rate-limit */
	uint64_t missed;  /* not in hits: the kernel did not run the program */
};

/*
 * The cgroups of the host's version 2 hierarchy that tasks were in (FORMAT.md §5, §13). Tasks refer
 * to them by id.
 */

enum cgroup_flag {
	CGROUP_INITIAL = 1, /* existed before the recording */
	CGROUP_REMOVED = 2, /* at `time`; an earlier record has when it was made */
};

struct event_cgroup {
	uint64_t time;		/* (t) when it was made, or first seen */
	uint64_t id;		/* of its directory: st_ino */
	uint64_t flags;		/* enum cgroup_flag */
	struct event_text path; /* below the root that the recorder saw; "/" is that root; empty: unknown */
};

/*
 * The STATE records of a recorder that keeps only the last part of a recording, and dumps it when
 * something happens (FORMAT.md §5).
 */

/* Which part of a recording the section holds. */
struct event_window {
	uint64_t since, until; /* (t) (t) */
	uint64_t before;       /* ns that had been recorded before `since` */
	uint64_t dump;	       /* number of this dump, from 1 */
	uint64_t asked;	       /* ns that the window was to hold */
	uint64_t room;	       /* stored bytes that it was to take at most */
};

/* Something happened for which a dump was wanted. */
struct event_trigger {
	uint64_t time;		/* (t) */
	uint64_t dump;		/* number of the dump that was made for it; 0: none was */
	struct event_text rule; /* (s) as the user gave it; "signal", "end" */
	uint32_t tgid, tid;	/* 0: it is not about a task */
	struct event_text comm; /* (s) */
	uint64_t value;		/* what exceeded the rule's limit: ns, or hundredths of a percent */
	uint64_t more;		/* others since the last TRIGGER, which got neither a dump nor a TRIGGER */
};

/* From `time` on the recorder records less, nothing, or all of it again, to keep what it costs within limits. */
struct event_budget {
	uint64_t time;	   /* (t) */
	uint64_t step;	   /* enum budget_step */
	uint64_t least;	   /* ns: shorter waits are in sums only; 0: there are none */
	uint64_t frequency; /* of samples, Hz; 0: there are none */
	uint64_t used, budget; /* hundredths of a percent of one CPU: by all parts, before `time` */
};
enum budget_step {
	BUDGET_WHOLE = 0, /* all that was asked for */
	BUDGET_COARSER = 1,
	BUDGET_PAUSED = 2, /* nothing */
};

/*
 * What waits were for (FORMAT.md §5, §13). Waits refer to objects by number; a later record with
 * the same number may add to an earlier one. What may be private (paths, addresses of peers, names
 * of sockets) is in separate chunks, which can be dropped.
 */

struct event_object {
	uint32_t number; /* from 1 */
	uint32_t kind;	 /* enum object_kind */
	uint64_t flags;	 /* enum object_flag */
	uint32_t tgid;	 /* of the process whose futex or descriptor it is; of the child, 0: any */
	uint32_t descriptor; /* plus 1, for objects that nothing else tells apart; 0: it does not matter */
	uint64_t device, inode;
	uint64_t place;	 /* a futex's address in its process; a function's offset in `module`; a lock's number */
	uint32_t module; /* of a function; 0: unknown */
	uint32_t state; /* of a socket: TCP_* */
	uint32_t port, peer_port;
	uint64_t peer; /* a unix socket's other end: its inode */
	uint32_t lock; /* enum lock_kind */
	struct event_text name; /* of a variable that is a kernel lock; of a block device */
	uint32_t mapping; /* enum object_mapping; 0: unknown */
	uint64_t offset; /* of a futex: in that variable, else in the file of OBJECT_IN_SHARED */
	uint64_t net;	 /* of an internet socket: a number for its network namespace; 0: unknown */
};

struct event_object_name {
	uint32_t number;
	struct event_text path;			 /* of a file, also a mapped one, or a unix socket's name */
	struct event_text address, peer_address; /* 16 bytes, IPv4 as ::ffff:a.b.c.d */
};

/*
 * The records of EVENTS chunks (FORMAT.md §6): samples and walks, and the tasks and stacks they
 * refer to, which every EVENTS chunk defines for itself: numbers of tasks and nodes have no meaning
 * outside their chunk.
 */

/* A task as it was at the event: complete in every chunk, so that the comm survives the loss of other chunks. */
struct event_task {
	uint32_t tgid, tid;
	uint64_t start;	/* CLOCK_BOOTTIME ns of its start: (boot id, tid, start) identifies a task forever */
	uint64_t flags;	/* enum task_flag */
	char comm[16];	/* on disk (s); here NUL-terminated */
	uint64_t cgroup; /* the id of its cgroup (v2), event_cgroup.id; 0: not recorded */
};
enum task_flag { TASK_KERNEL_THREAD = 1 };

/*
 * Stacks are paths in a tree of nodes that each EVENTS chunk builds from scratch. Node 0 is the root of user stacks,
 * node 1 of kernel stacks; a new node gets the next number from 2. A stack on disk is
 *     parent node · count · count × (z) address
 * count new nodes, root-most first, each the child of the previous one; the stack's leaf is the last one, or the parent
 * if count is 0. An address is the difference to the address of the parent's latest child, or of the parent if it has
 * none yet (roots: 0). Kernel addresses are (module id << 32 | offset in the module); offset and id 0: an address in no
 * known module, not stored. User addresses are the process's own. Return addresses are stored as they are on the stack;
 * the leaf is the interrupted instruction.
 */
enum { STACK_USER_ROOT = 0, STACK_KERNEL_ROOT = 1, STACK_FIRST_NODE = 2 };

enum sample_flag {
	SAMPLE_HAS_KERNEL = 1,	 /* a kernel stack follows */
	SAMPLE_HAS_USER = 2,	 /* a user stack follows */
	SAMPLE_HAS_PERIOD = 4,
	SAMPLE_KERNEL_TRUNCATED = 8,
	SAMPLE_USER_TRUNCATED = 16,
	SAMPLE_USER_MISSING = 32, /* requested but missing; the reason follows */
	SAMPLE_HAS_PROBE = 64,	  /* which one, follows */
	SAMPLE_HAS_SNAPSHOT = 128, /* its number follows */
};

/*
 * On disk: cpu · time · task · source · flags · [reason] · [period] · [kernel stack] · [user stack]
 * · [probe] · [snapshot]. time: the first of its kind and CPU in the chunk is a (t) and sets the CPU's step
 * to 0; later ones: step += (z), and the time is the time of the CPU's previous sample plus step.
 */
struct event_sample {
	uint64_t time;
	uint32_t cpu;
	uint32_t task;	  /* number in the chunk, from 1 */
	uint32_t source;
	uint64_t flags;	  /* enum sample_flag */
	uint64_t missing; /* enum user_missing */
	uint64_t period;  /* if absent, the source's nominal one: read as 0 */
	uint32_t kernel, user; /* leaf nodes; the root if there is no stack */
	uint32_t probe;	  /* the tracepoint or function, event_probe.id; 0: none */
	uint32_t snapshot; /* event_snapshot.number; 0: none */
	bool callers_known; /* set by the encoder: the chunk already has the user stack's callers, for the same owner */
};

/* One walk over all tasks: a record when it starts and one when it ends. */
struct event_walk {
	uint64_t time; /* (t) */
	uint32_t number; /* from 1 */
	uint32_t source;
	uint64_t flags; /* 1: end */
	uint64_t seen, kept; /* tasks; at the end */
};
enum walk_flag { WALK_END = 1 };

/*
 * On disk: (t) · walk · task · state · exit_state · wait · bound · cpu · flags · kernel stack
 * (parent 1 and count 0: none) · [user stack] · [reason] · [snapshot] · [call · object] · [asked] ·
 * [owner].
 */
struct event_walk_task {
	uint64_t time; /* when this task was walked */
	uint32_t walk;
	uint32_t task; /* number in the chunk */
	uint64_t state; /* the kernel's __state, raw mask */
	uint64_t exit_state;
	uint64_t wait;	/* ns since switch-out */
	uint32_t bound; /* enum wait_bound */
	uint32_t cpu;	/* where it runs, is queued, or ran last */
	uint64_t flags; /* enum walk_task_flag */
	uint32_t kernel, user; /* leaf nodes; the root if there is no stack */
	uint64_t missing; /* enum user_missing */
	uint32_t snapshot; /* event_snapshot.number; 0: none */
	uint64_t call;	   /* enum wait_call, and number << WAIT_CALL_BITS */
	uint32_t object;   /* event_object.number; 0: not known */
	uint64_t asked;	   /* ns; 0: not known */
	uint32_t owner;	   /* of a lock or futex, when the task was walked: number in the chunk; 0: not known */
};

/*
 * The records of waits in EVENTS chunks (FORMAT.md §6): a wait that has ended, the stacks of its waker, a user stack
 * that could only be read later, and sums of waits that were too short for a record of their own. A wait is matched
 * with its waker's stacks by target and time, and with its user stack by task and time; both may be in other chunks.
 *
 */

enum wait_flag {
	WAIT_HAS_KERNEL = 1,
	WAIT_HAS_USER = 2,
	WAIT_HAS_RUN_QUEUE = 4, /* blocked, started: the run queue part follows; others are run queue time as a whole */
	WAIT_HAS_WAKER = 8,
	WAIT_MOVED = 16,	 /* it was switched out on another CPU: out_cpu follows */
	WAIT_USER_MISSING = 32,	 /* asked for and not got; the reason follows */
	WAIT_USER_LATER = 64,	 /* a USER_STACK follows */
	WAIT_IOWAIT = 128,
	WAIT_BEGAN_BEFORE = 256, /* it began before the recording */
	WAIT_NOT_ENDED = 1024,	 /* time is when it was last looked at */
	WAIT_KERNEL_TRUNCATED = 2048,
	WAIT_USER_TRUNCATED = 4096,
	WAIT_HAS_SNAPSHOT = 8192, /* its number follows */
	WAIT_OUT_LATEST = 16384, /* it began then or earlier: the length is a lower bound */
	WAIT_HAS_CALL = 32768,	 /* what it was for follows: call and object */
	WAIT_HAS_ASKED = 65536,	 /* how long the call was asked to wait follows */
	WAIT_HAS_OWNER = 131072, /* the task that held what it was for follows */
	WAIT_HAS_READY = 262144, /* what was ready in the end follows: a descriptor and its object */
	WAIT_FOR_READING = 524288,   /* it was for a lock for reading: other readers would not have held it up */
	WAIT_OWNER_READS = 1048576, /* `owner` was one of the readers; it may have let go before */
	WAIT_OWNER_AT_END = 134217728,	/* `owner` held it at `time`, in a wait that goes on; else when it began */
	WAIT_OWNER_CHANGED = 268435456, /* and is not known to have held it when the wait began */
	WAIT_HAS_THROTTLED = 67108864, /* for how long the quota of a cgroup kept it from running follows, and which */
};

enum { WAIT_CALL_BITS = 3 }; /* of event_wait.call: enum wait_call; above, the number of a system call */

/* The other tasks of a wait, for callers that write one. */
enum wait_other { WAIT_WAKER, WAIT_OWNER, WAIT_OTHERS };

struct event_wait {
	uint32_t cpu, task, source; /* cpu of the switch-in; task: number in the chunk */
	uint64_t flags;		    /* enum wait_flag */
	uint32_t wait_class;
	uint64_t state;	  /* the kernel's __state at the switch-out, raw mask */
	uint64_t missing; /* enum user_missing */
	uint32_t kernel, user;
	uint64_t time;	    /* of the switch-in */
	uint64_t length;    /* ns since the switch-out */
	uint64_t run_queue; /* ns of it, at the end */
	uint64_t throttled; /* ns of it, runnable too, but kept from running: neither blocked nor run queue */
	uint32_t throttler; /* event_object.number of the cgroup; 0: not known */
	uint32_t out_cpu, context, waker; /* context: enum waker_context; waker: number in the chunk */
	uint64_t woken; /* ns before `time` */
	uint32_t snapshot; /* event_snapshot.number; 0: none */
	uint64_t call;	   /* enum wait_call, and number << WAIT_CALL_BITS */
	uint32_t object;   /* event_object.number; 0: not known */
	uint64_t asked;	   /* ns; 0: not known */
	uint32_t owner;	   /* of a lock or futex: number in the chunk; 0: not known */
	uint32_t ready;	   /* of epoll: a descriptor that was ready, plus 1; 0: not known */
	uint32_t ready_object; /* what it led to: event_object.number; 0: not known */
	bool callers_known; /* as in struct event_sample */
};

/* The task that called for the wakeup of `target`, with stacks; the context is in the wait. */
struct event_wake {
	uint32_t cpu, task, source;
	uint64_t flags; /* enum sample_flag */
	uint32_t target, context;
	uint64_t missing;
	uint32_t kernel, user;
	uint64_t time;
	uint32_t snapshot;
	bool callers_known;
};

/* The user stack of the task's waits that ended in [time - since, time] and have WAIT_USER_LATER. */
struct event_user_stack {
	uint32_t cpu, task, source;
	uint64_t flags; /* enum sample_flag */
	uint64_t missing;
	uint32_t user;
	uint64_t time, since;
	uint32_t snapshot;
	bool callers_known;
};

struct event_wait_sum {
	uint64_t count, total, run_queue, throttled; /* ns; total: all */
};

/* Sums of one task, from time - span to time. flags: one bit per enum wait_sum_kind that follows. */
struct event_wait_sums {
	uint64_t time; /* (t) */
	uint32_t task, source;
	uint64_t span, running; /* ns; running: on a CPU, as accounted by the kernel */
	uint64_t flags;
	struct event_wait_sum kinds[WAIT_SUM_KINDS];
};

/*
 * The records of EMBED chunks (FORMAT.md §7): what the reader needs to know about modules that were
 * hit, written after the stop.
 */

enum embed_status {
	EMBED_FULL = 1,
	EMBED_MIN = 2,
	EMBED_NO_FILE = 3,   /* the file could not be opened in time */
	EMBED_CHANGED = 4,   /* it had a different build-id */
	EMBED_UNREADABLE = 5,/* not an ELF file, malformed, the helper died or took too long */
	EMBED_NO_ROOM = 6,
	EMBED_REFUSED = 7, /* the file is not read because of what or whose it is */
	EMBED_LATE = 8, /* all files together, or those of its owner, took too long */
};

struct event_segment {
	uint64_t file_offset, address, file_size, memory_size, flags;
};

/* What follows for a module, or why nothing follows. On disk the segments: count · count × 5 varints. */
struct event_embed_module {
	uint32_t module;
	uint32_t status;  /* enum embed_status */
	uint32_t machine; /* EM_* */
	uint32_t segment_count;
	const struct event_segment *segments; /* valid until the next record */
};

/*
 * Function symbols of one module, addresses ascending, link-time. May come in several records (each
 * at most a chunk). On disk: module · count · count × (address, difference to the previous one ·
 * size · (s) name). A name may be empty: then only the place of the function is known. The decoder
 * returns one symbol at a time: `symbols` is a cursor, see event_decoder.h.
 */
struct event_embed_symbols {
	uint32_t module;
	uint64_t count;
};

/*
 * JIT symbols of one process, from its perf-PID.map. Like EMBED_SYMBOLS, with the tgid instead of
 * the module, and with run-time addresses.
 */
struct event_perf_map {
	uint32_t tgid;
	uint64_t count;
};

/*
 * What DWARF says about addresses of one module (link-time, ascending). On disk: module · count ·
 * count × (address, difference to the previous one · levels · levels × (function · file · line)).
 * The functions that contain an address, innermost first; the last is the real one, those before it
 * were inlined. Texts are numbered within the record from 1; 0 is not known; where the next free
 * number is used first, (s) the text follows. Read with event_lines.h.
 */
struct event_embed_lines {
	uint32_t module;
	uint64_t count;
};

struct event_line_level {
	struct event_text function, file; /* length 0: not known */
	uint32_t line;			  /* 0: no particular line; in outer levels the line of the call */
};

struct event_line {
	uint64_t address; /* the one that was looked up: for callers, inside the call, before the return address */
	const struct event_line_level *levels;
	uint32_t level_count;
};

enum unwind_section {
	UNWIND_EH_FRAME = 1,
	UNWIND_DEBUG_FRAME = 2,
	UNWIND_MINI_DEBUG_INFO = 3,
};

/*
 * A piece of a section of a module's file: of its unwind information, or of the compressed symbols
 * that a stripped file keeps. Missing pieces read as zeros: a piece holds whole entries only. On
 * disk the bytes are last, as (s).
 */
struct event_embed_unwind {
	uint32_t module;
	uint32_t section;  /* enum unwind_section */
	uint64_t address;  /* link-time, of the section's first byte */
	uint32_t size;	   /* of the section */
	uint32_t offset;   /* of the piece in the section */
	uint64_t text, data; /* link-time addresses that pointers relative to text and data count from; 0: unknown */
	struct event_text bytes;
};

struct event_symbol {
	uint64_t address, size;
	struct event_text name;
};

/*
 * The record of SNAPSHOTS chunks (FORMAT.md §12): the user registers and the user stack of a task
 * at an event, which refers to it by its number. snapshot_code.h encodes and decodes the two texts.
 */

struct event_snapshot {
	uint64_t time;	 /* (t) */
	uint32_t number; /* from 1, unique in a section, ascending in the file */
	/* The SNAPSHOT of the chunk that this one is a difference to, counted in records back; 0: none. */
	uint32_t key;
	uint64_t flags;	 /* enum snapshot_flag */
	uint64_t known;	 /* bit n: the register with DWARF number n is present */
	struct event_text registers; /* coded */
	uint64_t address; /* of the stack's first byte; a multiple of 8 */
	uint32_t size;	  /* of the stack, bytes; a multiple of 8 */
	struct event_text stack; /* coded */
	uint32_t more;	  /* number of a snapshot with another stack of the thread; 0: none */
};

/* --- a record of any kind --- */

enum event_kind {
	/* STATE */
	EVENT_META = 1,
	EVENT_CLOCK = 2,
	EVENT_SOURCE = 3,
	EVENT_MODULE = 4,
	EVENT_MAPPING = 5,
	EVENT_FORK = 6,
	EVENT_COMM = 7,
	EVENT_EXIT = 8,
	EVENT_KERNEL_SYMBOL = 9,
	EVENT_LOSS = 10,
	EVENT_COST = 11,
	EVENT_MAPS_UNAVAILABLE = 12,
	EVENT_PROBE = 13,
	EVENT_PROBE_HITS = 14,
	EVENT_UNSURE = 15,
	EVENT_COUNTER = 16,
	EVENT_OBJECT = 17,
	EVENT_WINDOW = 18,
	EVENT_TRIGGER = 19,
	EVENT_CGROUP = 20,
	EVENT_BUDGET = 21,
	/* EVENTS */
	EVENT_TASK = 32,     /* defines task 1, 2, 3 ... of the chunk; handled by the codec */
	EVENT_SAMPLE = 33,
	EVENT_WALK = 34,     /* start or end of a task walk */
	EVENT_WALK_TASK = 35,
	EVENT_WAIT = 36,
	EVENT_WAKE = 37,
	EVENT_USER_STACK = 38,
	EVENT_WAIT_SUMS = 39,
	/* EMBED */
	EVENT_EMBED_MODULE = 64,
	EVENT_EMBED_SYMBOLS = 65,
	EVENT_PERF_MAP = 66,
	EVENT_EMBED_LINES = 67,
	EVENT_EMBED_UNWIND = 68,
	/* SNAPSHOTS */
	EVENT_SNAPSHOT = 96,
	/* NAMES */
	EVENT_OBJECT_NAME = 97,
};

enum { EVENT_KINDS = EVENT_OBJECT_NAME + 1 };

/* One record. Texts, segments and symbols point into the payload it was read from, or to what the writer passed. */
struct event {
	enum event_kind kind;
	union {
		struct event_meta meta;
		struct event_clock clock;
		struct event_source source;
		struct event_module module;
		struct event_mapping mapping;
		struct event_fork fork;
		struct event_comm comm;
		struct event_exit exit;
		struct event_kernel_symbol kernel_symbol;
		struct event_loss loss;
		struct event_cost cost;
		struct event_maps_unavailable maps_unavailable;
		struct event_probe probe;
		struct event_probe_hits probe_hits;
		struct event_unsure unsure;
		struct event_counter counter;
		struct event_object object;
		struct event_window window;
		struct event_trigger trigger;
		struct event_cgroup cgroup;
		struct event_budget budget;
		struct event_task task;
		struct event_sample sample;
		struct event_walk walk;
		struct event_walk_task walk_task;
		struct event_wait wait;
		struct event_wake wake;
		struct event_user_stack user_stack;
		struct event_wait_sums wait_sums;
		struct event_embed_module embed_module;
		struct event_embed_symbols embed_symbols;
		struct event_perf_map perf_map;
		struct event_embed_lines embed_lines;
		struct event_embed_unwind embed_unwind;
		struct event_snapshot snapshot;
		struct event_object_name object_name;
	};
	struct byte_cursor symbols; /* EMBED_SYMBOLS, PERF_MAP: for event_next_symbol(); EMBED_LINES */
};

#endif

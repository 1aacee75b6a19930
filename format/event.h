/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The records inside STATE, EVENTS, EMBED and END chunks, decoded (FORMAT.md §4-§7). On disk a record is
 *
 *     varint length (of what follows) · varint kind · fields
 *
 * and a reader skips kinds it does not know and bytes behind the last field it knows. Fields are varints unless
 * said otherwise, in the order of the members below; (z) = zig-zag; (s) = varint length + bytes; (t) = time:
 * zig-zag difference to the previous (t) of the same chunk, the first one to the chunk header's first_time.
 * Kinds are never reused, fields only appended; an absent field at the end reads as 0 / empty.
 *
 * Ids of modules and sources are given out by the recorder, are never reused within a section, and
 * hold for the section. STATE records may be seen twice (every STATE chunk has a copy): they are idempotent.
 */
#ifndef RWALKER_FORMAT_EVENT_H
#define RWALKER_FORMAT_EVENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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
	/* EVENTS */
	EVENT_TASK = 32,     /* defines task 1, 2, 3 ... of the chunk; handled inside the codec */
	EVENT_SAMPLE = 33,
	EVENT_WALK = 34,     /* start or end of a task walk */
	EVENT_WALK_TASK = 35,
	/* EMBED */
	EVENT_EMBED_MODULE = 64,
	EVENT_EMBED_SYMBOLS = 65,
	EVENT_PERF_MAP = 66,
};

struct event_text { /* bytes of the chunk, not NUL-terminated; valid while the chunk is */
	const char *bytes;
	uint32_t length;
};

/* (s) key, (s) value. A later record with the same key replaces the earlier. Keys: FORMAT.md §5.1. */
struct event_meta {
	struct event_text key, value;
};

/* Four clocks read back to back: at the start, every 10 s, after a step, at the end. */
struct event_clock {
	uint64_t time;			   /* (t) CLOCK_MONOTONIC, the time of all events */
	uint64_t boottime, realtime, tai;  /* ns */
	uint64_t window;		   /* ns between the first and the last reading */
};

enum source_kind { SOURCE_CPU = 1, SOURCE_OFFCPU = 2, SOURCE_WAKERS = 3, SOURCE_TRACEPOINT = 4, SOURCE_KFUNC = 5, SOURCE_TASKS = 6 };
enum source_weight { WEIGHT_COUNT = 1, WEIGHT_NS = 2, WEIGHT_CYCLES = 3 };

/* What was recorded; restated when its end is known. */
struct event_source {
	uint32_t id;		/* from 1 */
	uint32_t kind;		/* enum source_kind */
	uint32_t weight;	/* enum source_weight: unit of event_sample.period */
	struct event_text name; /* (s) "cycles", "cpu-clock" */
	uint64_t frequency;	/* Hz per CPU, 0 where it does not apply */
	uint64_t period;	/* nominal, in the weight's unit; of samples that carry none */
	uint64_t start, stop;	/* (t) (t); stop = start while running */
	uint64_t flags;		/* enum source_flag */
};
enum source_flag { SOURCE_USER_STACKS = 1, SOURCE_SOFTWARE_FALLBACK = 2 };

enum module_kind {
	MODULE_FILE = 1,	/* mapped from a file */
	MODULE_KERNEL = 2,	/* vmlinux; offset 0 = _text */
	MODULE_KERNEL_MODULE = 3,
	MODULE_BPF = 4,		/* one BPF program */
	MODULE_KERNEL_OTHER = 5,/* trampolines, dispatchers and other text made at run time */
	MODULE_VDSO = 6,
	MODULE_ANONYMOUS = 7,	/* executable memory without a file: JIT code, one module for all of them */
};

struct event_module {
	uint32_t id;			/* from 1; 0 = unknown */
	uint32_t kind;			/* enum module_kind */
	struct event_text path;		/* (s) as the process saw it; "[kernel]", "ext4", program name ... */
	struct event_text build_id;	/* (s) bytes, empty where there is none */
	uint64_t device, inode;
	uint64_t base;			/* run-time base of kernel modules, only with --keep-kernel-addresses, else 0 */
	uint64_t flags;			/* enum module_flag */
};
enum module_flag { MODULE_DELETED = 1 /* the file had no name any more when it was first seen */ };

struct event_mapping { /* executable mappings only */
	uint64_t time;	       /* (t) when it was made, or seen first */
	uint32_t tgid;
	uint64_t start, length; /* start: (z) difference to the start in the previous MAPPING of the chunk */
	uint64_t file_offset;
	uint32_t module;
	uint64_t flags;
};
enum mapping_flag { MAPPING_INITIAL = 1 /* was there before the recording */ };

struct event_fork {
	uint64_t time;	/* (t) */
	uint32_t tgid, tid, parent_tgid, parent_tid; /* tgid == parent_tgid: a new thread */
};

struct event_comm {
	uint64_t time;	/* (t) */
	uint32_t tgid, tid;
	uint64_t flags; /* enum comm_flag */
	struct event_text comm; /* (s) */
};
enum comm_flag { COMM_EXEC = 1 /* the address space is a new, empty one from here on */, COMM_INITIAL = 2 };

struct event_exit {
	uint64_t time; /* (t) */
	uint32_t tgid, tid; /* tgid == tid: the process's leader */
};

/* A kernel function that a kernel frame points into. Names no address: offsets within the module. */
struct event_kernel_symbol {
	uint32_t module;
	uint64_t offset, size;
	struct event_text name; /* (s) */
};

enum loss_cause {
	LOSS_RING_FULL = 1,
	LOSS_NO_TASK_ENTRY = 2,
	LOSS_RECURSION = 3,	 /* the kernel skipped the program */
	LOSS_THROTTLED = 4,	 /* the kernel throttled sampling */
	LOSS_NESTED = 5,	 /* no scratch left at this nesting level */
	LOSS_SIDEBAND = 6,	 /* perf LOST records: mappings or task events are missing */
	LOSS_MAPS = 7,		 /* start state of a process unavailable */
	LOSS_OWN = 8,		 /* the recorder's own, left out on purpose: no damage */
	LOSS_FILTERED = 9,	 /* seen, not wanted: no damage */
	LOSS_IDLE = 10,		 /* idle task: no damage */
	LOSS_KERNEL_STACK = 11,	 /* recorded without its kernel stack: a quality note */
	LOSS_ENCODER = 12,	 /* event refused by the encoder */
	LOSS_RECORDED = 13,	 /* not a loss: what was recorded, for the identity seen = recorded + lost */
	LOSS_SEEN = 14,		 /* not a loss: how often the program was entered */
	LOSS_NOT_DELIVERED = 15, /* ticks the kernel's own counter has and the program never saw */
	LOSS_USER_STACK = 16,	 /* recorded without the user stack that was asked for: a quality note */
	LOSS_TRUNCATED = 17,	 /* recorded with a stack cut at the depth limit: a quality note */
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
	uint64_t bpf_ns;	     /* 0 where the kernel does not count it */
	uint64_t max_rss, ring_bytes; /* bytes; rss without the rings */
	uint64_t written;	     /* bytes */
};

struct event_maps_unavailable {
	uint64_t time; /* (t) */
	uint32_t tgid;
	uint32_t reason; /* errno: ETIMEDOUT the target's lock was held ... */
};

/* A task as it was at the event: complete in every chunk, so that no lost chunk takes the comm away. */
struct event_task {
	uint32_t tgid, tid;
	uint64_t start;	/* CLOCK_BOOTTIME ns when it began: (boot id, tid, start) names a task for ever */
	uint64_t flags;	/* enum task_flag */
	char comm[16];	/* on disk (s); here NUL-terminated */
};
enum task_flag { TASK_KERNEL_THREAD = 1 };

/*
 * Stacks are paths in a tree of nodes that each EVENTS chunk builds anew. Node 0 is the root of user stacks,
 * node 1 of kernel stacks; a new node gets the next number from 2. A stack on disk is
 *     parent node · count · count × (z) address
 * count new nodes, root-most first, each the child of the one before; the stack's leaf is the last one, or
 * the parent where count is 0. An address is the difference to the address of the parent's latest child, or
 * of the parent where it has none yet (roots: 0). Kernel addresses are (module id << 32 | offset in the module);
 * offset and id 0: an address in no known module, not stored. User addresses are the process's own.
 * Return addresses are stored as found on the stack; the leaf is the interrupted instruction.
 */
enum { STACK_USER_ROOT = 0, STACK_KERNEL_ROOT = 1, STACK_FIRST_NODE = 2 };

enum sample_flag {
	SAMPLE_HAS_KERNEL = 1,	 /* a kernel stack follows */
	SAMPLE_HAS_USER = 2,	 /* a user stack follows */
	SAMPLE_HAS_PERIOD = 4,
	SAMPLE_KERNEL_TRUNCATED = 8,
	SAMPLE_USER_TRUNCATED = 16,
	SAMPLE_USER_MISSING = 32, /* asked for and not got; the reason follows */
};

enum user_missing { USER_MISSING_KERNEL_THREAD = 1, USER_MISSING_FAULT = 2, USER_MISSING_EXITING = 3 };

/*
 * On disk: cpu · time · task · source · flags · [reason] · [period] · [kernel stack] · [user stack].
 * time: per CPU and chunk, starting at first_time with step 0: step += (z); time += step.
 */
struct event_sample {
	uint64_t time;
	uint32_t cpu;
	uint32_t task;	  /* number in the chunk, from 1 */
	uint32_t source;
	uint64_t flags;	  /* enum sample_flag */
	uint64_t missing; /* enum user_missing */
	uint64_t period;  /* the source's nominal one where the sample has none: filled by the reader as 0 */
	uint32_t kernel, user; /* leaf nodes; the roots where there is no stack */
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

enum wait_bound {
	WAIT_EXACT = 1,
	WAIT_AT_LEAST = 2, /* printed as >= */
	WAIT_AT_MOST = 3,  /* printed as <= */
	WAIT_NONE = 4,	   /* not waiting: running, or runnable with no known start */
};

enum walk_task_flag {
	WALK_TASK_ON_CPU = 1,	  /* was running on `cpu` when walked: no kernel stack is taken */
	WALK_TASK_IOWAIT = 2,
	WALK_TASK_QUEUED = 4,	  /* on a run queue */
	WALK_TASK_FROZEN = 8,
	WALK_TASK_STOPPED = 16,
	WALK_TASK_TRACED = 32,
	WALK_TASK_KERNEL_TRUNCATED = 64,
};

/*
 * On disk: (t) · walk · task · state · exit_state · wait · bound · cpu · flags · kernel stack (parent 1 and count 0: none)
 * · [blocker task, 0: none].
 */
struct event_walk_task {
	uint64_t time; /* when this task was walked */
	uint32_t walk;
	uint32_t task; /* number in the chunk */
	uint64_t state; /* the kernel's __state, raw mask */
	uint64_t exit_state;
	uint64_t wait;	/* ns since switch-out */
	uint32_t bound; /* enum wait_bound */
	uint32_t cpu;	/* where it runs, or ran last / is queued */
	uint64_t flags; /* enum walk_task_flag */
	uint32_t kernel; /* leaf node */
};

enum embed_status {
	EMBED_FULL = 1,
	EMBED_MIN = 2,
	EMBED_NO_FILE = 3,   /* the file could not be opened in time */
	EMBED_CHANGED = 4,   /* its build-id was another one */
	EMBED_UNREADABLE = 5,/* not an ELF file, malformed, the helper died or took too long */
	EMBED_NO_ROOM = 6,
};

struct event_segment {
	uint64_t file_offset, address, file_size, memory_size, flags;
};

/* What follows for a module, or why nothing does. On disk the segments: count · count × 5 varints. */
struct event_embed_module {
	uint32_t module;
	uint32_t status;  /* enum embed_status */
	uint32_t machine; /* EM_* */
	uint32_t segment_count;
	const struct event_segment *segments; /* valid until the next record */
};

/*
 * Function symbols of one module, addresses ascending, link-time. May come in several records (each at most a
 * chunk). On disk: module · count · count × (address, difference to the one before · size · (s) name).
 * The decoder hands out one symbol at a time: `symbols` is a cursor, see event_decoder.h.
 */
struct event_embed_symbols {
	uint32_t module;
	uint64_t count;
};

/* JIT symbols of one process, from its perf-PID.map. As EMBED_SYMBOLS, with the tgid in place of the module and run-time addresses. */
struct event_perf_map {
	uint32_t tgid;
	uint64_t count;
};

struct event_symbol {
	uint64_t address, size;
	struct event_text name;
};

#endif

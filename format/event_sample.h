/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The records of EVENTS chunks (FORMAT.md §6): samples and walks, and the tasks and stacks they
 * refer to, which every EVENTS chunk defines for itself: numbers of tasks and nodes have no meaning
 * outside their chunk. Members are in the order of the fields on disk; (t) (s) (z) as in event.h.
 */
#ifndef RWALKER_FORMAT_EVENT_SAMPLE_H
#define RWALKER_FORMAT_EVENT_SAMPLE_H

#include <stdbool.h>
#include <stdint.h>

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

enum user_missing {
	USER_MISSING_KERNEL_THREAD = 1,
	USER_MISSING_FAULT = 2,
	USER_MISSING_EXITING = 3,
	USER_MISSING_CHANGED = 4, /* waits: the thread continued elsewhere in user space (exec) */
	/* Waits: not recorded at the switch-out, or not kept; walks, waits that had not ended: too many to copy. */
	USER_MISSING_NO_ROOM = 5,
	USER_MISSING_BUSY = 6,	  /* walks, waits that had not ended: its memory was locked, or took too long to read */
	USER_MISSING_RUNNING = 7, /* walks, waits that had not ended: it was running */
	USER_MISSING_REFUSED = 8, /* walks, waits that had not ended: the kernel does not let a BPF program read it */
	/* Waits: the kernel refused to run the code that reads it, e.g. too many are pending. */
	USER_MISSING_UNSCHEDULED = 9,
	/* Walks, waits that had not ended: */
	USER_MISSING_ABSENT = 10, /* the stack was not in memory */
	USER_MISSING_SERVED = 11, /* it was in a mapping of a file on FUSE or a network file system */
};

/*
 * On disk: cpu · time · task · source · flags · [reason] · [period] · [kernel stack] · [user stack]
 * · [probe] · [snapshot]. time: the first of its CPU in the chunk is a (t) and sets the CPU's step
 * to 0; later ones: step += (z), and the time is the time of the CPU's previous sample plus step.
 * Either counts as "the previous time" for the next (t).
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

enum wait_bound {
	WAIT_EXACT = 1,
	WAIT_AT_LEAST = 2, /* printed as >= */
	WAIT_AT_MOST = 3,  /* printed as <= */
	WAIT_NONE = 4,	   /* not waiting: running, or runnable with no known start */
};

enum walk_task_flag {
	WALK_TASK_ON_CPU = 1,	  /* was running on `cpu` when walked: no kernel stack */
	WALK_TASK_IOWAIT = 2,
	WALK_TASK_QUEUED = 4,	  /* on a run queue */
	WALK_TASK_STOPPED = 16,
	WALK_TASK_TRACED = 32,
	WALK_TASK_KERNEL_TRUNCATED = 64,
	WALK_TASK_HAS_USER = 128,	  /* a user stack follows */
	WALK_TASK_USER_MISSING = 256,	  /* requested but missing; the reason follows */
	WALK_TASK_HAS_SNAPSHOT = 512,
	WALK_TASK_USER_TRUNCATED = 1024,
	WALK_TASK_HAS_CALL = 2048,	 /* what it slept for follows: call and object, as in a wait */
	WALK_TASK_HAS_ASKED = 4096,	 /* how long the call was asked to wait follows */
	WALK_TASK_HAS_OWNER = 8192,	 /* the task that held what it slept for follows */
	WALK_TASK_FOR_READING = 16384,	 /* as WAIT_FOR_READING */
	WALK_TASK_OWNER_READS = 32768, /* as WAIT_OWNER_READS */
};

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

#endif

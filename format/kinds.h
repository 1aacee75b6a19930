/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The numbers of FORMAT.md that programs in the kernel, the recorder, the reporter and its views share, with their
 * texts: X(name, number, text). It includes nothing, so that BPF programs can read it.
 */
#ifndef RWALKER_FORMAT_KINDS_H
#define RWALKER_FORMAT_KINDS_H

#define KIND_NUMBER(name, number, text) name = (number),
#define KIND_TEXT(name, number, text) [name] = (text),

#define WAIT_CLASS_LIST(X)                                                                                           \
	X(WAIT_BLOCKED, 0, "blocked")	  /* asleep until another task or an interrupt called for a wakeup */        \
	X(WAIT_PREEMPTED, 1, "preempted") /* runnable all the time: another task got the CPU */                      \
	X(WAIT_YIELDED, 2, "yielded")	  /* the same, voluntarily */                                                \
	X(WAIT_CANCELLED, 3, "cancelled") /* about to sleep, but already woken, or a signal was pending: runnable */ \
	X(WAIT_STARTED, 4, "started")	  /* from the fork to its first run; first it is on no run queue yet */

/* THROTTLED is not in traces: it is the part of a wait for which a quota kept it from running. */
enum wait_class { WAIT_CLASS_LIST(KIND_NUMBER) WAIT_THROTTLED, WAIT_CLASSES };

/* In which context the wakeup was called for. */
#define WAKER_CONTEXT_LIST(X)                                                                       \
	X(WAKER_TASK, 1, "task")                                                                    \
	X(WAKER_SOFTIRQ, 2, "softirq") /* the task that was there is not known to be the cause */   \
	X(WAKER_IRQ, 3, "irq")	       /* likewise */                                               \
	X(WAKER_UNKNOWN, 4, "unknown") /* the task is known */

/* NONE: not known: open, not blocked, or wakers were not recorded. */
enum waker_context { WAKER_NONE, WAKER_CONTEXT_LIST(KIND_NUMBER) };

/* Waits that are only counted. Blocked ones by the kernel's state. */
#define WAIT_SUM_LIST(X)                                   \
	X(WAIT_SUM_INTERRUPTIBLE, 0, "interruptible")      \
	X(WAIT_SUM_UNINTERRUPTIBLE, 1, "uninterruptible")  \
	X(WAIT_SUM_OTHER_BLOCKED, 2, "other blocked")      \
	X(WAIT_SUM_PREEMPTED, 3, "preempted")              \
	X(WAIT_SUM_YIELDED, 4, "yielded")                  \
	X(WAIT_SUM_CANCELLED, 5, "cancelled")              \
	X(WAIT_SUM_STARTED, 6, "started")

enum wait_sum_kind { WAIT_SUM_LIST(KIND_NUMBER) WAIT_SUM_KINDS };

/* What is known about how long a task has waited. */
enum wait_bound {
	WAIT_EXACT = 1,
	WAIT_AT_LEAST = 2, /* printed as >= */
	WAIT_NONE = 3,	   /* not waiting: running, or runnable with no known start */
};

/* Where a thread waited. */
enum wait_call {
	WAIT_IN_UNKNOWN,
	WAIT_IN_CALL,	       /* a system call */
	WAIT_IN_COMPAT_CALL,   /* one of a 32-bit program */
	WAIT_IN_FAULT,	       /* in no call: a page fault */
	WAIT_IN_KERNEL_THREAD, /* it makes no calls */
	WAIT_IN_IO_WORKER,     /* a worker of io_uring, for a call that another thread made */
	WAIT_IN_STOP,	       /* stopped by a signal or a tracer */
};

/* What a wait was for. */
#define OBJECT_KIND_LIST(X)                                                                                     \
	X(OBJECT_FILE, 1, "file")                                                                               \
	X(OBJECT_DEVICE, 2, "device") /* a character device: terminals, /dev/... */                             \
	X(OBJECT_PIPE, 3, "pipe")                                                                               \
	X(OBJECT_TCP, 4, "tcp")                                                                                 \
	X(OBJECT_UDP, 5, "udp")                                                                                 \
	X(OBJECT_UNIX, 6, "unix")                                                                               \
	X(OBJECT_SOCKET, 7, "socket") /* of another family or protocol */                                       \
	X(OBJECT_EVENTFD, 8, "eventfd")                                                                         \
	X(OBJECT_TIMERFD, 9, "timerfd")                                                                         \
	X(OBJECT_SIGNALFD, 10, "signalfd")                                                                      \
	X(OBJECT_INOTIFY, 11, "inotify")                                                                        \
	X(OBJECT_EPOLL, 12, "epoll")                                                                            \
	X(OBJECT_ANONYMOUS, 13, "descriptor") /* another descriptor without a file */                           \
	X(OBJECT_FUTEX, 14, "futex")                                                                            \
	X(OBJECT_CHILD, 15, "child")                                                                            \
	X(OBJECT_SLEEP, 16, "sleep")                                                                            \
	X(OBJECT_WORK, 17, "work") /* what a kworker was doing: a function */                                   \
	X(OBJECT_LOCK, 18, "lock") /* the kernel's own; the wait says who held it */                            \
	X(OBJECT_BLOCK, 19, "block") /* a block device */                                                       \
	X(OBJECT_CGROUP, 20, "cgroup") /* with a quota of CPU time: `offset` ns in each `place` ns */

enum object_kind { OBJECT_NONE, OBJECT_KIND_LIST(KIND_NUMBER) OBJECT_KINDS };

enum object_flag {
	OBJECT_DELETED = 1,
	OBJECT_CUT = 2,	      /* the beginning of its path is missing */
	OBJECT_ABSTRACT = 4,  /* a unix socket's name is not that of a file */
	OBJECT_MMAP_LOCK = 8, /* the lock of the mappings of a process */
	OBJECT_LISTENS = 16,  /* not in traces: a socket that only accepts connections */
};

#define LOCK_KIND_LIST(X)                                                                                   \
	X(LOCK_MUTEX, 1, "mutex")                                                                           \
	X(LOCK_RWSEM, 2, "rwsem")                                                                           \
	X(LOCK_PERCPU_RWSEM, 3, "percpu-rwsem")                                                             \
	X(LOCK_RT_MUTEX, 4, "rt-mutex")                                                                     \
	X(LOCK_SPIN, 5, "spinlock") /* of a kernel in which its waiters sleep (PREEMPT_RT) */               \
	X(LOCK_RWLOCK, 6, "rwlock") /* likewise */                                                          \
	X(LOCK_SEMAPHORE, 7, "semaphore")

enum lock_kind { LOCK_UNKNOWN, LOCK_KIND_LIST(KIND_NUMBER) LOCK_KINDS };

/* In which mapping a futex is. */
enum object_mapping {
	OBJECT_IN_UNKNOWN,
	OBJECT_IN_HEAP,
	OBJECT_IN_STACK,  /* of the process, or of the thread that waited */
	OBJECT_IN_MEMORY, /* without a file */
	OBJECT_IN_FILE,	  /* a private mapping of that file: most often the data of a program or library */
	OBJECT_IN_SHARED, /* a shared one: the same place in the file is the same futex for all processes */
	OBJECT_MAPPINGS
};

/* Why a user stack that was asked for is not there. */
enum user_missing {
	USER_MISSING_NONE = 0, /* it is there */
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

/* What is known about who held the lock or futex that a wait was for. */
enum wait_held {
	HELD_BY_OWNER = 1,     /* the owner is known */
	HELD_BY_READER = 2,    /* it held it for reading: it may have let go before, and others may hold it */
	HELD_FROM_READING = 4, /* the sleeper wanted it for reading only */
	HELD_AT_END = 8,       /* the owner was seen when a wait that goes on was looked at; else when it began */
	HELD_CHANGED = 16,     /* and is not known to have held it when the wait began */
};

/* How a tracepoint or function is attached to. */
enum probe_hook {
	HOOK_NONE = 0, /* not attached: not in traces */
	HOOK_RAW_TRACEPOINT = 1,
	HOOK_TRACEPOINT = 2, /* of a trace event that is not a raw tracepoint itself (system calls) */
	HOOK_FENTRY = 3,
	HOOK_KPROBE = 4,
	HOOK_KPROBE_MULTI = 5,
};

enum snapshot_flag {
	SNAPSHOT_CUT = 1,      /* the stack is longer than the requested size */
	SNAPSHOT_UNMAPPED = 2, /* the rest of the stack was not in memory */
};

#endif

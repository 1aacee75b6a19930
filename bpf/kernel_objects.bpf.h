/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The part of bpf/kernel.h for what threads wait for: files, sockets, locks, threads, and how they are read. A pointer
 * that was read is a number here: bpf_rdonly_cast() makes it a typed pointer again (6.2); without that, members are
 * copied.
 */
#ifndef RWALKER_BPF_KERNEL_OBJECTS_BPF_H
#define RWALKER_BPF_KERNEL_OBJECTS_BPF_H

#include "bpf/kernel.h"

#define ANON_INODE_FS_MAGIC 0x09041934
#define PIPEFS_MAGIC 0x50495045
#define S_IFMT 0170000
#define S_IFSOCK 0140000
#define S_IFCHR 0020000
#define S_IFBLK 0060000
#define S_IFIFO 0010000

#define PF_WQ_WORKER 0x00000020
#define TS_COMPAT 0x0002		/* x86 */
#define TIF_32BIT_MASK (1UL << 22)	/* arm64 */

#define AF_UNIX 1
#define AF_INET 2
#define AF_INET6 10
#define SOCK_STREAM 1
#define IPPROTO_TCP 6
#define IPPROTO_UDP 17

/* include/trace/events/lock.h, the same from 6.1 on */
#define LCB_F_SPIN 1
#define LCB_F_READ 2
#define LCB_F_WRITE 4
#define LCB_F_RT 8
#define LCB_F_PERCPU 16
#define LCB_F_MUTEX 32

/*
 * Flag of an entry in the queue of a percpu-rwsem: it reads. 8 before 6.7; the other meanings of 4
 * and 8 never occur there.
 */
#define WQ_FLAG_CUSTOM (4 | 8)
#define MOST_STACK_BYTES 65536

#define MUTEX_FLAG_WAITERS 1	/* of the owner */
#define RWSEM_FLAG_WAITERS 2	/* of the count */

/* include/linux/hung_task.h; those of rw-semaphores since 6.17 */
#define BLOCKER_MUTEX 0
#define BLOCKER_SEMAPHORE 1
#define BLOCKER_RWSEM_READER 2
#define BLOCKER_RWSEM_WRITER 3
#define BLOCKER_TYPES 7 /* locks are aligned to 8 bytes: a bit that has no meaning yet is not one of the address */

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct super_block {
	u32 s_dev;
	unsigned long s_magic;
};

struct inode {
	u16 i_mode;
	struct super_block *i_sb;
	unsigned long i_ino;
	u32 i_rdev;
	u32 i_generation;
};

struct qstr {
	union {
		struct {
			u32 hash, len;
		};
		u64 hash_len;
	};
	const unsigned char *name;
};

struct hlist_bl_node { struct hlist_bl_node *next, **pprev; };

struct dentry {
	struct hlist_bl_node d_hash;
	struct dentry *d_parent;
	struct qstr d_name;
	struct inode *d_inode;
};

struct vfsmount { struct dentry *mnt_root; };

struct mount {
	struct mount *mnt_parent;
	struct dentry *mnt_mountpoint;
	struct vfsmount mnt;
};

struct path {
	struct vfsmount *mnt;
	struct dentry *dentry;
};

struct file {
	void *private_data;
	struct inode *f_inode;
	struct path f_path;
};

struct fdtable {
	unsigned int max_fds;
	struct file **fd;
};

struct files_struct {
	struct {
		int counter;
	} count;
	struct fdtable *fdt;
};

/* --- what a thread is in: its call, its stack, its timer, its work --- */

struct hrtimer {
	s64 _softexpires;
	void *function;
};

struct hrtimer_sleeper { struct task_struct *task; }; /* begins with its struct hrtimer */
struct worker { void *current_func; };
struct kthread { void *data; };
struct pid { unsigned int level; };
struct thread_info___x86 { u32 status; };
struct thread_info___arm64 { unsigned long flags; };
struct thread_struct___x86 { unsigned long sp; };
struct cpu_context { unsigned long sp; };
struct thread_struct___arm64 { struct cpu_context cpu_context; };
struct signal_struct___runtime { unsigned long long sum_sched_runtime; };

struct task_struct___files {
	struct files_struct *files;
	struct signal_struct___runtime *signal;
	struct pid *thread_pid;
	void *worker_private;
};

struct task_struct___x86 {
	struct thread_struct___x86 thread;
	struct thread_info___x86 thread_info;
};

struct task_struct___arm64 {
	struct thread_struct___arm64 thread;
	struct thread_info___arm64 thread_info;
};

struct pt_regs___arguments { unsigned long di, si, dx, r10, r8; }; /* x86 */

/* --- threads by their tid --- */

struct hlist_node { struct hlist_node *next; };
struct xarray { void *xa_head; };
struct idr { struct xarray idr_rt; };
struct pid_namespace { struct idr idr; };
struct upid { struct pid_namespace *ns; };

struct pid___numbers {
	struct hlist_head tasks[1];
	struct upid numbers[1];
};

struct xa_node { /* include/linux/xarray.h */
	u8 shift;
	void *slots[1];
};

struct task_struct___links { struct hlist_node pid_links[1]; };

/* --- sockets --- */

struct in6_addr {
	union {
		u32 u6_addr32[4];
	} in6_u;
};

struct net { /* a network namespace */
	u64 net_cookie; /* unlike its inode, never used again */
};

struct sock_common {
	struct {
		struct net *net;
	} skc_net;
	u32 skc_daddr, skc_rcv_saddr;
	u16 skc_dport, skc_num, skc_family;
	unsigned char skc_state;
	struct in6_addr skc_v6_daddr, skc_v6_rcv_saddr;
};

struct socket;

struct sock {
	struct sock_common __sk_common;
	struct socket *sk_socket;
	u16 sk_protocol, sk_type;
};

struct socket { struct sock *sk; };

struct socket_alloc {
	struct socket socket;
	struct inode vfs_inode;
};

struct sockaddr_un {
	u16 sun_family;
	char sun_path[108];
};

struct unix_address {
	int len;
	struct sockaddr_un name[0];
};

struct unix_sock {
	struct unix_address *addr;
	struct sock *peer;
};

/* --- locks --- */

struct lock_word { s64 counter; };
struct list_head { struct list_head *next, *prev; };

struct mutex {
	struct lock_word owner;
	struct list_head wait_list;
};

struct rw_semaphore {
	struct lock_word count, owner;
	struct list_head wait_list;
};

struct semaphore { struct list_head wait_list; };

/* Since 7.1 (and without a list's head): waiters are in a ring, of which the lock has one. */
struct mutex___ring { void *first_waiter; };
struct rw_semaphore___ring { void *first_waiter; };
struct semaphore___ring { void *first_waiter; };
struct semaphore_waiter { /* mutex_waiter and rwsem_waiter begin like this; PREEMPT_RT lacks them */
	struct list_head list;
	struct task_struct *task;
};

enum rwsem_waiter_type { /* kernel/locking/rwsem.c; for CO-RE, the member must be an enum as well */
	RWSEM_WAITING_FOR_WRITE,
	RWSEM_WAITING_FOR_READ,
};

struct rwsem_waiter { enum rwsem_waiter_type type; };

struct wait_queue_head { struct list_head head; };

struct wait_queue_entry {
	unsigned int flags;
	void *private, *func;
	struct list_head entry;
};

struct percpu_rw_semaphore { struct wait_queue_head waiters; };
struct rt_mutex_waiter { struct rt_mutex_base *lock; };
struct rt_mutex_base { void *owner; };
struct rwbase_rt { struct rt_mutex_base rtmutex; };
struct mm_struct___mmap_lock { struct rw_semaphore mmap_lock; };
struct task_struct___owner { struct pid *thread_pid; };

struct task_struct___queued {
	void *stack;
	struct rt_mutex_waiter *pi_blocked_on;
};

struct task_struct___blocked {
	unsigned long blocker; /* the lock's address | BLOCKER_*; since 6.16 */
};

#pragma clang attribute pop

const volatile struct ring_object_knobs object_knobs;
struct ring_object_functions object_functions;

extern void *bpf_rdonly_cast(const void *pointer, __u32 type) __weak __ksym;

/* Reads a member of the structure that a number points to; 0 if this kernel's structure lacks it. */
#define OBJECT_READ(type, pointer, ...)                                                              \
	(!bpf_core_field_exists(struct type, __VA_ARGS__) ? 0 :                                      \
	 object_knobs.by_cast ? OBJECT_CAST(type, pointer)->__VA_ARGS__ :                            \
				({                                                                   \
					const struct type *from_ = (const void *)(pointer);          \
					typeof(((struct type *)0)->__VA_ARGS__) value_ = 0;          \
					bpf_probe_read_kernel(&value_, sizeof(value_),               \
							      &from_->__VA_ARGS__);                  \
					value_;                                                      \
				}))
#define OBJECT_CAST(type, pointer)                                                                   \
	((const struct type *)bpf_rdonly_cast((const void *)(pointer), bpf_core_type_id_kernel(struct type)))

/*
 * Reads a pointer in a task that the program was given. For each one that is read directly, verifiers since
 * 6.3 search the names of all types to see whether it can be trusted, which takes milliseconds. A cast
 * pointer never can.
 */
#define TASK_POINTER(type, task, member)                                                             \
	(!bpf_core_field_exists(struct type, member) ? 0 :                                           \
	 object_knobs.by_cast ? OBJECT_CAST(type, task)->member : ((const struct type *)(task))->member)

/* The verifier allows no arithmetic on typed pointers, nor their use as numbers. Negation makes it forget the type. */
static __always_inline u64 as_number(const void *pointer)
{
	u64 number = (u64)pointer;

	asm volatile("%0 = -%0\n%0 = -%0" : "+r"(number));
	return number;
}

struct call_arguments { u64 values[4]; };

static __always_inline struct call_arguments call_arguments(struct task_struct *task)
{
	struct pt_regs___kernel *regs = (void *)bpf_task_pt_regs(task);
	struct pt_regs___arguments *x86 = (void *)regs;

	if (bpf_core_field_exists(x86->di))
		return (struct call_arguments){{x86->di, x86->si, x86->dx, x86->r10}};
	return (struct call_arguments){{regs->orig_x0, regs->regs[1], regs->regs[2], regs->regs[3]}};
}

/* Finds a thread by its tid in the pid namespace of a process, as bpf_task_from_vpid() does, which is new in 6.14. */

/* A pointer to a node, in a slot of the tree or in its head, has this mark; tids have at most 22 bits. */
enum { XA_NODE = 2, XA_MARKS = 3, XA_SLOTS = 64, XA_LEVELS = 4 };

static __always_inline u64 find_pid(u64 head, u32 number)
{
	u64 at = head, slots;
	u32 shift;

	for (int i = 0; i < XA_LEVELS && (at & XA_MARKS) == XA_NODE; i++) {
		at -= XA_NODE;
		shift = OBJECT_READ(xa_node, at, shift);
		if (shift > 31 || (!i && number >> shift >= XA_SLOTS))
			return 0;
		slots = at + OFFSET_OF(struct xa_node, slots);
		slots += (number >> shift & (XA_SLOTS - 1)) * 8ULL;
		at = as_number(OBJECT_READ(hlist_head, slots, first));
	}
	return at & XA_MARKS ? 0 : at;
}

/* The address of the thread with that tid in the pid namespace of the struct pid `own`; 0 if there is none. */
SEPARATE u64 find_numbered(u64 own, u32 number)
{
	u64 place = own + OFFSET_OF(struct pid___numbers, numbers), space, head, pid, link;

	if (!own || !number)
		return 0;
	place += (u64)OBJECT_READ(pid, own, level) * bpf_core_type_size(struct upid);
	space = as_number(OBJECT_READ(upid, place, ns));
	if (!space)
		return 0;
	head = as_number(OBJECT_READ(pid_namespace, space, idr.idr_rt.xa_head));
	pid = find_pid(head, number);
	if (!pid)
		return 0;
	link = pid + OFFSET_OF(struct pid___numbers, tasks);
	link = as_number(OBJECT_READ(hlist_head, link, first));
	return link ? link - OFFSET_OF(struct task_struct___links, pid_links) : 0;
}

static __always_inline u64 find_thread(struct task_struct *task, u32 number)
{
	return find_numbered(as_number(TASK_POINTER(task_struct___files, task, thread_pid)), number);
}

/* task: an address. */
static __always_inline void owner_describe(u64 task, struct ring_task *owner)
{
	owner->start = OBJECT_READ(task_struct, task, start_boottime);
	owner->tgid = OBJECT_READ(task_struct, task, tgid);
	owner->tid = OBJECT_READ(task_struct, task, pid);
	owner->kernel_thread = !!(OBJECT_READ(task_struct, task, flags) & PF_KTHREAD);
	bpf_probe_read_kernel(owner->comm, sizeof(owner->comm), ((struct task_struct *)task)->comm);
}

#endif

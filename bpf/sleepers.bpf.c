/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * User registers of sleeping tasks, and where their stacks are, after their kernel stacks were walked. It reads kernel
 * memory only: a helper process copies the stacks (record/helper/iterator_helper.h), because a copy may wait, and an
 * iterator that waits holds up every BPF program of the host that is to be unloaded.
 *
 * The helper that reads the iterator's file meets each wanted task twice. First the program writes what to copy, and
 * the read fails with EAGAIN. The next read gets the task's record, which says whether it has slept all the time.
 */
#include "bpf/kernel_objects.bpf.h"
#include "bpf/user_mutex.h"

enum { SLEEPER_RETRY = 1, IS_BUSY = -16 /* -EBUSY */ };

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, RING_MAX_SLEEPERS);
	__type(key, u32);
	__type(value, struct ring_sleeper_wanted);
} sleepers_wanted SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__uint(map_flags, BPF_F_MMAPABLE);
	__type(key, u32);
	__type(value, struct ring_sleeper_asked);
} sleepers_asked SEC(".maps");

static __always_inline bool has_run(struct task_struct *task, u64 switches)
{
	return task->on_cpu || task->nvcsw + task->nivcsw != switches;
}

/* --- what to copy --------------------------------------------------------------------------------- */

struct vm_area_struct___place {
	unsigned long vm_end;
	struct file *vm_file;
} __attribute__((preserve_access_index));

/* Called with the mm lock held, which bpf_find_vma() takes only if it is free. */
static long note_place(struct task_struct *task, struct vm_area_struct *vma, struct ring_sleeper_place *place)
{
	const struct vm_area_struct___place *area = (const void *)vma;
	struct file *file = area->vm_file;

	place->to = area->vm_end;
	place->file_system = file ? file->f_inode->i_sb->s_magic : 0;
	return 0;
}

/* A futex whose call is that of a mutex; the task must still be in the call in which the recorder saw it sleep. */
static __noinline void ask_for_mutex(struct task_struct *task, u64 futex, struct ring_sleeper_asked *asked)
{
	const struct call_arguments with = call_arguments(task);
	struct ring_sleeper_place place = {.from = futex};

	asked->mutex.from = asked->owner = 0;
	asked->operation = with.values[1];
	asked->value = with.values[2];
	if (!futex || with.values[0] != futex || !may_be_mutex(futex, with.values[1], with.values[2]) ||
	    bpf_find_vma(task, futex, note_place, &place, 0) || place.to - futex < sizeof(struct user_mutex))
		return;
	place.to = futex + sizeof(struct user_mutex);
	asked->mutex = place;
}

static __noinline enum user_missing ask(struct task_struct *task, u64 switches,
					struct ring_sleeper_asked *asked)
{
	struct pt_regs___kernel *regs = (void *)bpf_task_pt_regs(task);
	struct ring_sleeper_place place = {};
	struct mm_struct *mm = task->mm;
	long found;

	if (task->flags & PF_EXITING || !mm)
		return USER_MISSING_EXITING;
	if (has_run(task, switches))
		return USER_MISSING_RUNNING;
	place.from = regs->sp & ~7ULL;
	if (!place.from)
		return USER_MISSING_KERNEL_THREAD;
	found = bpf_find_vma(task, place.from, note_place, &place, 0);
	if (found)
		return found == IS_BUSY ? USER_MISSING_BUSY : USER_MISSING_FAULT;
	if (on_main_stack(mm->start_stack, place.from) && mm->start_stack < place.to)
		place.to = mm->start_stack & ~7ULL;
	asked->stack = place;
	asked->tgid = task->tgid;
	asked->tid = task->pid;
	return USER_MISSING_NONE;
}

/* --- the record ----------------------------------------------------------------------------------- */

/*
 * Nothing keeps the owner in place while it is described: it counts only if it still has its tid afterwards. In another
 * process, the tid may be of another pid namespace.
 */
static __always_inline void find_owner(struct task_struct *task, u32 number, u64 began, struct ring_task *owner)
{
	const u64 found = find_thread(task, number);

	if (!found || OBJECT_READ(task_struct, found, start_time) > began) /* it got the tid of who held it */
		return;
	owner_describe(found, owner);
	if (owner->tgid != task->tgid || find_thread(task, number) != found)
		owner->tid = 0;
}

static __always_inline void write_sleeper(struct task_struct *task, const struct ring_sleeper_wanted *wanted,
					 const struct ring_sleeper_asked *asked, struct seq_file *to)
{
	struct pt_regs___kernel *regs = (void *)bpf_task_pt_regs(task);
	struct ring_sleeper sleeper = {
		.start = wanted->start,
		.tid = task->pid,
		.outcome = wanted->outcome,
		.address = regs->sp & ~7ULL,
	};

	if (!sleeper.outcome && bpf_probe_read_kernel(sleeper.registers, user_registers_bytes(), regs))
		sleeper.outcome = USER_MISSING_FAULT;
	if (!sleeper.outcome && asked->owner && asked->tid == sleeper.tid)
		find_owner(task, asked->owner, wanted->began, &sleeper.owner);
	if (!sleeper.outcome && has_run(task, wanted->switches))
		sleeper.outcome = USER_MISSING_RUNNING;
	bpf_seq_write(to, &sleeper, sizeof(sleeper));
}

SEC("iter/task")
int look_at_sleepers(struct bpf_iter__task *ctx)
{
	struct task_struct *task = ctx->task;
	struct ring_sleeper_wanted *wanted;
	struct ring_sleeper_asked *asked;
	u32 tid, first = 0;

	if (!task)
		return 0;
	tid = task->pid;
	wanted = bpf_map_lookup_elem(&sleepers_wanted, &tid);
	asked = bpf_map_lookup_elem(&sleepers_asked, &first);
	if (!wanted || !asked || wanted->stage == RING_SLEEPER_DONE || wanted->start != task->start_boottime)
		return 0;
	if (wanted->stage == RING_SLEEPER_WANTED) {
		wanted->stage = RING_SLEEPER_BEGUN;
		wanted->outcome = ask(task, wanted->switches, asked);
		if (wanted->outcome == USER_MISSING_NONE) {
			ask_for_mutex(task, wanted->futex, asked);
			return SLEEPER_RETRY;
		}
	}
	wanted->stage = RING_SLEEPER_DONE;
	write_sleeper(task, wanted, asked, ctx->meta->seq);
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";

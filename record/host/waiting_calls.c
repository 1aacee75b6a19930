/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "record/host/waiting_calls.h"

#include <stddef.h>
#include <string.h>
#include <sys/utsname.h>

#include "format/call_names.h"
#include "record/host/kallsyms.h"

/* Calls with two descriptors are not listed: there is no telling which of them they wait for. */
static const char *const descriptor_calls[] = {
	"read", "write", "pread64", "pwrite64", "readv", "writev", "preadv", "pwritev", "preadv2", "pwritev2",
	"recvfrom", "recvmsg", "recvmmsg", "sendto", "sendmsg", "sendmmsg", "accept", "accept4", "connect",
	"epoll_wait", "epoll_pwait", "epoll_pwait2", "io_uring_enter", "ioctl", "fsync", "fdatasync", "flock", "fcntl",
	"sync_file_range", "syncfs", "fallocate", "ftruncate", "getdents", "getdents64", "readahead", "vmsplice",
};

static const struct {
	const char *name;
	enum ring_call_kind kind;
} other_calls[] = {
	{"futex", RING_CALL_FUTEX},   {"wait4", RING_CALL_WAIT4},	   {"waitid", RING_CALL_WAITID},
	{"nanosleep", RING_CALL_SLEEP}, {"clock_nanosleep", RING_CALL_SLEEP},
	{"poll", RING_CALL_POLL},     {"ppoll", RING_CALL_POLL},	   {"select", RING_CALL_SELECT},
	{"pselect6", RING_CALL_SELECT}, {"clone", RING_CALL_CLONE},	   {"clone3", RING_CALL_CLONE},
	{"vfork", RING_CALL_CLONE},
};

static bool is_named(const char *name, size_t length, const char *wanted)
{
	return length == strlen(wanted) && !memcmp(name, wanted, length);
}

static enum ring_call_kind kind_of(const char *name, size_t length)
{
	for (size_t i = 0; i < sizeof(other_calls) / sizeof(other_calls[0]); i++)
		if (is_named(name, length, other_calls[i].name))
			return other_calls[i].kind;
	for (size_t i = 0; i < sizeof(descriptor_calls) / sizeof(descriptor_calls[0]); i++)
		if (is_named(name, length, descriptor_calls[i]))
			return RING_CALL_DESCRIPTOR;
	return RING_CALL_OTHER;
}

static const struct {
	const char *name;
	enum ring_queue queue;
	bool reads;
} lock_functions[] = {
	{"__mutex_lock", RING_QUEUE_MUTEX, false},
	{"__mutex_lock_common", RING_QUEUE_MUTEX, false},
	{"__mutex_lock_slowpath", RING_QUEUE_MUTEX, false},
	{"__mutex_lock_killable_slowpath", RING_QUEUE_MUTEX, false},
	{"__mutex_lock_interruptible_slowpath", RING_QUEUE_MUTEX, false},
	{"__ww_mutex_lock", RING_QUEUE_MUTEX, false},
	{"__ww_mutex_lock_slowpath", RING_QUEUE_MUTEX, false},
	{"__ww_mutex_lock_interruptible_slowpath", RING_QUEUE_MUTEX, false},
	{"rwsem_down_read_slowpath", RING_QUEUE_RWSEM, true},
	{"rwsem_down_write_slowpath", RING_QUEUE_RWSEM, false},
	{"__down", RING_QUEUE_SEMAPHORE, false},
	{"__down_common", RING_QUEUE_SEMAPHORE, false},
	{"__down_interruptible", RING_QUEUE_SEMAPHORE, false},
	{"__down_killable", RING_QUEUE_SEMAPHORE, false},
	{"__down_timeout", RING_QUEUE_SEMAPHORE, false},
	{"percpu_rwsem_wait", RING_QUEUE_PERCPU, false},
};

/* What follows, or NULL. Nearly all of 100,000 names differ at once: a call would take longer than the comparison. */
static const char *after(const char *name, const char *wanted)
{
	while (*wanted && *name == *wanted)
		name++, wanted++;
	return *wanted ? NULL : name;
}

static bool is_exactly(const char *name, const char *wanted)
{
	const char *rest = after(name, wanted);

	return rest && !*rest;
}

/* Compilers add ".constprop.0", ".isra.0" and such. */
static bool is_function(const char *name, const char *wanted)
{
	const char *rest = after(name, wanted);

	return rest && (!*rest || *rest == '.');
}

static void add_lock_function(struct ring_object_functions *known, size_t *used, const struct kallsyms *table,
			      const struct kallsyms_symbol *symbol)
{
	const char *name = table->names.items + symbol->name;

	for (size_t i = 0; i < sizeof(lock_functions) / sizeof(lock_functions[0]); i++) {
		uint64_t end;

		if (*used == RING_LOCK_FUNCTIONS || !is_function(name, lock_functions[i].name))
			continue;
		end = symbol->address + kallsyms_size(table, symbol);
		if (!*used)
			known->locks_start = symbol->address; /* they come in ascending order */
		known->locks_end = end;
		known->locks[(*used)++] = (struct ring_lock_function){
			.start = symbol->address, .end = end,
			.queue = lock_functions[i].queue, .reads = lock_functions[i].reads,
		};
	}
}

static void add_softirq_function(struct ring_object_functions *known, const struct kallsyms *table,
				 const struct kallsyms_symbol *symbol)
{
	const struct {
		const char *name;
		struct ring_function *function;
	} all[] = {
		{"__local_bh_enable_ip", &known->bh_enable},	  {"process_backlog", &known->backlog},
		{"__dev_queue_xmit", &known->transmits[0]},	  {"ip_finish_output2", &known->transmits[1]},
		{"ip6_finish_output2", &known->transmits[2]},
	};

	if (strstr(table->names.items + symbol->name, ".cold"))
		return;
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (is_function(table->names.items + symbol->name, all[i].name))
			*all[i].function = (struct ring_function){symbol->address,
								  symbol->address + kallsyms_size(table, symbol)};
}

/*
 * Who sleeps below one of these is not, or not only, in its call's own work. Some are called by names that only some
 * kernels have; one that is missing is not the only sign in any of them.
 */
static const struct {
	const char *name;
	__u64 mark;
} marked_functions[] = {
	{"asm_exc_page_fault", RING_MARK_ENTRY},
	{"exc_page_fault", RING_MARK_ENTRY},
	{"do_mem_abort", RING_MARK_ENTRY},
	{"handle_mm_fault", RING_MARK_FAULT},
	{"syscall_trace_enter", RING_MARK_BEFORE},
	{"syscall_enter_from_user_mode", RING_MARK_BEFORE},
	{"__secure_computing", RING_MARK_BEFORE},
	{"__seccomp_filter", RING_MARK_BEFORE},
	{"exit_to_user_mode_loop", RING_MARK_BACK},
	{"exit_to_user_mode_prepare", RING_MARK_BACK},
	{"irqentry_exit_to_user_mode", RING_MARK_BACK},
	{"syscall_exit_to_user_mode", RING_MARK_BACK},
	{"syscall_exit_work", RING_MARK_BACK},
	{"do_notify_resume", RING_MARK_BACK},
	{"task_work_run", RING_MARK_BACK},
	{"mem_cgroup_handle_over_high", RING_MARK_RECLAIM},
	{"__mem_cgroup_handle_over_high", RING_MARK_RECLAIM},
	{"try_to_free_pages", RING_MARK_RECLAIM},
	{"try_to_free_mem_cgroup_pages", RING_MARK_RECLAIM},
};

static void add_marked_function(struct ring_object_functions *known, size_t *used, const struct kallsyms *table,
				const struct kallsyms_symbol *symbol)
{
	const char *name = table->names.items + symbol->name;

	for (size_t i = 0; i < sizeof(marked_functions) / sizeof(marked_functions[0]); i++) {
		if (*used == RING_MARKED_FUNCTIONS || !is_function(name, marked_functions[i].name))
			continue;
		known->starts[*used] = symbol->address;
		known->marked[(*used)++] = (struct ring_marked_function){kallsyms_size(table, symbol),
									 marked_functions[i].mark};
	}
}

void waiting_calls_find(const struct kallsyms *table, struct ring_object_functions *known)
{
	enum { NEEDED = RING_MARK_ENTRY | RING_MARK_FAULT | RING_MARK_BEFORE | RING_MARK_BACK };
	size_t locks = 0, marked = 0;
	__u64 marks = 0;

	for (size_t i = 0; i < table->symbols.count; i++) {
		const struct kallsyms_symbol *symbol = &table->symbols.items[i];

		if (symbol->module)
			continue;
		if (is_exactly(table->names.items + symbol->name, "hrtimer_wakeup"))
			known->timer_wakeup = symbol->address;
		if (is_function(table->names.items + symbol->name, "percpu_rwsem_wake_function"))
			known->percpu_wakeup = symbol->address;
		add_lock_function(known, &locks, table, symbol);
		add_softirq_function(known, table, symbol);
		add_marked_function(known, &marked, table, symbol);
	}
	for (size_t i = 0; i < RING_MARKED_FUNCTIONS; i++) {
		marks |= known->marked[i].mark;
		if (i >= marked)
			known->starts[i] = UINT64_MAX;
	}
	known->marks_known = marked < RING_MARKED_FUNCTIONS && (marks & NEEDED) == NEEDED;
}

void waiting_calls_fill(struct ring_object_knobs *knobs)
{
	struct utsname host;
	enum call_table table = uname(&host) < 0 ? CALLS_UNKNOWN : call_table_of(host.machine, false);

	for (unsigned int i = 0; i < RING_CALLS; i++) {
		const char *name;
		size_t length = call_name(table, i, &name);

		knobs->calls[i] = (__u8)kind_of(name, length);
	}
}

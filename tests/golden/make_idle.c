/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * make_idle FILE: writes samples/idle/trace.rwk, 5 seconds of a host on which most threads do
 * nothing. A shop waits for its storekeeper, which waits in D for a kernel thread that sleeps for
 * the rest of the time; a program hangs in D; cron sleeps; a deadlock has two threads that never
 * run; a cache checks its clients once a second. Four threads of a pool and three kernel threads
 * are idle, and so are a server whose loop was woken once and two threads of its pool.
 */
#include "tests/make_events.h"

enum { OFFCPU = 3, WAKERS = 4, KERNEL = 1, MOST_FRAMES = 8, ROUNDS = 5 };
enum { S = 1, D = 2, I = 0x402 };

#define MS UINT64_C(1000000)
#define START (UINT64_C(5000) * 1000 * MS)
#define LENGTH (5000 * MS)
#define WALL_CLOCK (UINT64_C(1768439496) * 1000 * MS)

static const char *const functions[] = {
	"entry_SYSCALL_64", "futex_wait_queue", "futex_wake", "worker_thread", "rescuer_thread", "kthread",
	"io_schedule", "jbd2_log_wait_commit", "kjournald2", "wake_up_all", "rpc_wait_bit_killable",
	"nfs_getattr", "do_nanosleep", "hrtimer_wakeup", "__hrtimer_run_queues",
	"asm_sysvec_apic_timer_interrupt", "rcu_gp_kthread", "ep_poll", "sock_def_readable", "net_rx_action",
};

enum { FUNCTIONS = sizeof(functions) / sizeof(functions[0]) };

struct thread {
	const char *comm;
	uint32_t tgid, tid;
	bool kernel;
};

static const struct thread shop = {"shop", 599, 599, false}, keeper = {"storekeeper", 600, 605, false},
			   journal = {"jbd2/sda1-8", 310, 310, true}, stat = {"stat", 900, 900, false},
			   cron = {"cron", 450, 450, false}, swapper = {"swapper/0", 0, 0, true},
			   worker = {"kworker/1:2", 88, 88, true}, rescuer = {"kworker/R-mld", 41, 41, true},
			   rcu = {"rcu_tasks_kthre", 14, 14, true};

/* What waits are for. */
enum object { LOOP = 1, CLIENTS, TASKS, FIRST_LOCK, SECOND_LOCK };
enum call { EPOLL_WAIT = 232 << WAIT_CALL_BITS | WAIT_IN_CALL, FUTEX = 202 << WAIT_CALL_BITS | WAIT_IN_CALL };

/* "leaf caller" */
static size_t read_chain(const char *chain, uint64_t frames[MOST_FRAMES])
{
	size_t count = 0;

	while (*chain) {
		size_t length = strcspn(chain, " "), i = 0;

		while (i < FUNCTIONS && (strlen(functions[i]) != length || strncmp(functions[i], chain, length) != 0))
			i++;
		if (i == FUNCTIONS || count + 1 == MOST_FRAMES)
			abort();
		frames[count++] = (uint64_t)KERNEL << 32 | (0x1000 * (i + 1) + 0x10);
		chain += length + (chain[length] == ' ');
	}
	frames[count] = 0;
	return count;
}

static struct event_task task_of(const struct thread *thread)
{
	struct event_task task = made_task(thread->tgid, thread->tid, 7, thread->comm);

	task.flags = thread->kernel ? TASK_KERNEL_THREAD : 0;
	return task;
}

struct wait {
	const struct thread *thread, *waker; /* waker NULL: unknown */
	uint64_t from, to, queued;	     /* ms from the start; queued: us on the run queue */
	uint64_t state;
	const char *chain, *woke;
	bool timer; /* the waker was only interrupted */
};

static void add_wait(struct made_trace *trace, const struct wait *made)
{
	struct event_task task = task_of(made->thread), waker = task_of(made->waker ? made->waker : &swapper);
	uint64_t frames[MOST_FRAMES], woke[MOST_FRAMES];
	struct event_stacks stacks = {.kernel = frames}, waker_stacks = {.kernel = woke};
	uint64_t end = START + made->to * MS, queued = made->queued * 1000;
	uint64_t context = made->timer ? WAKER_IRQ : WAKER_TASK;
	struct event_wait wait = {.source = OFFCPU, .time = end, .length = (made->to - made->from) * MS,
				  .state = made->state, .run_queue = queued, .woken = queued,
				  .flags = made->to * MS == LENGTH ? WAIT_NOT_ENDED : 0};
	struct event_wake wake = {.source = WAKERS, .time = end - queued, .context = context};

	stacks.kernel_count = read_chain(made->chain, frames);
	if (made->waker) {
		wait.context = context;
		waker_stacks.kernel_count = read_chain(made->woke, woke);
		made_trace_check(event_log_add_wake(trace->log, &wake, &waker, &task, &waker_stacks), "wake");
	}
	made_trace_check(event_log_add_wait(trace->log, &wait, &task, made->waker ? &waker : NULL, &stacks), "wait");
}

/* The wait began two minutes before the recording, and does not end. */
static void add_whole(struct made_trace *trace, const struct thread *thread, uint64_t state, const char *chain)
{
	struct event_task task = task_of(thread);
	uint64_t frames[MOST_FRAMES];
	struct event_stacks stacks = {.kernel = frames, .kernel_count = read_chain(chain, frames)};
	struct event_wait wait = {.source = OFFCPU, .time = START + LENGTH, .length = LENGTH + 120000 * MS,
				  .state = state, .flags = WAIT_BEGAN_BEFORE | WAIT_NOT_ENDED};

	made_trace_check(event_log_add_wait(trace->log, &wait, &task, NULL, &stacks), "wait");
}

/* A wait from ms to ms; *wait has its object and waker. */
static void add_for(struct made_trace *trace, const struct thread *thread, uint64_t from, uint64_t to,
		    struct event_wait wait, const struct thread *owner)
{
	const struct event_task task = task_of(thread);
	const struct event_task others[WAIT_OTHERS] = {[WAIT_WAKER] = task_of(&swapper),
						       [WAIT_OWNER] = task_of(owner ? owner : thread)};
	const char *chain = wait.call == FUTEX ? "futex_wait_queue entry_SYSCALL_64" : "ep_poll entry_SYSCALL_64";
	uint64_t frames[MOST_FRAMES];
	struct event_stacks stacks = {.kernel = frames, .kernel_count = read_chain(chain, frames)};

	wait.source = OFFCPU;
	wait.state = S;
	wait.time = START + to * MS;
	wait.length = (to - from) * MS;
	wait.flags |= (from ? 0U : WAIT_BEGAN_BEFORE) | (wait.time == START + LENGTH ? WAIT_NOT_ENDED : 0U);
	wait.context = wait.flags & WAIT_NOT_ENDED ? WAKER_NONE : WAKER_SOFTIRQ;
	wait.owner = owner != NULL;
	made_trace_check(event_log_add_wait(trace->log, &wait, &task, others, &stacks), "wait");
}

static void add_sums(struct made_trace *trace, const struct thread *thread, uint64_t running)
{
	struct event_wait_sums sums = {.time = START + LENGTH, .source = OFFCPU, .span = LENGTH, .running = running};
	struct event_task task = task_of(thread);

	made_trace_check(event_log_add_wait_sums(trace->log, &sums, &task), "sums");
}

/* Every second the shop waits for 400 ms, in which the storekeeper waits for 8 ms. */
static void add_round(struct made_trace *trace, uint64_t at)
{
	add_wait(trace, &(struct wait){&journal, &keeper, at ? at - 400 : 0, at + 592, 20, S,
				       "kjournald2 kthread", "wake_up_all jbd2_log_wait_commit", false});
	add_wait(trace, &(struct wait){&worker, NULL, at ? at - 658 : 0, at + 340, 0, I,
				       "worker_thread kthread", "", false});
	add_wait(trace, &(struct wait){&keeper, &journal, at + 592, at + 600, 50, D,
				       "io_schedule jbd2_log_wait_commit entry_SYSCALL_64",
				       "wake_up_all kjournald2 kthread", false});
	add_wait(trace, &(struct wait){&shop, &keeper, at + 250, at + 650, 100, S,
				       "futex_wait_queue entry_SYSCALL_64", "futex_wake entry_SYSCALL_64", false});
	add_wait(trace, &(struct wait){&cron, &swapper, at + 1, at + 999, 70, S,
				       "do_nanosleep entry_SYSCALL_64",
				       "hrtimer_wakeup __hrtimer_run_queues asm_sysvec_apic_timer_interrupt", true});
}

static void add_threads(struct made_trace *trace)
{
	static const struct thread *const idle[] = {&rescuer, &rcu};
	static const struct wait last[] = {{&journal, NULL, 4600, 5000, 0, S, "kjournald2 kthread", "", false},
					   {&worker, NULL, 4342, 5000, 0, I, "worker_thread kthread", "", false}};
	struct thread pool = {"java", 700, 711, false};

	for (size_t i = 0; i < sizeof(last) / sizeof(last[0]); i++)
		add_wait(trace, &last[i]);
	for (; pool.tid < 715; pool.tid++) {
		add_whole(trace, &pool, S, "futex_wait_queue entry_SYSCALL_64");
		add_sums(trace, &pool, 0);
	}
	add_whole(trace, &stat, D, "rpc_wait_bit_killable nfs_getattr entry_SYSCALL_64");
	add_whole(trace, &rescuer, I, "rescuer_thread kthread");
	add_whole(trace, &rcu, S, "rcu_gp_kthread kthread");
	for (size_t i = 0; i < sizeof(idle) / sizeof(idle[0]); i++)
		add_sums(trace, idle[i], 0);
	add_sums(trace, &stat, 0);
	add_sums(trace, &shop, 2999 * MS);
	add_sums(trace, &keeper, 4959 * MS);
	add_sums(trace, &journal, 40 * MS);
	add_sums(trace, &worker, 8 * MS);
	add_sums(trace, &cron, 5 * MS);
}

static void add_server(struct made_trace *trace)
{
	static const struct thread loop = {"server", 800, 800, false}, first = {"server-pool", 800, 801, false},
				   second = {"server-pool", 800, 802, false};
	static const struct event_wait epoll = {.call = EPOLL_WAIT, .object = LOOP, .flags = WAIT_ENDLESS},
				       tasks = {.call = FUTEX, .object = TASKS};

	add_for(trace, &loop, 0, 2500, epoll, NULL);
	add_for(trace, &loop, 2501, 5000, epoll, NULL);
	add_sums(trace, &loop, 1 * MS);
	add_for(trace, &first, 0, 3000, tasks, NULL);
	add_for(trace, &first, 3001, 5000, tasks, NULL);
	add_sums(trace, &first, 1 * MS);
	add_for(trace, &second, 0, 5000, tasks, NULL);
	add_sums(trace, &second, 0);
}

/* Each of two threads holds the lock that the other one waits for. */
static void add_busy(struct made_trace *trace)
{
	static const struct thread one = {"deadlock-a", 820, 821, false}, other = {"deadlock-b", 820, 822, false},
				   cache = {"cache", 810, 810, false};

	add_for(trace, &one, 0, 5000, (struct event_wait){.call = FUTEX, .object = FIRST_LOCK,
							   .flags = WAIT_ENDLESS | WAIT_FOR_LOCKED}, &other);
	add_for(trace, &other, 0, 5000, (struct event_wait){.call = FUTEX, .object = SECOND_LOCK,
							     .flags = WAIT_ENDLESS | WAIT_FOR_LOCKED}, &one);
	add_sums(trace, &one, 0);
	add_sums(trace, &other, 0);
	for (uint64_t second = 0; second < ROUNDS; second++)
		add_for(trace, &cache, second * 1000 + (second > 0), second * 1000 + 1000,
			(struct event_wait){.call = EPOLL_WAIT, .object = CLIENTS}, NULL);
	add_sums(trace, &cache, 4 * MS);
}

static void add_objects(struct made_trace *trace)
{
	static const struct event_object objects[] = {
		{.number = LOOP, .kind = OBJECT_EPOLL, .tgid = 800, .descriptor = 6},
		{.number = CLIENTS, .kind = OBJECT_EPOLL, .tgid = 810, .descriptor = 9},
		{.number = TASKS, .kind = OBJECT_FUTEX, .tgid = 800, .place = 0x559000001040,
		 .mapping = OBJECT_IN_HEAP},
		{.number = FIRST_LOCK, .kind = OBJECT_FUTEX, .tgid = 820, .place = 0x559000002000,
		 .mapping = OBJECT_IN_HEAP},
		{.number = SECOND_LOCK, .kind = OBJECT_FUTEX, .tgid = 820, .place = 0x559000002040,
		 .mapping = OBJECT_IN_HEAP},
	};

	for (size_t i = 0; i < sizeof(objects) / sizeof(objects[0]); i++)
		made_trace_add(trace, &(struct event){.kind = EVENT_OBJECT, .object = objects[i]});
}

static void add_state(struct made_trace *trace)
{
	static const char *const names[] = {"sched_switch", "sched_waking"};

	for (uint32_t i = 0; i < 2; i++)
		made_trace_source(trace, &(struct event_source){.id = OFFCPU + i,
								.kind = i ? SOURCE_WAKERS : SOURCE_OFFCPU,
								.weight = WEIGHT_NS, .start = START,
								.stop = START + LENGTH, .least = MS}, names[i]);
	made_trace_meta(trace, "hostname", "example");
	made_trace_meta(trace, "machine", "x86_64");
	made_trace_add(trace, &(struct event){.kind = EVENT_CLOCK,
					      .clock = {.time = START, .realtime = WALL_CLOCK, .window = 1}});
	made_trace_module(trace, KERNEL, MODULE_KERNEL, "[kernel]", "");
	for (size_t i = 0; i < FUNCTIONS; i++)
		made_trace_kernel_symbol(trace, KERNEL, 0x1000 * (i + 1), 0x100, functions[i]);
}

int main(int argc, char **argv)
{
	struct made_trace *trace;

	if (argc != 2)
		return 2;
	trace = made_trace_begin(argv[1]);
	add_state(trace);
	add_objects(trace);
	for (uint64_t i = 0; i < ROUNDS; i++)
		add_round(trace, i * 1000);
	add_threads(trace);
	add_server(trace);
	add_busy(trace);
	made_trace_end(trace);
	return 0;
}

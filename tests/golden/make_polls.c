/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * make_polls FILE: writes samples/polls/trace.rwk, 2 seconds of threads that wait for descriptors.
 * A proxy polls many: two connections and a pipe become ready, and sometimes it times out; so does
 * a balancer, with an epoll. A worker polls one end of a socket whose other end the proxy has, a
 * reader one pipe. A client polls the connection to a server that was stopped before it read the
 * question; another client sent none.
 */
#include "tests/make_events.h"

enum { OFFCPU = 3, WAKERS = 4, KERNEL = 1, MOST_FRAMES = 8 };
enum { S = 1, T = 4, POLL = 7, SELECT = 23, EPOLL_WAIT = 232, PPOLL = 271 };
enum { CLIENT = 1, OTHER, LOG, OWN, PEER, INPUT, QUESTION, ANSWER, KEPT, LOOP, TIMER };

#define MS UINT64_C(1000000)
#define START (UINT64_C(7000) * 1000 * MS)
#define LENGTH (2000 * MS)
#define WALL_CLOCK (UINT64_C(1768439496) * 1000 * MS)

static const char *const functions[] = {
	"entry_SYSCALL_64", "do_sys_poll", "do_select", "ep_poll", "do_signal_stop", "pipe_write",
	"unix_stream_sendmsg", "hrtimer_wakeup", "__hrtimer_run_queues",
	"asm_sysvec_apic_timer_interrupt", "sock_def_readable", "net_rx_action",
};

enum { FUNCTIONS = sizeof(functions) / sizeof(functions[0]) };

struct thread {
	const char *comm;
	uint32_t tid;
};

static const struct thread proxy = {"proxy", 500}, balancer = {"balancer", 510}, worker = {"worker", 600},
			   reader = {"reader", 700}, writer = {"writer", 710}, client = {"client", 800},
			   keeper = {"keeper", 810}, server = {"server", 900};

static struct event_task task_of(const struct thread *thread)
{
	return made_task(thread->tid, thread->tid, 7, thread->comm);
}

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

struct ended { /* how a wait ended */
	const struct thread *waker; /* or the thread that was interrupted */
	uint64_t context;
	const char *chain;
};

static const struct ended by_timer = {&writer, WAKER_IRQ,
				      "hrtimer_wakeup __hrtimer_run_queues asm_sysvec_apic_timer_interrupt"},
			  by_network = {&writer, WAKER_SOFTIRQ, "sock_def_readable net_rx_action"},
			  by_write = {&writer, WAKER_TASK, "pipe_write entry_SYSCALL_64"},
			  by_proxy = {&proxy, WAKER_TASK, "sock_def_readable unix_stream_sendmsg entry_SYSCALL_64"};

static const char *chain_of(uint64_t call)
{
	return call == EPOLL_WAIT ? "ep_poll entry_SYSCALL_64" :
	       call == SELECT	  ? "do_select entry_SYSCALL_64" :
				    "do_sys_poll entry_SYSCALL_64";
}

/* A wait from ms to ms; `wait` has the call, its object and what was ready. */
static void add_wait(struct made_trace *trace, const struct thread *thread, uint64_t from, uint64_t to,
		     struct event_wait wait, const struct ended *ended)
{
	const struct event_task task = task_of(thread), waker = task_of(ended ? ended->waker : thread);
	uint64_t frames[MOST_FRAMES], woke[MOST_FRAMES];
	struct event_stacks stacks = {.kernel = frames, .kernel_count = read_chain(chain_of(wait.call), frames)};
	struct event_stacks waker_stacks = {.kernel = woke};
	struct event_wake wake = {.source = WAKERS, .time = START + to * MS};

	wait.source = OFFCPU;
	wait.state = S;
	wait.time = START + to * MS;
	wait.length = (to - from) * MS;
	wait.flags |= WAIT_HAS_CALL;
	wait.call = wait.call << WAIT_CALL_BITS | WAIT_IN_CALL;
	if (ended) {
		wake.context = wait.context = ended->context;
		waker_stacks.kernel_count = read_chain(ended->chain, woke);
		made_trace_check(event_log_add_wake(trace->log, &wake, &waker, &task, &waker_stacks), "wake");
	}
	made_trace_check(event_log_add_wait(trace->log, &wait, &task, ended ? &waker : NULL, &stacks), "wait");
}

/* The wait began before the recording, and has not ended. */
static void add_whole(struct made_trace *trace, const struct thread *thread, struct event_wait wait,
		      const char *chain)
{
	const struct event_task task = task_of(thread);
	uint64_t frames[MOST_FRAMES];
	struct event_stacks stacks = {.kernel = frames, .kernel_count = read_chain(chain, frames)};
	struct event_wait_sums sums = {.time = START + LENGTH, .source = OFFCPU, .span = LENGTH};

	wait.source = OFFCPU;
	wait.time = START + LENGTH;
	wait.length = LENGTH + 1000 * MS;
	wait.state = wait.state ? wait.state : S;
	wait.flags |= WAIT_HAS_CALL | WAIT_BEGAN_BEFORE | WAIT_NOT_ENDED;
	made_trace_check(event_log_add_wait(trace->log, &wait, &task, NULL, &stacks), "wait");
	made_trace_check(event_log_add_wait_sums(trace->log, &sums, &task), "sums");
}

static void add_waits(struct made_trace *trace)
{
	const struct event_wait other = {.call = POLL, .ready = 10, .ready_object = OTHER},
				log = {.call = POLL, .ready = 5, .ready_object = LOG},
				ticks = {.call = EPOLL_WAIT, .object = LOOP, .ready = 12, .ready_object = TIMER},
				input = {.call = PPOLL, .object = INPUT, .ready = 4, .ready_object = INPUT};

	for (uint64_t i = 0; i < 3; i++) /* with another descriptor the third time */
		add_wait(trace, &proxy, 100 * i, 100 * i + 40 + 10 * i,
			 (struct event_wait){.call = POLL, .ready = 8 + i / 2, .ready_object = CLIENT}, &by_network);
	add_wait(trace, &proxy, 300, 330, other, &by_network);
	add_wait(trace, &proxy, 340, 365, log, &by_write);
	add_wait(trace, &proxy, 400, 500, (struct event_wait){.call = POLL}, &by_timer);
	add_wait(trace, &proxy, 500, 600, (struct event_wait){.call = POLL}, &by_timer);
	add_wait(trace, &proxy, 610, 618, (struct event_wait){.call = SELECT}, NULL);
	add_wait(trace, &worker, 100, 307, (struct event_wait){
		.call = POLL, .object = OWN, .ready = 6, .ready_object = OWN}, &by_proxy);
	add_wait(trace, &worker, 310, 340, (struct event_wait){.call = POLL, .object = OWN}, &by_timer);
	add_wait(trace, &reader, 200, 215, input, &by_write);
	add_wait(trace, &reader, 220, 237, input, &by_write);
	add_wait(trace, &balancer, 700, 772, ticks, &by_timer);
	add_wait(trace, &balancer, 780, 791, (struct event_wait){
		.call = EPOLL_WAIT, .object = LOOP, .ready = 9, .ready_object = OTHER}, &by_network);
	add_wait(trace, &balancer, 800, 850, (struct event_wait){.call = EPOLL_WAIT, .object = LOOP}, &by_timer);
}

static void add_whole_waits(struct made_trace *trace)
{
	add_whole(trace, &client, (struct event_wait){
		.call = POLL << WAIT_CALL_BITS | WAIT_IN_CALL, .object = QUESTION, .flags = WAIT_ENDLESS},
		  "do_sys_poll entry_SYSCALL_64");
	add_whole(trace, &keeper, (struct event_wait){
		.call = POLL << WAIT_CALL_BITS | WAIT_IN_CALL, .object = KEPT, .flags = WAIT_ENDLESS},
		  "do_sys_poll entry_SYSCALL_64");
	add_whole(trace, &server, (struct event_wait){
		.call = WAIT_IN_STOP, .state = T, .ready = 8, .ready_object = ANSWER, .flags = WAIT_OWES | WAIT_ALONE},
		  "do_signal_stop entry_SYSCALL_64");
}

static void add_socket(struct made_trace *trace, uint32_t number, uint64_t port, uint64_t peer_port)
{
	static const char here[16] = {[10] = '\xff', '\xff', 127, 0, 0, 1};
	const struct event_object object = {.number = number, .kind = OBJECT_TCP, .device = 8, .inode = 9000 + number,
					    .family = 2, .state = 1, .port = port, .peer_port = peer_port};
	const struct event_object_name name = {.number = number, .path = {"", 0}, .address = {here, sizeof(here)},
					       .peer_address = {here, sizeof(here)}};

	made_trace_add(trace, &(struct event){.kind = EVENT_OBJECT, .object = object});
	made_trace_add(trace, &(struct event){.kind = EVENT_OBJECT_NAME, .object_name = name});
}

static void add_objects(struct made_trace *trace)
{
	static const struct event_object objects[] = {
		{.number = LOG, .kind = OBJECT_PIPE, .device = 14, .inode = 12},
		{.number = OWN, .kind = OBJECT_UNIX, .device = 8, .inode = 31, .state = 1, .peer = 32},
		{.number = PEER, .kind = OBJECT_UNIX, .device = 8, .inode = 32, .state = 1, .peer = 31},
		{.number = INPUT, .kind = OBJECT_PIPE, .device = 14, .inode = 13},
		{.number = LOOP, .kind = OBJECT_EPOLL, .tgid = 510, .descriptor = 4},
		{.number = TIMER, .kind = OBJECT_TIMERFD, .tgid = 510, .descriptor = 12},
	};

	made_trace_check(event_log_want_names(trace->log), "names");
	for (size_t i = 0; i < sizeof(objects) / sizeof(objects[0]); i++)
		made_trace_add(trace, &(struct event){.kind = EVENT_OBJECT, .object = objects[i]});
	add_socket(trace, CLIENT, 80, 41000);
	add_socket(trace, OTHER, 80, 41001);
	add_socket(trace, QUESTION, 42000, 5432);
	add_socket(trace, ANSWER, 5432, 42000);
	add_socket(trace, KEPT, 42001, 5432);
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
	add_waits(trace);
	add_whole_waits(trace);
	made_trace_end(trace);
	return 0;
}

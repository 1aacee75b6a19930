/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * make_probes FILE: writes samples/probes/trace.rwk, in which every event is known: functions and a
 * tracepoint as in the examples of bcc's stacksnoop and stackcount, with samples, waits, what they
 * were for, and wakeups. 3.5 seconds, from 01:11:36 UTC on.
 */
#include "tests/make_events.h"

enum { CPU = 1, OFFCPU = 3, WAKERS = 4, SYNC = 5, TCP = 6, BLOCK = 7, KERNEL = 1, BPF = 2, PROGRAM = 3 };
enum { SYNC_FS = 1, SEND_ACK, SEND_DELAYED_ACK, SEND_MSS, SENDMSG, RQ_ISSUE };

#define MS UINT64_C(1000000)
#define START (UINT64_C(42005194) * 1000 * MS)
#define STOP (START + 3500 * MS)
#define WALL_CLOCK (UINT64_C(1768439496) * 1000 * MS)
#define KERNEL_BASE UINT64_C(0xffffffff81000000)
#define PROGRAM_BASE UINT64_C(0x55d0c0e00000)

static const struct function {
	const char *name;
	uint64_t offset;
} functions[] = {
	{"bpf_trampoline_6442459064", 0x1000}, {"bpf_trace_run1", 0x1100},
	{"__traceiter_block_rq_issue", 0x1200}, {"irq_handler", 0x2000},
	{"wake_up_page_bit", 0x2100}, {"io_schedule", 0x2200}, {"folio_wait_bit", 0x2300},
	{"do_wait", 0x2400}, {"sys_wait4", 0x2500}, {"copy_page", 0x2600}, {"sys_rename", 0x2700},
	{"ext4_rename", 0x2800}, {"jbd2_journal_commit_transaction", 0x2900},
	{"kjournald2", 0x2a00}, {"kthread", 0x2b00}, {"submit_bio", 0x2c00},
	{"blk_mq_start_request", 0x2d00}, {"tcp_send_delayed_ack", 0x3000},
	{"tcp_rcv_established", 0x3100}, {"tcp_v4_rcv", 0x3600}, {"tcp_send_mss", 0x4000},
	{"tcp_sendmsg", 0x4100}, {"sock_sendmsg", 0x4200}, {"sock_write_iter", 0x4300},
	{"vfs_write", 0x4400}, {"sys_write", 0x4500}, {"iterate_supers", 0x1ed760},
	{"sys_sync", 0x21b9f0}, {"ext4_sync_fs", 0x280460}, {"entry_SYSCALL_64_fastpath", 0x775ca0},
};

enum { FUNCTIONS = sizeof(functions) / sizeof(functions[0]), MOST_FRAMES = 32 };

static uint64_t address_of(const char *word, size_t length)
{
	const char *plus = memchr(word, '+', length);
	uint64_t offset = plus ? strtoull(plus + 1, NULL, 16) : 0;
	size_t name = plus ? (size_t)(plus - word) : length;

	if (!strncmp(word, "bpf_prog", name)) /* each program is a module of its own */
		return (uint64_t)BPF << 32 | offset;
	for (size_t i = 0; i < FUNCTIONS; i++)
		if (strlen(functions[i].name) == name && !strncmp(functions[i].name, word, name))
			return (uint64_t)KERNEL << 32 | (functions[i].offset + offset);
	fprintf(stderr, "make_probes: no function '%.*s'\n", (int)name, word);
	abort();
}

/* "leaf+0x1 caller+0x2" */
static void read_chain(const char *chain, uint64_t frames[MOST_FRAMES])
{
	size_t count = 0;

	while (*chain) {
		size_t length = strcspn(chain, " ");

		frames[count++] = address_of(chain, length);
		chain += length + (chain[length] == ' ');
	}
	frames[count] = 0;
}

struct thread {
	const char *comm;
	uint32_t tgid, tid;
	bool kernel;
};

static const struct thread sync_thread = {"sync", 22352, 22352, false}, journal = {"jbd2/xvda1-8", 310, 310, true},
			   supervise = {"supervise", 1200, 1200, false},
			   sender = {"postgres: write", 4000, 4010, false},
			   idle = {"swapper/0", 0, 0, true};

static const uint64_t sync_calls[] = {PROGRAM_BASE + 0x1130, PROGRAM_BASE + 0x1045, 0};

static void add_hit(struct made_trace *trace, uint32_t source, uint32_t probe, uint64_t time,
		    const struct thread *thread, const char *chain)
{
	uint64_t frames[MOST_FRAMES];

	read_chain(chain, frames);
	made_trace_sample(trace, &(struct made_sample){
					 .time = START + time,
					 .period = source == CPU ? 250 * MS : 0,
					 .cpu = thread->tid % 4,
					 .source = source,
					 .probe = probe,
					 .tgid = thread->tgid,
					 .tid = thread->tid,
					 .comm = thread->comm,
					 .kernel_thread = thread->kernel,
					 .kernel = frames,
					 .user = thread == &sync_thread ? sync_calls : NULL,
				 });
}

static void add_source(struct made_trace *trace, uint32_t id, enum source_kind kind, const char *name)
{
	struct event_source source = {.id = id, .kind = kind, .weight = WEIGHT_COUNT, .start = START, .stop = STOP};

	if (kind == SOURCE_CPU || kind == SOURCE_OFFCPU || kind == SOURCE_WAKERS)
		source.weight = WEIGHT_NS;
	source.frequency = kind == SOURCE_CPU ? 4 : 0;
	source.flags = kind == SOURCE_KFUNC ? SOURCE_USER_STACKS : 0;
	made_trace_source(trace, &source, name);
}

static void add_state(struct made_trace *trace)
{
	static const struct event_segment segment = {.file_size = 0x2000, .memory_size = 0x2000, .flags = 5};
	static const struct event_symbol symbols[] = {{.address = 0x1000, .size = 0x100, .name = {"main", 4}},
						      {.address = 0x1100, .size = 0x100, .name = {"do_sync", 7}}};

	made_trace_meta(trace, "hostname", "example");
	made_trace_meta(trace, "machine", "x86_64"); /* for the numbers of calls */
	made_trace_add(trace, &(struct event){.kind = EVENT_CLOCK,
					      .clock = {.time = START, .realtime = WALL_CLOCK,
							.window = 1}});
	made_trace_add(trace, &(struct event){.kind = EVENT_MODULE,
					      .module = {.id = KERNEL,
							 .kind = MODULE_KERNEL,
							 .path = made_text("[kernel]"),
							 .base = KERNEL_BASE}});
	made_trace_module(trace, BPF, MODULE_BPF, "bpf_prog_893eda1e88f95d07_point_function", "");
	for (size_t i = 0; i < FUNCTIONS; i++) /* each ends where the next begins, or soon */
		made_trace_kernel_symbol(trace, KERNEL, functions[i].offset, 0x100, functions[i].name);
	made_trace_kernel_symbol(trace, KERNEL, 0x3100, 0x500, "tcp_rcv_established");
	made_trace_module(trace, PROGRAM, MODULE_FILE, "/usr/bin/sync", "0102030405060708");
	made_trace_map(trace, START, sync_thread.tgid, PROGRAM_BASE, 0x2000, 0, PROGRAM, MAPPING_INITIAL);
	made_trace_embed(trace, PROGRAM, &segment, 1, symbols, 2);
}

static void add_sources(struct made_trace *trace)
{
	add_source(trace, CPU, SOURCE_CPU, "cpu-clock");
	add_source(trace, OFFCPU, SOURCE_OFFCPU, "sched_switch");
	add_source(trace, WAKERS, SOURCE_WAKERS, "sched_waking");
	add_source(trace, SYNC, SOURCE_KFUNC, "ext4_sync_fs");
	add_source(trace, TCP, SOURCE_KFUNC, "tcp_send*");
	add_source(trace, BLOCK, SOURCE_TRACEPOINT, "block_rq_issue");
	made_trace_probe(trace, SYNC_FS, SYNC, HOOK_FENTRY, "ext4_sync_fs");
	made_trace_probe(trace, SEND_ACK, TCP, HOOK_KPROBE_MULTI, "tcp_send_ack");
	made_trace_probe(trace, SEND_DELAYED_ACK, TCP, HOOK_KPROBE_MULTI, "tcp_send_delayed_ack");
	made_trace_probe(trace, SEND_MSS, TCP, HOOK_KPROBE_MULTI, "tcp_send_mss");
	made_trace_probe(trace, SENDMSG, TCP, HOOK_KPROBE_MULTI, "tcp_sendmsg");
	made_trace_probe(trace, RQ_ISSUE, BLOCK, HOOK_RAW_TRACEPOINT, "block:block_rq_issue");
}

static void add_functions(struct made_trace *trace)
{
	static const char delayed_ack[] = "tcp_send_delayed_ack+0x1 tcp_rcv_established+0x3b1 tcp_v4_rcv+0x8e",
			  other_ack[] = "tcp_send_delayed_ack+0x1 tcp_rcv_established+0x222 tcp_v4_rcv+0x8e",
			  write[] = "sock_sendmsg+0x38 sock_write_iter+0x78 vfs_write+0xa9 "
				    "sys_write+0x46 entry_SYSCALL_64_fastpath+0x16";
	char chain[256];

	add_hit(trace, SYNC, SYNC_FS, 132250004, &sync_thread,
		"bpf_prog+0x71 bpf_trampoline_6442459064+0x4f ext4_sync_fs+0x1 iterate_supers+0x99 "
		"sys_sync+0x35 entry_SYSCALL_64_fastpath+0x16");
	add_hit(trace, SYNC, SYNC_FS, 132275000, &sync_thread,
		"bpf_prog+0x71 bpf_trampoline_6442459064+0x4f ext4_sync_fs+0x1 iterate_supers+0x99 "
		"sys_sync+0x45 entry_SYSCALL_64_fastpath+0x16");
	add_hit(trace, TCP, SEND_DELAYED_ACK, 500 * MS, &idle, delayed_ack);
	for (uint64_t i = 0; i < 4; i++)
		add_hit(trace, TCP, SEND_DELAYED_ACK, (600 + i) * MS, &idle, other_ack);
	for (uint64_t i = 0; i < 7; i++) {
		(void)snprintf(chain, sizeof(chain), "tcp_sendmsg+0x1 %s", write);
		add_hit(trace, TCP, SENDMSG, (700 + i) * MS, &sender, chain);
		(void)snprintf(chain, sizeof(chain), "tcp_send_mss+0x1 tcp_sendmsg+0x67 %s", write);
		add_hit(trace, TCP, SEND_MSS, (700 + i) * MS + 1000, &sender, chain);
	}
}

static void add_tracepoint(struct made_trace *trace)
{
	static const char way[] = "bpf_prog+0x33 bpf_trace_run1+0x7e __traceiter_block_rq_issue+0x3a",
			  rename[] = "blk_mq_start_request+0x5c submit_bio+0x12 ext4_rename+0x20 "
				     "sys_rename+0x11 entry_SYSCALL_64_fastpath+0x16",
			  commit[] = "blk_mq_start_request+0x5c submit_bio+0x12 "
				     "jbd2_journal_commit_transaction+0x77 kjournald2+0x9 kthread+0x6";
	static const uint64_t commits[] = {900, 901, 902}, renames[] = {100, 200, 1000, 1500, 3100, 3499};
	char chain[512];

	(void)snprintf(chain, sizeof(chain), "%s %s", way, rename);
	for (size_t i = 0; i < sizeof(renames) / sizeof(renames[0]); i++)
		add_hit(trace, BLOCK, RQ_ISSUE, renames[i] * MS, &supervise, chain);
	(void)snprintf(chain, sizeof(chain), "%s %s", way, commit);
	for (size_t i = 0; i < sizeof(commits) / sizeof(commits[0]); i++)
		add_hit(trace, BLOCK, RQ_ISSUE, commits[i] * MS, &journal, chain);
}

/* --- what waits were for --- */

enum { READ = 0, MMAP = 9, NANOSLEEP = 35, WAIT4 = 61, RENAME = 82, FUTEX = 202, EPOLL_WAIT = 232 }; /* of x86-64 */
enum { FOLDER = 1, CHILD, CLIENT, ENDS, LOCK, SLEEP, MAPPINGS, CGROUPS, NAMELESS, MANY, DISK, TABLE };

static void add_name(struct made_trace *trace, const struct event_object_name *name)
{
	made_trace_add(trace, &(struct event){.kind = EVENT_OBJECT_NAME, .object_name = *name});
}

static void add_objects(struct made_trace *trace)
{
	static const char address[16] = {[10] = '\xff', '\xff', 127, 0, 0, 1},
			  peer[16] = {[10] = '\xff', '\xff', '\xc0', 0, 2, 7};
	static const struct event_object objects[] = {
		{.number = FOLDER, .kind = OBJECT_FILE, .device = 0x801, .inode = 131},
		{.number = CHILD, .kind = OBJECT_CHILD, .tgid = 22352},
		{.number = CLIENT, .kind = OBJECT_TCP, .device = 8, .inode = 866553, .family = 2, .state = 1,
		 .port = 5432, .peer_port = 42858},
		{.number = ENDS, .kind = OBJECT_PIPE, .device = 14, .inode = 866554},
		{.number = LOCK, .kind = OBJECT_FUTEX, .tgid = 4000, .place = 0x7f2fb0000ba0, .mapping = OBJECT_IN_FILE,
		 .name = {"_ZN5store5locksE", sizeof("_ZN5store5locksE") - 1}, .offset = 0x28},
		{.number = SLEEP, .kind = OBJECT_SLEEP},
		{.number = MAPPINGS, .kind = OBJECT_LOCK, .flags = OBJECT_MMAP_LOCK, .tgid = 4000, .place = 1,
		 .lock = LOCK_RWSEM},
		{.number = CGROUPS, .kind = OBJECT_LOCK, .place = 2, .lock = LOCK_MUTEX,
		 .name = {"cgroup_mutex", sizeof("cgroup_mutex") - 1}},
		{.number = NAMELESS, .kind = OBJECT_LOCK, .place = 3, .lock = LOCK_RWSEM},
		{.number = MANY, .kind = OBJECT_EPOLL, .tgid = 4000, .descriptor = 13},
		{.number = DISK, .kind = OBJECT_BLOCK, .device = 0x801, .name = {"sda1", sizeof("sda1") - 1}},
		{.number = TABLE, .kind = OBJECT_FILE, .device = 0x801, .inode = 140},
	};

	for (size_t i = 0; i < sizeof(objects) / sizeof(objects[0]); i++)
		made_trace_add(trace, &(struct event){.kind = EVENT_OBJECT, .object = objects[i]});
	made_trace_check(event_log_want_names(trace->log), "names");
	add_name(trace, &(struct event_object_name){.number = FOLDER, .path = made_text("/var/lib/supervise/\x1b[1m"),
						    .address = {"", 0}, .peer_address = {"", 0}});
	add_name(trace, &(struct event_object_name){.number = TABLE, .path = made_text("/var/lib/supervise/table"),
						    .address = {"", 0}, .peer_address = {"", 0}});
	add_name(trace, &(struct event_object_name){.number = CLIENT, .path = {"", 0},
						    .address = {address, sizeof(address)},
						    .peer_address = {peer, sizeof(peer)}});
}

/* A wait that ended by itself, or by an unknown waker: source, cpu and state of `wait` are set here. */
static void add_told(struct made_trace *trace, uint64_t time, uint64_t length, const struct event_wait *told,
		     const char *chain)
{
	struct event_task task = made_task(sender.tgid, sender.tid, 0, sender.comm);
	const struct event_task others[WAIT_OTHERS] = {
		[WAIT_OWNER] = made_task(supervise.tgid, supervise.tid, 0, supervise.comm)};
	struct event_wait wait = *told;
	uint64_t frames[MOST_FRAMES];
	struct event_stacks stacks = {.kernel = frames};

	wait.source = OFFCPU;
	wait.time = START + time;
	wait.length = length;
	wait.state = 1;
	wait.cpu = 3;
	wait.flags |= WAIT_HAS_CALL | (wait.asked ? WAIT_HAS_ASKED : 0);
	wait.call = wait.call << WAIT_CALL_BITS | WAIT_IN_CALL;
	read_chain(chain, frames);
	stacks.kernel_count = made_count(frames);
	made_trace_check(event_log_add_wait(trace->log, &wait, &task, others, &stacks), "wait");
}

static void add_told_waits(struct made_trace *trace)
{
	static const char in_read[] = "sock_sendmsg+0x12 entry_SYSCALL_64_fastpath+0x16",
			  elsewhere[] = "do_wait+0x8 entry_SYSCALL_64_fastpath+0x16";

	add_told(trace, 1100 * MS, 40 * MS, &(struct event_wait){.call = READ, .object = CLIENT}, in_read);
	add_told(trace, 1200 * MS, 60 * MS, &(struct event_wait){.call = READ, .object = CLIENT}, in_read);
	add_told(trace, 1300 * MS, 7 * MS, &(struct event_wait){.call = READ, .object = ENDS}, elsewhere);
	add_told(trace, 1400 * MS, 30 * MS, &(struct event_wait){.call = FUTEX, .object = LOCK, .owner = 1},
		 elsewhere);
	add_told(trace, 1500 * MS, 21 * MS,
		 &(struct event_wait){.call = NANOSLEEP, .object = SLEEP, .asked = 20 * MS}, elsewhere);
	add_told(trace, 1600 * MS, 5 * MS, &(struct event_wait){.call = READ}, elsewhere); /* object unknown */
	add_told(trace, 1700 * MS, 9 * MS, &(struct event_wait){
		.call = MMAP, .object = MAPPINGS, .owner = 1, .flags = WAIT_OWNER_READS}, elsewhere);
	add_told(trace, 1800 * MS, 8 * MS, &(struct event_wait){.call = RENAME, .object = CGROUPS, .owner = 1},
		 elsewhere);
	add_told(trace, 1900 * MS, 4 * MS, &(struct event_wait){
		.call = RENAME, .object = NAMELESS, .flags = WAIT_FOR_READING}, elsewhere);
	add_told(trace, 2000 * MS, 50 * MS, &(struct event_wait){
		.call = EPOLL_WAIT, .object = MANY, .ready = 8, .ready_object = CLIENT}, elsewhere);
	add_told(trace, 2100 * MS, 6 * MS, &(struct event_wait){.call = READ, .object = DISK}, elsewhere);
	add_told(trace, 2200 * MS, 3 * MS, &(struct event_wait){.call = READ, .object = TABLE}, elsewhere);
}

/* A wait of `length` that ends at `time`. woken 0: it has not ended, and is for a child; else it is for a folder. */
static void add_wait(struct made_trace *trace, uint64_t time, uint64_t length, uint64_t woken, const char *chain)
{
	struct event_task task = made_task(supervise.tgid, supervise.tid, 0, supervise.comm),
			  waker = made_task(0, 0, 0, idle.comm);
	struct event_wait wait = {.source = OFFCPU, .time = START + time, .length = length,
				  .state = woken ? 2 : 1, .cpu = 2, .run_queue = woken, .woken = woken,
				  .context = woken ? WAKER_IRQ : WAKER_NONE,
				  .flags = WAIT_HAS_CALL | (woken ? WAIT_IOWAIT : WAIT_NOT_ENDED),
				  .call = (woken ? RENAME : WAIT4) << WAIT_CALL_BITS | WAIT_IN_CALL,
				  .object = woken ? FOLDER : CHILD};
	struct event_wake wake = {.source = WAKERS, .time = START + time - woken, .context = WAKER_IRQ};
	uint64_t frames[MOST_FRAMES], woke[MOST_FRAMES];
	struct event_stacks stacks = {.kernel = frames}, waker_stacks = {.kernel = woke};

	waker.flags = TASK_KERNEL_THREAD;
	read_chain(chain, frames);
	read_chain("wake_up_page_bit+0x8 irq_handler+0x44", woke);
	stacks.kernel_count = made_count(frames);
	waker_stacks.kernel_count = made_count(woke);
	if (woken)
		made_trace_check(event_log_add_wake(trace->log, &wake, &waker, &task, &waker_stacks), "wake");
	made_trace_check(event_log_add_wait(trace->log, &wait, &task, woken ? &waker : NULL, &stacks), "wait");
}

static void add_hits(struct made_trace *trace, uint32_t probe, uint64_t hits, uint64_t skipped, uint64_t missed)
{
	made_trace_probe_hits(trace, &(struct event_probe_hits){
					     .time = STOP, .probe = probe, .hits = hits,
					     .skipped = skipped, .missed = missed});
}

int main(int argc, char **argv)
{
	struct made_trace *trace;

	if (argc != 2)
		return 2;
	trace = made_trace_begin(argv[1]);
	add_sources(trace);
	add_state(trace);
	add_objects(trace);
	add_functions(trace);
	add_tracepoint(trace);
	for (uint64_t i = 0; i < 3; i++)
		add_hit(trace, CPU, 0, (250 + 250 * i) * MS, &supervise,
			"copy_page+0x7 sys_rename+0x31 entry_SYSCALL_64_fastpath+0x16");
	add_wait(trace, 112345678, 12345678, 10000,
		 "io_schedule+0x46 folio_wait_bit+0x10 sys_rename+0x41 entry_SYSCALL_64_fastpath+0x16");
	add_told_waits(trace);
	add_wait(trace, 3500 * MS, 500 * MS, 0, "do_wait+0x8 sys_wait4+0x4 entry_SYSCALL_64_fastpath+0x16");
	add_hits(trace, SYNC_FS, 2, 0, 0);
	add_hits(trace, SEND_ACK, 0, 0, 0);
	add_hits(trace, SEND_DELAYED_ACK, 5, 0, 0);
	add_hits(trace, SEND_MSS, 7, 0, 0);
	add_hits(trace, SENDMSG, 110, 100, 2);
	add_hits(trace, RQ_ISSUE, 9, 0, 0);
	made_trace_end(trace);
	return 0;
}
